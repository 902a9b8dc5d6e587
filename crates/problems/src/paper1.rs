//! A reaction that is nonlinear in lambda (extended HHT-alpha, paper 1, section 5.1).
//!
//! ```text
//! y1'' = y1 z2 + 2 y2 z1               + e^t y1 lambda
//! y2'' = y2 z2 / 2 - 2 y1 z1 y2 z2     + y2 lambda^2
//! 0    = y1^2 y2 - 1
//! ```
//!
//! Exact: y = (e^t, e^-2t), lambda = e^-t. A second branch of lambda exists; the start guess 1 chooses the right one.
//! No velocity direction is damped or conserved, so there is no energy.

use alembert::{Differentiated, Dims, Formulas, Scalar, State, Supplied};

use crate::problem::{Problem, Reference, Start};

struct Equations;

impl Formulas for Equations {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        force[0] = q[0] * v[1] + q[1] * v[0] * 2.0;
        force[1] = q[1] * v[1] * 0.5 - q[0] * v[0] * q[1] * v[1] * 2.0;
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] * q[1] - 1.0;
    }
    fn reaction<S: Scalar>(&self, t: S, q: &[S], _: &[S], lambda: &[S], _: &[S], r: &mut [S]) -> Supplied {
        r[0] = t.exp() * q[0] * lambda[0];
        r[1] = q[1] * lambda[0] * lambda[0];
        Supplied::Yes
    }
}

/// The problem on [0, 1].
pub fn new() -> Problem {
    Problem {
        name: "paper1",
        title: "reaction nonlinear in lambda (paper 1, section 5.1)",
        system: Box::new(Differentiated::new(Equations)),
        start: Start { t: 0.0, q: vec![1.0, 1.0], v: vec![1.0, -2.0], lambda: vec![1.0], psi: vec![] },
        t_end: 1.0,
        reference: Reference::Exact(Box::new(|t| State { lambda: vec![(-t).exp()], ..curve(t) })),
        energy: None,
    }
}

/// The motion that papers 1, 2 and 3 share: y = (e^t, e^-2t), without multipliers.
pub(crate) fn curve(t: f64) -> State {
    let (up, down) = (t.exp(), (-2.0 * t).exp());
    State { t, q: vec![up, down], v: vec![up, -2.0 * down], a: vec![up, 4.0 * down], lambda: vec![], psi: vec![] }
}
