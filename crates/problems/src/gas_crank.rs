//! A slider crank whose piston is driven by a gas force that changes within a short part of each stroke.
//!
//! ```text
//! J phi'' = -c phi' - 2 r x sin(phi) lambda
//! m x''   = F (1 + tanh(x'/w))/2 - 2 (x - r cos(phi)) lambda
//! 0       = x^2 - 2 r x cos(phi) + r^2 - l^2
//! ```
//!
//! At 60 turns a second and more the force switches some 130 times a second, in a twentieth of a stroke each. With
//! x = X(phi) = r cos(phi) + sqrt(l^2 - r^2 sin(phi)^2) the motion is one equation,
//! (J + m X'^2) phi'' = -c phi' + (F_gas - m X'' phi'^2) X', whose right side is analytic: the reference.

use alembert::{Differentiated, Dims, Formulas, Scalar, State};

use crate::problem::{Problem, Reference, Start};
use crate::reference::{Settings, extrapolate};

const J: f64 = 0.01;
const M: f64 = 0.5;
const R: f64 = 0.05;
const L: f64 = 0.15;
const FORCE: f64 = 2000.0;
const LOAD: f64 = 0.08;
const WIDTH: f64 = 0.5;
const START: [f64; 2] = [0.3, 400.0];

struct Crank;

impl Formulas for Crank {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(J), S::from(M));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], v: &[S], force: &mut [S]) {
        force[0] = v[0] * (-LOAD);
        force[1] = ((v[1] * (1.0 / WIDTH)).tanh() + 1.0) * (0.5 * FORCE);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let (phi, x) = (q[0], q[1]);
        g[0] = x * x - x * phi.cos() * (2.0 * R) + (R * R - L * L);
    }
}

/// X, X' and X'' at an angle.
fn piston(phi: f64) -> [f64; 3] {
    let (sin, cos) = phi.sin_cos();
    let root = (L * L - R * R * sin * sin).sqrt();
    let slope = -R * R * sin * cos / root;
    let bend = -(R * R * (cos * cos - sin * sin) + slope * slope) / root;
    [R * cos + root, -R * sin + slope, -R * cos + bend]
}

fn gas(speed: f64) -> f64 {
    0.5 * FORCE * (1.0 + (speed / WIDTH).tanh())
}

/// phi''.
fn turn(phi: f64, w: f64) -> f64 {
    let [_, x1, x2] = piston(phi);
    (-LOAD * w + (gas(x1 * w) - M * x2 * w * w) * x1) / (J + M * x1 * x1)
}

fn solution(t: f64) -> State {
    let rhs = |_: f64, y: &[f64], out: &mut [f64]| (out[0], out[1]) = (y[1], turn(y[0], y[1]));
    let y = match extrapolate(rhs, 0.0, &START, t, Settings::default()) {
        Ok(y) => y,
        Err(failure) => panic!("the reference of the crank failed: {failure}"),
    };
    let (phi, w) = (y[0], y[1]);
    let [x, x1, x2] = piston(phi);
    let a = turn(phi, w);
    let thrust = x1 * a + x2 * w * w;
    State {
        t,
        q: vec![phi, x],
        v: vec![w, x1 * w],
        a: vec![a, thrust],
        lambda: vec![(gas(x1 * w) - M * thrust) / (2.0 * (x - R * phi.cos()))],
        psi: vec![],
    }
}

/// The problem on [0, 0.25].
pub fn new() -> Problem {
    let [x, x1, _] = piston(START[0]);
    Problem {
        name: "gas_crank",
        title: "slider crank under a steep gas force",
        system: Box::new(Differentiated::new(Crank)),
        start: Start { t: 0.0, q: vec![START[0], x], v: vec![START[1], x1 * START[1]], lambda: vec![], psi: vec![] },
        t_end: 0.25,
        reference: Reference::Reduced(Box::new(solution)),
        energy: None,
    }
}
