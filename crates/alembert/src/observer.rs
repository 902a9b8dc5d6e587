//! What a caller sees of an integration.

use std::ops::ControlFlow;

use crate::method::{Attempt, Own};
use crate::state::State;

/// An accepted step.
#[derive(Clone, Copy, Debug)]
pub struct Accepted<'a> {
    /// Length of the step.
    pub h: f64,
    /// The state it reached: q, v, a, lambda, psi, all at the same time.
    pub state: &'a State,
    /// The method's own accelerations and multipliers, at their own times.
    pub own: Own<'a>,
    /// Newton iterations and constraint residuals.
    pub attempt: Attempt,
}

/// Called after every accepted step.
pub trait Observer {
    /// Looks at a step; `Break` ends the integration.
    fn on_step(&mut self, step: &Accepted) -> ControlFlow<()>;
}

impl<F: FnMut(&Accepted) -> ControlFlow<()>> Observer for F {
    fn on_step(&mut self, step: &Accepted) -> ControlFlow<()> {
        self(step)
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn on_step(&mut self, _: &Accepted) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Keeps every state.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// The states in order of time.
    pub states: Vec<State>,
}

impl Observer for Recorder {
    fn on_step(&mut self, step: &Accepted) -> ControlFlow<()> {
        self.states.push(step.state.clone());
        ControlFlow::Continue(())
    }
}
