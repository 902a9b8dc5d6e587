//! Where a body sits on the node that moves it: its own, or that of the bodies that it is welded to.
//!
//! ```text
//! p_b = p + R o        R_b = R S        angle_b = angle + s      o, S, s constant; p and R of the node
//! v_b = v + W * R o    w_b = S^T w      a_b = a + A * R o + W * (W * R o)      W, A in the world, w in body axes
//! ```

use alembert::State;
use alembert::rotation::{Quaternion, product as compose};

use crate::algebra::{IDENTITY, Matrix, Vector, add, cross, product, sum, times, transposed_times};
use crate::marker::{BodyId, Marker};
use crate::mechanism::{Mechanism, Motion};
use crate::node::{NodeId, Pose, axes};

/// How a body sits on the node that moves it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seat {
    pub(crate) node: NodeId,
    /// Its centre of mass, from that of the node and in its axes.
    pub(crate) origin: Vector,
    turn: Quaternion,
    /// The same as a matrix.
    pub(crate) axes: Matrix,
    /// In the plane: by how much its angle is more than that of the node.
    angle: f64,
    own: bool,
}

impl Seat {
    /// Of a body that moves by itself.
    pub(crate) fn own(node: NodeId) -> Self {
        Seat { node, origin: [0.0; 3], turn: [1.0, 0.0, 0.0, 0.0], axes: IDENTITY, angle: 0.0, own: true }
    }

    /// On a node, turned in space.
    pub(crate) fn turned(node: NodeId, origin: Vector, turn: Quaternion) -> Self {
        let size = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
        let turn = turn.map(|x| x / size);
        Seat { node, origin, turn, axes: axes(&turn), angle: 0.0, own: false }
    }

    /// On a node, turned in the plane.
    pub(crate) fn angled(node: NodeId, origin: Vector, angle: f64) -> Self {
        let (s, c) = angle.sin_cos();
        let (half_s, half_c) = (0.5 * angle).sin_cos();
        let axes = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
        Seat { node, origin: [origin[0], origin[1], 0.0], turn: [half_c, 0.0, 0.0, half_s], axes, angle, own: false }
    }

    /// The same, seen from another origin of the node.
    pub(crate) fn from(self, origin: &Vector) -> Self {
        Seat { origin: crate::algebra::difference(&self.origin, origin), own: false, ..self }
    }

    /// Whether the body has coordinates of its own, and shares them with nobody.
    pub fn is_own(&self) -> bool {
        self.own
    }

    /// A point of the body, given from its centre of mass: the same from the centre of mass of all that moves with it, in the axes of what
    /// has the coordinates.
    pub fn arm(&self, arm: &Vector) -> Vector {
        if self.own { *arm } else { sum(&self.origin, &times(&self.axes, arm)) }
    }

    /// A direction of the body in the axes of what has the coordinates.
    pub fn direction(&self, direction: &Vector) -> Vector {
        if self.own { *direction } else { times(&self.axes, direction) }
    }

    /// The turn of the body against what has the coordinates, scalar first.
    pub fn turn(&self) -> Quaternion {
        self.turn
    }

    /// In the plane: by how much the angle of the body is more than that of what has the coordinates.
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// A marker on the body, given from its centre of mass, as one on the node.
    pub(crate) fn marker(&self, marker: Marker) -> Marker {
        Marker {
            carrier: BodyId(self.node),
            origin: self.arm(&marker.origin),
            axes: marker.axes.map(|axis| self.direction(&axis)),
            lead: self.angle,
            ..marker
        }
    }

    /// The pose of the body from that of its node.
    pub(crate) fn pose(&self, pose: &Pose) -> Pose {
        if self.own {
            return *pose;
        }
        let arm = times(&pose.r, &self.origin);
        Pose {
            r: product(&pose.r, &self.axes),
            p: sum(&pose.p, &arm),
            speed: sum(&pose.speed, &cross(&pose.spin, &arm)),
            spin: pose.spin,
            angle: pose.angle + self.angle,
        }
    }

    /// How the body moves, from how its node does.
    fn motion(&self, of: &Motion) -> Motion {
        let r = axes(&of.quaternion);
        let arm = times(&r, &self.origin);
        let (spin, turning) = (times(&r, &of.omega), times(&r, &of.alpha));
        let sweep = cross(&spin, &arm);
        let mut a = sum(&of.a, &cross(&turning, &arm));
        add(&mut a, 1.0, &cross(&spin, &sweep));
        Motion {
            p: sum(&of.p, &arm),
            quaternion: compose(&of.quaternion, &self.turn),
            v: sum(&of.v, &sweep),
            omega: transposed_times(&self.axes, &of.omega),
            a,
            alpha: transposed_times(&self.axes, &of.alpha),
        }
    }
}

impl Mechanism {
    /// How a body moves.
    pub fn motion(&self, body: BodyId, state: &State) -> Motion {
        let seat = self.seat(body);
        let motion = self.node_motion(seat.node, state);
        if seat.own { motion } else { seat.motion(&motion) }
    }

    /// M v' of a body as force and torque about its centre of mass, in the world; none of the ground.
    pub fn effective_force(&self, body: BodyId, state: &State) -> Option<[Vector; 2]> {
        (body.0 > 0).then(|| {
            let Motion { quaternion, omega, a, alpha, .. } = self.motion(body, state);
            let inertia = self.own_inertia(body);
            let spin = times(&inertia.moments, &omega);
            let moment = sum(&times(&inertia.moments, &alpha), &cross(&omega, &spin));
            [a.map(|a| inertia.mass * a), times(&axes(&quaternion), &moment)]
        })
    }

    /// Where a point of a body's drawing is in the world.
    pub fn point(&self, body: BodyId, point: Vector, q: &[f64]) -> Vector {
        let seat = self.seat(body);
        let pose = self.pose(seat.node, q, &[]);
        let arm = seat.arm(&crate::algebra::difference(&point, &self.centre(body)));
        sum(&pose.p, &times(&pose.r, &arm))
    }
}
