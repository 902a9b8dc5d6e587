//! Constraints over many steps.

use std::ops::ControlFlow;

use alembert::method::{Projection, Tableau};
use alembert::{Accepted, FixedSteps, Integrator, RungeKutta, Tolerance};

use super::common::{fixed, problem, start};

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

/// What each projection leaves, and that a tableau of one's own is the same method.
#[test]
fn projections() {
    let p = problem("sleigh_bowl");
    let residuals = |scheme: &RungeKutta| {
        let run = fixed(&p, scheme, 0.05, 1.0);
        (run.stats.residuals, run.state)
    };
    let radau = RungeKutta::radau(3).expect("in range");
    let (off, _) = residuals(&radau.clone().with_projection(Projection::Off));
    assert!(off.position < 1e-12 && off.velocity > 1e-7, "{off:?}");
    let (velocities, _) = residuals(&radau.clone().with_projection(Projection::Velocities));
    assert!(velocities.position < 1e-12 && velocities.velocity < 1e-15, "{velocities:?}");
    let (full, state) = residuals(&radau);
    assert!(full.position < 1e-15 && full.velocity < 1e-15 && full.nonholonomic < 1e-15, "{full:?}");
    let t = radau.tableau();
    let own = Tableau::new(t.c().to_vec(), t.a().to_vec(), t.b().to_vec()).expect("a tableau");
    assert_eq!(residuals(&RungeKutta::with_tableau(own)).1, state);
}
