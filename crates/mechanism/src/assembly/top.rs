//! Derivatives of forces and reactions: blocks of nodes.

use alembert::At;

use super::friction::Which;
use super::quad::Quad;
use super::{Assembly, Pair, Pulled, Scratch};
use crate::algebra::{ZERO, add, scaled};
use crate::attached::Located;
use crate::expansion::{Coupling, Order};
use crate::row::Level;
use crate::support::Support;

/// What is differentiated, and with which factor: G^T lambda + K^T psi, and some of the loads.
pub(super) struct Terms {
    reactions: Option<f64>,
    loads: f64,
    which: Which,
}

/// f.
pub(super) const FORCE: Terms = Terms { reactions: None, loads: 1.0, which: Which::Forces };
/// r.
pub(super) const REACTION: Terms = Terms { reactions: Some(-1.0), loads: 1.0, which: Which::Reactions };
/// M a - f - r.
pub(super) const RESIDUAL: Terms = Terms { reactions: Some(1.0), loads: -1.0, which: Which::All };

impl Assembly {
    /// The block of two slots, that of a node with itself among those of the nodes.
    fn quad<'r>(
        &self,
        support: &Support,
        quads: &'r mut [Quad],
        across: &'r mut [Quad],
        k: &Located,
        l: &Located,
    ) -> &'r mut Quad {
        let own = if k.slot == l.slot { self.diagonals.coupled_at(support.nodes[k.slot]) } else { None };
        match own {
            Some(own) => &mut quads[own],
            None => &mut across[k.slot * support.nodes.len() + l.slot],
        }
    }

    /// d/dq of some terms.
    pub(super) fn top_of(&self, at: &At, terms: Terms, room: &mut Scratch, out: &mut [f64]) {
        room.quads.fill(Quad::ZERO);
        room.sums.torsions_mut().fill(ZERO);
        if let Some(factor) = terms.reactions {
            self.curvatures(at, factor, room, out);
        }
        for pull in self.pulls.iter().filter(|pull| terms.which.takes(pull)) {
            self.pull_q(at, pull, terms.loads, room, out);
        }
        self.scatter_own(room, true, out);
    }

    fn clear_across(support: &Support, across: &mut [Quad]) {
        let slots = support.nodes.len();
        across[..slots * slots].fill(Quad::ZERO);
    }

    fn scatter_across(&self, support: &Support, pairs: &[Pair], room: &Scratch, out: &mut [f64]) {
        let slots = support.nodes.len();
        for Pair { slots: [a, b], place } in pairs {
            let sides = place.nodes().map(|node| (&self.nodes[node], &room.poses[node]));
            room.across[a * slots + b].scatter(1.0, place, sides, out);
        }
    }

    /// Of nodes with themselves: what couples them, and torsions of the others if there are any.
    fn scatter_own(&self, room: &Scratch, torsions: bool, out: &mut [f64]) {
        for (at, diagonal) in self.diagonals.iter().enumerate() {
            let coupled = diagonal.coupled;
            if coupled.is_none() && !torsions {
                continue;
            }
            let quad =
                coupled.map_or_else(|| Quad { tt: room.sums.torsions()[at], ..Quad::ZERO }, |own| room.quads[own]);
            let side = (&self.nodes[at], &room.poses[at]);
            quad.scatter(1.0, &diagonal.place, [side, side], out);
        }
    }

    fn curvatures(&self, at: &At, factor: f64, room: &mut Scratch, out: &mut [f64]) {
        for (points, joint) in self.joints.in_order() {
            // They couple no two bodies.
            points.iter().for_each(|points| points.add_torsion(at, factor, room, &self.diagonals));
            let Some(joint) = joint else { continue };
            let support = &joint.support;
            support.locate(&room.poses, &mut room.z);
            Self::clear_across(support, &mut room.across);
            for placed in &joint.rows {
                let multiplier = match placed.row.level {
                    Level::Position => at.lambda[placed.index()],
                    Level::Velocity => at.psi[placed.index()],
                };
                let weight = factor * multiplier;
                placed.row.expand(at.t, &room.z, Order::Coupling, &mut room.row);
                let Scratch { z, row, quads, sums, across, .. } = room;
                for Coupling { k, l, block } in &row.couplings {
                    let (k, l) = (&z[*k], &z[*l]);
                    self.quad(support, quads, across, k, l).add(k, l, &block.scaled(weight));
                }
                for (z, gradient) in z.iter().zip(&row.gradient) {
                    let node = support.nodes[z.slot];
                    z.add_torsion(&scaled(weight, gradient), self.diagonals.torsion(node, quads, sums.torsions_mut()));
                }
            }
            self.scatter_across(support, &joint.pairs, room, out);
        }
    }

    fn pull_q(&self, at: &At, pull: &Pulled, factor: f64, room: &mut Scratch, out: &mut [f64]) {
        let support = &pull.support;
        support.locate(&room.poses, &mut room.z);
        Self::clear_across(support, &mut room.across);
        let Scratch { z, loading, room: own, quads, sums, across, .. } = room;
        loading.clear(z.len(), true);
        self.ready(pull, at, own);
        pull.load.evaluate(at.t, z, loading, own);
        for Coupling { k, l, block } in &loading.by_z {
            let (k, l) = (&z[*k], &z[*l]);
            self.quad(support, quads, across, k, l).add(k, l, &block.scaled(factor));
        }
        for Coupling { k, l, block } in &loading.by_rate {
            let (k, l) = (&z[*k], &z[*l]);
            self.quad(support, quads, across, k, l).add_sweep(k, l, &block.scaled(factor));
        }
        for (z, force) in z.iter().zip(&loading.force) {
            let node = support.nodes[z.slot];
            z.add_torsion(&scaled(factor, force), self.diagonals.torsion(node, quads, sums.torsions_mut()));
        }
        self.scatter_across(support, &pull.pairs, room, out);
    }

    /// d/dv of some of the loads.
    pub(super) fn loads_v(&self, at: &At, which: Which, room: &mut Scratch, out: &mut [f64]) {
        room.quads.fill(Quad::ZERO);
        for pull in self.pulls.iter().filter(|pull| which.takes(pull)) {
            let support = &pull.support;
            support.locate(&room.poses, &mut room.z);
            Self::clear_across(support, &mut room.across);
            let Scratch { z, loading, room: own, quads, across, .. } = room;
            loading.clear(z.len(), true);
            self.ready(pull, at, own);
            pull.load.evaluate(at.t, z, loading, own);
            for Coupling { k, l, block } in &loading.by_rate {
                let (k, l) = (&z[*k], &z[*l]);
                self.quad(support, quads, across, k, l).add(k, l, block);
            }
            self.scatter_across(support, &pull.pairs, room, out);
        }
        self.scatter_own(room, false, out);
    }

    /// Adds c times the forces of some of the loads to the wrenches of the nodes.
    pub(super) fn loads(&self, at: &At, c: f64, which: Which, room: &mut Scratch) {
        for pull in self.pulls.iter().filter(|pull| which.takes(pull)) {
            let support = &pull.support;
            support.locate(&room.poses, &mut room.z);
            let Scratch { z, loading, room: own, sums, .. } = room;
            loading.clear(z.len(), false);
            self.ready(pull, at, own);
            pull.load.evaluate(at.t, z, loading, own);
            for (z, force) in z.iter().zip(&loading.force) {
                let (mut shift, mut turn) = ([0.0; 3], [0.0; 3]);
                z.add_wrench(force, &mut shift, &mut turn);
                let [on, about] = &mut sums.wrenches_mut()[support.nodes[z.slot]];
                add(on, c, &shift);
                add(about, c, &turn);
            }
        }
    }
}
