//! How well accelerations and multipliers are known: estimates of runs against exact solutions.

use std::ops::ControlFlow;

use alembert::method::Scheme;
use alembert::verdict::Concern;
use alembert::{
    Accepted, DerivedErrors, Differentiated, Dims, ErrorControl, FixedSteps, Formulas, GeneralizedAlpha, Guess,
    HhtAlpha, Integrator, Observer, RungeKutta, Scalar, State, Tolerance, Unobserved, VariableBdf, consistent,
};
use alembert_problems::kinked_pendulum::{self, Force};
use alembert_problems::spring_pendulum::{self, Hinge};
use alembert_problems::{Problem, by_name};

/// The rows of a run.
#[derive(Default)]
struct Rows(Vec<State>);

impl Observer for Rows {
    fn on_step(&mut self, _: &mut Accepted) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_row(&mut self, state: &State) -> ControlFlow<()> {
        self.0.push(state.clone());
        ControlFlow::Continue(())
    }
}

fn prepared<'p>(problem: &'p Problem, scheme: &dyn Scheme, tolerance: Tolerance) -> Integrator<'p> {
    let at = &problem.start;
    let guess = Guess::new(at.t, at.q.clone(), at.v.clone()).with_multipliers(at.lambda.clone(), at.psi.clone());
    let start = consistent(&*problem.system, &guess).expect("consistent");
    Integrator::new(&*problem.system, &start, scheme, ErrorControl::new(), tolerance).expect("suits")
}

fn absolute(tol: f64) -> Tolerance {
    Tolerance::new(tol, tol).expect("in range")
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |max, (x, y)| max.max((x - y).abs()))
}

/// Estimated over true errors of accelerations and multipliers.
fn ratios(problem: &Problem, exact: &[State], scheme: &dyn Scheme, tol: f64) -> [f64; 2] {
    let mut integrator = prepared(problem, scheme, absolute(tol));
    integrator.show_at(&exact.iter().map(|state| state.t).collect::<Vec<_>>()).expect("times");
    let mut rows = Rows::default();
    integrator.run(problem.t_end, &mut rows).expect("runs");
    assert_eq!(rows.0.len(), exact.len());
    let mut errors = [0.0_f64; 2];
    for (state, exact) in rows.0.iter().zip(exact) {
        errors[0] = errors[0].max(distance(&state.a, &exact.a));
        errors[1] = errors[1].max(distance(&state.lambda, &exact.lambda)).max(distance(&state.psi, &exact.psi));
    }
    let DerivedErrors { a, multipliers, .. } = integrator.summary().derived.expect("steps were chosen by error");
    [a / errors[0], multipliers / errors[1]]
}

#[test]
fn estimates_are_near_the_truth() {
    let named = |name: &str| by_name(name).expect("a problem");
    let problems = [
        named("pendulum"),
        named("chain"),
        named("sleigh_bowl"),
        named("spatial_pendulum"),
        named("rheonomic_pendulum"),
        spring_pendulum::with_hinge(Hinge { k: 1e4, c: 0.0 }),
        kinked_pendulum::new(Force::Kink { k: 5.0, d: 0.3 }),
        kinked_pendulum::new(Force::Steep { c: 3.0, d: 0.2, width: 1e-2 }),
    ];
    let mut all = Vec::new();
    for problem in &problems {
        let (from, span) = (problem.start.t, problem.t_end - problem.start.t);
        let exact: Vec<_> = (1..=12).map(|k| problem.reference_at(from + span * f64::from(k) / 12.0)).collect();
        let radau = |stages| RungeKutta::radau(stages).expect("in range");
        let mut runs: Vec<(Box<dyn Scheme>, f64)> = vec![
            (Box::new(radau(3)), 1e-4),
            (Box::new(radau(5)), 1e-6),
            (Box::new(radau(5)), 1e-8),
            (Box::new(VariableBdf::new()), 1e-4),
            (Box::new(VariableBdf::new()), 1e-5),
            (Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")), 1e-4),
        ];
        if problem.system.dims().psi == 0 {
            runs.push((Box::new(HhtAlpha::new(-0.1).expect("in range")), 1e-4));
        }
        for (scheme, tol) in runs {
            let found = ratios(problem, &exact, &*scheme, tol);
            println!("{}, {} at {tol:e}: {found:.2?}", problem.title, scheme.name());
            all.extend(found);
        }
    }
    let inside = all.iter().filter(|ratio| (0.1..=10.0).contains(*ratio)).count() as f64 / all.len() as f64;
    all.sort_by(f64::total_cmp);
    let (least, median, most) = (all[0], all[all.len() / 2], all[all.len() - 1]);
    println!(
        "{} estimates, {inside:.3} within a factor 10; least {least:.3}, median {median:.2}, most {most:.1}",
        all.len()
    );
    assert!(inside >= 0.93, "{inside}");
    assert!(least > 0.05 && most < 40.0 && (0.3..3.0).contains(&median), "{least} {median} {most}");
}

/// A double pendulum of unit masses: the upper rod is a constraint, the lower one a spring of length 1 and stiffness k.
struct Swing(f64);

impl Formulas for Swing {
    fn dims(&self) -> Dims {
        Dims { q: 4, v: 4, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (0..4).for_each(|i| mass[5 * i] = S::from(1.0));
    }
    /// The spring is between the two masses.
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        let (x, y) = (q[2] - q[0], q[3] - q[1]);
        let r = (x * x + y * y).sqrt();
        let pull = (r - 1.0) * self.0 / r;
        (force[0], force[1]) = (x * pull, y * pull - 9.81);
        (force[2], force[3]) = (-x * pull, -y * pull - 9.81);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    }
}

#[test]
fn stiff_springs_are_told_and_soft_ones_are_not() {
    for (k, told) in [(1e1, false), (1e8, true)] {
        let system = Differentiated::new(Swing(k));
        // The second hangs askew, so that it swings.
        let guess = Guess::new(0.0, vec![0.0, -1.0, 0.6, -1.8], vec![0.0; 4]);
        let start = consistent(&system, &guess).expect("consistent");
        for (scheme, tol) in [
            (Box::new(RungeKutta::radau(3).expect("in range")) as Box<dyn Scheme>, 1e-4),
            (Box::new(VariableBdf::new()), 1e-4),
        ] {
            let mut integrator =
                Integrator::new(&system, &start, &*scheme, ErrorControl::new(), absolute(tol)).expect("suits");
            integrator.run(2.0, &mut Unobserved).expect("runs");
            let summary = integrator.summary();
            let warned: Vec<_> = summary.warnings().into_iter().filter(|w| w.concern == Concern::Derived).collect();
            println!("{k:e} {}: {:?} {warned:?}", scheme.name(), summary.derived);
            assert_eq!(!warned.is_empty(), told, "{k:e}, {}: {summary}", scheme.name());
            assert!(summary.to_string().contains("accelerations are good to about "), "{summary}");
        }
    }
}

#[test]
fn prescribed_steps_say_nothing() {
    let problem = by_name("pendulum").expect("a problem");
    let start = consistent(&*problem.system, &Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone()))
        .expect("start");
    let scheme = RungeKutta::radau(3).expect("in range");
    let steps = FixedSteps::new(0.05).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, &scheme, steps, absolute(1e-6)).expect("suits");
    integrator.run(1.0, &mut Unobserved).expect("runs");
    assert_eq!(integrator.summary().derived, None);
}

#[test]
fn a_checkpoint_goes_on_with_the_same_estimate() {
    let problem = by_name("pendulum").expect("a problem");
    let scheme = RungeKutta::radau(5).expect("in range");
    let half = 0.5 * problem.t_end;
    let mut whole = prepared(&problem, &scheme, absolute(1e-7));
    whole.run(half, &mut Unobserved).expect("runs");
    let bytes = whole.checkpoint().expect("saved");
    whole.run(problem.t_end, &mut Unobserved).expect("runs");
    let mut second = prepared(&problem, &scheme, absolute(1e-7));
    // One that has been somewhere else before.
    second.run(0.3 * half, &mut Unobserved).expect("runs");
    second.restore(&bytes).expect("read");
    second.run(problem.t_end, &mut Unobserved).expect("runs");
    let found = whole.summary().derived.expect("estimated");
    assert_eq!(Some(found), second.summary().derived);
    assert_eq!(whole.summary().stats, second.summary().stats);
    assert!(found.samples > 4 && found.a > 0.0 && found.multipliers > 0.0, "{found:?}");
}
