//! What a caller sees of an integration.

use std::ops::ControlFlow;

use crate::event::Occurrence;
use crate::method::{Attempt, Own};
use crate::state::State;

/// An accepted step.
#[derive(Clone, Copy, Debug)]
pub struct Accepted<'a> {
    /// Length of the step.
    pub h: f64,
    /// The state it reached: q, v, a, lambda, psi, all at the same time. At an event that changes the motion, the one before.
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

    /// Looks at a state that was [wanted](crate::Integrator::show_at), before the step that contains it; `Break` ends the
    /// integration.
    #[allow(unused_variables)]
    fn on_row(&mut self, state: &State) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Looks at an event of the step shown last; `Break` ends the integration.
    #[allow(unused_variables)]
    fn on_event(&mut self, event: &Occurrence) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
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

/// Keeps every state, at events that change it the one before and the one after.
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

    fn on_event(&mut self, event: &Occurrence) -> ControlFlow<()> {
        if event.after != event.before && self.states.last() != Some(&event.after) {
            self.states.push(event.after.clone());
        }
        ControlFlow::Continue(())
    }
}
