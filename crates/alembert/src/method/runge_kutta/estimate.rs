//! The embedded error estimate of Radau IIA: K at the start of the step, extrapolated from the stages, against the
//! consistent acceleration a0 there, filtered with the factors of the real eigenvalue gamma.
//!
//! ```text
//! e_v = h gamma (a0 - K(0)) = h (gamma a0 + sum d_i K_i),   d_i = -gamma l_i(0)
//! e_q = h^2 sum (d^T A)_j K_j      (h (gamma q0' + sum d_i P_i) under a general rate)
//! p = M e_v - h gamma S Y e_q
//! E (dv,.) = (p, 0)                                       the velocity error along the constraints
//! E (x, .) = (p, -G Y e_q/(h gamma), -k_q Y e_q),         dq = Y e_q + h gamma Z x,  so that G dq = 0
//! err^2 = mean of (dq/w_q)^2 and (dv/w_v)^2
//! ```
//!
//! M multiplies the sum e_v with one M: forces from two points would ruin the cancellation. Multipliers stay out: in the
//! test they cost steps and buy nothing.

use super::polynomial::lagrange;
use super::rows::{add_heads, add_rows};
use super::smoothness::{LOOKED_AT, Smoothness, Verdict};
use super::step::StageCorrector;
use super::tableau::Tableau;
use super::weights::{Weights, sum_of_squares};
use crate::state::State;

pub(super) struct Estimate {
    /// Whether the motion is smooth, so that the estimate means what the transformed tolerance takes it for.
    pub smoothness: Option<Smoothness>,
    gamma: f64,
    d: Vec<f64>,
    /// d^T A.
    da: Vec<f64>,
    e_q: Vec<f64>,
    e_v: Vec<f64>,
    /// The error measured last.
    dq: Vec<f64>,
    dv: Vec<f64>,
    rhs: Vec<f64>,
}

impl Estimate {
    /// `gamma` is the real eigenvalue of the tableau.
    pub fn new(tableau: &Tableau, gamma: f64, step: &StageCorrector) -> Self {
        let (s, c) = (tableau.stages(), tableau.c());
        let d: Vec<f64> = (0..s).map(|i| -gamma * lagrange(c, i, 0.0)).collect();
        let da = (0..s).map(|j| (0..s).map(|i| d[i] * tableau.a()[i * s + j]).sum()).collect();
        let (n, m, nq) = (step.blocks.dims.v, step.blocks.dims.constraints(), step.blocks.nq);
        let Weights { rtol, lift, .. } = step.weights;
        let smoothness = Smoothness::useful(s, rtol / lift, lift);
        let room = |size: usize| vec![0.0; size];
        let (e_q, e_v, dq, dv) = (room(nq), room(n), room(nq), room(n));
        Estimate { smoothness, gamma, d, da, e_q, e_v, dq, dv, rhs: room(n + m) }
    }

    /// (dq, dv) of the step measured last.
    pub fn error(&self) -> (&[f64], &[f64]) {
        (&self.dq, &self.dv)
    }

    /// What the smoothness of the step just solved makes of its estimate, where that decides.
    pub fn verdict(&mut self, step: &mut StageCorrector, now: &State, norm: f64, h: f64) -> Option<Verdict> {
        let Estimate { smoothness, e_v, rhs, .. } = self;
        let smoothness = smoothness.as_mut()?;
        let (n, width) = (e_v.len(), rhs.len());
        let of_nodes = std::mem::take(&mut smoothness.weights);
        let StageCorrector { blocks, real, weights, stages, .. } = step;
        // h times all coefficients of one component at once: systems are small.
        let coefficients = |i: usize| -> [f64; LOOKED_AT] {
            let values = std::iter::once(&now.a[i]).chain(stages.x.iter().skip(i).step_by(width));
            of_nodes
                .iter()
                .zip(values)
                .fold([0.0; LOOKED_AT], |sums, (w, x)| std::array::from_fn(|k| sums[k] + h * w[k] * x))
        };
        let mean = |sum: f64| (sum / n.max(1) as f64).sqrt();
        let mut squares = [0.0; LOOKED_AT];
        for (i, weight) in weights.v.iter().enumerate() {
            let sizes = coefficients(i).map(|c| c * weight);
            squares.iter_mut().zip(sizes).for_each(|(sum, size)| *sum += size * size);
        }
        let raw = squares.map(mean);
        let mode = &mut real[0];
        let filtered = || {
            std::array::from_fn(|k| {
                e_v.iter_mut().enumerate().for_each(|(i, out)| *out = coefficients(i)[k]);
                rhs.fill(0.0);
                blocks.layout.top.multiply(&blocks.mass, e_v, &mut rhs[..n]);
                mode.kkt.solve(rhs);
                mean(sum_of_squares(&rhs[..n], &weights.v))
            })
        };
        let verdict = smoothness.judge(h, norm, raw, filtered);
        smoothness.weights = of_nodes;
        verdict
    }

    /// The error of the step just solved, in units of the weights; `rate` is q' at its start.
    pub fn norm(&mut self, step: &mut StageCorrector, now: &State, rate: &[f64], h: f64) -> f64 {
        let (n, nl, nq) = (step.blocks.dims.v, step.blocks.dims.lambda, step.blocks.nq);
        let hg = h * self.gamma;
        for (e, a) in self.e_v.iter_mut().zip(&now.a) {
            *e = hg * a;
        }
        let width = self.rhs.len();
        add_heads(&self.d, h, &step.stages.x, width, &mut self.e_v);
        if step.stages.p.is_empty() {
            self.e_q.fill(0.0);
            add_heads(&self.da, h * h, &step.stages.x, width, &mut self.e_q);
        } else {
            for (e, u) in self.e_q.iter_mut().zip(rate) {
                *e = hg * u;
            }
            add_rows(&self.d, h, &step.stages.p, &mut self.e_q);
        }
        let StageCorrector { blocks, real, weights, .. } = step;
        let mode = &mut real[0];
        mode.filter_rate(&mut self.e_q);
        self.rhs.fill(0.0);
        let layout = &blocks.layout;
        layout.top.multiply(&blocks.mass, &self.e_v, &mut self.rhs[..n]);
        layout.top_q.multiply_add(-hg, &blocks.stiffness, &self.e_q, &mut self.rhs[..n]);
        self.e_v.copy_from_slice(&self.rhs[..n]);
        mode.kkt.solve(&mut self.rhs);
        let mut sum = sum_of_squares(&self.rhs[..n], &weights.v);
        self.dv.copy_from_slice(&self.rhs[..n]);
        self.rhs[..n].copy_from_slice(&self.e_v);
        layout.holonomic_q.multiply(&blocks.g_q, &self.e_q, &mut self.rhs[n..n + nl]);
        self.rhs[n..n + nl].iter_mut().for_each(|x| *x /= -hg);
        let k_q = &blocks.k_q[blocks.g_q.len()..];
        layout.nonholonomic_q.multiply(k_q, &self.e_q, &mut self.rhs[n + nl..]);
        self.rhs[n + nl..].iter_mut().for_each(|x| *x = -*x);
        mode.kkt.solve(&mut self.rhs);
        mode.add_moved(hg, &self.rhs[..n], &mut self.e_q);
        sum += sum_of_squares(&self.e_q, &weights.q);
        self.dq.copy_from_slice(&self.e_q);
        (sum / (n + nq) as f64).sqrt()
    }
}
