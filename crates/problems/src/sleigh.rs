//! Chaplygin's sleigh: a body on a knife edge that cannot slide sideways.
//!
//! (x, y) is the contact of the blade, theta its heading, the centre of mass sits a distance b ahead:
//!
//! ```text
//! T = m/2 |(x' - b sin theta theta', y' + b cos theta theta')|^2 + J/2 theta'^2,    0 = -x' sin theta + y' cos theta
//! ```
//!
//! The mass matrix depends on theta. On the flat the forward speed u and the spin w obey u' = b w^2,
//! (J + m b^2) w' = -m b u w, so u = U tanh(k t + c) with U^2 = u^2 + (J/m + b^2) w^2, k = m b U/(J + m b^2).
//!
//! [`bowl`] lets the contact slide in a bowl z = x^2/10 + 3 y^2/20 under gravity (the body stays level): one
//! holonomic, one nonholonomic constraint, and two free velocity directions, which is what variable-step formulas
//! are sensitive to. Both conserve energy.

use alembert::{Differentiated, Dims, Formulas, Scalar};

use crate::problem::{EnergyFn, Problem, Reference, Start};
use crate::reference::Settings;

const M: f64 = 2.0;
const J: f64 = 1.0;
const B: f64 = 0.5;
const G: f64 = 9.81;
/// Curvatures of the bowl: z = (x^2 BOWL.0 + y^2 BOWL.1)/2.
const BOWL: (f64, f64) = (0.2, 0.3);

/// The inertia of the flat sleigh in rows and columns 0, 1 and `last` of a matrix with `last + 1` columns.
fn inertia<S: Scalar>(theta: S, last: usize, mass: &mut [S]) {
    let (sin, cos) = theta.sin_cos();
    let n = last + 1;
    mass[0] = S::from(M);
    mass[n + 1] = S::from(M);
    mass[last] = -sin * (M * B);
    mass[last * n] = -sin * (M * B);
    mass[n + last] = cos * (M * B);
    mass[last * n + 1] = cos * (M * B);
    mass[last * n + last] = S::from(J + M * B * B);
}

struct Flat;

impl Formulas for Flat {
    fn dims(&self) -> Dims {
        Dims { q: 3, v: 3, lambda: 0, psi: 1 }
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        inertia(q[2], 2, mass);
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        let (sin, cos) = q[2].sin_cos();
        force[0] = cos * v[2] * v[2] * (M * B);
        force[1] = sin * v[2] * v[2] * (M * B);
    }
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
        let (sin, cos) = q[2].sin_cos();
        k[0] = v[1] * cos - v[0] * sin;
    }
}

/// Coordinates (x, y, z, theta).
struct Bowl;

impl Formulas for Bowl {
    fn dims(&self) -> Dims {
        Dims { q: 4, v: 4, lambda: 1, psi: 1 }
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        inertia(q[3], 3, mass);
        mass[10] = S::from(M);
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        let (sin, cos) = q[3].sin_cos();
        force[0] = cos * v[3] * v[3] * (M * B);
        force[1] = sin * v[3] * v[3] * (M * B);
        force[2] = S::from(-M * G);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[2] - q[0] * q[0] * (0.5 * BOWL.0) - q[1] * q[1] * (0.5 * BOWL.1);
    }
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
        let (sin, cos) = q[3].sin_cos();
        k[0] = v[1] * cos - v[0] * sin;
    }
}

fn kinetic(theta: f64, x: f64, y: f64, spin: f64) -> f64 {
    let (sin, cos) = theta.sin_cos();
    0.5 * M * ((x - B * sin * spin).powi(2) + (y + B * cos * spin).powi(2)) + 0.5 * J * spin * spin
}

/// The sleigh on the flat, until t = 5.
pub fn flat() -> Problem {
    let energy: EnergyFn = Box::new(|_, q, v| kinetic(q[2], v[0], v[1], v[2]));
    Problem {
        name: "sleigh",
        title: "Chaplygin sleigh on the flat (nonholonomic, M(q))",
        system: Box::new(Differentiated::new(Flat)),
        start: Start { t: 0.0, q: vec![0.0; 3], v: vec![0.5, 0.0, 2.0], lambda: vec![], psi: vec![0.0] },
        t_end: 5.0,
        reference: Reference::Integrated(Settings::default()),
        energy: Some(energy),
    }
}

/// The sleigh in a bowl, until t = 5.
pub fn bowl() -> Problem {
    let (x, y, speed) = (1.0, 0.5, 0.3);
    let energy: EnergyFn = Box::new(|_, q, v| kinetic(q[3], v[0], v[1], v[3]) + 0.5 * M * v[2] * v[2] + M * G * q[2]);
    Problem {
        name: "sleigh_bowl",
        title: "Chaplygin sleigh in a bowl (holonomic and nonholonomic, two free directions, M(q))",
        system: Box::new(Differentiated::new(Bowl)),
        start: Start {
            t: 0.0,
            q: vec![x, y, 0.5 * (BOWL.0 * x * x + BOWL.1 * y * y), 0.0],
            v: vec![speed, 0.0, BOWL.0 * x * speed, 1.0],
            lambda: vec![0.0],
            psi: vec![0.0],
        },
        t_end: 5.0,
        reference: Reference::Integrated(Settings::default()),
        energy: Some(energy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_sleigh_follows_its_hyperbolic_tangent() {
        let problem = flat();
        let (u0, w0) = (0.5_f64, 2.0_f64);
        let inertia = J + M * B * B;
        let top = (u0 * u0 + inertia / M * w0 * w0).sqrt();
        let (k, c) = (M * B * top / inertia, (u0 / top).atanh());
        for t in [0.7, 2.0, 5.0] {
            let state = problem.reference_at(t);
            let speed = state.v[0] * state.q[2].cos() + state.v[1] * state.q[2].sin();
            assert!((speed - top * (k * t + c).tanh()).abs() < 1e-12, "{:e}", speed - top * (k * t + c).tanh());
        }
    }
}
