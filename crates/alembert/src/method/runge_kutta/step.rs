//! The stages of one step and Newton's method for them. Unknown are the accelerations K_i, the multipliers
//! mu_i = (Lambda_i, Psi_i) and, only under a general rate, the rates P_i:
//!
//! ```text
//! V_i = v0 + h sum a_ij K_j,     Q_i = q0 o (c_i h v0 + h^2 sum (A^2)_ij K_j),   or   q0 + h sum a_ij P_j
//! 0 = R_i = M(t_i,Q_i) K_i - f - r,    0 = g(t_i,Q_i),    0 = k(t_i,Q_i,V_i),    0 = P_i - U(t_i,Q_i,V_i)
//! ```
//!
//! The iterates equal those of Newton's method on all of (q, v, a, lambda, psi). One evaluation of the blocks serves the
//! whole step; it is made at the **predicted middle stage**, which takes a third fewer evaluations than at the start.
//! The point moves with h, so a failed or rejected attempt evaluates anew.
//!
//! The predictor extrapolates the polynomials through the stage values of the last step; Q and V follow from the
//! projected q0, v0; see `newton` for the iteration.

use std::cell::Cell;

use faer::c64;

use super::blocks::Blocks;
use super::changes::{Changes, Constraints};
use super::eigensystem::{Eigensystem, Hats};
use super::newton;
use super::polynomial::Basis;
use super::rows::{add, add_heads, add_rows, add_weighed, combine, combine_heads};
use super::tableau::Tableau;
use super::transform::{Transform, multiply};
use super::weights::Weights;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::{Equations, NotFinite, all_finite};
use crate::linear::{LinearWork, Twin};
use crate::method::StepFailure;
use crate::newton::Newton;
use crate::state::State;
use crate::system::{Dims, Point};

/// Unknowns of a stage up to which two complex eigenvalues are worked on together: larger matrices have faster code for each.
const MOST_IN_TWINS: usize = 16;
/// Newton's contraction before there was a step.
const UNKNOWN: f64 = 0.5;
/// Stage values, one row a stage.
#[derive(Clone)]
pub(super) struct Stages {
    /// Accelerations and multipliers (K, Lambda, Psi).
    pub x: Vec<f64>,
    /// Rates q'; empty where q' = v.
    pub p: Vec<f64>,
}

pub(super) struct StageCorrector {
    pub tableau: Tableau,
    /// A^2.
    pub(super) a2: Vec<f64>,
    transform: Transform,
    /// Lagrange's basis at the stages, if no two of them coincide.
    pub(super) basis: Option<Basis>,
    pub newton: Newton,
    pub blocks: Blocks,
    pub real: Vec<Eigensystem<f64>>,
    /// Complex eigenvalues, two by two where that is possible.
    twins: Vec<Eigensystem<Twin>>,
    pairs: Vec<Eigensystem<c64>>,
    pub(super) factored_h: Option<f64>,
    pub weights: Weights,
    pub stages: Stages,
    /// Stages and length of the last accepted step.
    pub before: Stages,
    pub(super) before_h: Option<f64>,
    /// Multipliers that are not extrapolated from there.
    pub(super) unsettled: Vec<bool>,
    /// Whether rates are those of a chart, which changes from step to step: they are then followed by sweeps.
    pub(super) charted: bool,
    /// Newton's contraction in the last accepted step, and whether its blocks serve the next one.
    pub contraction_before: f64,
    pub keeps_blocks: bool,
    /// Factor of Newton's tolerance after steps that were shorter than their errors asked for; and after the attempt.
    pub shortness: f64,
    pub attempted_shortness: f64,
    pub h: f64,
    // Stage configurations and velocities, residuals, transformed residuals, scratch.
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) r: Vec<f64>,
    rho: Vec<f64>,
    hats: Hats,
    /// Where constraints may be dependent: what multipliers of the stages have that does nothing, and scratch.
    idle: [Vec<f64>; 2],
    pub(super) extrapolation: Vec<f64>,
    dx: Vec<f64>,
    dq: Vec<f64>,
    dv: Vec<f64>,
    /// Q_i - q0, with all its digits.
    pub(super) moved: Vec<f64>,
    pub changes: Changes,
}

impl Keep for Stages {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.x, self.p)
    }
}

impl Keep for StageCorrector {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.blocks, self.real, self.twins, self.pairs, self.factored_h, self.stages, self.before, self.before_h, self.unsettled)?;
        keep!(archive; self.newton, self.contraction_before, self.keeps_blocks, self.shortness, self.h, self.changes)
    }
}

impl StageCorrector {
    pub fn new(tableau: Tableau, transform: Transform, equations: &Equations, weights: Weights) -> Self {
        let blocks = Blocks::new(equations);
        let (dims, nq, s) = (blocks.dims, blocks.nq, tableau.stages());
        let (n, m) = (dims.v, dims.constraints());
        let general = if equations.has_general_rate() { nq } else { 0 };
        let soft = if blocks.layout.is_softened() { s * m } else { 0 };
        let stages = Stages { x: vec![0.0; s * (n + m)], p: vec![0.0; s * general] };
        let (couples, alone) = if general > 0 || n + m > MOST_IN_TWINS || blocks.layout.structure.is_sparse() {
            (&[][..], &transform.pairs[..])
        } else {
            transform.pairs.as_chunks::<2>()
        };
        let twins =
            couples.iter().map(|[(row, a), (_, b)]| Eigensystem::new(*row, Twin::new(*a, *b), &blocks)).collect();
        let pairs = alone.iter().map(|&(row, tau)| Eigensystem::new(row, tau, &blocks)).collect();
        StageCorrector {
            a2: multiply(tableau.a(), tableau.a(), s),
            basis: tableau.has_distinct_nodes().then(|| Basis::new(tableau.c())),
            newton: Newton::new(newton::policy(s)),
            real: transform.real.iter().map(|&(row, tau)| Eigensystem::new(row, tau, &blocks)).collect(),
            twins,
            pairs,
            transform,
            factored_h: None,
            weights,
            before: stages.clone(),
            stages,
            before_h: None,
            unsettled: vec![false; m],
            charted: equations.is_charted(),
            contraction_before: UNKNOWN,
            keeps_blocks: false,
            shortness: 1.0,
            attempted_shortness: 1.0,
            h: 0.0,
            q: vec![0.0; s * dims.q],
            v: vec![0.0; s * n],
            r: vec![0.0; s * (n + m)],
            rho: vec![0.0; s * general],
            hats: Hats { x: vec![0.0; s * (n + m)], rho: vec![0.0; s * general] },
            idle: [vec![0.0; soft], vec![0.0; soft]],
            extrapolation: vec![0.0; s * s],
            dx: vec![0.0; nq.max(n)],
            dq: vec![0.0; s * nq],
            dv: vec![0.0; s * n],
            moved: vec![0.0; s * dims.q],
            changes: Changes::new(equations),
            tableau,
            blocks,
        }
    }

    /// Forgets the past.
    pub fn restart(&mut self) {
        self.before_h = None;
        self.factored_h = None;
        self.contraction_before = UNKNOWN;
        self.shortness = 1.0;
        self.changes.restart();
    }

    /// The stages just solved become the past.
    pub fn accept(&mut self) {
        self.note_unsettled();
        std::mem::swap(&mut self.before, &mut self.stages);
        self.before_h = Some(self.h);
        self.contraction_before = self.newton.belief().unwrap_or(UNKNOWN);
        self.shortness = self.attempted_shortness;
        self.changes.accept();
        if !self.keeps_blocks {
            self.factored_h = None;
        }
    }

    /// Factors for the present h, with the blocks there are.
    pub(super) fn factor(&mut self) -> Result<(), StepFailure> {
        for mode in &mut self.real {
            mode.factor(self.h, &self.blocks)?;
        }
        for mode in &mut self.twins {
            mode.factor(self.h, &self.blocks)?;
        }
        for mode in &mut self.pairs {
            mode.factor(self.h, &self.blocks)?;
        }
        Ok(())
    }

    /// Asks for fresh blocks, because the attempt was not kept.
    pub fn forget_blocks(&mut self) {
        self.factored_h = None;
    }

    /// Blocks at the predicted middle stage.
    pub(super) fn linearize(&mut self, equations: &mut Equations, now: &State) -> Result<(), StepFailure> {
        let i = (self.tableau.stages() - 1) / 2;
        let dims = self.blocks.dims;
        let (k, lambda, psi) = split(&self.stages.x, i, dims);
        let at = Point {
            t: now.t + self.tableau.c()[i] * self.h,
            q: &self.q[i * dims.q..(i + 1) * dims.q],
            v: &self.v[i * dims.v..(i + 1) * dims.v],
            lambda,
            psi,
        };
        self.blocks.evaluate(equations, at, k)?;
        Ok(())
    }

    /// Residuals of all stages.
    pub fn evaluate(&mut self, equations: &mut Equations, now: &State) -> Result<(), StepFailure> {
        self.r.fill(0.0);
        let count = Cell::new(0);
        let evaluated = self.evaluate_by(equations, now, |equations, at, a, r, c| {
            if !equations.residual_in_one_pass(at, a, r, c) {
                return equations.residual_of_parts(at, a, r, c);
            }
            count.set(count.get() + 1);
            Ok(())
        });
        equations.count_residuals(count.get());
        evaluated?;
        if !all_finite(&self.r) {
            self.evaluate_by(equations, now, Equations::residual_of_parts)?;
        }
        if self.changes.constraints() == Constraints::Changes {
            self.replace_values(equations, now)?;
        }
        Ok(())
    }

    fn evaluate_by<'s>(
        &mut self,
        equations: &mut Equations<'s>,
        now: &State,
        residual: impl Fn(&mut Equations<'s>, Point, &[f64], &mut [f64], &mut [f64]) -> Result<(), NotFinite>,
    ) -> Result<(), StepFailure> {
        let dims = self.blocks.dims;
        let (nq, n) = (dims.q, dims.v);
        let rows = self.r.chunks_exact_mut(n + dims.constraints());
        for (i, (c, row)) in self.tableau.c().iter().zip(rows).enumerate() {
            let t = now.t + c * self.h;
            let (q, v) = (&self.q[i * nq..(i + 1) * nq], &self.v[i * n..(i + 1) * n]);
            let (k, lambda, psi) = split(&self.stages.x, i, dims);
            let (r, c) = row.split_at_mut(n);
            residual(equations, Point { t, q, v, lambda, psi }, k, r, c)?;
            if !self.rho.is_empty() {
                let rho = &mut self.rho[i * nq..(i + 1) * nq];
                equations.rate(t, q, v, rho)?;
                for (rho, p) in rho.iter_mut().zip(&self.stages.p[i * nq..(i + 1) * nq]) {
                    *rho = p - *rho;
                }
            }
        }
        Ok(())
    }

    /// Corrects the stages; the norm of the change of Q and V in units of the weights.
    pub fn correct(&mut self) -> f64 {
        let (n, m, nq) = (self.blocks.dims.v, self.blocks.dims.constraints(), self.blocks.nq);
        let (s, h, a) = (self.tableau.stages(), self.h, self.tableau.a());
        let (backward, forward) = (&self.transform.backward, &self.transform.forward);
        let hats = &mut self.hats;
        combine(backward, 1.0, &self.r, &mut hats.x, n + m);
        combine(backward, 1.0, &self.rho, &mut hats.rho, nq);
        for mode in &mut self.real {
            mode.correct(h, &self.blocks, hats);
        }
        for mode in &mut self.twins {
            mode.correct(h, &self.blocks, hats);
        }
        for mode in &mut self.pairs {
            mode.correct(h, &self.blocks, hats);
        }
        // Corrections replace the residuals.
        combine(forward, 1.0, &hats.x, &mut self.r, n + m);
        combine(forward, 1.0, &hats.rho, &mut self.rho, nq);
        add(&mut self.stages.x, &self.r);
        add(&mut self.stages.p, &self.rho);
        combine_heads(a, h, &self.r, n + m, &mut self.dv, n);
        combine(a, h, if self.rho.is_empty() { &self.dv } else { &self.rho }, &mut self.dq, nq);
        add(&mut self.moved, &self.dq);
        let sum =
            add_weighed(&mut self.v, &self.dv, &self.weights.v) + add_weighed(&mut self.q, &self.dq, &self.weights.q);
        (sum / (s * (n + nq)) as f64).sqrt()
    }

    /// Takes from the multipliers of dependent constraints what has gathered in them while others were corrected:
    /// extrapolated to the next step it would grow.
    pub(super) fn settle_multipliers(&mut self, now: &State) {
        let (n, m) = (self.blocks.dims.v, self.blocks.dims.constraints());
        let StageCorrector { idle: [idle, other], stages, blocks, transform, .. } = self;
        if idle.is_empty() {
            return;
        }
        for (other, x) in other.chunks_exact_mut(m).zip(stages.x.chunks_exact(n + m)) {
            let before = now.lambda.iter().chain(&now.psi);
            other.iter_mut().zip(x[n..].iter().zip(before)).for_each(|(other, (x, mu))| *other = x - mu);
        }
        combine(&transform.backward, 1.0, other, idle, m);
        // The first pass leaves a share of the softness of what is not idle, the second rounding.
        for _ in 0..2 {
            self.real.iter_mut().for_each(|mode| mode.least_multipliers(blocks, idle, other));
            self.twins.iter_mut().for_each(|mode| mode.least_multipliers(blocks, idle, other));
            self.pairs.iter_mut().for_each(|mode| mode.least_multipliers(blocks, idle, other));
            idle.iter_mut().zip(&*other).for_each(|(idle, least)| *idle -= least);
        }
        combine(&transform.forward, 1.0, idle, other, m);
        for (idle, x) in other.chunks_exact(m).zip(stages.x.chunks_exact_mut(n + m)) {
            x[n..].iter_mut().zip(idle).for_each(|(x, idle)| *x -= idle);
        }
    }

    /// q and v at the end of the step.
    pub fn end(&mut self, equations: &Equations, now: &State, next: &mut State) {
        let (s, h) = (self.tableau.stages(), self.h);
        let (n, nq) = (self.blocks.dims.v, self.blocks.dims.q);
        next.t = now.t + h;
        if self.tableau.is_stiffly_accurate() {
            next.q.copy_from_slice(&self.q[(s - 1) * nq..]);
            next.v.copy_from_slice(&self.v[(s - 1) * n..]);
            return;
        }
        let b = self.tableau.b();
        next.v.copy_from_slice(&now.v);
        let width = n + self.blocks.dims.constraints();
        add_heads(b, h, &self.stages.x, width, &mut next.v);
        if self.stages.p.is_empty() {
            let dx = &mut self.dx[..n];
            for (dx, v) in dx.iter_mut().zip(&now.v) {
                *dx = h * v;
            }
            for j in 0..s {
                let weight: f64 = (0..s).map(|i| b[i] * self.tableau.a()[i * s + j]).sum();
                for (dx, k) in dx.iter_mut().zip(&self.stages.x[j * width..]) {
                    *dx += h * h * weight * k;
                }
            }
            equations.advance(&now.q, dx, &mut next.q);
        } else {
            next.q.copy_from_slice(&now.q);
            add_rows(b, h, &self.stages.p, &mut next.q);
        }
    }

    /// Factorisations and solves so far.
    pub fn linear_work(&self) -> LinearWork {
        let real = self.real.iter().map(|mode| mode.kkt.work());
        // Twins do everything twice.
        let twins = self.twins.iter().flat_map(|mode| [mode.kkt.work(), mode.kkt.work()]);
        real.chain(twins).chain(self.pairs.iter().map(|mode| mode.kkt.work())).sum()
    }
}

/// K, Lambda and Psi of stage i.
fn split(x: &[f64], i: usize, dims: Dims) -> (&[f64], &[f64], &[f64]) {
    let width = dims.v + dims.constraints();
    let (k, mu) = x[i * width..(i + 1) * width].split_at(dims.v);
    let (lambda, psi) = mu.split_at(dims.lambda);
    (k, lambda, psi)
}
