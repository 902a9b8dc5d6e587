//! Who chooses the step size.

mod error;
mod fixed;

pub use error::{BadControl, ErrorControl};
pub use fixed::{BadPattern, FixedSteps};

use crate::checkpoint::{Archive, BadCheckpoint};
use crate::method::{Attempt, StepFailure};

/// What becomes of an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Keep the step.
    Accept,
    /// Do it again with this length.
    Reject {
        /// The shorter step.
        h: f64,
    },
    /// The error is too large, and no shorter step is possible.
    TooSmall {
        /// The shortest step that is allowed; zero if rounding is the limit.
        shortest: f64,
    },
}

/// What to do after a failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Retry {
    /// Try this length.
    Shorter(f64),
    /// No shorter step is possible.
    TooSmall {
        /// The shortest step that is allowed; zero if rounding is the limit.
        shortest: f64,
    },
    /// The controller does not retry.
    Never,
}

/// Proposes step sizes and judges attempts; knows times, lengths and errors, not states.
pub trait StepController: Send {
    /// Whether attempts must come with an error estimate.
    fn needs_estimate(&self) -> bool {
        false
    }

    /// Whether each step must meet the tolerance itself, and not a smaller one that makes the error of the result meet it; see
    /// [`Accumulation`](crate::method::Accumulation).
    fn is_per_step(&self) -> bool {
        false
    }

    /// Whether failed attempts are retried with a shorter step.
    fn retries(&self) -> bool {
        false
    }

    /// Whether the method is to suggest the first step.
    fn wants_first_step(&self) -> bool {
        false
    }

    /// The method's suggestion.
    #[allow(unused_variables)]
    fn suggest(&mut self, h: f64) {}

    /// Learns that the motion starts afresh: what was known of its errors says nothing about what follows.
    fn restart(&mut self) {}

    /// Length of the next step from `t`, `remaining` before the end. Positive and at most `remaining`.
    fn propose(&mut self, t: f64, remaining: f64) -> f64;

    /// Judges a converged step.
    fn judge(&mut self, h: f64, attempt: &Attempt) -> Verdict;

    /// Writes its memory to a checkpoint, or reads it from one; see [`crate::checkpoint`].
    ///
    /// # Errors
    /// If the checkpoint belongs to something else; the default cannot be saved.
    #[allow(unused_variables)]
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        Err(BadCheckpoint::Unsupported)
    }

    /// A shorter step after a failure, if there is one.
    fn after_failure(&mut self, h: f64, failure: &StepFailure) -> Retry;
}
