//! Direct solution of large sparse systems whose structure stays the same: a static multifrontal block LU, or LDL^T for
//! symmetric matrices.
//!
//! Everything that depends on the places of the entries only is done once ([`Symbolic`]): the order of elimination
//! ([`bordered_order`]), the tree of fronts, where each value and each update goes. Factoring and solving are then loops
//! over small dense blocks, without searching and without allocation. Rows are exchanged inside such a block only; an
//! order in which every block is regular, as for bordered matrices, is the caller's part.

mod fronts;
mod kernel;
mod numeric;
mod order;
mod solve;
mod symbolic;
mod tree;

use std::sync::Arc;

use crate::checkpoint::{Archive, BadCheckpoint, Keep};
use crate::linear::{Entry, Singular, keep_entries};

pub use order::bordered_order;
pub use symbolic::Symbolic;

/// Evaluates an expression with a constant W in place of a width from 1 to [`symbolic::PANEL`].
macro_rules! with_width {
    ($width:expr, $w:ident => $body:expr) => {
        with_width!($width, $w, $body, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    };
    ($width:expr, $w:ident, $body:expr, $($n:literal)*) => {
        match $width {
            $($n => { const $w: usize = $n; $body })*
            width => unreachable!("a panel of {width} columns"),
        }
    };
}
use with_width;

/// Numbers that faer can multiply in blocks.
pub trait Field: Entry + faer::traits::ComplexField {}
impl<S: Entry + faer::traits::ComplexField> Field for S {}

/// Factors matrices of one structure, given by the values of their entries, and solves with them.
pub trait SparseFactors<S>: Send {
    /// Factors. Of a `symmetric` matrix one triangle is not used.
    ///
    /// # Errors
    /// If an unknown has no usable pivot.
    fn factor(&mut self, values: &[S], symmetric: bool) -> Result<(), Singular>;
    /// Replaces `rhs` by the solution; needs scratch of the same size.
    fn solve(&self, rhs: &mut [S], scratch: &mut [S]);
    /// The same for two right-hand sides in one sweep, with scratch for both.
    fn solve_two(&self, first: &mut [S], second: &mut [S], scratch: &mut [S]);
    /// Shows every unknown with the share that its pivot has in the sum of the sizes of what it was computed from: how near the
    /// matrix is to a singular one, whatever the units of its unknowns.
    fn each_pivot(&self, show: &mut dyn FnMut(usize, f64));
    /// The room of what [`each_pivot`](Self::each_pivot) shows: whoever does not ask may take it after a factorisation.
    fn pivots(&mut self) -> &mut Vec<f64>;
    /// Keeps the factors.
    ///
    /// # Errors
    /// If bytes are missing, or sizes differ.
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint>;
}

impl<S: Field> SparseFactors<S> for SparseSolver<S> {
    fn factor(&mut self, values: &[S], symmetric: bool) -> Result<(), Singular> {
        self.factor(values, symmetric)
    }
    fn solve(&self, rhs: &mut [S], scratch: &mut [S]) {
        self.solve(rhs, scratch);
    }
    fn solve_two(&self, first: &mut [S], second: &mut [S], scratch: &mut [S]) {
        self.solve_two(first, second, scratch);
    }
    fn each_pivot(&self, show: &mut dyn FnMut(usize, f64)) {
        self.shares.iter().zip(&self.symbolic.order).for_each(|(share, unknown)| show(*unknown as usize, *share));
    }
    fn pivots(&mut self) -> &mut Vec<f64> {
        &mut self.shares
    }
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.symmetric.keep(archive)?;
        if !self.symmetric {
            self.upper.resize(self.symbolic.right(), S::default());
            keep_entries(&mut self.upper, archive)?;
        }
        keep_entries(&mut self.lower, archive)?;
        archive.growing(&mut self.shares)
    }
}

/// Factors sparse matrices of one structure and solves with them. Memory is taken in [`new`](Self::new), and once more by
/// the first unsymmetric matrix.
pub struct SparseSolver<S> {
    symbolic: Arc<Symbolic>,
    /// Panels of all fronts, and the transposed rows of unsymmetric matrices, which are there once one was met.
    lower: Vec<S>,
    upper: Vec<S>,
    symmetric: bool,
    /// Updates on their way up the tree.
    stacks: [Vec<S>; 2],
    /// The share that each pivot has in the sum of the sizes of what it was computed from, in the order of elimination.
    shares: Vec<f64>,
    /// A pivot up to this share of its sum is rounding error.
    noise: f64,
    work: Vec<S>,
    turned: Vec<S>,
}

impl<S: Field> SparseSolver<S> {
    /// A solver for matrices with the analysed structure.
    pub fn new(symbolic: Arc<Symbolic>) -> Self {
        let zeros = |count: usize| vec![S::default(); count];
        let size = symbolic.size;
        let scratch = numeric::scratch(&symbolic);
        SparseSolver {
            lower: zeros(symbolic.fill()),
            upper: Vec::new(),
            symmetric: false,
            stacks: symbolic.stacks.map(zeros),
            shares: Vec::new(),
            noise: f64::EPSILON * (32 + size) as f64,
            work: zeros(scratch),
            turned: zeros(scratch),
            symbolic,
        }
    }

    /// The smallest share a pivot has in the sum of the sizes of what it was computed from, at most 1: how near the
    /// matrix is to a singular one, whatever the units of its unknowns.
    #[cfg(all(alembert_internals, not(test)))]
    pub fn smallest_pivot(&self) -> f64 {
        self.shares.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests;
