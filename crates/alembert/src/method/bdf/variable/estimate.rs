//! The error of a step at its own order and at its neighbours, and the order of the next step.

use super::{HIGHEST, VariableBdfStepper};
use crate::equations::Equations;
use crate::method::bdf::formula::Formula;
use crate::method::bdf::halves::Halves;
use crate::method::{ErrorEstimate, Law, StepFailure};

/// The error aimed at.
const TARGET: f64 = 0.3;
/// Largest h_next/h for orders 1 to 5.
const GROWTH: [f64; HIGHEST] = [2.0, 2.0, 1.5, 1.26, 1.15];
/// Steps after a start in which h may double at any order.
const BEGINNING: usize = 12;
/// What lower, present and higher order must be better by.
const BIAS: [f64; 3] = [1.3, 1.2, 1.4];

impl VariableBdfStepper {
    /// The error of the step at an order, in units of the tolerance.
    fn error(&mut self, order: usize) -> f64 {
        let scale = self.difference(order);
        if self.halves.step.stiff {
            // What the next step will damp away is no error, and jumps with every change of the defect.
            self.halves.step.damp(&mut self.error_v);
        }
        scale * self.difference_norm()
    }

    /// The same for the order of the attempt, with a look at what the filter owes to forces that set in during the step.
    fn error_of_attempt(&mut self, equations: &mut Equations) -> Result<f64, StepFailure> {
        if !self.halves.step.stiff {
            let norm = self.error(self.attempted);
            self.note_error();
            return Ok(norm);
        }
        let raw = self.difference(self.attempted) * self.difference_norm();
        let filtered = self.error(self.attempted);
        self.note_error();
        let scale = self.difference(self.attempted);
        let VariableBdfStepper { onset, halves: Halves { step, tolerance, now, .. }, error_q, error_v, .. } = self;
        onset.norm([raw, filtered], equations, (now, 1.0 / step.formula.alpha), |onset, _| {
            onset.damp(error_v);
            scale * step.norm(tolerance, error_q, error_v)
        })
    }

    /// Remembers the error for callers that ask for it after other orders were looked at.
    fn note_error(&mut self) {
        self.measured_q.copy_from_slice(&self.error_q);
        self.measured_v.copy_from_slice(&self.error_v);
    }

    /// The norm of y - P.
    fn difference_norm(&self) -> f64 {
        self.halves.step.norm(&self.halves.tolerance, &self.error_q, &self.error_v)
    }

    /// y - P of an order, and what it is to be multiplied by.
    fn difference(&mut self, order: usize) -> f64 {
        let Halves { step, velocity, history, now, .. } = &mut self.halves;
        let formula = Formula::new(order, step.t, history.times());
        let slope = &mut self.slope;
        history.extrapolate(&formula, |entry| &entry.q, &mut self.error_q, &mut slope[..now.q.len()]);
        history.extrapolate(&formula, |entry| &entry.v, &mut self.error_v, &mut slope[..now.v.len()]);
        for (error, q) in self.error_q.iter_mut().zip(&step.q) {
            *error -= q;
        }
        for (error, v) in self.error_v.iter_mut().zip(&velocity.v) {
            *error -= v;
        }
        let gamma: f64 = (1..=order).map(|i| 1.0 / i as f64).sum();
        gamma * formula.error_factor()
    }

    /// The estimate for the controller; chooses the order of the next step.
    pub(super) fn estimate(&mut self, equations: &mut Equations) -> Result<ErrorEstimate, StepFailure> {
        let order = self.attempted;
        let mut norm = self.error_of_attempt(equations)?;
        self.next_order = order;
        let due = self.at_order >= order || order != self.order;
        if norm <= 1.0 && due {
            let present = norm;
            let promise = |error: f64, order: usize, bias: f64| error.max(1e-30).powf(-1.0 / (order + 1) as f64) / bias;
            let mut best = promise(present, order, BIAS[1]);
            for (other, bias) in [(order - 1, BIAS[0]), (order + 1, BIAS[2])] {
                if other == 0 || other > self.max_order || self.halves.history.len() < other + 1 {
                    continue;
                }
                let error = self.error(other);
                let promised = promise(error, other, bias);
                if promised > best {
                    best = promised;
                    self.next_order = other;
                    norm = error.min(1.0);
                }
            }
        }
        let most = if self.steps < BEGINNING { 2.0 } else { GROWTH[self.next_order - 1] };
        Ok(ErrorEstimate {
            norm,
            exponent: 1.0 / (self.next_order + 1) as f64,
            law: Law::ProportionalIntegral { target: TARGET },
            ratio: (0.5, most),
            keep: 1.0,
            limit: f64::INFINITY,
        })
    }
}
