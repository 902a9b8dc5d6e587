//! Linear algebra: one bordered matrix, factored and solved. Knows numbers, not time or mechanics.

use std::sync::Arc;

mod dense;
mod kkt;
mod large;
mod pattern;
pub mod rank;
mod small;
mod sparse;
mod structure;
mod twin;

pub use dense::{DenseSolver, LinearSolver, Singular};
pub use kkt::{Bordered, Kkt, Term};
pub use pattern::Pattern;
pub use sparse::{Field, SparseFactors, SparseSolver, Symbolic, bordered_order};
pub use structure::Structure;
pub use twin::Twin;

/// Real and complex numbers a matrix can hold.
pub trait Entry:
    'static
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
    /// Whether nothing is changed by adding it.
    fn is_zero(self) -> bool;
    /// For matrices without code of their own size.
    fn large_solver(size: usize) -> Box<dyn LinearSolver<Self>>;
    /// For large matrices with few entries, if there is one for such numbers.
    fn sparse_solver(symbolic: &Arc<Symbolic>) -> Option<Box<dyn SparseFactors<Self>>>;
}

/// Both of two, written out so that they share instructions.
#[inline(always)]
fn each(entry: impl Fn(usize) -> f64) -> [f64; 2] {
    [entry(0), entry(1)]
}

/// Factorisations and solves of several matrices.
pub(crate) fn work<const N: usize>(kkts: [&Kkt; N]) -> (u64, u64) {
    (kkts.iter().map(|kkt| kkt.factorisations).sum(), kkts.iter().map(|kkt| kkt.solves).sum())
}

impl Entry for f64 {
    fn size(self) -> f64 {
        self.abs()
    }
    fn is_zero(self) -> bool {
        self == 0.0
    }
    fn large_solver(size: usize) -> Box<dyn LinearSolver<Self>> {
        Box::new(large::LargeLu::new(size))
    }
    fn sparse_solver(symbolic: &Arc<Symbolic>) -> Option<Box<dyn SparseFactors<Self>>> {
        Some(Box::new(SparseSolver::new(symbolic.clone())))
    }
}

impl Entry for faer::c64 {
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
    fn is_zero(self) -> bool {
        self == Self::default()
    }
    fn large_solver(size: usize) -> Box<dyn LinearSolver<Self>> {
        Box::new(large::LargeLu::new(size))
    }
    fn sparse_solver(symbolic: &Arc<Symbolic>) -> Option<Box<dyn SparseFactors<Self>>> {
        Some(Box::new(SparseSolver::new(symbolic.clone())))
    }
}
