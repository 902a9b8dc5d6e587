//! Dense matrices for decisions: Householder QR with column pivoting, and the two null spaces that it gives.
//!
//! ```text
//! A^T P = Q R        A has a row for each constraint, A^T a column; the columns that are left longest come first
//! rank r: |R_ii| > threshold |R_11|
//! motions N with A N = 0: the last columns of Q
//! multipliers Z with A^T Z = 0: P (-R_11^-1 R_12 ; I)
//! ```

/// Rows of equal length, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Dense {
    pub columns: usize,
    pub values: Vec<f64>,
}

impl Dense {
    /// Zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Dense { columns, values: vec![0.0; rows * columns] }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// Row i.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.columns..(i + 1) * self.columns]
    }
}

/// QR of the transpose of a matrix.
#[derive(Clone, Debug)]
pub struct PivotedQr {
    /// Column k of A^T P, as a row here: above the diagonal R, below it the reflector.
    work: Dense,
    /// First component and factor of each reflector.
    heads: Vec<(f64, f64)>,
    /// Which row of A is where.
    pub order: Vec<usize>,
    /// How many are independent.
    pub rank: usize,
    /// |R_ii| of the last that is kept and of the first that is not, relative to the first.
    pub kept: f64,
    pub dropped: f64,
    /// |R_ii| of all that are kept, relative to the first.
    pub pivots: Vec<f64>,
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

impl PivotedQr {
    /// Decides about the rows of `a`; what is shorter than `threshold` beside the first pivot follows from others.
    pub fn new(a: Dense, threshold: f64) -> Self {
        let (m, n) = (a.rows(), a.columns);
        let mut qr = PivotedQr {
            work: a,
            heads: Vec::new(),
            order: (0..m).collect(),
            rank: 0,
            kept: f64::INFINITY,
            dropped: 0.0,
            pivots: Vec::new(),
        };
        let mut first = 0.0;
        for k in 0..m.min(n) {
            let length = |qr: &Self, i: usize| dot(&qr.work.row(i)[k..], &qr.work.row(i)[k..]).sqrt();
            let (mut best, mut longest) = (k, length(&qr, k));
            for i in k + 1..m {
                let size = length(&qr, i);
                if size > longest {
                    (best, longest) = (i, size);
                }
            }
            if k == 0 {
                first = longest;
            }
            let relative = if first > 0.0 { longest / first } else { 0.0 };
            if relative <= threshold {
                qr.dropped = relative;
                break;
            }
            qr.kept = relative;
            qr.pivots.push(relative);
            qr.rank = k + 1;
            if best != k {
                qr.order.swap(k, best);
                for j in 0..n {
                    qr.work.values.swap(k * n + j, best * n + j);
                }
            }
            qr.reflect(k, longest);
        }
        qr
    }

    /// Makes the rest of vector k zero, and applies the same to those after it.
    fn reflect(&mut self, k: usize, length: f64) {
        let n = self.work.columns;
        let x = self.work.row_mut(k);
        let diagonal = if x[k] > 0.0 { -length } else { length };
        let head = x[k] - diagonal;
        x[k] = diagonal;
        // v = (head, rest);  H = I - factor v v^T.
        let rest = dot(&x[k + 1..], &x[k + 1..]);
        let factor = 2.0 / (head * head + rest);
        self.heads.push((head, factor));
        let (before, after) = self.work.values.split_at_mut((k + 1) * n);
        let tail = &before[k * n + k + 1..];
        for y in after.chunks_exact_mut(n) {
            let c = factor * (head * y[k] + dot(tail, &y[k + 1..]));
            y[k] -= c * head;
            y[k + 1..].iter_mut().zip(tail).for_each(|(y, v)| *y -= c * v);
        }
    }

    /// Q x.
    fn apply(&self, x: &mut [f64]) {
        for (k, (head, factor)) in self.heads.iter().enumerate().rev() {
            let tail = &self.work.row(k)[k + 1..];
            let c = factor * (head * x[k] + dot(tail, &x[k + 1..]));
            x[k] -= c * head;
            x[k + 1..].iter_mut().zip(tail).for_each(|(x, v)| *x -= c * v);
        }
    }

    /// Motions that no row sees, orthonormal, one in each row.
    pub fn motions(&self) -> Dense {
        let n = self.work.columns;
        let mut null = Dense::zeros(n - self.rank, n);
        for i in 0..n - self.rank {
            let x = null.row_mut(i);
            x[self.rank + i] = 1.0;
            self.apply(x);
        }
        null
    }

    /// Combinations of rows that vanish, one in each row.
    pub fn multipliers(&self) -> Dense {
        let m = self.order.len();
        let mut null = Dense::zeros(m - self.rank, m);
        for i in self.rank..m {
            let mut y: Vec<f64> = (0..self.rank).map(|k| self.work.row(i)[k]).collect();
            // R_11 is upper triangular: its column k is vector k.
            for k in (0..self.rank).rev() {
                y[k] /= self.work.row(k)[k];
                let scale = y[k];
                (0..k).for_each(|l| y[l] -= scale * self.work.row(k)[l]);
            }
            let out = null.row_mut(i - self.rank);
            y.iter().enumerate().for_each(|(k, y)| out[self.order[k]] = -y);
            out[self.order[i]] = 1.0;
        }
        null
    }

    /// The shortest x with A x = b, from the rows that are kept.
    pub fn shortest(&self, b: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.work.columns];
        for k in 0..self.rank {
            let column = self.work.row(k);
            let known = dot(&column[..k], &y[..k]);
            y[k] = (b[self.order[k]] - known) / column[k];
        }
        self.apply(&mut y);
        y
    }
}

/// Orthonormal rows that span the same.
pub fn orthonormal(rows: &Dense) -> Dense {
    let mut all = rows.clone();
    for i in 0..all.rows() {
        let (before, from) = all.values.split_at_mut(i * rows.columns);
        let x = &mut from[..rows.columns];
        // The second pass takes out what rounding left.
        for _ in 0..2 {
            for y in before.chunks_exact(rows.columns) {
                let share = dot(x, y);
                x.iter_mut().zip(y).for_each(|(x, y)| *x -= share * y);
            }
            let length = dot(x, x).sqrt().max(f64::MIN_POSITIVE);
            x.iter_mut().for_each(|x| *x /= length);
        }
    }
    all
}

/// Eigenvalues of a symmetric matrix and its eigenvectors, one in each row, by Jacobi's rotations.
pub fn eigen(mut a: Dense) -> (Vec<f64>, Dense) {
    let n = a.columns;
    let mut vectors = Dense::zeros(n, n);
    (0..n).for_each(|i| vectors.values[i * n + i] = 1.0);
    for _ in 0..60 {
        let whole: f64 = a.values.iter().map(|x| x * x).sum();
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a.row(i)[j].powi(2)).sum();
        if off <= 1e-34 * whole {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                let across = a.values[p * n + q];
                if across == 0.0 {
                    continue;
                }
                let angle = 0.5 * (2.0 * across).atan2(a.values[q * n + q] - a.values[p * n + p]);
                let (s, c) = angle.sin_cos();
                for row in a.values.chunks_exact_mut(n) {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                for matrix in [&mut a, &mut vectors] {
                    for j in 0..n {
                        let (x, y) = (matrix.values[p * n + j], matrix.values[q * n + j]);
                        (matrix.values[p * n + j], matrix.values[q * n + j]) = (c * x - s * y, s * x + c * y);
                    }
                }
            }
        }
    }
    ((0..n).map(|i| a.values[i * n + i]).collect(), vectors)
}

/// Solves A x = b for a symmetric positive definite A, of which the lower triangle is used, in place; false where it is not.
#[cfg(test)]
pub fn cholesky(a: &mut Dense, x: &mut [f64]) -> bool {
    let n = x.len();
    for i in 0..n {
        for j in 0..=i {
            let (left, right) = (&a.values[i * n..i * n + j], &a.values[j * n..j * n + j]);
            let rest = a.values[i * n + j] - dot(left, right);
            if i == j {
                if !(rest > 0.0 && rest.is_finite()) {
                    return false;
                }
                a.values[i * n + i] = rest.sqrt();
            } else {
                a.values[i * n + j] = rest / a.values[j * n + j];
            }
        }
    }
    for i in 0..n {
        x[i] = (x[i] - dot(&a.values[i * n..i * n + i], &x[..i])) / a.values[i * n + i];
    }
    for i in (0..n).rev() {
        x[i] /= a.values[i * n + i];
        let scale = x[i];
        (0..i).for_each(|j| x[j] -= a.values[i * n + j] * scale);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Dense {
        Dense { columns: rows[0].len(), values: rows.concat() }
    }

    #[test]
    fn null_spaces_are_null_spaces() {
        // The third row is the sum of the first two, the fifth three times the fourth.
        let a = matrix(&[
            &[1.0, 2.0, 0.0, -1.0, 0.5],
            &[0.0, 1.0, 3.0, 2.0, 0.1],
            &[1.0, 3.0, 3.0, 1.0, 0.6],
            &[2.0, 0.0, -1.0, 0.3, 0.7],
            &[6.0, 0.0, -3.0, 0.9, 2.1],
        ]);
        let qr = PivotedQr::new(a.clone(), 1e-10);
        assert_eq!(qr.rank, 3);
        assert!(qr.kept > 1e-2 && qr.dropped < 1e-15, "{} {}", qr.kept, qr.dropped);
        let motions = qr.motions();
        assert_eq!(motions.rows(), 2);
        for i in 0..2 {
            assert!((0..5).all(|k| dot(a.row(k), motions.row(i)).abs() < 1e-14));
            assert!((dot(motions.row(i), motions.row(i)) - 1.0).abs() < 1e-14);
        }
        let multipliers = qr.multipliers();
        for i in 0..multipliers.rows() {
            let z = multipliers.row(i);
            assert!((0..5).all(|j| (0..5).map(|k| z[k] * a.row(k)[j]).sum::<f64>().abs() < 1e-14));
        }
        let b: Vec<f64> = (0..5).map(|k| dot(a.row(k), &[1.0, -1.0, 0.5, 2.0, 0.3])).collect();
        let x = qr.shortest(&b);
        assert!((0..5).all(|k| (dot(a.row(k), &x) - b[k]).abs() < 1e-13));
        assert!((0..2).all(|i| dot(motions.row(i), &x).abs() < 1e-14), "it is the shortest");
    }

    #[test]
    fn eigenvectors_are_eigenvectors() {
        let a =
            matrix(&[&[2.0, -1.0, 0.5, 0.0], &[-1.0, 3.0, 0.2, 1.0], &[0.5, 0.2, -1.0, 0.3], &[0.0, 1.0, 0.3, 0.0]]);
        let (values, vectors) = eigen(a.clone());
        for (i, value) in values.iter().enumerate() {
            let x = vectors.row(i);
            assert!((0..4).all(|k| (dot(a.row(k), x) - value * x[k]).abs() < 1e-13), "{values:?}");
            assert!((0..=i).all(|j| (dot(x, vectors.row(j)) - f64::from(u8::from(i == j))).abs() < 1e-14));
        }
        assert!((values.iter().sum::<f64>() - 4.0).abs() < 1e-13);
    }

    #[test]
    fn symmetric_systems_are_solved_or_refused() {
        let mut a = matrix(&[&[4.0, 0.0, 0.0], &[1.0, 3.0, 0.0], &[0.5, -1.0, 2.0]]);
        let mut x = [4.0 + 2.0 + 1.5, 1.0 + 6.0 - 3.0, 0.5 - 2.0 + 6.0];
        assert!(cholesky(&mut a, &mut x));
        assert!(x.iter().zip([1.0, 2.0, 3.0]).all(|(x, y)| (x - y).abs() < 1e-14), "{x:?}");
        assert!(!cholesky(&mut matrix(&[&[1.0, 0.0], &[2.0, 1.0]]), &mut [1.0, 1.0]));
    }
}
