//! One run: what it cost and how far it went astray.

use std::error::Error;

use alembert::Quantity;
use alembert::method::Scheme;
use alembert_problems::Problem;

use alembert_sim::trail::Trail;
use alembert_sim::trial::{Steps, distance, newton_evaluations, run};

/// Cost and errors of a run.
#[derive(Clone, Debug)]
pub struct Effort {
    pub tol: f64,
    pub projected: bool,
    /// Evaluations by Newton's method.
    pub evaluations: u64,
    /// All evaluations of the force, with those of the acceleration level and the first step.
    pub forces: u64,
    pub jacobians: u64,
    pub steps: u64,
    /// Largest errors of q, v, lambda at the steps, 2-norm.
    pub errors: [f64; 3],
}

/// Integrates to `t_end` and compares every step with the reference.
pub fn measure(
    problem: &Problem,
    scheme: &dyn Scheme,
    t_end: f64,
    tol: f64,
    projected: bool,
) -> Result<Effort, Box<dyn Error>> {
    let mut trail = Trail::new(problem);
    let mut errors = [0.0_f64; 3];
    let stats = run(problem, scheme, Steps::ByError(tol), t_end, |step| {
        // The last step may end a rounding away from the time the reference knows by heart.
        let t = if (step.state.t - t_end).abs() < 1e-12 * t_end.abs() { t_end } else { step.state.t };
        let exact = trail.at(t)?;
        let now = [
            distance(&step.state.q, &exact.q),
            distance(&step.state.v, &exact.v),
            distance(&step.state.lambda, &exact.lambda),
        ];
        for (largest, error) in errors.iter_mut().zip(now) {
            *largest = largest.max(error);
        }
        Ok(())
    })?;
    Ok(Effort {
        tol,
        projected,
        evaluations: newton_evaluations(&stats),
        forces: stats.evaluations.of(Quantity::Force),
        jacobians: stats.evaluations.of(Quantity::ForceQ),
        steps: stats.steps,
        errors,
    })
}
