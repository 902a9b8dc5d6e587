//! What an element stands on: its nodes, and the vectors attached to them.

use crate::attached::{Attached, Located, What};
use crate::node::{NodeId, Pose};

/// The nodes and vectors of a joint, a force or a joint coordinate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Support {
    pub nodes: Vec<NodeId>,
    pub vectors: Vec<Attached>,
}

impl Support {
    /// A vector of a node, once however often it is asked for.
    pub fn attach(&mut self, node: NodeId, what: What, arm: [f64; 3]) -> u8 {
        let slot = self.nodes.iter().position(|other| *other == node).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        });
        let vector = Attached { slot, what, arm };
        let at = self.vectors.iter().position(|other| *other == vector).unwrap_or_else(|| {
            self.vectors.push(vector);
            self.vectors.len() - 1
        });
        at as u8
    }

    /// Takes over the vectors of another one; where each of them is now.
    pub fn join(&mut self, other: &Support) -> Vec<u8> {
        other.vectors.iter().map(|vector| self.attach(other.nodes[vector.slot], vector.what, vector.arm)).collect()
    }

    /// Gives back room that it will not need.
    pub fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
        self.vectors.shrink_to_fit();
    }

    /// Where its vectors are.
    #[inline]
    pub fn locate(&self, poses: &[Pose], z: &mut Vec<Located>) {
        z.clear();
        z.extend(self.vectors.iter().map(|vector| vector.locate(&poses[self.nodes[vector.slot]])));
    }
}
