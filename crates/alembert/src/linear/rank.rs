//! Which rows of a matrix are independent, and what follows from it.
//!
//! For A (m by n) the transpose is factored by Householder reflections with column pivoting,
//!
//! ```text
//! A^T P = Q | R11  R12 |    R11 upper triangular, r by r;   R22 negligible
//!           |  0   R22 |
//! ```
//!
//! The first r pivots are independent rows; the others are combinations of them with coefficients R11^-1 R12; the last
//! n - r columns of Q span the null space of A; and A x = b has the minimum-norm solution Q (R11^-T (P^T b) ; 0).
//! The rank r counts the diagonal entries larger than `threshold` times the first one, so scale rows of different
//! units to equal length before asking.

/// Rank-revealing factorisation of the rows of a matrix.
#[derive(Clone, Debug)]
pub struct RowRank {
    columns: usize,
    /// The factored rows, in the original order: `R` up to the diagonal of their pivot, the reflector from there on.
    rows: Vec<f64>,
    /// Which row is pivot number k.
    order: Vec<usize>,
    diagonal: Vec<f64>,
    rank: usize,
}

impl RowRank {
    /// Factors the row-major matrix `a` with `columns` columns; entries must be finite.
    pub fn new(a: &[f64], columns: usize, threshold: f64) -> Self {
        let m = a.len().checked_div(columns).unwrap_or(0);
        let mut f = RowRank { columns, rows: a.to_vec(), order: (0..m).collect(), diagonal: Vec::new(), rank: 0 };
        for k in 0..m.min(columns) {
            // Norms are recomputed, not downdated: downdating cancels exactly when the rank is in doubt.
            let tail = |f: &Self, p: usize| norm(&f.row(f.order[p])[k..]);
            let longest = (k..m).fold(0.0_f64, |max, p| max.max(tail(&f, p)));
            // Of rows about as long, the first is the pivot: then it is the later ones that are found dependent.
            let best = (k..m).find(|&p| tail(&f, p) >= 0.9 * longest).unwrap_or(k);
            let length = tail(&f, best);
            let first = f.diagonal.first().map_or(length, |d: &f64| d.abs());
            if length <= threshold * first {
                break;
            }
            f.order.swap(k, best);
            // Reflector w with (1 - 2 w w^T) x = -sign(x_0) |x| e_0, stored in place of x.
            let x = &mut f.rows[f.order[k] * columns..][k..columns];
            let diagonal = if x[0] > 0.0 { -length } else { length };
            x[0] -= diagonal;
            let scale = norm(x);
            x.iter_mut().for_each(|x| *x /= scale);
            let w = x.to_vec();
            f.diagonal.push(diagonal);
            f.rank += 1;
            for p in k + 1..m {
                reflect(&w, &mut f.rows[f.order[p] * columns..][k..columns]);
            }
        }
        f
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.columns..(i + 1) * self.columns]
    }

    /// R_ij of the pivoted factor.
    fn r(&self, i: usize, j: usize) -> f64 {
        if i == j { self.diagonal[i] } else { self.row(self.order[j])[i] }
    }

    /// Number of independent rows.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Whether every row is independent of the others.
    pub fn is_full(&self) -> bool {
        self.rank == self.order.len()
    }

    fn rotate(&self, x: &mut [f64]) {
        for k in 0..self.rank {
            reflect(&self.row(self.order[k])[k..], &mut x[k..]);
        }
    }

    fn rotate_back(&self, x: &mut [f64]) {
        for k in (0..self.rank).rev() {
            reflect(&self.row(self.order[k])[k..], &mut x[k..]);
        }
    }

    /// The shortest x with A x = b, where rows found dependent are left out.
    pub fn minimum_norm(&self, b: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.columns];
        for k in 0..self.rank {
            let known: f64 = (0..k).map(|i| self.r(i, k) * x[i]).sum();
            x[k] = (b[self.order[k]] - known) / self.diagonal[k];
        }
        self.rotate_back(&mut x);
        x
    }

    /// The part of x in the null space of A.
    pub fn tangential(&self, x: &[f64]) -> Vec<f64> {
        let mut y = x.to_vec();
        self.rotate(&mut y);
        y[..self.rank].fill(0.0);
        self.rotate_back(&mut y);
        y
    }

    /// The combination of rows closest to x: mu with A^T mu nearest x, zero for dependent rows.
    pub fn combination(&self, x: &[f64]) -> Vec<f64> {
        let mut y = x.to_vec();
        self.rotate(&mut y);
        let solved = self.back_substitute(&y);
        let mut mu = vec![0.0; self.order.len()];
        for (k, value) in solved.into_iter().enumerate() {
            mu[self.order[k]] = value;
        }
        mu
    }

    fn back_substitute(&self, b: &[f64]) -> Vec<f64> {
        let mut c = b[..self.rank].to_vec();
        for i in (0..self.rank).rev() {
            let known: f64 = (i + 1..self.rank).map(|j| self.r(i, j) * c[j]).sum();
            c[i] = (c[i] - known) / self.diagonal[i];
        }
        c
    }

    /// Every dependent row with its coefficients in terms of the independent ones.
    pub fn dependences(&self) -> Vec<(usize, Vec<(usize, f64)>)> {
        let express = |p: usize| {
            let dependent = self.order[p];
            let coefficients = self.back_substitute(self.row(dependent));
            (dependent, self.order.iter().copied().zip(coefficients).collect())
        };
        (self.rank..self.order.len()).map(express).collect()
    }

    /// An orthonormal basis of the x with A x = 0.
    pub fn null_space(&self) -> Vec<Vec<f64>> {
        let vector = |k: usize| {
            let mut x = vec![0.0; self.columns];
            x[k] = 1.0;
            self.rotate_back(&mut x);
            x
        };
        (self.rank..self.columns).map(vector).collect()
    }
}

/// Euclidean length.
fn norm(x: &[f64]) -> f64 {
    let max = x.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    if max == 0.0 { 0.0 } else { max * x.iter().map(|x| (x / max).powi(2)).sum::<f64>().sqrt() }
}

/// x - 2 w (w . x)
fn reflect(w: &[f64], x: &mut [f64]) {
    let twice = 2.0 * w.iter().zip(&*x).map(|(w, x)| w * x).sum::<f64>();
    for (x, w) in x.iter_mut().zip(w) {
        *x -= twice * w;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 12] = [1.0, 2.0, 0.0, -1.0, 0.5, 0.0, 3.0, 1.0, 2.0, 1.0, 1.0, 4.0];

    fn times(a: &[f64], x: &[f64]) -> Vec<f64> {
        a.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
    }

    fn close(x: &[f64], y: &[f64]) {
        assert!(x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-13), "{x:?} {y:?}");
    }

    #[test]
    fn the_minimum_norm_solution_solves_and_has_no_tangential_part() {
        let f = RowRank::new(&A, 4, 1e-10);
        assert!(f.is_full());
        let b = [1.0, -2.0, 3.0];
        let x = f.minimum_norm(&b);
        close(&times(&A, &x), &b);
        close(&f.tangential(&x), &[0.0; 4]);
    }

    #[test]
    fn the_null_space_is_orthonormal_and_null() {
        let f = RowRank::new(&A, 4, 1e-10);
        let basis = f.null_space();
        assert_eq!(basis.len(), 1);
        close(&times(&A, &basis[0]), &[0.0; 3]);
        close(&[norm(&basis[0])], &[1.0]);
        close(&f.tangential(&basis[0]), &basis[0]);
    }

    #[test]
    fn a_dependent_row_is_expressed_by_the_others() {
        let mut a = A.to_vec();
        let combined: Vec<f64> = (0..4).map(|j| 0.25 * A[j] - 0.5 * A[4 + j]).collect();
        a.extend(&combined);
        let f = RowRank::new(&a, 4, 1e-10);
        assert_eq!(f.rank(), 3);
        let [(row, on)] = &f.dependences()[..] else { panic!("one dependent row") };
        let mut rebuilt = vec![0.0; 4];
        for (i, c) in on {
            (0..4).for_each(|j| rebuilt[j] += c * a[i * 4 + j]);
        }
        close(&rebuilt, &a[row * 4..][..4]);
        // A consistent right-hand side is met by the dependent row too.
        let x = f.minimum_norm(&[1.0, 2.0, 3.0, 0.25 - 1.0]);
        close(&times(&a, &x), &[1.0, 2.0, 3.0, -0.75]);
    }

    #[test]
    fn a_combination_of_rows_is_found_again() {
        let f = RowRank::new(&A, 4, 1e-10);
        let mu = [0.3, -1.0, 2.0];
        let x: Vec<f64> = (0..4).map(|j| (0..3).map(|i| mu[i] * A[i * 4 + j]).sum()).collect();
        close(&f.combination(&x), &mu);
    }

    #[test]
    fn zero_rows_and_empty_matrices_have_rank_zero() {
        let f = RowRank::new(&[0.0; 6], 3, 1e-10);
        assert_eq!((f.rank(), f.dependences().len(), f.null_space().len()), (0, 2, 3));
        assert_eq!(RowRank::new(&[], 3, 1e-10).null_space().len(), 3);
        assert!(RowRank::new(&[], 0, 1e-10).is_full());
    }
}
