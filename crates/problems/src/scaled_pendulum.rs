//! The pendulum released from the horizontal, of any length and mass: the same motion in other units.
//!
//! ```text
//! m x'' = -2 x lambda,   m y'' = -m g - 2 y lambda,   0 = x^2 + y^2 - l^2
//! ```
//!
//! With w = sqrt(g/l) and (X, Y, Lambda) of the [pendulum] with l = m = g = 1, x = l X(w t) and
//! lambda = m w^2 Lambda(w t). The problem ends at w t = 20.

use alembert::{Differentiated, Dims, Formulas, Scalar, State};

use crate::pendulum;
use crate::problem::{Problem, Reference, Start};

const G: f64 = 9.81;
/// w t at the end.
const END: f64 = 20.0;

/// How long and how heavy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Length.
    pub length: f64,
    /// Mass.
    pub mass: f64,
}

impl Formulas for Size {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(self.mass), S::from(self.mass));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-self.mass * G);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - self.length * self.length;
    }
}

impl Size {
    fn solution(self, t: f64) -> State {
        let w = (G / self.length).sqrt();
        let State { q, v, a, lambda, psi, .. } = pendulum::normalised_printed().reference_at(w * t);
        let times = |factor: f64, x: Vec<f64>| x.into_iter().map(|x| factor * x).collect();
        State {
            t,
            q: times(self.length, q),
            v: times(self.length * w, v),
            a: times(G, a),
            lambda: times(self.mass * w * w, lambda),
            psi,
        }
    }
}

/// The problem on [0, 20/w].
pub fn new(size: Size) -> Problem {
    Problem {
        name: "scaled_pendulum",
        title: "pendulum of any size",
        system: Box::new(Differentiated::new(size)),
        start: Start { t: 0.0, q: vec![size.length, 0.0], v: vec![0.0, 0.0], lambda: vec![], psi: vec![] },
        t_end: END / (G / size.length).sqrt(),
        reference: Reference::Exact(Box::new(move |t| size.solution(t))),
        energy: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_meets_its_equations() {
        let size = Size { length: 1e-3, mass: 7.0 };
        let problem = new(size);
        for part in [0.1, 0.37, 0.9] {
            let State { q, v, a, lambda, .. } = problem.reference_at(part * problem.t_end);
            assert!((q[0].hypot(q[1]) / size.length - 1.0).abs() < 1e-13);
            assert!((q[0] * v[0] + q[1] * v[1]).abs() < 1e-13 * size.length);
            assert!((size.mass * a[0] + 2.0 * q[0] * lambda[0]).abs() < 1e-11 * size.mass * G);
            assert!((size.mass * (a[1] + G) + 2.0 * q[1] * lambda[0]).abs() < 1e-11 * size.mass * G);
            // The energy is that of the release.
            let energy = 0.5 * (v[0] * v[0] + v[1] * v[1]) + G * q[1];
            assert!(energy.abs() < 1e-12 * G * size.length, "{energy}");
        }
    }
}
