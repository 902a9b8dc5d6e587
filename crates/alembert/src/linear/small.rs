//! LU with partial pivoting for matrices of a size that the compiler knows.
//!
//! For the few unknowns of a small mechanism the bookkeeping of general loops costs more than the arithmetic: a solution
//! with three unknowns takes a seventh of the time here, one with thirteen half of it. Rows lie together: exchanges and
//! updates of rows then need no strides.

use super::Entry;
use super::dense::{LinearSolver, Singular, exceeds, reciprocal_power_of_two};

/// Factors of one matrix with scaled rows.
pub(super) struct SmallLu<S, const N: usize> {
    /// By rows: L below the diagonal, U above it.
    lu: [[S; N]; N],
    inverse_pivots: [S; N],
    /// Row of the matrix that stands in each row of the factors.
    order: [usize; N],
    /// Powers of two that bring the largest entry of each row near 1, so that pivoting compares equations and not units.
    scale: [f64; N],
}

impl<S: Entry, const N: usize> SmallLu<S, N> {
    pub fn new() -> Self {
        SmallLu {
            lu: [[S::default(); N]; N],
            inverse_pivots: [S::default(); N],
            order: std::array::from_fn(|i| i),
            scale: [1.0; N],
        }
    }

    /// Takes the column-major matrix and scales its rows; the largest entry of each column.
    fn load(&mut self, matrix: &[S]) -> [f64; N] {
        let (columns, _) = matrix.as_chunks::<N>();
        let columns = &columns[..N];
        let mut largest = [0.0; N];
        // Comparisons, not `f64::max`, which takes several instructions: what is not a number is passed over by both.
        let keep_larger = |most: &mut f64, x: f64| *most = if x > *most { x } else { *most };
        for (i, row) in self.lu.iter_mut().enumerate() {
            let mut size = 0.0_f64;
            let mut sizes = [0.0; N];
            for j in 0..N {
                row[j] = columns[j][i];
                sizes[j] = row[j].size();
                keep_larger(&mut size, sizes[j]);
            }
            // An empty row stays as it is and is found singular.
            let scale = if size > 0.0 { reciprocal_power_of_two(size) } else { 1.0 };
            self.scale[i] = scale;
            for j in 0..N {
                row[j] = row[j] * scale;
                keep_larger(&mut largest[j], sizes[j] * scale);
            }
        }
        largest
    }
}

impl<S: Entry, const N: usize> LinearSolver<S> for SmallLu<S, N> {
    fn factor(&mut self, matrix: &[S]) -> Result<(), Singular> {
        let largest = self.load(matrix);
        self.order = std::array::from_fn(|i| i);
        for k in 0..N {
            let (mut pivot, mut size) = (k, self.lu[k][k].size());
            for i in k + 1..N {
                let other = self.lu[i][k].size();
                if other > size {
                    (pivot, size) = (i, other);
                }
            }
            // Less is rounding noise beside the largest entry of the column in the input.
            if !exceeds(size, f64::EPSILON * N as f64 * largest[k]) {
                return Err(Singular { column: k });
            }
            if pivot != k {
                self.lu.swap(k, pivot);
                self.order.swap(k, pivot);
            }
            let (above, below) = self.lu.split_at_mut(k + 1);
            let row = &above[k];
            let inverse = S::from(1.0) / row[k];
            self.inverse_pivots[k] = inverse;
            for target in below {
                if !target[k].is_zero() {
                    let factor = target[k] * inverse;
                    target[k] = factor;
                    for j in k + 1..N {
                        target[j] -= row[j] * factor;
                    }
                }
            }
        }
        Ok(())
    }

    fn solve(&mut self, rhs: &mut [S]) {
        let (chunks, _) = rhs.as_chunks_mut::<N>();
        let rhs = &mut chunks[0];
        // The remainder never acts; it spares a check.
        let mut x: [S; N] = self.order.map(|row| rhs[row % N] * self.scale[row % N]);
        for i in 1..N {
            let row = &self.lu[i];
            for j in 0..i {
                x[i] -= row[j] * x[j];
            }
        }
        for i in (0..N).rev() {
            let row = &self.lu[i];
            for j in i + 1..N {
                x[i] -= row[j] * x[j];
            }
            x[i] *= self.inverse_pivots[i];
        }
        *rhs = x;
    }
}
