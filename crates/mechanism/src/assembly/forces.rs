//! Forces one by one: what pulls at each attached vector, and which body that vector was drawn on.

use alembert::At;

use super::{Assembly, Scratch};
use crate::algebra::{Vector, scaled};
use crate::attached::Located;
use crate::expansion::{Expansion, Order};
use crate::node::{NodeId, Pose};
use crate::row::Level;

impl Assembly {
    /// The acceleration of free fall.
    pub(crate) fn gravity(&self) -> &Vector {
        &self.gravity
    }

    /// Every force of a load and every reaction, with the body that it acts on.
    pub(crate) fn each_force(&self, at: &At, mut put: impl FnMut(NodeId, &Located, &Vector)) {
        let mut room = Scratch::new(self);
        for (node, pose) in self.nodes.iter().zip(&mut room.poses) {
            node.place(at.q, pose);
            node.moving(at.v, pose);
        }
        for pull in &self.pulls {
            let support = &pull.support;
            support.locate(&room.poses, &mut room.z);
            let Scratch { z, loading, room: own, .. } = &mut room;
            loading.clear(z.len(), false);
            self.ready(pull, at, own);
            pull.load.evaluate(at.t, z, loading, own);
            for ((vector, z), force) in support.vectors.iter().zip(z).zip(&loading.force) {
                put(vector.owner, z, force);
            }
        }
        let poses = &room.poses;
        self.each_reaction(at, &|node: NodeId| poses[node], put);
    }

    /// Every reaction.
    fn each_reaction(&self, at: &At, pose: &impl Fn(NodeId) -> Pose, mut put: impl FnMut(NodeId, &Located, &Vector)) {
        (0..self.constraint_names.len()).for_each(|joint| self.each_reaction_of(joint, at, pose, &mut put));
    }

    /// The reactions of one constraint: -lambda g_z, or -psi A.
    pub(crate) fn each_reaction_of(
        &self,
        joint: usize,
        at: &At,
        pose: &impl Fn(NodeId) -> Pose,
        mut put: impl FnMut(NodeId, &Located, &Vector),
    ) {
        let (support, rows) = self.joint_rows(joint);
        let vectors = support.vectors.iter();
        let z: Vec<Located> = vectors.map(|vector| vector.locate(&pose(support.nodes[vector.slot]))).collect();
        let mut sum = Expansion::default();
        for (row, index) in rows {
            row.expand(at.t, &z, Order::Gradient, &mut sum);
            let multiplier = match row.level {
                Level::Position => at.lambda[index],
                Level::Velocity => at.psi[index],
            };
            for ((vector, z), gradient) in support.vectors.iter().zip(&z).zip(&sum.gradient) {
                put(vector.owner, z, &scaled(-multiplier, gradient));
            }
        }
    }
}
