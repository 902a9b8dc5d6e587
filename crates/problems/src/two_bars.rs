//! Two bars on revolutes with stiff springs and dampers: what Newton's method has to live with.
//!
//! Bars of length 1, mass 1, inertia 1/12, centres p_i, angles theta_i; bar 1 turns about the origin, bar 2 about the end of bar 1:
//!
//! ```text
//! 0 = p1 - u1/2,   0 = (p1 + u1/2) - (p2 - u2/2),   u_i = (cos theta_i, sin theta_i)
//! ```
//!
//! Three spring-damper pairs, all without force at the start:
//! kt, ct in the joint between the bars (moment from theta2 - theta1);
//! kl, cl between the coincident points of that joint: no force on the constraint, stiff off it;
//! kp, cp from the tip of bar 2 to the centre of bar 1.
//! Both bars start with the angular velocity `spin`, at the angles 0 and 0.8. Gravity is 9.81.

use alembert::{Differentiated, Dims, Formulas, Scalar};

use crate::problem::{EnergyFn, Problem, Reference, Start};
use crate::reference::Settings;

const G: f64 = 9.81;
const INERTIA: f64 = 1.0 / 12.0;
const BEND: f64 = 0.8;

/// Stiffness and damping of the three pairs; see the [module](self).
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stiffness {
    pub kt: f64,
    pub ct: f64,
    pub kl: f64,
    pub cl: f64,
    pub kp: f64,
    pub cp: f64,
}

struct Bars {
    pairs: Stiffness,
    /// Start distance from the tip of bar 2 to the centre of bar 1.
    rest: f64,
}

/// Position of the point `s` along a bar from its centre, with its lever arm (the derivative in the angle).
fn point<S: Scalar>(bar: &[S], s: f64) -> ([S; 2], [S; 2]) {
    let (sin, cos) = bar[2].sin_cos();
    ([bar[0] + cos * s, bar[1] + sin * s], [-sin * s, cos * s])
}

impl Bars {
    /// Adds the force `pull` at the point `s` of bar `bar`.
    fn push<S: Scalar>(f: &mut [S], bar: usize, arm: [S; 2], pull: [S; 2], sign: f64) {
        f[3 * bar] += pull[0] * sign;
        f[3 * bar + 1] += pull[1] * sign;
        f[3 * bar + 2] += (arm[0] * pull[0] + arm[1] * pull[1]) * sign;
    }
}

impl Formulas for Bars {
    fn dims(&self) -> Dims {
        Dims { q: 6, v: 6, lambda: 4, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        for i in 0..6 {
            mass[7 * i] = S::from(if i % 3 == 2 { INERTIA } else { 1.0 });
        }
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], f: &mut [S]) {
        let Stiffness { kt, ct, kl, cl, kp, cp } = self.pairs;
        f[1] = S::from(-G);
        f[4] = S::from(-G);
        let moment = (q[5] - q[2] - BEND) * kt + (v[5] - v[2]) * ct;
        f[2] += moment;
        f[5] -= moment;

        let (bar1, bar2) = (&q[..3], &q[3..]);
        let velocity =
            |bar: usize, arm: [S; 2]| [v[3 * bar] + arm[0] * v[3 * bar + 2], v[3 * bar + 1] + arm[1] * v[3 * bar + 2]];
        // Coincident points: end of bar 1, beginning of bar 2.
        let ((end, end_arm), (begin, begin_arm)) = (point(bar1, 0.5), point(bar2, -0.5));
        let (end_v, begin_v) = (velocity(0, end_arm), velocity(1, begin_arm));
        let pull = [0, 1].map(|i| (begin[i] - end[i]) * kl + (begin_v[i] - end_v[i]) * cl);
        Self::push(f, 0, end_arm, pull, 1.0);
        Self::push(f, 1, begin_arm, pull, -1.0);

        let ((tip, tip_arm), (centre, centre_arm)) = (point(bar2, 0.5), point(bar1, 0.0));
        let (tip_v, centre_v) = (velocity(1, tip_arm), velocity(0, centre_arm));
        let [dx, dy] = [0, 1].map(|i| tip[i] - centre[i]);
        let [ux, uy] = [0, 1].map(|i| tip_v[i] - centre_v[i]);
        let length = (dx * dx + dy * dy).sqrt();
        let tension = (length - self.rest) * kp + (dx * ux + dy * uy) / length * cp;
        let pull = [tension * dx / length, tension * dy / length];
        Self::push(f, 0, centre_arm, pull, 1.0);
        Self::push(f, 1, tip_arm, pull, -1.0);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let ((base, _), (end, _)) = (point(&q[..3], -0.5), point(&q[..3], 0.5));
        let (begin, _) = point(&q[3..], -0.5);
        for i in 0..2 {
            g[i] = base[i];
            g[2 + i] = end[i] - begin[i];
        }
    }
}

/// The bars with the given springs and start spin, until t = 1.
///
/// The reference is explicit: it is cheap for frequencies up to about 1e4 and damping rates up to about 1e4.
pub fn new(pairs: Stiffness, spin: f64) -> Problem {
    let (sin, cos) = BEND.sin_cos();
    let q = vec![0.5, 0.0, 0.0, 1.0 + 0.5 * cos, 0.5 * sin, BEND];
    let v = vec![0.0, 0.5 * spin, spin, -0.5 * sin * spin, (1.0 + 0.5 * cos) * spin, spin];
    let rest = (0.5 + cos).hypot(sin);
    let damped = pairs.ct != 0.0 || pairs.cl != 0.0 || pairs.cp != 0.0;
    let energy: EnergyFn = Box::new(move |_, q, v| {
        let kinetic: f64 = (0..6).map(|i| 0.5 * v[i] * v[i] * if i % 3 == 2 { INERTIA } else { 1.0 }).sum();
        let ((tip, _), (begin, _), (end, _)) = (point(&q[3..], 0.5), point(&q[3..], -0.5), point(&q[..3], 0.5));
        let stretch = (tip[0] - q[0]).hypot(tip[1] - q[1]) - rest;
        let gap = (end[0] - begin[0]).powi(2) + (end[1] - begin[1]).powi(2);
        let bend = q[5] - q[2] - BEND;
        kinetic + G * (q[1] + q[4]) + 0.5 * (pairs.kt * bend * bend + pairs.kp * stretch * stretch + pairs.kl * gap)
    });
    Problem {
        name: "two_bars",
        title: "two bars with springs and dampers in, across and off their joint",
        system: Box::new(Differentiated::new(Bars { pairs, rest })),
        start: Start { t: 0.0, q, v, lambda: vec![0.0; 4], psi: vec![] },
        t_end: 1.0,
        reference: Reference::Integrated(Settings::default()),
        energy: if damped { None } else { Some(energy) },
    }
}

/// Soft springs without damping, spin 5: the member of the catalogue.
pub fn soft() -> Problem {
    new(Stiffness { kt: 10.0, kl: 100.0, kp: 10.0, ..Default::default() }, 5.0)
}
