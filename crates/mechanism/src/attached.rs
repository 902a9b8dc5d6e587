//! World vectors z that are attached to nodes: all that joints and forces know of bodies.
//!
//! ```text
//! point      z = p + rho,  rho = R s       z' = p' + W * rho     z'' = W * (W * rho) at v' = 0        dz = dp + phi * rho
//! direction  z = rho                       the same without p                                        dz = phi * rho
//! turn       z = (0, 0, theta + s) of a planar body; there is none of a spatial one
//!                                          z' = W                z'' = 0                             dz = phi
//! ```
//!
//! W is the angular velocity in the world. With a force c on z (its power is c.z') the generalised force is J^T c, whose
//! change for a constant c is the torsion of body frames; z' changes with q, too (Jw):
//!
//! ```text
//! J^T c = (c, rho * c)                     d(J^T c) = rho^ c^ phi          dz' = -(W * rho)^ phi
//! of a turn (0, c)                         c^ phi                          -W^ phi
//! ```

use crate::algebra::{Matrix, Vector, add, add_matrix, cross, hat, hat_hat, sum, times};
use crate::node::{NodeId, Pose};

/// What a vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A point of a body.
    Point,
    /// A direction that turns with a body.
    Direction,
    /// The turn of a body.
    Turn,
}

/// A vector and what it is attached to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Attached {
    /// Which of the nodes of its element.
    pub slot: usize,
    pub what: What,
    /// In body axes, from the centre of mass; the last component of that of a turn is an angle.
    pub arm: Vector,
    /// The body that it is drawn on: another one than that of the node where bodies are welded.
    pub owner: NodeId,
}

/// A vector at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    pub z: Vector,
    /// The arm in the world.
    pub rho: Vector,
    /// z'.
    pub rate: Vector,
    /// W * rho, or W of a turn: what z' changes with.
    pub sweep: Vector,
    /// z'' at v' = 0.
    pub second: Vector,
    pub what: What,
    pub slot: usize,
}

impl Attached {
    /// Where it is; its rates where the pose has them.
    #[inline]
    pub fn locate(&self, pose: &Pose) -> Located {
        let Attached { slot, what, arm, .. } = *self;
        if what == What::Turn {
            let (z, zero) = ([0.0, 0.0, pose.angle + arm[2]], [0.0; 3]);
            return Located { z, rho: zero, rate: pose.spin, sweep: pose.spin, second: zero, what, slot };
        }
        let rho = times(&pose.r, &arm);
        let sweep = cross(&pose.spin, &rho);
        let second = cross(&pose.spin, &sweep);
        let (z, rate) = match what {
            What::Point => (sum(&pose.p, &rho), sum(&pose.speed, &sweep)),
            _ => (rho, sweep),
        };
        Located { z, rho, rate, sweep, second, what, slot }
    }
}

impl Located {
    /// Adds J^T c to a force and a torque about p.
    #[inline]
    pub fn add_wrench(&self, c: &Vector, force: &mut Vector, torque: &mut Vector) {
        match self.what {
            What::Turn => add(torque, 1.0, c),
            what => {
                if what == What::Point {
                    add(force, 1.0, c);
                }
                add(torque, 1.0, &cross(&self.rho, c));
            }
        }
    }

    /// Adds c.(dz' at v fixed) as a row: its turns are sweep * c.
    #[inline]
    pub fn add_sweep(&self, c: &Vector, torque: &mut Vector) {
        add(torque, 1.0, &cross(&self.sweep, c));
    }

    /// Adds the change of J^T c by turns for a constant c.
    #[inline]
    pub fn add_torsion(&self, c: &Vector, turns: &mut Matrix) {
        match self.what {
            What::Turn => add_matrix(turns, 1.0, &hat(c)),
            _ => add_matrix(turns, 1.0, &hat_hat(&self.rho, c)),
        }
    }
}
