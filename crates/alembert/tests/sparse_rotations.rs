//! Patterns and rotations together: chains of links on balls, sparse against dense, small and large.

#[path = "common/forms.rs"]
mod forms;

use std::ops::ControlFlow;

use alembert::initial::InitialError;
use alembert::method::{Coupling, Output, Scheme};
use alembert::{
    Accepted, Bdf, ConstrainedSystem, Equations, ErrorControl, FixedSteps, GeneralizedAlpha, Guess, HhtAlpha,
    Integrator, Pattern, Patterns, Point, Redundancy, RungeKutta, State, Tolerance, Unobserved, VariableBdf,
    check_derivatives, consistent,
};
use alembert_problems::Problem;
use alembert_problems::ball_chain::{self, BallChain, Design, Posture, momentum};
use forms::Form;

fn soi2() -> GeneralizedAlpha {
    GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")
}

fn tolerance(x: f64) -> Tolerance {
    Tolerance::new(x, x).expect("in range")
}

fn guess(problem: &Problem) -> Guess {
    Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone())
}

/// Largest difference, relative to the largest number.
fn apart(x: &[f64], y: &[f64]) -> f64 {
    let largest = |x: &[f64]| x.iter().fold(0.0_f64, |most, x| if x.is_nan() { *x } else { most.max(x.abs()) });
    let differences: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    largest(&differences) / (1.0 + largest(y))
}

/// The states of a run at prescribed steps of alternating length.
fn march(system: &dyn ConstrainedSystem, guess: &Guess, scheme: &dyn Scheme, h: f64, steps: usize) -> Vec<State> {
    let start = consistent(system, guess).expect("consistent");
    let prescribed = FixedSteps::pattern(h, &[0.8, 1.2]).expect("positive");
    let mut integrator = Integrator::new(system, &start, scheme, prescribed, tolerance(1e-13)).expect("suits");
    let mut states = Vec::new();
    integrator
        .run(h * steps as f64, &mut |step: &Accepted| {
            states.push(step.state.clone());
            ControlFlow::Continue(())
        })
        .unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
    states
}

fn schemes() -> Vec<(&'static str, Box<dyn Scheme>)> {
    let soi2 = soi2();
    vec![
        ("soi2", Box::new(soi2)),
        ("soi2, one matrix", Box::new(soi2.with_coupling(Coupling::OneMatrix))),
        ("soi2, two matrices", Box::new(soi2.with_coupling(Coupling::TwoMatrices))),
        ("soi2, doubled", Box::new(soi2.with_coupling(Coupling::Doubled))),
        ("soi2, own output", Box::new(soi2.with_output(Output::Own))),
        ("trapezoidal", Box::new(GeneralizedAlpha::from_newmark(0.25, 0.5).expect("in range"))),
        ("hht", Box::new(HhtAlpha::new(-0.1).expect("in range"))),
        ("radau 2", Box::new(RungeKutta::radau(2).expect("stages"))),
        ("radau 5", Box::new(RungeKutta::radau(5).expect("stages"))),
        ("bdf 1", Box::new(Bdf::new(1).expect("order"))),
        ("bdf 3", Box::new(Bdf::new(3).expect("order"))),
        ("variable bdf", Box::new(VariableBdf::new())),
    ]
}

#[test]
fn derivatives_of_the_chain_are_right_dense_and_sparse() {
    // 300 velocities and fewer are checked against dense differences, more against those of the patterns.
    for (design, posture) in [
        (Design::hanging(4), Posture::Bent(1.0)),
        (Design::free(3), Posture::Bent(0.7)),
        (Design::hanging(60), Posture::Bent(1.3)),
    ] {
        let problem = ball_chain::new(design, posture);
        let lambda: Vec<f64> = (0..problem.start.lambda.len()).map(|i| 1.0 + (0.3 * i as f64).sin()).collect();
        let at = Point { t: 0.0, q: &problem.start.q, v: &problem.start.v, lambda: &lambda, psi: &[] };
        let report = check_derivatives(&*problem.system, at).expect("finite");
        assert!(report.is_ok() && report.checked.len() >= 8, "{report}");
    }
}

#[test]
fn every_method_moves_the_chain_sparse_and_dense_alike() {
    for design in [Design::hanging(6), Design::free(5)] {
        let problem = ball_chain::new(design, Posture::Bent(2.0));
        let dense = Form::dense(Box::new(BallChain::new(design)));
        assert!(Equations::new(&*problem.system).layout().structure.is_sparse());
        assert!(!Equations::new(&dense).layout().structure.is_sparse());
        for (name, scheme) in schemes() {
            let one = march(&*problem.system, &guess(&problem), &*scheme, 5e-3, 40);
            let other = march(&dense, &guess(&problem), &*scheme, 5e-3, 40);
            assert_eq!(one.len(), other.len(), "{name}");
            for (x, y) in one.iter().zip(&other) {
                for (what, x, y) in
                    [("q", &x.q, &y.q), ("v", &x.v, &y.v), ("a", &x.a, &y.a), ("lambda", &x.lambda, &y.lambda)]
                {
                    let apart = apart(x, y);
                    assert!(apart < 1e-9, "{name}, {design:?}: {what} {apart:e} apart");
                }
            }
        }
    }
}
