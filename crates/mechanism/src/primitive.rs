//! Scalar functions of attached vectors, each with all its derivatives: what joints, drivers and joint coordinates are sums of.
//!
//! A primitive is a few lines of vector algebra that know nothing of bodies, columns or rotations. To add one: a file here
//! and a line below.

mod angle;
mod clock;
mod component;
mod coordinate;
mod curve;
mod disk;
mod distance;
mod dot;
mod driven_angle;
mod number;
mod projection;
mod rolling;
mod slip;
mod spin;
mod turn;

pub use angle::Angle;
pub use clock::Clock;
pub use component::Component;
pub use coordinate::CoordinateDifference;
pub use curve::OnCurve;
pub use disk::DiskHeight;
pub use distance::{Distance, HalfSquare, SquaredDistance};
pub use dot::Dot;
pub use driven_angle::{DrivenAngle, FollowedAngle};
pub use number::Number;
pub use projection::Projection;
pub use rolling::Rolling;
pub use slip::SlipAlong;
pub use spin::SpinDifference;
pub use turn::TurnDifference;

use std::fmt::Debug;

use crate::expansion::{Share, Vectors};
use crate::formal::{Formal, Setting, Triple};

/// A scalar function of time and attached vectors; see [`crate::expansion`] for what it may say.
pub trait Primitive: Debug + Send + Sync {
    /// Pairs of vectors whose couplings may be nonzero: of holonomic primitives each pair once.
    fn couplings(&self) -> &'static [(u8, u8)];

    /// Which world components of the gradient by vector k may be nonzero.
    fn components(&self, _k: usize) -> [bool; 3] {
        [true; 3]
    }

    /// The axis i of the world where it is e_i.(z_1 - z_0) of its two vectors, for which the assembler has its own loop.
    fn world_axis(&self) -> Option<usize> {
        None
    }

    /// Adds value, time derivatives, and gradients and couplings where they are wanted.
    fn expand(&self, t: f64, vectors: &Vectors, share: &mut Share);

    /// Value and gradient as [formulas](crate::formal); none of what is made of a function that a program gives.
    fn formal(&self, _algebra: &mut dyn Setting, _z: &[Triple]) -> Option<Formal> {
        None
    }
}
