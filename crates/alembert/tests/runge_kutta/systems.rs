//! Systems made for these tests.

use alembert::{Differentiated, Dims, Formulas, Scalar, State, Supplied};
use alembert_problems::{Problem, Reference, Start};

use super::common::problem;

/// Two pendulums in directions (x, y) on circles, geared against each other, with spins as velocities:
///
/// ```text
/// x' = -y w, y' = x w for each,   w1' = -2 x1 + r1,  w2' = r2,   0 = x1 y2 + y1 x2 = sin(theta1 + theta2)
/// ```
///
/// Both then move like the normalised pendulum: w1' = -x1, lambda = -x1.
struct Geared;

impl Formulas for Geared {
    fn dims(&self) -> Dims {
        Dims { q: 4, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn rate<S: Scalar>(&self, _: S, q: &[S], v: &[S], q_dot: &mut [S]) -> Supplied {
        for i in 0..2 {
            q_dot[2 * i] = -q[2 * i + 1] * v[i];
            q_dot[2 * i + 1] = q[2 * i] * v[i];
        }
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        force[0] = -q[0] * 2.0;
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[3] + q[1] * q[2];
    }
}

pub fn geared_pendulums() -> Problem {
    let solution = |t: f64| {
        let p = problem("pendulum").reference_at(t);
        let (x, y) = (p.q[0], p.q[1]);
        let spin = x * p.v[1] - y * p.v[0];
        State { t, q: vec![x, y, x, -y], v: vec![spin, -spin], a: vec![-x, x], lambda: vec![-x], psi: vec![] }
    };
    let State { t, q, v, lambda, psi, .. } = solution(0.0);
    Problem {
        name: "geared_pendulums",
        title: "two geared pendulums with q' = U(q,v)",
        system: Box::new(Differentiated::new(Geared)),
        start: Start { t, q, v, lambda, psi },
        t_end: 5.0,
        reference: Reference::Exact(Box::new(solution)),
        energy: None,
    }
}

/// A pendulum whose force cannot be evaluated below y = `floor`.
pub struct Forbidden {
    pub floor: f64,
}

impl Formulas for Forbidden {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        // A root of a negative number is not a number.
        force[1] = (q[1] - self.floor).sqrt() * 0.0 - 1.0;
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    }
}

/// A bead on the curve y^2 = x^3, whose constraint degenerates in the cusp at the origin.
pub struct Cusp;

impl Formulas for Cusp {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[1] * q[1] - q[0] * q[0] * q[0];
    }
}
