//! How an integration can end early, in words: what happened, what to try, and who is to blame.

use std::fmt;

use super::{EventFailure, IntegrateError, Limit, Obstacle, StartError};
use crate::advice::{Advised, Message, displayed};
use crate::method::StepFailure;

displayed!(EventFailure, IntegrateError, StartError);

impl Advised for EventFailure {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventFailure::NotANumber => write!(f, "its function is not a number"),
            EventFailure::OffConstraint { constraint, residual } => {
                write!(f, "afterwards the position is off the constraint {constraint} by {residual:.1e}")
            }
            EventFailure::Step(failure) => failure.tell(f),
            EventFailure::Restitution(e) => write!(f, "the coefficient of restitution is {e}"),
            EventFailure::Impact { constraint, moved } => {
                write!(f, "the constraint {constraint} makes velocities jump by {moved:.3e}, as in an impact")
            }
            EventFailure::NoSuchMode(mode) => write!(f, "there is no mode {mode}"),
            EventFailure::NotFinite { what, value } => write!(f, "it sets {what} to {value}"),
            EventFailure::LeaptOver => write!(f, "the input jumps in a time that was to be leapt over"),
            EventFailure::NotASurface(what) => {
                write!(f, "its function depends on {what}: nothing can bounce off it")
            }
            EventFailure::NoNormal => write!(
                f,
                "its surface has no normal there: the derivatives of its function by q are zero or not finite"
            ),
            EventFailure::Rough { error } => write!(
                f,
                "differences give the derivatives of its function only to {error:.0e}, which is not enough for an impact"
            ),
            EventFailure::WrongGradient { supplied, measured } => write!(
                f,
                "its gradient is not that of its function: {supplied:e} along a direction where differences give \
                 {measured:e}"
            ),
            EventFailure::StillClosing { speed } => {
                write!(f, "after the impact the surface still closes, at {speed:.3e}: nothing can give way")
            }
            EventFailure::LawNotMet { speed, wanted } => {
                write!(f, "after the impact the normal velocity is {speed:e} instead of {wanted:e}")
            }
            EventFailure::Jump => write!(f, "its function jumps over zero, where nothing can bounce"),
            EventFailure::NoSide => write!(f, "the motion starts at rest on the surface, which has two sides"),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            EventFailure::Step(failure) => return failure.hint(),
            EventFailure::Impact { .. } => VELOCITY_JUMP,
            EventFailure::NotANumber => "return a number at every state that can be reached",
            EventFailure::OffConstraint { .. } => {
                "switch where the constraint holds, and let actions change velocities only"
            }
            EventFailure::Restitution(_) => "it lies between 0 and 1",
            EventFailure::NoSuchMode(_) => "`add_mode` returns its number",
            EventFailure::NotFinite { .. } => "an action must leave numbers; look at what it divides by",
            EventFailure::LeaptOver => "let it jump earlier or later",
            EventFailure::NotASurface(_) => "a surface depends on t and q only",
            EventFailure::NoNormal => "take a function that passes through zero with a slope, the distance for example",
            EventFailure::Rough { .. } => "supply them: `Event::from_formula`, or `Event::with_gradient`",
            EventFailure::WrongGradient { .. } => {
                "check phi_t, phi_q and the signs; with rotations phi_q is taken along the velocities"
            }
            EventFailure::StillClosing { .. } => {
                "a constraint drives the body into the surface, or surfaces close on it from both sides"
            }
            EventFailure::LawNotMet { .. } => "the constraints leave the body almost no way to move there",
            EventFailure::Jump => "leave out `jumps`, or take a continuous function",
            EventFailure::NoSide => {
                "say on which side the body is: direction `falling` if its function is positive there, else `rising`"
            }
        };
        Some(hint.to_owned())
    }

    fn blame(&self) -> Option<String> {
        match self {
            EventFailure::OffConstraint { constraint, .. } | EventFailure::Impact { constraint, .. } => {
                Some(constraint.clone())
            }
            EventFailure::Restitution(_) => Some("restitution".to_owned()),
            _ => None,
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Failure(failure) => failure.tell(f),
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

impl Advised for IntegrateError {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntegrateError::Step { t, h, failure, blame } => {
                write!(f, "the step from t = {t} with h = {h:e} failed: {}{}", Message(failure), Blame(blame))
            }
            IntegrateError::StepTooSmall { t, h, cause, blame, .. } => {
                write!(f, "the step size has become too small at t = {t}, h = {h:e}: {cause}{}", Blame(blame))
            }
            IntegrateError::Backward { t, t_end } => {
                write!(f, "the final time {t_end} is not after the present time {t}")
            }
            IntegrateError::Limit { t, limit } => write!(f, "stopped at t = {t}: {limit}"),
            IntegrateError::Event { t, name, failure } => write!(f, "event `{name}` at t = {t}: {}", Message(failure)),
            IntegrateError::Row { t, failure } => {
                write!(f, "no consistent state at t = {t} for the output: {}", Message(failure))
            }
            IntegrateError::Chattering { t, name } => {
                write!(f, "event `{name}` happens again and again at t = {t}, and no time passes")
            }
            IntegrateError::Sliding { t, name, accelerations: [before, after], switch } => {
                let surface = switch.as_ref().map_or_else(
                    || "a surface where accelerations jump".to_owned(),
                    |switch| format!("a surface where {switch} switches"),
                );
                write!(
                    f,
                    "the motion slides along {surface}, at t = {t}: the acceleration of {name} is {before:.4e} on \
                     one side and {after:.4e} on the other, and both lead back (dry friction that sticks?)"
                )
            }
            IntegrateError::Jump { t, failure: EventFailure::OffConstraint { constraint, residual } } => {
                write!(f, "the constraint {constraint} jumps by {residual:.3e} at t = {t}, and positions cannot follow")
            }
            IntegrateError::Jump { t, failure } => write!(f, "after the jump at t = {t}: {}", Message(failure)),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            IntegrateError::Step { failure, h, .. } => match failure {
                StepFailure::Diverged { .. }
                | StepFailure::NoMultipliers
                | StepFailure::NotFinite(_)
                | StepFailure::Overflow { .. } => "try a smaller step",
                StepFailure::Turn { angle, .. } => {
                    let most = h * std::f64::consts::PI / angle;
                    return Some(format!("take steps shorter than {most:.1e}, or let the error choose them"));
                }
                StepFailure::Ratio { limit, .. } => {
                    return Some(format!("let neighbouring steps differ by a factor of at most {limit}"));
                }
                StepFailure::Singular(_) | StepFailure::Crossing { .. } => {
                    "look at the configuration at this time; constraints may coincide there"
                }
                other => return advice(other).map(str::to_owned).or_else(|| other.hint()),
            },
            IntegrateError::StepTooSmall { shortest, cause, .. } => {
                let known = match cause {
                    Obstacle::Failure(failure) => advice(failure),
                    Obstacle::Error(_) => None,
                };
                match known {
                    Some(known) => known,
                    None if *shortest > 0.0 => {
                        let hint =
                            format!("steps below {shortest:e} are not allowed; allow them, or loosen the tolerance");
                        return Some(hint);
                    }
                    None => "look at the configuration at this time; the motion may end or jump there",
                }
            }
            IntegrateError::Backward { .. } => "integrate forward in time",
            IntegrateError::Limit { .. } => "the state reached is kept; raise the limit to go on from it",
            IntegrateError::Event { failure, .. } => return failure.hint(),
            IntegrateError::Row { failure, .. } => return failure.hint(),
            IntegrateError::Chattering { .. } => {
                "where bodies come to rest on each other, switch to a mode with a constraint that keeps them together"
            }
            IntegrateError::Sliding { .. } => {
                "write `tanh(v/eps)` instead of `sign(v)`, with a small velocity eps, or let an event switch to a mode \
                 with a constraint that sticks"
            }
            IntegrateError::Jump { failure: EventFailure::OffConstraint { .. }, .. } => CONSTRAINT_JUMP,
            IntegrateError::Jump { failure, .. } => return failure.hint(),
        };
        Some(hint.to_owned())
    }

    fn blame(&self) -> Option<String> {
        match self {
            IntegrateError::Step { blame, .. } | IntegrateError::StepTooSmall { blame, .. } => blame.clone(),
            IntegrateError::Event { name, .. }
            | IntegrateError::Chattering { name, .. }
            | IntegrateError::Sliding { name, .. } => Some(name.clone()),
            IntegrateError::Jump { failure, .. } => failure.blame(),
            IntegrateError::Backward { .. } => Some("t_end".to_owned()),
            IntegrateError::Limit { .. } | IntegrateError::Row { .. } => None,
        }
    }
}

const CONSTRAINT_JUMP: &str = "let the constraint move continuously: a ramp, or a smooth step like tanh";
const VELOCITY_JUMP: &str = "round the corner off; or, if an impact is meant, name its time as one where inputs jump (`jumps_at` in a \
                             model file, `Integrator::jump_at`), or let an event stop there";

/// What to do about a failure that no other step would mend.
fn advice(failure: &StepFailure) -> Option<&'static str> {
    Some(match failure {
        StepFailure::Contradiction { .. } => {
            "redundant constraints are accepted as long as they agree: correct or remove one of these"
        }
        StepFailure::Opened { .. } => {
            "give the dimensions of the loop with more digits, so that it closes without giving way, or end the motion before this \
             configuration"
        }
        StepFailure::MassSign { .. } => "look at the formula of the mass; the motion ends where it is zero",
        StepFailure::Pole { .. } => {
            "look for a denominator that becomes zero; end the motion before it with an event, or let bodies bounce there"
        }
        StepFailure::Rounding { .. } => {
            "is a body much lighter than its neighbours? give it the mass it has, choose a coarser tolerance, or use Radau, which \
             computes the constraints of formulas without this rounding"
        }
        StepFailure::ConstraintJump { .. } => CONSTRAINT_JUMP,
        StepFailure::VelocityJump { .. } => VELOCITY_JUMP,
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

impl Advised for StartError {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Method(bad) => bad.tell(f),
            StartError::Size(bad) => bad.tell(f),
            StartError::Start { t, failure } => write!(f, "cannot start at t = {t}: {}", Message(failure)),
            StartError::Coordinates { expected, actual } => write!(
                f,
                "the mode has {} coordinates and {} velocities, the system {} and {}",
                actual.0, actual.1, expected.0, expected.1
            ),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            StartError::Method(bad) => bad.hint(),
            StartError::Size(bad) => bad.hint(),
            StartError::Start { failure, .. } => failure.hint(),
            StartError::Coordinates { .. } => {
                Some("modes differ in their constraints and forces, not in their coordinates".to_owned())
            }
        }
    }

    fn blame(&self) -> Option<String> {
        match self {
            StartError::Method(bad) => bad.blame(),
            _ => None,
        }
    }
}
