//! Error control on the standard problems.

use crate::common::{Run, adaptive, distance, problem, relative};
use alembert::RungeKutta;

fn show(name: &str, tol: f64, run: &Run, errors: &[f64]) {
    let s = run.stats;
    println!(
        "{name:>12} {tol:7.0e}  {:5}/{:3} steps {:4} rej {:2} fail {:2} fact {:4}  err {}  g {:.0e} w {:.0e}",
        run.forces(),
        run.jacobians(),
        s.steps,
        s.rejected,
        s.failed,
        s.factorisations,
        errors.iter().map(|e| format!("{e:8.1e}")).collect::<Vec<_>>().join(" "),
        s.residuals.position,
        s.residuals.velocity,
    );
}

#[test]
fn andrews() {
    let p = problem("andrews");
    for t_end in [0.03, 0.05] {
        let reference = p.reference_at(t_end);
        for k in 3..=12 {
            let tol = 10f64.powi(-k);
            let run = adaptive(&p, &RungeKutta::default(), tol, t_end, None).expect("succeeds");
            let errors = [
                relative(&run.state.q, &reference.q),
                relative(&run.state.v, &reference.v),
                relative(&run.state.lambda, &reference.lambda),
            ];
            show("andrews", tol, &run, &errors);
        }
    }
}

#[test]
fn pendulum() {
    let p = problem("pendulum");
    let exact = |t: f64| p.reference_at(t);
    for k in 3..=12 {
        let tol = 10f64.powi(-k);
        let run = adaptive(&p, &RungeKutta::default(), tol, 20.0, Some(&exact)).expect("succeeds");
        let end = exact(20.0);
        show(
            "pendulum",
            tol,
            &run,
            &[run.largest, distance(&run.state.v, &end.v), distance(&run.state.lambda, &end.lambda)],
        );
    }
}

#[test]
fn car_axis() {
    let p = problem("car_axis");
    let reference = p.reference_at(3.0);
    for k in 3..=12 {
        let tol = 10f64.powi(-k);
        let run = adaptive(&p, &RungeKutta::default(), tol, 3.0, None).expect("succeeds");
        show("car_axis", tol, &run, &[distance(&run.state.q, &reference.q), distance(&run.state.v, &reference.v)]);
    }
}

#[test]
fn slider_crank() {
    let p = problem("slider_crank");
    let reference = p.reference_at(p.t_end);
    for k in 3..=12 {
        let tol = 10f64.powi(-k);
        let run = adaptive(&p, &RungeKutta::default(), tol, p.t_end, None).expect("succeeds");
        show("slider_crank", tol, &run, &[distance(&run.state.q, &reference.q), distance(&run.state.v, &reference.v)]);
    }
}
