//! First guesses of the stages, and where they lead: Q_i and V_i from rates and accelerations.

use super::rows::{add, combine, combine_heads};
use super::step::StageCorrector;
use crate::equations::Equations;
use crate::method::StepFailure;
use crate::state::State;
use crate::system::Dims;

/// Sweeps over the rates of a chart, in the predictor and after a correction; each gains a factor of the angle turned.
const FIRST_SWEEPS: usize = 4;
const SWEEPS: usize = 2;

/// Which share of a multiplier its last correction may be, and below which share of the largest it may be rounding.
const UNSETTLED: f64 = 0.5;
const BESIDE: f64 = 1e-6;
/// How many times the largest multiplier of the step's end one of the last stage may be off: near dead points they grow as well, and are right.
const UNLIKE: f64 = 1e3;

impl StageCorrector {
    /// First guess of the stages.
    pub(super) fn predict(&mut self, equations: &mut Equations, now: &State, rate: &[f64]) -> Result<(), StepFailure> {
        let s = self.tableau.stages();
        let (n, m) = (self.blocks.dims.v, self.blocks.dims.constraints());
        let nl = self.blocks.dims.lambda;
        let mut sweeps = if self.charted { FIRST_SWEEPS } else { 0 };
        match (self.before_h, &self.basis) {
            (Some(before_h), Some(basis)) => {
                let w = self.h / before_h;
                for (c, row) in self.tableau.c().iter().zip(self.extrapolation.chunks_exact_mut(s)) {
                    basis.at(1.0 + w * c, row);
                }
                combine(&self.extrapolation, 1.0, &self.before.x, &mut self.stages.x, n + m);
                combine(&self.extrapolation, 1.0, &self.before.p, &mut self.stages.p, self.blocks.nq);
                self.begin_unsettled(now);
            }
            _ => {
                for row in self.stages.x.chunks_exact_mut(n + m) {
                    let (k, mu) = row.split_at_mut(n);
                    let (lambda, psi) = mu.split_at_mut(nl);
                    k.copy_from_slice(&now.a);
                    lambda.copy_from_slice(&now.lambda);
                    psi.copy_from_slice(&now.psi);
                }
                self.stages.p.chunks_exact_mut(rate.len().max(1)).for_each(|p| p.copy_from_slice(rate));
                // Constant rates miss the constraints by O(h^2), which Newton's method takes for accelerations O(1).
                sweeps = sweeps.max(1);
            }
        }
        self.place(now);
        for _ in 0..sweeps {
            self.sweep(equations, now)?;
        }
        Ok(())
    }

    /// Notes which multipliers the last correction has not settled. Newton's method looks at q and v, and where constraints hold these it does not
    /// see multipliers that old blocks make worse: extrapolated from step to step they would grow without limit.
    pub(super) fn note_unsettled(&mut self) {
        let first = self.stages.x.len() - self.unsettled.len();
        let (mu, change) = (&self.stages.x[first..], &self.r[first..]);
        let least = BESIDE * mu.iter().fold(0.0_f64, |most, mu| most.max(mu.abs()));
        for (unsettled, (mu, change)) in self.unsettled.iter_mut().zip(mu.iter().zip(change)) {
            *unsettled = change.abs() > UNSETTLED * mu.abs().max(least);
        }
    }

    /// Where the last stage has nothing like one of these, all begin as they are at the start of the step: large ones that cancel each other stay
    /// together.
    fn begin_unsettled(&mut self, now: &State) {
        // Blocks are old by the angle that a step turns; without rotations they hardly are.
        if !self.charted {
            return;
        }
        let n = self.blocks.dims.v;
        let width = n + self.unsettled.len();
        let multipliers = || now.lambda.iter().chain(&now.psi);
        let most = UNLIKE * multipliers().fold(0.0_f64, |most, mu| most.max(mu.abs()));
        let last = &self.before.x[self.before.x.len() - self.unsettled.len()..];
        let mut all = multipliers().zip(&self.unsettled).zip(last);
        if all.any(|((mu, unsettled), last)| *unsettled && (last - mu).abs() > most) {
            for stage in self.stages.x.chunks_exact_mut(width) {
                stage[n..].iter_mut().zip(multipliers()).for_each(|(to, mu)| *to = *mu);
            }
        }
    }

    /// Rates that follow a correction, in a chart.
    pub(super) fn follow(&mut self, equations: &mut Equations, now: &State) -> Result<(), StepFailure> {
        for _ in 0..if self.charted { SWEEPS } else { 0 } {
            self.sweep(equations, now)?;
        }
        Ok(())
    }

    /// Puts the rates of the stages to what they are at the stages, and places them anew.
    fn sweep(&mut self, equations: &mut Equations, now: &State) -> Result<(), StepFailure> {
        let Dims { q: nq, v: n, .. } = self.blocks.dims;
        for (i, p) in self.stages.p.chunks_exact_mut(nq.max(1)).enumerate() {
            let (q, v) = (&self.q[i * nq..(i + 1) * nq], &self.v[i * n..(i + 1) * n]);
            equations.rate(now.t + self.tableau.c()[i] * self.h, q, v, p)?;
        }
        self.place(now);
        Ok(())
    }

    /// Q_i and V_i of the iterate.
    fn place(&mut self, now: &State) {
        let (h, a) = (self.h, self.tableau.a());
        let Dims { q: nq, v: n, .. } = self.blocks.dims;
        let width = n + self.blocks.dims.constraints();
        combine_heads(a, h, &self.stages.x, width, &mut self.v, n);
        self.v.chunks_exact_mut(n.max(1)).for_each(|v| add(v, &now.v));
        if self.stages.p.is_empty() {
            combine_heads(&self.a2, h * h, &self.stages.x, width, &mut self.q, n);
            let moved = self.moved.chunks_exact_mut(nq.max(1));
            for ((q, c), moved) in self.q.chunks_exact_mut(nq.max(1)).zip(self.tableau.c()).zip(moved) {
                let ch = c * h;
                for (((q, q0), v0), moved) in q.iter_mut().zip(&now.q).zip(&now.v).zip(moved) {
                    *moved = *q + ch * v0;
                    *q = q0 + *moved;
                }
            }
        } else {
            combine(a, h, &self.stages.p, &mut self.q, nq);
            self.moved.copy_from_slice(&self.q);
            self.q.chunks_exact_mut(nq.max(1)).for_each(|q| add(q, &now.q));
        }
    }
}
