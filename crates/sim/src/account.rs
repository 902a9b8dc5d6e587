//! What is known of a run when it is over, however long it was.

use alembert::verdict::Warning;
use alembert::{Occurrence, Summary};

use crate::record::bytes::{Bytes, Cut, Reader};
use crate::results::Outcome;
use crate::simulate::{Beginning, End, Trajectory};

/// Events that are listed; all of them are counted.
pub const LISTED: usize = 1000;

/// An event in brief.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    /// Its name.
    pub name: String,
    /// When.
    pub t: f64,
    /// Whether its function passed through zero upwards.
    pub rising: bool,
    /// The same in words.
    pub words: String,
}

impl Happening {
    /// Of an event.
    pub fn of(event: &Occurrence) -> Happening {
        Happening { name: event.name.clone(), t: event.t, rising: event.rising, words: event.to_string() }
    }

    /// Writes itself.
    pub fn save(&self, bytes: &mut Bytes) {
        bytes.block(self.name.as_bytes());
        bytes.numbers(&[self.t]);
        bytes.word(u64::from(self.rising));
        bytes.block(self.words.as_bytes());
    }

    /// Reads itself.
    ///
    /// # Errors
    /// If bytes are missing.
    pub fn restore(bytes: &mut Reader) -> Result<Happening, Cut> {
        let text = |block: &[u8]| String::from_utf8(block.to_vec()).map_err(|_| Cut);
        let name = text(bytes.block()?)?;
        let [t] = bytes.numbers()?[..] else { return Err(Cut) };
        Ok(Happening { name, t, rising: bytes.word()? == 1, words: text(bytes.block()?)? })
    }
}

/// What is known of a run.
pub struct Account {
    /// Counters, residuals and energy.
    pub summary: Summary,
    /// The first events.
    pub events: Vec<Happening>,
    /// How it ended.
    pub end: End,
    /// Seconds that it took.
    pub time: f64,
    /// What was done to the start.
    pub start: Beginning,
    /// What is not as it should be.
    pub warnings: Vec<Warning>,
    /// What the whole run came to.
    pub results: Vec<Outcome>,
    /// How many singular configurations it has passed.
    pub passages: u64,
    /// Rows of the result.
    pub rows: u64,
    /// The time of the last.
    pub reached: Option<f64>,
    /// The shortest and the longest step, if there were steps.
    pub lengths: Option<(f64, f64)>,
}

impl Account {
    /// Of a run that is in memory.
    pub fn of(trajectory: &Trajectory) -> Account {
        let Trajectory { states, steps, summary, events, end, time, start, warnings, results, passages } = trajectory;
        let shortest = steps.iter().map(|step| step.h).fold(f64::INFINITY, f64::min);
        let longest = steps.iter().map(|step| step.h).fold(0.0, f64::max);
        Account {
            summary: summary.clone(),
            events: events.iter().take(LISTED).map(Happening::of).collect(),
            end: end.clone(),
            time: *time,
            start: start.clone(),
            warnings: warnings.clone(),
            results: results.clone(),
            passages: *passages,
            rows: states.len() as u64,
            reached: states.last().map(|state| state.t),
            lengths: (!steps.is_empty()).then_some((shortest, longest)),
        }
    }
}
