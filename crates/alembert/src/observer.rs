//! What a caller sees of an integration.

use std::fmt;
use std::ops::ControlFlow;

use crate::audit::EnergyBalance;
use crate::event::Occurrence;
use crate::integrator::Inside;
use crate::method::{Attempt, Own, StepFailure};
use crate::state::State;
use crate::stats::Residuals;

/// An accepted step.
pub struct Accepted<'a, 's> {
    /// Length of the step.
    pub h: f64,
    /// The state it reached: q, v, a, lambda, psi, all at the same time. At an event that changes the motion it is the state before.
    pub state: &'a State,
    /// The method's own accelerations and multipliers, at their own times.
    pub own: Own<'a>,
    /// Newton iterations and constraint residuals.
    pub attempt: Attempt,
    /// The events of this step, in the order of time.
    pub events: &'a [Occurrence],
    /// The state after the step's event, or after a jump of the input, if there is one.
    pub(crate) after: Option<&'a State>,
    pub(crate) inside: Inside<'a, 's>,
}

impl Accepted<'_, '_> {
    /// Where the step began; after an event, the state that it has left.
    pub fn from(&self) -> &State {
        self.inside.before()
    }

    /// Where the next step begins: at [`state`](Self::state), unless an event or a jump of the input has changed it.
    pub fn after(&self) -> &State {
        self.after.unwrap_or(self.state)
    }

    /// Whether another piece of the motion begins where the step ends: at an event that changes something, a jump of the input or a
    /// switch.
    pub fn turns(&self) -> bool {
        self.after.is_some()
    }

    /// The [mode](crate::Integrator::add_mode) in which the step was made.
    pub fn mode(&self) -> usize {
        self.inside.mode()
    }

    /// Writes the state at a time within the step, by the interpolation of the method, which says how accurate that is.
    pub fn interpolate(&self, t: f64, out: &mut State) {
        self.inside.interpolate(t, out);
    }

    /// The state at a time within the step, as accurate as its end wherever that is possible and projected onto the
    /// constraints, with the accelerations and multipliers that belong to q and v. It costs two factorisations and, when it is
    /// first asked for in a step, some accelerations inside it.
    ///
    /// # Errors
    /// If the system cannot be evaluated there, or the constraints are dependent.
    pub fn consistent_at(&mut self, t: f64, out: &mut State) -> Result<Residuals, StepFailure> {
        self.inside.consistent_at(t, out)
    }

    /// Where the energy went until the end of the step, if the system says what its energy is.
    pub fn energy(&self) -> Option<EnergyBalance> {
        self.inside.energy()
    }
}

impl fmt::Debug for Accepted<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Accepted { h, state, own, attempt, events, .. } = self;
        let mut told = f.debug_struct("Accepted");
        told.field("h", h).field("state", state).field("own", own).field("attempt", attempt).field("events", events);
        told.finish_non_exhaustive()
    }
}

/// Called after every accepted step.
pub trait Observer {
    /// Looks at a step, and into it if it wants to; `Break` ends the integration.
    fn on_step(&mut self, step: &mut Accepted) -> ControlFlow<()>;

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
    fn on_step(&mut self, step: &mut Accepted) -> ControlFlow<()> {
        self(step)
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn on_step(&mut self, _: &mut Accepted) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Keeps every state; at events that change it, both the one before and the one after.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// The states in order of time.
    pub states: Vec<State>,
}

impl Observer for Recorder {
    fn on_step(&mut self, step: &mut Accepted) -> ControlFlow<()> {
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
