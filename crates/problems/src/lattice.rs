//! A square lattice of k by k heavy points that hangs from the ground: many loops, all constraints independent.
//!
//! Rods of length 1 join each point with the one above it, those of the first row with the ground at (j, 0), and with the one
//! left of it. Every mesh is a parallelogram, so the rows can only shift: the points of row i move along with mass i of a
//! multiple pendulum whose masses are those of the rows, which is the reference. The masses within a row differ, so
//! the level rods carry forces. All rods from row to row start 45 degrees below the horizontal, at rest.

use std::f64::consts::FRAC_PI_4;

use alembert::{Differentiated, State};

use crate::framework::{End, Framework, Rod};
use crate::multiple_pendulum::motion;
use crate::problem::{Problem, Reference, Start};

const START: f64 = -FRAC_PI_4;

/// Mass of point (i, j): between 0.5 and 1.5, without a pattern.
fn mass(i: usize, j: usize) -> f64 {
    0.5 + ((7 * i + 11 * j + i * j) % 13) as f64 / 12.0
}

fn framework(side: usize) -> Framework {
    let masses: Vec<f64> = (0..side * side).map(|k| mass(k / side, k % side)).collect();
    let mut rods = Vec::new();
    for k in 0..side * side {
        let (i, j) = (k / side, k % side);
        let rod = |name: String, from: End| Rod { name, from, to: k, length: 1.0, mass: 0.0 };
        let above = if i == 0 { End::Ground([j as f64, 0.0]) } else { End::Point(k - side) };
        rods.push(rod(format!("rod above ({i}, {j})"), above));
        if j > 0 {
            rods.push(rod(format!("rod left of ({i}, {j})"), End::Point(k - 1)));
        }
    }
    Framework::new(&masses, rods)
}

fn solution(framework: &Framework, side: usize, t: f64) -> State {
    let rows: Vec<f64> = (0..side).map(|i| (0..side).map(|j| mass(i, j)).sum()).collect();
    let motion = motion(&rows, START, t);
    let spread = |of: &[[f64; 2]], apart: f64| -> Vec<f64> {
        of.iter().flat_map(|[x, y]| (0..side).flat_map(move |j| [x + apart * j as f64, *y])).collect()
    };
    framework.state(t, spread(&motion.q, 1.0), spread(&motion.v, 0.0), spread(&motion.a, 0.0))
}

/// A lattice of `side` by `side` points, until t = 0.5.
///
/// # Panics
/// If `side` is zero.
pub fn new(side: usize) -> Problem {
    assert!(side > 0, "a lattice has points");
    let framework = framework(side);
    let State { q, v, lambda, psi, .. } = solution(&framework, side, 0.0);
    let (known, weighed) = (framework.clone(), framework.clone());
    Problem {
        name: "lattice",
        title: "square lattice of heavy points and rods",
        system: Box::new(Differentiated::new(framework)),
        start: Start { t: 0.0, q, v, lambda, psi },
        t_end: 0.5,
        reference: Reference::Reduced(Box::new(move |t| solution(&known, side, t))),
        energy: Some(Box::new(move |_, q, v| weighed.energy(q, v))),
    }
}
