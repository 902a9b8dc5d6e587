//! LU of a sparse matrix with pivots from anywhere, for matrices without pivots in the static order of
//! [`SparseSolver`](super::SparseSolver):
//!
//! ```text
//! P R A Q = L U      Q: order of the columns that keeps L and U sparse whatever the pivots are (COLAMD), found once
//!                    R: powers of two that bring the largest entry of each row near 1, as for dense matrices
//!                    P: puts the largest entry of each column on the diagonal
//! ```
//!
//! Columns are eliminated one by one, by faer's code after Gilbert and Peierls. Blocks of columns would be faster where L and U
//! fill up, but faer does not show their pivots, and without those a singular matrix passes for a regular one.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::perm::PermRef;
use faer::sparse::linalg::lu::simplicial::{self, SimplicialLu};
use faer::sparse::linalg::{LuError, colamd};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par};

use super::dense::{exceeds, reciprocal_power_of_two};
use super::sparse::Field;
use super::{LinearSolver, Singular};

/// A value that has no place: it is always zero.
const NOWHERE: usize = usize::MAX;

/// Where the values of a matrix stand in its columns, and the order of these.
#[derive(Clone, Debug)]
pub struct Columns {
    starts: Vec<usize>,
    rows: Vec<usize>,
    /// Position of each value in its column.
    places: Vec<usize>,
    order: Vec<usize>,
    inverse: Vec<usize>,
}

impl Columns {
    /// Of a square matrix with `values` values. `visit` calls its argument with position, row and column of those that may
    /// be nonzero, and does the same when called again.
    pub(super) fn new(size: usize, values: usize, visit: impl Fn(&mut dyn FnMut(usize, usize, usize))) -> Self {
        let mut starts = vec![0; size + 1];
        visit(&mut |_, _, j| starts[j + 1] += 1);
        for j in 0..size {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let (mut rows, mut places) = (vec![0; starts[size]], vec![NOWHERE; values]);
        visit(&mut |e, i, j| {
            rows[next[j]] = i;
            places[e] = next[j];
            next[j] += 1;
        });
        let mut columns = Columns { starts, rows, places, order: vec![0; size], inverse: vec![0; size] };
        columns.find_order();
        columns
    }

    fn find_order(&mut self) {
        let size = self.order.len();
        let (mut order, mut inverse) = (vec![0; size], vec![0; size]);
        let mut scratch = MemBuffer::new(colamd::order_scratch::<usize>(size, size, self.rows.len()));
        let stack = MemStack::new(&mut scratch);
        if colamd::order(&mut order, &mut inverse, self.symbolic(), Default::default(), stack).is_err() {
            // Only where entries cannot be counted: any order is a valid one.
            order = (0..size).collect();
            inverse = (0..size).collect();
        }
        (self.order, self.inverse) = (order, inverse);
    }

    fn symbolic(&self) -> SymbolicSparseColMatRef<'_, usize> {
        let size = self.order.len();
        SymbolicSparseColMatRef::new_unsorted_checked(size, size, &self.starts, None, &self.rows)
    }

    fn permutation(&self) -> PermRef<'_, usize> {
        PermRef::new_checked(&self.order, &self.inverse, self.order.len())
    }
}

/// Factors of one matrix. Solving does not allocate; factoring does where the factors have more entries than any before.
pub(super) struct PivotedLu<S> {
    columns: Arc<Columns>,
    /// The matrix with scaled rows, column by column.
    values: Vec<S>,
    scale: Vec<f64>,
    lu: SimplicialLu<usize, S>,
    /// Row of the matrix that stands in each row of the factors, and the other way round.
    rows: Vec<usize>,
    inverse: Vec<usize>,
    scratch: MemBuffer,
}

impl<S: Field> PivotedLu<S> {
    pub fn new(columns: &Arc<Columns>) -> Self {
        let size = columns.order.len();
        let scratch = StackReq::or(
            simplicial::factorize_simplicial_numeric_lu_scratch::<usize, S>(size, size),
            simplicial::solve_in_place_scratch::<usize, S>(size, 1, Par::Seq),
        );
        PivotedLu {
            values: vec![S::default(); columns.rows.len()],
            scale: vec![1.0; size],
            lu: SimplicialLu::new(),
            rows: (0..size).collect(),
            inverse: (0..size).collect(),
            scratch: MemBuffer::new(scratch),
            columns: columns.clone(),
        }
    }

    fn assemble(&mut self, values: &[S]) {
        let Columns { rows, places, .. } = &*self.columns;
        let placed = || places.iter().zip(values).filter(|(place, _)| **place != NOWHERE);
        self.scale.fill(0.0);
        for (&place, x) in placed() {
            let scale = &mut self.scale[rows[place]];
            *scale = scale.max(x.size());
        }
        for scale in &mut self.scale {
            // An empty row stays as it is and is found singular.
            *scale = if *scale > 0.0 { reciprocal_power_of_two(*scale) } else { 1.0 };
        }
        for (&place, x) in placed() {
            self.values[place] = *x * self.scale[rows[place]];
        }
    }

    /// Compares each pivot with what rounding leaves of the largest entry of its column.
    fn judge(&mut self) -> Result<(), Singular> {
        let Columns { starts, order, .. } = &*self.columns;
        let upper = self.lu.u_factor_unsorted();
        for (k, &column) in order.iter().enumerate() {
            let entries = &self.values[starts[column]..starts[column + 1]];
            let largest = entries.iter().fold(0.0_f64, |largest, x| largest.max(x.size()));
            // The diagonal is the last entry of a column of U.
            let pivot = upper.val_of_col(k).last().map_or(0.0, |pivot| pivot.size());
            if !exceeds(pivot, f64::EPSILON * order.len() as f64 * largest) {
                return Err(Singular { column });
            }
        }
        Ok(())
    }
}

impl<S: Field> LinearSolver<S> for PivotedLu<S> {
    fn factor(&mut self, values: &[S]) -> Result<(), Singular> {
        self.assemble(values);
        let columns = &*self.columns;
        let matrix = SparseColMatRef::new(columns.symbolic(), &self.values);
        let stack = MemStack::new(&mut self.scratch);
        let PivotedLu { rows, inverse, lu, .. } = self;
        match simplicial::factorize_simplicial_numeric_lu(rows, inverse, lu, matrix, columns.permutation(), stack) {
            Ok(()) => self.judge(),
            Err(LuError::SymbolicSingular { index }) => Err(Singular { column: columns.order[index] }),
            // Factors that do not fit into memory.
            Err(LuError::Generic(_)) => Err(Singular { column: columns.order.first().map_or(0, |first| *first) }),
        }
    }

    fn solve(&mut self, rhs: &mut [S]) {
        let size = rhs.len();
        rhs.iter_mut().zip(&self.scale).for_each(|(x, scale)| *x = *x * *scale);
        let rows = PermRef::new_checked(&self.rows, &self.inverse, size);
        let rhs = MatMut::from_column_major_slice_mut(rhs, size, 1);
        let stack = MemStack::new(&mut self.scratch);
        self.lu.solve_in_place_with_conj(rows, self.columns.permutation(), Conj::No, rhs, Par::Seq, stack);
    }
}
