//! Blocks of the graph of bodies and joints, each with its rank.
//!
//! ```text
//! A: all rows at the level of velocities, columns / sqrt(W), rows of unit length; by blocks of the graph, since self-equilibrated reactions
//!    live inside of loops
//! rank by QR of A^T with pivots, threshold 1e-7        freedoms = columns - rank,   redundant = rows - rank
//! ```
//!
//! Rows that hold two points together are turned into the axes of the joint's first marker, so that one of them is along its axis: a row
//! along an axis of the world is nothing that can be left out of a joint.

use alembert::ConstrainedSystem;

use super::dense::{Dense, PivotedQr};
use super::graph::Graph;
use super::rates::{Rates, unit};
use crate::algebra::times;
use crate::mechanism::Mechanism;
use crate::row::Level;

/// Rows shorter than this after the others are taken out follow from them.
pub(crate) const DEPENDENT: f64 = 1e-7;

/// A row of a block.
#[derive(Clone, Debug)]
pub(crate) struct BlockRow {
    pub constraint: usize,
    /// What it prevents, in the axes of its joint.
    pub direction: &'static str,
    /// The multipliers that a unit of this row is, and their shares.
    parts: Vec<(Level, usize, f64)>,
}

/// A block that has been decided.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub rows: Vec<BlockRow>,
    /// The unit rows.
    pub a: Dense,
    /// Combinations of unit rows that vanish.
    pub null: Dense,
    /// The columns that it touches.
    pub columns: Vec<usize>,
    pub qr: PivotedQr,
}

impl Block {
    /// The constraints on it, in order.
    pub fn constraints(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.rows.iter().map(|row| row.constraint).collect();
        all.dedup();
        all
    }

    /// Multipliers of the system for a combination of unit rows.
    pub fn multipliers(&self, combination: &[f64], dims: alembert::Dims) -> (Vec<f64>, Vec<f64>) {
        let (mut lambda, mut psi) = (vec![0.0; dims.lambda], vec![0.0; dims.psi]);
        for (row, share) in self.rows.iter().zip(combination) {
            for (level, index, factor) in &row.parts {
                match level {
                    Level::Position => lambda[*index] += share * factor,
                    Level::Velocity => psi[*index] += share * factor,
                }
            }
        }
        (lambda, psi)
    }
}

impl Mechanism {
    /// Nodes and the constraints between them.
    pub(crate) fn graph(&self) -> Graph {
        let edges = (0..self.named().len()).map(|at| self.assembly.joint_rows(at).0.into_owned().nodes);
        Graph::new(self.assembly.nodes().len(), edges.collect())
    }

    /// Whether no joint stands on a loop.
    pub(crate) fn is_tree(&self) -> bool {
        self.graph().is_forest()
    }

    /// Blocks of the graph in which rows may depend on each other, decided.
    pub(crate) fn decide(&self, q: &[f64], weights: &[f64], threshold: f64) -> Vec<Block> {
        let mut of_constraint = vec![usize::MAX; self.named().len()];
        self.joints.iter().enumerate().for_each(|(at, joint)| of_constraint[joint.constraint] = at);
        let mut rates = Rates::new(self, q);
        let loops = self.graph().blocks().into_iter().filter(|block| block.len() > 1);
        loops.map(|block| self.decide_block(&block, &of_constraint, &mut rates, weights, threshold)).collect()
    }

    fn decide_block(
        &self,
        constraints: &[usize],
        of_constraint: &[usize],
        rates: &mut Rates,
        weights: &[f64],
        threshold: f64,
    ) -> Block {
        let nodes = self.assembly.nodes();
        let supports = constraints.iter().map(|at| self.assembly.joint_rows(*at).0);
        let mut touched: Vec<usize> = supports.flat_map(|support| support.into_owned().nodes).collect();
        touched.sort_unstable();
        touched.dedup();
        let columns: Vec<usize> =
            touched.iter().flat_map(|node| nodes[*node].v..nodes[*node].v + nodes[*node].kind.sizes()[1]).collect();
        let mut rows = Vec::new();
        let mut a = Dense { columns: columns.len(), values: Vec::new() };
        for &constraint in constraints {
            let (support, of) = self.assembly.joint_rows(constraint);
            let first = rows.len();
            for (of, index) in of {
                let whole = rates.of(&support, of);
                a.values.extend(columns.iter().map(|j| whole[*j] / weights[*j].sqrt()));
                rows.push(BlockRow { constraint, direction: of.name, parts: vec![(of.level, index, 1.0)] });
            }
            let joint = self.joints.get(of_constraint[constraint]);
            if let Some((joint, together)) = joint.and_then(|joint| Some((joint, joint.together?))) {
                let r = &rates.poses[joint.markers()[0].carrier.0].r;
                let frame = joint.markers()[0].axes.map(|axis| times(r, &axis));
                turn(&mut a, &mut rows, first + usize::from(together), &frame);
            }
        }
        for (at, row) in rows.iter_mut().enumerate() {
            let length = unit(a.row_mut(at));
            row.parts.iter_mut().for_each(|(_, _, factor)| *factor /= length);
        }
        let qr = PivotedQr::new(a.clone(), threshold);
        Block { rows, a, null: qr.multipliers(), columns, qr }
    }

    /// Whether a constraint only counts turns.
    pub(crate) fn counts_turns(&self, constraint: usize) -> bool {
        let known = |list: &[usize]| list.contains(&constraint);
        !self.joints.iter().any(|joint| joint.constraint == constraint)
            && !known(&self.drivers)
            && !known(&self.couplings)
    }

    /// How many constraints there are beside those that only count turns.
    pub(crate) fn count_rows(&self) -> usize {
        let others = self.joints.len() + self.drivers.len() + self.couplings.len();
        let counters = self.named().len() - others;
        self.assembly.description().dims.constraints() - counters
    }
}

/// Three rows along the axes of the world become rows along those of a frame.
fn turn(a: &mut Dense, rows: &mut [BlockRow], first: usize, frame: &[[f64; 3]; 3]) {
    let n = a.columns;
    for j in 0..n {
        let old = [0, 1, 2].map(|i| a.values[(first + i) * n + j]);
        for (k, axis) in frame.iter().enumerate() {
            a.values[(first + k) * n + j] = (0..3).map(|i| axis[i] * old[i]).sum();
        }
    }
    let parts: Vec<(Level, usize)> =
        rows[first..first + 3].iter().map(|row| (row.parts[0].0, row.parts[0].1)).collect();
    for (row, axis) in rows[first..first + 3].iter_mut().zip(frame) {
        row.parts = parts.iter().zip(axis).map(|((level, index), share)| (*level, *index, *share)).collect();
    }
}
