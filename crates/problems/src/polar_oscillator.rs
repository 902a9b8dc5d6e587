//! The plane oscillator x'' = -x in polar coordinates: unconstrained with M(q), exact.
//!
//! ```text
//! r'' = r phi'^2 - r,   r^2 phi'' = -2 r r' phi'        from T = (r'^2 + r^2 phi'^2)/2, U = r^2/2
//! ```
//!
//! Exact: the ellipse x = 1.5 cos t, y = sin t.

use std::f64::consts::TAU;

use alembert::{Differentiated, Dims, Formulas, Scalar, State};

use crate::problem::{EnergyFn, Problem, Reference, Start};

const A: f64 = 1.5;

struct Polar;

impl Formulas for Polar {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = q[0] * q[0];
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        force[0] = q[0] * v[1] * v[1] - q[0];
        force[1] = -q[0] * v[0] * v[1] * 2.0;
    }
}

fn solution(t: f64) -> State {
    let (sin, cos) = t.sin_cos();
    let (x, y) = (A * cos, sin);
    let (x_dot, y_dot) = (-A * sin, cos);
    let r = x.hypot(y);
    // The ellipse and the circle of the same phase pass the axes together: their angles differ by less than pi/2.
    let turns = ((t - y.atan2(x)) / TAU).round();
    let r_dot = (x * x_dot + y * y_dot) / r;
    // Angular momentum r^2 phi' = A.
    let phi_dot = A / (r * r);
    State {
        t,
        q: vec![r, y.atan2(x) + turns * TAU],
        v: vec![r_dot, phi_dot],
        a: vec![r * phi_dot * phi_dot - r, -2.0 * r_dot * phi_dot / r],
        lambda: vec![],
        psi: vec![],
    }
}

/// The problem on [0, 5].
pub fn new() -> Problem {
    let State { q, v, .. } = solution(0.0);
    let energy: EnergyFn = Box::new(|_, q, v| 0.5 * (v[0] * v[0] + q[0] * q[0] * (v[1] * v[1] + 1.0)));
    Problem {
        name: "polar_oscillator",
        title: "plane oscillator in polar coordinates (unconstrained, M(q))",
        system: Box::new(Differentiated::new(Polar)),
        start: Start { t: 0.0, q, v, lambda: vec![], psi: vec![] },
        t_end: 5.0,
        reference: Reference::Exact(Box::new(solution)),
        energy: Some(energy),
    }
}
