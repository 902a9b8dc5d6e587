//! A bar on a hinge with a torsional spring and damper (paper 1, section 5.2).
//!
//! ```text
//! m z1' = -lambda1,   m z2' = -m g - lambda2,   (m L^2/3) z3' = -c z3 - k (y3 - 3 pi/2) - L (sin y3 lambda1 - cos y3 lambda2)
//! 0 = y1 - L cos y3,  0 = y2 - L sin y3
//! ```
//!
//! m = 5, L = 2, k = 3000, c = 100, g = 9.81; y3(0) = 3 pi/2, z3(0) = 10. The reference is the ODE
//! (4 m L^2/3) y3'' + c y3' + k (y3 - 3 pi/2) + m g L cos y3 = 0; everything else follows from y3.

use std::f64::consts::PI;

use alembert::{Differentiated, Dims, Formulas, Scalar, State};

use crate::problem::{Problem, Reference, Start};
use crate::reference::{Settings, extrapolate};

const MASS: f64 = 5.0;
const LENGTH: f64 = 2.0;
const GRAVITY: f64 = 9.81;
const REST: f64 = 1.5 * PI;
const SPIN: f64 = 10.0;

/// Spring and damper; [`Hinge::default`] is the paper's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// Torsional stiffness.
    pub k: f64,
    /// Torsional damping.
    pub c: f64,
}

impl Default for Hinge {
    fn default() -> Self {
        Hinge { k: 3000.0, c: 100.0 }
    }
}

impl Formulas for Hinge {
    fn dims(&self) -> Dims {
        Dims { q: 3, v: 3, lambda: 2, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(MASS);
        mass[4] = S::from(MASS);
        mass[8] = S::from(MASS * LENGTH * LENGTH / 3.0);
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        force[1] = S::from(-MASS * GRAVITY);
        force[2] = -v[2] * self.c - (q[2] - REST) * self.k;
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let (sin, cos) = q[2].sin_cos();
        g[0] = q[0] - cos * LENGTH;
        g[1] = q[1] - sin * LENGTH;
    }
}

impl Hinge {
    fn angular_acceleration(&self, angle: f64, spin: f64) -> f64 {
        let moment = self.c * spin + self.k * (angle - REST) + MASS * GRAVITY * LENGTH * angle.cos();
        -moment / (4.0 * MASS * LENGTH * LENGTH / 3.0)
    }

    fn state(&self, t: f64, angle: f64, spin: f64) -> State {
        let (sin, cos) = angle.sin_cos();
        let a = self.angular_acceleration(angle, spin);
        let ax = -LENGTH * (sin * a + cos * spin * spin);
        let ay = LENGTH * (cos * a - sin * spin * spin);
        State {
            t,
            q: vec![LENGTH * cos, LENGTH * sin, angle],
            v: vec![-LENGTH * sin * spin, LENGTH * cos * spin, spin],
            a: vec![ax, ay, a],
            lambda: vec![-MASS * ax, -MASS * (GRAVITY + ay)],
            psi: vec![],
        }
    }
}

/// The problem of the paper, until t = 2 where its errors are measured.
pub fn new() -> Problem {
    with_hinge(Hinge::default())
}

/// The same bar on another hinge: a stiff one makes the stiff test pendulum.
pub fn with_hinge(hinge: Hinge) -> Problem {
    let start = hinge.state(0.0, REST, SPIN);
    Problem {
        name: "spring_pendulum",
        title: "bar with torsional spring and damper (paper 1, section 5.2)",
        system: Box::new(Differentiated::new(hinge)),
        start: Start { t: 0.0, q: start.q, v: start.v, lambda: start.lambda, psi: start.psi },
        t_end: 2.0,
        reference: Reference::Reduced(Box::new(move |t| {
            let rhs = |_: f64, y: &[f64], out: &mut [f64]| {
                out[0] = y[1];
                out[1] = hinge.angular_acceleration(y[0], y[1]);
            };
            match extrapolate(rhs, 0.0, &[REST, SPIN], t, Settings::default()) {
                Ok(y) => hinge.state(t, y[0], y[1]),
                Err(failure) => panic!("the reference of the spring pendulum failed: {failure}"),
            }
        })),
        energy: None,
    }
}
