//! A relative tolerance means the same in every unit, and in mechanisms of every size.

#[path = "scale/rest.rs"]
mod rest;
#[path = "scale/units.rs"]
mod units;

use alembert::method::Scheme;
use alembert::{
    Dims, ErrorControl, Formulas, GeneralizedAlpha, GivenSizes, HhtAlpha, Integrator, RungeKutta, Scalar, State,
    Tolerance, Unobserved, VariableBdf, consistent,
};
use alembert_problems::by_name;
use units::Units;

const G: f64 = 9.81;

/// Two masses on rods of length 1, in x1, y1, x2, y2.
#[derive(Clone)]
struct DoublePendulum;

impl Formulas for DoublePendulum {
    fn dims(&self) -> Dims {
        Dims { q: 4, v: 4, lambda: 2, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (0..4).for_each(|i| mass[5 * i] = S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        (force[1], force[3]) = (S::from(-G), S::from(-G));
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let (dx, dy) = (q[2] - q[0], q[3] - q[1]);
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
        g[1] = dx * dx + dy * dy - 1.0;
    }
}

/// The problem `pendulum_horizontal`, whose solution is known.
#[derive(Clone)]
struct Pendulum;

impl Formulas for Pendulum {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-G);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    }
}

/// A mass on a spring with w = 100, at rest at zero, which a weight begins to pull: x = (1 - cos w t) G/w^2.
#[derive(Clone)]
struct Spring;

impl Formulas for Spring {
    fn dims(&self) -> Dims {
        Dims { q: 1, v: 1, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        force[0] = q[0] * -1e4 + G;
    }
}

/// A crank of length 1/2, a rod of length 1 and a slider with a spring: an angle and a length.
#[derive(Clone)]
struct SliderCrank;

impl Formulas for SliderCrank {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(0.1), S::from(1.0));
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], _: &[S], force: &mut [S]) {
        force[0] = (t * 3.0).cos() * 0.5;
        force[1] = (q[1] - 1.0) * -20.0;
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let (sin, cos) = q[0].sin_cos();
        let (x, y) = (q[1] - cos * 0.5, sin * 0.5);
        g[0] = x * x + y * y - 1.0;
    }
}

/// Everything about a run that has no units.
struct Run {
    times: Vec<f64>,
    states: Vec<State>,
}

fn run<F: Formulas + Clone + Sync + Send>(
    system: &F,
    units: &Units,
    (q, v): (&[f64], &[f64]),
    scheme: &dyn Scheme,
    tolerance: Tolerance,
) -> Run {
    let system = units.system(system.clone());
    let start = consistent(&system, &units.guess(q, v)).expect("consistent");
    let mut integrator = Integrator::new(&system, &start, scheme, ErrorControl::new(), tolerance).expect("fits");
    let mut run = Run { times: vec![], states: vec![] };
    while integrator.state().t < units.tau {
        let accepted = integrator.step(units.tau).expect("a step");
        let state = units.back(accepted.state);
        run.times.push(state.t);
        run.states.push(state);
    }
    run
}

fn schemes() -> Vec<Box<dyn Scheme>> {
    vec![
        Box::new(RungeKutta::default()),
        Box::new(RungeKutta::radau(3).expect("in range")),
        Box::new(VariableBdf::new()),
        Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")),
        Box::new(HhtAlpha::new(-0.1).expect("in range")),
    ]
}

fn relative(rtol: f64) -> Tolerance {
    Tolerance::relative(rtol).expect("in range")
}

/// Largest difference of two numbers of states, beside the largest of them.
fn apart(a: &[State], b: &[State], part: impl Fn(&State) -> &[f64]) -> f64 {
    let (mut most, mut size) = (0.0_f64, 0.0_f64);
    for (a, b) in a.iter().zip(b) {
        for (x, y) in part(a).iter().zip(part(b)) {
            most = most.max((x - y).abs());
            size = size.max(y.abs());
        }
    }
    most / size
}

const TWO: f64 = 2.0;

/// Exponents of two of the units of length, time and mass: scaling rounds nothing.
const UNITS: [(i32, i32, i32); 6] = [(-20, 0, 0), (20, 0, 0), (0, -10, 0), (0, 10, 0), (0, 0, -20), (-20, -10, -40)];

#[test]
fn units_do_not_change_the_steps() {
    let start: (&[f64], &[f64]) = (&[1.0, 0.0, 2.0, 0.0], &[0.0; 4]);
    for scheme in schemes() {
        let name = scheme.name();
        let plain = run(&DoublePendulum, &Units::new(&[1; 4], 1.0, 1.0, 1.0), start, &*scheme, relative(1e-6));
        for (l, t, m) in UNITS {
            let units = Units::new(&[1; 4], TWO.powi(l), TWO.powi(t), TWO.powi(m));
            let other = run(&DoublePendulum, &units, start, &*scheme, relative(1e-6));
            assert_eq!(other.times.len(), plain.times.len(), "{name}, units {l} {t} {m}");
            let (last, wanted) = (&other.states[other.states.len() - 1..], &plain.states[plain.states.len() - 1..]);
            let off = apart(last, wanted, |s| &s.q).max(apart(last, wanted, |s| &s.lambda));
            assert!(off < 1e-8, "{name}, units {l} {t} {m}: {off:e}");
        }
    }
}

#[test]
fn a_length_beside_an_angle_has_its_own_unit() {
    let x = 0.5 * 1_f64.cos() + (1.0 - 0.25 * 1_f64.sin().powi(2)).sqrt();
    let start: (&[f64], &[f64]) = (&[1.0, x], &[0.0; 2]);
    for scheme in schemes() {
        let name = scheme.name();
        let plain = run(&SliderCrank, &Units::new(&[0, 1], 1.0, 1.0, 1.0), start, &*scheme, relative(1e-6));
        for (l, t, m) in UNITS {
            let units = Units::new(&[0, 1], TWO.powi(l), TWO.powi(t), TWO.powi(m));
            let other = run(&SliderCrank, &units, start, &*scheme, relative(1e-6));
            let (count, wanted) = (other.times.len() as f64, plain.times.len() as f64);
            // Newton's method of BDF measures constraints by the largest coordinate.
            let slack = if name == "variable BDF" { 0.2 } else { 0.05 };
            assert!((count - wanted).abs() <= 1.0 + slack * wanted, "{name}, units {l} {t} {m}: {count}, {wanted}");
        }
    }
}

/// Largest error of q and lambda over the motion, beside the largest value.
fn errors_of_pendulum(length: f64, scheme: &dyn Scheme, tolerance: Tolerance) -> [f64; 2] {
    // The same gravity at every size.
    let units = Units::new(&[1; 2], length, length.sqrt(), 1.0);
    let found = run(&Pendulum, &units, (&[1.0, 0.0], &[0.0; 2]), scheme, tolerance).states;
    let problem = by_name("pendulum_horizontal").expect("a problem");
    let exact: Vec<State> = found.iter().map(|state| problem.reference_at(state.t)).collect();
    [apart(&found, &exact, |s| &s.q), apart(&found, &exact, |s| &s.lambda)]
}

#[test]
fn pendulums_of_every_size_are_equally_accurate() {
    for scheme in schemes() {
        let name = scheme.name();
        let metre = errors_of_pendulum(1.0, &*scheme, relative(1e-6));
        for length in [1e-9, 1e-6, 1e-3, 1e3, 1e6] {
            let other = errors_of_pendulum(length, &*scheme, relative(1e-6));
            for (other, metre) in other.iter().zip(metre) {
                assert!(*other <= 2.0 * metre + 1e-9, "{name}, {length:e} m: {other:e}, of one metre {metre:e}");
            }
        }
    }
    // What this is about: beside an absolute tolerance a micrometre is nothing.
    let absolute = Tolerance::new(1e-6, 1e-6).expect("in range");
    for scheme in schemes() {
        let [_, metre] = errors_of_pendulum(1.0, &*scheme, absolute);
        let [_, micrometre] = errors_of_pendulum(1e-6, &*scheme, absolute);
        assert!(micrometre > 10.0 * metre, "{}: {micrometre:e}, of one metre {metre:e}", scheme.name());
    }
}

#[test]
fn small_swings_are_as_accurate_as_large_ones() {
    // x = A cos(w t) up to A^3/16, w^2 = G (1 - A^2/8).
    let amplitude = 1e-5_f64;
    let units = Units::new(&[1; 2], 1.0, 1.0, 1.0);
    let start: (&[f64], &[f64]) = (&[amplitude, -(1.0 - amplitude * amplitude).sqrt()], &[0.0; 2]);
    let found = run(&Pendulum, &units, start, &RungeKutta::default(), relative(1e-6)).states;
    for state in &found {
        let exact = amplitude * (G.sqrt() * state.t).cos();
        assert!((state.q[0] - exact).abs() < 1e-5 * amplitude, "t = {}: {:e}, {exact:e}", state.t, state.q[0]);
    }
}

#[test]
fn what_rests_at_zero_has_the_size_of_its_motion() {
    let size = G / 1e4;
    for length in [1.0, 1e-6, 1e6] {
        let units = Units::new(&[1], length, 1.0, 1.0);
        for scheme in schemes() {
            let found = run(&Spring, &units, (&[0.0], &[0.0]), &*scheme, relative(1e-6)).states;
            let error = found.iter().map(|s| (s.q[0] - size * (1.0 - (100.0 * s.t).cos())).abs()).fold(0.0, f64::max);
            // Errors of methods of low order add up; what matters is that they are beside the motion, not beside 1.
            assert!(error < 0.05 * size, "{} {length:e}: {error:e} of {size:e}", scheme.name());
        }
    }
}

#[test]
fn sizes_of_the_user_count_and_bad_ones_are_refused() {
    let units = Units::new(&[1; 2], 1.0, 1.0, 1.0);
    let system = units.system(Pendulum);
    let start = consistent(&system, &units.guess(&[1.0, 0.0], &[0.0; 2])).expect("consistent");
    let steps = |given: GivenSizes| {
        let scheme = RungeKutta::default();
        let mut integrator =
            Integrator::new(&system, &start, &scheme, ErrorControl::new(), relative(1e-6)).expect("fits");
        integrator.assume_sizes(given).map_err(|bad| bad.to_string())?;
        integrator.run(5.0, &mut Unobserved).expect("runs");
        Ok::<(u64, String), String>((integrator.stats().steps, integrator.summary().to_string()))
    };
    let (found, words) = steps(GivenSizes::default()).expect("nothing given");
    assert!(words.contains("typical sizes assumed: "), "{words}");
    let small = GivenSizes { q: vec![(0, 1e-9), (1, 1e-9)], v: vec![(0, 1e-9), (1, 1e-9)] };
    assert!(steps(small).expect("given").0 > found, "smaller sizes ask for more steps");
    let large = GivenSizes { q: vec![(0, 1e3), (1, 1e3)], v: vec![(0, 1e3), (1, 1e3)] };
    assert!(steps(large).expect("given").0 < found, "larger sizes ask for fewer steps");
    for (index, size) in [(0, 0.0), (0, -1.0), (1, f64::NAN), (2, 1.0)] {
        let bad = steps(GivenSizes { q: vec![(index, size)], v: vec![] }).expect_err("bad");
        assert!(bad.contains("hint: "), "{bad}");
    }
}

#[test]
fn sizes_are_kept_in_checkpoints() {
    // From below: y and both velocities grow on the way.
    let units = Units::new(&[1; 2], 1e-6, 1.0, 1.0);
    let system = units.system(Pendulum);
    let start = consistent(&system, &units.guess(&[0.1, -(0.99_f64.sqrt())], &[3e3, 0.0])).expect("consistent");
    for scheme in schemes() {
        let new = || Integrator::new(&system, &start, &*scheme, ErrorControl::new(), relative(1e-6)).expect("fits");
        let (mut one, mut other) = (new(), new());
        for _ in 0..12 {
            one.step(10.0).expect("a step");
        }
        other.restore(&one.checkpoint().expect("saved")).expect("restored");
        for _ in 0..12 {
            one.step(10.0).expect("a step");
            other.step(10.0).expect("a step");
            assert_eq!(one.state(), other.state(), "{}", scheme.name());
        }
        assert_eq!(one.summary().typical, other.summary().typical);
    }
}

/// A slider that is pushed at, held by a guide that a larger force pulls at, and braked from x = 1 on.
#[derive(Clone)]
struct Guided {
    push: f64,
    pull: f64,
}

impl Formulas for Guided {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        let beyond = q[0].value() > 1.0;
        force[0] = S::from(if beyond { -2.0 } else { self.push });
        force[1] = S::from(if beyond { self.pull } else { -self.pull });
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[1];
    }
}

/// What hardly accelerates at its start does not promise a motion of 1e79 metres, in which no error of metres counts.
#[test]
fn an_acceleration_that_is_nothing_says_nothing_about_sizes() {
    let schemes: [&dyn Scheme; 4] = [
        &RungeKutta::default(),
        &VariableBdf::default(),
        &GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"),
        &HhtAlpha::new(-0.1).expect("in range"),
    ];
    for (push, pull) in [(0.0, 3.0), (1e-78, 3.0), (0.0, 0.0), (1e-9, 0.0), (1e-12, 1.0)] {
        let system = alembert::Differentiated::new(Guided { push, pull });
        let start =
            consistent(&system, &alembert::Guess::new(0.0, vec![0.0, 0.0], vec![1.0, 0.0])).expect("consistent");
        for scheme in schemes {
            let tolerance = Tolerance::relative(1e-6).expect("in range");
            let mut integrator =
                Integrator::new(&system, &start, scheme, ErrorControl::new(), tolerance).expect("starts");
            integrator.run(1.75, &mut Unobserved).expect("runs");
            let off = (integrator.state().q[0] - 1.1875).abs();
            assert!(off < 3e-5, "{}, {push:e}, {pull}: {off:e}", scheme.name());
        }
    }
}
