//! Reactions: the forces and torques with which joints hold bodies.
//!
//! From r = -G^T lambda - K^T psi, with c = sum of lambda g_z (psi A) over the rows of a joint:
//!
//! ```text
//! on a point z: the force -c there;   on a direction u: the couple -u * c;   on a turn: the couple -c
//! F = sum over points of -c,   T = sum (z - o) * (-c) + couples       about the origin o of the body's marker
//! ```

use alembert::State;

use crate::algebra::{Vector, add, cross, difference, dot, scaled, sum, times};
use crate::attached::{Located, What};
use crate::builder::JointId;
use crate::expansion::{Expansion, Order};
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
        let [first, second] = built.markers;
        let on = |marker: &crate::marker::Marker| {
            let pose = self.pose(marker.body.0, &state.q, &[]);
            let at = sum(&pose.p, &times(&pose.r, &marker.origin));
            self.wrench(built.constraint, marker.body.0, at, state)
        };
        let (on_first, on_second) = (on(&first), on(&second));
        let r = self.pose(first.body.0, &state.q, &[]).r;
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
        self.wrench(constraint, body.0, about, state)
    }

    fn wrench(&self, constraint: usize, node: NodeId, at: Vector, state: &State) -> Wrench {
        let (support, rows) = self.assembly.joint_rows(constraint);
        let pose = |slot: usize| self.pose(support.nodes[slot], &state.q, &state.v);
        let z: Vec<Located> = support.vectors.iter().map(|vector| vector.locate(&pose(vector.slot))).collect();
        let mut row_sum = Expansion::default();
        let mut wrench = Wrench { at, ..Wrench::default() };
        for (row, index) in rows {
            row.expand(state.t, &z, Order::Gradient, &mut row_sum);
            let multiplier = Self::multiplier(row.level, index, state);
            for (z, gradient) in z.iter().zip(&row_sum.gradient) {
                if support.nodes[z.slot] != node {
                    continue;
                }
                let pull = scaled(-multiplier, gradient);
                match z.what {
                    What::Point => {
                        add(&mut wrench.force, 1.0, &pull);
                        add(&mut wrench.torque, 1.0, &cross(&difference(&z.z, &at), &pull));
                    }
                    What::Direction => add(&mut wrench.torque, 1.0, &cross(&z.z, &pull)),
                    What::Turn => add(&mut wrench.torque, 1.0, &pull),
                }
            }
        }
        wrench
    }
}
