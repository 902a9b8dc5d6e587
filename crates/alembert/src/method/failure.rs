//! `StepFailure`: why a step could not be made, in words.

use std::fmt;

use crate::acceleration::AccelerationFailure;
use crate::advice::{Advised, displayed};
use crate::equations::NotFinite;
use crate::linear::Singular;
use crate::newton::NewtonFailure;
use crate::state::Unknown;

/// Why an attempt failed. A shorter step may succeed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepFailure {
    /// A function of the system is not finite.
    NotFinite(NotFinite),
    /// A number of the state itself overflows, although all functions of the system are finite.
    Overflow {
        /// Of which kind it is.
        quantity: Unknown,
        /// Which one of them.
        index: usize,
    },
    /// A matrix of the step is singular.
    Singular(Singular),
    /// The constraints become dependent during the step: a dead point.
    Crossing {
        /// The constraint most involved, holonomic ones first.
        constraint: usize,
    },
    /// Constraints that depend on each other cannot all be met at the end of the step.
    Contradiction {
        /// The one most at fault, holonomic ones first.
        constraint: usize,
        /// The next one; the same where it contradicts itself.
        other: usize,
        /// What is left of the first.
        residual: f64,
    },
    /// Something that no constraint holds together has come apart.
    Opened {
        /// Which of the [gaps](crate::Description::gaps).
        gap: usize,
        /// How far it is open.
        open: f64,
        /// The most that it may be.
        most: f64,
    },
    /// An eigenvalue of the mass matrix has changed its sign on the way.
    MassSign {
        /// The coordinate most involved.
        coordinate: usize,
    },
    /// The force goes to infinity on the way.
    Pole {
        /// On this coordinate.
        coordinate: usize,
    },
    /// A constraint jumps on the way: positions cannot follow.
    ConstraintJump {
        /// The holonomic constraint.
        constraint: usize,
        /// By how much.
        jump: f64,
    },
    /// A constraint asks for a jump of velocities on the way.
    VelocityJump {
        /// The constraint, holonomic ones first.
        constraint: usize,
        /// By how much its rate, or its value if it is nonholonomic, jumps.
        jump: f64,
    },
    /// Rounding of the constraints alone changes velocities by more than the tolerance in such short steps.
    Rounding {
        /// The coordinate most involved.
        coordinate: usize,
        /// How far rounding moves it.
        moved: f64,
        /// The length below which steps take that for a velocity beyond the tolerance.
        shortest: f64,
    },
    /// The mass matrix is singular, and the method needs its inverse.
    Massless {
        /// A velocity without mass of its own.
        coordinate: usize,
    },
    /// Newton's method does not converge.
    Diverged {
        /// Iterations made.
        iterations: usize,
        /// The last contraction factor.
        theta: f64,
    },
    /// The acceleration level has no solution near the last one: the reaction is nonlinear in the multipliers.
    NoMultipliers,
    /// A body turns so far in the step that configurations do not tell how often it went round.
    Turn {
        /// The first angular velocity of the rotation.
        coordinate: usize,
        /// By how much it turns.
        angle: f64,
    },
    /// The step is too long beside the one before for the method to be stable.
    Ratio {
        /// h / h_previous.
        ratio: f64,
        /// The largest ratio allowed.
        limit: f64,
    },
}

impl Advised for StepFailure {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepFailure::NotFinite(failure) => write!(f, "{failure}"),
            StepFailure::Overflow { quantity, index } => {
                write!(f, "the state overflows: {quantity} {index} is infinite or not a number")
            }
            StepFailure::Singular(_) => write!(
                f,
                "the constraints have become dependent, or a massless direction free (singular configuration)"
            ),
            StepFailure::Crossing { .. } => write!(
                f,
                "the constraints become dependent on the way (a dead point): beyond it the motion is not determined"
            ),
            StepFailure::Contradiction { residual, .. } => write!(
                f,
                "the constraints contradict each other from here on: no motion makes one of them less than {residual:.1e}"
            ),
            StepFailure::Opened { open, most, .. } => write!(
                f,
                "what gives way because its dimensions are rounded opens by {open:.1e}, beyond the {most:.1e} that its misfit explains: \
                 other constraints hold it no more (a dead point)"
            ),
            StepFailure::MassSign { .. } => write!(
                f,
                "the mass matrix changes its sign on the way: a mass goes through zero, where accelerations are infinite"
            ),
            StepFailure::Pole { .. } => write!(f, "the force goes to infinity on the way (a pole)"),
            StepFailure::ConstraintJump { jump, .. } => {
                write!(f, "a constraint jumps by {jump:.3e} on the way, and positions cannot follow")
            }
            StepFailure::VelocityJump { jump, .. } => {
                write!(f, "the rate of a constraint jumps by {jump:.3e} on the way, as in an impact")
            }
            StepFailure::Rounding { moved, shortest, .. } => write!(
                f,
                "rounding of the constraints alone moves a body by {moved:.1e}, which steps shorter than {shortest:.1e} take for a \
                 velocity beyond the tolerance"
            ),
            StepFailure::Massless { coordinate } => {
                write!(f, "the mass matrix is singular at velocity {coordinate}, and this method needs its inverse")
            }
            StepFailure::Diverged { iterations, theta } => {
                write!(f, "Newton's method did not converge: {iterations} iterations, last contraction {theta:.2}")
            }
            StepFailure::NoMultipliers => write!(
                f,
                "no multipliers of the nonlinear reaction were found at the new state: Newton's method for the \
                 acceleration level did not converge"
            ),
            StepFailure::Turn { angle, .. } => write!(
                f,
                "a body turns by {angle:.1} rad in the step: from more than half a turn on, its attitudes do not tell which way \
                 it went"
            ),
            StepFailure::Ratio { ratio, limit } => {
                write!(
                    f,
                    "the step is {ratio:.3} times the one before, more than {limit}: at such ratios the method is not stable"
                )
            }
        }
    }

    fn hint(&self) -> Option<String> {
        matches!(self, StepFailure::Massless { .. }).then(|| "generalized-alpha does not".to_owned())
    }
}

impl StepFailure {
    /// Whether it lies in the way of the motion itself, so that it says more than what goes wrong with shorter steps.
    pub(crate) fn is_obstacle(&self) -> bool {
        matches!(
            self,
            StepFailure::Contradiction { .. }
                | StepFailure::Crossing { .. }
                | StepFailure::Opened { .. }
                | StepFailure::MassSign { .. }
                | StepFailure::Pole { .. }
        ) || self.is_jump()
    }

    /// Whether a constraint jumps.
    pub(crate) fn is_jump(&self) -> bool {
        matches!(self, StepFailure::ConstraintJump { .. } | StepFailure::VelocityJump { .. })
    }
}

displayed!(StepFailure);

impl From<NotFinite> for StepFailure {
    fn from(failure: NotFinite) -> Self {
        StepFailure::NotFinite(failure)
    }
}
impl From<Singular> for StepFailure {
    fn from(failure: Singular) -> Self {
        StepFailure::Singular(failure)
    }
}
impl From<NewtonFailure<StepFailure>> for StepFailure {
    fn from(failure: NewtonFailure<StepFailure>) -> Self {
        match failure {
            NewtonFailure::Diverged { iterations, theta } => StepFailure::Diverged { iterations, theta },
            NewtonFailure::Stopped(failure) => failure,
        }
    }
}
impl From<AccelerationFailure> for StepFailure {
    fn from(failure: AccelerationFailure) -> Self {
        match failure {
            AccelerationFailure::NotFinite(failure) => failure.into(),
            AccelerationFailure::Singular(failure) => failure.into(),
            AccelerationFailure::Crossing { constraint } => StepFailure::Crossing { constraint },
            AccelerationFailure::Contradiction { constraint, other, residual } => {
                StepFailure::Contradiction { constraint, other, residual }
            }
            AccelerationFailure::MassSign { coordinate } => StepFailure::MassSign { coordinate },
            AccelerationFailure::Diverged => StepFailure::NoMultipliers,
        }
    }
}
