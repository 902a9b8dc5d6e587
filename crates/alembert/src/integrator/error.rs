//! How an integration can end early, in words.

use std::fmt;

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
        /// What made it too long still.
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
    /// After the impact the surface closes still.
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

impl fmt::Display for EventFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventFailure::NotANumber => {
                write!(f, "its function is not a number\nhint: return a number at every state that can be reached")
            }
            EventFailure::OffConstraint { constraint, residual } => write!(
                f,
                "afterwards the position is off the constraint {constraint} by {residual:.1e}\n\
                 hint: switch where the constraint holds, and let actions change velocities only"
            ),
            EventFailure::Step(failure) => write!(f, "{failure}"),
            EventFailure::Restitution(e) => {
                write!(f, "the coefficient of restitution is {e}\nhint: it lies between 0 and 1")
            }
            EventFailure::Impact { constraint, moved } => write!(
                f,
                "the constraint {constraint} makes velocities jump by {moved:.3e}, as in an impact{}",
                advice(&StepFailure::VelocityJump { constraint: 0, jump: 0.0 }).unwrap_or("")
            ),
            EventFailure::NoSuchMode(mode) => write!(f, "there is no mode {mode}\nhint: `add_mode` returns its number"),
            EventFailure::NotFinite { what, value } => {
                write!(f, "it sets {what} to {value}\nhint: an action must leave numbers; look at what it divides by")
            }
            EventFailure::NotASurface(what) => write!(
                f,
                "its function depends on {what}: nothing can bounce off it\nhint: a surface depends on t and q only"
            ),
            EventFailure::NoNormal => write!(
                f,
                "its surface has no normal there: the derivatives of its function by q are zero or not finite\n\
                 hint: take a function that passes through zero with a slope, the distance for example"
            ),
            EventFailure::Rough { error } => write!(
                f,
                "differences give the derivatives of its function to {error:.0e} only, which is not enough for an impact\n\
                 hint: supply them: `Event::from_formula`, or `Event::with_gradient`"
            ),
            EventFailure::WrongGradient { supplied, measured } => write!(
                f,
                "its gradient is not that of its function: {supplied:e} along a direction where differences give \
                 {measured:e}\nhint: phi_t, phi_q and the signs; with rotations phi_q is taken along the velocities"
            ),
            EventFailure::StillClosing { speed } => write!(
                f,
                "after the impact the surface closes still, with {speed:.3e}: nothing can give way\n\
                 hint: a constraint drives the body into the surface, or surfaces close on it from both sides"
            ),
            EventFailure::LawNotMet { speed, wanted } => write!(
                f,
                "after the impact the normal velocity is {speed:e} instead of {wanted:e}\n\
                 hint: the constraints leave the body almost no way to move there"
            ),
            EventFailure::Jump => write!(
                f,
                "its function jumps over zero, where nothing can bounce\nhint: leave out `jumps`, or take a continuous function"
            ),
            EventFailure::NoSide => write!(
                f,
                "the motion starts at rest on the surface, which has two sides\n\
                 hint: say on which side the body is: direction `falling` if its function is positive there, else `rising`"
            ),
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Failure(failure) => write!(f, "{failure}"),
            Obstacle::Error(norm) => write!(f, "the estimated error is still {norm:.1e} times the tolerance"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Attempts(most) => write!(f, "the limit of {most} attempted steps is reached"),
            Limit::Evaluations(most) => write!(f, "the limit of {most} evaluations is reached"),
            Limit::Interrupt => write!(f, "the caller interrupts (out of time?)"),
        }
    }
}

impl fmt::Display for IntegrateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntegrateError::Step { t, h, failure, blame } => {
                write!(f, "the step from t = {t} with h = {h:e} failed: {failure}{}", Blame(blame))?;
                match failure {
                    StepFailure::Diverged { .. }
                    | StepFailure::NoMultipliers
                    | StepFailure::NotFinite(_)
                    | StepFailure::Overflow { .. } => {
                        write!(f, "\nhint: try a smaller step")
                    }
                    StepFailure::Ratio { limit, .. } => {
                        write!(f, "\nhint: let neighbouring steps differ by at most a factor {limit}")
                    }
                    StepFailure::Singular(_) | StepFailure::Crossing { .. } => {
                        write!(f, "\nhint: look at the configuration at this time; constraints may coincide there")
                    }
                    StepFailure::Massless { .. } => Ok(()),
                    _ => write!(f, "{}", advice(failure).unwrap_or("")),
                }
            }
            IntegrateError::StepTooSmall { t, h, shortest, cause, blame } => {
                write!(f, "the step size has become too small at t = {t}, h = {h:e}: {cause}{}", Blame(blame))?;
                if let Obstacle::Failure(failure) = cause
                    && let Some(advice) = advice(failure)
                {
                    write!(f, "{advice}")
                } else if *shortest > 0.0 {
                    write!(f, "\nhint: steps below {shortest:e} are not allowed; allow them, or loosen the tolerance")
                } else {
                    write!(f, "\nhint: look at the configuration at this time; the motion may end or jump there")
                }
            }
            IntegrateError::Backward { t, t_end } => {
                write!(f, "the final time {t_end} is not after the present time {t}\nhint: integrate forward in time")
            }
            IntegrateError::Limit { t, limit } => {
                write!(
                    f,
                    "stopped at t = {t}: {limit}\nhint: the state reached is kept; raise the limit to go on from it"
                )
            }
            IntegrateError::Event { t, name, failure } => write!(f, "event `{name}` at t = {t}: {failure}"),
            IntegrateError::Row { t, failure } => write!(f, "no consistent state at t = {t} for the output: {failure}"),
            IntegrateError::Chattering { t, name } => write!(
                f,
                "event `{name}` happens again and again at t = {t}, without time going on\n\
                 hint: where bodies come to rest on each other, switch to a mode with a constraint that keeps them together"
            ),
            IntegrateError::Sliding { t, name, accelerations: [before, after] } => write!(
                f,
                "the motion slides along a surface where accelerations jump, at t = {t}: that of {name} is {before:.4e} on \
                 one side and {after:.4e} on the other, and both lead back (dry friction that sticks?)\n\
                 hint: write `tanh(v/eps)` instead of `sign(v)`, with a small velocity eps, or let an event switch to a mode \
                 with a constraint that sticks"
            ),
            IntegrateError::Jump { t, failure: EventFailure::OffConstraint { constraint, residual } } => write!(
                f,
                "the constraint {constraint} jumps by {residual:.3e} at t = {t}, and positions cannot follow{}",
                advice(&StepFailure::ConstraintJump { constraint: 0, jump: 0.0 }).unwrap_or("")
            ),
            IntegrateError::Jump { t, failure } => write!(f, "after the jump at t = {t}: {failure}"),
        }
    }
}

impl std::error::Error for IntegrateError {}

/// What to do about a failure that no other step would mend.
fn advice(failure: &StepFailure) -> Option<&'static str> {
    Some(match failure {
        StepFailure::Contradiction { .. } => {
            "\nhint: redundant constraints are accepted as long as they agree: correct or remove one of these"
        }
        StepFailure::MassSign { .. } => "\nhint: look at the formula of the mass; the motion ends where it is zero",
        StepFailure::Pole { .. } => {
            "\nhint: look for a denominator that becomes zero; end the motion before, with an event, or let bodies bounce there"
        }
        StepFailure::Rounding { .. } => {
            "\nhint: is a body much lighter than its neighbours? give it the mass it has, choose a coarser tolerance, or use Radau, \
             which computes the constraints of formulas without this rounding"
        }
        StepFailure::ConstraintJump { .. } => {
            "\nhint: let the constraint move continuously: a ramp, or a smooth step like tanh"
        }
        StepFailure::VelocityJump { .. } => {
            "\nhint: round the corner off; or, if an impact is meant, name its time as one where inputs jump (`jumps_at` in a \
             model file, `Integrator::jump_at`), or let an event stop there"
        }
        _ => return None,
    })
}

/// " (at NAME)", or nothing.
struct Blame<'a>(&'a Option<String>);

impl fmt::Display for Blame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |name| write!(f, " (at {name})"))
    }
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
    /// A mode has other coordinates than the system it belongs to.
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

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Method(bad) => write!(f, "{bad}"),
            StartError::Size(bad) => write!(f, "{bad}"),
            StartError::Start { t, failure } => write!(f, "cannot start at t = {t}: {failure}"),
            StartError::Coordinates { expected, actual } => write!(
                f,
                "the mode has {} coordinates and {} velocities, the system {} and {}\n\
                 hint: modes differ in their constraints and forces, not in their coordinates",
                actual.0, actual.1, expected.0, expected.1
            ),
        }
    }
}

impl std::error::Error for StartError {}
