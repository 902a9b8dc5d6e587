//! Names for the freedoms of a mechanism: joint coordinates that can be moved independently.
//!
//! ```text
//! B = C N     C: rates of the candidates, of unit length in W, times a preference;  N: motions that the constraints allow
//! ```
//!
//! QR with pivots of B^T takes the candidates that move most and least alike. Hinges and guides come before sleeves, crosses and balls, joints
//! on the ground before others, what is driven or held by the start before all; bodies' own coordinates are a last resort.

use alembert::{ConstrainedSystem, Named};

use super::dense::{Dense, PivotedQr};
use crate::expansion::{Expansion, Order};
use crate::mechanism::Mechanism;
use crate::node::Pose;
use crate::row::Row;
use crate::support::Support;

/// Rows shorter than this after the others are taken out follow from them.
const DEPENDENT: f64 = 1e-7;
/// Candidates below this share move too little beside the first.
const WEAK: f64 = 1e-6;
/// More velocities than this make a dense decision too dear.
const MOST: usize = 900;

/// How gladly a coordinate of a joint of this type is named.
fn preference(kind: &str) -> f64 {
    match kind {
        "revolute" | "prismatic" => 1.0,
        "cylindrical" => 0.8,
        "universal" | "planar" => 0.5,
        "point on line" | "point on plane" => 0.3,
        _ => 0.1,
    }
}

impl Mechanism {
    /// Coordinates that can be moved independently, as many as there are freedoms, in the order of the mechanism: `angle of A`. None where
    /// the mechanism is too large to decide. The start must be [closed](Self::close).
    pub fn freedoms(&self) -> Option<Vec<String>> {
        let (dims, weights) = (self.assembly.dims(), self.weights());
        if dims.v > MOST || dims.constraints() > MOST {
            return None;
        }
        let nodes = self.assembly.nodes();
        let mut poses = vec![Pose::HOME; nodes.len()];
        nodes.iter().zip(&mut poses).for_each(|(node, pose)| node.place(&self.guess().q, pose));
        let (mut z, mut sum) = (Vec::new(), Expansion::default());
        // A row of unit length in W.
        let mut rate = |support: &Support, row: &Row| {
            support.locate(&poses, &mut z);
            row.expand(self.guess().t, &z, Order::Gradient, &mut sum);
            let mut out = vec![0.0; dims.v];
            for (z, gradient) in z.iter().zip(&sum.gradient) {
                let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
                z.add_wrench(gradient, &mut force, &mut torque);
                let node = support.nodes[z.slot];
                nodes[node].add_wrench(&poses[node], &force, &torque, &mut out);
            }
            out.iter_mut().zip(&weights).for_each(|(x, weight)| *x /= weight.sqrt());
            let length = out.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            out.iter_mut().for_each(|x| *x /= length);
            out
        };
        let mut all = Dense { columns: dims.v, values: Vec::new() };
        for constraint in 0..self.constraint_names().len() {
            let (support, rows) = self.assembly.joint_rows(constraint);
            rows.for_each(|(row, _)| all.values.extend(rate(support, row)));
        }
        let motions = PivotedQr::new(all, DEPENDENT).motions();
        let freedoms = motions.rows();
        if freedoms == 0 {
            return Some(Vec::new());
        }
        let mut candidates: Vec<(String, Vec<f64>)> = Vec::new();
        for (at, joint) in self.joints.iter().enumerate() {
            let late = 1.0 - 0.02 * at as f64 / self.joints.len() as f64;
            let grounded = if joint.markers.iter().any(|marker| marker.body().0 == 0) { 1.5 } else { 1.0 };
            for coordinate in &joint.coordinates {
                let id = crate::builder::CoordinateId { joint: at, name: coordinate.name };
                let held = if self.held().iter().any(|held| held.of == id) { 10.0 } else { 1.0 };
                let weight = late * grounded * held * preference(joint.kind);
                let row = rate(&coordinate.support, &coordinate.row).iter().map(|x| weight * x).collect();
                candidates.push((format!("{} of `{}`", coordinate.name, joint.name), row));
            }
        }
        for j in 0..dims.v {
            let mut row = vec![0.0; dims.v];
            row[j] = 0.05;
            candidates.push((self.assembly.name(Named::Coordinate, j), row));
        }
        let mut moved = Dense::zeros(candidates.len(), freedoms);
        for (at, (_, row)) in candidates.iter().enumerate() {
            for i in 0..freedoms {
                moved.row_mut(at)[i] = motions.row(i).iter().zip(row).map(|(m, x)| m * x).sum();
            }
        }
        let chosen = PivotedQr::new(moved, WEAK);
        let mut order = chosen.order[..chosen.rank].to_vec();
        order.sort_unstable();
        Some(order.into_iter().map(|at| candidates[at].0.clone()).collect())
    }
}
