//! A rigid body on a spherical joint at the origin, in the six velocities of a free body.
//!
//! ```text
//! q = (x, p),  v = (x', w)      x: centre of mass in space, p: unit quaternion, w: angular velocity in the body
//! m x'' = -m g e3 - lambda,     J w' = J w * w + X * R^T lambda,     0 = x - R X
//! ```
//!
//! X points from the joint to the centre of mass, in the body; J is the inertia about the centre, along principal axes.
//! The same motion about the joint, where the constraint is gone, is the reference:
//!
//! ```text
//! J_0 w' = J_0 w * w - m g X * R^T e3,    J_0 = J + m (|X|^2 I - X X^T),    p' = p (0, w)/2
//! ```

use alembert::rotation::{Vector, cross, to_body, to_space};
use alembert::{Formulas, Scalar, State};

use crate::linear;
use crate::reference::{Settings, extrapolate};

/// Mass, inertia, and where the centre of mass is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub mass: f64,
    pub inertia: Vector,
    pub centre: Vector,
    pub gravity: f64,
}

impl Formulas for Body {
    fn dims(&self) -> alembert::Dims {
        alembert::Dims { q: 7, v: 6, lambda: 3, psi: 0 }
    }
    fn rotations(&self) -> &[usize] {
        &[3]
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        for i in 0..3 {
            mass[7 * i] = S::from(self.mass);
            mass[7 * (i + 3)] = S::from(self.inertia[i]);
        }
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], v: &[S], force: &mut [S]) {
        force[2] = S::from(-self.mass * self.gravity);
        let w = [v[3], v[4], v[5]];
        let momentum = [0, 1, 2].map(|i| w[i] * self.inertia[i]);
        force[3..].copy_from_slice(&cross(&momentum, &w));
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let reached = to_space(&[q[3], q[4], q[5], q[6]], &self.centre.map(S::from));
        for i in 0..3 {
            g[i] = q[i] - reached[i];
        }
    }
    fn coordinate_name(&self, index: usize) -> String {
        ["x", "y", "z", "turn about axis 1", "turn about axis 2", "turn about axis 3"][index].into()
    }
    fn holonomic_name(&self, row: usize) -> String {
        ["joint in x", "joint in y", "joint in z"][row].into()
    }
}

impl Body {
    /// w' about the joint.
    fn spin_up(&self, p: &[f64], w: &Vector) -> Vector {
        let Body { mass, inertia, centre: c, gravity } = *self;
        let square = c.iter().map(|c| c * c).sum::<f64>();
        let mut about_joint = [0.0; 9];
        for i in 0..3 {
            for j in 0..3 {
                about_joint[3 * i + j] = -mass * c[i] * c[j] + if i == j { inertia[i] + mass * square } else { 0.0 };
            }
        }
        let momentum = [0, 1, 2].map(|i| (0..3).map(|j| about_joint[3 * i + j] * w[j]).sum());
        let down = to_body(&[p[0], p[1], p[2], p[3]], &[0.0, 0.0, -mass * gravity]);
        let (gyroscopic, weight) = (cross(&momentum, w), cross(&c, &down));
        let mut spin_up = [0, 1, 2].map(|i| gyroscopic[i] + weight[i]);
        assert!(linear::solve(&mut about_joint, &mut spin_up), "a body has inertia about its joint");
        spin_up
    }

    /// Everything, from attitude and angular velocity.
    pub fn state(&self, t: f64, p: &[f64], w: &Vector) -> State {
        let spin_up = self.spin_up(p, w);
        let p = [p[0], p[1], p[2], p[3]];
        let around = cross(w, &self.centre);
        let (pull, push) = (cross(&spin_up, &self.centre), cross(w, &around));
        let velocity = to_space(&p, &around);
        let acceleration = to_space(&p, &[0, 1, 2].map(|i| pull[i] + push[i]));
        let lambda =
            [0, 1, 2].map(|i| -self.mass * (acceleration[i] + if i == 2 { self.gravity } else { 0.0 })).to_vec();
        State {
            t,
            q: [&to_space(&p, &self.centre)[..], &p].concat(),
            v: [velocity, *w].concat(),
            a: [acceleration, spin_up].concat(),
            lambda,
            psi: vec![],
        }
    }

    /// The state at t of the motion that starts with (p, w) at time 0.
    ///
    /// # Panics
    /// If the reduced equations cannot be integrated.
    pub fn solution(&self, p: [f64; 4], w: Vector, t: f64) -> State {
        let rhs = |_: f64, y: &[f64], out: &mut [f64]| {
            let w = [y[4], y[5], y[6]];
            out[0] = -0.5 * (y[1] * w[0] + y[2] * w[1] + y[3] * w[2]);
            out[1] = 0.5 * (y[0] * w[0] + y[2] * w[2] - y[3] * w[1]);
            out[2] = 0.5 * (y[0] * w[1] + y[3] * w[0] - y[1] * w[2]);
            out[3] = 0.5 * (y[0] * w[2] + y[1] * w[1] - y[2] * w[0]);
            out[4..].copy_from_slice(&self.spin_up(y, &w));
        };
        match extrapolate(rhs, 0.0, &[&p[..], &w].concat(), t, Settings::default()) {
            Ok(y) => {
                let length = y[..4].iter().map(|p| p * p).sum::<f64>().sqrt();
                self.state(t, &[0, 1, 2, 3].map(|i| y[i] / length), &[y[4], y[5], y[6]])
            }
            Err(failure) => panic!("the reference of a body on a joint failed: {failure}"),
        }
    }

    /// Kinetic and potential energy.
    pub fn energy(&self, q: &[f64], v: &[f64]) -> f64 {
        let translation: f64 = v[..3].iter().map(|v| self.mass * v * v).sum();
        let rotation: f64 = v[3..].iter().zip(self.inertia).map(|(w, j)| j * w * w).sum();
        0.5 * (translation + rotation) + self.mass * self.gravity * q[2]
    }
}
