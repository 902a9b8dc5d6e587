//! How fast bodies move with a coordinate that names a freedom, while the other named ones stand still: near a dead centre very fast.
//!
//! ```text
//! B x = e_k     B: rates of the named coordinates along the motions N that the constraints allow
//! leverage      the largest angular velocity of a body in x N where coordinate k is an angle, the largest velocity of a centre otherwise
//! ```
//!
//! Angles are compared with turns and displacements with shifts, so that neither units nor the sizes of bodies matter.

use super::dense::{Dense, PivotedQr};
use crate::mechanism::Mechanism;
use crate::node::Kind;

/// A coordinate that may name a freedom.
pub(super) struct Candidate {
    pub name: String,
    /// How gladly it is named.
    pub weight: f64,
    /// Its rate: of unit length in W, and the length that it had.
    pub row: Vec<f64>,
    pub length: f64,
    /// Whether it is an angle.
    pub turns: bool,
}

impl Mechanism {
    /// The largest leverage of the coordinates that were chosen; `moved` are their unit rows along the motions.
    pub(super) fn leverage(&self, chosen: &[&Candidate], moved: Dense, motions: &Dense, weights: &[f64]) -> f64 {
        let qr = PivotedQr::new(moved, 0.0);
        let mut largest = 0.0_f64;
        let mut wanted = vec![0.0; chosen.len()];
        let mut motion = vec![0.0; weights.len()];
        for (at, candidate) in chosen.iter().enumerate() {
            wanted[at] = 1.0 / candidate.length;
            let shares = qr.shortest(&wanted);
            wanted[at] = 0.0;
            motion.fill(0.0);
            for (i, share) in shares.iter().enumerate() {
                motion.iter_mut().zip(motions.row(i)).for_each(|(x, along)| *x += share * along);
            }
            motion.iter_mut().zip(weights).for_each(|(x, weight)| *x /= weight.sqrt());
            for node in self.assembly.nodes().iter().filter(|node| node.kind != Kind::Number) {
                let [shifts, turns] = node.kind.columns();
                let columns =
                    if candidate.turns { node.v + shifts..node.v + shifts + turns } else { node.v..node.v + shifts };
                largest = largest.max(motion[columns].iter().map(|x| x * x).sum::<f64>().sqrt());
            }
        }
        largest
    }
}
