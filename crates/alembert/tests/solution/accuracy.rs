//! States between steps are as accurate as the steps: five methods, free and prescribed steps, rotations, general rates,
//! nonholonomic constraints, stiff springs.

use alembert::integrator::{IntegrateError, Obstacle, StartError};
use alembert::method::{BadMethod, Form, Scheme, StepFailure};
use alembert::solve::SolveError;
use alembert::{
    Bdf, Differentiated, Dims, FixedSteps, Formulas, GeneralizedAlpha, Guess, HhtAlpha, Plan, RungeKutta, Scalar,
    Solution, State, StepRecord, VariableBdf, solve,
};
use alembert_problems::reference::{Settings, integrate_through};
use alembert_problems::{Problem, Reference, by_name};

use super::tolerance;

fn guess(problem: &Problem) -> Guess {
    let start = problem.start.clone();
    Guess::new(start.t, start.q, start.v).with_multipliers(start.lambda, start.psi)
}

/// Exact states at increasing times.
fn exact(problem: &Problem, times: &[f64]) -> Vec<State> {
    match &problem.reference {
        Reference::Exact(solution) | Reference::Reduced(solution) => times.iter().map(|t| solution(*t)).collect(),
        _ => integrate_through(&*problem.system, &problem.start, times, Settings::default(), 10_000_000)
            .expect("has a reference"),
    }
}

/// The largest errors of q, v, a and the multipliers.
fn errors(found: &[State], exact: &[State]) -> [f64; 4] {
    let mut errors = [0.0_f64; 4];
    for (x, y) in found.iter().zip(exact) {
        let parts = [(&x.q, &y.q, 0), (&x.v, &y.v, 1), (&x.a, &y.a, 2), (&x.lambda, &y.lambda, 3), (&x.psi, &y.psi, 3)];
        for (x, y, part) in parts {
            errors[part] = x.iter().zip(y).fold(errors[part], |max, (x, y)| max.max((x - y).abs()));
        }
    }
    errors
}

/// Times that have nothing to do with the steps, and some very close to the ends of steps.
fn times(solution: &Solution, count: usize) -> Vec<f64> {
    let (from, to) = (*solution.range().start(), *solution.range().end());
    let mut times: Vec<f64> = (1..count).map(|k| from + (to - from) * k as f64 / (count as f64 - 0.37)).collect();
    for step in solution.steps().iter().step_by(1 + solution.steps().len() / 4) {
        times.extend([1e-9, 1e-3, 0.999].map(|share| step.state.t - share * step.h));
    }
    times.sort_by(f64::total_cmp);
    times
}

/// Compares states between the steps with those at the steps; `least` is what counts as no error, relative to 1 + size.
fn check(what: &str, problem: &Problem, solution: &Solution, least: f64, count: usize) {
    assert!(solution.is_whole(), "{what}: {:?}", solution.outcome());
    let times = times(solution, count);
    let between: Vec<State> = times.iter().map(|t| solution.at(*t).unwrap_or_else(|e| panic!("{what}: {e}"))).collect();
    for (t, state) in times.iter().zip(&between) {
        assert_eq!(state.t, *t, "{what}");
    }
    let every = 1 + solution.steps().len() / 60;
    let steps: Vec<State> = solution.steps().iter().step_by(every).map(|step| step.state.clone()).collect();
    let at_steps: Vec<f64> = steps.iter().map(|state| state.t).collect();
    let (known, known_at_steps) = (exact(problem, &times), exact(problem, &at_steps));
    let (inside, ends) = (errors(&between, &known), errors(&steps, &known_at_steps));
    let sizes = errors(&known, &vec![State::zero(problem.system.dims()); known.len()]);
    println!("{what}: {} steps, {ends:?} at them, {inside:?} between", solution.steps().len());
    // Accelerations and multipliers follow from q and v: at the steps they may be better by chance.
    let relative = [0, 1].map(|part| ends[part] / (1.0 + sizes[part])).into_iter().fold(least, f64::max);
    for part in 0..4 {
        let follows = if part < 2 { least } else { relative };
        let allowed = 3.0 * ends[part].max(follows * (1.0 + sizes[part]));
        assert!(inside[part] <= allowed, "{what}: part {part} is off by {:e}, {allowed:e} allowed", inside[part]);
    }
}

/// The methods with error control, as they suit a tolerance.
fn schemes(tol: f64) -> Vec<Box<dyn Scheme>> {
    let stages = alembert::solve::stages(tol);
    let mut schemes: Vec<Box<dyn Scheme>> = vec![Box::new(RungeKutta::radau(stages).expect("in range"))];
    if tol > 1e-7 {
        schemes.push(Box::new(VariableBdf::new()));
        schemes.push(Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")));
        schemes.push(Box::new(HhtAlpha::new(-0.1).expect("in range")));
        schemes.push(Box::new(HhtAlpha::new(-0.1).expect("in range").with_form(Form::Index2)));
    }
    schemes
}

fn check_by_error(name: &str, length: f64, tolerances: &[f64]) {
    let mut problem = by_name(name).expect("known");
    problem.t_end = problem.start.t + length;
    for &tol in tolerances {
        for scheme in schemes(tol) {
            let what = format!("{name}, {} at {tol:e}", scheme.name());
            let plan = Plan::new(tolerance(tol)).with_method(scheme);
            match solve(&*problem.system, &guess(&problem), problem.start.t..problem.t_end, plan) {
                // HHT needs the inverse of M, which the rolling disk has not everywhere.
                Ok(solution) if is_massless(&solution) => assert!(what.contains("hht"), "{what}"),
                Ok(solution) => check(&what, &problem, &solution, tol, 60),
                Err(error) => assert!(is_unsuited(&error), "{what}: {error}"),
            }
        }
    }
}

/// Whether the run stopped where a mass vanishes.
fn is_massless(solution: &Solution) -> bool {
    let massless = Obstacle::Failure(StepFailure::Massless { coordinate: 4 });
    matches!(solution.outcome(), Err(IntegrateError::StepTooSmall { cause, .. }) if *cause == massless)
}

/// Whether a method does not cover a system: HHT no nonholonomic constraints in its usual form, alpha methods no general rates.
fn is_unsuited(error: &SolveError) -> bool {
    matches!(error, SolveError::Integrator(StartError::Method(BadMethod::Unsuited { .. })))
}

#[test]
fn pendulums() {
    check_by_error("pendulum", 2.0, &[1e-3, 1e-5, 1e-9, 1e-12]);
    check_by_error("rheonomic_pendulum", 1.0, &[1e-4, 1e-6, 1e-10]);
}

#[test]
fn rotations() {
    check_by_error("heavy_top", 0.03, &[1e-4, 1e-6, 1e-10]);
    check_by_error("spatial_pendulum", 0.5, &[1e-4, 1e-6, 1e-10]);
}

#[test]
fn nonholonomic_constraints_and_general_rates() {
    check_by_error("rolling_disk", 1.5, &[1e-4, 1e-6, 1e-10]);
    check_by_error("polar_oscillator", 2.0, &[1e-4, 1e-6, 1e-10]);
    check_by_error("paper2", 0.5, &[1e-4, 1e-6, 1e-10]);
}

#[test]
fn prescribed_steps() {
    for (name, length, h) in [("pendulum", 1.0, 0.02), ("heavy_top", 0.02, 5e-4), ("rolling_disk", 1.0, 0.02)] {
        let mut problem = by_name(name).expect("known");
        problem.t_end = problem.start.t + length;
        let mut schemes: Vec<Box<dyn Scheme>> =
            (1..=6).map(|order| Box::new(Bdf::new(order).expect("in range")) as Box<dyn Scheme>).collect();
        schemes.push(Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")));
        schemes.push(Box::new(HhtAlpha::new(-0.1).expect("in range")));
        for stages in [2, 3, 5] {
            schemes.push(Box::new(RungeKutta::radau(stages).expect("in range")));
        }
        for (k, scheme) in schemes.into_iter().enumerate() {
            let what = format!("{name}, number {k}, {} with h = {h}", scheme.name());
            let plan = Plan::new(tolerance(1e-12)).with_method(scheme);
            let plan = plan.with_steps(FixedSteps::new(h).expect("positive"));
            match solve(&*problem.system, &guess(&problem), problem.start.t..problem.t_end, plan) {
                Ok(solution) => check(&what, &problem, &solution, 1e-11, 50),
                Err(error) => assert!(is_unsuited(&error), "{what}: {error}"),
            }
        }
    }
}

/// A mass on a spring with k/m = 1e8, driven slowly through a moving rest, started on the slow motion.
struct Stiff;

const STIFF: f64 = 1e8;

impl Formulas for Stiff {
    fn dims(&self) -> Dims {
        Dims { q: 1, v: 1, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]) {
        // x = sin t is a solution: x'' = -sin t.
        force[0] = (t.sin() - q[0]) * STIFF + (t.cos() - v[0]) * 2e4 - t.sin();
    }
}

/// Steps a thousand times longer than the period of the spring have no polynomials between their ends: states inside come
/// from shorter steps, and are as good.
#[test]
fn steps_that_do_not_resolve_a_stiff_spring() {
    let system = Differentiated::new(Stiff);
    let guess = Guess::new(0.0, vec![0.0], vec![1.0]);
    for tol in [1e-4, 1e-6, 1e-9] {
        let solution = solve(&system, &guess, 0.0..3.0, tolerance(tol)).expect("starts").whole().expect("whole");
        let longest = solution.steps().iter().fold(0.0, |max: f64, step| max.max(step.h));
        assert!(longest * STIFF.sqrt() > 100.0, "{tol:e}: the longest step is {longest:e}");
        let mut worst = [0.0_f64; 2];
        for k in 0..300 {
            let t = 0.01 * f64::from(k) + 0.0037;
            if t <= 3.0 {
                let state = solution.at(t).expect("inside");
                worst = [worst[0].max((state.q[0] - t.sin()).abs()), worst[1].max((state.v[0] - t.cos()).abs())];
            }
        }
        let mut ends = [2.0 * tol; 2];
        for StepRecord { state, .. } in solution.steps() {
            let (sin, cos) = state.t.sin_cos();
            ends = [ends[0].max((state.q[0] - sin).abs()), ends[1].max((state.v[0] - cos).abs())];
        }
        assert!(worst[0] < 3.0 * ends[0] && worst[1] < 3.0 * ends[1], "{tol:e}: {worst:?} between, {ends:?} at steps");
    }
}
