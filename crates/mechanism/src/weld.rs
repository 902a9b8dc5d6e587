//! Bodies that are welded into one, and what the welds carry: by Newton and Euler for the bodies on one side.
//!
//! ```text
//! F = sum m_b (a_b - g) - sum f           over the bodies b behind the weld, seen from the body that has the coordinates,
//! T = sum (p_b - o) * m_b (a_b - g) + R_b (J_b w'_b + w_b * J_b w_b) - sum ((z - o) * f + couples)
//! ```
//!
//! f are all forces and reactions on vectors z that are attached to these bodies, o is the origin of the weld's marker on that side. Bodies
//! are ranked along the tree of welds, so that those behind a weld are a range.

use std::ops::Range;

use alembert::{At, ConstrainedSystem, State};

use crate::algebra::{Vector, difference, dot, scaled, sum, times};
use crate::analysis::block::Block;
use crate::assembly::Inertia;
use crate::builder::JointId;
use crate::built::BuiltJoint;
use crate::marker::BodyId;
use crate::mechanism::Mechanism;
use crate::node::NodeId;
use crate::reaction::{Reaction, Wrench};
use crate::seat::Seat;

/// Reactions smaller than this beside others come from rounding.
const NOTHING: f64 = 1e-9;

/// A weld that is no constraint.
#[derive(Clone, Debug)]
pub(crate) struct Weld {
    /// The side away from the body that has the coordinates.
    pub far: usize,
    /// The ranks of the bodies behind it.
    pub behind: Range<usize>,
}

/// What is welded.
#[derive(Debug, Default)]
pub(crate) struct Welded {
    /// Of each body, the ground first; none at all where nothing is welded, like ranks, welds and inertias.
    seats: Vec<Seat>,
    /// Places of bodies along the trees of welds; those without a weld have none.
    pub ranks: Vec<usize>,
    /// Of each joint.
    pub welds: Vec<Option<Weld>>,
    /// Bodies that are one, in order; the ground is 0.
    pub groups: Vec<Vec<NodeId>>,
    /// Of each body alone, the ground first.
    pub inertias: Vec<Inertia>,
    pub planar: bool,
    /// How far bodies were drawn from where their welds put them, in metres.
    pub moved: f64,
}

impl Welded {
    /// Bodies alone, with the ground, and so many joints that are no welds yet.
    pub fn of(inertias: Vec<Inertia>, joints: usize, planar: bool) -> Self {
        let bodies = inertias.len();
        Welded {
            seats: (0..bodies).map(Seat::own).collect(),
            ranks: vec![usize::MAX; bodies],
            welds: vec![None; joints],
            inertias,
            planar,
            ..Welded::default()
        }
    }

    /// Of a body.
    pub fn seat(&self, body: NodeId) -> Seat {
        self.seats.get(body).copied().unwrap_or_else(|| Seat::own(body))
    }

    /// Lets a body sit elsewhere.
    pub fn put(&mut self, body: NodeId, seat: Seat) {
        self.seats[body] = seat;
    }

    /// The weld that a joint is, if it is merged.
    pub fn weld(&self, joint: usize) -> Option<&Weld> {
        self.welds.get(joint)?.as_ref()
    }

    /// How many bodies have lost their coordinates.
    pub fn merged(&self) -> usize {
        self.welds.iter().flatten().count()
    }

    /// The potential energy of bodies that are welded to the ground.
    pub fn resting(&self, gravity: &Vector) -> f64 {
        let resting = self.seats.iter().zip(&self.inertias).filter(|(seat, _)| seat.node == 0);
        -resting.map(|(seat, inertia)| inertia.mass * dot(gravity, &seat.origin)).sum::<f64>()
    }

    fn is_behind(&self, weld: &Weld, owner: NodeId) -> bool {
        self.ranks.get(owner).is_some_and(|rank| weld.behind.contains(rank))
    }
}

impl Mechanism {
    /// How a body sits on what has its coordinates: itself, or another one that it is welded to.
    pub fn seat(&self, body: BodyId) -> Seat {
        self.welded.seat(body.0)
    }

    /// The body that has the coordinates of a body: itself, another one that it is welded to, or the ground.
    pub fn carrier(&self, body: BodyId) -> BodyId {
        BodyId(self.seat(body).node)
    }

    /// Whether the centre of mass of a body is its drawing origin.
    pub fn is_centred(&self, body: BodyId) -> bool {
        self.centre(body) == [0.0; 3]
    }

    /// Mass and inertia of a body alone.
    pub(crate) fn own_inertia(&self, body: BodyId) -> &Inertia {
        self.welded.inertias.get(body.0).unwrap_or_else(|| self.assembly.inertia(body.0))
    }

    /// The mass of a body.
    pub fn mass(&self, body: BodyId) -> f64 {
        self.own_inertia(body).mass
    }

    /// Groups of bodies that are welded into one, by their names; the ground is called `ground`.
    pub fn welded(&self) -> Vec<Vec<String>> {
        let names = self.assembly.node_names();
        self.welded.groups.iter().map(|group| group.iter().map(|body| names[*body].to_owned()).collect()).collect()
    }

    /// Whether a joint is a weld that has made one body of two: it has no constraints, and its reaction comes from Newton and Euler.
    pub fn is_merged(&self, joint: JointId) -> bool {
        self.welded.weld(joint.0).is_some()
    }

    /// What a merged weld does to its bodies.
    pub(crate) fn weld_reaction(&self, built: &BuiltJoint, weld: &Weld, state: &State) -> Reaction {
        let pose = self.pose(built.markers()[weld.far].carrier.0, &state.q, &state.v);
        let at = sum(&pose.p, &times(&pose.r, &built.markers()[weld.far].origin));
        let mut needed = Wrench { at, ..Wrench::default() };
        let gravity = self.assembly.gravity();
        let behind = |body: &usize| weld.behind.contains(&self.welded.ranks[*body]);
        for body in (1..self.welded.ranks.len()).filter(behind).map(BodyId) {
            let Some([force, torque]) = self.effective_force(body, state) else { continue };
            let weight = scaled(self.mass(body), gravity);
            needed.add(&self.motion(body, state).p, &difference(&force, &weight), &torque);
        }
        let given = At { a: &state.a, lambda: &state.lambda, psi: &state.psi, ..At::new(state.t, &state.q, &state.v) };
        self.assembly.each_force(&given, |owner, z, force| {
            if self.welded.is_behind(weld, owner) {
                needed.pull(z, &scaled(-1.0, force));
            }
        });
        if self.welded.planar {
            // In the plane nothing else is carried.
            needed.force[2] = 0.0;
            needed.torque = [0.0, 0.0, needed.torque[2]];
        }
        let [force, torque] = [needed.force, needed.torque].map(|x| scaled(-1.0, &x));
        let other = Wrench { force, torque, at };
        let (on_first, on_second) = if weld.far == 0 { (needed, other) } else { (other, needed) };
        let frame = built.markers()[0].axes.map(|axis| times(&pose.r, &axis));
        let in_joint = [on_second.force, on_second.torque].map(|x| frame.map(|axis| dot(&axis, &x)));
        Reaction { on_first, on_second, in_joint }
    }

    /// Which joints are merged welds whose load is not unique: some combination of reactions that is in equilibrium with itself goes through
    /// them. What acts behind a weld is a difference of sums along the ranks.
    pub(crate) fn shared_welds(&self, blocks: &[Block]) -> Vec<bool> {
        let Welded { ranks, welds, .. } = &self.welded;
        let mut shared = vec![false; self.joints.len()];
        let (dims, guess) = (self.assembly.dims(), self.guess());
        let pose = |node: NodeId| self.pose(node, &guess.q, &guess.v);
        let ranked = ranks.iter().filter(|rank| **rank != usize::MAX).count();
        for block in blocks.iter().filter(|_| ranked > 0) {
            for combination in 0..block.null.rows() {
                let (lambda, psi) = block.multipliers(block.null.row(combination), dims);
                let at = At { lambda: &lambda, psi: &psi, ..At::new(guess.t, &guess.q, &guess.v) };
                let mut sums = vec![Wrench::default(); ranked + 1];
                let mut largest = [0.0_f64; 2];
                for constraint in block.constraints() {
                    self.assembly.each_reaction_of(constraint, &at, &pose, |owner, z, force| {
                        let mut own = Wrench::default();
                        own.pull(z, force);
                        for (largest, x) in largest.iter_mut().zip([own.force, own.torque]) {
                            *largest = x.iter().fold(*largest, |max, x| max.max(x.abs()));
                        }
                        if let Some(sum) = ranks.get(owner).and_then(|rank| sums.get_mut(rank.checked_add(1)?)) {
                            sum.pull(z, force);
                        }
                    });
                }
                for rank in 0..ranked {
                    let Wrench { force, torque, .. } = sums[rank];
                    sums[rank + 1].add(&[0.0; 3], &force, &torque);
                }
                for (shared, weld) in shared.iter_mut().zip(welds) {
                    let Some(Weld { behind, .. }) = weld else { continue };
                    let [before, after] = [behind.start, behind.end].map(|rank| sums[rank]);
                    let counts = |x: Vector, largest: f64| x.iter().any(|x| x.abs() > NOTHING * largest);
                    *shared |= counts(difference(&after.force, &before.force), largest[0])
                        || counts(difference(&after.torque, &before.torque), largest[1]);
                }
            }
        }
        shared
    }
}
