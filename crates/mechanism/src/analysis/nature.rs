//! Whether constraints follow from others along the motion, or only here.
//!
//! ```text
//! A^T zeta = 0:   K_zeta = N^T d/dq (A^T zeta) N       N: motions with A N = 0
//! all K = 0       the combination vanishes along all motions: redundant everywhere
//! K indefinite    two branches of motions cross: only here
//! K definite      the self-stress zeta stiffens: the motions N exist to first order only, a shaky structure
//! ```
//!
//! With one independent K its eigenvalues decide. Otherwise, and for the freedoms beside the singular configuration, a step is taken
//! along random motions and closed again: the highest rank that is met is the rank of the branch.

use alembert::{At, ConstrainedSystem, Quantity};

use super::block::{Block, DEPENDENT};
use super::dense::{Dense, eigen, orthonormal};
use crate::closing::walk;
use crate::mechanism::Mechanism;

/// Curvature of a self-stress along motions, relative to the size of the mechanism: below it the redundancy stays.
const FLAT: f64 = 1e-6;
/// Curvatures below this share of the largest are none.
const NONE: f64 = 1e-7;

/// Where constraints follow from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Along all motions.
    Everywhere,
    /// In this configuration, a singular one, in which branches of motions meet.
    OnlyHere,
    /// In this configuration, which can be left to first order only: a structure that shakes.
    Shaky,
}

/// The decision about a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    pub nature: Nature,
    /// Freedoms that are lost beside this configuration, or that never were any.
    pub lost: usize,
}

fn steepest(all: &[Dense]) -> f64 {
    all.iter().flat_map(|k| &k.values).fold(0.0_f64, |max, x| max.max(x.abs()))
}

const EVERYWHERE: Decision = Decision { nature: Nature::Everywhere, lost: 0 };

impl Mechanism {
    /// K of all combinations of a block that vanish, of orthonormal combinations and motions.
    fn curvatures(&self, q: &[f64], block: &Block, weights: &[f64]) -> Vec<Dense> {
        let (dims, size) = (self.assembly.dims(), self.size());
        let Some(patterns) = &self.assembly.description().patterns else { return Vec::new() };
        let top = &patterns.top;
        let motions = block.qr.motions();
        let spread = |i: usize| {
            let mut x = vec![0.0; dims.v];
            block.columns.iter().zip(motions.row(i)).for_each(|(j, m)| x[*j] = m / weights[*j].sqrt());
            x
        };
        let motions: Vec<Vec<f64>> = (0..motions.rows()).map(spread).collect();
        let count = motions.len();
        let null = orthonormal(&block.null);
        let v = vec![0.0; dims.v];
        let (mut values, mut image) = (vec![0.0; top.len()], vec![0.0; dims.v]);
        let mut all = Vec::new();
        for at in 0..null.rows() {
            let (lambda, psi) = block.multipliers(null.row(at), dims);
            let question = At { lambda: &lambda, psi: &psi, ..At::new(self.guess().t, q, &v) };
            let _supplied = self.assembly.ask(Quantity::ReactionQ, &question, &mut values);
            let mut k = Dense::zeros(count, count);
            for (j, x) in motions.iter().enumerate() {
                image.fill(0.0);
                top.multiply(&values, x, &mut image);
                for (i, y) in motions.iter().enumerate() {
                    let share = 0.5 * size * y.iter().zip(&image).map(|(y, x)| y * x).sum::<f64>();
                    k.values[i * count + j] += share;
                    k.values[j * count + i] += share;
                }
            }
            all.push(k);
        }
        all
    }

    /// How fast combinations of a block that vanish at a configuration cease to along a way of one size, relative to the size of the mechanism.
    pub(crate) fn leaves(&self, (t, q): (f64, &[f64]), block: &Block, weights: &[f64], way: &[f64]) -> f64 {
        let (dims, size) = (self.assembly.dims(), self.size());
        let Some(patterns) = &self.assembly.description().patterns else { return 0.0 };
        let (motions, null) = (block.qr.motions(), orthonormal(&block.null));
        let v = vec![0.0; dims.v];
        let (mut values, mut image) = (vec![0.0; patterns.top.len()], vec![0.0; dims.v]);
        let mut fastest = 0.0_f64;
        for at in 0..null.rows() {
            let (lambda, psi) = block.multipliers(null.row(at), dims);
            let question = At { lambda: &lambda, psi: &psi, ..At::new(t, q, &v) };
            let _supplied = self.assembly.ask(Quantity::ReactionQ, &question, &mut values);
            image.fill(0.0);
            patterns.top.multiply(&values, way, &mut image);
            for i in 0..motions.rows() {
                let along = block.columns.iter().zip(motions.row(i)).map(|(j, m)| image[*j] * m / weights[*j].sqrt());
                fastest = fastest.max((size * along.sum::<f64>()).abs());
            }
        }
        fastest
    }

    /// The largest curvature of the combinations of a block that vanish at a configuration, relative to the size of the mechanism: 0 where
    /// they vanish along all motions.
    pub(crate) fn bends(&self, q: &[f64], block: &Block, weights: &[f64]) -> f64 {
        if block.null.rows() == 0 { 0.0 } else { steepest(&self.curvatures(q, block, weights)) }
    }

    /// Whether the redundancy of a block stays.
    pub(super) fn nature(&self, block: &Block, weights: &[f64]) -> Decision {
        if block.null.rows() == 0 || block.qr.rank == block.columns.len() {
            return EVERYWHERE;
        }
        let all = self.curvatures(&self.guess().q, block, weights);
        let largest = steepest(&all);
        if largest < FLAT {
            return EVERYWHERE;
        }
        // How many independent K there are: Gram's matrix of them.
        let mut gram = Dense::zeros(all.len(), all.len());
        for i in 0..all.len() {
            for j in 0..all.len() {
                gram.row_mut(i)[j] = all[i].values.iter().zip(&all[j].values).map(|(x, y)| x * y).sum();
            }
        }
        let (shares, directions) = eigen(gram);
        let top = (0..shares.len()).max_by(|i, j| shares[*i].total_cmp(&shares[*j])).unwrap_or(0);
        let single = shares.iter().enumerate().all(|(i, x)| i == top || *x < NONE * shares[top]);
        let mut k = Dense::zeros(all[0].rows(), all[0].columns);
        for (share, other) in directions.row(top).iter().zip(&all) {
            k.values.iter_mut().zip(&other.values).for_each(|(x, y)| *x += share * y);
        }
        let (bends, _) = eigen(k);
        let steepest = bends.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
        let positive = bends.iter().filter(|x| **x > NONE * steepest).count();
        let negative = bends.iter().filter(|x| **x < -NONE * steepest).count();
        if single && (positive == 0 || negative == 0) {
            return Decision { nature: Nature::Shaky, lost: positive + negative };
        }
        let rank = |q: Vec<f64>| {
            let there = self.decide(&q, weights, DEPENDENT);
            let same = there.iter().find(|other| other.columns == block.columns);
            same.map_or(block.qr.rank, |other| other.qr.rank)
        };
        match walk(self, block, weights).into_iter().map(rank).max() {
            Some(rank) => Decision { nature: Nature::OnlyHere, lost: rank.saturating_sub(block.qr.rank) },
            None if single => Decision { nature: Nature::OnlyHere, lost: 1 },
            None => Decision { nature: Nature::Shaky, lost: block.columns.len() - block.qr.rank },
        }
    }
}
