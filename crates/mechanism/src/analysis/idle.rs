//! Idle spins: bodies that turn about the line of their joints, which moves nothing else and no joint coordinate. A door on two hinges is not
//! idle: its angle is what it is there for.

use alembert::ConstrainedSystem;

use super::block::DEPENDENT;
use super::dense::{Dense, PivotedQr};
use super::rates::{Rates, unit};
use crate::algebra::{add, cross, length, times};
use crate::mechanism::Mechanism;
use crate::node::Kind;

/// Markers that move less than this beside the body stand still.
const STILL: f64 = 1e-7;

/// A body that spins idly, and the motion, one number for each velocity in the units of W.
pub(super) struct Idle {
    pub body: usize,
    pub motion: Vec<f64>,
}

impl Mechanism {
    /// Bodies on at least two joints that can turn while all their markers stand still.
    pub(super) fn idle_spins(&self, weights: &[f64]) -> Vec<Idle> {
        let nodes = self.assembly.nodes();
        let mut rates = Rates::new(self, &self.guess().q);
        let mut rows: Vec<Vec<f64>> = vec![Vec::new(); nodes.len()];
        for constraint in 0..self.named().len() {
            let (support, of) = self.assembly.joint_rows(constraint);
            for (row, _) in of {
                let whole = rates.of(&support, row);
                for &node in support.nodes.iter().filter(|node| nodes[**node].kind == Kind::Spatial) {
                    let columns = nodes[node].v..nodes[node].v + 6;
                    let mut own: Vec<f64> = columns.map(|j| whole[j] / weights[j].sqrt()).collect();
                    if unit(&mut own) > f64::MIN_POSITIVE {
                        rows[node].extend(own);
                    }
                }
            }
        }
        let mut joints = vec![Vec::new(); nodes.len()];
        for (_, joint) in self.joints.iter().enumerate().filter(|(at, _)| self.welded.weld(*at).is_none()) {
            joint.markers().into_iter().for_each(|marker| joints[marker.carrier.0].push((joint, marker)));
        }
        let mut found = Vec::new();
        for (body, values) in rows.into_iter().enumerate() {
            let node = &nodes[body];
            let on = &joints[body];
            if node.kind != Kind::Spatial || on.len() < 2 || values.is_empty() {
                continue;
            }
            let motions = PivotedQr::new(Dense { columns: 6, values }, DEPENDENT).motions();
            // More than one spin of a single body is no line of joints.
            if motions.rows() != 1 {
                continue;
            }
            let whole: Vec<f64> = (0..6).map(|i| motions.row(0)[i] / weights[node.v + i].sqrt()).collect();
            let (shift, turn) = ([whole[0], whole[1], whole[2]], [whole[3], whole[4], whole[5]]);
            let r = &rates.poses[body].r;
            let moves = on.iter().any(|(_, marker)| {
                let mut speed = shift;
                add(&mut speed, 1.0, &times(r, &cross(&turn, &marker.origin)));
                length(&speed) > STILL
            });
            let told = on.iter().flat_map(|(joint, _)| joint.coordinates()).any(|coordinate| {
                let rate = &rates.of(&coordinate.support, &coordinate.row)[node.v..node.v + 6];
                rate.iter().zip(&whole).map(|(rate, x)| rate * x).sum::<f64>().abs() > STILL
            });
            if !moves && !told {
                let mut motion = vec![0.0; self.assembly.dims().v];
                motion[node.v..node.v + 6].copy_from_slice(motions.row(0));
                found.push(Idle { body, motion });
            }
        }
        found
    }
}
