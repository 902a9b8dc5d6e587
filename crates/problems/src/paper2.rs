//! A nonholonomic constraint with a reaction nonlinear in psi (generalized-alpha, paper 2, (7.1)).
//!
//! ```text
//! | y1             y2 - e^-2t | z' = | e^t  (y1 z2 + 2 y2 z1)           + e^2t y1 psi   |
//! | sin(y1 - e^t)  y1 y2      |      | e^-t (y2 z2/2 - 2 y1 z1 y2 z2    + y2 psi^2)     |
//! 0 = z1^2 z2 + 6 y1 y2 z1 - 4
//! ```
//!
//! Exact: y = (e^t, e^-2t), psi = e^-t. The mass matrix is not symmetric off the solution.

use alembert::{Differentiated, Dims, Formulas, Scalar, State, Supplied};

use crate::paper1::curve;
use crate::problem::{Problem, Reference, Start};

struct Equations;

/// The mass matrix that papers 2 and 3 share.
pub(crate) fn mass<S: Scalar>(t: S, q: &[S], mass: &mut [S]) {
    mass[0] = q[0];
    mass[1] = q[1] - (t * -2.0).exp();
    mass[2] = (q[0] - t.exp()).sin();
    mass[3] = q[0] * q[1];
}

impl Formulas for Equations {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: 1 }
    }
    fn mass<S: Scalar>(&self, t: S, q: &[S], out: &mut [S]) {
        mass(t, q, out);
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]) {
        force[0] = t.exp() * (q[0] * v[1] + q[1] * v[0] * 2.0);
        force[1] = (-t).exp() * (q[1] * v[1] * 0.5 - q[0] * v[0] * q[1] * v[1] * 2.0);
    }
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
        k[0] = v[0] * v[0] * v[1] + q[0] * q[1] * v[0] * 6.0 - 4.0;
    }
    fn reaction<S: Scalar>(&self, t: S, q: &[S], _: &[S], _: &[S], psi: &[S], r: &mut [S]) -> Supplied {
        r[0] = (t * 2.0).exp() * q[0] * psi[0];
        r[1] = (-t).exp() * q[1] * psi[0] * psi[0];
        Supplied::Yes
    }
}

/// The problem on [0, 1].
pub fn new() -> Problem {
    Problem {
        name: "paper2",
        title: "reaction nonlinear in psi (paper 2, 7.1)",
        system: Box::new(Differentiated::new(Equations)),
        start: Start { t: 0.0, q: vec![1.0, 1.0], v: vec![1.0, -2.0], lambda: vec![], psi: vec![1.0] },
        t_end: 1.0,
        reference: Reference::Exact(Box::new(|t| State { psi: vec![(-t).exp()], ..curve(t) })),
        energy: None,
    }
}
