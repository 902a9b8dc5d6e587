//! The last points of the motion, newest first.

use super::formula::{Formula, MAX_POINTS};
use crate::chart::ChartChange;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::state::State;
use crate::system::Dims;

/// Points kept: one more than any formula needs, for estimates of the next order.
pub(super) const KEPT: usize = MAX_POINTS + 1;

/// One point.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub t: f64,
    pub q: Vec<f64>,
    /// The velocity that the formula differentiates: projected with two halves, as solved for without.
    pub v: Vec<f64>,
    /// Multipliers (lambda, psi).
    pub mu: Vec<f64>,
    /// c_n of the step that ended here; 0 for a point of the exact motion.
    pub defect: f64,
    /// (v^ - v)/c_n, about -N q^(k+1); and (mu^ - mu)/(alpha c_n).
    pub shift: Vec<f64>,
    pub mu_shift: Vec<f64>,
    /// Whether the point belongs to the exact motion rather than to the difference equation.
    pub exact: bool,
}

/// The points, in a fixed number of slots.
pub(super) struct History {
    entries: Vec<Entry>,
    len: usize,
}

impl Keep for Entry {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.t, self.q, self.v, self.mu, self.defect, self.shift, self.mu_shift, self.exact)
    }
}

impl Keep for History {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.entries, self.len)?;
        if self.len > self.entries.len() { Err(BadCheckpoint::Corrupt) } else { Ok(()) }
    }
}

impl History {
    pub fn new(dims: Dims) -> Self {
        let (n, m) = (dims.v, dims.constraints());
        let entry = Entry {
            t: 0.0,
            q: vec![0.0; dims.q],
            v: vec![0.0; n],
            mu: vec![0.0; m],
            defect: 0.0,
            shift: vec![0.0; n],
            mu_shift: vec![0.0; m],
            exact: true,
        };
        History { entries: vec![entry; KEPT], len: 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The points, newest first.
    pub fn points(&self) -> &[Entry] {
        &self.entries[..self.len]
    }

    /// The same, to change.
    pub fn points_mut(&mut self) -> &mut [Entry] {
        &mut self.entries[..self.len]
    }

    /// Moves all points to another chart.
    pub fn rechart(&mut self, change: &mut ChartChange) {
        self.points_mut().iter_mut().for_each(|entry| change.apply(&mut entry.q));
    }

    /// Times, newest first.
    pub fn times(&self) -> impl Iterator<Item = f64> + '_ {
        self.points().iter().map(|entry| entry.t)
    }

    /// A new newest point, taken from a state as a point of the exact motion; the oldest is overwritten.
    pub fn push(&mut self, state: &State) -> &mut Entry {
        self.entries.rotate_right(1);
        self.len = (self.len + 1).min(KEPT);
        let entry = &mut self.entries[0];
        entry.t = state.t;
        entry.q.copy_from_slice(&state.q);
        entry.v.copy_from_slice(&state.v);
        let (lambda, psi) = entry.mu.split_at_mut(state.lambda.len());
        lambda.copy_from_slice(&state.lambda);
        psi.copy_from_slice(&state.psi);
        entry.defect = 0.0;
        entry.shift.fill(0.0);
        entry.mu_shift.fill(0.0);
        entry.exact = true;
        entry
    }

    /// The newest point; before the first one, zeros.
    pub fn newest(&self) -> &Entry {
        &self.entries[0]
    }

    /// Largest size of one quantity over the last `count` points.
    pub fn largest(&self, count: usize, of: fn(&Entry) -> &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for entry in self.points().iter().take(count) {
            for (out, x) in out.iter_mut().zip(of(entry)) {
                *out = out.max(x.abs());
            }
        }
    }

    /// P(t_n) and P'(t_n) of one quantity. Differences from the newest point keep rounding small.
    pub fn extrapolate(&self, formula: &Formula, of: fn(&Entry) -> &[f64], value: &mut [f64], slope: &mut [f64]) {
        let points = self.points();
        let newest = of(self.newest());
        value.copy_from_slice(newest);
        slope.fill(0.0);
        for (i, entry) in points.iter().enumerate().take(formula.points).skip(1) {
            let (l, d) = (formula.value[i], formula.slope[i]);
            for ((value, slope), (x, x0)) in value.iter_mut().zip(&mut *slope).zip(of(entry).iter().zip(newest)) {
                *value += l * (x - x0);
                *slope += d * (x - x0);
            }
        }
    }
}
