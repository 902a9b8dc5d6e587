//! Every quantity of a small system with a general rate, by hand: from closures, from formulas, by differences, alone and
//! together. And the rules of questions: zeros, counts, numbers that are not finite, patterns made dense.
//!
//! ```text
//! q = (x, y, z), v = (s, w),   q' = U = (s cos z, s sin z, w)
//! g = x y + t^2 sin z - 0.3,   k = s y - w x^2 + t s w + sin z,   M = [2 + x^2, y/2; y/2, 3],   f = (cos z - x s, y w^2 - t)
//! r = (-lambda y - psi^2 s, lambda x w - 3 psi)
//! ```

use alembert::{
    At, ConstrainedSystem, Description, Differentiated, Dims, Equations, Formulas, Functions, Pattern, Patterns, Point,
    Quantities, Quantity, Scalar, Supplied,
};

const DIMS: Dims = Dims { q: 3, v: 2, lambda: 1, psi: 1 };
const AT: At = At {
    t: 0.7,
    q: &[0.4, -1.3, 0.9],
    v: &[1.7, -0.6],
    a: &[0.8, 2.1],
    lambda: &[1.9],
    psi: &[-0.35],
    dt: 0.0,
    dq: &[],
    held: &[],
};

/// The quantities, with their values.
fn by_hand(quantity: Quantity, at: &At) -> Vec<f64> {
    // What a quantity does not depend on may not be there.
    let [s, w] = [0, 1].map(|i| at.v.get(i).copied().unwrap_or(f64::NAN));
    let (t, [x, y, z]) = (at.t, [at.q[0], at.q[1], at.q[2]]);
    let (sin, cos) = z.sin_cos();
    let rate = [s * cos, s * sin, w];
    let turning = [s * sin, s * cos, 2.0 * t * cos - y * s * sin + x * s * cos - t * t * sin * w];
    let along = |row: &[f64; 3]| row.iter().zip(rate).map(|(x, rate)| x * rate).sum::<f64>();
    let k_q = [-2.0 * w * x, s, cos];
    use Quantity::*;
    match quantity {
        Mass => vec![2.0 + x * x, 0.5 * y, 0.5 * y, 3.0],
        Force => vec![cos - x * s, y * w * w - t],
        Holonomic => vec![x * y + t * t * sin - 0.3],
        Nonholonomic => vec![s * y - w * x * x + t * s * w + sin],
        Reaction => vec![-at.lambda[0] * y - at.psi[0].powi(2) * s, at.lambda[0] * x * w - 3.0 * at.psi[0]],
        Rate => rate.to_vec(),
        HolonomicQ => vec![y, x, t * t * cos],
        HolonomicT => vec![2.0 * t * sin],
        HolonomicBias => vec![2.0 * sin + 2.0 * t * cos * w + along(&turning)],
        HolonomicVelocityQ => turning.to_vec(),
        NonholonomicV => vec![y + t * w, t * s - x * x],
        NonholonomicQ => k_q.to_vec(),
        NonholonomicBias => vec![s * w + along(&k_q)],
        MassQ => vec![2.0 * x * at.a[0], 0.5 * at.a[1], 0.0, 0.0, 0.5 * at.a[0], 0.0],
        ForceQ => vec![-s, 0.0, -sin, 0.0, w * w, 0.0],
        ForceV => vec![-x, 0.0, 0.0, 2.0 * y * w],
        ReactionQ => vec![0.0, -at.lambda[0], 0.0, at.lambda[0] * w, 0.0, 0.0],
        ReactionV => vec![-at.psi[0].powi(2), 0.0, 0.0, at.lambda[0] * x],
        ReactionLambda => vec![-y, x * w],
        ReactionPsi => vec![-2.0 * at.psi[0] * s, -3.0],
        RateV => vec![cos, 0.0, sin, 0.0, 0.0, 1.0],
        RateQ => vec![0.0, 0.0, -s * sin, 0.0, 0.0, s * cos, 0.0, 0.0, 0.0],
        _ => unreachable!("not asked for"),
    }
}

/// All that are counted: values first, then derivatives.
fn all() -> impl Iterator<Item = Quantity> {
    Quantity::ALL.into_iter().take_while(|quantity| *quantity != Quantity::Residual)
}

struct Unicycle;

impl Formulas for Unicycle {
    fn dims(&self) -> Dims {
        DIMS
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        mass[0] = q[0] * q[0] + 2.0;
        (mass[1], mass[2]) = (q[1] * 0.5, q[1] * 0.5);
        mass[3] = S::from(3.0);
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]) {
        (force[0], force[1]) = (q[2].cos() - q[0] * v[0], q[1] * v[1] * v[1] - t);
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[1] + t * t * q[2].sin() - 0.3;
    }
    fn nonholonomic<S: Scalar>(&self, t: S, q: &[S], v: &[S], k: &mut [S]) {
        k[0] = v[0] * q[1] - v[1] * q[0] * q[0] + t * v[0] * v[1] + q[2].sin();
    }
    fn reaction<S: Scalar>(&self, _: S, q: &[S], v: &[S], lambda: &[S], psi: &[S], r: &mut [S]) -> Supplied {
        r[0] = -lambda[0] * q[1] - psi[0] * psi[0] * v[0];
        r[1] = lambda[0] * q[0] * v[1] - psi[0] * 3.0;
        Supplied::Yes
    }
    fn rate<S: Scalar>(&self, _: S, q: &[S], v: &[S], q_dot: &mut [S]) -> Supplied {
        (q_dot[0], q_dot[1], q_dot[2]) = (v[0] * q[2].cos(), v[0] * q[2].sin(), v[1]);
        Supplied::Yes
    }
}

/// One quantity through the functions that methods call.
fn ask(equations: &mut Equations, quantity: Quantity, at: &At) -> Vec<f64> {
    let mut out = vec![f64::NAN; by_hand(quantity, at).len()];
    equations.ask(at, [(quantity, &mut out)]).expect("finite");
    out
}

#[track_caller]
fn assert_near(quantity: Quantity, found: &[f64], exact: &[f64], tolerance: f64) {
    for (x, y) in found.iter().zip(exact) {
        assert!((x - y).abs() <= tolerance, "{}: {found:?} for {exact:?}", quantity.name());
    }
}

#[test]
fn closures_answer_for_themselves() {
    let system = all().fold(Functions::new(DIMS), |system, quantity| {
        system.quantity(quantity, move |at, out| out.copy_from_slice(&by_hand(quantity, at)))
    });
    let mut equations = Equations::new(&system);
    for quantity in all() {
        // To the last bit: nothing is completed.
        assert_eq!(ask(&mut equations, quantity, &AT), by_hand(quantity, &AT), "{}", quantity.name());
    }
    assert!(equations.evaluations().iter().all(|(_, count)| count == 1), "{:?}", equations.evaluations());
}

#[test]
fn each_builder_names_its_own_quantity_and_arguments() {
    let put = |quantity: Quantity| move |at: &At, out: &mut [f64]| out.copy_from_slice(&by_hand(quantity, at));
    fn place<'a>(t: f64, q: &'a [f64]) -> At<'a> {
        At { t, q, ..AT }
    }
    macro_rules! of_place {
        ($quantity:ident) => {
            move |t: f64, q: &[f64], out: &mut [f64]| put(Quantity::$quantity)(&place(t, q), out)
        };
    }
    macro_rules! of_motion {
        ($quantity:ident) => {
            move |t: f64, q: &[f64], v: &[f64], out: &mut [f64]| put(Quantity::$quantity)(&At { v, ..place(t, q) }, out)
        };
    }
    macro_rules! of_point {
        ($quantity:ident) => {
            move |at: Point, out: &mut [f64]| put(Quantity::$quantity)(&At::from(at), out)
        };
    }
    let system = Functions::new(DIMS)
        .mass(of_place!(Mass))
        .holonomic(of_place!(Holonomic))
        .holonomic_q(of_place!(HolonomicQ))
        .holonomic_t(of_place!(HolonomicT))
        .force(of_motion!(Force))
        .nonholonomic(of_motion!(Nonholonomic))
        .rate(of_motion!(Rate))
        .holonomic_bias(of_motion!(HolonomicBias))
        .holonomic_velocity_q(of_motion!(HolonomicVelocityQ))
        .nonholonomic_v(of_motion!(NonholonomicV))
        .nonholonomic_q(of_motion!(NonholonomicQ))
        .nonholonomic_bias(of_motion!(NonholonomicBias))
        .force_q(of_motion!(ForceQ))
        .force_v(of_motion!(ForceV))
        .rate_v(of_motion!(RateV))
        .rate_q(of_motion!(RateQ))
        .reaction(of_point!(Reaction))
        .reaction_q(of_point!(ReactionQ))
        .reaction_v(of_point!(ReactionV))
        .reaction_lambda(of_point!(ReactionLambda))
        .reaction_psi(of_point!(ReactionPsi))
        .mass_q(|t, q, a, out| out.copy_from_slice(&by_hand(Quantity::MassQ, &At { a, ..place(t, q) })));
    let mut equations = Equations::new(&system);
    // Elsewhere than where missing arguments would be taken from.
    let at = At { t: 1.1, q: &[-0.7, 0.5, 2.2], v: &[0.3, 1.4], a: &[-1.2, 0.6], lambda: &[0.8], psi: &[1.3], ..AT };
    for quantity in all() {
        assert_eq!(ask(&mut equations, quantity, &at), by_hand(quantity, &at), "{}", quantity.name());
    }
}

#[test]
fn differences_are_those_of_the_table() {
    let values = [
        Quantity::Mass,
        Quantity::Force,
        Quantity::Holonomic,
        Quantity::Nonholonomic,
        Quantity::Reaction,
        Quantity::Rate,
    ];
    let system = values.into_iter().fold(Functions::new(DIMS), |system, quantity| {
        system.quantity(quantity, move |at, out| out.copy_from_slice(&by_hand(quantity, at)))
    });
    let mut equations = Equations::new(&system);
    for quantity in all() {
        use Quantity::{ForceQ, ForceV, HolonomicBias, HolonomicVelocityQ, MassQ, NonholonomicQ, RateQ};
        let tolerance = match quantity {
            MassQ | ForceQ | ForceV | NonholonomicQ | RateQ => 1e-6,
            // Differences of what is made of differences.
            HolonomicBias | HolonomicVelocityQ => 1e-7,
            _ => 1e-9,
        };
        assert_near(quantity, &ask(&mut equations, quantity, &AT), &by_hand(quantity, &AT), tolerance);
    }
    // Values with derivatives that have to be completed, in one question.
    let [mut g, mut g_q, mut f, mut bias] = [vec![f64::NAN], vec![f64::NAN; 3], vec![f64::NAN; 2], vec![f64::NAN]];
    let wanted = [
        (Quantity::HolonomicQ, &mut g_q[..]),
        (Quantity::Force, &mut f),
        (Quantity::HolonomicBias, &mut bias),
        (Quantity::Holonomic, &mut g),
    ];
    let before = equations.evaluations();
    equations.ask(&AT, wanted).expect("finite");
    assert_eq!((g, f), (by_hand(Quantity::Holonomic, &AT), by_hand(Quantity::Force, &AT)));
    assert_near(Quantity::HolonomicQ, &g_q, &by_hand(Quantity::HolonomicQ, &AT), 1e-9);
    assert_near(Quantity::HolonomicBias, &bias, &by_hand(Quantity::HolonomicBias, &AT), 1e-7);
    assert_eq!(equations.evaluations().of(Quantity::Force), before.of(Quantity::Force) + 1);
}

#[test]
fn formulas_are_differentiated() {
    let system = Differentiated::new(Unicycle);
    let mut equations = Equations::new(&system);
    for quantity in all() {
        assert_near(quantity, &ask(&mut equations, quantity, &AT), &by_hand(quantity, &AT), 1e-13);
    }
    // A second question at another point, with what the first has left in the buffers.
    let at = At { t: -0.2, q: &[-0.7, 0.5, 2.2], v: &[0.3, 1.4], a: &[-1.2, 0.6], lambda: &[0.8], psi: &[1.3], ..AT };
    let mut rooms: Vec<Vec<f64>> = all().map(|quantity| vec![f64::NAN; by_hand(quantity, &at).len()]).collect();
    let mut room = all().zip(rooms.iter_mut().map(Vec::as_mut_slice));
    let wanted: [_; 22] = std::array::from_fn(|_| room.next().expect("there are 22 of them"));
    equations.ask(&at, wanted).expect("finite");
    for (quantity, found) in all().zip(&rooms) {
        assert_near(quantity, found, &by_hand(quantity, &at), 1e-13);
    }
}

#[test]
fn changes_are_those_of_time_and_place() {
    let system = Differentiated::new(Unicycle);
    let change = |dt: f64, dq: &[f64]| {
        let mut out = [f64::NAN];
        let supplied = system.ask(Quantity::HolonomicChange, &At { dt, dq, ..AT }, &mut out);
        assert_eq!(supplied, Supplied::Yes);
        out[0]
    };
    let (t, q) = (AT.t, AT.q);
    let g = |t: f64, q: &[f64]| by_hand(Quantity::Holonomic, &At { t, q, ..AT })[0];
    for (dt, dq) in [(0.3, [0.0; 3]), (0.0, [0.2, -0.1, 0.4]), (-0.5, [1.0, 0.3, -2.0])] {
        let there: Vec<f64> = q.iter().zip(dq).map(|(q, dq)| q + dq).collect();
        assert!((change(dt, &dq) - (g(t + dt, &there) - g(t, q))).abs() < 1e-14, "{dt} {dq:?}");
    }
    // So small that nothing of it is left in a difference of values.
    let (dt, dq) = (3e-20, [2e-20, -1e-20, 5e-20]);
    let (g_t, g_q) = (by_hand(Quantity::HolonomicT, &AT)[0], by_hand(Quantity::HolonomicQ, &AT));
    let exact = g_t * dt + g_q.iter().zip(dq).map(|(g, dq)| g * dq).sum::<f64>();
    assert!((change(dt, &dq) / exact - 1.0).abs() < 1e-13);
}

/// G = (1, 0) where x > 0 and (0, 1) elsewhere, of which only the ones are written.
fn switching(describe: impl FnOnce(&mut Description)) -> Functions<'static> {
    Functions::new(Dims { q: 2, v: 2, lambda: 1, psi: 0 })
        .mass(|_, _, mass| mass.fill(1.0))
        .force(|_, q, _, force| {
            if q[0] > 0.0 {
                force[0] = 4.0;
            }
        })
        .holonomic_q(|_, q, out| out[usize::from(q[0] <= 0.0)] = 1.0)
        .describe(describe)
}

#[test]
fn outputs_are_zero_before_they_are_written() {
    let rows = Pattern::from_entries(1, 2, [(0, 0), (0, 1)]);
    let patterns = Patterns::new([(0, 0), (1, 1)], rows);
    let plain = switching(|_| {});
    let sparse = switching(|description| description.patterns = Some(patterns));
    for mut equations in [Equations::new(&plain), Equations::new(&sparse), Equations::dense(&sparse)] {
        let (mut g_q, mut f) = ([0.0; 2], [0.0; 2]);
        for (x, row, force) in [(1.0, [1.0, 0.0], 4.0), (-1.0, [0.0, 1.0], 0.0), (1.0, [1.0, 0.0], 4.0)] {
            // In a row: what one question leaves must not be seen by the next.
            equations.holonomic_q(0.0, &[-x, 0.0], &mut g_q).expect("finite");
            equations.holonomic_q(0.0, &[x, 0.0], &mut g_q).expect("finite");
            equations.force(0.0, &[x, 0.0], &[0.0; 2], &mut f).expect("finite");
            assert_eq!((g_q, f), (row, [force, 0.0]), "alone, x = {x}");
            let wanted = [(Quantity::HolonomicQ, &mut g_q[..]), (Quantity::Force, &mut f)];
            equations.ask(&At::new(0.0, &[-x, 0.0], &[0.0; 2]), wanted).expect("finite");
            assert_eq!((g_q, f), ([row[1], row[0]], [4.0 - force, 0.0]), "together, x = {}", -x);
        }
    }
}

/// What is not finite is named wherever it stands in a question, counted or completed, dense or not.
#[test]
fn what_is_not_finite_is_named_in_any_question() {
    let rows = Pattern::from_entries(1, 2, [(0, 0), (0, 1)]);
    let patterns = Patterns::new([(0, 0), (1, 1)], rows);
    for bad in [Quantity::Force, Quantity::HolonomicQ, Quantity::Holonomic] {
        let make = |describe: &dyn Fn(&mut Description)| {
            let system = switching(|description| describe(description));
            system.quantity(bad, move |_, out| out[out.len() - 1] = f64::INFINITY)
        };
        let (plain, sparse) = (make(&|_| {}), make(&|description| description.patterns = Some(patterns.clone())));
        for mut equations in [Equations::new(&plain), Equations::new(&sparse), Equations::dense(&sparse)] {
            let (mut g, mut g_q, mut f, mut bias) = ([0.0], [0.0; 2], [0.0; 2], [0.0]);
            let wanted =
                [(Quantity::Holonomic, &mut g[..]), (Quantity::HolonomicQ, &mut g_q), (Quantity::Force, &mut f)];
            let failure = equations.ask(&At::new(2.0, &[1.0, 0.0], &[0.0; 2]), wanted).expect_err("infinite");
            let last = if bad == Quantity::Holonomic { 0 } else { 1 };
            assert_eq!((failure.quantity, failure.entry, failure.t), (bad, last, 2.0));
            // The bias has to be completed.
            let wanted =
                [(Quantity::Force, &mut f[..]), (Quantity::HolonomicQ, &mut g_q), (Quantity::HolonomicBias, &mut bias)];
            let outcome = equations.ask(&At::new(2.0, &[1.0, 0.0], &[0.0; 2]), wanted);
            assert_eq!(outcome.map_err(|failure| failure.quantity), Err(bad));
        }
    }
}

#[test]
fn what_is_overwritten_may_hold_anything_before() {
    let all = Quantities::of(&[Quantity::HolonomicQ]);
    let honest = switching(|description| description.overwritten = all)
        .holonomic_q(|_, q, out| (out[0], out[1]) = (f64::from(q[0] > 0.0), f64::from(q[0] <= 0.0)));
    let mut equations = Equations::new(&honest);
    let mut g_q = [f64::NAN; 2];
    equations.holonomic_q(0.0, &[1.0, 0.0], &mut g_q).expect("finite");
    assert_eq!(g_q, [1.0, 0.0]);
    // A system that writes less than it says is found out in builds that check.
    let false_claim = switching(|description| description.overwritten = all);
    let outcome = Equations::new(&false_claim).holonomic_q(0.0, &[1.0, 0.0], &mut g_q);
    assert_eq!(outcome.is_err(), cfg!(debug_assertions));
}
