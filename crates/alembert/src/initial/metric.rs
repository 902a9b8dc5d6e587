//! How far is far: |x|_W^2 = x^T W x = |L^T x|^2 with W = L L^T.

use std::sync::{Arc, OnceLock};

use super::Metric;
use crate::linear::{Ldl, Pattern};
use crate::tolerance::largest;

/// A Cholesky factor may lose this share of a diagonal entry before the matrix counts as singular.
const DEFINITE: f64 = 1e-12;
/// Entries mirrored at the diagonal may differ by this much, relative to the diagonal.
const SYMMETRIC: f64 = 1e-9;

/// The lower factor L of a symmetric positive definite matrix, row-major.
#[derive(Clone, Debug)]
pub(super) struct Cholesky {
    n: usize,
    l: Vec<f64>,
}

impl Cholesky {
    /// None if `w` is not symmetric, or not safely positive definite.
    pub fn new(w: &[f64], n: usize) -> Option<Self> {
        let mut l = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let size = (w[i * n + i] * w[j * n + j]).abs().sqrt();
                if (w[i * n + j] - w[j * n + i]).abs() > SYMMETRIC * size {
                    return None;
                }
                let rest = w[i * n + j] - (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum::<f64>();
                if i > j {
                    l[i * n + j] = rest / l[j * n + j];
                } else if rest > DEFINITE * w[i * n + i] {
                    l[i * n + i] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Cholesky { n, l })
    }

    /// The factor of a diagonal matrix of positive weights.
    pub fn diagonal(weights: &[f64]) -> Self {
        let n = weights.len();
        let mut l = vec![0.0; n * n];
        for (i, w) in weights.iter().enumerate() {
            l[i * n + i] = w.sqrt();
        }
        Cholesky { n, l }
    }

    /// x := L^-1 x, which takes a row of a constraint matrix to the metric's orthonormal coordinates.
    pub fn forward(&self, x: &mut [f64]) {
        for i in 0..self.n {
            let known: f64 = (0..i).map(|k| self.l[i * self.n + k] * x[k]).sum();
            x[i] = (x[i] - known) / self.l[i * self.n + i];
        }
    }

    /// x := L^-T x, which takes a displacement back from them.
    pub fn backward(&self, x: &mut [f64]) {
        for i in (0..self.n).rev() {
            let known: f64 = (i + 1..self.n).map(|k| self.l[k * self.n + i] * x[k]).sum();
            x[i] = (x[i] - known) / self.l[i * self.n + i];
        }
    }
}

/// W on the entries of a pattern, symmetric positive definite. Coordinates that must not move have nothing but a one on the diagonal.
pub(super) struct Weight {
    pattern: Arc<Pattern>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
    free: Vec<usize>,
    moves: Vec<bool>,
    /// The metric it is.
    pub metric: Metric,
    factor: OnceLock<Arc<Cholesky>>,
}

impl Weight {
    /// The metric asked for, in `columns` coordinates. Where the mass matrix (values of the pattern `top`) is asked for but is no
    /// metric (singular, not symmetric, or of another size under a general rate), the identity serves.
    pub fn new(metric: &Metric, top: &Arc<Pattern>, mass: &[f64], columns: usize, fixed: &[usize]) -> Self {
        let mut moves = vec![true; columns];
        fixed.iter().for_each(|&j| moves[j] = false);
        match metric {
            Metric::Weights(weights) if weights.len() == columns => {
                Self::of_diagonal(top, weights, moves, metric.clone())
            }
            // Weights of coordinates say nothing about velocities of another number: those use the mass.
            // Definite as a whole, not only on the free coordinates: the fallback must not depend on what is fixed.
            Metric::Mass | Metric::Weights(_) if top.rows() == columns && is_metric(top, mass) => {
                let mut values = mass.to_vec();
                for i in 0..columns {
                    for (j, e) in top.row(i).filter(|(j, _)| !moves[i] || !moves[*j]) {
                        values[e] = if i == j { 1.0 } else { 0.0 };
                    }
                }
                Self::of_values(top.clone(), values, moves, Metric::Mass)
            }
            _ => Self::of_diagonal(top, &vec![1.0; columns], moves, Metric::Identity),
        }
    }

    /// The identity, every coordinate free.
    pub fn identity(top: &Arc<Pattern>, columns: usize) -> Self {
        Self::of_diagonal(top, &vec![1.0; columns], vec![true; columns], Metric::Identity)
    }

    fn of_diagonal(top: &Arc<Pattern>, weights: &[f64], moves: Vec<bool>, metric: Metric) -> Self {
        let n = weights.len();
        // The pattern of the mass where it serves: matrices of a start then have the structure of all others.
        let serves = top.rows() == n && (0..n).all(|i| top.position(i, i).is_some());
        let pattern = if serves { top.clone() } else { Arc::new(Pattern::from_entries(n, n, (0..n).map(|i| (i, i)))) };
        let mut values = vec![0.0; pattern.len()];
        for (i, (weight, moves)) in weights.iter().zip(&moves).enumerate() {
            if let Some(e) = pattern.position(i, i) {
                values[e] = if *moves { *weight } else { 1.0 };
            }
        }
        Self::of_values(pattern, values, moves, metric)
    }

    fn of_values(pattern: Arc<Pattern>, values: Vec<f64>, moves: Vec<bool>, metric: Metric) -> Self {
        let diagonal = (0..pattern.rows()).map(|i| pattern.position(i, i).map_or(1.0, |e| values[e])).collect();
        let free = (0..moves.len()).filter(|j| moves[*j]).collect();
        Weight { pattern, values, diagonal, free, moves, metric, factor: OnceLock::new() }
    }

    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Coordinates.
    pub fn size(&self) -> usize {
        self.diagonal.len()
    }

    /// Entry j of the diagonal, which is positive.
    pub fn diagonal(&self, j: usize) -> f64 {
        self.diagonal[j]
    }

    /// Coordinates that may move.
    pub fn free(&self) -> &[usize] {
        &self.free
    }

    pub fn is_free(&self, j: usize) -> bool {
        self.moves[j]
    }

    /// W x.
    pub fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.size()];
        self.pattern.multiply(&self.values, x, &mut y);
        y
    }

    /// x^T W y.
    pub fn product(&self, x: &[f64], y: &[f64]) -> f64 {
        self.multiply(y).iter().zip(x).map(|(y, x)| x * y).sum()
    }

    /// The length of x. Squares of what is left of small numbers would underflow, and pass for nothing.
    pub fn length(&self, x: &[f64]) -> f64 {
        let size = largest(x);
        if size == 0.0 {
            return 0.0;
        }
        let unit: Vec<f64> = x.iter().map(|x| x / size).collect();
        size * self.product(&unit, &unit).max(0.0).sqrt()
    }

    /// The dense factor of the coordinates that may move.
    pub fn factor(&self) -> Arc<Cholesky> {
        let make = || {
            let k = self.free.len();
            let value = |i: usize, j: usize| self.pattern.position(i, j).map_or(0.0, |e| self.values[e]);
            let part: Vec<f64> = self.free.iter().flat_map(|&i| self.free.iter().map(move |&j| value(i, j))).collect();
            let diagonal = || Cholesky::diagonal(&self.free.iter().map(|&j| self.diagonal[j]).collect::<Vec<_>>());
            Arc::new(Cholesky::new(&part, k).unwrap_or_else(diagonal))
        };
        self.factor.get_or_init(make).clone()
    }
}

/// Whether a matrix is symmetric and safely positive definite.
fn is_metric(pattern: &Pattern, values: &[f64]) -> bool {
    let diagonal = |i: usize| pattern.position(i, i).map_or(0.0, |e| values[e]);
    let symmetric = (0..pattern.rows()).all(|i| {
        pattern.row(i).all(|(j, e)| {
            let mirror = pattern.position(j, i).map_or(0.0, |e| values[e]);
            (values[e] - mirror).abs() <= SYMMETRIC * (diagonal(i) * diagonal(j)).abs().sqrt()
        })
    });
    symmetric && {
        let mut ldl = Ldl::of_values(pattern, values);
        ldl.factor(values, 0.0, DEFINITE);
        ldl.is_definite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forward_and_backward_invert_the_matrix() {
        let w = [4.0, 1.0, 1.0, 3.0];
        let Some(f) = Cholesky::new(&w, 2) else { panic!("definite") };
        let mut x = [1.0, 2.0];
        f.forward(&mut x);
        f.backward(&mut x);
        assert!((4.0 * x[0] + x[1] - 1.0).abs() < 1e-15 && (x[0] + 3.0 * x[1] - 2.0).abs() < 1e-15);
    }

    #[test]
    fn a_singular_or_unsymmetric_matrix_is_no_metric() {
        assert!(Cholesky::new(&[1.0, 1.0, 1.0, 1.0], 2).is_none());
        assert!(Cholesky::new(&[1.0, 0.5, 0.0, 1.0], 2).is_none());
        assert!(Cholesky::new(&[0.0], 1).is_none());
        for (m, definite) in [
            ([1.0, 1.0, 1.0, 1.0], false),
            ([1.0, 0.5, 0.0, 1.0], false),
            ([0.0, 0.0, 0.0, 1.0], false),
            ([1.0, 2.0, 2.0, 1.0], false),
            ([4.0, 1.0, 1.0, 3.0], true),
            ([1e-20, 0.0, 0.0, 1e20], true),
        ] {
            assert_eq!(is_metric(&Pattern::dense(2, 2), &m), definite, "{m:?}");
        }
    }
}
