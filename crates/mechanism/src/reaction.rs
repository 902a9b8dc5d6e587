//! Reactions: the forces and torques with which joints hold bodies.
//!
//! From r = -G^T lambda - K^T psi, with c = sum of lambda g_z (psi A) over the rows of a joint:
//!
//! ```text
//! on a point z: the force -c there;   on a direction u: the couple -u * c;   on a turn: the couple -c
//! F = sum over points of -c,   T = sum (z - o) * (-c) + couples       about the origin o of the body's marker
//! ```

use alembert::{At, State};

use crate::algebra::{Vector, add, cross, difference, dot, sum, times};
use crate::attached::{Located, What};
use crate::builder::JointId;
use crate::mechanism::Mechanism;
use crate::node::NodeId;

/// A force at the origin of a marker and a torque about it, in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// The force.
    pub force: Vector,
    /// The torque.
    pub torque: Vector,
    /// Where the force acts.
    pub at: Vector,
}

/// What a joint does to its two bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// On the body of the first marker, at its origin.
    pub on_first: Wrench,
    /// On the body of the second marker, at its origin.
    pub on_second: Wrench,
    /// Force and torque on the second body along x, y, z of the first marker.
    pub in_joint: [Vector; 2],
}

impl Mechanism {
    /// The reaction of a joint.
    pub fn reaction(&self, joint: JointId, state: &State) -> Reaction {
        let built = &self.joints[joint.0];
        if let Some(weld) = self.welded.weld(joint.0) {
            return self.weld_reaction(built, weld, state);
        }
        let [first, second] = built.markers();
        let on = |marker: &crate::marker::Marker| {
            let pose = self.pose(marker.carrier.0, &state.q, &[]);
            let at = sum(&pose.p, &times(&pose.r, &marker.origin));
            self.wrench(built.constraint, marker.body.0, at, state)
        };
        let (on_first, on_second) = (on(&first), on(&second));
        let r = self.pose(first.carrier.0, &state.q, &[]).r;
        let frame = [0, 1, 2].map(|axis| times(&r, &first.axes[axis]));
        let in_joint = [on_second.force, on_second.torque].map(|x| frame.map(|axis| dot(&axis, &x)));
        Reaction { on_first, on_second, in_joint }
    }

    /// What a driver, coupling or joint with this place among the [constraints](Self::constraint_names) does to a body, about a point.
    pub fn constraint_wrench(
        &self,
        constraint: usize,
        body: crate::marker::BodyId,
        about: Vector,
        state: &State,
    ) -> Wrench {
        let weld = self.joints.iter().position(|joint| joint.constraint == constraint);
        let weld = weld.filter(|joint| self.welded.weld(*joint).is_some());
        let Some(joint) = weld else { return self.wrench(constraint, body.0, about, state) };
        let Reaction { on_first, on_second, .. } = self.reaction(JointId(joint), state);
        let mut wrench = Wrench { at: about, ..Wrench::default() };
        for (marker, on) in self.joints[joint].markers().iter().zip([on_first, on_second]) {
            if marker.body == body {
                wrench.add(&on.at, &on.force, &on.torque);
            }
        }
        wrench
    }

    /// On a body, which need not have coordinates of its own.
    fn wrench(&self, constraint: usize, body: NodeId, at: Vector, state: &State) -> Wrench {
        let pose = |node: NodeId| self.pose(node, &state.q, &state.v);
        let mut wrench = Wrench { at, ..Wrench::default() };
        let given = At { lambda: &state.lambda, psi: &state.psi, ..At::new(state.t, &state.q, &state.v) };
        self.assembly.each_reaction_of(constraint, &given, &pose, |owner, z, force| {
            if owner == body {
                wrench.pull(z, force);
            }
        });
        wrench
    }
}

impl Wrench {
    /// Adds a force at a point and a torque.
    pub(crate) fn add(&mut self, p: &Vector, force: &Vector, torque: &Vector) {
        add(&mut self.force, 1.0, force);
        add(&mut self.torque, 1.0, &sum(torque, &cross(&difference(p, &self.at), force)));
    }

    /// Adds a force on an attached vector.
    pub(crate) fn pull(&mut self, z: &Located, force: &Vector) {
        match z.what {
            What::Point => self.add(&z.z, force, &[0.0; 3]),
            What::Direction => add(&mut self.torque, 1.0, &cross(&z.z, force)),
            What::Turn => add(&mut self.torque, 1.0, force),
        }
    }
}
