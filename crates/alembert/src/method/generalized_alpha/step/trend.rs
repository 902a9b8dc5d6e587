//! What linear extrapolation missed in the last step, and will miss again where the motion is smooth: a second difference,
//! and how it changes. They are added to the predictor as far as that would have been better in the last step.
//!
//! ```text
//! d = x - (linear extrapolation),     b = d - w^2 d_before,     predictor = linear [ + w^2 d [ + b ] ]        w = h/h_before
//! ```

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};

/// Steps are the same up to this share: b is a third difference only then.
const SAME: f64 = 1e-6;
/// How much better a prediction must have been to be believed.
const BETTER: f64 = 0.5;

/// Differences of a and mu, in one vector each.
struct Differences {
    d: Vec<f64>,
    b: Vec<f64>,
    h: f64,
    /// How many of them the next predictor takes, and how many are known.
    order: usize,
    known: usize,
}

impl Keep for Differences {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.d, self.b, self.h, self.order, self.known)
    }
}

impl Differences {
    fn new(size: usize) -> Self {
        Differences { d: vec![0.0; size], b: vec![0.0; size], h: 0.0, order: 0, known: 0 }
    }

    /// Factors of d and b in the predictor of a step of length h, if it takes `order` of them.
    fn weights(&self, h: f64, order: usize) -> (f64, f64) {
        let w = h / self.h;
        let bend = order > 1 && (w - 1.0).abs() < SAME;
        (if order > 0 { w * w } else { 0.0 }, if bend { 1.0 } else { 0.0 })
    }
}

pub(in crate::method::generalized_alpha) struct Trend {
    accepted: Differences,
    pending: Differences,
    /// Whether `pending` belongs to the attempt.
    learned: bool,
}

impl Keep for Trend {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.accepted.keep(archive)
    }
}

impl Trend {
    /// For `size` numbers; for none it does nothing.
    pub fn new(size: usize) -> Self {
        Trend { accepted: Differences::new(size), pending: Differences::new(size), learned: false }
    }

    /// Forgets the past.
    pub fn restart(&mut self) {
        (self.accepted.order, self.accepted.known, self.learned) = (0, 0, false);
    }

    /// Adds the trend to what was extrapolated over a step of length h.
    pub fn add(&self, h: f64, a: &mut [f64], mu: &mut [f64]) {
        let past = &self.accepted;
        if past.order == 0 {
            return;
        }
        let (by_d, by_b) = past.weights(h, past.order);
        let at = a.len();
        for (x, first) in [(a, 0), (mu, at)] {
            for ((x, d), b) in x.iter_mut().zip(&past.d[first..]).zip(&past.b[first..]) {
                *x += by_d * d + by_b * b;
            }
        }
    }

    /// Learns the solution of a step whose predictor was extrapolated from the past.
    pub fn learn(&mut self, h: f64, predictor: (&[f64], &[f64]), solution: (&[f64], &[f64])) {
        if self.accepted.d.is_empty() {
            return;
        }
        let (past, next) = (&self.accepted, &mut self.pending);
        self.learned = true;
        next.h = h;
        next.known = (past.known + 1).min(2);
        let used = past.weights(h, past.order);
        let usable = if past.known == 0 { (0.0, 0.0) } else { past.weights(h, past.known) };
        let mut missed = [0.0; 3];
        let at = solution.0.len();
        for (predictor, solution, first) in [(predictor.0, solution.0, 0), (predictor.1, solution.1, at)] {
            let to = next.d[first..].iter_mut().zip(&mut next.b[first..]);
            let from = past.d[first..].iter().zip(&past.b[first..]);
            for (((d, b), (d0, b0)), (p, x)) in to.zip(from).zip(predictor.iter().zip(solution)) {
                *d = x - p + used.0 * d0 + used.1 * b0;
                *b = *d - usable.0 * d0;
                missed[0] += d.abs();
                missed[1] += b.abs();
                missed[2] += (*b - usable.1 * b0).abs();
            }
        }
        next.order = match missed {
            [linear, second, third] if past.known > 1 && third < BETTER * second && third < BETTER * linear => 2,
            [linear, second, _] if past.known > 0 && second < BETTER * linear => 1,
            _ => 0,
        };
    }

    /// The attempt has been accepted.
    pub fn accept(&mut self) {
        if self.learned {
            std::mem::swap(&mut self.accepted, &mut self.pending);
        }
        self.learned = false;
    }
}
