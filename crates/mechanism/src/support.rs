//! What an element stands on: its nodes, and the vectors attached to them.

use crate::attached::{Attached, Located, What};
use crate::marker::Marker;
use crate::node::{NodeId, Pose};

/// The nodes and vectors of a joint, a force or a joint coordinate.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Support {
    pub nodes: Vec<NodeId>,
    pub vectors: Vec<Attached>,
}

impl Support {
    /// A vector of a node, once however often it is asked for.
    pub fn attach(&mut self, node: NodeId, what: What, arm: [f64; 3]) -> u8 {
        self.attach_of(node, node, what, arm)
    }

    /// The origin of a marker.
    pub fn point(&mut self, marker: &Marker) -> u8 {
        self.attach_of(marker.carrier.0, marker.body.0, What::Point, marker.origin)
    }

    /// A direction of the body of a marker, in the axes of its node.
    pub fn direction(&mut self, marker: &Marker, along: [f64; 3]) -> u8 {
        self.attach_of(marker.carrier.0, marker.body.0, What::Direction, along)
    }

    /// The turn of the body of a marker.
    pub fn turn(&mut self, marker: &Marker) -> u8 {
        self.attach_of(marker.carrier.0, marker.body.0, What::Turn, [0.0, 0.0, marker.lead])
    }

    fn attach_of(&mut self, node: NodeId, owner: NodeId, what: What, arm: [f64; 3]) -> u8 {
        let slot = self.nodes.iter().position(|other| *other == node).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        });
        let vector = Attached { slot, what, arm, owner };
        let at = self.vectors.iter().position(|other| *other == vector).unwrap_or_else(|| {
            self.vectors.push(vector);
            self.vectors.len() - 1
        });
        at as u8
    }

    /// Takes over the vectors of another one; where each of them is now.
    pub fn join(&mut self, other: &Support) -> Vec<u8> {
        let vectors = other.vectors.iter();
        vectors.map(|v| self.attach_of(other.nodes[v.slot], v.owner, v.what, v.arm)).collect()
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
