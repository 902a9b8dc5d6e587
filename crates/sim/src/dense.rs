//! The motion of a run between its rows.
//!
//! ```text
//! start ---- step ---- step ---- | event | ---- step ---- ( singular configuration, passed by a bridge ) ---- step ---- end
//! ```
//!
//! Between steps a state is as accurate as the steps are. Bridges across singular configurations are rows of the result; between
//! those nothing is known.

use alembert::solution::{Kept, NoState};
use alembert::{Accepted, Integrator, Outcome, Solution, State};

use crate::failure::Failure;
use crate::simulate::{End, Trajectory};

/// The steps of a run while it is made.
pub(crate) struct Inside {
    kept: Kept,
    /// Where the last step ended.
    reached: f64,
    /// Stretches without steps.
    gaps: Vec<(f64, f64)>,
}

impl Inside {
    /// From the present state on.
    pub fn new(integrator: &Integrator) -> Inside {
        Inside { kept: Kept::new(integrator), reached: integrator.state().t, gaps: Vec::new() }
    }

    /// Keeps a step.
    pub fn keep(&mut self, step: &Accepted) {
        if step.from().t > self.reached {
            self.gaps.push((self.reached, step.from().t));
        }
        self.reached = step.state.t;
        self.kept.keep(step);
    }
}

/// A motion that knows its state at any time.
pub struct Dense {
    solution: Solution<'static>,
    gaps: Vec<(f64, f64)>,
    /// Why there is no more of it.
    failure: Option<Failure>,
}

impl Dense {
    /// Of a run that is over.
    pub(crate) fn new(integrator: Integrator<'static>, inside: Option<Inside>, trajectory: &Trajectory) -> Dense {
        let Inside { kept, gaps, .. } = inside.unwrap_or_else(|| Inside::new(&integrator));
        let failure = match &trajectory.end {
            End::Failed(failure) => Some(failure.clone()),
            End::Limited(reached) => Some(reached.failure()),
            _ => None,
        };
        // How a run ended is told here, with passages and limits among it.
        Dense { solution: integrator.into_solution(kept, Ok(Outcome::Stopped)), gaps, failure }
    }

    /// The first and the last time that are known.
    pub fn range(&self) -> (f64, f64) {
        let range = self.solution.range();
        (*range.start(), *range.end())
    }

    /// The state at a time; where an event changes it, the one after, or the one before.
    ///
    /// # Errors
    /// If the time lies outside of what was computed, or the system cannot be evaluated there.
    pub fn at(&self, t: f64, before: bool) -> Result<State, Failure> {
        let (from, to) = self.range();
        if !(from..=to).contains(&t) {
            let known = format!("there is no state at t = {t}: the motion is known from {from} to {to}");
            return Err(match self.failure.as_ref().filter(|_| t > to) {
                Some(Failure { message, hint, parameter, .. }) => Failure {
                    hint: hint.clone(),
                    parameter: parameter.clone(),
                    ..Failure::usage(format!("{known} only, where it stopped: {message}"))
                },
                None => Failure::usage(known).with_hint("choose a time in between, or run it further"),
            });
        }
        if let Some((from, to)) = self.gaps.iter().find(|(from, to)| *from < t && t < *to) {
            let message = format!("between t = {from} and {to} a singular configuration was passed without steps");
            return Err(Failure::usage(message).with_hint("the rows of the result have the motion there"));
        }
        let found = if before { self.solution.before(t) } else { self.solution.at(t) };
        found.map_err(|error: NoState| Failure::of(&error))
    }
}
