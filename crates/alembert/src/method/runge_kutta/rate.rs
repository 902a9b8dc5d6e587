//! What the kinematics q' = U(t,q,v) make of the blocks of one eigenvalue tau:
//!
//! ```text
//! Y = (I - h tau U_q)^-1,    Z = Y U_v,    S Z,    (G Z ; K),    (0 ; k_q Z)
//! ```
//!
//! Under a general rate Y and Z are full matrices. In a chart they have a block of 3 by 3 for each rotation and ones elsewhere,
//! and the products have the patterns of S, G and k_q.

use super::blocks::Blocks;
use super::eigensystem::Number;
use crate::checkpoint::{Archive, BadCheckpoint, keep};
use crate::linear::{DenseSolver, LinearSolver, Singular, keep_entries};
use crate::system::Dims;
use crate::turns::{Block, Turns, inverse, times};

/// Y, Z and their products with the blocks.
pub(super) struct Rate<S: Number> {
    kinematics: Kinematics<S>,
    /// A vector along q.
    pub column: Vec<S>,
    /// S Z and (G Z; K), real and imaginary parts apart, because blocks are real.
    pub stiffness: [Vec<f64>; 2],
    pub rows: [Vec<f64>; 2],
    /// (0; k_q Z).
    pub rows_q: [Vec<f64>; 2],
}

enum Kinematics<S: Number> {
    General {
        /// Factors of I - h tau U_q, column by column.
        solver: Box<DenseSolver<S>>,
        matrix: Vec<S>,
        /// q by v.
        z: Vec<S>,
    },
    Turning {
        y: Turns<S>,
        z: Turns<S>,
    },
}

impl<S: Number> Rate<S> {
    pub fn new(blocks: &Blocks) -> Self {
        let (n, nq, layout) = (blocks.dims.v, blocks.nq, &blocks.layout);
        let pair = |len: usize| [vec![0.0; len], vec![0.0; len]];
        let kinematics = match &blocks.turns {
            Some(turns) => Kinematics::Turning { y: turns.of(), z: turns.of() },
            None => Kinematics::General {
                solver: Box::new(DenseSolver::new(nq)),
                matrix: vec![S::default(); nq * nq],
                z: vec![S::default(); nq * n],
            },
        };
        Rate {
            kinematics,
            column: vec![S::default(); nq],
            stiffness: pair(layout.top.len()),
            rows: pair(layout.rows.len()),
            rows_q: pair(layout.rows.len()),
        }
    }

    /// For checkpoints; `factored` says whether there are factors to restore.
    pub fn keep(&mut self, archive: &mut Archive, factored: bool) -> Result<(), BadCheckpoint> {
        keep!(archive; self.stiffness, self.rows, self.rows_q)?;
        match &mut self.kinematics {
            Kinematics::General { solver, matrix, z } => {
                keep_entries(matrix, archive)?;
                keep_entries(z, archive)?;
                if archive.is_reading() && factored {
                    solver.factor(matrix).map_err(|_| BadCheckpoint::Corrupt)?;
                }
                Ok(())
            }
            Kinematics::Turning { y, z } => keep!(archive; *y, *z),
        }
    }

    /// Evaluates everything for h tau.
    pub fn prepare(&mut self, ht: S, blocks: &Blocks) -> Result<(), Singular> {
        let Rate { kinematics, column, stiffness, rows, rows_q } = self;
        let (Dims { v: n, lambda: nl, psi: np, .. }, nq) = (blocks.dims, blocks.nq);
        let holonomic = blocks.layout.holonomic.len();
        match kinematics {
            Kinematics::General { solver, matrix, z } => {
                for i in 0..nq {
                    for j in 0..nq {
                        let unit = S::from(if i == j { 1.0 } else { 0.0 });
                        matrix[j * nq + i] = unit - ht * blocks.u_q[i * nq + j];
                    }
                }
                solver.factor(matrix)?;
                for j in 0..n {
                    for i in 0..nq {
                        column[i] = S::from(blocks.u_v[i * n + j]);
                    }
                    solver.solve(column);
                    for i in 0..nq {
                        z[i * n + j] = column[i];
                    }
                }
                product(&blocks.stiffness, z, n, nq, stiffness, 0);
                product(&blocks.g_q, z, n, nq, rows, 0);
                if np > 0 {
                    product(&blocks.k_q[nl * nq..], z, n, nq, rows_q, nl * n);
                }
            }
            Kinematics::Turning { y, z } => {
                let layout = &blocks.layout;
                let block = |values: &[f64], j: usize| -> Block<S> {
                    [0, 1, 2].map(|i| {
                        let e = layout.rate.position(j + i, j).unwrap_or(0);
                        [values[e], values[e + 1], values[e + 2]].map(S::from)
                    })
                };
                let mut singular = None;
                y.fill(|j| {
                    let mut matrix = block(&blocks.u_q, j).map(|row| row.map(|x| -(ht * x)));
                    (0..3).for_each(|i| matrix[i][i] += S::from(1.0));
                    inverse(&matrix).unwrap_or_else(|| {
                        singular = Some(Singular { column: j });
                        Block::default()
                    })
                });
                if let Some(singular) = singular {
                    return Err(singular);
                }
                let mut y_blocks = y.iter();
                z.fill(|j| y_blocks.next().map_or(Block::default(), |(_, y)| times(y, &block(&blocks.u_v, j))));
                let parts = |x: S| <[f64; 2]>::from(x.split());
                let [re, im] = stiffness;
                z.product(&layout.top_q, &blocks.stiffness, [re, im], parts);
                let [re, im] = rows;
                z.product(&layout.holonomic_q, &blocks.g_q, [&mut re[..holonomic], &mut im[..holonomic]], parts);
                let [re, im] = rows_q;
                let k_q = &blocks.k_q[holonomic..];
                z.product(&layout.nonholonomic_q, k_q, [&mut re[holonomic..], &mut im[holonomic..]], parts);
            }
        }
        rows[0][holonomic..].copy_from_slice(&blocks.c_v[holonomic..]);
        Ok(())
    }

    /// Replaces the column x by Y x.
    pub fn filter(&mut self) {
        match &mut self.kinematics {
            Kinematics::General { solver, .. } => solver.solve(&mut self.column),
            Kinematics::Turning { y, .. } => y.apply(&mut self.column),
        }
    }

    /// Adds factor Z x to the column.
    pub fn add_moved(&mut self, factor: S, x: &[S]) {
        match &self.kinematics {
            Kinematics::General { z, .. } => {
                for (column, z) in self.column.iter_mut().zip(z.chunks_exact(x.len().max(1))) {
                    *column += factor * z.iter().zip(x).fold(S::default(), |sum, (z, x)| sum + *z * *x);
                }
            }
            Kinematics::Turning { z, .. } => z.add_to(factor, x, &mut self.column),
        }
    }
}

/// A Z with a real A (any rows by nq) and Z (nq by n), parts apart, written from `offset` on.
fn product<S: Number>(a: &[f64], z: &[S], n: usize, nq: usize, out: &mut [Vec<f64>; 2], offset: usize) {
    for (i, row) in a.chunks_exact(nq).enumerate() {
        for j in 0..n {
            let sum = row.iter().enumerate().fold(S::default(), |sum, (k, a)| sum + z[k * n + j] * *a);
            let (re, im) = sum.split();
            out[0][offset + i * n + j] = re;
            out[1][offset + i * n + j] = im;
        }
    }
}
