//! Constraints over many steps.

use std::ops::ControlFlow;

use alembert::{Accepted, FixedSteps, Integrator, RungeKutta, Tolerance};

use crate::common::{problem, start};

/// 10^5 steps of the pendulum: residuals at rounding after every one, energy as good as the method.
#[test]
fn no_drift_in_a_hundred_thousand_steps() {
    let p = problem("pendulum");
    let (h, steps) = (0.05, 100_000);
    let tolerance = Tolerance::new(1e-10, 1e-10).expect("in range");
    let scheme = RungeKutta::radau(3).expect("in range");
    let control = FixedSteps::new(h).expect("positive");
    let mut integrator = Integrator::new(&*p.system, &start(&p), &scheme, control, tolerance).expect("a start");
    let energy = p.energy.as_ref().expect("conserved");
    let before = energy(0.0, &integrator.state().q, &integrator.state().v);
    let mut worst = (0.0_f64, 0.0_f64);
    let mut watch = |step: &Accepted| {
        let residuals = step.attempt.residuals;
        worst = (worst.0.max(residuals.position), worst.1.max(residuals.velocity));
        ControlFlow::Continue(())
    };
    integrator.run(h * f64::from(steps), &mut watch).expect("succeeds");
    let change = energy(0.0, &integrator.state().q, &integrator.state().v) - before;
    println!("after {steps} steps: g {:.1e}, G v {:.1e}, energy {change:.1e}", worst.0, worst.1);
    assert!(worst.0 < 1e-15 && worst.1 < 1e-15, "{worst:?}");
    assert!(change.abs() < 1e-4, "{change:e}");
}
