//! Takes the rows of a result: at equal distances or after every step, and on both sides of events that change the state.
//!
//! A step may have any number of rows inside. They are passed on as they come, all but the latest: one that falls on the end of
//! the step is that step's own state.

use alembert::integrator::SAME_TIME as SAME;
use alembert::{Occurrence, State};
use alembert_model::run::Run;

use crate::record::bytes::{Bytes, Cut, Reader};
use crate::sink::COUNTABLE;

/// Rows closer to the end of a step than this share of their distance are that step's own state.
const CLOSE: f64 = 1e-9;
/// A last row closer to the end than this share of their distance is left out: only a sliver would lie between the two.
const SLIVER: f64 = 1e-6;

/// Whom rows are passed on to.
pub type Taker<'a> = &'a mut dyn FnMut(&State);

/// When there are rows.
enum Times {
    /// After every step.
    Steps,
    /// At equal distances.
    Every(f64),
    /// At these times.
    Listed(Vec<f64>),
}

/// Takes states at equal distances, at given times, or after every step.
pub struct Sampler {
    times: Times,
    from: f64,
    t_end: f64,
    /// Number of the next row.
    next: u64,
    /// The last row that was passed on.
    last: State,
    /// The latest row of the step that is under way, if there is one.
    held: State,
    holds: bool,
}

impl Sampler {
    /// For a run from this start, which is the first row.
    pub fn new(run: &Run, start: &State) -> Sampler {
        let (from, t_end) = (run.t_start, run.t_end);
        let times = match run.output_every {
            Some(every) => Times::Every(every),
            None if run.t_eval.is_empty() => Times::Steps,
            // The start is a row already, and the end is one in any case.
            None => Times::Listed(run.t_eval.iter().copied().filter(|t| *t > from && *t < t_end).collect()),
        };
        Sampler { times, from, t_end, next: 1, last: start.clone(), held: start.clone(), holds: false }
    }

    /// The times of rows, where they are listed.
    pub fn listed(&self) -> Option<&[f64]> {
        match &self.times {
            Times::Listed(times) => Some(times),
            _ => None,
        }
    }

    /// The time of row k, counted from 1; none if rows are those of steps.
    fn time(&self, k: u64) -> Option<f64> {
        match &self.times {
            Times::Steps => None,
            Times::Every(every) => Some(self.from + every * k as f64),
            Times::Listed(times) => Some(times.get(k as usize - 1).copied().unwrap_or(f64::INFINITY)),
        }
    }

    /// Times closer to the end of a step than this are that end.
    fn slack(&self, t: f64) -> f64 {
        let distance = match &self.times {
            Times::Every(every) => CLOSE * every,
            _ => 0.0,
        };
        distance.max(SAME * t.abs())
    }

    /// The distance of rows and how many there are before the end.
    pub fn even(&self) -> Option<(f64, usize)> {
        let Times::Every(every) = self.times else { return None };
        let is_before = |k: f64| self.from + every * k < self.t_end - SLIVER * every;
        // The quotient may be off by a rounding.
        let mut count = ((self.t_end - self.from) / every).floor();
        while count >= 1.0 && !is_before(count) {
            count -= 1.0;
        }
        while is_before(count + 1.0) {
            count += 1.0;
        }
        Some((every, count as usize))
    }

    /// Whether a step that ends at `t` is the last: it ends within rounding of the end.
    pub fn is_end(&self, t: f64) -> bool {
        self.t_end - t <= SAME * self.t_end.abs() + 1e-12 * (self.t_end - self.from)
    }

    fn pass(&mut self, state: &State, take: Taker) {
        self.last.clone_from(state);
        take(state);
    }

    fn release(&mut self, take: Taker) {
        if self.holds {
            self.holds = false;
            std::mem::swap(&mut self.last, &mut self.held);
            take(&self.last);
        }
    }

    /// Takes a row inside the step that is shown next.
    pub fn row(&mut self, state: &State, take: Taker) {
        let Some(next) = self.time(self.next) else { return };
        self.release(take);
        // A row just after the end of the step before was taken there.
        if state.t >= next {
            self.held.clone_from(state);
            (self.holds, self.next) = (true, self.next + 1);
        }
    }

    /// Takes what the last step passed, and its end if that is a row.
    pub fn step(&mut self, now: &State, last: bool, take: Taker) {
        let Some(next) = self.time(self.next) else { return self.pass(now, take) };
        let slack = self.slack(now.t);
        // A row that falls on the end of a step is that step's own state.
        let replaces = self.holds && self.time(self.next - 1).is_some_and(|held| held > now.t - slack);
        let falls = next > now.t - slack && next <= now.t + slack;
        if replaces {
            self.holds = false;
            return self.pass(now, take);
        }
        self.release(take);
        if falls || last {
            self.next += 1;
            self.pass(now, take);
        }
    }

    /// Takes the rows of a stretch that is known without steps, and its end as that of a step.
    pub fn stretch(&mut self, end: &State, last: bool, at: impl Fn(f64) -> State, take: Taker) {
        let count = self.even().map_or(u64::MAX, |(_, count)| count as u64);
        let until = end.t - self.slack(end.t);
        while let Some(next) = self.time(self.next).filter(|next| *next < until && self.next <= count) {
            self.next += 1;
            self.pass(&at(next), take);
        }
        self.step(end, last, take);
    }

    /// Where an event changes the state, there are two rows: before and after.
    pub fn events(&mut self, events: &[Occurrence], take: Taker) {
        for event in events.iter().filter(|event| event.after != event.before) {
            for state in [&event.before, &event.after] {
                if self.last != *state {
                    self.pass(state, take);
                }
            }
        }
    }

    /// The time of the last row.
    pub fn reached(&self) -> f64 {
        self.last.t
    }

    /// Everything that further rows depend on, between two steps.
    pub fn save(&self, bytes: &mut Bytes) {
        bytes.word(self.next);
        bytes.state(&self.last);
    }

    /// Takes over what was saved.
    pub fn restore(&mut self, bytes: &mut Reader) -> Result<(), Cut> {
        (self.next, self.holds) = (bytes.word()?, false);
        if !(1..COUNTABLE).contains(&self.next) {
            return Err(Cut);
        }
        bytes.state(&mut self.last)
    }
}
