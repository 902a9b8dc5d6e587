//! Forces: what pulls at attached vectors.
//!
//! A load gives a force F_k(t, z, z') on each of its vectors (their power is F_k.z'_k) with its derivatives. The assembler makes of it
//!
//! ```text
//! f   = sum J_k^T F_k
//! f_q = sum J_k^T (dF_k/dz_l J_l + dF_k/dz'_l Jw_l) + torsion of body frames       f_v = sum J_k^T dF_k/dz'_l J_l
//! ```
//!
//! To add one: a file here and a line below. One that is short to write and long to differentiate is a [`Formula`](formula::Formula).

mod bushing;
mod by_law;
mod contact;
mod drag;
mod formula;
mod pull;
mod slip;
mod stops;
mod tyre;

pub use bushing::Bushing;
pub(crate) use by_law::OnCoordinate;
pub use contact::Contact;
pub(crate) use contact::{OnPlane, OnSphere};
pub use drag::Drag;
pub(crate) use formula::Written;
pub use pull::Axes;
pub(crate) use pull::{Pull, Twist};
pub(crate) use slip::{Pressed, Slip};
pub use stops::Stops;
pub use tyre::Tyre;

use std::fmt::Debug;

use crate::algebra::Vector;
use crate::attached::Located;
use crate::expansion::{Block, Coupling, Expansion};
use crate::law::Powers;

/// A force between nodes.
pub(crate) trait Load: Debug + Send + Sync {
    /// Pairs (k, l) of vectors where the force on k may depend on l or its rate.
    fn couplings(&self) -> Vec<(usize, usize)>;

    /// The forces, and their derivatives where they are wanted.
    fn evaluate(&self, t: f64, z: &[Located], out: &mut Loading, room: &mut Room);

    /// What it stores, loses and brings in; power from outside unless it says otherwise.
    fn powers(&self, t: f64, z: &[Located], out: &mut Loading, room: &mut Room) -> Powers {
        out.clear(z.len(), false);
        self.evaluate(t, z, out, room);
        let input = out.force.iter().zip(z).map(|(force, z)| crate::algebra::dot(force, &z.rate)).sum();
        Powers { input, ..Powers::default() }
    }

    /// A number whose sign selects a branch of the force, where it has a kink. Steps end there, and the branch that is held in
    /// between is in the room.
    fn switch(&self, _: f64, _: &[Located], _: &mut Room) -> Option<f64> {
        None
    }

    /// Whether it has one.
    fn switches(&self) -> bool {
        false
    }

    /// How many coordinates it measures.
    fn measures(&self) -> usize {
        0
    }
}

/// The forces of a load at an instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loading {
    /// On each vector.
    pub force: Vec<Vector>,
    /// By positions.
    pub by_z: Vec<Coupling>,
    /// By rates.
    pub by_rate: Vec<Coupling>,
    /// Whether derivatives are wanted.
    pub derivatives: bool,
}

impl Loading {
    /// Zero, of so many vectors.
    pub fn clear(&mut self, vectors: usize, derivatives: bool) {
        self.force.clear();
        self.force.resize(vectors, [0.0; 3]);
        self.by_z.clear();
        self.by_rate.clear();
        self.derivatives = derivatives;
    }

    /// How the force on k changes with z_l.
    pub fn couple(&mut self, k: usize, l: usize, block: Block) {
        self.by_z.push(Coupling { k, l, block });
    }

    /// How the force on k changes with z'_l.
    pub fn couple_rate(&mut self, k: usize, l: usize, block: Block) {
        self.by_rate.push(Coupling { k, l, block });
    }
}

impl Room {
    /// What selects a branch: the one that is held, or the value of the switch.
    pub fn select(&self, value: f64) -> f64 {
        if self.held.is_nan() { value } else { self.held }
    }
}

/// Room for the coordinates that a law measures.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    pub rows: Vec<Expansion>,
    pub along: Vec<Vector>,
    pub x: Vec<f64>,
    pub rates: Vec<f64>,
    pub by_x: Vec<f64>,
    pub by_rates: Vec<f64>,
    /// What multipliers press friction with, times its coefficient.
    pub pressure: f64,
    /// The branch of the switch that is held; NaN where none is.
    pub held: f64,
}
