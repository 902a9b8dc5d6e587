//! A parallelogram four-bar through its flat position: all bars in line, constraints dependent, two branches beyond.
//!
//! B = (cos theta, sin theta), C = B + (2, 0), theta = 1 - t without forces: the dead point is at t = 1. A step that jumps
//! over it finds regular matrices on both sides. It must not be accepted: nothing says on which branch it landed.

use alembert::integrator::{IntegrateError, Obstacle};
use alembert::method::{Bdf, Factorisation, Scheme, StepFailure, VariableBdf};
use alembert::{
    Across, ConstrainedSystem, Differentiated, Dims, ErrorControl, FixedSteps, Formulas, GeneralizedAlpha, Guess,
    HhtAlpha, Integrator, RungeKutta, Scalar, State, Tolerance, Unobserved, consistent,
};

struct FourBar;

impl Formulas for FourBar {
    fn dims(&self) -> Dims {
        Dims { q: 4, v: 4, lambda: 3, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        for i in 0..4 {
            mass[5 * i] = S::from(1.0);
        }
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let square = |x: S, y: S| x * x + y * y;
        g[0] = square(q[0], q[1]) - 1.0;
        g[1] = square(q[2] - q[0], q[3] - q[1]) - 4.0;
        g[2] = square(q[2] - 2.0, q[3]) - 1.0;
    }
    fn holonomic_name(&self, row: usize) -> String {
        ["crank", "coupler", "rocker"][row].into()
    }
}

fn at_angle(theta: f64) -> Guess {
    let (s, c) = theta.sin_cos();
    Guess::new(1.0 - theta, vec![c, s, c + 2.0, s], vec![s, -c, s, -c])
}

fn guess() -> Guess {
    at_angle(1.0)
}

fn tolerance() -> Tolerance {
    Tolerance::new(1e-6, 1e-6).expect("in range")
}

#[test]
fn error_controlled_methods_stop_at_the_dead_point() {
    let system = Differentiated::new(FourBar);
    let start = consistent(&system, &guess()).expect("consistent");
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.5).expect("in range");
    let lazy = VariableBdf::new().with_factorisation(Factorisation::Lazy);
    let radau = RungeKutta::radau(3).expect("odd");
    for scheme in [&RungeKutta::default() as &dyn Scheme, &radau, &soi2, &VariableBdf::new(), &lazy] {
        let mut integrator =
            Integrator::new(&system, &start, scheme, ErrorControl::new(), tolerance()).expect("starts");
        let error = integrator.run(3.0, &mut Unobserved).expect_err("there is a dead point");
        let IntegrateError::StepTooSmall { t, cause: Obstacle::Failure(failure), blame, .. } = &error else {
            panic!("{error}")
        };
        assert!((t - 1.0).abs() < 1e-3, "{}: {error}", scheme.name());
        assert!(error.to_string().contains("hint: look at the configuration"), "{error}");
        // Close enough to the point Newton's method may give up before a step can cross it.
        if let StepFailure::Crossing { .. } = failure {
            let name = blame.as_deref().expect("a crossing has a constraint");
            assert!(["crank", "coupler", "rocker"].contains(&name), "{error}");
        }
        let theta = integrator.state().q[1].atan2(integrator.state().q[0]);
        assert!((theta - (1.0 - integrator.state().t)).abs() < 1e-4, "right up to there");
    }
}

/// The four-bar at an angle theta, on the branch that stays a parallelogram.
fn parallelogram(theta: f64) -> State {
    let (s, c) = theta.sin_cos();
    let (q, v) = (vec![c, s, c + 2.0, s], vec![s, -c, s, -c]);
    State { t: 1.0 - theta, q, v, a: vec![f64::NAN; 4], lambda: vec![f64::NAN; 3], psi: Vec::new() }
}

#[test]
fn who_knows_the_motion_leaps_over_the_dead_point() {
    let system = Differentiated::new(FourBar);
    let start = consistent(&system, &guess()).expect("consistent");
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.5).expect("in range");
    for scheme in [&RungeKutta::default() as &dyn Scheme, &soi2, &VariableBdf::new()] {
        let mut integrator =
            Integrator::new(&system, &start, scheme, ErrorControl::new(), tolerance()).expect("starts");
        integrator.run(3.0, &mut Unobserved).expect_err("there is a dead point");
        let (steps, stopped) = (integrator.stats().steps, integrator.state().clone());
        integrator.leap(&parallelogram(-0.05), Vec::new()).expect("a state behind");
        assert!(integrator.state().a.iter().chain(&integrator.state().lambda).all(|x| x.is_finite()));
        let checkpoint = integrator.checkpoint().expect("kept");
        integrator.run(3.0, &mut Unobserved).unwrap_or_else(|error| panic!("{}: {error}", scheme.name()));
        let theta = integrator.state().q[1].atan2(integrator.state().q[0]);
        assert!((theta + 2.0).abs() < 1e-3, "{}: {theta}", scheme.name());
        assert!(integrator.stats().steps > steps && stopped.t < 1.001);
        // From a checkpoint it goes on in the same way.
        let end = integrator.state().clone();
        integrator.restore(&checkpoint).expect("its own");
        integrator.run(3.0, &mut Unobserved).expect("as before");
        assert_eq!(*integrator.state(), end);
    }
}

#[test]
fn a_collocation_leads_across_the_dead_point() {
    let system = Differentiated::new(FourBar);
    for before in [0.2, 0.05, 0.01, 1e-3] {
        let start = consistent(&system, &at_angle(before)).expect("consistent");
        let across = Across::new(&system, &start, 1.0 + before).unwrap_or_else(|error| panic!("{before}: {error}"));
        let exact = parallelogram(-before);
        let off =
            |found: &[f64], known: &[f64]| found.iter().zip(known).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
        let [by_q, by_v] = [off(&across.end().q, &exact.q), off(&across.end().v, &exact.v)];
        println!("{before}: q {by_q:e} v {by_v:e} estimated {:e}", across.error());
        // Parts of fourth order between nodes. Rounding of the constraints is divided by their independence in coordinates, and once
        // more in velocities.
        let limit = 1e-12 + 4e-9 * before.powi(4) + 2e-16 / before.powi(2);
        assert!(
            by_q < limit && by_v < limit && across.error() < 10.0 * limit + 1e-12 / before,
            "{before}: {by_q:e} {by_v:e}"
        );
        let [middle, known] = [across.at(1.0 + 0.3 * before), parallelogram(-0.3 * before)];
        let limit = limit + 2e-16 / (0.3 * before).powi(2);
        let [by_q, by_v] = [off(&middle.q, &known.q), off(&middle.v, &known.v)];
        assert!(by_q < limit && by_v < limit, "{before}: {by_q:e} {by_v:e} in between");
        assert!(middle.lambda.iter().all(|x| x.is_nan()) && across.end().lambda.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn branches_that_do_not_meet_are_not_taken_for_a_dead_point() {
    // With a coupler that is longer by 1e-6 the linkage cannot become flat: cranks have to turn back within 1e-3 rad.
    struct Longer;
    impl Formulas for Longer {
        fn dims(&self) -> Dims {
            FourBar.dims()
        }
        fn mass<S: Scalar>(&self, t: S, q: &[S], mass: &mut [S]) {
            FourBar.mass(t, q, mass);
        }
        fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
        fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
            FourBar.holonomic(t, q, g);
            g[1] = g[1] - 4e-6;
        }
    }
    let system = Differentiated::new(Longer);
    for before in [0.2, 0.05, 0.01] {
        let start = consistent(&system, &at_angle(before)).expect("consistent");
        if let Ok(across) = Across::new(&system, &start, 1.0 + before) {
            println!("{before}: {:e}", across.error());
            assert!(across.error() > 1e-5, "{before}: {:e}", across.error());
        }
    }
}

#[test]
fn bad_leaps_are_refused() {
    let system = Differentiated::new(FourBar);
    let start = consistent(&system, &guess()).expect("consistent");
    let scheme = RungeKutta::default();
    let mut integrator = Integrator::new(&system, &start, &scheme, ErrorControl::new(), tolerance()).expect("starts");
    integrator.jump_at(&[1.01]).expect("a number");
    integrator.run(0.5, &mut Unobserved).expect("before the dead point");
    let before = integrator.state().clone();
    let off = State { q: vec![1.0, 0.1, 3.0, -0.1], ..parallelogram(0.2) };
    let unknown = State { v: vec![f64::NAN; 4], ..parallelogram(0.2) };
    for (to, told) in [
        (parallelogram(0.7), "backward"),
        (off, "the constraint crank jumps by"),
        (unknown, "sets a coordinate or velocity to NaN"),
        (parallelogram(-0.05), "the input jumps in a time that was to be leapt over"),
    ] {
        let error = integrator.leap(&to, Vec::new()).expect_err(told);
        assert!(error.to_string().contains(told) || matches!(error, IntegrateError::Backward { .. }), "{error}");
        assert_eq!(*integrator.state(), before, "{told}");
    }
    integrator.leap(&parallelogram(0.2), Vec::new()).expect("nothing is in the way");
    assert_eq!(integrator.state().t, 0.8);
}

/// A slider crank with equal lengths: the crank tip (cos theta, sin theta), the slider at (2 cos theta, 0). Upright, the rod lies on the crank,
/// and the slider may rest while both turn.
struct SliderCrank;

impl Formulas for SliderCrank {
    fn dims(&self) -> Dims {
        Dims { q: 3, v: 3, lambda: 2, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[4], mass[8]) = (S::from(1.0), S::from(1.0), S::from(0.5));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-1.0);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
        g[1] = (q[2] - q[0]) * (q[2] - q[0]) + q[1] * q[1] - 1.0;
    }
}

/// Runs every method at several tolerances towards a dead point, `left` radians away. None may pass it, all come near it.
fn approach(system: &dyn ConstrainedSystem, guess: &Guess, left: impl Fn(&State) -> f64) {
    let start = consistent(system, guess).expect("consistent");
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.5).expect("in range");
    let hht = HhtAlpha::new(-0.1).expect("in range");
    let [three, five] = [3, 5].map(|stages| RungeKutta::radau(stages).expect("odd"));
    let (fresh, lazy) = (VariableBdf::new(), VariableBdf::new().with_factorisation(Factorisation::Lazy));
    let alpha = [&soi2 as &dyn Scheme, &hht].map(|scheme| (scheme, 3..=6));
    let others = [&three as &dyn Scheme, &five, &fresh, &lazy].map(|scheme| (scheme, 3..=9));
    for (scheme, digits) in alpha.into_iter().chain(others) {
        for rtol in digits.map(|digits| 10_f64.powi(-digits)) {
            for tolerance in [Tolerance::relative(rtol), Tolerance::new(rtol, rtol)] {
                let tolerance = tolerance.expect("in range");
                let mut integrator =
                    Integrator::new(system, &start, scheme, ErrorControl::new(), tolerance).expect("starts");
                let error = integrator.run(3.0, &mut Unobserved).expect_err("there is a dead point");
                let left = left(integrator.state());
                let what = format!("{} at {rtol}: {left} left: {error}", scheme.name());
                assert!(left > 0.0 && left < 2e-3, "{what}");
                assert!(matches!(error, IntegrateError::StepTooSmall { .. }), "{what}");
            }
        }
    }
}

#[test]
fn no_tolerance_leads_beyond_a_dead_point() {
    // Of the parallelogram the whole motion is known, too.
    approach(&Differentiated::new(FourBar), &guess(), |state| {
        let theta = state.q[1].atan2(state.q[0]);
        assert!((theta - (1.0 - state.t)).abs() < 1e-3, "right up to there");
        theta
    });
    // The same bars crossed: tan(phi/2) = -3 tan(theta/2), phi' = -3 theta'/(cos^2 + 9 sin^2)(theta/2).
    let (theta, rate) = (1.0_f64, -1.0);
    let (s, c) = (0.5 * theta).sin_cos();
    let (phi, turned) = (2.0 * (-3.0 * s).atan2(c), -3.0 * rate / (c * c + 9.0 * s * s));
    let q = vec![theta.cos(), theta.sin(), 2.0 + phi.cos(), phi.sin()];
    let v = vec![-rate * theta.sin(), rate * theta.cos(), -turned * phi.sin(), turned * phi.cos()];
    approach(&Differentiated::new(FourBar), &Guess::new(0.0, q, v), |state| state.q[1].atan2(state.q[0]));
    let (s, c) = 1f64.sin_cos();
    let guess = Guess::new(0.0, vec![c, s, 2.0 * c], vec![-2.0 * s, 2.0 * c, -4.0 * s]);
    approach(&Differentiated::new(SliderCrank), &guess, |state| state.q[0].atan2(state.q[1]));
    for loops in [1, 2, 3] {
        let problem = alembert_problems::four_bar_train::new(loops);
        let at = &problem.start;
        approach(&*problem.system, &Guess::new(at.t, at.q.clone(), at.v.clone()), |state| state.q[1].asin());
    }
}

#[test]
fn prescribed_steps_across_it_are_refused() {
    let system = Differentiated::new(FourBar);
    let start = consistent(&system, &guess()).expect("consistent");
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.5).expect("in range");
    let hht = HhtAlpha::new(-0.1).expect("in range");
    let bdf = [1, 3, 5].map(|order| Bdf::new(order).expect("in range"));
    let radau = RungeKutta::radau(3).expect("odd");
    for scheme in [&soi2 as &dyn Scheme, &hht, &radau, &bdf[0], &bdf[1], &bdf[2], &VariableBdf::new()] {
        for h in [0.03, 0.07] {
            let steps = FixedSteps::new(h).expect("positive");
            let mut integrator = Integrator::new(&system, &start, scheme, steps, tolerance()).expect("starts");
            let error = integrator.run(3.0, &mut Unobserved).expect_err("there is a dead point");
            let IntegrateError::Step { t, failure, .. } = &error else { panic!("{error}") };
            assert!(*t <= 1.0 && *t + 1.01 * h > 1.0, "{} h {h}: {error}", scheme.name());
            assert!(
                matches!(
                    failure,
                    StepFailure::Crossing { .. } | StepFailure::Diverged { .. } | StepFailure::Singular(_)
                ),
                "{error}"
            );
        }
    }
}

/// What becomes of a row of four-bars of the IFToMM library with N loops, whose cranks lie level at `dead`: N constraints
/// become dependent at once, with N even the determinant keeps its sign, and a step of 0.1 turns the cranks by 0.4 rad.
fn train(loops: usize, dead: f64) {
    let problem = alembert_problems::four_bar_train::new(loops);
    let at = &problem.start;
    let start = consistent(&*problem.system, &Guess::new(at.t, at.q.clone(), at.v.clone())).expect("consistent");
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.5).expect("in range");
    let hht = HhtAlpha::new(-0.1).expect("in range");
    let bdf = [2, 3].map(|order| Bdf::new(order).expect("in range"));
    let [three, five] = [3, 5].map(|stages| RungeKutta::radau(stages).expect("odd"));
    for scheme in [&soi2 as &dyn Scheme, &hht, &three, &five, &bdf[0], &bdf[1], &VariableBdf::new()] {
        for h in [0.1, 0.05, 0.031, 0.01] {
            let steps = FixedSteps::new(h).expect("positive");
            let mut integrator = Integrator::new(&*problem.system, &start, scheme, steps, tolerance()).expect("starts");
            let error = integrator.run(2.0, &mut Unobserved).expect_err("there is a dead point");
            let IntegrateError::Step { t, .. } = &error else { panic!("{error}") };
            let what = format!("{} loops, {} h {h}: {error}", loops, scheme.name());
            assert!(*t < dead + 0.005 && *t + 1.01 * h > dead - 0.005, "{what}");
        }
    }
}

#[test]
fn rows_of_four_bars_are_not_stepped_over() {
    train(1, 0.708_450_009);
    train(2, 0.714_355_529);
    train(3, 0.716_679_079);
    // Large enough for sparse matrices.
    train(40, 0.721_581_025);
}

#[test]
fn a_body_that_turns_far_in_a_step_is_no_dead_point() {
    // A pendulum that turns by 2.5 radians in a step: the rows of its constraint have opposite directions at both ends.
    struct Pendulum;
    impl Formulas for Pendulum {
        fn dims(&self) -> Dims {
            Dims { q: 2, v: 2, lambda: 1, psi: 0 }
        }
        fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
            (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
        }
        fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
        fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
            g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
        }
    }
    let system = Differentiated::new(Pendulum);
    let start = consistent(&system, &Guess::new(0.0, vec![1.0, 0.0], vec![0.0, 1.0])).expect("consistent");
    let scheme = RungeKutta::radau(9).expect("odd");
    for h in [0.5, 1.0, 1.7, 2.5] {
        let steps = FixedSteps::new(h).expect("positive");
        let mut integrator = Integrator::new(&system, &start, &scheme, steps, tolerance()).expect("starts");
        match integrator.run(10.0 * h, &mut Unobserved) {
            Ok(_) => {}
            // Newton's method may give up at such steps, the watch must not.
            Err(IntegrateError::Step { failure: StepFailure::Diverged { .. }, .. }) if h > 1.0 => {}
            Err(error) => panic!("h {h}: {error}"),
        }
    }
}
