//! A fast heavy top on a spherical joint: the standard benchmark of integrators on Lie groups (Brüls, Cardona and Arnold,
//! "Lie group generalized-alpha time integration of constrained flexible multibody systems", 2012).
//!
//! The equations are those of `body`, with six velocities and three constraints; m = 15,
//! J = diag(0.234375, 0.46875, 0.234375), centre of mass at (0, 1, 0), g = 9.81. The top starts with its axis (axis 2)
//! in the horizontal plane and spins with w = (0, 150, -4.61538): 24 revolutions in a time unit, while it precesses slowly.
//!
//! The reference is the motion about the joint, integrated by extrapolation.

use alembert::Differentiated;

use crate::body::Body;
use crate::problem::{Problem, Reference, Start};

const TOP: Body =
    Body { mass: 15.0, inertia: [0.234_375, 0.468_75, 0.234_375], centre: [0.0, 1.0, 0.0], gravity: 9.81 };

const UPRIGHT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// The benchmark, until t = 0.2: 5 revolutions.
pub fn new() -> Problem {
    problem("heavy_top", "heavy top, 150 rad per time unit", [0.0, 150.0, -4.615_38], 0.2)
}

/// The same top without its spin, which swings and tumbles.
pub fn tumbling() -> Problem {
    problem("tumbling_top", "tumbling top", [2.0, 3.0, -1.0], 2.0)
}

fn problem(name: &'static str, title: &'static str, w: [f64; 3], t_end: f64) -> Problem {
    let start = TOP.state(0.0, &UPRIGHT, &w);
    Problem {
        name,
        title,
        system: Box::new(Differentiated::new(TOP)),
        start: Start { t: 0.0, q: start.q, v: start.v, lambda: start.lambda, psi: vec![] },
        t_end,
        reference: Reference::Reduced(Box::new(move |t| TOP.solution(UPRIGHT, w, t))),
        energy: Some(Box::new(|_, q, v| TOP.energy(q, v))),
    }
}
