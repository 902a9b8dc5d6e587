//! A = T B T^-1 with a block-diagonal B, so that the stages of a step decouple into systems of the size of one stage.
//!
//! A real eigenvalue is a block of its own. For a pair alpha +- i beta with eigenvector x of alpha + i beta the columns
//! (Re x, Im x) of T make the block [alpha, beta; -beta, alpha], which acts on w1 + i w2 as multiplication by
//! **alpha - i beta**. Real eigenvalues come first, so that the rows of all pairs follow each other.

use std::sync::OnceLock;

use faer::c64;

use super::tableau::Tableau;
use crate::linear::{DenseSolver, LinearSolver};

/// T, its inverse and the eigenvalues.
#[derive(Clone, Debug)]
pub(super) struct Transform {
    /// T, row-major.
    pub forward: Vec<f64>,
    /// T^-1, row-major.
    pub backward: Vec<f64>,
    /// Row of T^-1 w and eigenvalue.
    pub real: Vec<(usize, f64)>,
    /// First of the two rows and the factor that acts on w1 + i w2.
    pub pairs: Vec<(usize, c64)>,
}

impl Transform {
    /// That of Radau IIA with s stages: the same in all runs of a program, and short ones would notice.
    pub fn radau(s: usize) -> Option<Self> {
        static KNOWN: [OnceLock<Option<Transform>>; 16] = [const { OnceLock::new() }; 16];
        let make = || Self::new(&Tableau::radau_iia(s));
        KNOWN.get(s).map_or_else(make, |known| known.get_or_init(make).clone())
    }

    /// None if A has no basis of eigenvectors, or one that is useless in double precision.
    pub fn new(tableau: &Tableau) -> Option<Self> {
        let s = tableau.stages();
        let matrix = faer::MatRef::from_row_major_slice(tableau.a(), s, s);
        let eigen = matrix.eigen().ok()?;
        let (values, vectors) = (eigen.S().column_vector(), eigen.U());
        let mut transform = Transform { forward: vec![0.0; s * s], backward: vec![], real: vec![], pairs: vec![] };
        let is_real = |k: usize| values[k].im.abs() <= 1e-12 * values[k].norm();
        let mut order: Vec<usize> = (0..s).collect();
        order.sort_by_key(|&k| !is_real(k));
        let mut column = 0;
        for k in order {
            let (value, is_real): (c64, bool) = (values[k], is_real(k));
            if !is_real && value.im < 0.0 {
                continue;
            }
            // Real eigenvectors may come with a complex factor: turn the largest entry to 1.
            let largest = (0..s).max_by(|&i, &j| vectors[(i, k)].norm().total_cmp(&vectors[(j, k)].norm()))?;
            let unit = vectors[(largest, k)];
            for i in 0..s {
                let x = vectors[(i, k)] / unit;
                transform.forward[i * s + column] = x.re;
                if !is_real {
                    transform.forward[i * s + column + 1] = x.im;
                }
            }
            if is_real {
                transform.real.push((column, value.re));
                column += 1;
            } else {
                transform.pairs.push((column, value.conj()));
                column += 2;
            }
            if column > s {
                return None;
            }
        }
        transform.backward = inverse(&transform.forward, s)?;
        (column == s && transform.defect(tableau.a()) < 1e-9).then_some(transform)
    }

    /// Largest entry of A - T B T^-1.
    fn defect(&self, a: &[f64]) -> f64 {
        let s = self.backward.len().isqrt();
        let mut block = vec![0.0; s * s];
        for &(k, tau) in &self.real {
            block[k * s + k] = tau;
        }
        for &(k, tau) in &self.pairs {
            block[k * s + k] = tau.re;
            block[k * s + k + 1] = -tau.im;
            block[(k + 1) * s + k] = tau.im;
            block[(k + 1) * s + k + 1] = tau.re;
        }
        let product = multiply(&multiply(&self.forward, &block, s), &self.backward, s);
        a.iter().zip(product).fold(0.0, |max, (a, x)| max.max((a - x).abs()))
    }
}

fn inverse(matrix: &[f64], s: usize) -> Option<Vec<f64>> {
    let mut solver = DenseSolver::new(s);
    // The solver is column-major: it factors the transpose, whose inverse has our rows as columns.
    solver.factor(matrix).ok()?;
    let mut inverse = vec![0.0; s * s];
    for i in 0..s {
        let mut unit = vec![0.0; s];
        unit[i] = 1.0;
        solver.solve(&mut unit);
        for (j, x) in unit.into_iter().enumerate() {
            inverse[i * s + j] = x;
        }
    }
    inverse.iter().all(|x| x.is_finite()).then_some(inverse)
}

/// The product of two row-major squares.
pub(super) fn multiply(a: &[f64], b: &[f64], s: usize) -> Vec<f64> {
    let entry = |ij: usize| (0..s).map(|k| a[ij / s * s + k] * b[k * s + ij % s]).sum();
    (0..s * s).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_eigenvalues_of_radau_are_the_published_ones() {
        for (s, gamma) in [(3, 0.274888829595677), (5, 0.159065844427469), (7, 0.111896465300035)] {
            let transform = Transform::new(&Tableau::radau_iia(s)).expect("diagonalisable");
            assert_eq!((transform.real.len(), transform.pairs.len()), (1, s / 2));
            // The eigenvalues of A are some hundred times as sensitive as its entries are wrong.
            assert!((transform.real[0].1 - gamma).abs() < 1e-13, "{s}: {}", transform.real[0].1);
        }
    }

    #[test]
    fn all_families_are_diagonalised() {
        for s in 2..=9 {
            for tableau in [Tableau::radau_iia(s), Tableau::radau_ia(s), Tableau::gauss(s), Tableau::lobatto_iiic(s)] {
                let transform = Transform::new(&tableau).expect("diagonalisable");
                assert!(transform.defect(tableau.a()) < 1e-12, "{s}: {:e}", transform.defect(tableau.a()));
            }
        }
    }

    #[test]
    fn a_defective_matrix_is_refused() {
        let gamma = 1.0 - 0.5_f64.sqrt();
        let sdirk = Tableau::new(vec![gamma, 1.0], vec![gamma, 0.0, 1.0 - gamma, gamma], vec![1.0 - gamma, gamma]);
        assert!(Transform::new(&sdirk.expect("a tableau")).is_none());
    }
}
