//! What linear extrapolation missed in the last step, and will miss again where the motion is smooth: a second difference.
//! It is added to the predictor if that would have been better in the last step.

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};

/// Second differences of a and mu, in one vector.
pub(in crate::method::generalized_alpha) struct Trend {
    accepted: Option<Missed>,
    pending: Vec<f64>,
    /// h of the attempt, and whether the trend foretold what it missed.
    attempt: Option<(f64, bool)>,
    spare: Vec<f64>,
}

/// What the last accepted step missed.
struct Missed {
    by: Vec<f64>,
    h: f64,
    /// Whether the step before would have told.
    foretold: bool,
}

impl Keep for Trend {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let mut there = self.accepted.is_some();
        there.keep(archive)?;
        if archive.is_reading() {
            let by = self.accepted.take().map_or_else(|| std::mem::take(&mut self.spare), |missed| missed.by);
            (self.accepted, self.spare) =
                if there { (Some(Missed { by, h: 0.0, foretold: false }), Vec::new()) } else { (None, by) };
        }
        if let Some(Missed { by, h, foretold }) = &mut self.accepted {
            keep!(archive; *by, *h, *foretold)?;
        }
        Ok(())
    }
}

impl Trend {
    pub fn new(size: usize) -> Self {
        Trend { accepted: None, pending: vec![0.0; size], attempt: None, spare: vec![0.0; size] }
    }

    /// Forgets the past.
    pub fn restart(&mut self) {
        if let Some(missed) = self.accepted.take() {
            self.spare = missed.by;
        }
        self.attempt = None;
    }

    /// Adds the trend to what was extrapolated over a step of length h.
    pub fn add(&self, h: f64, a: &mut [f64], mu: &mut [f64]) {
        if let Some(Missed { by, h: before, foretold: true }) = &self.accepted {
            let scale = (h / before) * (h / before);
            let (by_a, by_mu) = by.split_at(a.len());
            for (x, by) in [(a, by_a), (mu, by_mu)] {
                x.iter_mut().zip(by).for_each(|(x, by)| *x += scale * by);
            }
        }
    }

    /// Learns the solution of a step whose predictor was extrapolated from the past.
    pub fn learn(&mut self, h: f64, predictor: (&[f64], &[f64]), solution: (&[f64], &[f64])) {
        let (pending_a, pending_mu) = self.pending.split_at_mut(solution.0.len());
        let parts = [(pending_a, predictor.0, solution.0), (pending_mu, predictor.1, solution.1)];
        let (mut with, mut without, mut first) = (0.0, 0.0, 0);
        for (pending, predictor, solution) in parts {
            for ((to, p), x) in pending.iter_mut().zip(predictor).zip(solution) {
                *to = x - p;
            }
            if let Some(past) = &self.accepted {
                let scale = (h / past.h) * (h / past.h);
                // What linear extrapolation alone would have missed.
                let used = if past.foretold { scale } else { 0.0 };
                for (missed, by) in pending.iter_mut().zip(&past.by[first..]) {
                    *missed += used * by;
                    with += (*missed - scale * by).abs();
                    without += missed.abs();
                }
            }
            first += pending.len();
        }
        self.attempt = Some((h, with < 0.5 * without));
    }

    /// The attempt has been accepted.
    pub fn accept(&mut self) {
        let Some((h, foretold)) = self.attempt.take() else { return };
        let mut by = match self.accepted.take() {
            Some(missed) => missed.by,
            None => std::mem::take(&mut self.spare),
        };
        std::mem::swap(&mut by, &mut self.pending);
        self.accepted = Some(Missed { by, h, foretold });
    }
}
