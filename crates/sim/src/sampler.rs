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

/// Takes states at equal distances, or after every step.
pub struct Sampler {
    every: Option<f64>,
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
        let (every, from, t_end) = (run.output_every, run.t_start, run.t_end);
        Sampler { every, from, t_end, next: 1, last: start.clone(), held: start.clone(), holds: false }
    }

    /// The distance of rows and how many there are before the end.
    pub fn even(&self) -> Option<(f64, usize)> {
        let every = self.every?;
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
        let Some(every) = self.every else { return };
        self.release(take);
        // A row just after the end of the step before was taken there.
        if state.t >= self.from + every * self.next as f64 {
            self.held.clone_from(state);
            (self.holds, self.next) = (true, self.next + 1);
        }
    }

    /// Takes what the last step passed, and its end if that is a row.
    pub fn step(&mut self, now: &State, last: bool, take: Taker) {
        let Some(every) = self.every else { return self.pass(now, take) };
        let slack = (CLOSE * every).max(SAME * now.t.abs());
        let time = |k: u64| self.from + every * k as f64;
        // A row that falls on the end of a step is that step's own state.
        let replaces = self.holds && time(self.next - 1) > now.t - slack;
        let falls = time(self.next) > now.t - slack && time(self.next) <= now.t + slack;
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
        let State { t, q, v, a, lambda, psi } = &self.last;
        bytes.numbers(&[*t]);
        [q, v, a, lambda, psi].into_iter().for_each(|part| bytes.numbers(part));
    }

    /// Takes over what was saved.
    pub fn restore(&mut self, bytes: &mut Reader) -> Result<(), Cut> {
        (self.next, self.holds) = (bytes.word()?, false);
        if !(1..COUNTABLE).contains(&self.next) {
            return Err(Cut);
        }
        let State { t, q, v, a, lambda, psi } = &mut self.last;
        *t = bytes.numbers()?.first().copied().ok_or(Cut)?;
        for part in [q, v, a, lambda, psi] {
            let saved = bytes.numbers()?;
            if saved.len() != part.len() {
                return Err(Cut);
            }
            *part = saved;
        }
        Ok(())
    }
}
