//! The bordered matrix, the only linear system of the library:
//!
//! ```text
//! | sum of c X   -B |   n rows      X: mass, damping, stiffness and what a method adds
//! | sum of c C    Z |   m rows      B: how multipliers act, C: constraint rows, Z: usually absent
//! ```
//!
//! Methods name coefficients and blocks; assembly, row scaling and factorisation happen here and nowhere else. A new
//! step size combines the same blocks anew, it does not evaluate them.

use super::{DenseSolver, Entry, LinearSolver, Singular};

/// A coefficient and a row-major block.
pub type Term<'a, S = f64> = (S, &'a [f64]);

/// What a bordered matrix is made of. Blocks are row-major.
#[derive(Clone, Copy, Debug)]
pub struct Bordered<'a, S = f64> {
    /// Terms of the leading n by n block.
    pub top: &'a [Term<'a, S>],
    /// B, n by m; it enters with a minus sign.
    pub border: &'a [f64],
    /// Terms of the m by n constraint rows.
    pub rows: &'a [Term<'a, S>],
    /// Z, m by m, where there is one.
    pub corner: Option<&'a [f64]>,
}

/// Holds one bordered matrix and its factors.
pub struct Kkt<S: Entry = f64> {
    n: usize,
    m: usize,
    matrix: Vec<S>,
    scale: Vec<f64>,
    solver: Box<dyn LinearSolver<S>>,
    factored: bool,
    /// Factorisations so far.
    pub factorisations: u64,
    /// Solves so far.
    pub solves: u64,
}

impl<S: Entry + 'static> Kkt<S> {
    /// Room for `n` unknowns and `m` multipliers.
    pub fn new(n: usize, m: usize) -> Self {
        let size = n + m;
        Kkt {
            n,
            m,
            matrix: vec![S::default(); size * size],
            scale: vec![1.0; size],
            solver: Box::new(DenseSolver::new(size)),
            factored: false,
            factorisations: 0,
            solves: 0,
        }
    }

    /// Whether there are factors to solve with.
    pub fn is_factored(&self) -> bool {
        self.factored
    }

    /// Assembles and factors.
    ///
    /// # Errors
    /// If the matrix is singular.
    pub fn factor(&mut self, parts: Bordered<S>) -> Result<(), Singular> {
        let (n, m, size) = (self.n, self.m, self.n + self.m);
        self.matrix.fill(S::default());
        for (c, block) in parts.top.iter().filter(|(c, _)| c.size() != 0.0) {
            for (i, row) in block.chunks_exact(n).enumerate() {
                for (j, x) in row.iter().enumerate() {
                    self.matrix[j * size + i] += *c * *x;
                }
            }
        }
        if m > 0 {
            for (i, row) in parts.border.chunks_exact(m).enumerate() {
                for (j, x) in row.iter().enumerate() {
                    self.matrix[(n + j) * size + i] = S::from(-*x);
                }
            }
            for (c, block) in parts.rows.iter().filter(|(c, _)| c.size() != 0.0) {
                for (i, row) in block.chunks_exact(n).enumerate() {
                    for (j, x) in row.iter().enumerate() {
                        self.matrix[j * size + n + i] += *c * *x;
                    }
                }
            }
            if let Some(corner) = parts.corner {
                for (i, row) in corner.chunks_exact(m).enumerate() {
                    for (j, x) in row.iter().enumerate() {
                        self.matrix[(n + j) * size + n + i] = S::from(*x);
                    }
                }
            }
        }
        self.equilibrate();
        self.factorisations += 1;
        self.factored = false;
        self.solver.factor(&self.matrix)?;
        self.factored = true;
        Ok(())
    }

    /// Scales each row to a largest entry near 1, so that pivoting compares equations and not units.
    fn equilibrate(&mut self) {
        let size = self.n + self.m;
        self.scale.fill(0.0);
        for column in self.matrix.chunks_exact(size) {
            for (scale, x) in self.scale.iter_mut().zip(column) {
                *scale = scale.max(x.size());
            }
        }
        for scale in &mut self.scale {
            // Powers of two leave the digits alone; an empty row stays as it is and is found singular.
            *scale = if *scale > 0.0 { reciprocal_power_of_two(*scale) } else { 1.0 };
        }
        for column in self.matrix.chunks_exact_mut(size) {
            for (x, scale) in column.iter_mut().zip(&self.scale) {
                *x = *x * *scale;
            }
        }
    }

    /// Size of the smallest pivot: how near the row-scaled matrix is to a singular one, up to a factor that varies little.
    pub fn smallest_pivot(&self) -> f64 {
        self.solver.smallest_pivot()
    }

    /// Replaces the right-hand side (n + m entries) by the solution.
    pub fn solve(&mut self, rhs: &mut [S]) {
        debug_assert!(self.factored, "solve without factors");
        for (x, scale) in rhs.iter_mut().zip(&self.scale) {
            *x = *x * *scale;
        }
        self.solves += 1;
        self.solver.solve(rhs);
    }
}

/// The power of two next above 1/x in size, from the exponent of x; for a subnormal x, the largest there is.
fn reciprocal_power_of_two(x: f64) -> f64 {
    const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    let biased = x.to_bits() >> MANTISSA;
    f64::from_bits((2046 - biased.min(2045)) << MANTISSA)
}

#[cfg(test)]
mod tests {
    use super::reciprocal_power_of_two;

    #[test]
    fn scaling_brings_every_number_between_one_and_two() {
        for x in [1.0, 1.5, 1e-3, 7e200, 3e-300, f64::MIN_POSITIVE, f64::MAX / 4.0] {
            let scaled = x * reciprocal_power_of_two(x);
            assert!((1.0..2.0).contains(&scaled), "{x:e}: {scaled}");
        }
        assert!((5e-324 * reciprocal_power_of_two(5e-324)).is_finite());
        assert!((f64::MAX * reciprocal_power_of_two(f64::MAX)).is_finite());
    }
}
