//! Projected Runge-Kutta methods for index 3 (Schropp, "Projected Runge-Kutta methods for differential algebraic
//! equations of index 3"), and Radau IIA with error control.
//!
//! ```text
//! stages   K_i, Lambda_i, Psi_i from M K = f + r, g = 0, k = 0 at every stage           (2.6), see `step`
//! end      q1, v1: the last stage of a stiffly accurate tableau, else the weights b      (2.5)
//! then     q1 onto g = 0, v1 onto g_t + G q' = 0 and k = 0                               (2.7), see `projection`
//! then     a1, lambda1, psi1 from the acceleration level at (q1, v1)
//! ```
//!
//! With Radau IIA of s stages q and v have order 2s - 1 (without the projection v has only s), the multipliers of the
//! last stage order s - 1, and those of the acceleration level, which are reported, 2s - 1 again. For tableaus that are
//! not stiffly accurate the projection lowers q from q + 1 to q, the stage order.
//!
//! Departures from the paper: nonholonomic constraints, M(t,q), explicit time and reactions of any kind; projections use
//! the matrices at the unprojected point and are repeated to rounding.

pub(super) mod blocks;
mod changes;
mod dense;
pub(super) mod eigensystem;
mod estimate;
mod newton;
mod polynomial;
mod predictor;
mod rate;
mod rows;
mod sketch;
mod smoothness;
mod step;
mod stepper;
mod tableau;
mod transform;
mod weights;

pub use super::projection::Projection;
pub use tableau::{BadTableau, Tableau, Violation};

use super::charted::Charted;
use super::{BadMethod, Method, Scheme, require};
use crate::equations::Equations;
use crate::tolerance::Tolerance;
use stepper::RungeKuttaStepper;
use transform::Transform;

/// Most stages that double precision can use.
const MOST_STAGES: usize = 9;
/// A projected Runge-Kutta method.
#[derive(Clone, Debug, PartialEq)]
pub struct RungeKutta {
    tableau: Tableau,
    radau: bool,
    projection: Projection,
    violations_allowed: bool,
}

impl Default for RungeKutta {
    /// Radau IIA with 5 stages: fewest evaluations at equal error on every problem tried but stiff ones, where 3 are as
    /// good.
    fn default() -> Self {
        RungeKutta {
            tableau: Tableau::radau_iia(5),
            radau: true,
            projection: Projection::default(),
            violations_allowed: false,
        }
    }
}

impl RungeKutta {
    /// Radau IIA with 2 to 9 stages, order 2s - 1. An odd number of stages has an error estimate.
    ///
    /// # Errors
    /// If the number of stages is out of range.
    pub fn radau(stages: usize) -> Result<Self, BadMethod> {
        require((2..=MOST_STAGES).contains(&stages), "stages", stages as f64, "in [2, 9]")?;
        Ok(RungeKutta { tableau: Tableau::radau_iia(stages), ..Self::default() })
    }

    /// Any tableau, for fixed steps. Where it violates the conditions of convergence, it must be
    /// [allowed](Self::allow_violations) to.
    pub fn with_tableau(tableau: Tableau) -> Self {
        RungeKutta { tableau, radau: false, ..Self::default() }
    }

    /// The same method with another projection.
    pub fn with_projection(self, projection: Projection) -> Self {
        RungeKutta { projection, ..self }
    }

    /// Uses the tableau even if it violates (B2) or (B3).
    pub fn allow_violations(self) -> Self {
        RungeKutta { violations_allowed: true, ..self }
    }

    /// The coefficients.
    pub fn tableau(&self) -> &Tableau {
        &self.tableau
    }

    /// The conditions of convergence (B1) to (B3) that the tableau violates.
    pub fn violations(&self) -> Vec<Violation> {
        self.tableau.violations()
    }
}

impl Scheme for RungeKutta {
    fn name(&self) -> &'static str {
        if self.radau { "Radau IIA" } else { "Runge-Kutta" }
    }

    fn build(&self, equations: &Equations, tolerance: Tolerance) -> Result<Box<dyn Method>, BadMethod> {
        for violation in self.violations() {
            if violation == Violation::Singular || !self.violations_allowed {
                return Err(BadMethod::Tableau(violation));
            }
        }
        if !equations.space().is_flat() {
            return Charted::build(self, equations, tolerance);
        }
        let end_weights = self.tableau.end_weights().ok_or(BadMethod::Tableau(Violation::Singular))?;
        let stages = self.tableau.stages();
        let transform = if self.radau { Transform::radau(stages) } else { Transform::new(&self.tableau) };
        let transform = transform.ok_or(BadMethod::Defective)?;
        Ok(Box::new(RungeKuttaStepper::new(self, end_weights, transform, equations, tolerance)))
    }
}
