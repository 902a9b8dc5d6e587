//! Derivatives by differences on mechanisms of every size: a pendulum on a rod of a micrometre, written with closures alone.

use std::sync::atomic::{AtomicU64, Ordering};

use alembert::method::Scheme;
use alembert::{
    Differentiated, Dims, Equations, ErrorControl, Formulas, Functions, GeneralizedAlpha, Guess, HhtAlpha, Integrator,
    Point, RungeKutta, Scalar, State, Tolerance, Unobserved, VariableBdf, consistent,
};

const DIMS: Dims = Dims { q: 2, v: 2, lambda: 1, psi: 0 };

/// A pendulum of length l in the plane, its constraint a length: sqrt(x^2 + y^2) = l bends over l. Gravity 9.81 l.
fn closures(l: f64) -> Functions<'static> {
    Functions::new(DIMS)
        .mass(|_, _, mass| (mass[0], mass[3]) = (1.0, 1.0))
        .force(move |_, _, _, force| force[1] = -9.81 * l)
        .holonomic(move |_, q, g| g[0] = q[0].hypot(q[1]) - l)
}

/// The same for l = 1 with exact derivatives.
struct Unit;

impl Formulas for Unit {
    fn dims(&self) -> Dims {
        DIMS
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-9.81);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = (q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0;
    }
}

#[test]
fn steps_of_differences_suit_the_size_of_the_mechanism() {
    for l in [1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6] {
        for angle in [0.3_f64, 1.0, 2.5] {
            let system = closures(l);
            let mut equations = Equations::new(&system);
            let (sin, cos) = angle.sin_cos();
            let (q, v) = ([l * cos, l * sin], [-2.0 * l * sin, 2.0 * l * cos]);
            let mut g_q = [0.0; 2];
            equations.holonomic_q(0.0, &q, &mut g_q).expect("finite");
            for (found, exact) in g_q.iter().zip([cos, sin]) {
                assert!((found - exact).abs() < 1e-9, "l = {l}: G {found} for {exact}");
            }
            // g'' at v' = 0 is v^2/l for a velocity along the circle.
            let mut bias = [0.0];
            equations.bias(0.0, &q, &v, &mut bias).expect("finite");
            assert!((bias[0] / (4.0 * l) - 1.0).abs() < 1e-6, "l = {l}: bias {} for {}", bias[0], 4.0 * l);
            // Gamma = d/dq (G v), of size v/l.
            let mut velocity_q = [0.0; 2];
            equations.velocity_q(0.0, &q, &v, &mut velocity_q).expect("finite");
            for (found, exact) in velocity_q.iter().zip([-2.0 * sin, 2.0 * cos]) {
                assert!((found - exact).abs() < 1e-5, "l = {l}: Gamma {found} for {exact}");
            }
        }
    }
}

/// Runs for one second under a relative tolerance, in lengths of the rod.
fn run(system: &dyn alembert::ConstrainedSystem, l: f64, scheme: &dyn Scheme, rtol: f64) -> State {
    let guess = Guess::new(0.0, vec![0.8 * l, -0.6 * l], vec![0.3 * l, 0.4 * l]);
    let start = consistent(system, &guess).expect("consistent");
    let tolerance = Tolerance::relative(rtol).expect("in range");
    let mut integrator = Integrator::new(system, &start, scheme, ErrorControl::new(), tolerance).expect("starts");
    integrator.run(1.0, &mut Unobserved).unwrap_or_else(|e| panic!("l = {l}, {}: {e}", scheme.name()));
    let mut state = integrator.state().clone();
    state.q.iter_mut().chain(&mut state.v).chain(&mut state.a).chain(&mut state.lambda).for_each(|x| *x /= l);
    state
}

#[test]
fn a_pendulum_of_micrometres_moves_like_one_of_metres() {
    let exact = run(&Differentiated::new(Unit), 1.0, &RungeKutta::default(), 1e-11);
    let schemes: [&dyn Scheme; 4] = [
        &RungeKutta::default(),
        &VariableBdf::new(),
        &GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"),
        &HhtAlpha::new(-0.1).expect("in range"),
    ];
    for scheme in schemes {
        for l in [1e-9, 1e-6, 1e-3, 1.0, 1e5] {
            let end = run(&closures(l), l, scheme, 1e-6);
            let pairs = [(&end.q, &exact.q), (&end.v, &exact.v)];
            let error =
                pairs.iter().flat_map(|(x, y)| x.iter().zip(*y)).fold(0.0_f64, |most, (x, y)| most.max((x - y).abs()));
            assert!(error < 1e-4, "{} with l = {l}: {error:e}", scheme.name());
            assert!((end.q[0].hypot(end.q[1]) - 1.0).abs() < 1e-11, "{} with l = {l}", scheme.name());
            assert!((end.lambda[0] - exact.lambda[0]).abs() < 1e-2, "{} with l = {l}: {:?}", scheme.name(), end.lambda);
        }
    }
}

/// Three joints of an arm whose tip follows a moving point, as g alone, and how often that was called.
fn arm(calls: &AtomicU64) -> Functions<'_> {
    Functions::new(Dims { q: 3, v: 3, lambda: 2, psi: 0 })
        .mass(|_, _, mass| (mass[0], mass[4], mass[8]) = (1.0, 2.0, 3.0))
        .holonomic(|t, q, g| {
            calls.fetch_add(1, Ordering::Relaxed);
            let (first, second, third) = (q[0], q[0] + q[1], q[0] + q[1] + q[2]);
            g[0] = first.cos() + 0.7 * second.cos() + 0.4 * third.cos() - 1.2 * (0.3 * t).cos();
            g[1] = first.sin() + 0.7 * second.sin() + 0.4 * third.sin() - 0.5 * t;
        })
}

#[test]
fn what_follows_from_constraints_alone_takes_few_calls_and_is_right() {
    let calls = AtomicU64::new(0);
    let system = arm(&calls);
    let mut equations = Equations::new(&system);
    let (t, q, v, lambda) = (0.8, [0.3, 0.9, -0.4], [1.1, -0.6, 2.0], [1.7, -0.9]);
    let taken = || calls.swap(0, Ordering::Relaxed);
    // Angles and turns of the three links; derivatives by q[j] are sums over the links from j on.
    let links = [(1.0, q[0], v[0]), (0.7, q[0] + q[1], v[0] + v[1]), (0.4, q[0] + q[1] + q[2], v[0] + v[1] + v[2])];
    let sum = |from: usize, of: &dyn Fn(f64, f64, f64) -> f64| -> f64 {
        links[from..].iter().map(|(length, angle, turn)| of(*length, *angle, *turn)).sum()
    };

    let mut g_q = [0.0; 6];
    equations.holonomic_q(t, &q, &mut g_q).expect("finite");
    assert_eq!(taken(), 12, "four points for each of three columns");

    let at = Point { t, q: &q, v: &v, lambda: &lambda, psi: &[] };
    let mut r_q = [0.0; 9];
    equations.reaction_q(at, &mut r_q).expect("finite");
    assert_eq!(taken(), 13, "n^2 + n + 1");
    for i in 0..3 {
        for j in 0..3 {
            let bend = |l: f64, angle: f64, _: f64| l * (lambda[0] * angle.cos() + lambda[1] * angle.sin());
            let exact = sum(i.max(j), &bend);
            assert!((r_q[3 * i + j] - exact).abs() < 1e-7, "r_q ({i}, {j}): {} for {exact}", r_q[3 * i + j]);
        }
    }

    let mut bias = [0.0; 2];
    equations.bias(t, &q, &v, &mut bias).expect("finite");
    assert!(taken() <= 16, "four points with four each");
    let exact = [
        -sum(0, &|l, angle, turn| l * turn * turn * angle.cos()) + 1.2 * 0.09 * (0.3 * t).cos(),
        -sum(0, &|l, angle, turn| l * turn * turn * angle.sin()),
    ];
    for (found, exact) in bias.iter().zip(exact) {
        assert!((found - exact).abs() < 1e-8, "bias {found} for {exact}");
    }

    let mut velocity_q = [0.0; 6];
    equations.velocity_q(t, &q, &v, &mut velocity_q).expect("finite");
    assert!(taken() <= 48, "four points of each column with four each");
    for j in 0..3 {
        let exact =
            [-sum(j, &|l, angle, turn| l * turn * angle.cos()), -sum(j, &|l, angle, turn| l * turn * angle.sin())];
        for (i, exact) in exact.iter().enumerate() {
            let found = velocity_q[3 * i + j];
            assert!((found - exact).abs() < 1e-8, "Gamma ({i}, {j}): {found} for {exact}");
        }
    }
}
