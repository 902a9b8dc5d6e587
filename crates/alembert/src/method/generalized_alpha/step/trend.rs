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

    /// Adds the trend to what was extrapolated over a step of length h.
    pub fn add(&self, h: f64, a: &mut [f64], mu: &mut [f64]) {
        if self.order == 0 {
            return;
        }
        let (by_d, by_b) = self.weights(h, self.order);
        let at = a.len();
        for (x, first) in [(a, 0), (mu, at)] {
            for ((x, d), b) in x.iter_mut().zip(&self.d[first..]).zip(&self.b[first..]) {
                *x += by_d * d + by_b * b;
            }
        }
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
