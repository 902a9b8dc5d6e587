//! The true local error of a step: its end against Radau IIA over the same step from the same state.

use alembert::{
    ConstrainedSystem, Equations, ErrorControl, Guess, Integrator, RungeKutta, State, Tolerance, TypicalSizes,
    Unobserved,
};

use crate::TaskError;

/// Tolerance of the reference; far below any error looked at.
const ACCURATE: f64 = 1e-12;

/// The error in q and v of the step from `from` to `to` in units of the tolerance, as the estimate measures it.
pub fn true_error(
    system: &dyn ConstrainedSystem,
    tolerance: &Tolerance,
    from: &State,
    to: &State,
) -> Result<f64, TaskError> {
    let guess = Guess::new(from.t, from.q.clone(), from.v.clone());
    let start = alembert::consistent(system, &guess.with_multipliers(from.lambda.clone(), from.psi.clone()))?;
    let accurate = Tolerance::new(ACCURATE, ACCURATE)?;
    let mut radau = Integrator::new(system, &start, &RungeKutta::default(), ErrorControl::new(), accurate)?;
    radau.run(to.t, &mut Unobserved)?;
    let exact = radau.state();
    let equations = Equations::new(system);
    let space = equations.space();
    let mut e_q = vec![0.0; from.v.len()];
    space.difference(&exact.q, &to.q, &mut e_q);
    let e_v: Vec<f64> = to.v.iter().zip(&exact.v).map(|(x, y)| x - y).collect();
    let sizes = TypicalSizes::none(e_q.len(), e_v.len());
    let norm_q = |q: &[f64]| space.norm(tolerance, &e_q, q, &sizes);
    let norm_v = |v: &[f64]| tolerance.norm_v(&e_v, v, &sizes);
    let norm_q = norm_q(&from.q).min(norm_q(&to.q));
    let norm_v = norm_v(&from.v).min(norm_v(&to.v));
    Ok(norm_q.max(norm_v))
}
