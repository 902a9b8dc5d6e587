//! A pendulum under a horizontal force that is not smooth: a kink, a jump, a one-sided spring or a steep transition in x, or
//! a force that is switched in time.
//!
//! ```text
//! x'' = F(t, x) - 2 x lambda,   y'' = -g - 2 y lambda,   0 = x^2 + y^2 - 1,        released at x = 1
//! ```
//!
//! With x = sin theta, y = -cos theta it is theta'' = -g sin theta + F cos theta. The reference integrates this piece by
//! piece: on each piece F is one smooth branch, and the time at which x passes the switch is located to rounding.

use alembert::{Differentiated, Dims, Formulas, Held, Scalar, State, Switch};

use crate::problem::{Problem, Reference, Start};
use crate::reference::{Settings, extrapolate};

const G: f64 = 9.81;
/// Distance of the places at which a passage of the switch is looked for.
const LOOK: f64 = 2e-3;
/// A time so short that a straight line is exact to rounding.
const SHORT: f64 = 1e-10;

/// The force on the mass, along x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Force {
    /// k |x - d|.
    Kink {
        /// Its slope.
        k: f64,
        /// Its place.
        d: f64,
    },
    /// c sign(x - d).
    Jump {
        /// Half the jump.
        c: f64,
        /// Its place.
        d: f64,
    },
    /// k max(0, d - x).
    Stop {
        /// Stiffness.
        k: f64,
        /// Where it is touched.
        d: f64,
    },
    /// c tanh((x - d)/width).
    Steep {
        /// Its size.
        c: f64,
        /// Its place.
        d: f64,
        /// Its width.
        width: f64,
    },
    /// c from the time `at` on.
    Switched {
        /// Its size.
        c: f64,
        /// When it sets in.
        at: f64,
    },
}

impl Force {
    /// What changes its sign where the force is not smooth, if it does.
    fn switch(self, t: f64, x: f64) -> Option<f64> {
        match self {
            Force::Kink { d, .. } | Force::Jump { d, .. } | Force::Stop { d, .. } => Some(x - d),
            Force::Steep { .. } => None,
            Force::Switched { at, .. } => Some(t - at),
        }
    }

    /// The branch beyond the switch or before it, continued everywhere.
    fn branch(self, x: f64, beyond: bool) -> f64 {
        let sign = if beyond { 1.0 } else { -1.0 };
        match self {
            Force::Kink { k, d } => k * sign * (x - d),
            Force::Jump { c, .. } => c * sign,
            Force::Stop { k, d } => {
                if beyond {
                    0.0
                } else {
                    k * (d - x)
                }
            }
            Force::Steep { c, d, width } => c * ((x - d) / width).tanh(),
            Force::Switched { c, .. } => {
                if beyond {
                    c
                } else {
                    0.0
                }
            }
        }
    }
}

struct Pendulum {
    force: Force,
    /// Whether the switch is declared.
    declared: bool,
}

impl Pendulum {
    fn force_at<S: Scalar>(&self, switch: f64, x: S, force: &mut [S]) {
        let beyond = switch >= 0.0;
        force[0] = match self.force {
            Force::Kink { k, d } => (x - d) * (if beyond { k } else { -k }),
            Force::Jump { c, .. } => S::from(if beyond { c } else { -c }),
            Force::Stop { k, d } => {
                if beyond {
                    S::from(0.0)
                } else {
                    (S::from(d) - x) * k
                }
            }
            Force::Steep { c, d, width } => ((x - d) * (1.0 / width)).tanh() * c,
            Force::Switched { c, .. } => S::from(if beyond { c } else { 0.0 }),
        };
        force[1] = S::from(-G);
    }
}

impl Formulas for Pendulum {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]) {
        self.force_on(Held::default(), t, q, v, force);
    }
    fn force_on<S: Scalar>(&self, held: Held, t: S, q: &[S], _: &[S], force: &mut [S]) {
        let switch = self.force.switch(t.value(), q[0].value()).unwrap_or(1.0);
        self.force_at(held.select(0, switch), q[0], force);
    }
    fn switches(&self) -> &[Switch] {
        if self.declared && self.force.switch(0.0, 0.0).is_some() { &[Switch::Sign] } else { &[] }
    }
    fn switch_values(&self, t: f64, q: &[f64], _: &[f64], out: &mut [f64]) {
        out[0] = self.force.switch(t, q[0]).unwrap_or(1.0);
    }
    fn switch_name(&self, _: usize) -> String {
        "the force on x".to_owned()
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    }
}

/// theta and theta' at the end of a smooth piece.
fn advance(force: Force, beyond: bool, t: f64, y: &[f64], to: f64) -> Vec<f64> {
    let rhs = |_: f64, y: &[f64], out: &mut [f64]| {
        let (sin, cos) = y[0].sin_cos();
        (out[0], out[1]) = (y[1], -G * sin + force.branch(sin, beyond) * cos);
    };
    if to - t < SHORT {
        let mut slope = [0.0; 2];
        rhs(t, y, &mut slope);
        return y.iter().zip(slope).map(|(y, slope)| y + (to - t) * slope).collect();
    }
    match extrapolate(rhs, t, y, to, Settings::default()) {
        Ok(y) => y,
        Err(failure) => panic!("the reference of the kinked pendulum failed: {failure}"),
    }
}

/// theta and theta' at a time.
fn angle(force: Force, t_end: f64) -> (Vec<f64>, bool) {
    let (mut t, mut y) = (0.0, vec![std::f64::consts::FRAC_PI_2, 0.0]);
    let switch = |t: f64, y: &[f64]| force.switch(t, y[0].sin()).unwrap_or(1.0);
    let mut beyond = switch(t, &y) >= 0.0;
    while t < t_end {
        let to = f64::min(t + LOOK, t_end);
        let next = advance(force, beyond, t, &y, to);
        if (switch(to, &next) >= 0.0) == beyond {
            (t, y) = (to, next);
            continue;
        }
        // The passage, by halving: both branches agree up to there.
        let (mut low, mut high) = (t, to);
        while high - low > 2.0 * f64::EPSILON * high.abs() {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            let at = advance(force, beyond, t, &y, middle);
            if (switch(middle, &at) >= 0.0) == beyond {
                low = middle;
            } else {
                high = middle;
            }
        }
        y = advance(force, beyond, t, &y, high);
        (t, beyond) = (high, !beyond);
    }
    (y, beyond)
}

fn solution(force: Force, t: f64) -> State {
    let (y, beyond) = angle(force, t);
    let ((sin, cos), w) = (y[0].sin_cos(), y[1]);
    let f = force.branch(sin, beyond);
    let turn = -G * sin + f * cos;
    let (x, y) = (sin, -cos);
    // The rod pulls with 2 lambda: from the part of the motion along it.
    let lambda = 0.5 * (w * w - G * y + f * x);
    State {
        t,
        q: vec![x, y],
        v: vec![cos * w, sin * w],
        a: vec![cos * turn - sin * w * w, sin * turn + cos * w * w],
        lambda: vec![lambda],
        psi: vec![],
    }
}

/// The problem on [0, 4].
pub fn new(force: Force) -> Problem {
    problem(force, false)
}

/// The same with its switch declared.
pub fn declared(force: Force) -> Problem {
    problem(force, true)
}

fn problem(force: Force, declared: bool) -> Problem {
    Problem {
        name: if declared { "switched_pendulum" } else { "kinked_pendulum" },
        title: "pendulum under a force that is not smooth",
        system: Box::new(Differentiated::new(Pendulum { force, declared })),
        start: Start { t: 0.0, q: vec![1.0, 0.0], v: vec![0.0, 0.0], lambda: vec![], psi: vec![] },
        t_end: 4.0,
        reference: Reference::Reduced(Box::new(move |t| solution(force, t))),
        energy: None,
    }
}
