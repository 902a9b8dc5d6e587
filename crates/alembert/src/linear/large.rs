//! LU with partial pivoting for matrices of any size: plain loops up to some, faer's blocked code above.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor;
use faer::traits::ComplexField;
use faer::{MatMut, Par};

use super::Entry;
use super::dense::{LinearSolver, Singular, exceeds, reciprocal_power_of_two};

/// Up to this size plain loops factor as fast as the blocked code (measured on a two-core x86-64: 10.5 against 12.2
/// microseconds at 48, 2.5 against 3.1 at 25). Plain substitution is faster throughout.
pub(super) const PLAIN_LIMIT: usize = 48;

/// Factors of one matrix with scaled rows.
pub(super) struct LargeLu<S> {
    size: usize,
    lu: Vec<S>,
    /// Powers of two that bring the largest entry of each row near 1, so that pivoting compares equations and not units.
    scale: Vec<f64>,
    rhs: Vec<S>,
    /// Row of the matrix that stands in each row of the factors.
    permutation: Vec<usize>,
    inverse: Vec<usize>,
    inverse_pivots: Vec<S>,
    /// Below this a pivot is rounding noise beside the largest entry of its column in the input.
    noise: Vec<f64>,
    scratch: MemBuffer,
}

impl<S: Entry + ComplexField> LargeLu<S> {
    /// A solver for matrices with `size` rows.
    pub fn new(size: usize) -> Self {
        let scratch = factor::lu_in_place_scratch::<usize, S>(size, size, Par::Seq, Default::default());
        LargeLu {
            size,
            lu: vec![S::default(); size * size],
            scale: vec![1.0; size],
            rhs: vec![S::default(); size],
            permutation: (0..size).collect(),
            inverse: (0..size).collect(),
            inverse_pivots: vec![S::default(); size],
            noise: vec![0.0; size],
            scratch: MemBuffer::new(scratch),
        }
    }

    /// Right-looking elimination by columns.
    fn factor_plain(&mut self) -> Result<(), Singular> {
        let n = self.size;
        for (k, row) in self.permutation.iter_mut().enumerate() {
            *row = k;
        }
        for k in 0..n {
            let (left, right) = self.lu.split_at_mut((k + 1) * n);
            let column = &mut left[k * n..];
            let (mut pivot, mut largest) = (k, column[k].size());
            for (i, entry) in column.iter().enumerate().skip(k + 1) {
                if entry.size() > largest {
                    (pivot, largest) = (i, entry.size());
                }
            }
            if !exceeds(largest, self.noise[k]) {
                return Err(Singular { column: k });
            }
            let inverse = S::from(1.0) / column[pivot];
            self.inverse_pivots[k] = inverse;
            column.swap(k, pivot);
            for entry in &mut column[k + 1..] {
                *entry *= inverse;
            }
            for target in right.chunks_exact_mut(n) {
                target.swap(k, pivot);
                let factor = target[k];
                if factor.size() != 0.0 {
                    for (t, l) in target[k + 1..].iter_mut().zip(&column[k + 1..]) {
                        *t -= *l * factor;
                    }
                }
            }
            if pivot != k {
                self.permutation.swap(k, pivot);
                for column in self.lu[..k * n].chunks_exact_mut(n) {
                    column.swap(k, pivot);
                }
            }
        }
        Ok(())
    }

    /// The blocked code, and its pivots.
    fn factor_blocked(&mut self) -> Result<(), Singular> {
        let n = self.size;
        factor::lu_in_place(
            MatMut::from_column_major_slice_mut(&mut self.lu, n, n),
            &mut self.permutation,
            &mut self.inverse,
            Par::Seq,
            MemStack::new(&mut self.scratch),
            Default::default(),
        );
        for k in 0..n {
            let pivot = self.lu[k * n + k];
            if !exceeds(pivot.size(), self.noise[k]) {
                return Err(Singular { column: k });
            }
            self.inverse_pivots[k] = S::from(1.0) / pivot;
        }
        Ok(())
    }
}

impl<S: Entry + ComplexField> LinearSolver<S> for LargeLu<S> {
    fn factor(&mut self, matrix: &[S]) -> Result<(), Singular> {
        let n = self.size;
        self.scale.fill(0.0);
        for k in 0..n {
            for (scale, x) in self.scale.iter_mut().zip(&matrix[k * n..(k + 1) * n]) {
                *scale = scale.max(x.size());
            }
        }
        for scale in &mut self.scale {
            // An empty row stays as it is and is found singular.
            *scale = if *scale > 0.0 { reciprocal_power_of_two(*scale) } else { 1.0 };
        }
        for (k, noise) in self.noise.iter_mut().enumerate() {
            let column = matrix[k * n..(k + 1) * n].iter().zip(&self.scale);
            let mut largest = 0.0_f64;
            for (lu, (x, scale)) in self.lu[k * n..(k + 1) * n].iter_mut().zip(column) {
                *lu = *x * *scale;
                largest = largest.max(lu.size());
            }
            *noise = f64::EPSILON * n as f64 * largest;
        }
        if n <= PLAIN_LIMIT { self.factor_plain() } else { self.factor_blocked() }
    }

    fn solve(&mut self, rhs: &mut [S]) {
        let n = self.size;
        self.rhs.copy_from_slice(rhs);
        for (x, &row) in rhs.iter_mut().zip(&self.permutation) {
            *x = self.rhs[row] * self.scale[row];
        }
        for k in 0..n {
            let x = rhs[k];
            for (r, l) in rhs[k + 1..].iter_mut().zip(&self.lu[k * n + k + 1..(k + 1) * n]) {
                *r -= *l * x;
            }
        }
        for k in (0..n).rev() {
            let x = rhs[k] * self.inverse_pivots[k];
            rhs[k] = x;
            for (r, u) in rhs[..k].iter_mut().zip(&self.lu[k * n..k * n + k]) {
                *r -= *u * x;
            }
        }
    }
}
