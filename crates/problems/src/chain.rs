//! A hanging chain of n uniform bars in the plane, in absolute coordinates: the problem that grows.
//!
//! Bar i has its centre at (x_i, y_i), angle theta_i, length 1, mass 1, moment of inertia 1/12; 3n coordinates, 2n
//! constraints, joint i between bars i-1 and i (joint 0 on the ground at the origin):
//!
//! ```text
//! g_i = (p_{i-1} + u_{i-1}/2) - (p_i - u_i/2),   u_i = (cos theta_i, sin theta_i)
//! ```
//!
//! It starts straight, 45 degrees below the horizontal, at rest, under g = 9.81. A torsional spring k and damper c may
//! act in every joint, without moment in the start position.
//!
//! The reference integrates the n angles: with A_jk = sum_i c_ij c_ik, c_ij = 1, 1/2, 0 for j <, =, > i,
//!
//! ```text
//! sum_k A_jk (cos(theta_j - theta_k) theta_k'' + sin(theta_j - theta_k) theta_k'^2) + theta_j''/12 = -g cos theta_j sum_i c_ij + moments
//! ```

use std::f64::consts::FRAC_PI_4;

use alembert::{Differentiated, Dims, Formulas, Scalar, State};

use crate::linear;
use crate::problem::{EnergyFn, Problem, Reference, Start};
use crate::reference::{Settings, extrapolate};

const G: f64 = 9.81;
const INERTIA: f64 = 1.0 / 12.0;
const START: f64 = -FRAC_PI_4;

/// Spring and damper in every joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Joints {
    /// Torsional stiffness.
    pub stiffness: f64,
    /// Torsional damping.
    pub damping: f64,
}

#[derive(Clone, Copy)]
struct Chain {
    bars: usize,
    joints: Joints,
}

impl Formulas for Chain {
    fn dims(&self) -> Dims {
        Dims { q: 3 * self.bars, v: 3 * self.bars, lambda: 2 * self.bars, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let n = 3 * self.bars;
        for i in 0..n {
            mass[i * n + i] = S::from(if i % 3 == 2 { INERTIA } else { 1.0 });
        }
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], f: &mut [S]) {
        for i in 0..self.bars {
            f[3 * i + 1] = S::from(-G);
            let (angle, spin) = if i == 0 { (S::from(START), S::default()) } else { (q[3 * i - 1], v[3 * i - 1]) };
            let moment = (q[3 * i + 2] - angle) * self.joints.stiffness + (v[3 * i + 2] - spin) * self.joints.damping;
            f[3 * i + 2] -= moment;
            if i > 0 {
                f[3 * i - 1] += moment;
            }
        }
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let mut tip = (S::default(), S::default());
        for i in 0..self.bars {
            let (x, y, (sin, cos)) = (q[3 * i], q[3 * i + 1], q[3 * i + 2].sin_cos());
            g[2 * i] = tip.0 - (x - cos * 0.5);
            g[2 * i + 1] = tip.1 - (y - sin * 0.5);
            tip = (x + cos * 0.5, y + sin * 0.5);
        }
    }
}

impl Chain {
    /// The angular accelerations from angles and rates.
    fn angular(&self, angle: &[f64], spin: &[f64]) -> Vec<f64> {
        let n = self.bars;
        let (mut matrix, mut rhs) = (vec![0.0; n * n], vec![0.0; n]);
        for j in 0..n {
            let below = (n - 1 - j) as f64;
            rhs[j] -= G * angle[j].cos() * (below + 0.5);
            let (before, before_spin) = if j == 0 { (START, 0.0) } else { (angle[j - 1], spin[j - 1]) };
            let moment = self.joints.stiffness * (angle[j] - before) + self.joints.damping * (spin[j] - before_spin);
            rhs[j] -= moment;
            if j > 0 {
                rhs[j - 1] += moment;
            }
            for k in 0..n {
                // Bars below both count 1, the lower of the two 1/2 (1/4 with itself).
                let a = (n - 1 - j.max(k)) as f64 + if j == k { 0.25 } else { 0.5 };
                let (sin, cos) = (angle[j] - angle[k]).sin_cos();
                matrix[j * n + k] = a * cos + if j == k { INERTIA } else { 0.0 };
                rhs[j] -= a * sin * spin[k] * spin[k];
            }
        }
        assert!(linear::solve(&mut matrix, &mut rhs), "the mass matrix of a chain is positive definite");
        rhs
    }

    fn state(&self, t: f64, angle: &[f64], spin: &[f64]) -> State {
        let mut state = State::zero(self.dims());
        state.t = t;
        let angular = self.angular(angle, spin);
        // Value, rate and acceleration of the joint above bar i.
        let mut joint = [[0.0; 2]; 3];
        for i in 0..self.bars {
            let ((sin, cos), w, a) = (angle[i].sin_cos(), spin[i], angular[i]);
            let bar = [[cos, sin], [-sin * w, cos * w], [-sin * a - cos * w * w, cos * a - sin * w * w]];
            for (level, to) in [&mut state.q, &mut state.v, &mut state.a].into_iter().enumerate() {
                for axis in 0..2 {
                    to[3 * i + axis] = joint[level][axis] + 0.5 * bar[level][axis];
                    joint[level][axis] += bar[level][axis];
                }
                to[3 * i + 2] = [angle[i], w, a][level];
            }
        }
        // a_i = (0, -g) + lambda_i - lambda_{i+1}, from the free end upwards.
        let mut below = [0.0; 2];
        for i in (0..self.bars).rev() {
            for axis in 0..2 {
                below[axis] += state.a[3 * i + axis] + if axis == 1 { G } else { 0.0 };
                state.lambda[2 * i + axis] = below[axis];
            }
        }
        state
    }

    fn solution(&self, t: f64) -> State {
        let n = self.bars;
        let mut start = vec![START; n];
        start.resize(2 * n, 0.0);
        let rhs = |_: f64, y: &[f64], out: &mut [f64]| {
            out[..n].copy_from_slice(&y[n..]);
            out[n..].copy_from_slice(&self.angular(&y[..n], &y[n..]));
        };
        match extrapolate(rhs, 0.0, &start, t, Settings::default()) {
            Ok(y) => self.state(t, &y[..n], &y[n..]),
            Err(failure) => panic!("the reference of the chain failed: {failure}"),
        }
    }

    fn energy(&self, q: &[f64], v: &[f64]) -> f64 {
        (0..self.bars)
            .map(|i| {
                let bend = q[3 * i + 2] - if i == 0 { START } else { q[3 * i - 1] };
                0.5 * (v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + INERTIA * v[3 * i + 2] * v[3 * i + 2])
                    + G * q[3 * i + 1]
                    + 0.5 * self.joints.stiffness * bend * bend
            })
            .sum()
    }
}

/// Five bars without springs, until t = 1.
pub fn new() -> Problem {
    planar(5, Joints::default())
}

/// `bars` bars, until t = 1.
pub fn planar(bars: usize, joints: Joints) -> Problem {
    let chain = Chain { bars, joints };
    let State { q, v, lambda, psi, .. } = chain.state(0.0, &vec![START; bars], &vec![0.0; bars]);
    let energy: Option<EnergyFn> =
        if joints.damping == 0.0 { Some(Box::new(move |_, q, v| chain.energy(q, v))) } else { None };
    Problem {
        name: "chain",
        title: "chain of planar bars in absolute coordinates",
        system: Box::new(Differentiated::new(chain)),
        start: Start { t: 0.0, q, v, lambda, psi },
        t_end: 1.0,
        reference: Reference::Reduced(Box::new(move |t| chain.solution(t))),
        energy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn springs_and_dampers_agree_with_the_minimal_coordinates() {
        let problem = planar(3, Joints { stiffness: 20.0, damping: 0.5 });
        let (own, integrated) = (problem.reference_at(1.0), problem.integrate(1.0, Settings::default()));
        for (x, y) in own.q.iter().chain(&own.lambda).zip(integrated.q.iter().chain(&integrated.lambda)) {
            assert!((x - y).abs() < 1e-11 * (1.0 + x.abs()), "{:e}", x - y);
        }
    }
}
