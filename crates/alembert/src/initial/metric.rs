//! How far is far: |x|_W = |L^T x| with W = L L^T.

use super::Metric;

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

    pub fn size(&self) -> usize {
        self.n
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

    /// L^T x, a displacement in orthonormal coordinates.
    pub fn orthonormal(&self, x: &[f64]) -> Vec<f64> {
        (0..self.n).map(|i| (i..self.n).map(|k| self.l[k * self.n + i] * x[k]).sum()).collect()
    }
}

/// The factor of the metric on the coordinates `free`, and the metric it is. Where the mass matrix is asked for but
/// is no metric (singular, not symmetric, or of another size under a general rate), the identity serves.
pub(super) fn factor(
    metric: &Metric,
    mass: &[f64],
    n_mass: usize,
    columns: usize,
    free: &[usize],
) -> (Cholesky, Metric) {
    let identity = || (Cholesky::diagonal(&vec![1.0; free.len()]), Metric::Identity);
    match metric {
        Metric::Weights(weights) if weights.len() == columns => {
            let weights: Vec<f64> = free.iter().map(|&i| weights[i]).collect();
            (Cholesky::diagonal(&weights), metric.clone())
        }
        Metric::Identity => identity(),
        _ if n_mass != columns => identity(),
        // Weights of coordinates say nothing about velocities of another number: those use the mass.
        Metric::Mass | Metric::Weights(_) => {
            // Definite as a whole, not only on the free coordinates: the fallback must not depend on what is fixed.
            let whole = Cholesky::new(mass, n_mass);
            let part: Vec<f64> = free.iter().flat_map(|&i| free.iter().map(move |&j| mass[i * n_mass + j])).collect();
            match whole.and_then(|_| Cholesky::new(&part, free.len())) {
                Some(factor) => (factor, Metric::Mass),
                None => identity(),
            }
        }
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
        let y = f.orthonormal(&[1.0, -1.0]);
        assert!((y[0] * y[0] + y[1] * y[1] - 5.0).abs() < 1e-14);
    }

    #[test]
    fn a_singular_or_unsymmetric_matrix_is_no_metric() {
        assert!(Cholesky::new(&[1.0, 1.0, 1.0, 1.0], 2).is_none());
        assert!(Cholesky::new(&[1.0, 0.5, 0.0, 1.0], 2).is_none());
        assert!(Cholesky::new(&[0.0], 1).is_none());
    }
}
