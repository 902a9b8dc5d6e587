//! Platforms that hang below one another on parallel legs, with one leg too many.
//!
//! A platform is a triangle of three rods with masses 1, 2 and 1 at its corners; two legs of length 1 join it with the platform
//! above, the first with the ground. Every pair of legs is a parallelogram, so the platforms can only shift, as the masses of a
//! multiple pendulum do: that is the reference. One platform may have a third leg, between the tops of the triangles. It fits,
//! follows from the other constraints around it, and leaves the forces in three legs undetermined; the multipliers of
//! the reference are those with the least squares.
//!
//! The platforms start at rest with all legs 45 degrees below the horizontal.

use std::f64::consts::FRAC_PI_4;

use alembert::{Differentiated, State};

use crate::framework::{End, Framework, Rod};
use crate::multiple_pendulum::motion;
use crate::problem::{Problem, Reference, Start};

const START: f64 = -FRAC_PI_4;
/// Left, right and top corner of a platform, seen from its place, and their masses.
const CORNERS: [[f64; 2]; 3] = [[-0.5, 0.0], [0.5, 0.0], [0.1, 0.7]];
const MASSES: [f64; 3] = [1.0, 1.0, 2.0];
const NAMES: [&str; 3] = ["left", "right", "top"];

fn framework(platforms: usize, third: Option<usize>) -> Framework {
    let mut rods = Vec::new();
    for i in 0..platforms {
        let legs = if third == Some(i) { 3 } else { 2 };
        for corner in 0..legs {
            let from = if i == 0 { End::Ground(CORNERS[corner]) } else { End::Point(3 * (i - 1) + corner) };
            let name = format!("{} leg of platform {i}", NAMES[corner]);
            rods.push(Rod { name, from, to: 3 * i + corner, length: 1.0, mass: 0.0 });
        }
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let [dx, dy] = [0, 1].map(|axis| CORNERS[b][axis] - CORNERS[a][axis]);
            let name = format!("{} to {} of platform {i}", NAMES[a], NAMES[b]);
            rods.push(Rod { name, from: End::Point(3 * i + a), to: 3 * i + b, length: dx.hypot(dy), mass: 0.0 });
        }
    }
    Framework::new(&MASSES.repeat(platforms), rods)
}

fn solution(framework: &Framework, platforms: usize, t: f64) -> State {
    let motion = motion(&vec![MASSES.iter().sum(); platforms], START, t);
    let spread = |of: &[[f64; 2]], size: f64| -> Vec<f64> {
        of.iter().flat_map(|[x, y]| CORNERS.into_iter().flat_map(move |[u, w]| [x + size * u, y + size * w])).collect()
    };
    framework.state(t, spread(&motion.q, 1.0), spread(&motion.v, 0.0), spread(&motion.a, 0.0))
}

/// A train of `platforms` platforms until t = 0.5, one of them with a third leg where `third` says so.
///
/// # Panics
/// If there is no platform.
pub fn new(platforms: usize, third: Option<usize>) -> Problem {
    assert!(platforms > 0, "a train has platforms");
    let framework = framework(platforms, third);
    let State { q, v, lambda, psi, .. } = solution(&framework, platforms, 0.0);
    let (known, weighed) = (framework.clone(), framework.clone());
    Problem {
        name: "parallelogram_train",
        title: "platforms on parallel legs, one leg too many",
        system: Box::new(Differentiated::new(framework)),
        start: Start { t: 0.0, q, v, lambda, psi },
        t_end: 0.5,
        reference: Reference::Reduced(Box::new(move |t| solution(&known, platforms, t))),
        energy: Some(Box::new(move |_, q, v| weighed.energy(q, v))),
    }
}
