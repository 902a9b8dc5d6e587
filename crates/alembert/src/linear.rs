//! Linear algebra: one bordered matrix, factored and solved. Knows numbers, not time or mechanics.

mod dense;
mod kkt;
mod pattern;
pub mod rank;
mod sparse;
mod structure;

pub use dense::{DenseSolver, LinearSolver, Singular};
pub use kkt::{Bordered, Kkt, Term};
pub use pattern::Pattern;
pub use sparse::{SparseSolver, Symbolic, bordered_order};
pub use structure::Structure;

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};

/// Real and complex numbers a matrix can hold.
pub trait Entry:
    faer::traits::ComplexField
    + Copy
    + Send
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::Neg<Output = Self>
    + std::ops::AddAssign
    + std::ops::SubAssign
    + std::ops::MulAssign
    + std::ops::Mul<f64, Output = Self>
    + Default
    + From<f64>
    + crate::checkpoint::Keep
{
    /// A cheap size for the choice of pivots.
    fn size(self) -> f64;
}

/// What matrices have cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinearWork {
    /// Factorisations.
    pub factorisations: u64,
    /// Solves with factors.
    pub solves: u64,
    /// Factorisations that had to be made again by another solver.
    pub fallbacks: u64,
}

impl std::ops::Add for LinearWork {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        LinearWork {
            factorisations: self.factorisations + other.factorisations,
            solves: self.solves + other.solves,
            fallbacks: self.fallbacks + other.fallbacks,
        }
    }
}

impl std::iter::Sum for LinearWork {
    fn sum<I: Iterator<Item = Self>>(works: I) -> Self {
        works.fold(LinearWork::default(), |sum, work| sum + work)
    }
}

impl Keep for LinearWork {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.factorisations, self.solves, self.fallbacks)
    }
}

impl Entry for f64 {
    fn size(self) -> f64 {
        self.abs()
    }
}

impl Entry for faer::c64 {
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}
