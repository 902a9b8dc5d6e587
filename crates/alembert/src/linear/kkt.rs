//! The bordered matrix, the only linear system of the library:
//!
//! ```text
//! | sum of c X   -B |   n rows      X: mass, damping, stiffness and what a method adds
//! | sum of c C    Z |   m rows      B: how multipliers act, C: constraint rows, Z: usually absent
//! ```
//!
//! Methods name coefficients and blocks; assembly and factorisation happen here and nowhere else. A new
//! step size combines the same blocks anew, it does not evaluate them.

use std::sync::Arc;

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};

use super::{DenseSolver, Entry, LinearSolver, Pattern, Singular};

/// A coefficient and the values of a block.
pub type Term<'a, S = f64> = (S, &'a [f64]);

/// What a bordered matrix is made of: values of the patterns of the [`Kkt`]. An empty block is none.
#[derive(Clone, Copy, Debug)]
pub struct Bordered<'a, S = f64> {
    /// Terms of the leading n by n block.
    pub top: &'a [Term<'a, S>],
    /// The transpose of B, m by n; it enters with a minus sign.
    pub border: &'a [f64],
    /// Terms of the m by n constraint rows.
    pub rows: &'a [Term<'a, S>],
    /// Z, m by m and dense, where there is one.
    pub corner: Option<&'a [f64]>,
}

/// Holds one bordered matrix and its factors.
pub struct Kkt<S: Entry = f64> {
    top: Arc<Pattern>,
    rows: Arc<Pattern>,
    /// Column-major.
    matrix: Vec<S>,
    solver: DenseSolver<S>,
    factored: bool,
    /// Factorisations so far.
    pub factorisations: u64,
    /// Solves so far.
    pub solves: u64,
}

impl<S: Entry> Keep for Kkt<S> {
    /// The matrix is kept; equal matrices have equal factors.
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let kept: Result<(), BadCheckpoint> =
            keep!(archive; self.matrix, self.factored, self.factorisations, self.solves);
        kept?;
        if archive.is_reading() && self.factored {
            self.solver.factor(&self.matrix).map_err(|_| BadCheckpoint::Corrupt)?;
        }
        Ok(())
    }
}

impl<S: Entry + 'static> Kkt<S> {
    /// Room for `n` unknowns and `m` multipliers.
    pub fn dense(n: usize, m: usize) -> Self {
        Self::new(&Arc::new(Pattern::dense(n, n)), &Arc::new(Pattern::dense(m, n)))
    }

    /// Room for blocks with the patterns of the leading block and of the constraint rows.
    pub fn new(top: &Arc<Pattern>, rows: &Arc<Pattern>) -> Self {
        let size = top.rows() + rows.rows();
        Kkt {
            top: top.clone(),
            rows: rows.clone(),
            matrix: vec![S::default(); size * size],
            solver: DenseSolver::new(size),
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
        let (n, m) = (self.top.rows(), self.rows.rows());
        let size = n + m;
        let matrix = &mut self.matrix;
        matrix.fill(S::default());
        for (c, block) in parts.top.iter().filter(|(c, _)| c.size() != 0.0) {
            each(&self.top, block, |i, j, x| matrix[j * size + i] += *c * x);
        }
        if m > 0 {
            each(&self.rows, parts.border, |i, j, x| matrix[(n + i) * size + j] = S::from(-x));
            for (c, block) in parts.rows.iter().filter(|(c, _)| c.size() != 0.0) {
                each(&self.rows, block, |i, j, x| matrix[j * size + n + i] += *c * x);
            }
            if let Some(corner) = parts.corner {
                for (i, row) in corner.chunks_exact(m).enumerate() {
                    for (j, x) in row.iter().enumerate() {
                        matrix[(n + j) * size + n + i] = S::from(*x);
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

/// Calls `put(i, j, value)` for each entry of a block; for an empty one not at all.
fn each(pattern: &Pattern, values: &[f64], mut put: impl FnMut(usize, usize, f64)) {
    if pattern.is_dense() {
        for (i, row) in values.chunks_exact(pattern.columns().max(1)).enumerate() {
            for (j, x) in row.iter().enumerate() {
                put(i, j, *x);
            }
        }
    } else if !values.is_empty() {
        for i in 0..pattern.rows() {
            for (j, e) in pattern.row(i) {
                put(i, j, values[e]);
            }
        }
    }
}
