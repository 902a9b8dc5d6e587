//! Room to evaluate an assembly in, made once for each run.

use super::Assembly;
use super::quad::Quad;
use super::sums::Sums;
use crate::algebra::Vector;
use crate::attached::Located;
use crate::expansion::Expansion;
use crate::load::{Loading, Room};
use crate::node::Pose;

/// Buffers that are large enough for every element.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// Of the assembly that it fits.
    pub fingerprint: u64,
    pub poses: Vec<Pose>,
    pub sums: Sums,
    /// The blocks of nodes with themselves, of those that an element couples with themselves.
    pub quads: Vec<Quad>,
    /// The blocks of different slots of an element.
    pub across: Vec<Quad>,
    /// Force and torque of a row on each slot, and of its change.
    pub slots: Vec<[Vector; 2]>,
    pub changes: Vec<[Vector; 2]>,
    pub z: Vec<Located>,
    pub row: Expansion,
    pub along: Vec<Vector>,
    pub loading: Loading,
    pub room: Room,
}

impl Scratch {
    pub fn new(assembly: &Assembly) -> Self {
        let supports = || {
            let of_joints = assembly.joints.listed().iter().map(|joint| &joint.support);
            of_joints.chain(assembly.pulls.iter().map(|pull| &pull.support))
        };
        let vectors = supports().map(|support| support.vectors.len()).max().unwrap_or(0);
        let slots = supports().map(|support| support.nodes.len()).max().unwrap_or(0);
        let rows = assembly.joints.listed().iter().flat_map(|joint| &joint.rows);
        let couplings = rows.map(|placed| placed.row.couplings().count()).max().unwrap_or(0);
        let pulled = assembly.pulls.iter().map(|pull| pull.load.couplings().len()).max().unwrap_or(0);
        let measures = assembly.pulls.iter().map(|pull| pull.load.measures()).max().unwrap_or(0);
        // A coordinate has no more couplings than all pairs of its vectors.
        let of_measures = vectors * vectors;
        Scratch {
            fingerprint: assembly.description.fingerprint,
            poses: vec![Pose::HOME; assembly.nodes.len()],
            sums: Sums::new(assembly.nodes.len()),
            quads: vec![Quad::ZERO; assembly.diagonals.coupled()],
            across: vec![Quad::ZERO; slots * slots],
            slots: vec![[[0.0; 3]; 2]; slots],
            changes: vec![[[0.0; 3]; 2]; slots],
            z: Vec::with_capacity(vectors),
            row: Expansion::with_room(vectors, couplings),
            along: Vec::with_capacity(vectors),
            loading: Loading {
                force: Vec::with_capacity(vectors),
                by_z: Vec::with_capacity(2 * pulled),
                by_rate: Vec::with_capacity(2 * pulled),
                derivatives: false,
            },
            room: Room {
                rows: (0..measures).map(|_| Expansion::with_room(vectors, of_measures)).collect(),
                along: Vec::with_capacity(vectors),
                x: Vec::with_capacity(measures),
                rates: Vec::with_capacity(measures),
                by_x: Vec::with_capacity(measures),
                by_rates: Vec::with_capacity(measures),
                pressure: 0.0,
                held: f64::NAN,
            },
        }
    }

    /// No force anywhere.
    pub fn clear_wrenches(&mut self) {
        self.sums.wrenches_mut()[..self.poses.len()].fill([[0.0; 3]; 2]);
    }
}
