//! Names for the freedoms of a mechanism: joint coordinates that can be moved independently.
//!
//! ```text
//! B = C N     C: rates of the candidates, of unit length in W, times a preference;  N: motions that the constraints allow
//! ```
//!
//! QR with pivots of B^T takes the candidates that move most and least alike. Hinges and guides come before sleeves, crosses and balls, joints
//! on the ground before others, what is loaded or held by the start before all; bodies' own coordinates are a last resort.
//!
//! Numbers that count turns are no motions of their own: what depends on one depends on its angle, and their columns are zero. With them a
//! small wheel whose turns are counted would hardly seem to move beside its counter.

use alembert::{ConstrainedSystem, Named as What};

use super::block::DEPENDENT;
use super::dense::{Dense, PivotedQr};
use super::leverage::Candidate;
use super::rates::{Rates, unit};
use crate::mechanism::Mechanism;
use crate::node::Kind;
use crate::row::Row;
use crate::support::Support;

/// Preferences: joints on the ground, coordinates that are held by the start or loaded, bodies' own coordinates, those of the first body of
/// a group that floats.
const GROUNDED: f64 = 1.5;
const WANTED: f64 = 10.0;
const OWN: f64 = 0.05;
const FLOATING: f64 = 1.2;
/// Bodies that move so much faster than a coordinate that names them make it a poor choice.
const POOR: f64 = 30.0;
/// Candidates below this share move too little beside the first.
const WEAK: f64 = 1e-6;
/// More velocities than this make a dense decision too dear.
const MOST: usize = 900;

/// How gladly a coordinate of a joint of this type is named.
fn preference(kind: &str) -> f64 {
    match kind {
        "revolute" | "prismatic" => 1.0,
        "cylindrical" => 0.8,
        "universal" | "planar" => 0.5,
        "point on line" | "point on plane" => 0.3,
        _ => 0.1,
    }
}

/// Names of independent motions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Named {
    /// Joint coordinates, and coordinates of bodies where those do not suffice, in the order of the mechanism.
    pub coordinates: Vec<String>,
    /// Bodies that spin idly.
    pub idle: Vec<String>,
    /// Whether these coordinates hardly move with the motions they name, as at a dead centre.
    pub poor: bool,
}

impl Mechanism {
    /// Coordinates that can be moved independently, as many as there are freedoms, in the order of the mechanism: `angle of A`; then spins of
    /// bodies that move nothing else. None where the mechanism is too large to decide. The start must be [closed](Self::close).
    pub fn freedoms(&self) -> Option<Vec<String>> {
        let Named { mut coordinates, idle, .. } = self.named_freedoms()?;
        coordinates.extend(idle.iter().map(|body| format!("spin of `{body}` about the line of its joints")));
        Some(coordinates)
    }

    pub(super) fn named_freedoms(&self) -> Option<Named> {
        let (dims, weights) = (self.assembly.dims(), self.weights());
        if dims.v > MOST || dims.constraints() > MOST {
            return None;
        }
        let mut rates = Rates::new(self, &self.guess().q);
        let counters = self.counters(&mut rates);
        // A row of unit length in W.
        let mut rate = |support: &Support, row: &Row| {
            let mut out = rates.of(support, row).to_vec();
            for (column, angle) in &counters {
                let share = std::mem::take(&mut out[*column]);
                if share != 0.0 {
                    out.iter_mut().zip(angle).for_each(|(x, rate)| *x += share * rate);
                }
            }
            out.iter_mut().zip(&weights).for_each(|(x, weight)| *x /= weight.sqrt());
            let length = unit(&mut out);
            (out, length)
        };
        let idle = self.idle_spins(&weights);
        let mut all = Dense { columns: dims.v, values: Vec::new() };
        for constraint in (0..self.named().len()).filter(|at| !self.counts_turns(*at)) {
            let (support, rows) = self.assembly.joint_rows(constraint);
            rows.for_each(|(row, _)| all.values.extend(rate(&support, row).0));
        }
        for (column, _) in &counters {
            all.values.extend((0..dims.v).map(|j| f64::from(u8::from(j == *column))));
        }
        // What is left beside idle spins.
        idle.iter().for_each(|spin| all.values.extend(&spin.motion));
        let motions = PivotedQr::new(all, DEPENDENT).motions();
        let freedoms = motions.rows();
        let names: Vec<&str> = self.bodies().map(|(_, name)| name).collect();
        let idle = idle.iter().map(|spin| names[spin.body - 1].to_owned()).collect();
        if freedoms == 0 {
            return Some(Named { idle, ..Named::default() });
        }
        let mut candidates: Vec<Candidate> = Vec::new();
        for (at, joint) in self.joints.iter().enumerate() {
            let late = 1.0 - 0.02 * at as f64 / self.joints.len() as f64;
            let grounded = if joint.markers().iter().any(|marker| marker.carrier.0 == 0) { GROUNDED } else { 1.0 };
            for coordinate in joint.coordinates() {
                let id = crate::builder::CoordinateId { joint: at, name: coordinate.name };
                let wanted = self.held().iter().any(|held| held.of == id) || self.actuated.contains(&id);
                let weight = late * grounded * if wanted { WANTED } else { 1.0 } * preference(joint.kind);
                let (row, length) = rate(&coordinate.support, &coordinate.row);
                let turns = coordinate.name.contains("angle");
                let name = format!("{} of `{}`", coordinate.name, self.name_of(at));
                candidates.push(Candidate { name, weight, row, length, turns });
            }
        }
        let floating = self.floating();
        let nodes = self.assembly.nodes();
        // Numbers follow the bodies, and name nothing.
        for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.kind != Kind::Number) {
            // Of equal ones the first, not what rounding prefers.
            let late = 1.0 - 0.02 * at as f64 / nodes.len() as f64;
            for j in node.v..node.v + node.kind.sizes()[1] {
                let mut row = vec![0.0; dims.v];
                row[j] = 1.0;
                let weight = late * if floating.contains(&at) { FLOATING } else { OWN };
                let (name, turns) = (self.assembly.name(What::Coordinate, j), j - node.v >= node.kind.columns()[0]);
                candidates.push(Candidate { name, weight, row, length: 1.0 / weights[j].sqrt(), turns });
            }
        }
        let mut moved = Dense::zeros(candidates.len(), freedoms);
        for (at, candidate) in candidates.iter().enumerate() {
            for i in 0..freedoms {
                let along = motions.row(i).iter().zip(&candidate.row).map(|(m, x)| m * x).sum::<f64>();
                moved.row_mut(at)[i] = candidate.weight * along;
            }
        }
        let chosen = PivotedQr::new(moved.clone(), WEAK);
        let mut order = chosen.order[..chosen.rank].to_vec();
        order.sort_unstable();
        let chosen: Vec<&Candidate> = order.iter().map(|at| &candidates[*at]).collect();
        let mut unweighted = Dense { columns: freedoms, values: Vec::new() };
        for (at, candidate) in order.iter().zip(&chosen) {
            unweighted.values.extend(moved.row(*at).iter().map(|x| x / candidate.weight));
        }
        let poor = self.leverage(&chosen, unweighted, &motions, &weights) > POOR;
        Some(Named { coordinates: chosen.iter().map(|candidate| candidate.name.clone()).collect(), idle, poor })
    }

    /// The columns of numbers that count turns, and the rates of the angles that they follow.
    fn counters(&self, rates: &mut Rates) -> Vec<(usize, Vec<f64>)> {
        let mut found = Vec::new();
        for (id, node) in self.followed() {
            let coordinates = self.joints[id.joint].coordinates().iter();
            let coordinate = coordinates.filter(|coordinate| coordinate.name == id.name);
            let column = self.assembly.nodes()[node].v;
            found.extend(coordinate.map(|of| (column, rates.of(&of.support, &of.row).to_vec())));
        }
        found
    }

    /// The first body of each group of bodies that no joint ties to the ground.
    fn floating(&self) -> Vec<usize> {
        let mut group: Vec<usize> = (0..self.assembly.nodes().len()).collect();
        let root = |group: &[usize], mut at: usize| {
            while group[at] != at {
                at = group[at];
            }
            at
        };
        for joint in &self.joints {
            let [i, j] = [0, 1].map(|side| root(&group, joint.markers()[side].carrier.0));
            group[i.max(j)] = i.min(j);
        }
        let bodies = 1..=self.bodies().count();
        bodies.filter(|body| group[*body] == *body).collect()
    }
}
