//! Linear algebra: one bordered matrix, factored and solved. Knows numbers, not time or mechanics.

use std::sync::Arc;

mod dense;
mod kkt;
mod large;
mod ldl;
mod pattern;
mod pivoted;
pub mod rank;
mod shelf;
mod small;
mod sparse;
mod structure;
mod twin;

pub use dense::{DenseSolver, LinearSolver, Singular};
pub use kkt::{Bordered, Kkt, Term};
pub(crate) use ldl::Ldl;
pub use pattern::Pattern;
pub use pivoted::Columns;
pub use shelf::Shelf;
pub use sparse::{SparseFactors, SparseSolver, Symbolic, bordered_order};
pub use structure::{SolverChoice, Structure};
pub use twin::Twin;

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};

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
{
    /// A cheap size for the choice of pivots.
    fn size(self) -> f64;
    /// Whether nothing is changed by adding it.
    fn is_zero(self) -> bool;
    /// Writes itself to an archive or reads itself from one. It is not [`Keep`], which is public and must not know the complex
    /// numbers of a linear-algebra crate.
    ///
    /// # Errors
    /// If bytes are missing.
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint>;
    /// For matrices without code of their own size.
    fn large_solver(size: usize) -> Box<dyn LinearSolver<Self>>;
    /// For large matrices with few entries, if there is one for such numbers.
    fn sparse_solver(symbolic: &Arc<Symbolic>) -> Option<Box<dyn SparseFactors<Self>>>;
    /// For those of them that need pivots from anywhere; its matrices are given by the values of their entries.
    fn pivoted_solver(columns: &Arc<Columns>) -> Option<Box<dyn LinearSolver<Self>>>;
    /// Where sparse matrices of such numbers with one structure have the room that they share, if there are any.
    fn shelf(structure: &Structure) -> Option<&Shelf<Self>>;
}

/// Writes numbers to an archive, or reads as many from it.
///
/// # Errors
/// If bytes are missing, or there are more or fewer numbers.
pub fn keep_entries<S: Entry>(entries: &mut [S], archive: &mut Archive) -> Result<(), BadCheckpoint> {
    archive.same("size of a matrix", entries.len() as f64)?;
    entries.iter_mut().try_for_each(|entry| entry.keep(archive))
}

/// Both of two, written out so that they share instructions.
#[inline(always)]
fn each(entry: impl Fn(usize) -> f64) -> [f64; 2] {
    [entry(0), entry(1)]
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
    fn is_zero(self) -> bool {
        self == 0.0
    }
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        Keep::keep(self, archive)
    }
    fn large_solver(size: usize) -> Box<dyn LinearSolver<Self>> {
        Box::new(large::LargeLu::new(size))
    }
    fn sparse_solver(symbolic: &Arc<Symbolic>) -> Option<Box<dyn SparseFactors<Self>>> {
        Some(Box::new(SparseSolver::new(symbolic.clone())))
    }
    fn pivoted_solver(columns: &Arc<Columns>) -> Option<Box<dyn LinearSolver<Self>>> {
        Some(Box::new(pivoted::PivotedLu::new(columns)))
    }
    fn shelf(structure: &Structure) -> Option<&Shelf<Self>> {
        Some(&structure.shelf)
    }
}

impl Entry for faer::c64 {
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
    fn is_zero(self) -> bool {
        self == Self::default()
    }
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.re, self.im)
    }
    fn large_solver(size: usize) -> Box<dyn LinearSolver<Self>> {
        Box::new(large::LargeLu::new(size))
    }
    fn sparse_solver(symbolic: &Arc<Symbolic>) -> Option<Box<dyn SparseFactors<Self>>> {
        Some(Box::new(SparseSolver::new(symbolic.clone())))
    }
    fn pivoted_solver(columns: &Arc<Columns>) -> Option<Box<dyn LinearSolver<Self>>> {
        Some(Box::new(pivoted::PivotedLu::new(columns)))
    }
    fn shelf(structure: &Structure) -> Option<&Shelf<Self>> {
        Some(&structure.complex_shelf)
    }
}
