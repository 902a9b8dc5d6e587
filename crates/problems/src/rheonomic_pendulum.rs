//! A pendulum whose pivot is moved: a holonomic constraint that depends on time.
//!
//! ```text
//! x'' = -2 (x - X) lambda,   y'' = -g - 2 (y - Y) lambda,   0 = (x - X)^2 + (y - Y)^2 - 1
//! X = 0.3 sin 2t,  Y = 0.2 (1 - cos 3t)
//! ```
//!
//! g = 9.81, released at 1 rad with angular velocity 0.5. The reference is the equation of the angle from the downward vertical,
//! phi'' = -(g + Y'') sin phi - X'' cos phi; the rest follows from it.

use alembert::{Differentiated, Dims, Formulas, Scalar, State};

use crate::problem::{Problem, Reference, Start};
use crate::reference::{Settings, extrapolate};

const G: f64 = 9.81;
const SWAY: (f64, f64) = (0.3, 2.0);
const LIFT: (f64, f64) = (0.2, 3.0);
const ANGLE: (f64, f64) = (1.0, 0.5);

fn pivot<S: Scalar>(t: S) -> (S, S) {
    ((t * SWAY.1).sin() * SWAY.0, -(t * LIFT.1).cos() * LIFT.0 + LIFT.0)
}

struct Pendulum;

impl Formulas for Pendulum {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-G);
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        let (x, y) = pivot(t);
        let (dx, dy) = (q[0] - x, q[1] - y);
        g[0] = dx * dx + dy * dy - 1.0;
    }
}

/// X'', Y''.
fn pivot_acceleration(t: f64) -> (f64, f64) {
    (-SWAY.0 * SWAY.1 * SWAY.1 * (SWAY.1 * t).sin(), LIFT.0 * LIFT.1 * LIFT.1 * (LIFT.1 * t).cos())
}

fn angular_acceleration(t: f64, phi: f64) -> f64 {
    let (ax, ay) = pivot_acceleration(t);
    -(G + ay) * phi.sin() - ax * phi.cos()
}

fn state(t: f64, phi: f64, spin: f64) -> State {
    let ((px, py), (sin, cos)) = (pivot(t), phi.sin_cos());
    let (pvx, pvy) = (SWAY.0 * SWAY.1 * (SWAY.1 * t).cos(), LIFT.0 * LIFT.1 * (LIFT.1 * t).sin());
    let (pax, pay) = pivot_acceleration(t);
    let a = angular_acceleration(t, phi);
    let (ax, ay) = (pax + cos * a - sin * spin * spin, pay + sin * a + cos * spin * spin);
    State {
        t,
        q: vec![px + sin, py - cos],
        v: vec![pvx + cos * spin, pvy + sin * spin],
        a: vec![ax, ay],
        lambda: vec![-0.5 * (ax * sin - (ay + G) * cos)],
        psi: vec![],
    }
}

/// The problem on [0, 3].
pub fn new() -> Problem {
    let State { q, v, lambda, psi, .. } = state(0.0, ANGLE.0, ANGLE.1);
    Problem {
        name: "rheonomic_pendulum",
        title: "pendulum with a moved pivot (time-dependent holonomic constraint)",
        system: Box::new(Differentiated::new(Pendulum)),
        start: Start { t: 0.0, q, v, lambda, psi },
        t_end: 3.0,
        reference: Reference::Reduced(Box::new(|t| {
            let rhs = |t: f64, y: &[f64], out: &mut [f64]| {
                out[0] = y[1];
                out[1] = angular_acceleration(t, y[0]);
            };
            match extrapolate(rhs, 0.0, &[ANGLE.0, ANGLE.1], t, Settings::default()) {
                Ok(y) => state(t, y[0], y[1]),
                Err(failure) => panic!("the reference of the rheonomic pendulum failed: {failure}"),
            }
        })),
        energy: None,
    }
}
