//! What follows from G where that is not supplied, straight from g: a difference of differences of G would call g for every column of
//! every point.
//!
//! ```text
//! g_t + G q' = d/ds g(t + s, q + s q')                       four calls instead of 4 n + 4
//! (G^T lambda)_q = s_qq with s(q) = lambda^T g(t, q),
//!     s_ij = (s(i+j) + s(-i-j) - s(i) - s(-i) - s(j) - s(-j) + 2 s(0)) / 2 h_i h_j,     s_ii = (s(i) + s(-i) - 2 s(0)) / h_i^2
//!                                                             n^2 + n + 1 calls instead of 16 n^2
//! ```
//!
//! s(i+j) is s with steps along coordinates i and j. The second formula is good to about 1e-8, enough for what only steers Newton's method. It is for whole matrices
//! where coordinates add and q' = v: with patterns columns that are moved together take fewer calls, and turns do not commute.

use super::difference::{FIVE_POINTS, Stencil};
use super::table::{Accuracy, Argument, Base, Rule};
use super::{Equations, NotFinite};
use crate::linear::Pattern;
use crate::system::{At, Quantity};

/// Step of the second differences, near eps^(1/4): what it leaves out, h^2/12, is as large as their rounding, eps/h^2.
const SECOND_STEP: f64 = 2e-4;

/// G q' along the coordinates.
const TURNING: Rule = Rule {
    quantity: Quantity::HolonomicVelocityQ,
    base: Base::Velocity,
    argument: Argument::Configuration,
    accuracy: Accuracy::Accurate,
};

impl Equations<'_> {
    /// Whether steps of differences of g are known where G is not supplied: G has found them when it was last differenced.
    pub(super) fn knows_steps_along_motion(&self) -> bool {
        !self.supplied.has(Quantity::HolonomicQ) && self.stencil.is_none() && !self.shares.is_empty()
    }

    /// g_t + G q' by differences of g along the motion.
    pub(super) fn along_motion(&mut self, at: &At, out: &mut [f64]) -> Result<(), NotFinite> {
        let mut rate = self.take_buffer(self.tangent());
        let mut step = self.take_buffer(rate.len());
        let mut moved = self.take_buffer(at.q.len());
        let mut value = self.take_buffer(out.len());
        let mut result = self.rate(at.t, at.q, at.v, &mut rate);
        // No coordinate moves farther than along its own column of G.
        let Stencil { unit, relative, .. } = Stencil::USUAL;
        self.steps(&TURNING, unit, relative, at.q, &mut step);
        let explicit = unit * self.typical.time.min(1.0);
        let h = step.iter().zip(&rate).map(|(step, rate)| step / rate.abs()).fold(explicit, f64::min);
        out.fill(0.0);
        for (multiple, weight) in FIVE_POINTS {
            let s = multiple * h;
            step.iter_mut().zip(&rate).for_each(|(step, rate)| *step = s * rate);
            self.advance(at.q, &step, &mut moved);
            result = result.and_then(|()| self.holonomic(at.t + s, &moved, &mut value));
            out.iter_mut().zip(&value).for_each(|(out, value)| *out += weight * value / (12.0 * h));
        }
        for buffer in [rate, step, moved, value] {
            self.give_buffer(buffer);
        }
        result
    }

    /// Whether the derivative of reactions is the curvature of holonomic constraints that have no derivative themselves, and nothing else.
    pub(super) fn bends_by_constraints_alone(&self, pattern: &Pattern) -> bool {
        let standard = self.standard_reaction && !self.general_rate && self.dims.psi == 0;
        let whole = pattern.is_dense() && self.space().is_flat();
        standard && whole && self.stencil.is_none() && !self.supplied.has(Quantity::HolonomicQ)
    }

    /// r_q = -(G^T lambda)_q by second differences of lambda^T g.
    pub(super) fn curvature(&mut self, rule: &Rule, at: &At, out: &mut [f64]) -> Result<(), NotFinite> {
        let n = at.q.len();
        let mut steps = self.take_buffer(n);
        let mut q = self.take_buffer(n);
        let mut g = self.take_buffer(self.dims.lambda);
        // s(i) + s(-i).
        let mut along = self.take_buffer(n);
        q.copy_from_slice(at.q);
        self.steps(rule, SECOND_STEP, Stencil::USUAL.relative, at.q, &mut steps);
        let mut sum = |equations: &mut Self, q: &[f64]| -> Result<f64, NotFinite> {
            equations.holonomic(at.t, q, &mut g)?;
            Ok(g.iter().zip(at.lambda).map(|(g, lambda)| g * lambda).sum())
        };
        let mut outcome = || -> Result<(), NotFinite> {
            let here = sum(self, &q)?;
            for i in 0..n {
                for side in [1.0, -1.0] {
                    q[i] = at.q[i] + side * steps[i];
                    along[i] += sum(self, &q)?;
                }
                q[i] = at.q[i];
                out[i * n + i] = -(along[i] - 2.0 * here) / (steps[i] * steps[i]);
            }
            for i in 0..n {
                for j in 0..i {
                    let mut both = 0.0;
                    for side in [1.0, -1.0] {
                        (q[i], q[j]) = (at.q[i] + side * steps[i], at.q[j] + side * steps[j]);
                        both += sum(self, &q)?;
                    }
                    (q[i], q[j]) = (at.q[i], at.q[j]);
                    let mixed = (both - along[i] - along[j] + 2.0 * here) / (2.0 * steps[i] * steps[j]);
                    (out[i * n + j], out[j * n + i]) = (-mixed, -mixed);
                }
            }
            Ok(())
        };
        let outcome = outcome();
        for buffer in [steps, q, along, g] {
            self.give_buffer(buffer);
        }
        outcome
    }
}
