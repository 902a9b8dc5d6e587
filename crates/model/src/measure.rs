//! Results of a run: numbers that a whole motion comes to, as the `[results]` section asks for them.

use alembert::State;

use crate::model::arguments;
use crate::tape::{Registers, Tape};

/// What is made of a formula along a motion.
#[derive(Clone, Debug, PartialEq)]
pub enum Made {
    /// Its largest value.
    Max,
    /// Its smallest value.
    Min,
    /// Its integral over time, divided by the time.
    Mean,
    /// The root of the mean of its square.
    Rms,
    /// Its integral over time.
    Integral,
    /// Its value at the end.
    Last,
    /// Its value at a time.
    At(f64),
    /// Its value just before an event.
    Event {
        /// Which event.
        index: usize,
        /// Which of its occurrences; the last if none.
        which: Option<u64>,
    },
    /// How often an event happens; there is no formula.
    Count {
        /// Which event.
        index: usize,
    },
}

/// A result.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Its name.
    pub name: String,
    /// What is made of the formula.
    pub made: Made,
    /// Only from this time on.
    pub from: Option<f64>,
    /// Only until this time.
    pub to: Option<f64>,
    /// Its unit, for people.
    pub unit: Option<String>,
    /// What figures and words call it.
    pub label: Option<String>,
    pub(crate) tape: Tape,
}

/// Room for evaluations.
#[derive(Debug, Default)]
pub struct Room(Registers);

impl Measure {
    /// The formula at a state.
    pub fn value(&self, state: &State, room: &mut Room) -> f64 {
        self.tape.value(arguments(state), &mut room.0)
    }
}
