//! Reactions that are not -G^T lambda: friction of joints that grows with what they carry.
//!
//! ```text
//! r = -G^T lambda - K^T psi + P(lambda) F         F the force of friction for P = 1
//! r_lambda^T = -G + P_lambda F^T                  P_lambda = mu N_lambda, see `Pressed`
//! ```
//!
//! Without such friction none of this is supplied, and the standard reaction is that of the library.

use alembert::{At, Quantities, Quantity};

use super::joints::Joined;
use super::{Assembly, Pulled, Scratch};
use crate::algebra::{Vector, scaled};
use crate::expansion::Order;
use crate::load::{Pressed, Room};
use crate::row::Level;

/// What is supplied besides where a joint rubs.
pub(super) const OF_FRICTION: Quantities = {
    use Quantity::*;
    Quantities::of(&[Reaction, ReactionLambda, ReactionPsi])
};

/// Which loads are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Those that are forces.
    Forces,
    /// Those that multipliers press.
    Reactions,
    /// All.
    All,
}

impl Which {
    pub fn takes(self, pull: &Pulled) -> bool {
        match self {
            Which::Forces => pull.pressed.is_none(),
            Which::Reactions => pull.pressed.is_some(),
            Which::All => true,
        }
    }
}

impl Assembly {
    /// The multipliers that press.
    fn multipliers<'a>(&'a self, pressed: &Pressed, at: &'a At) -> impl Iterator<Item = f64> + use<'a> {
        let rows = self.joints.get(pressed.constraint).rows();
        rows.map(|(row, index)| if row.level == Level::Position { at.lambda[index] } else { 0.0 })
    }

    /// Tells a load what multipliers press it with, and which branch is held.
    pub(super) fn ready(&self, pull: &Pulled, at: &At, room: &mut Room) {
        room.pressure = self.pressure(pull, at);
        room.held = pull.switch.and_then(|switch| at.held.get(switch).copied()).unwrap_or(f64::NAN);
    }

    /// The switches of all loads that have one.
    pub(super) fn switches(&self, at: &At, room: &mut Scratch, out: &mut [f64]) {
        for pull in &self.pulls {
            let Some(switch) = pull.switch else { continue };
            pull.support.locate(&room.poses, &mut room.z);
            out[switch] = pull.load.switch(at.t, &room.z, &mut room.room).unwrap_or(1.0);
        }
    }

    fn pressure(&self, pull: &Pulled, at: &At) -> f64 {
        pull.pressed.as_ref().map_or(0.0, |pressed| pressed.pressure(self.multipliers(pressed, at)).0)
    }

    /// Forces and torques on the nodes of friction for P = 1, where it is not pressed otherwise.
    fn unit_wrenches(&self, pull: &Pulled, t: f64, room: &mut Scratch) {
        room.clear_wrenches();
        let support = &pull.support;
        support.locate(&room.poses, &mut room.z);
        let Scratch { z, loading, room: own, sums, .. } = room;
        let wrenches = sums.wrenches_mut();
        loading.clear(z.len(), false);
        own.pressure = 1.0;
        pull.load.evaluate(t, z, loading, own);
        for (z, force) in z.iter().zip(&loading.force) {
            let [on, about] = &mut wrenches[support.nodes[z.slot]];
            z.add_wrench(force, on, about);
        }
    }

    /// r_lambda or r_psi, transposed.
    pub(super) fn reaction_rows(&self, at: &At, level: Level, room: &mut Scratch, out: &mut [f64]) {
        for joint in self.joints.listed() {
            joint.support.locate(&room.poses, &mut room.z);
            for (placed, spans) in joint.placed().filter(|(placed, _)| placed.row.level == level) {
                let Scratch { z, row, slots, poses, .. } = room;
                placed.row.expand(at.t, z, Order::Gradient, row);
                let slots = &mut slots[..joint.support.nodes.len()];
                slots.fill([[0.0; 3]; 2]);
                for (z, gradient) in z.iter().zip(&row.gradient) {
                    let [force, torque] = &mut slots[z.slot];
                    z.add_wrench(&scaled(-1.0, gradient), force, torque);
                }
                for span in spans {
                    let (node, [force, torque]) = (joint.support.nodes[span.slot()], &slots[span.slot()]);
                    span.add(self.nodes[node].kind, &poses[node].r, force, torque, out);
                }
            }
        }
        for pull in self.pulls.iter().filter(|_| level == Level::Position) {
            let Some(pressed) = &pull.pressed else { continue };
            self.unit_wrenches(pull, at.t, room);
            let Joined::Rows(joint) = self.joints.get(pressed.constraint) else { continue };
            let (_, steepness) = pressed.pressure(self.multipliers(pressed, at));
            let weighed = joint.placed().zip(&pressed.weights).filter(|((placed, _), _)| placed.row.level == level);
            for ((placed, spans), w) in weighed {
                let slope = steepness * w * w * at.lambda[placed.index()];
                for span in spans {
                    let node = joint.support.nodes[span.slot()];
                    let [force, torque]: [Vector; 2] = room.sums.wrenches()[node].map(|x| scaled(slope, &x));
                    span.add(self.nodes[node].kind, &room.poses[node].r, &force, &torque, out);
                }
            }
        }
    }

    /// Friction of joints that multipliers press, with the generalised force for P = 1 at full slip.
    pub(crate) fn rubbing(&self, at: &At) -> Vec<(Pressed, Vec<f64>)> {
        let mut room = Scratch::new(self);
        for (node, pose) in self.nodes.iter().zip(&mut room.poses) {
            node.place(at.q, pose);
            node.moving(at.v, pose);
        }
        let mut found = Vec::new();
        for pull in &self.pulls {
            let Some(pressed) = &pull.pressed else { continue };
            self.unit_wrenches(pull, at.t, &mut room);
            let mut force = vec![0.0; self.description.dims.v];
            for ((node, pose), [on, about]) in self.nodes.iter().zip(&room.poses).zip(room.sums.wrenches()) {
                node.add_wrench(pose, on, about, &mut force);
            }
            found.push((pressed.clone(), force));
        }
        found
    }
}
