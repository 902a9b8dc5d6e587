//! Masses on a string of massless rods of length 1, in the angles theta_i of the rods: what platforms and rows of a
//! lattice do that can only shift.
//!
//! ```text
//! sum_k A_jk (cos(theta_j - theta_k) theta_k'' + sin(theta_j - theta_k) theta_k'^2) = -g A_jj cos theta_j,   A_jk = sum of m_i over i >= j, k
//! ```

use crate::framework::G;
use crate::linear;
use crate::reference::{Settings, extrapolate};

/// Positions, velocities and accelerations of the masses, one after the other.
pub(crate) struct Motion {
    pub q: Vec<[f64; 2]>,
    pub v: Vec<[f64; 2]>,
    pub a: Vec<[f64; 2]>,
}

fn angular(masses: &[f64], angle: &[f64], spin: &[f64]) -> Vec<f64> {
    let n = masses.len();
    let mut below = masses.to_vec();
    (0..n - 1).rev().for_each(|i| below[i] += below[i + 1]);
    let (mut matrix, mut rhs) = (vec![0.0; n * n], vec![0.0; n]);
    for j in 0..n {
        rhs[j] -= G * angle[j].cos() * below[j];
        for k in 0..n {
            let (sin, cos) = (angle[j] - angle[k]).sin_cos();
            matrix[j * n + k] = below[j.max(k)] * cos;
            rhs[j] -= below[j.max(k)] * sin * spin[k] * spin[k];
        }
    }
    assert!(linear::solve(&mut matrix, &mut rhs), "the mass matrix of a pendulum is positive definite");
    rhs
}

/// The motion at `t` from rest, with all rods at the angle `start`.
pub(crate) fn motion(masses: &[f64], start: f64, t: f64) -> Motion {
    let n = masses.len();
    let mut y = vec![start; n];
    y.resize(2 * n, 0.0);
    let rhs = |_: f64, y: &[f64], out: &mut [f64]| {
        out[..n].copy_from_slice(&y[n..]);
        out[n..].copy_from_slice(&angular(masses, &y[..n], &y[n..]));
    };
    if t > 0.0 {
        y = match extrapolate(rhs, 0.0, &y, t, Settings::default()) {
            Ok(y) => y,
            Err(failure) => panic!("the reference of a multiple pendulum failed: {failure}"),
        };
    }
    let (angle, spin) = y.split_at(n);
    let angular = angular(masses, angle, spin);
    let mut at = [[0.0; 2]; 3];
    let mut motion = Motion { q: Vec::new(), v: Vec::new(), a: Vec::new() };
    for i in 0..n {
        let ((sin, cos), w, e) = (angle[i].sin_cos(), spin[i], angular[i]);
        let rod = [[cos, sin], [-sin * w, cos * w], [-sin * e - cos * w * w, cos * e - sin * w * w]];
        for (at, rod) in at.iter_mut().zip(rod) {
            (0..2).for_each(|axis| at[axis] += rod[axis]);
        }
        motion.q.push(at[0]);
        motion.v.push(at[1]);
        motion.a.push(at[2]);
    }
    motion
}
