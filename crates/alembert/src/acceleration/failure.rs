//! Why there are no accelerations.

use crate::equations::NotFinite;
use crate::linear::Singular;
use crate::redundancy::Contradiction;

/// Why there are no accelerations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AccelerationFailure {
    /// A function of the system is not finite.
    NotFinite(NotFinite),
    /// The constraints are dependent, or a massless direction is free.
    Singular(Singular),
    /// The constraints became dependent between the last accepted state and this one.
    Crossing {
        /// The constraint most involved, holonomic ones first.
        constraint: usize,
    },
    /// Constraints that depend on each other cannot all be met.
    Contradiction {
        /// The one most at fault, holonomic ones first.
        constraint: usize,
        /// The next one; the same where it contradicts itself.
        other: usize,
        /// What is left of the first.
        residual: f64,
    },
    /// The mass matrix has changed its sign since the start: it was singular on the way.
    MassSign {
        /// The coordinate most involved.
        coordinate: usize,
    },
    /// Newton's method for the multipliers did not converge.
    Diverged,
}

impl From<NotFinite> for AccelerationFailure {
    fn from(failure: NotFinite) -> Self {
        AccelerationFailure::NotFinite(failure)
    }
}
impl From<Contradiction> for AccelerationFailure {
    fn from(Contradiction { constraint, other, residual }: Contradiction) -> Self {
        AccelerationFailure::Contradiction { constraint, other, residual }
    }
}
impl From<Singular> for AccelerationFailure {
    fn from(failure: Singular) -> Self {
        AccelerationFailure::Singular(failure)
    }
}
