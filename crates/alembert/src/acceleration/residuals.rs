//! How well a state meets the constraints and the equations of motion.

use super::{AccelerationFailure, AccelerationLevel};
use crate::equations::Equations;
use crate::linear::Pattern;
use crate::state::State;
use crate::stats::Residuals;
use crate::tolerance::largest;

impl AccelerationLevel {
    /// Residuals of the three constraint levels at a state whose G is in `g_q`.
    ///
    /// # Errors
    /// If a constraint is not finite, or dependent ones contradict each other.
    pub fn residuals(&mut self, equations: &mut Equations, state: &State) -> Result<Residuals, AccelerationFailure> {
        let State { t, q, v, .. } = state;
        let (holonomic, nonholonomic) = self.bias.split_at_mut(self.dims.lambda);
        let (length, speed) = equations.typical().units();
        let (length, speed) = (length + largest(q), speed + largest(v));
        let soft = self.layout.is_softened();
        self.redundancy.measure(largest(q), largest(v));
        equations.holonomic(*t, q, holonomic)?;
        let position = equations.typical().beside(length, holonomic, &self.layout.holonomic_q, &self.g_q);
        if soft {
            nonholonomic.fill(0.0);
            let size = |i: usize| row_size(&self.layout.holonomic_q, &self.g_q, i);
            let AccelerationLevel { kkt, rhs, bias, .. } = self;
            if let Some(contradiction) = self.redundancy.contradiction(kkt, 0, bias, size, rhs) {
                return Err(contradiction.into());
            }
        }
        let (holonomic, nonholonomic) = self.bias.split_at_mut(self.dims.lambda);
        equations.velocity(*t, q, v, &self.g_q, holonomic)?;
        let (typical, (w_v, k_v)) = (equations.typical(), self.c_v.split_at(self.layout.holonomic.len()));
        let velocity = typical.beside(speed, holonomic, &self.layout.holonomic, w_v);
        equations.nonholonomic(*t, q, v, nonholonomic)?;
        let nonholonomic = equations.typical().beside(speed, nonholonomic, &self.layout.nonholonomic, k_v);
        let residuals = Residuals { position, velocity, nonholonomic };
        if soft {
            // A row that the kinematics meet by themselves has no entries in C, but rounds like G q'.
            let general = equations.has_general_rate();
            let rate = |i: usize| if general { row_size(&self.layout.holonomic_q, &self.g_q, i) } else { 0.0 };
            let size = |i: usize| row_size(&self.layout.rows, &self.c_v, i) + rate(i);
            let AccelerationLevel { kkt, rhs, bias, .. } = self;
            if let Some(contradiction) = self.redundancy.contradiction(kkt, 1, bias, size, rhs) {
                return Err(contradiction.into());
            }
        }
        Ok(residuals)
    }

    /// Residual of M a = f + r and C a = -bias at the state last solved, relative to its terms.
    pub(crate) fn motion_residual(&mut self, state: &State) -> f64 {
        let n = self.dims.v;
        let largest = |x: &[f64]| x.iter().fold(f64::MIN_POSITIVE, |max, x| max.max(x.abs()));
        let (motion, constraints) = self.rhs.split_at_mut(n);
        self.layout.top.multiply(&self.mass, &state.a, motion);
        self.layout.rows.multiply(&self.c_v, &state.a, constraints);
        let terms = largest(motion).max(largest(&self.force)).max(largest(&self.reaction));
        let (lambda, psi) = (&state.lambda, &state.psi);
        let (by_lambda, by_psi) = self.r_mu.split_at(self.layout.holonomic.len());
        self.layout.holonomic.multiply_transposed_add(-1.0, by_lambda, lambda, motion);
        self.layout.nonholonomic.multiply_transposed_add(-1.0, by_psi, psi, motion);
        motion.iter_mut().zip(&self.force).for_each(|(r, f)| *r -= f);
        largest(motion) / terms
    }
}

/// Sum of the sizes of the entries of a row; zero for one that the pattern does not have.
fn row_size(pattern: &Pattern, values: &[f64], row: usize) -> f64 {
    if row < pattern.rows() { pattern.row(row).map(|(_, e)| values[e].abs()).sum() } else { 0.0 }
}
