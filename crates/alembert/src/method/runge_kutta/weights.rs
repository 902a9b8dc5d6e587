//! In what units a step measures its corrections and errors.
//!
//! ```text
//! rtol' = 0.1 rtol^((s+1)/(2s)),   atol' = rtol' atol/rtol,   w = atol' + rtol' (size + |y|)
//! kappa = max(10 eps/rtol', min(0.03, rtol'^((s-1)/(s+1))))
//! ```
//!
//! The estimate has only order s, the method 2s-1: the power makes the error that is achieved follow the tolerance (this is RADAU5's
//! transformation). Velocities count as they are and not times h, because h dV would depend on the unit of time.
//!
//! Corrections of F = 30 eps max|q| in q and F/h in v may be the rounding of g, which no iteration can pass. Where g is a
//! change along the step, or where there is no g, velocities are rounded by 30 eps max|v| instead: see `changes`.

use super::changes::Constraints;
use crate::state::State;
use crate::tolerance::{Tolerance, largest};
use crate::typical::TypicalSizes;

/// Rounding of the constraints in units of eps max|q|.
const ROUNDING: f64 = 30.0;
/// Largest fraction of the tolerance that Newton's error may use.
const KAPPA: f64 = 0.03;

pub(super) struct Weights {
    pub rtol: f64,
    /// L = rtol'/rtol: how many tolerances an estimate may be that meets the transformed one.
    pub lift: f64,
    atol_q: f64,
    atol_v: f64,
    /// Newton's error in units of the weights.
    pub kappa: f64,
    /// The norm of corrections that may be nothing but rounding.
    pub rounding: f64,
    /// 1/w_q and 1/w_v: norms multiply.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

impl Weights {
    pub fn new(stages: usize, tolerance: Tolerance, nq: usize, nv: usize) -> Self {
        let s = stages as f64;
        let rtol = 0.1 * tolerance.rtol.powf((s + 1.0) / (2.0 * s));
        let scale = rtol / tolerance.rtol;
        let kappa = (10.0 * f64::EPSILON / rtol).max(KAPPA.min(rtol.powf((s - 1.0) / (s + 1.0))));
        Weights {
            rtol,
            lift: scale,
            atol_q: tolerance.atol_q * scale,
            atol_v: tolerance.atol_v * scale,
            kappa,
            q: vec![1.0; nq],
            v: vec![1.0; nv],
            rounding: 0.0,
        }
    }

    /// Weights of a step of length h from `now`, whose constraints are differences of rounded values or changes.
    pub fn measure(&mut self, now: &State, sizes: &TypicalSizes, h: f64, constraints: Constraints) {
        let noise = ROUNDING * f64::EPSILON * largest(sizes.bodies(&now.q));
        let noise_v = match constraints {
            Constraints::Values => noise / h,
            Constraints::Changes => ROUNDING * f64::EPSILON * largest(sizes.bodies(&now.v)),
        };
        let mut sum = 0.0;
        for ((w, q), size) in self.q.iter_mut().zip(&now.q).zip(&sizes.q) {
            *w = 1.0 / (self.atol_q + self.rtol * (size + q.abs())).max(noise);
            sum += (noise * *w).powi(2);
        }
        for ((w, v), size) in self.v.iter_mut().zip(&now.v).zip(&sizes.v) {
            *w = 1.0 / (self.atol_v + self.rtol * (size + v.abs())).max(noise_v);
            sum += (noise_v * *w).powi(2);
        }
        if sizes.states > 0 {
            self.measure_states(now, sizes);
        }
        self.rounding = (sum / (self.q.len() + self.v.len()).max(1) as f64).sqrt();
    }

    /// States of first order are rounded beside themselves, and what has no error is left out of means.
    fn measure_states(&mut self, now: &State, sizes: &TypicalSizes) {
        let first = self.v.len() - sizes.states;
        for ((w, v), size) in self.v.iter_mut().zip(&now.v).zip(&sizes.v).skip(first) {
            let noise = ROUNDING * f64::EPSILON * v.abs();
            *w = 1.0 / (self.atol_v + self.rtol * (size + v.abs())).max(noise);
        }
        let all = self.q.len() + self.v.len();
        let counted = all - sizes.states - sizes.still;
        let share = (all as f64 / counted.max(1) as f64).sqrt();
        self.q.iter_mut().chain(&mut self.v).for_each(|w| *w *= share);
    }
}

/// Sum of (x w)^2 over any number of rows as long as w.
pub(super) fn sum_of_squares(x: &[f64], w: &[f64]) -> f64 {
    let mut sum = 0.0;
    for row in x.chunks_exact(w.len().max(1)) {
        for (x, w) in row.iter().zip(w) {
            sum += (x * w) * (x * w);
        }
    }
    sum
}
