//! How well an accepted state meets its constraints, and whether it may be accepted: the signs of M, the rank of C.

use super::{AccelerationFailure, AccelerationLevel, border};
use crate::equations::{Equations, ask};
use crate::linear::Pattern;
use crate::singularity::Here;
use crate::state::State;
use crate::stats::Residuals;
use crate::system::At;
use crate::tolerance::largest;

impl AccelerationLevel {
    pub(super) fn watch_and_residuals(
        &mut self,
        equations: &mut Equations,
        state: &State,
    ) -> Result<Residuals, AccelerationFailure> {
        let AccelerationLevel { watch, kkt, r_mu, layout, mass, c_v, redundancy, signs, rhs, .. } = self;
        if let Some(coordinate) = signs.look(equations, mass) {
            return Err(AccelerationFailure::MassSign { coordinate });
        }
        if layout.is_softened() {
            let rank = redundancy.rank(layout, mass, c_v, kkt);
            rank.map_err(|constraint| AccelerationFailure::Crossing { constraint })?;
        }
        let here = Here { kkt, border: border(r_mu, c_v), rows: &layout.rows, rhs };
        if let Some(constraint) = watch.look(equations, here, state, redundancy) {
            return Err(AccelerationFailure::Crossing { constraint });
        }
        self.residuals(equations, state)
    }

    /// Residuals of the three constraint levels at a state whose G is known.
    ///
    /// # Errors
    /// If a constraint is not finite, or dependent ones contradict each other.
    pub fn residuals(&mut self, equations: &mut Equations, state: &State) -> Result<Residuals, AccelerationFailure> {
        let State { t, q, v, .. } = state;
        let (g, rest) = self.bias.split_at_mut(self.dims.lambda);
        let (g_t, k) = self.mu.split_at_mut(self.dims.lambda);
        let (length, speed) = equations.typical().units();
        let (length, speed) = (length + largest(equations.bodies(q)), speed + largest(equations.bodies(v)));
        let soft = self.layout.is_softened();
        self.redundancy.measure(largest(equations.bodies(q)), largest(equations.bodies(v)));
        ask!(
            equations,
            At::new(*t, q, v),
            Holonomic => &mut *g,
            HolonomicT => g_t,
            Nonholonomic => k,
        )?;
        let g_q = if self.g_q.is_empty() { &self.c_v[..self.layout.holonomic.len()] } else { &self.g_q };
        let position = equations.typical().beside(length, g, &self.layout.holonomic_q, g_q);
        if soft {
            rest.fill(0.0);
            let size = |i: usize| row_size(&self.layout.holonomic_q, g_q, i);
            let AccelerationLevel { kkt, rhs, bias, .. } = self;
            if let Some(contradiction) = self.redundancy.contradiction(kkt, 0, bias, size, rhs) {
                return Err(contradiction.into());
            }
        }
        self.bias.copy_from_slice(&self.mu);
        let (holonomic, nonholonomic) = self.bias.split_at_mut(self.dims.lambda);
        equations.add_turning(*t, q, v, g_q, holonomic)?;
        let (typical, (w_v, k_v)) = (equations.typical(), self.c_v.split_at(self.layout.holonomic.len()));
        let velocity = typical.beside(speed, holonomic, &self.layout.holonomic, w_v);
        let nonholonomic = equations.typical().beside(speed, nonholonomic, &self.layout.nonholonomic, k_v);
        let residuals = Residuals { position, velocity, nonholonomic };
        if soft {
            // A row that the kinematics meet by themselves has no entries in C, but rounds like G q'.
            let general = equations.has_general_rate();
            let rate = |i: usize| if general { row_size(&self.layout.holonomic_q, g_q, i) } else { 0.0 };
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
        let (sign, border) = border(&self.r_mu, &self.c_v);
        let (by_lambda, by_psi) = border.split_at(self.layout.holonomic.len());
        self.layout.holonomic.multiply_transposed_add(-sign, by_lambda, lambda, motion);
        self.layout.nonholonomic.multiply_transposed_add(-sign, by_psi, psi, motion);
        motion.iter_mut().zip(&self.force).for_each(|(r, f)| *r -= f);
        largest(motion) / terms
    }
}

/// Sum of the sizes of the entries of a row; zero for one that the pattern does not have.
fn row_size(pattern: &Pattern, values: &[f64], row: usize) -> f64 {
    if row < pattern.rows() { pattern.row(row).map(|(_, e)| values[e].abs()).sum() } else { 0.0 }
}
