//! The bordered matrix, the only linear system of the library:
//!
//! ```text
//! | sum of c X   -B |   n rows      X: mass, damping, stiffness and what a method adds
//! | sum of c C    Z |   m rows      B: how multipliers act, C: constraint rows, Z: usually absent
//! ```
//!
//! Methods name coefficients and blocks; assembly and factorisation happen here and nowhere else. A new
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
        self.factorisations += 1;
        self.factored = false;
        self.solver.factor(&self.matrix)?;
        self.factored = true;
        Ok(())
    }

    /// Size of the smallest pivot, see [`LinearSolver::smallest_pivot`].
    pub fn smallest_pivot(&self) -> f64 {
        self.solver.smallest_pivot()
    }

    /// Replaces the right-hand side (n + m entries) by the solution.
    pub fn solve(&mut self, rhs: &mut [S]) {
        debug_assert!(self.factored, "solve without factors");
        self.solves += 1;
        self.solver.solve(rhs);
    }
}
