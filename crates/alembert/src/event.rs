//! Events: what happens when a function of the state passes through zero.
//!
//! ```text
//! phi(t, q, v, a, lambda, psi) = 0      rising, falling or either way
//! ```
//!
//! After each accepted step every function is sampled along the dense output of the step; changes of sign
//! are located with states on the constraints, so that an event on a multiplier is as accurate as one on q. The actions
//! are called in the order of time, those of one instant in the order in which they were added.
//!
//! **What is guaranteed.** A crossing is found if the function changes its sign between two samples, and so is a pair of
//! crossings between two samples if the function has one turning point within three neighbouring samples and is convex
//! (or concave) around it. There are eight intervals in a step; [`Event::with_samples`] asks for more. A function that touches
//! zero without passing through may or may not be noticed. A jump of the state by an action is not a crossing, and a jump
//! of the function itself (the cut of `atan2`, a pole) is one only if the event [says so](Event::with_jumps).
//!
//! **After an action** that changes something the motion starts afresh at the same time: positions are kept, velocities
//! are projected onto the constraints in the metric of the mass matrix (the impulsive reaction is reported), accelerations
//! and multipliers are computed, the method forgets its history and the controller its own.
//!
//! A function that is left at zero by its action counts from there: a ball that leaves the floor is not falling onto it.
//! If it was brought to rest and moves on in the direction in which it fired, it fires again. Firing many times in no time is
//! [chattering](crate::integrator::IntegrateError::Chattering), which ends the integration with its name.
//!
//! **An impact** needs derivatives of its function: the approach velocity phi_t + phi_q q' and the normal phi_q. They are
//! exact where the function is an [`EventFormula`] or comes [with a gradient](Event::with_gradient); otherwise they are
//! differences at a distance that is chosen by their estimated errors, and refused where that is not good enough. After an
//! impact the body stays on its side: what passes through zero the other way is the next impact, or an error.

pub(crate) mod difference;
mod formula;
mod locate;
pub(crate) mod memory;
pub(crate) mod partials;
pub(crate) mod root;
pub(crate) mod slope;
pub(crate) mod watch;

pub use formula::EventFormula;

use std::fmt;
use std::sync::Arc;

use crate::space::Space;
use crate::state::State;

/// Which way a function must pass through zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From below.
    Rising,
    /// From above.
    Falling,
    /// Either way.
    #[default]
    Any,
}

impl Direction {
    /// Whether a crossing upwards (or downwards) counts.
    pub(crate) fn counts(self, upwards: bool) -> bool {
        match self {
            Direction::Rising => upwards,
            Direction::Falling => !upwards,
            Direction::Any => true,
        }
    }
}

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Only takes note; changes made to the state are ignored.
    Continue,
    /// Ends the run at the event; changes made to the state are ignored. The next run goes on from there.
    Stop,
    /// Goes on from the state as changed, made consistent.
    Restart,
    /// Newton's impact against the surface phi(t,q) = 0: the normal velocity phi' = phi_t + phi_q q' becomes
    /// -restitution phi', by an impulse along phi_q that all constraints share in. A body that moves away already is left
    /// alone.
    Bounce {
        /// In [0, 1]; 1 loses no energy.
        restitution: f64,
    },
    /// Goes on with another [mode](crate::Integrator::add_mode) of the system, from the state as changed, made consistent.
    Switch(usize),
}

type Value<'e> = Box<dyn FnMut(&State) -> f64 + Send + 'e>;
type Act<'e> = Box<dyn FnMut(&mut State) -> Action + Send + 'e>;
type Differentiate<'e> = Box<dyn FnMut(&State, &Space, &mut Gradient) + Send + 'e>;

/// The derivatives of an event's function at a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gradient {
    /// phi_t.
    pub t: f64,
    /// phi_q. With rotations there is one entry for each velocity: the change when q moves along it.
    pub q: Vec<f64>,
    /// phi_v.
    pub v: Vec<f64>,
}

/// A function to watch, and what to do when it passes through zero.
///
/// ```
/// use alembert::{Action, Direction, Event};
///
/// let floor = Event::new("floor", |state| state.q[1]).with_direction(Direction::Falling).with_bounce(0.8);
/// let top = Event::new("top", |state| state.v[1]).with_action(|_| Action::Continue);
/// # let _ = (floor, top);
/// ```
pub struct Event<'e> {
    pub(crate) name: String,
    pub(crate) direction: Direction,
    /// The modes in which it is watched; all if empty.
    modes: Vec<usize>,
    pub(crate) samples: usize,
    /// Whether jumps over zero count.
    pub(crate) jumps: bool,
    /// How often it happens at most.
    pub(crate) most: Option<u64>,
    /// Whether it is known to be a surface: made so by [`Event::with_bounce`].
    pub(crate) bounces: bool,
    pub(crate) value: Value<'e>,
    pub(crate) gradient: Option<Differentiate<'e>>,
    pub(crate) action: Act<'e>,
}

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("name", &self.name).field("direction", &self.direction).finish_non_exhaustive()
    }
}

impl<'e> Event<'e> {
    /// Stops the run when `value` passes through zero either way. A value that is not a number ends the integration with
    /// an error. It is called in the order of need, not of time, and near the motion as well as on it.
    pub fn new(name: impl Into<String>, value: impl FnMut(&State) -> f64 + Send + 'e) -> Self {
        Event {
            name: name.into(),
            direction: Direction::Any,
            modes: Vec::new(),
            samples: 8,
            jumps: false,
            most: None,
            bounces: false,
            value: Box::new(value),
            gradient: None,
            action: Box::new(|_| Action::Stop),
        }
    }

    /// The same for a function that is written over generic numbers: its derivatives are exact.
    ///
    /// ```
    /// use alembert::{Direction, Event, EventFormula, Scalar};
    ///
    /// /// A platform that moves up and down.
    /// struct Platform;
    ///
    /// impl EventFormula for Platform {
    ///     fn value<S: Scalar>(&self, t: S, q: &[S], _: &[S]) -> S {
    ///         q[1] - (t * 5.0).sin() * 0.1
    ///     }
    /// }
    ///
    /// let platform = Event::from_formula("platform", Platform).with_direction(Direction::Falling).with_bounce(0.9);
    /// # let _ = platform;
    /// ```
    pub fn from_formula(name: impl Into<String>, formula: impl EventFormula + 'e) -> Self {
        let formula = Arc::new(formula);
        let differentiated = Arc::clone(&formula);
        let gradient = move |state: &State, space: &Space, gradient: &mut Gradient| {
            formula::gradient(&*differentiated, state, space, gradient);
        };
        let event = Event::new(name, move |state| formula.value(state.t, &state.q, &state.v));
        Event { gradient: Some(Box::new(gradient)), ..event }
    }

    /// The same event in one direction only.
    pub fn with_direction(self, direction: Direction) -> Self {
        Event { direction, ..self }
    }

    /// The same event with something to do. The action sees the state at the event, on the constraints, and may change v
    /// (and q within the constraints).
    pub fn with_action(self, action: impl FnMut(&mut State) -> Action + Send + 'e) -> Self {
        Event { action: Box::new(action), bounces: false, ..self }
    }

    /// The same event as an impact with a coefficient of restitution in [0, 1]. Its function may depend on t and q only.
    /// With a direction the surface has one side: a motion that starts on it and moves into it begins with an impact.
    pub fn with_bounce(self, restitution: f64) -> Self {
        Event { bounces: true, ..self.with_action(move |_| Action::Bounce { restitution }) }
    }

    /// The same event with the derivatives of its function, which are zero before `gradient` writes them. An impact compares
    /// them with differences and refuses them where they disagree.
    pub fn with_gradient(self, mut gradient: impl FnMut(&State, &mut Gradient) + Send + 'e) -> Self {
        Event { gradient: Some(Box::new(move |state, _, out| gradient(state, out))), ..self }
    }

    /// The same event, which also happens where its function jumps over zero without taking the values between.
    pub fn with_jumps(self) -> Self {
        Event { jumps: true, ..self }
    }

    /// The same event, which happens so many times at most; after that it is passed over.
    pub fn with_times(self, most: u64) -> Self {
        Event { most: Some(most), ..self }
    }

    /// The same event with at least so many intervals a step in which crossings are looked for.
    pub fn with_samples(self, samples: usize) -> Self {
        Event { samples: samples.max(1), ..self }
    }

    /// The same event, watched in one mode only (in several if asked more than once). Where a multiplier does not exist in
    /// every mode, its event must say so.
    pub fn in_mode(mut self, mode: usize) -> Self {
        self.modes.push(mode);
        self
    }

    pub(crate) fn is_watched(&self, mode: usize) -> bool {
        self.modes.is_empty() || self.modes.contains(&mode)
    }
}

/// An event that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrence {
    /// The event's place in the order in which events were added.
    pub event: usize,
    /// Its name.
    pub name: String,
    /// When.
    pub t: f64,
    /// Whether its function passed through zero upwards.
    pub rising: bool,
    /// What it did.
    pub action: Action,
    /// The mode before and after.
    pub modes: (usize, usize),
    /// The state before, on the constraints.
    pub before: State,
    /// The state after, on the constraints of its mode.
    pub after: State,
    /// Time integrals of the multipliers (lambda ; psi) over the instant, in the mode after.
    pub impulse: Vec<f64>,
    /// The impulse along phi_q of a [bounce](Action::Bounce).
    pub contact: f64,
}

impl fmt::Display for Occurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at t = {}", self.name, self.t)?;
        match self.action {
            Action::Continue => Ok(()),
            Action::Stop => write!(f, ": stop"),
            Action::Restart => write!(f, ": the state changes"),
            Action::Bounce { restitution } => write!(f, ": bounce with restitution {restitution}"),
            Action::Switch(mode) => write!(f, ": on to mode {mode}"),
        }
    }
}
