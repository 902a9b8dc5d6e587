//! Where the blocks of nodes with themselves stand, from where the rows of each node begin: bodies that are held in the same way look the same.

use alembert::Pattern;

use super::bodies::Diagonal;
use super::plan::{self, Fill, Place};
use super::quad::Quad;
use crate::algebra::Matrix;
use crate::distinct::Distinct;
use crate::node::{Node, NodeId};

/// Marks what is not there.
const NONE: u32 = u32::MAX;

/// A block, from where its node begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Shape {
    place: Place,
    /// Positions of the diagonal of the shifts.
    shifts: [u32; 3],
}

/// A node.
#[derive(Clone, Copy, Debug)]
struct Own {
    /// Where its rows begin.
    start: u32,
    /// Which of the nodes that an element couples with themselves.
    coupled: u32,
}

/// Of all nodes.
#[derive(Debug)]
pub(super) struct Diagonals {
    shapes: Distinct<Shape>,
    nodes: Vec<Own>,
    /// How many nodes an element couples with themselves.
    coupled: u32,
}

impl Diagonals {
    /// With what elements fill of each block, and whether one couples the node with itself.
    pub fn new(top: &Pattern, nodes: &[Node], fills: &[Fill], coupled: &[bool]) -> Self {
        let starts: Vec<u32> =
            nodes.iter().map(|node| if node.v < top.rows() { top.start(node.v) as u32 } else { 0 }).collect();
        let shape = |at: usize| {
            let mut shifts = [0; 3];
            for (i, column) in plan::columns(&nodes[at], 0).enumerate() {
                shifts[i] = top.position(column, column).map_or(0, |position| position as u32 - starts[at]);
            }
            Shape { place: Place::new(top, (at, at), nodes, fills[at]).relative_to(starts[at]), shifts }
        };
        let mut count = 0;
        let mut own = |(start, coupled): (&u32, &bool)| {
            let coupled = if *coupled { count } else { NONE };
            count += u32::from(coupled != NONE);
            Own { start: *start, coupled }
        };
        let own = starts.iter().zip(coupled).map(&mut own).collect();
        Diagonals { shapes: Distinct::new((0..nodes.len()).map(shape), |shape| *shape), nodes: own, coupled: count }
    }

    /// How many nodes an element couples with themselves.
    pub fn coupled(&self) -> usize {
        self.coupled as usize
    }

    /// The place of a node among those.
    #[inline]
    pub fn coupled_at(&self, node: NodeId) -> Option<usize> {
        self.nodes[node].coupled()
    }

    /// Where torsions of a node are summed.
    #[inline]
    pub fn torsion<'r>(&self, at: NodeId, quads: &'r mut [Quad], torsions: &'r mut [Matrix]) -> &'r mut Matrix {
        match self.coupled_at(at) {
            Some(own) => &mut quads[own].tt,
            None => &mut torsions[at],
        }
    }

    /// One for each node.
    pub fn iter(&self) -> impl Iterator<Item = Diagonal> {
        self.nodes.iter().zip(self.shapes.iter()).map(|(own, shape)| Diagonal {
            place: shape.place.onto(own.start),
            shifts: shape.shifts.map(|shift| own.start + shift),
            coupled: own.coupled(),
        })
    }
}

impl Own {
    fn coupled(&self) -> Option<usize> {
        (self.coupled != NONE).then_some(self.coupled as usize)
    }
}
