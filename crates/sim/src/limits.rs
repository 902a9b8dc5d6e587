//! What a run may come to before it is ended: partial, but not lost.
//!
//! ```text
//! steps, rows, seconds       as many as are allowed
//! without progress           at the pace of the last steps the end would take more than 1e11 further ones
//! ```

use alembert_model::run::{Run, RunLimits, Steps};

use crate::failure::Failure;

/// Most steps and most rows, where nothing else is said.
const MOST: u64 = 20_000_000;
/// Steps over which the pace is measured, and how many more may be to come at that pace.
const WINDOW: u64 = 50_000;
const TO_COME: f64 = 1e11;
/// Bytes that a result in memory may take.
const MEMORY: u64 = 1 << 30;

/// What a run may come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Accepted steps.
    pub steps: u64,
    /// Rows of the result.
    pub rows: u64,
    /// Seconds of this program run; steps are not interrupted.
    pub seconds: Option<f64>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: MOST, rows: MOST, seconds: None }
    }
}

impl Limits {
    /// For results that are kept in memory, with states of so many numbers.
    pub fn in_memory(numbers: usize) -> Limits {
        let rows = MEMORY / (8 * numbers as u64 + 256);
        Limits { rows: rows.min(MOST), steps: rows.min(MOST), seconds: None }
    }

    /// The same, or less where a file says so.
    #[must_use]
    pub fn within(self, said: &RunLimits) -> Limits {
        let least = |own: u64, said: Option<u64>| said.map_or(own, |said| own.min(said));
        Limits {
            steps: least(self.steps, said.steps),
            rows: least(self.rows, said.rows),
            seconds: said.seconds.or(self.seconds),
        }
    }

    /// Refuses, before it is run, what is known to come to more.
    ///
    /// # Errors
    /// If there would be too many rows or steps.
    pub fn check(&self, run: &Run) -> Result<(), Failure> {
        let length = run.t_end - run.t_start;
        let refused = |count: f64, most: u64, what: &str, instead: &str| {
            let most = most as f64;
            Failure::usage(format!("this run would have {count:.1e} {what}, more than {most:e}"))
                .with_hint(format!("choose a larger {instead}, an earlier end, or allow more with --max-{what}"))
                .with_parameter(instead)
        };
        if let Some(every) = run.output_every.filter(|every| length / every > self.rows as f64) {
            return Err(refused(length / every, self.rows, "rows", "output_every"));
        }
        if let Steps::Fixed { h, pattern } = &run.steps {
            let count = length / h * pattern.len() as f64 / pattern.iter().sum::<f64>();
            if count > self.steps as f64 {
                return Err(refused(count, self.steps, "steps", "h"));
            }
        }
        Ok(())
    }
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reached {
    /// Of steps.
    Steps(u64),
    /// Of rows.
    Rows(u64),
    /// Of seconds.
    Seconds(f64),
    /// Time hardly advances.
    Progress {
        /// Steps that were looked at.
        steps: u64,
        /// By how much time advanced in them.
        advance: f64,
        /// What is left.
        left: f64,
    },
}

impl Reached {
    /// Its name for machines.
    pub fn name(&self) -> &'static str {
        match self {
            Reached::Steps(_) => "steps",
            Reached::Rows(_) => "rows",
            Reached::Seconds(_) => "seconds",
            Reached::Progress { .. } => "progress",
        }
    }

    /// In words, with what to do.
    pub fn failure(&self) -> Failure {
        match self {
            Reached::Steps(most) => Failure::work(format!("the limit of {most} steps is reached"))
                .with_hint("allow more with --max-steps and continue with --resume, or choose a larger tolerance"),
            Reached::Rows(most) => Failure::work(format!("the limit of {most} rows is reached")).with_hint(
                "allow more with --max-rows and continue with --resume, or choose rows at equal distances with --output-every",
            ),
            Reached::Seconds(most) => Failure::work(format!("the limit of {most} seconds is reached"))
                .with_hint("allow more with --max-seconds and continue with --resume"),
            Reached::Progress { steps, advance, left } => Failure::work(format!(
                "no progress: the last {steps} steps advanced the time by {advance:.1e} together, {left:.1e} is left"
            ))
            .with_hint(
                "a force that switches where the motion stays, as sign(x') in dry friction, stops the time: write it \
                 smoothly, as tanh(x'/v0), or as an event; else choose a larger tolerance or a method for stiff systems",
            ),
        }
    }
}

/// Measures the pace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Where the window began.
    pub t: f64,
    /// At which step.
    pub step: u64,
}

impl Pace {
    /// Looks at the time after a step; the limit if there is no progress.
    pub fn look(&mut self, t: f64, step: u64, t_end: f64) -> Option<Reached> {
        let steps = step - self.step;
        if steps < WINDOW {
            return None;
        }
        let (advance, left) = (t - self.t, t_end - t);
        *self = Pace { t, step };
        (left * steps as f64 > TO_COME * advance).then_some(Reached::Progress { steps, advance, left })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_that_never_arrives_is_told_from_a_slow_one() {
        let mut pace = Pace { t: 0.0, step: 0 };
        assert_eq!(pace.look(1e-12, WINDOW - 1, 1.0), None);
        assert!(matches!(pace.look(1e-12, WINDOW, 1.0), Some(Reached::Progress { .. })));
        // A window of its own: what was slow before does not count.
        assert_eq!(pace.look(0.1, 2 * WINDOW, 1.0), None);
        assert_eq!(pace.look(0.1 + 1e-6, 3 * WINDOW, 1.0), None);
    }
}
