//! What is summed over elements for each node: wrenches, or torsions, never both at once.

use crate::algebra::{Matrix, Vector};

/// Three vectors for each node.
#[derive(Debug)]
pub(crate) struct Sums(Vec<Vector>);

impl Sums {
    /// For so many nodes.
    pub fn new(nodes: usize) -> Self {
        Sums(vec![[0.0; 3]; 3 * nodes])
    }

    /// Force and torque about p of each node; there is room for more.
    #[inline]
    pub fn wrenches(&self) -> &[[Vector; 2]] {
        self.0.as_chunks().0
    }

    /// The same to be summed.
    #[inline]
    pub fn wrenches_mut(&mut self) -> &mut [[Vector; 2]] {
        self.0.as_chunks_mut().0
    }

    /// What forces change by the turning of each node that no element couples with itself.
    #[inline]
    pub fn torsions(&self) -> &[Matrix] {
        self.0.as_chunks().0
    }

    /// The same to be summed.
    #[inline]
    pub fn torsions_mut(&mut self) -> &mut [Matrix] {
        self.0.as_chunks_mut().0
    }
}
