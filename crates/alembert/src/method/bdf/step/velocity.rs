//! The velocity half of a step: q_n stays, v_n and mu_n follow from
//!
//! ```text
//! alpha M (v_n - v^) = r(mu_n) - r(mu^) - R^,      0 = w = g_t + G q'(v_n),      0 = k(v_n)
//! ```
//!
//! For r = B mu that is v_n = v^ + M^-1 B (mu_n - mu^)/alpha: the projection of v^, **and** the multipliers that belong to
//! it. Projecting without updating mu would leave lambda one order low for ever.
//!
//! R^ is what Newton's method left of the position half; it is taken along where multipliers are wanted to more digits than
//! the tolerance of q and v.
//!
//! The factors of the position half serve as long as they contract; else the (1,0,0) matrix is factored.

use super::{Step, largest};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::{Bordered, Kkt};
use crate::method::StepFailure;
use crate::method::bdf::formula::Formula;
use crate::method::bdf::history::Entry;
use crate::system::{Dims, Point};

/// Corrections with either factors.
const LIMIT: usize = 15;
/// Contraction up to which the position half's factors serve, and up to which they must where what is left is small.
const SLOW: f64 = 0.2;
const SLOWEST: f64 = 0.7;
/// Residual of w and k, relative to 1 + |v|, that is rounding.
const SETTLED: f64 = 8.0 * f64::EPSILON;

/// How well the velocity half is solved.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::method::bdf) enum Accuracy {
    /// Velocities to rounding, and R^ along: costs one force.
    Multipliers,
    /// Velocities to rounding.
    Velocities,
    /// Velocities to rounding where that is cheap, else to this much.
    Tolerance(f64),
}

#[derive(Clone, Copy, PartialEq)]
enum Factors {
    Position,
    Own,
}

/// v_n and mu_n, with room to find them.
pub(in crate::method::bdf) struct VelocityHalf {
    pub v: Vec<f64>,
    pub mu: Vec<f64>,
    pub kkt: Kkt,
    /// Solutions during which the position half's factors are not tried, because they were too far off.
    own_ahead: usize,
    /// How many at their next failure.
    patience: usize,
    /// R^.
    residual: Vec<f64>,
    r_mu: Vec<f64>,
    reaction: Vec<f64>,
    reaction_hat: Vec<f64>,
    constraint: Vec<f64>,
    rhs: Vec<f64>,
}

/// Most solutions with factors of their own after the position half's did not serve.
const LONGEST_PATIENCE: usize = 16;

impl Keep for VelocityHalf {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.v, self.mu, self.kkt, self.own_ahead, self.patience, self.r_mu)
    }
}

impl VelocityHalf {
    pub fn new(dims: Dims) -> Self {
        let (n, m) = (dims.v, dims.constraints());
        VelocityHalf {
            v: vec![0.0; n],
            mu: vec![0.0; m],
            kkt: Kkt::new(n, m),
            own_ahead: 0,
            patience: 1,
            residual: vec![0.0; n],
            r_mu: vec![0.0; n * m],
            reaction: vec![0.0; n],
            reaction_hat: vec![0.0; n],
            constraint: vec![0.0; m],
            rhs: vec![0.0; n + m],
        }
    }

    /// Forgets what it has learned.
    pub fn restart(&mut self) {
        self.own_ahead = 0;
        self.patience = 1;
    }

    /// Solves after the position half in `step`. The `last` point says how far v^ and mu^ are off.
    pub fn solve(
        &mut self,
        equations: &mut Equations,
        step: &mut Step,
        last: &Entry,
        accuracy: Accuracy,
    ) -> Result<(), StepFailure> {
        let Dims { v: n, lambda: nl, .. } = step.dims;
        if accuracy == Accuracy::Multipliers {
            step.residual(equations, &mut self.residual)?;
        } else {
            self.residual.fill(0.0);
        }
        let (w_v, k_v) = step.c_v.split_at_mut(nl * n);
        equations.holonomic_q(step.t, &step.q, &mut step.g_q)?;
        equations.velocity_v(step.t, &step.q, &step.v, &step.g_q, w_v)?;
        equations.nonholonomic_v(step.t, &step.q, &step.v, k_v)?;
        if nl == 0 && accuracy != Accuracy::Multipliers {
            // Both halves are the same.
            self.v.copy_from_slice(&step.v);
            self.mu.copy_from_slice(&step.iterate.mu);
            return Ok(());
        }
        self.guess(equations, step, last);
        let (w_v, k_v) = step.c_v.split_at(nl * n);
        let (lambda, psi) = step.iterate.mu.split_at(nl);
        let hat = Point { t: step.t, q: &step.q, v: &step.v, lambda, psi };
        equations.reaction(hat, w_v, k_v, &mut self.reaction_hat)?;
        if self.own_ahead == 0 && step.factored.is_some() {
            if self.iterate(equations, step, Factors::Position, accuracy)? {
                self.patience = 1;
                return Ok(());
            }
            self.own_ahead = self.patience;
            self.patience = (2 * self.patience).min(LONGEST_PATIENCE);
            self.guess(equations, step, last);
        } else {
            self.own_ahead = self.own_ahead.saturating_sub(1);
        }
        self.factor(equations, step)?;
        if self.iterate(equations, step, Factors::Own, accuracy)? {
            Ok(())
        } else {
            Err(StepFailure::Diverged { iterations: LIMIT, theta: f64::NAN })
        }
    }

    /// First guess of v_n and mu_n.
    fn guess(&mut self, equations: &Equations, step: &Step, last: &Entry) {
        let Formula { alpha, defect, .. } = step.formula;
        for (i, v) in self.v.iter_mut().enumerate() {
            *v = step.v[i] - defect * last.shift[i];
        }
        for (i, mu) in self.mu.iter_mut().enumerate() {
            // A nonlinear reaction needs a guess on the right branch, and mu^ may be far off.
            *mu = if equations.has_standard_reaction() {
                step.iterate.mu[i] - alpha * defect * last.mu_shift[i]
            } else {
                step.past.mu[i]
            };
        }
    }

    /// Factors the (1,0,0) matrix at the present multipliers.
    fn factor(&mut self, equations: &mut Equations, step: &Step) -> Result<(), StepFailure> {
        let Dims { v: n, lambda: nl, .. } = step.dims;
        let (w_v, k_v) = step.c_v.split_at(nl * n);
        let (lambda, psi) = self.mu.split_at(nl);
        let hat = Point { t: step.t, q: &step.q, v: &step.v, lambda, psi };
        equations.reaction_mu(hat, w_v, k_v, &mut self.r_mu)?;
        self.kkt.factor(Bordered {
            top: &[(1.0, &step.mass)],
            border: &self.r_mu,
            rows: &[(1.0, &step.c_v)],
            corner: None,
        })?;
        Ok(())
    }

    /// A U_v (v^ - v_0) + h A (U_t + U_q U) with Arevalo's A = M^-1 B (W M^-1 B)^-1 G, all at the position half's solution, which the
    /// velocity half has seen: the correction of (3.3) and (4.2) is its negative.
    pub fn normal_change(&mut self, equations: &mut Equations, step: &Step, from: &Entry) -> Result<(), StepFailure> {
        let Dims { v: n, lambda: nl, .. } = step.dims;
        self.factor(equations, step)?;
        self.rhs.fill(0.0);
        for (i, row) in step.c_v.chunks_exact(n).enumerate().take(nl) {
            let change: f64 = row.iter().zip(step.v.iter().zip(&from.v)).map(|(w, (v, v0))| w * (v - v0)).sum();
            self.rhs[n + i] = change;
        }
        // h G (U_t + U_q U) as a difference of U at the same v; the paper's U does not depend on q.
        let (now, _) = self.constraint.split_at_mut(nl);
        if equations.has_general_rate() {
            let nq = step.dims.q;
            let mut rate = vec![0.0; nq];
            for (t, q, sign) in [(step.t, &step.q, 1.0), (from.t, &from.q, -1.0)] {
                equations.rate(t, q, &step.v, &mut rate)?;
                for (i, row) in step.g_q.chunks_exact(nq).enumerate() {
                    now[i] = row.iter().zip(&rate).map(|(g, u)| g * u).sum();
                    self.rhs[n + i] += sign * now[i];
                }
            }
        }
        self.kkt.solve(&mut self.rhs);
        Ok(())
    }

    /// What [`normal_change`](Self::normal_change) found.
    pub fn change(&self) -> &[f64] {
        &self.rhs[..self.v.len()]
    }

    /// Simplified Newton with one of the factors; whether it converged.
    fn iterate(
        &mut self,
        equations: &mut Equations,
        step: &mut Step,
        factors: Factors,
        accuracy: Accuracy,
    ) -> Result<bool, StepFailure> {
        let own = factors == Factors::Own;
        let enough = if let Accuracy::Tolerance(change) = accuracy { change / (1.0 + largest(&self.v)) } else { 0.0 };
        let Dims { v: n, lambda: nl, .. } = step.dims;
        let alpha = step.formula.alpha;
        let (w_v, k_v) = step.c_v.split_at(nl * n);
        let (speed, weight) = (1.0 + largest(&self.v), largest(&step.mass));
        let mut before = f64::INFINITY;
        for _ in 0..LIMIT {
            let (w, k) = self.constraint.split_at_mut(nl);
            equations.velocity(step.t, &step.q, &self.v, &step.g_q, w)?;
            equations.nonholonomic(step.t, &step.q, &self.v, k)?;
            let (lambda, psi) = self.mu.split_at(nl);
            let at = Point { t: step.t, q: &step.q, v: &step.v, lambda, psi };
            equations.reaction(at, w_v, k_v, &mut self.reaction)?;
            for i in 0..n {
                let row = &step.mass[i * n..(i + 1) * n];
                let inertia: f64 = row.iter().zip(self.v.iter().zip(&step.v)).map(|(m, (v, hat))| m * (v - hat)).sum();
                self.rhs[i] = self.reaction[i] - self.reaction_hat[i] - self.residual[i] - alpha * inertia;
            }
            for (rhs, c) in self.rhs[n..].iter_mut().zip(&self.constraint) {
                *rhs = -alpha * c;
            }
            let kkt = if own { &mut self.kkt } else { &mut step.mode.kkt };
            kkt.solve(&mut self.rhs);
            for (v, d) in self.v.iter_mut().zip(&self.rhs) {
                *v += d / alpha;
            }
            for (mu, d) in self.mu.iter_mut().zip(&self.rhs[n..]) {
                *mu += d;
            }
            let mut change = largest(&self.rhs[..n]);
            if !equations.has_standard_reaction() {
                // Multipliers that act nonlinearly may still move when v does no more.
                let r_mu = if own { &self.r_mu } else { &step.blocks.r_mu };
                let pushed = r_mu
                    .chunks_exact(step.dims.constraints())
                    .map(|row| row.iter().zip(&self.rhs[n..]).map(|(b, d)| b * d).sum::<f64>());
                change = pushed.fold(change, |max, x| max.max(x.abs() / weight));
            }
            let change = change / alpha / speed;
            if !change.is_finite() {
                return Ok(false);
            }
            // A linear problem is solved by its own factors at once; noise does not shrink.
            if change <= SETTLED || (change < 16.0 * SETTLED && change > 0.5 * before) {
                return Ok(true);
            }
            if change > SLOW * before {
                if change < enough {
                    return Ok(true);
                }
                if enough > 0.0 && change < SLOWEST * before {
                    before = change;
                    continue;
                }
                if !own || equations.has_standard_reaction() {
                    return Ok(false);
                }
                self.factor(equations, step)?;
            }
            before = change;
        }
        Ok(before < enough)
    }
}
