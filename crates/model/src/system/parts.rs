//! The equations of a model as nodes, before they become tapes.

use std::sync::Arc;

use alembert::{ConstrainedSystem, Dims, Redundancy, SolverChoice};
use alembert_mechanism::Mechanism;

use crate::graph::{Graph, Node};
use crate::tape::Layout;

/// The equations of a model, as nodes.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Entries of M.
    pub mass: Vec<(usize, usize, Node)>,
    pub force: Vec<Node>,
    /// None for the standard reaction.
    pub reaction: Option<Vec<Node>>,
    pub holonomic: Vec<Node>,
    pub nonholonomic: Vec<Node>,
    /// U; none where q' = v.
    pub rate: Option<Vec<Node>>,
    pub redundancy: Redundancy,
    /// Whether negative masses are meant.
    pub indefinite: bool,
    pub solver: SolverChoice,
    /// How many variables of first order change at jumps only.
    pub still: usize,
    /// Where the equations come from energies: kinetic v T_v - T (T itself where it is quadratic in v), potential U,
    /// dissipation v R_v, input f v, drive -L_t.
    pub energy: Option<[Node; 5]>,
    /// A mechanism whose bodies and joints come before all of it.
    pub mechanism: Option<Arc<Mechanism>>,
    /// What is added to the standard reaction.
    pub added: Option<Vec<Node>>,
    /// Functions of time that drive the mechanism, with what messages call them.
    pub driven: Vec<(Node, String)>,
}

impl Parts {
    /// Takes over a mechanism, and functions of time that drive it.
    pub fn take_mechanism(&mut self, mechanism: Option<Arc<Mechanism>>, driven: Vec<(Node, String)>) {
        let own = mechanism.as_ref().map(|mechanism| mechanism.system().description().redundancy);
        if own == Some(Redundancy::LeastSquares) {
            self.redundancy = Redundancy::LeastSquares;
        }
        (self.mechanism, self.driven) = (mechanism, driven);
    }

    /// How many multipliers belong to the mechanism.
    pub fn first(&self) -> [usize; 2] {
        let dims = self.mechanism.as_ref().map(|mechanism| mechanism.system().description().dims);
        dims.map_or([0, 0], |dims| [dims.lambda, dims.psi])
    }

    /// Whether there is nothing but a mechanism.
    pub fn is_mechanism(&self, graph: &Graph, layout: Layout) -> bool {
        let dims = self.mechanism.as_ref().map(|mechanism| mechanism.system().description().dims);
        let all = Dims { q: layout.q, v: layout.v, lambda: layout.lambda, psi: layout.psi };
        dims == Some(all) && self.added.is_none() && self.force.iter().all(|node| graph.is_zero(*node))
    }
}
