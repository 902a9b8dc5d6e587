//! Every failure has a name and a time, and none is a wrong answer.

use alembert::integrator::{IntegrateError, Obstacle, StartError};
use alembert::method::{BadMethod, StepFailure, Tableau, Violation};
use alembert::{
    ConstrainedSystem, Differentiated, ErrorControl, FixedSteps, Guess, Integrator, RungeKutta, Tolerance, Unobserved,
    consistent,
};

use super::systems::{Cusp, Forbidden};

fn run(system: &dyn ConstrainedSystem, guess: Guess, t_end: f64) -> (f64, Option<IntegrateError>) {
    let start = consistent(system, &guess).expect("a start");
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let mut integrator =
        Integrator::new(system, &start, &RungeKutta::default(), ErrorControl::new(), tolerance).expect("a method");
    let error = integrator.run(t_end, &mut Unobserved).err();
    (integrator.state().t, error)
}

#[test]
fn a_region_without_force_is_not_entered() {
    // The exact pendulum passes y = -0.5 at t = 1.037.
    let system = Differentiated::new(Forbidden { floor: -0.5 });
    let (t, error) = run(&system, Guess::new(0.0, vec![1.0, 0.0], vec![0.0, 0.0]), 2.0);
    let Some(IntegrateError::StepTooSmall { cause: Obstacle::Failure(StepFailure::NotFinite(_)), .. }) = error else {
        panic!("{error:?}")
    };
    assert!((1.0..1.05).contains(&t), "{t}");
    let message = error.map(|e| e.to_string()).unwrap_or_default();
    assert!(message.contains("force") && message.contains("hint"), "{message}");
}

#[test]
fn a_singular_configuration_is_named() {
    let system = Differentiated::new(Cusp);
    // Unit speed towards the cusp, (13^1.5 - 8)/27 = 1.4397 away along the curve.
    let root = 13.0_f64.sqrt();
    let (t, error) = run(&system, Guess::new(0.0, vec![1.0, 1.0], vec![-2.0 / root, -3.0 / root]), 3.0);
    println!("cusp: t = {t}, {error:?}");
    assert!(matches!(error, Some(IntegrateError::StepTooSmall { .. })), "{error:?}");
    assert!((1.43..1.45).contains(&t), "{t}");
}

#[test]
fn unsuited_tableaus_are_refused() {
    let p = super::common::problem("pendulum");
    let start = super::common::start(&p);
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let steps = FixedSteps::new(0.1).expect("positive");
    let refused = |scheme: &RungeKutta| {
        let error = Integrator::new(&*p.system, &start, scheme, steps.clone(), tolerance).err();
        let Some(StartError::Method(bad)) = error else { panic!("not refused") };
        assert!(bad.to_string().contains("hint"), "{bad}");
        bad
    };
    let gauss = RungeKutta::with_tableau(Tableau::gauss(2));
    assert!(matches!(refused(&gauss), BadMethod::Tableau(Violation::Undamped { .. })));
    let explicit = Tableau::new(vec![0.0, 0.5], vec![0.0, 0.0, 0.5, 0.0], vec![0.0, 1.0]).expect("a tableau");
    let explicit = RungeKutta::with_tableau(explicit).allow_violations();
    assert_eq!(refused(&explicit), BadMethod::Tableau(Violation::Singular));
    assert!(RungeKutta::radau(1).is_err() && RungeKutta::radau(10).is_err());
}

#[test]
fn a_tableau_without_estimate_needs_fixed_steps() {
    let p = super::common::problem("pendulum");
    let start = super::common::start(&p);
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    for scheme in [RungeKutta::radau(4).expect("in range"), RungeKutta::with_tableau(Tableau::lobatto_iiic(3))] {
        let error = Integrator::new(&*p.system, &start, &scheme, ErrorControl::new(), tolerance).err();
        assert!(matches!(error, Some(StartError::Method(BadMethod::NoEstimate { .. }))));
    }
}
