//! Freedoms and redundancy: how many ways a mechanism can move, and which constraints follow from others.
//!
//! ```text
//! A: all rows at the level of velocities, columns / sqrt(W), rows of unit length; by blocks of the graph, since self-equilibrated reactions
//!    live inside of loops
//! rank by QR of A^T with pivots, threshold 1e-7        freedoms = columns - rank,   redundant = rows - rank
//! A^T zeta = 0:  everywhere redundant where N^T d/dq (A^T zeta) N = 0 for all motions N with A N = 0
//! ```
//!
//! The configuration must be closed to rounding; the threshold of 1e-7 tells a toggle that is bent by 1e-6 from a straight one.

use std::fmt;

use alembert::{At, ConstrainedSystem, Quantity, Redundancy};

use super::dense::{Dense, PivotedQr};
use super::graph::Graph;
use crate::expansion::{Expansion, Order};
use crate::mechanism::Mechanism;
use crate::node::Pose;
use crate::row::Level;

/// Rows shorter than this after the others are taken out follow from them.
const DEPENDENT: f64 = 1e-7;
/// Kept rows below this are nearly dependent.
const SHAKY: f64 = 1e-4;
/// Shares of a combination below this are nothing.
const NOTHING: f64 = 1e-6;
/// Curvature of a self-stress along motions, relative to the size of the mechanism: below it the redundancy stays.
const FLAT: f64 = 1e-6;

/// A constraint that follows from others.
#[derive(Clone, Debug, PartialEq)]
pub struct RedundantRow {
    /// The joint, driver or coupling.
    pub joint: String,
    /// What it prevents, in words.
    pub direction: &'static str,
    /// The others that prevent it already.
    pub follows_from: Vec<String>,
}

/// How a mechanism can move, at one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Mobility {
    /// Independent motions.
    pub freedoms: usize,
    /// Constraints that follow from others; of each combination the last in order.
    pub redundant: Vec<RedundantRow>,
    /// Whether they do so along all motions, not only here.
    pub everywhere: bool,
    /// Joints, drivers and couplings whose reactions are not unique: of all that do the same the smallest are reported.
    pub not_unique: Vec<String>,
    /// The smallest pivot that counts as independent: next to nothing near a singular configuration.
    pub weakest: f64,
}

impl fmt::Display for Mobility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.freedoms == 1 { "" } else { "s" };
        write!(f, "{} degree{plural} of freedom", self.freedoms)?;
        for RedundantRow { joint, direction, follows_from } in &self.redundant {
            let list: Vec<String> = follows_from.iter().map(|name| format!("`{name}`")).collect();
            let nature = if self.everywhere { "redundant" } else { "redundant, perhaps only here" };
            write!(f, "\n{nature}: `{joint}` ({direction}) follows from {}", list.join(", "))?;
        }
        if !self.not_unique.is_empty() {
            let list: Vec<String> = self.not_unique.iter().map(|name| format!("`{name}`")).collect();
            write!(f, "\nreactions that are not unique: {}", list.join(", "))?;
        }
        if self.is_shaky() {
            write!(f, "\nnearly singular: the weakest constraint is independent by {:.1e}", self.weakest)?;
        }
        Ok(())
    }
}

impl Mobility {
    /// Whether the configuration is nearly singular.
    pub fn is_shaky(&self) -> bool {
        self.weakest < SHAKY
    }
}

/// A row of a block: which constraint, which of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowId {
    pub constraint: usize,
    pub row: usize,
}

/// The decision about one block.
pub(crate) struct Decided {
    pub rows: Vec<RowId>,
    /// Combinations of unit rows that vanish.
    pub null: Dense,
    /// 1 over the length of each row.
    scales: Vec<f64>,
    /// Columns of the block.
    columns: Vec<usize>,
    qr: PivotedQr,
}

impl Mechanism {
    fn graph(&self) -> Graph {
        let edges = (0..self.constraint_names().len()).map(|at| self.assembly.joint_rows(at).0.nodes.clone());
        Graph::new(self.assembly.nodes().len(), edges.collect())
    }

    /// Whether no joint stands on a loop.
    pub(crate) fn is_tree(&self) -> bool {
        self.graph().is_forest()
    }

    /// Blocks of the graph in which rows may depend on each other, decided.
    pub(crate) fn decide(&self, q: &[f64], weights: &[f64]) -> Vec<Decided> {
        let nodes = self.assembly.nodes();
        let mut poses = vec![Pose::HOME; nodes.len()];
        nodes.iter().zip(&mut poses).for_each(|(node, pose)| node.place(q, pose));
        let loops = self.graph().blocks().into_iter().filter(|block| block.len() > 1);
        loops.map(|block| self.decide_block(&block, &poses, weights)).collect()
    }

    fn decide_block(&self, block: &[usize], poses: &[Pose], weights: &[f64]) -> Decided {
        let nodes = self.assembly.nodes();
        let mut touched: Vec<usize> =
            block.iter().flat_map(|at| self.assembly.joint_rows(*at).0.nodes.iter().copied()).collect();
        touched.sort_unstable();
        touched.dedup();
        let columns: Vec<usize> =
            touched.iter().flat_map(|node| nodes[*node].v..nodes[*node].v + nodes[*node].kind.sizes()[1]).collect();
        let mut whole = vec![0.0; weights.len()];
        let (mut z, mut sum) = (Vec::new(), Expansion::default());
        let (mut rows, mut scales) = (Vec::new(), Vec::new());
        let mut a = Dense { columns: columns.len(), values: Vec::new() };
        for &constraint in block {
            let (support, of) = self.assembly.joint_rows(constraint);
            support.locate(poses, &mut z);
            for (row, (of, _)) in of.enumerate() {
                of.expand(self.guess().t, &z, Order::Gradient, &mut sum);
                columns.iter().for_each(|j| whole[*j] = 0.0);
                for (z, gradient) in z.iter().zip(&sum.gradient) {
                    let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
                    z.add_wrench(gradient, &mut force, &mut torque);
                    let node = support.nodes[z.slot];
                    nodes[node].add_wrench(&poses[node], &force, &torque, &mut whole);
                }
                let scaled: Vec<f64> = columns.iter().map(|j| whole[*j] / weights[*j].sqrt()).collect();
                let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
                a.values.extend(scaled.iter().map(|x| x / length));
                rows.push(RowId { constraint, row });
                scales.push(1.0 / length);
            }
        }
        let qr = PivotedQr::new(a, DEPENDENT);
        Decided { rows, null: qr.multipliers(), scales, columns, qr }
    }

    /// Freedoms and redundancy at the start, which must be [closed](Self::close).
    pub fn mobility(&self) -> Mobility {
        let weights = self.weights();
        let decided = self.decide(&self.guess().q, &weights);
        let dims = self.assembly.dims();
        let dependent: usize = decided.iter().map(|block| block.null.rows()).sum();
        let everywhere = decided.iter().all(|block| self.stays(block, &weights));
        let redundant = decided.iter().flat_map(|block| self.blame(block)).collect();
        let weakest = decided.iter().map(|block| block.qr.kept).fold(1.0, f64::min);
        // Every number that counts turns has a row of its own and cancels out.
        let freedoms = dims.v + dependent - dims.constraints();
        let mut not_unique: Vec<String> = Vec::new();
        for block in &decided {
            for (at, id) in block.rows.iter().enumerate() {
                let name = &self.constraint_names()[id.constraint];
                let shares = (0..block.null.rows()).any(|i| block.null.row(i)[at].abs() > NOTHING);
                if shares && !not_unique.contains(name) {
                    not_unique.push(name.clone());
                }
            }
        }
        Mobility { freedoms, redundant, everywhere, not_unique, weakest }
    }

    /// Where no constraint follows from others the plain equations serve, which are more accurate than those that let loads be shared.
    pub(crate) fn settle_redundancy(&mut self) {
        if self.accepts_redundancy() {
            let shared = self.decide(&self.guess().q, &self.weights()).iter().any(|block| block.null.rows() > 0);
            let redundancy = if shared { Redundancy::LeastSquares } else { Redundancy::Refused };
            self.assembly.set_redundancy(redundancy);
        }
    }

    /// Whether the combinations of a block vanish along all motions.
    fn stays(&self, block: &Decided, weights: &[f64]) -> bool {
        if block.null.rows() == 0 {
            return true;
        }
        let (dims, size) = (self.assembly.dims(), self.size());
        let Some(patterns) = &self.assembly.description().patterns else { return false };
        let top = &patterns.top;
        let motions = block.qr.motions();
        let spread = |i: usize| {
            let mut x = vec![0.0; dims.v];
            block.columns.iter().zip(motions.row(i)).for_each(|(j, m)| x[*j] = m / weights[*j].sqrt());
            x
        };
        let motions: Vec<Vec<f64>> = (0..motions.rows()).map(spread).collect();
        (0..block.null.rows()).all(|at| {
            let (mut lambda, mut psi) = (vec![0.0; dims.lambda], vec![0.0; dims.psi]);
            for (k, id) in block.rows.iter().enumerate() {
                let share = block.null.row(at)[k] * block.scales[k];
                let found = self.assembly.joint_rows(id.constraint).1.nth(id.row);
                let Some((row, index)) = found else { continue };
                match row.level {
                    Level::Position => lambda[index] = share,
                    Level::Velocity => psi[index] = share,
                }
            }
            let v = vec![0.0; dims.v];
            let q = &self.guess().q;
            let question = At { lambda: &lambda, psi: &psi, ..At::new(self.guess().t, q, &v) };
            let mut values = vec![0.0; top.len()];
            let _supplied = self.assembly.ask(Quantity::ReactionQ, &question, &mut values);
            let mut image = vec![0.0; dims.v];
            motions.iter().all(|x| {
                top.multiply(&values, x, &mut image);
                motions.iter().all(|y| y.iter().zip(&image).map(|(y, x)| y * x).sum::<f64>().abs() * size < FLAT)
            })
        })
    }

    /// The rows of a block that follow from others: from the last joint to the first, as many as there are combinations.
    fn blame(&self, block: &Decided) -> Vec<RedundantRow> {
        let mut null: Vec<Vec<f64>> = (0..block.null.rows()).map(|i| block.null.row(i).to_vec()).collect();
        null.iter_mut().for_each(|x| normalise(x));
        let mut found = Vec::new();
        for at in (0..block.rows.len()).rev() {
            let strongest = (0..null.len()).max_by(|i, j| null[*i][at].abs().total_cmp(&null[*j][at].abs()));
            let Some(strongest) = strongest.filter(|i| null[*i][at].abs() > NOTHING.sqrt()) else { continue };
            let taken = null.swap_remove(strongest);
            for other in &mut null {
                let share = other[at] / taken[at];
                other.iter_mut().zip(&taken).for_each(|(x, y)| *x -= share * y);
                normalise(other);
            }
            found.push(self.redundant_row(block, at, &taken));
        }
        found
    }

    fn redundant_row(&self, block: &Decided, at: usize, combination: &[f64]) -> RedundantRow {
        let names = self.constraint_names();
        let RowId { constraint, row } = block.rows[at];
        let mut follows_from: Vec<String> = Vec::new();
        for (id, share) in block.rows.iter().zip(combination) {
            let name = &names[id.constraint];
            if share.abs() > NOTHING && id.constraint != constraint && !follows_from.contains(name) {
                follows_from.push(name.clone());
            }
        }
        let direction = self.assembly.joint_rows(constraint).1.nth(row).map_or("", |(row, _)| row.name);
        RedundantRow { joint: names[constraint].clone(), direction, follows_from }
    }
}

/// The largest entry becomes one.
fn normalise(x: &mut [f64]) {
    let largest = x.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    if largest > 0.0 {
        x.iter_mut().for_each(|x| *x /= largest);
    }
}
