//! How an integration can end early. The words are in [`words`](super::words).

use crate::method::{BadMethod, StepFailure};
use crate::typical::BadSize;

/// Why an integration ended early. The state reached so far, and what happened until then, is still in the integrator.
#[derive(Clone, Debug, PartialEq)]
pub enum IntegrateError {
    /// A step failed and no shorter one is allowed.
    Step {
        /// Time at the start of the step.
        t: f64,
        /// Its length.
        h: f64,
        /// What happened.
        failure: StepFailure,
        /// The constraint or coordinate involved, by name.
        blame: Option<String>,
    },
    /// Steps have become too small to go on.
    StepTooSmall {
        /// Time at the start of the step.
        t: f64,
        /// Length of the last attempt.
        h: f64,
        /// The shortest step that was allowed; zero if rounding is the limit.
        shortest: f64,
        /// Why even that was too long.
        cause: Obstacle,
        /// The constraint or coordinate involved, by name.
        blame: Option<String>,
    },
    /// The final time is not ahead.
    Backward {
        /// Present time.
        t: f64,
        /// Time asked for.
        t_end: f64,
    },
    /// A limit set by the caller was reached before the final time.
    Limit {
        /// Present time.
        t: f64,
        /// Which limit.
        limit: Limit,
    },
    /// An event could not be treated.
    Event {
        /// Its time.
        t: f64,
        /// Its name.
        name: String,
        /// What happened.
        failure: EventFailure,
    },
    /// A state that was wanted cannot be computed.
    Row {
        /// When.
        t: f64,
        /// What happened.
        failure: StepFailure,
    },
    /// An event restarts the motion again and again without time going on.
    Chattering {
        /// When.
        t: f64,
        /// Its name.
        name: String,
    },
    /// The motion slides along a surface where accelerations jump: it would take steps without end.
    Sliding {
        /// When.
        t: f64,
        /// The coordinate whose acceleration jumps most.
        name: String,
        /// Its accelerations on both sides, which both lead back to the surface.
        accelerations: [f64; 2],
        /// The formula that switches there, where the system [declares](crate::Description::switches) it.
        switch: Option<String>,
    },
    /// The motion cannot go on from where the input jumped.
    Jump {
        /// When.
        t: f64,
        /// What happened.
        failure: EventFailure,
    },
}

/// What made a step too long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Obstacle {
    /// The attempt failed.
    Failure(StepFailure),
    /// Its error was this many times the tolerance.
    Error(f64),
}

/// What a caller can limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Attempted steps.
    Attempts(u64),
    /// Calls of the system's functions.
    Evaluations(u64),
    /// The caller's own test, of a clock for example.
    Interrupt,
}

/// What can go wrong at an event.
#[derive(Clone, Debug, PartialEq)]
pub enum EventFailure {
    /// Its function is not a number.
    NotANumber,
    /// The state there is off a constraint of the mode that follows.
    OffConstraint {
        /// The constraint, by name.
        constraint: String,
        /// How far off.
        residual: f64,
    },
    /// The system cannot be evaluated there, or its constraints are dependent.
    Step(StepFailure),
    /// The coefficient of restitution is not in [0, 1].
    Restitution(f64),
    /// There is no such mode.
    NoSuchMode(usize),
    /// A constraint asks for a jump of velocities where only forces were to jump.
    Impact {
        /// The constraint, by name.
        constraint: String,
        /// How far the velocities would jump.
        moved: f64,
    },
    /// Its action has made an entry of the state something that is not finite.
    NotFinite {
        /// The entry, in words.
        what: String,
        /// What it became.
        value: f64,
    },
    /// The input jumps in a time that was [leapt over](crate::Integrator::leap).
    LeaptOver,
    /// Its function depends on these, so it is no surface to bounce off.
    NotASurface(&'static str),
    /// Its function has no gradient there, or none by q.
    NoNormal,
    /// Its derivatives are differences, which are not known well enough for an impact.
    Rough {
        /// Their error, relative to them.
        error: f64,
    },
    /// The gradient supplied is not that of its function.
    WrongGradient {
        /// phi' along a direction by the gradient.
        supplied: f64,
        /// The same by differences.
        measured: f64,
    },
    /// After the impact the surface still closes.
    StillClosing {
        /// How fast.
        speed: f64,
    },
    /// After the impact the normal velocity is not what the restitution asks for.
    LawNotMet {
        /// The normal velocity after.
        speed: f64,
        /// The one that was wanted.
        wanted: f64,
    },
    /// Its function jumps over zero, where nothing can bounce.
    Jump,
    /// The motion starts at rest on a surface with two sides.
    NoSide,
}

/// Why an integration could not begin.
#[derive(Clone, Debug, PartialEq)]
pub enum StartError {
    /// The scheme is out of range or does not fit the system.
    Method(BadMethod),
    /// The system cannot be evaluated at the start.
    Start {
        /// The time of the start.
        t: f64,
        /// What happened.
        failure: StepFailure,
    },
    /// A mode has other coordinates than the first system.
    Coordinates {
        /// Sizes of q and v of the system.
        expected: (usize, usize),
        /// Sizes of q and v of the mode.
        actual: (usize, usize),
    },
    /// A typical size cannot be used.
    Size(BadSize),
}

impl From<BadMethod> for StartError {
    fn from(bad: BadMethod) -> Self {
        StartError::Method(bad)
    }
}
