//! Who chooses the step size.

mod fixed;

pub use fixed::{BadPattern, FixedSteps};

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
}

/// Proposes step sizes and judges attempts; knows lengths and errors, not states.
pub trait StepController: Send {
    /// Length of the next step, `remaining` before the end. Positive and at most `remaining`.
    fn propose(&mut self, remaining: f64) -> f64;

    /// Judges a converged step.
    fn judge(&mut self, h: f64, attempt: &Attempt) -> Verdict;

    /// A shorter step after a failure, or none if there is nothing left to try.
    fn after_failure(&mut self, h: f64, failure: &StepFailure) -> Option<f64>;
}
