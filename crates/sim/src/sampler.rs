//! Takes the rows of a result: at equal distances or after every step, and on both sides of events that change the state.

use std::collections::VecDeque;

use alembert::integrator::SAME_TIME as SAME;
use alembert::{Occurrence, State};
use alembert_model::run::Run;

/// Rows closer to the end of a step than this share of their distance are that step's own state.
const CLOSE: f64 = 1e-9;
/// A last row closer to the end than this share of their distance is left out: only a sliver would lie between the two.
const SLIVER: f64 = 1e-6;

/// Takes states at equal distances, or after every step.
pub struct Sampler {
    every: Option<f64>,
    from: f64,
    t_end: f64,
    states: Vec<State>,
    /// Number of the next row.
    next: u64,
    /// Rows of the step that is under way.
    inside: VecDeque<State>,
}

impl Sampler {
    /// For a run from this start.
    pub fn new(run: &Run, start: State) -> Sampler {
        let (every, from, t_end) = (run.output_every, run.t_start, run.t_end);
        Sampler { every, from, t_end, states: vec![start], next: 1, inside: VecDeque::new() }
    }

    /// The times of all rows before the end.
    pub fn times(&self) -> Vec<f64> {
        let Some(every) = self.every else { return Vec::new() };
        let times = (1_u64..).map(|k| self.from + every * k as f64);
        times.take_while(|t| *t < self.t_end - SLIVER * every).collect()
    }

    /// Whether a step that ends at `t` is the last: it ends within rounding of the end.
    pub fn is_end(&self, t: f64) -> bool {
        self.t_end - t <= SAME * self.t_end.abs() + 1e-12 * (self.t_end - self.from)
    }

    /// Takes a row inside the step that is shown next.
    pub fn row(&mut self, state: &State) {
        self.inside.push_back(state.clone());
    }

    /// Takes what the last step passed, and its end if that is a row.
    pub fn step(&mut self, now: &State, last: bool) {
        let Some(every) = self.every else {
            self.states.push(now.clone());
            return;
        };
        let slack = (CLOSE * every).max(SAME * now.t.abs());
        loop {
            let t = self.from + every * self.next as f64;
            if t > now.t - slack {
                // A row that falls on the end of a step is that step's own state.
                if t <= now.t + slack || last {
                    self.states.push(now.clone());
                    self.next += 1;
                }
                break;
            }
            // A row just after the end of the step before was taken there.
            self.inside.retain(|row| row.t >= t);
            let Some(row) = self.inside.pop_front() else { break };
            self.states.push(row);
            self.next += 1;
        }
        self.inside.clear();
    }

    /// Where an event changes the state, there are two rows: before and after.
    pub fn events(&mut self, events: &[Occurrence]) {
        for event in events.iter().filter(|event| event.after != event.before) {
            for state in [&event.before, &event.after] {
                if self.states.last() != Some(state) {
                    self.states.push(state.clone());
                }
            }
        }
    }

    /// All rows.
    pub fn into_states(self) -> Vec<State> {
        self.states
    }
}
