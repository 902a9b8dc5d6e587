//! What the acceleration level needs to know where constraints may be dependent: when its accelerations stand still, whether
//! the constraints agree about them, and what the kinematics keep by themselves.

use super::{AccelerationLevel, NOISE, border};
use crate::equations::{Equations, NotFinite};
use crate::tolerance::largest;

/// Relative residual of the acceleration level up to which dependent constraints agree.
const CONSENT: f64 = 1e-12;

impl AccelerationLevel {
    /// Where constraints may be dependent: the smallest multipliers that do the same as `mu`, with the factors of the state
    /// last solved. Otherwise nothing is changed.
    pub(crate) fn least(&mut self, mu: &mut [f64]) {
        if !self.layout.is_softened() {
            return;
        }
        let n = self.dims.v;
        self.bias.copy_from_slice(mu);
        mu.fill(0.0);
        let (sign, border) = border(&self.r_mu, &self.c_v);
        // The first pass leaves a share of the softness, the second rounding.
        for _ in 0..2 {
            self.rhs.fill(0.0);
            self.layout.rows.multiply_transposed_add(-sign, border, &self.bias, &mut self.rhs[..n]);
            self.kkt.solve(&mut self.rhs);
            for (i, d) in self.rhs[n..].iter().enumerate() {
                mu[i] += d;
                self.bias[i] -= d;
            }
        }
    }

    /// Moves q to where constraints hold that a general rate keeps by itself (G U_v = 0: the length of a quaternion written by
    /// hand), which no velocity can restore: along their gradients. C must be that near q. Only where such constraints are
    /// accepted.
    ///
    /// # Errors
    /// If a constraint is not finite.
    pub(crate) fn restore_invariants(
        &mut self,
        equations: &mut Equations,
        t: f64,
        q: &mut [f64],
    ) -> Result<(), NotFinite> {
        let (nl, n, columns) = (self.dims.lambda, self.dims.v, q.len());
        // The rate of a chart is regular: it keeps nothing.
        if !(self.layout.is_softened() && equations.has_general_rate()) || equations.is_charted() || n == 0 {
            return Ok(());
        }
        let kept = |c_v: &[f64], i: usize| c_v[i * n..(i + 1) * n].iter().all(|c| *c == 0.0);
        if !(0..nl).any(|i| kept(&self.c_v, i)) {
            return Ok(());
        }
        self.fit_g_q(equations);
        // Corrections are of the size of an error of a step: two leave rounding.
        for _ in 0..3 {
            equations.holonomic_q(t, q, &mut self.g_q)?;
            equations.holonomic(t, q, &mut self.bias[..nl])?;
            for i in (0..nl).filter(|i| kept(&self.c_v, *i)) {
                let row = &self.g_q[i * columns..(i + 1) * columns];
                let square: f64 = row.iter().map(|g| g * g).sum();
                if square > 0.0 {
                    let share = self.bias[i] / square;
                    q.iter_mut().zip(row).for_each(|(q, g)| *q -= share * g);
                }
            }
        }
        equations.holonomic_q(t, q, &mut self.g_q)
    }

    /// Whether the correction in `rhs` changes forces by their rounding only: in equilibrium accelerations are nothing else.
    pub(super) fn is_rounding(&self, a: &[f64]) -> bool {
        let (mut change, mut terms) = (0.0_f64, largest(&self.force).max(largest(&self.reaction)));
        for i in 0..self.dims.v {
            let (mut by, mut inertia) = (0.0, 0.0);
            for (j, e) in self.layout.top.row(i) {
                by += self.mass[e] * self.rhs[j];
                inertia += (self.mass[e] * a[j]).abs();
            }
            (change, terms) = (change.max(f64::abs(by)), terms.max(inertia));
        }
        change <= NOISE * terms
    }

    /// Whether constraints contradict each other by more than rounding in what they say about accelerations; their
    /// multipliers are then off by that over the softness, in a combination that does nothing.
    pub(super) fn disagree(&self, a: &[f64]) -> bool {
        let rows = &self.layout.rows;
        (0..rows.rows()).any(|i| {
            let (mut sum, mut terms) = (self.bias[i], self.bias[i].abs());
            for (j, e) in rows.row(i) {
                sum += self.c_v[e] * a[j];
                terms += (self.c_v[e] * a[j]).abs();
            }
            sum.abs() > CONSENT * terms
        })
    }
}
