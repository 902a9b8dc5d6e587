//! Bodies themselves: masses, weight, gyroscopic torques, energy.
//!
//! ```text
//! J w' = -w * J w + ...      f_v = (J w)^ - w^ J        body axes; planar bodies have neither
//! ```

use alembert::{At, Energy};

use super::plan::Place;
use super::{Assembly, Scratch};
use crate::algebra::{Matrix, Vector, add_matrix, cross, dot, hat, hat_times, times};
use crate::node::{Kind, Node};

/// Mass, and inertia about the centre of mass in body axes. Of a planar body the last entry of the inertia counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inertia {
    pub mass: f64,
    pub moments: Matrix,
}

impl Inertia {
    /// Nothing.
    pub const NONE: Inertia = Inertia { mass: 0.0, moments: crate::algebra::ZERO };

    /// Equal where all numbers are, to the last bit.
    pub fn key(&self) -> [[u64; 3]; 4] {
        let [x, y, z] = self.moments.map(|row| row.map(f64::to_bits));
        [[self.mass.to_bits(), 0, 0], x, y, z]
    }
}

/// Where the block of a node with itself stands.
pub(super) struct Diagonal {
    pub place: Place,
    /// Positions of the diagonal of the shifts.
    pub shifts: [u32; 3],
    /// Its place among the nodes that an element couples with themselves.
    pub coupled: Option<usize>,
}

impl Diagonal {
    /// Adds a matrix about body axes.
    fn add_turns(&self, node: &Node, block: &Matrix, out: &mut [f64]) {
        let [shifts, turns] = node.kind.columns();
        for i in 0..turns {
            let Some(start) = self.place.start(shifts + i, 1) else { continue };
            for j in 0..turns {
                out[start + j] += if turns == 1 { block[2][2] } else { block[i][j] };
            }
        }
    }
}

/// Three components of a vector from `first`.
fn three(x: &[f64], first: usize) -> Vector {
    [x[first], x[first + 1], x[first + 2]]
}

impl Assembly {
    /// M.
    pub(super) fn mass(&self, out: &mut [f64]) {
        for ((node, inertia), diagonal) in self.nodes.iter().zip(self.inertias.iter()).zip(self.diagonals.iter()) {
            let [shifts, _] = node.kind.columns();
            diagonal.shifts[..shifts].iter().for_each(|at| out[*at as usize] = inertia.mass);
            diagonal.add_turns(node, &inertia.moments, out);
        }
    }

    /// f from the wrenches of the loads.
    pub(super) fn finish_force(&self, at: &At, room: &Scratch, out: &mut [f64]) {
        self.collect(room, out);
        for (node, inertia) in self.nodes.iter().zip(self.inertias.iter()) {
            let [shifts, _] = node.kind.columns();
            for i in 0..if node.kind == Kind::Number { 0 } else { shifts } {
                out[node.v + i] += inertia.mass * self.gravity[i];
            }
            if node.kind == Kind::Spatial {
                let w = three(at.v, node.v + 3);
                let torque = cross(&times(&inertia.moments, &w), &w);
                (0..3).for_each(|i| out[node.v + 3 + i] += torque[i]);
            }
        }
    }

    /// M a - f - r from the wrenches of the reactions less those of the loads.
    pub(super) fn finish_residual(&self, at: &At, room: &Scratch, out: &mut [f64]) {
        self.collect(room, out);
        for (node, inertia) in self.nodes.iter().zip(self.inertias.iter()) {
            let first = node.v;
            match node.kind {
                Kind::Ground => {}
                Kind::Number => out[first] += inertia.mass * at.a[first],
                Kind::Particle | Kind::PlanarParticle => {
                    for i in 0..node.kind.columns()[0] {
                        out[first + i] += inertia.mass * (at.a[first + i] - self.gravity[i]);
                    }
                }
                Kind::Planar => {
                    for i in 0..2 {
                        out[first + i] += inertia.mass * (at.a[first + i] - self.gravity[i]);
                    }
                    out[first + 2] += inertia.moments[2][2] * at.a[first + 2];
                }
                Kind::Spatial => {
                    let (w, turning) = (three(at.v, first + 3), three(at.a, first + 3));
                    let torque = cross(&w, &times(&inertia.moments, &w));
                    let change = times(&inertia.moments, &turning);
                    for i in 0..3 {
                        out[first + i] += inertia.mass * (at.a[first + i] - self.gravity[i]);
                        out[first + 3 + i] += change[i] + torque[i];
                    }
                }
            }
        }
    }

    /// r from the wrenches of G^T lambda + K^T psi less those of friction.
    pub(super) fn finish_reaction(&self, room: &Scratch, out: &mut [f64]) {
        self.collect(room, out);
        out.iter_mut().for_each(|x| *x = -*x);
    }

    /// Generalised forces of the wrenches.
    fn collect(&self, room: &Scratch, out: &mut [f64]) {
        for ((node, pose), [force, torque]) in self.nodes.iter().zip(&room.poses).zip(room.sums.wrenches()) {
            node.add_wrench(pose, force, torque, out);
        }
    }

    /// (J w)^ - w^ J of each spatial body.
    pub(super) fn gyroscopic_v(&self, v: &[f64], out: &mut [f64]) {
        for ((node, inertia), diagonal) in self.nodes.iter().zip(self.inertias.iter()).zip(self.diagonals.iter()) {
            if node.kind == Kind::Spatial {
                let w = three(v, node.v + 3);
                let mut block = hat(&times(&inertia.moments, &w));
                add_matrix(&mut block, -1.0, &hat_times(&w, &inertia.moments));
                diagonal.add_turns(node, &block, out);
            }
        }
    }

    /// Kinetic and potential energy, and the powers of the loads.
    pub(super) fn energy(&self, at: &At, room: &mut Scratch) -> Energy {
        let mut energy = Energy { potential: self.resting, ..Energy::default() };
        for ((node, inertia), pose) in self.nodes.iter().zip(self.inertias.iter()).zip(&room.poses) {
            energy.kinetic += 0.5 * inertia.mass * dot(&pose.speed, &pose.speed);
            if node.kind != Kind::Number {
                energy.potential -= inertia.mass * dot(&self.gravity, &pose.p);
            }
            let w = match node.kind {
                Kind::Spatial => three(at.v, node.v + 3),
                _ => pose.spin,
            };
            energy.kinetic += 0.5 * dot(&w, &times(&inertia.moments, &w));
        }
        for pull in &self.pulls {
            pull.support.locate(&room.poses, &mut room.z);
            // Reactions account for what multipliers press.
            (room.room.pressure, room.room.held) = (0.0, f64::NAN);
            let powers = pull.load.powers(at.t, &room.z, &mut room.loading, &mut room.room);
            energy.potential += powers.potential;
            energy.dissipation += powers.dissipation;
            energy.input += powers.input;
        }
        energy
    }
}
