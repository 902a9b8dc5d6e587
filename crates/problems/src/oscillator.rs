//! Two equal masses between springs and dampers: unconstrained, exact.
//!
//! ```text
//! x1'' = -2 k x1 + k x2 - c x1',   x2'' = k x1 - 2 k x2 - c x2'
//! ```
//!
//! k = 4, c = 0.2. The modes x1 + x2 and x1 - x2 are damped oscillators with squared frequencies k and 3 k.

use alembert::{Differentiated, Dims, Formulas, Scalar, State};

use crate::problem::{Problem, Reference, Start};

const K: f64 = 4.0;
const C: f64 = 0.2;
const X0: [f64; 2] = [1.0, -0.5];
const V0: [f64; 2] = [0.0, 1.0];

struct Masses;

impl Formulas for Masses {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        force[0] = (q[1] - q[0] * 2.0) * K - v[0] * C;
        force[1] = (q[0] - q[1] * 2.0) * K - v[1] * C;
    }
}

/// Position and velocity of a mode with squared frequency `stiffness`.
fn mode(t: f64, stiffness: f64, x0: f64, v0: f64) -> (f64, f64) {
    let rate = C / 2.0;
    let omega = (stiffness - rate * rate).sqrt();
    let sine = (v0 + rate * x0) / omega;
    let ((sin, cos), decay) = ((omega * t).sin_cos(), (-rate * t).exp());
    let x = decay * (x0 * cos + sine * sin);
    (x, decay * omega * (sine * cos - x0 * sin) - rate * x)
}

fn solution(t: f64) -> State {
    let (s, s_dot) = mode(t, K, X0[0] + X0[1], V0[0] + V0[1]);
    let (d, d_dot) = mode(t, 3.0 * K, X0[0] - X0[1], V0[0] - V0[1]);
    let (s_ddot, d_ddot) = (-K * s - C * s_dot, -3.0 * K * d - C * d_dot);
    let pair = |s: f64, d: f64| vec![0.5 * (s + d), 0.5 * (s - d)];
    State { t, q: pair(s, d), v: pair(s_dot, d_dot), a: pair(s_ddot, d_ddot), lambda: vec![], psi: vec![] }
}

/// The problem on [0, 5].
pub fn new() -> Problem {
    Problem {
        name: "oscillator",
        title: "two masses between springs and dampers (unconstrained)",
        system: Box::new(Differentiated::new(Masses)),
        start: Start { t: 0.0, q: X0.to_vec(), v: V0.to_vec(), lambda: vec![], psi: vec![] },
        t_end: 5.0,
        reference: Reference::Exact(Box::new(solution)),
        energy: None,
    }
}
