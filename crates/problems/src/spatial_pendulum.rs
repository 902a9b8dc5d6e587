//! A body on a spherical joint that swings in a vertical plane: the spatial equations of `body` with an
//! exact solution.
//!
//! The body is round about its axis 3, with its centre at -l e3. It swings by theta about the horizontal body axis
//! n = (cos d, sin d, 0), and the plane is turned by phi about the vertical: p = exp(phi e3) exp(theta n). From rest at
//! theta_0, with k = sin(theta_0/2), omega^2 = m g l/(J1 + m l^2) and Jacobi's functions of (omega t, k^2),
//!
//! ```text
//! sin(theta/2) = k cn/dn,    theta' = -2 k omega sqrt(1 - k^2) sn/dn
//! ```
//!
//! [`planar`] is the same swing written in the plane, with an angle that adds.

use alembert::rotation::{exp, product};
use alembert::{Differentiated, Dims, Formulas, Scalar, State};

use crate::body::Body;
use crate::elliptic::jacobi;
use crate::problem::{Problem, Reference, Start};

const LENGTH: f64 = 0.8;
const BODY: Body = Body { mass: 2.0, inertia: [0.3, 0.3, 0.1], centre: [0.0, 0.0, -LENGTH], gravity: 9.81 };
const AXIS: f64 = 0.4;
const PLANE: f64 = 0.7;
const RELEASE: f64 = 2.0;

/// theta and theta'.
fn swing(t: f64) -> (f64, f64) {
    let omega = (BODY.mass * BODY.gravity * LENGTH / (BODY.inertia[0] + BODY.mass * LENGTH * LENGTH)).sqrt();
    let k = (0.5 * RELEASE).sin();
    let (sn, cn, dn) = jacobi(omega * t, k * k);
    (2.0 * (k * cn / dn).asin(), -2.0 * k * omega * (1.0 - k * k).sqrt() * sn / dn)
}

fn solution(t: f64) -> State {
    let (angle, spin) = swing(t);
    let (sin, cos) = AXIS.sin_cos();
    let p = product(&exp(&[0.0, 0.0, PLANE]), &exp(&[angle * cos, angle * sin, 0.0]));
    BODY.state(t, &p, &[spin * cos, spin * sin, 0.0])
}

/// The spatial pendulum, until t = 3: more than one swing.
pub fn new() -> Problem {
    let start = solution(0.0);
    Problem {
        name: "spatial_pendulum",
        title: "body on a spherical joint swinging in a plane",
        system: Box::new(Differentiated::new(BODY)),
        start: Start { t: 0.0, q: start.q, v: start.v, lambda: start.lambda, psi: vec![] },
        t_end: 3.0,
        reference: Reference::Exact(Box::new(solution)),
        energy: Some(Box::new(|_, q, v| BODY.energy(q, v))),
    }
}

/// The same body in the plane: q = (s, z, theta), s across and z up, joint at the origin.
struct Planar;

impl Formulas for Planar {
    fn dims(&self) -> Dims {
        Dims { q: 3, v: 3, lambda: 2, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[4], mass[8]) = (S::from(BODY.mass), S::from(BODY.mass), S::from(BODY.inertia[0]));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-BODY.mass * BODY.gravity);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let (sin, cos) = q[2].sin_cos();
        g[0] = q[0] - sin * LENGTH;
        g[1] = q[1] + cos * LENGTH;
    }
}

/// The planar twin, not in the catalogue: an alpha method takes it through the same angles as the spatial pendulum.
pub fn planar() -> Problem {
    let solution = |t: f64| {
        let (angle, spin) = swing(t);
        let (sin, cos) = angle.sin_cos();
        let about_joint = BODY.inertia[0] + BODY.mass * LENGTH * LENGTH;
        let spin_up = -BODY.mass * BODY.gravity * LENGTH * sin / about_joint;
        let a = [LENGTH * (cos * spin_up - sin * spin * spin), LENGTH * (sin * spin_up + cos * spin * spin), spin_up];
        State {
            t,
            q: vec![LENGTH * sin, -LENGTH * cos, angle],
            v: vec![LENGTH * cos * spin, LENGTH * sin * spin, spin],
            lambda: vec![-BODY.mass * a[0], -BODY.mass * (a[1] + BODY.gravity)],
            a: a.to_vec(),
            psi: vec![],
        }
    };
    let start = solution(0.0);
    Problem {
        name: "planar_pendulum",
        title: "the planar twin of the spatial pendulum",
        system: Box::new(Differentiated::new(Planar)),
        start: Start { t: 0.0, q: start.q, v: start.v, lambda: start.lambda, psi: vec![] },
        t_end: 3.0,
        reference: Reference::Exact(Box::new(solution)),
        energy: None,
    }
}
