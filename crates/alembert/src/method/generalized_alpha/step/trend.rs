//! What linear extrapolation missed in the last step, and will miss again where the motion is smooth: a second difference,
//! and how it changes. They are added to the predictor as far as that would have been better in the last step.
//!
//! ```text
//! d = x - (linear extrapolation),     b = d - w^2 d_before,     predictor = linear [ + w^2 d [ + b ] ]        w = h/h_before
//! ```

use super::{Slopes, StepData};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};

/// Steps are the same up to this share: b is a third difference only then.
const SAME: f64 = 1e-6;
/// How much better a prediction must have been to be believed.
const BETTER: f64 = 0.5;

/// Differences of a and mu, in one vector each.
pub(super) struct Trend {
    d: Vec<f64>,
    b: Vec<f64>,
    h: f64,
    /// How many of them the next predictor takes, and how many are known.
    order: usize,
    known: usize,
}

impl Keep for Trend {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.d, self.b, self.h, self.order, self.known)
    }
}

impl Trend {
    /// For `size` numbers; for none it does nothing.
    pub fn new(size: usize) -> Self {
        Trend { d: vec![0.0; size], b: vec![0.0; size], h: 0.0, order: 0, known: 0 }
    }

    /// Factors of d and b in the predictor of a step of length h, if it takes `order` of them.
    fn weights(&self, h: f64, order: usize) -> (f64, f64) {
        let w = h / self.h;
        let bend = order > 1 && (w - 1.0).abs() < SAME;
        (if order > 0 { w * w } else { 0.0 }, if bend { 1.0 } else { 0.0 })
    }

    /// Forgets the past.
    pub fn restart(&mut self) {
        (self.order, self.known) = (0, 0);
    }

    /// What is added to linear extrapolation over a step of length h.
    pub fn terms(&self, h: f64) -> Terms<'_> {
        if self.order == 0 {
            return Terms { by_d: 0.0, by_b: 0.0, d: &[], b: &[] };
        }
        let (by_d, by_b) = self.weights(h, self.order);
        Terms { by_d, by_b, d: &self.d, b: &self.b }
    }

    /// Learns the solution (a, mu) of a step.
    pub fn learn(&mut self, data: &StepData, slopes: &Slopes, solution: (&[f64], &[f64])) {
        if self.d.is_empty() {
            return;
        }
        let (h, w, known) = (data.h, slopes.w, self.known);
        let usable = if known == 0 { (0.0, 0.0) } else { self.weights(h, known) };
        let mut missed = [0.0; 3];
        let at = solution.0.len();
        let parts = [(data.a_al, slopes.a_al, solution.0, 0), (data.mu, slopes.mu, solution.1, at)];
        for (from, before, solution, first) in parts {
            let differences = self.d[first..].iter_mut().zip(&mut self.b[first..]);
            for ((d, b), (x, (from, before))) in differences.zip(solution.iter().zip(from.iter().zip(before))) {
                let linear = x - (from + w * (from - before));
                let second = linear - usable.0 * *d;
                missed[0] += linear.abs();
                missed[1] += second.abs();
                missed[2] += (second - usable.1 * *b).abs();
                (*d, *b) = (linear, second);
            }
        }
        self.h = h;
        self.known = (known + 1).min(2);
        self.order = match missed {
            [linear, second, third] if known > 1 && third < BETTER * second && third < BETTER * linear => 2,
            [linear, second, _] if known > 0 && second < BETTER * linear => 1,
            _ => 0,
        };
    }
}

/// by_d d + by_b b; nothing where there are no differences.
pub(super) struct Terms<'a> {
    by_d: f64,
    by_b: f64,
    d: &'a [f64],
    b: &'a [f64],
}

impl<'a> Terms<'a> {
    /// Those of the first numbers, and of the others.
    pub fn split_at(&self, at: usize) -> (Terms<'a>, Terms<'a>) {
        let ((d, d_rest), (b, b_rest)) = match self.d.is_empty() {
            true => ((self.d, self.d), (self.b, self.b)),
            false => (self.d.split_at(at), self.b.split_at(at)),
        };
        (Terms { d, b, ..*self }, Terms { d: d_rest, b: b_rest, ..*self })
    }

    /// Extrapolates over a step w times the last one, into two places.
    pub fn predict(&self, w: f64, [x, before]: [&[f64]; 2], [out, other]: [&mut [f64]; 2]) {
        let places = out.iter_mut().zip(other).zip(x.iter().zip(before));
        if self.d.is_empty() {
            for ((out, other), (x, before)) in places {
                *out = x + w * (x - before);
                *other = *out;
            }
            return;
        }
        for (((out, other), (x, before)), (d, b)) in places.zip(self.d.iter().zip(self.b)) {
            *out = x + w * (x - before) + (self.by_d * d + self.by_b * b);
            *other = *out;
        }
    }
}
