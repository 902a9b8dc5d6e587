//! Both kinds of constraint, both reactions nonlinear (generalized-alpha-SOI2, paper 3, section 8).
//!
//! ```text
//! | y1             y2 - e^-2t | z' = | e^t  (y1 z2 + 2 y2 z1)        - 2    + e^2t y1 lambda      - y1 z2 psi      |
//! | sin(y1 - e^t)  y1 y2      |      | e^-t (y2 z2/2 - 2 y1 z1 y2 z2) + e^3t + e^-t y2 lambda^2  - y1 y2 z1 psi^3 |
//! 0 = y1^2 y2 - 1,   0 = y1 z1 z2 + 2
//! ```
//!
//! The paper prints neither solution nor start values. Exact: y = (e^t, e^-2t), lambda = e^-t, psi = e^t. Two
//! constraints on two velocities: no free direction is left.

use alembert::{Differentiated, Dims, Formulas, Scalar, State, Supplied};

use crate::paper1::curve;
use crate::paper2;
use crate::problem::{Problem, Reference, Start};

struct Equations;

impl Formulas for Equations {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 1 }
    }
    fn mass<S: Scalar>(&self, t: S, q: &[S], out: &mut [S]) {
        paper2::mass(t, q, out);
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]) {
        force[0] = t.exp() * (q[0] * v[1] + q[1] * v[0] * 2.0) - 2.0;
        force[1] = (-t).exp() * (q[1] * v[1] * 0.5 - q[0] * v[0] * q[1] * v[1] * 2.0) + (t * 3.0).exp();
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] * q[1] - 1.0;
    }
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
        k[0] = q[0] * v[0] * v[1] + 2.0;
    }
    fn reaction<S: Scalar>(&self, t: S, q: &[S], v: &[S], lambda: &[S], psi: &[S], r: &mut [S]) -> Supplied {
        r[0] = (t * 2.0).exp() * q[0] * lambda[0] - q[0] * v[1] * psi[0];
        r[1] = (-t).exp() * q[1] * lambda[0] * lambda[0] - q[0] * q[1] * v[0] * psi[0].powi(3);
        Supplied::Yes
    }
}

/// The problem on [0, 1].
pub fn new() -> Problem {
    Problem {
        name: "paper3",
        title: "holonomic and nonholonomic, reactions nonlinear (paper 3, section 8)",
        system: Box::new(Differentiated::new(Equations)),
        start: Start { t: 0.0, q: vec![1.0, 1.0], v: vec![1.0, -2.0], lambda: vec![1.0], psi: vec![1.0] },
        t_end: 1.0,
        reference: Reference::Exact(Box::new(|t| State { lambda: vec![(-t).exp()], psi: vec![t.exp()], ..curve(t) })),
        energy: None,
    }
}
