//! Bad input gets a specific error that names the thing and says what to try.

use alembert::integrator::{IntegrateError, StartError};
use alembert::method::{BadMethod, Form, Scheme, Start, StepFailure};
use alembert::{
    Differentiated, Dims, FixedSteps, Formulas, Functions, GeneralizedAlpha, Guess, HhtAlpha, Integrator, Scalar,
    Tolerance, Unobserved, consistent,
};

fn tolerance() -> Tolerance {
    Tolerance::new(1e-8, 1e-8).expect("in range")
}

fn soi2() -> GeneralizedAlpha {
    GeneralizedAlpha::from_rho_infinity(0.5).expect("in range")
}

fn hht() -> HhtAlpha {
    HhtAlpha::new(-0.1).expect("in range")
}

/// Runs a problem from the catalogue until something happens.
fn run(name: &str, scheme: &dyn Scheme, steps: FixedSteps) -> Result<(), String> {
    let problem = alembert_problems::by_name(name).expect("known");
    let from = &problem.start;
    let guess =
        Guess::new(from.t, from.q.clone(), from.v.clone()).with_multipliers(from.lambda.clone(), from.psi.clone());
    let start = consistent(&*problem.system, &guess).expect("consistent");
    let mut integrator =
        Integrator::new(&*problem.system, &start, scheme, steps, tolerance()).map_err(|e| e.to_string())?;
    integrator.run(1.0, &mut Unobserved).map(drop).map_err(|e| e.to_string())
}

fn fixed(h: f64) -> FixedSteps {
    FixedSteps::new(h).expect("positive")
}

fn refusal(name: &str, scheme: &dyn Scheme) -> String {
    run(name, scheme, fixed(0.01)).expect_err("unsuited")
}

#[test]
fn parameters_out_of_range_are_named() {
    for (bad, name, value) in [
        (HhtAlpha::new(-0.4).map(drop), "alpha", -0.4),
        (HhtAlpha::new(0.1).map(drop), "alpha", 0.1),
        (hht().with_b(0.5).map(drop), "b", 0.5),
        (GeneralizedAlpha::from_rho_infinity(-0.1).map(drop), "rho_infinity", -0.1),
        (GeneralizedAlpha::from_rho_infinity(1.5).map(drop), "rho_infinity", 1.5),
        (GeneralizedAlpha::from_hht(-0.5).map(drop), "alpha", -0.5),
        (GeneralizedAlpha::from_newmark(0.0, 0.5).map(drop), "beta", 0.0),
    ] {
        match bad.expect_err("out of range") {
            BadMethod::Parameter { name: found, value: v, .. } => assert_eq!((found, v), (name, value)),
            other => panic!("{other}"),
        }
    }
    // Fields are public, so a scheme is checked again where it is used.
    let smuggled = HhtAlpha { alpha: 0.7, ..hht() };
    assert!(refusal("oscillator", &smuggled).starts_with("alpha = 0.7"));
    let midpoint = hht().with_b(0.2).expect("in range").with_form(Form::Midpoint);
    assert!(refusal("paper1", &midpoint).contains("b must be 0 in the midpoint forms"));
}

#[test]
fn methods_say_which_systems_they_cannot_integrate() {
    for (problem, scheme, hint) in [
        ("paper3", hht(), "use generalized-alpha"),
        ("paper2", hht(), "Index2"),
        ("paper1", hht().with_form(Form::Index2), "`Full`, `Predicted` or `Midpoint`"),
        ("paper5_sphere", hht(), "q' = v"),
        ("oscillator", hht().with_start(Start::Implicit), "`A0`, `Jerk` or `Twice`"),
    ] {
        let message = refusal(problem, &scheme);
        assert!(message.contains("hint") && message.contains(hint), "{problem}: {message}");
    }
    assert!(refusal("paper5_sphere", &soi2()).contains("general"));
}

#[test]
fn steps_that_grow_too_fast_are_refused() {
    for scheme in [&soi2() as &dyn Scheme, &hht()] {
        let steps = FixedSteps::pattern(0.01, &[1.0, 3.0]).expect("positive");
        let message = run("paper1", scheme, steps).expect_err("ratio 3");
        assert!(message.contains("3.000 times the one before, more than 2") && message.contains("hint"), "{message}");
        let steps = FixedSteps::pattern(0.01, &[1.0, 2.0]).expect("positive");
        run("paper1", scheme, steps).expect("ratio 2 is allowed");
    }
}

/// A point on the unit circle, driven upwards at unit speed: from t = 0.1 on there is no such point.
struct Overdriven;

impl Formulas for Overdriven {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 2, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
        g[1] = q[1] - t - 0.9;
    }
}

#[test]
fn a_step_that_does_not_converge_is_an_error_not_a_result() {
    let system = Differentiated::new(Overdriven);
    let start = consistent(&system, &Guess::new(0.0, vec![0.4, 0.9], vec![0.0, 1.0])).expect("consistent");
    for scheme in [&soi2() as &dyn Scheme, &hht()] {
        let mut integrator = Integrator::new(&system, &start, scheme, fixed(0.02), tolerance()).expect("starts");
        let error = integrator.run(1.0, &mut Unobserved).expect_err("the drive tears the mechanism apart");
        let IntegrateError::Step { t, failure, .. } = &error else { panic!("{error}") };
        assert!((0.05..0.1).contains(t), "{error}");
        assert!(matches!(failure, StepFailure::Diverged { .. } | StepFailure::Singular(_)), "{error}");
        assert!(error.to_string().contains("hint"), "{error}");
        let kept = integrator.state();
        assert!((kept.q[0].hypot(kept.q[1]) - 1.0).abs() < 1e-9, "the last good state is kept");
    }
}

/// A mass on a line whose force cannot be evaluated beyond a wall; optionally a massless twin.
struct Wall {
    massless: bool,
    tied: bool,
}

impl Formulas for Wall {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: usize::from(self.tied), psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(if self.massless { 0.0 } else { 1.0 });
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        force[0] = (-q[0] + 1.0).sqrt();
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[1] - q[0];
    }
    fn coordinate_name(&self, index: usize) -> String {
        ["carriage", "needle"][index].into()
    }
}

#[test]
fn a_function_that_is_not_finite_is_named_with_its_time() {
    let system = Differentiated::new(Wall { massless: false, tied: false });
    let start = consistent(&system, &Guess::new(0.0, vec![0.0; 2], vec![2.0, 0.0])).expect("consistent");
    for scheme in [&soi2() as &dyn Scheme, &hht()] {
        let mut integrator = Integrator::new(&system, &start, scheme, fixed(0.05), tolerance()).expect("starts");
        let error = integrator.run(2.0, &mut Unobserved).expect_err("there is a wall at q = 1");
        let IntegrateError::Step { t, failure: StepFailure::NotFinite(which), .. } = &error else { panic!("{error}") };
        assert_eq!(which.quantity.name(), "force");
        assert!(*t < 1.0 && integrator.state().q[0] < 1.0, "the state before the wall is kept");
        assert!(error.to_string().contains("`force` is not a finite number at t = "), "{error}");
    }
}

#[test]
fn massless_directions_are_named_and_allowed_where_constraints_hold_them() {
    let free = Differentiated::new(Wall { massless: true, tied: false });
    let guess = Guess::new(0.0, vec![0.0; 2], vec![0.0; 2]);
    let message = consistent(&free, &guess).expect_err("nothing moves the needle").to_string();
    assert!(message.contains("needle") && message.contains("hint"), "{message}");

    let tied = Differentiated::new(Wall { massless: true, tied: true });
    let start = consistent(&tied, &guess).expect("the constraint moves the needle");
    let mut integrator = Integrator::new(&tied, &start, &soi2(), fixed(0.01), tolerance()).expect("starts");
    integrator.run(0.5, &mut Unobserved).expect("generalized-alpha does not invert M");
    assert!((integrator.state().q[0] - integrator.state().q[1]).abs() < 1e-14);

    let mut integrator = Integrator::new(&tied, &start, &hht(), fixed(0.01), tolerance()).expect("starts");
    let message = integrator.run(0.5, &mut Unobserved).expect_err("HHT inverts M").to_string();
    assert!(message.contains("velocity 1") && message.contains("generalized-alpha"), "{message}");
}

#[test]
fn time_runs_forward() {
    let system = Differentiated::new(Wall { massless: false, tied: true });
    let start = consistent(&system, &Guess::new(1.0, vec![0.0; 2], vec![0.0; 2])).expect("consistent");
    let mut integrator = Integrator::new(&system, &start, &soi2(), fixed(0.01), tolerance()).expect("starts");
    for t_end in [0.5, 1.0, f64::NAN] {
        let error = integrator.run(t_end, &mut Unobserved).expect_err("not ahead");
        assert!(error.to_string().contains("hint"), "{error}");
    }
}

/// A system that is fine at its start guess but not a step further.
fn poisoned() -> Functions<'static> {
    Functions::new(Dims { q: 1, v: 1, lambda: 0, psi: 0 })
        .mass(|t, _, mass| mass[0] = if t > 0.0 { f64::NAN } else { 1.0 })
        .mass_q(|_, _, _, _| {})
}

#[test]
fn a_start_that_cannot_be_stepped_says_so() {
    let poisoned = poisoned();
    let start = consistent(&poisoned, &Guess::new(0.0, vec![0.0], vec![0.0])).expect("fine at t = 0");
    let mut integrator = Integrator::new(&poisoned, &start, &soi2(), fixed(0.1), tolerance()).expect("starts");
    let error = integrator.run(1.0, &mut Unobserved).expect_err("no mass matrix after the start");
    assert!(error.to_string().contains("`mass`"), "{error}");
    let bad = Integrator::new(&poisoned, &start, &HhtAlpha { b: 0.5, ..hht() }, fixed(0.1), tolerance());
    assert!(matches!(bad.map(drop), Err(StartError::Method(BadMethod::Parameter { name: "b", .. }))));
}
