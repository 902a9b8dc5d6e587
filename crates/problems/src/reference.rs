//! High-accuracy reference solutions that share nothing with the library's integrators.
//!
//! [`extrapolate`] is Gragg-Bulirsch-Stoer for y' = f(t,y): modified midpoint rule with n = 2, 4, ..., 14 substeps,
//! whose error expands in h^2, extrapolated to h = 0 at order 14 (Hairer, Norsett, Wanner I, section II.9). The
//! difference to order 12 controls the step.
//!
//! [`integrate`] applies it to a constrained system as the ODE q' = v, v' = a(t,q,v), where a and the multipliers
//! mu = (lambda, psi) solve
//!
//! ```text
//! M a = f + r(mu),   C a = -b        C = [d/dv (g_t + G q'); K],  b = the same derivatives in time at v' = 0
//! ```
//!
//! by Newton's method with the matrix [M, -r_mu; C, 0], and projects q on g = 0 and v on g_t + G q' = 0, k = 0 after
//! every step, so that the invariants of the ODE do not drift.

mod extrapolation;
mod index1;

use std::fmt;

use alembert::{ConstrainedSystem, State};

use crate::problem::Start;
use extrapolation::Pace;
pub use extrapolation::extrapolate;
use index1::Index1;

/// Evaluations after which [`integrate`] gives up: minutes of a small system, so that a reference that cannot advance ends.
const MOST_EVALUATIONS: u64 = 20_000_000;

/// Error allowed per step, in component i: `relative |y_i| + absolute`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Relative part.
    pub relative: f64,
    /// Absolute part.
    pub absolute: f64,
}

impl Default for Settings {
    /// 1e-14 for both: at the edge of rounding, so that the sum over a run stays near 1e-12.
    fn default() -> Self {
        Settings { relative: 1e-14, absolute: 1e-14 }
    }
}

/// Why a reference could not be computed.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceFailure {
    /// Where it stopped.
    pub t: f64,
    /// What went wrong.
    pub reason: &'static str,
}

impl fmt::Display for ReferenceFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at t = {}", self.reason, self.t)
    }
}

impl std::error::Error for ReferenceFailure {}

/// The state of `system` at `t_end`, from `start`. Quaternions are integrated as four numbers and scaled to length 1
/// after every step.
///
/// # Errors
/// If the system cannot be evaluated, lacks derivatives, or is singular on the way.
pub fn integrate(
    system: &dyn ConstrainedSystem,
    start: &Start,
    t_end: f64,
    settings: Settings,
) -> Result<State, ReferenceFailure> {
    let mut states = integrate_through(system, start, &[t_end], settings, MOST_EVALUATIONS)?;
    states.pop().ok_or(ReferenceFailure { t: start.t, reason: "no time was asked for" })
}

/// The states of `system` at `times`, in order, from `start`, with at most so many evaluations of its accelerations.
///
/// # Errors
/// Like [`integrate`], and if it would take more evaluations.
pub fn integrate_through(
    system: &dyn ConstrainedSystem,
    start: &Start,
    times: &[f64],
    settings: Settings,
    evaluations: u64,
) -> Result<Vec<State>, ReferenceFailure> {
    let mut index1 = Index1::new(system, start);
    let mut y = [start.q.as_slice(), &start.v].concat();
    // Projecting the start too makes the result insensitive to start values rounded in print.
    index1.project(start.t, &mut y)?;
    let (mut t, mut pace) = (start.t, Pace { h: None, evaluations });
    let mut states = Vec::with_capacity(times.len());
    for &next in times {
        let mut pieces = Pieces { index1: &mut index1 };
        extrapolation::run(&mut pieces, t, &mut y, next, settings, &mut pace)?;
        states.push(index1.state(next, &y)?);
        t = next;
    }
    Ok(states)
}

/// The index-1 system as seen by the extrapolation.
struct Pieces<'a, 's> {
    index1: &'a mut Index1<'s>,
}

impl extrapolation::Ode for Pieces<'_, '_> {
    fn rhs(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), ReferenceFailure> {
        self.index1.rhs(t, y, out)
    }
    fn accepted(&mut self, t: f64, y: &mut [f64]) -> Result<(), ReferenceFailure> {
        self.index1.project(t, y)
    }
}
