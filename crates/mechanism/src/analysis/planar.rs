//! Loops that move in a plane although their bodies are in space: what everyone draws first.

use super::block::Block;
use crate::algebra::{Vector, cross, dot, length, times};
use crate::mechanism::Mechanism;
use crate::node::Pose;

/// Axes that are parallel or perpendicular to this share.
const PARALLEL: f64 = 1e-6;

impl Mechanism {
    /// Whether all joints of a block are hinges about one direction and guides across it.
    pub(super) fn is_planar_loop(&self, block: &Block, poses: &[Pose]) -> bool {
        let mut hinges: Vec<Vector> = Vec::new();
        let mut guides: Vec<Vector> = Vec::new();
        for constraint in block.constraints().into_iter().filter(|at| !self.counts_turns(*at)) {
            if self.drivers.contains(&constraint) || self.couplings.contains(&constraint) {
                continue;
            }
            let Some(joint) = self.joints.iter().find(|joint| joint.constraint == constraint) else { return false };
            let marker = &joint.markers()[0];
            let axis = times(&poses[marker.carrier.0].r, &marker.axes[2]);
            match joint.kind {
                "revolute" => hinges.push(axis),
                "prismatic" => guides.push(axis),
                _ => return false,
            }
        }
        let Some(normal) = hinges.first() else { return false };
        hinges.iter().all(|axis| length(&cross(normal, axis)) < PARALLEL)
            && guides.iter().all(|axis| dot(normal, axis).abs() < PARALLEL)
            && block.null.rows().is_multiple_of(3)
    }
}
