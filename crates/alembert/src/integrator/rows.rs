//! Rows: times at which states are wanted, without ending steps there.
//!
//! ```text
//! t0 ----+------+------+----- t1        a step with rows: its inside is made as accurate as its ends, see `between`,
//!                                       before it is accepted
//! t0 ----+                              where that fails: the step is made again, to the first row
//! ```
//!
//! A rejected attempt leaves no trace, so that nothing has to be undone. The steps that follow end at their rows too, because
//! what makes a step unfit (stiff springs, contacts) rarely lasts for one step only; now and then a longer one is tried.
//! Prescribed steps cannot end elsewhere: their rows are then only as accurate as the method's own interpolation, and are counted.

use super::{IntegrateError, Integrator};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::observer::Observer;
use crate::schedule::{BadTime, SAME, length_to};
use crate::state::State;

/// After a first failure steps end at this many rows before a longer step is tried. The number doubles with each further failure,
/// up to one with which vain attempts are a few per cent of the work.
const FEW: usize = 4;
const MANY: usize = 64;
/// Parts of a step that its energy balance is made of.
const MOST_PARTS: usize = 32;

/// Times in order: a list, or equally far apart, which takes no memory however many they are.
enum Times {
    Listed(Vec<f64>),
    /// from + k every, k = 1 to count.
    Even {
        from: f64,
        every: f64,
        count: usize,
    },
}

impl Default for Times {
    fn default() -> Self {
        Times::Listed(Vec::new())
    }
}

impl Times {
    fn get(&self, index: usize) -> Option<f64> {
        match self {
            Times::Listed(times) => times.get(index).copied(),
            Times::Even { from, every, count } => (index < *count).then(|| from + every * (index + 1) as f64),
        }
    }

    fn len(&self) -> usize {
        match self {
            Times::Listed(times) => times.len(),
            Times::Even { count, .. } => *count,
        }
    }

    /// How many times from the first on are past.
    fn partition_point(&self, is_past: impl Fn(f64) -> bool) -> usize {
        let (mut known, mut open) = (0, self.len());
        while known < open {
            let middle = known + (open - known) / 2;
            match self.get(middle) {
                Some(t) if is_past(t) => known = middle + 1,
                _ => open = middle,
            }
        }
        known
    }
}

/// Times at which states are wanted, in order.
#[derive(Default)]
pub(super) struct Rows {
    times: Times,
    /// How many more rows steps must end at.
    landings: usize,
    /// How many it will be after the next failure, not counting the first few.
    patience: usize,
    /// Room for a row.
    state: Option<State>,
}

impl Keep for Rows {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.landings, self.patience)
    }
}

impl Rows {
    fn add(&mut self, times: &[f64]) -> Result<(), BadTime> {
        if let Some((index, &t)) = times.iter().enumerate().find(|(_, t)| !t.is_finite()) {
            return Err(BadTime { index, t });
        }
        let mut all: Vec<f64> = (0..self.times.len()).filter_map(|index| self.times.get(index)).collect();
        all.extend(times);
        all.sort_by(f64::total_cmp);
        all.dedup_by(|later, kept| is_same(*kept, *later));
        self.times = Times::Listed(all);
        Ok(())
    }

    fn add_even(&mut self, from: f64, every: f64, count: usize) -> Result<(), BadTime> {
        let last = from + every * count as f64;
        let times = [from, every, last];
        if let Some(index) = times.iter().position(|t| !t.is_finite()).or((every <= 0.0).then_some(1)) {
            return Err(BadTime { index, t: times[index] });
        }
        let even = Times::Even { from, every, count };
        if self.times.len() == 0 {
            self.times = even;
            return Ok(());
        }
        self.add(&(0..count).filter_map(|index| even.get(index)).collect::<Vec<f64>>())
    }

    /// The first row that is not at `t` or before.
    fn index_after(&self, t: f64) -> usize {
        self.times.partition_point(|row| row <= t || is_same(t, row))
    }

    /// The first row inside a step.
    fn first_within(&self, t: f64, end: f64) -> Option<f64> {
        let row = self.times.get(self.index_after(t))?;
        (row < end && !is_same(row, end)).then_some(row)
    }

    /// Into how many parts rows divide a step, up to a number that is worth its cost. Where steps can be of any length, as in a
    /// mechanism without degrees of freedom, the rows that the user wants are the best hint at what happens in between.
    pub fn parts(&self, t: f64, end: f64) -> usize {
        (self.index_after(end) - self.index_after(t)).clamp(1, MOST_PARTS)
    }

    /// Where a step from `t` must end at the latest.
    pub fn limit(&self, t: f64, t_end: f64) -> f64 {
        let row = self.times.get(self.index_after(t)).filter(|_| self.landings > 0);
        row.map_or(t_end, |row| row.min(t_end))
    }
}

/// Whether two times cannot be told from each other.
fn is_same(t: f64, later: f64) -> bool {
    later - t <= SAME * later.abs().max(t.abs())
}

impl Integrator<'_> {
    /// Asks for states at these times. Steps need not end there: states inside a step are made as accurate as its end, on the
    /// constraints, with the accelerations and multipliers that belong to them. Only where that is impossible (because the step
    /// does not resolve what moves, as with stiff springs) do steps that are chosen by error end at these times. [`Stats::rows`]
    /// counts both kinds.
    ///
    /// [`run`](Self::run) shows the states to [`Observer::on_row`]. A caller that makes its own steps gets those of the last one from
    /// [`consistent_at`](Self::consistent_at).
    ///
    /// # Errors
    /// If a time is not a number.
    ///
    /// [`Stats::rows`]: crate::Stats::rows
    pub fn show_at(&mut self, times: &[f64]) -> Result<(), BadTime> {
        self.rows.add(times)
    }

    /// The same at `count` times, `every` apart, the first of them `every` after `from`; they take no memory.
    ///
    /// # Errors
    /// If `every` is not positive (its place is then 1), or a time is not a number.
    pub fn show_every(&mut self, from: f64, every: f64, count: usize) -> Result<(), BadTime> {
        self.rows.add_even(from, every, count)
    }

    /// Looks at a step that could be accepted: a shorter length, to the first row within it, if states between its ends would be
    /// less accurate than these.
    pub(super) fn shortened(&mut self, t: f64, h: f64) -> Option<f64> {
        let row = self.rows.first_within(t, t + h)?;
        if self.modes[self.mode].resolves_next() || !self.controller.retries() {
            self.rows.patience = 0;
            return None;
        }
        self.rows.landings = self.rows.patience + FEW;
        self.rows.patience = (2 * self.rows.landings).min(MANY) - FEW;
        self.stats.rows.retries += 1;
        Some(length_to(t, row))
    }

    /// Counts the rows of the step from `t` to `end`.
    pub(super) fn count_rows(&mut self, t: f64, end: f64) {
        let range = self.rows.index_after(t)..self.rows.index_after(end);
        let last =
            range.end.checked_sub(1).filter(|_| range.end > range.start).and_then(|last| self.rows.times.get(last));
        let at_end = last.is_some_and(|last| is_same(last, end));
        let between = (range.len() - usize::from(at_end)) as u64;
        let counts = &mut self.stats.rows;
        if between > 0 && !self.modes[self.mode].resolves(&self.before) {
            counts.coarse += between;
        } else {
            counts.between += between;
        }
        if at_end && self.rows.landings > 0 {
            self.rows.landings -= 1;
            counts.landed += 1;
        } else if at_end {
            counts.between += 1;
        }
    }

    /// Shows the rows of the step from `t` to `end`; whether the observer said stop.
    pub(super) fn show_rows(&mut self, t: f64, end: f64, observer: &mut dyn Observer) -> Result<bool, IntegrateError> {
        let mut stopped = false;
        for index in self.rows.index_after(t)..self.rows.index_after(end) {
            let Some(row) = self.rows.times.get(index) else { break };
            let at_end = is_same(row, end) || row >= end;
            let mut state = self.rows.state.take().unwrap_or_else(|| self.before.clone());
            let shown = if at_end {
                let reached =
                    self.turn.as_ref().map_or_else(|| self.modes[self.mode].method.state(), |turn| &turn.before);
                state.fit(self.modes[self.mode].equations.dims());
                state.assign(reached);
                Ok(())
            } else {
                self.consistent_at(row, &mut state).map(|_| ())
            };
            if shown.is_ok() {
                stopped |= observer.on_row(&state).is_break();
            }
            self.rows.state = Some(state);
            shown.map_err(|failure| IntegrateError::Row { t: row, failure })?;
        }
        Ok(stopped)
    }
}
