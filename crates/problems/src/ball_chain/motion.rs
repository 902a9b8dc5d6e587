//! How chains of links start and move: postures, the reference, energy and momentum.

use alembert::State;
use alembert::rotation::{Quaternion, Vector, cross, dot, exp, product, to_space};

use super::{ARM, BallChain, Design, INERTIA, Matrix, gyroscopic, quaternion, three, times_cross, turned};
use crate::problem::{Problem, Reference, Start};
use crate::reference::{Settings, extrapolate};

/// How a chain starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Posture {
    /// Straight along x, turning about the vertical at this rate.
    Straight(f64),
    /// Bent in all directions, every link with its own angular velocity of about this size.
    Bent(f64),
}

impl Posture {
    /// Attitude and angular velocity of a link.
    fn link(self, i: usize) -> (Quaternion, Vector) {
        let i = i as f64;
        match self {
            Posture::Straight(spin) => ([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, spin]),
            Posture::Bent(speed) => {
                let bend = exp(&[0.2 * (0.9 * i).sin(), 0.5 * (0.5 * i).cos(), 0.0]);
                let e = product(&exp(&[0.0, 0.0, 0.4 * (0.7 * i).sin()]), &bend);
                (e, [speed * (0.8 * i).cos(), speed * (0.3 * i).sin(), speed * (1.1 + 0.6 * i).cos()])
            }
        }
    }
}

/// Everything from attitudes and angular velocities; a free chain has its first ball at `base`, with its velocity.
fn state(design: Design, t: f64, turns: &[f64], base: &[f64]) -> State {
    let n = design.links;
    let (mut q, mut v, mut a) = (vec![0.0; 7 * n], vec![0.0; 6 * n], vec![0.0; 6 * n]);
    for i in 0..n {
        q[7 * i + 3..7 * i + 7].copy_from_slice(&turns[7 * i..7 * i + 4]);
        v[6 * i + 3..6 * i + 6].copy_from_slice(&turns[7 * i + 4..7 * i + 7]);
    }
    let (mut end, mut speed) = (three(base, 0), three(base, 3));
    for i in 0..n {
        let (r, w) = (turned(&q, i), three(&v, 6 * i + 3));
        let around = cross(&w, &ARM);
        for k in 0..3 {
            (q[7 * i + k], v[6 * i + k]) = (end[k] + dot(&r[k], &ARM), speed[k] + dot(&r[k], &around));
            (end[k], speed[k]) = (q[7 * i + k] + dot(&r[k], &ARM), v[6 * i + k] + dot(&r[k], &around));
        }
    }
    let lambda = joint_forces(design, &q, &v);
    let joints = design.links - usize::from(!design.held);
    let first = design.links - joints;
    for i in 0..n {
        let force = |joint: usize| match joint.checked_sub(first) {
            Some(row) if row < joints => three(&lambda, 3 * row),
            _ => [0.0; 3],
        };
        let (before, after) = (force(i), force(i + 1));
        let twist = cross(&ARM, &alembert::rotation::to_body(&quaternion(&q, i), &add(&before, &after)));
        let gyroscopic = gyroscopic(&three(&v, 6 * i + 3));
        for k in 0..3 {
            a[6 * i + k] = after[k] - before[k] - if k == 2 { design.gravity } else { 0.0 };
            a[6 * i + 3 + k] = (gyroscopic[k] + twist[k]) / INERTIA[k];
        }
    }
    State { t, q, v, a, lambda, psi: vec![] }
}

fn add(x: &Vector, y: &Vector) -> Vector {
    [0, 1, 2].map(|k| x[k] + y[k])
}

/// The forces in the joints: elimination from the first to the last, then back.
fn joint_forces(design: Design, q: &[f64], v: &[f64]) -> Vec<f64> {
    let first = usize::from(!design.held);
    let joints = design.links - first;
    // B J^-1 B^T of each link, B (J^-1 (J w * w)) and R (w * (w * s)).
    let (mut flex, mut load) = (Vec::with_capacity(design.links), Vec::with_capacity(design.links));
    for i in 0..design.links {
        let (r, w) = (turned(q, i), three(v, 6 * i + 3));
        let b = times_cross(&r, &ARM);
        let scaled = b.map(|row| [0, 1, 2].map(|k| row[k] / INERTIA[k]));
        flex.push(b.map(|row| scaled.map(|other| dot(&row, &other))));
        let (twist, towards) = (gyroscopic(&w), cross(&w, &cross(&w, &ARM)));
        load.push([0, 1, 2].map(|k| dot(&scaled[k], &twist) - dot(&r[k], &towards)));
    }
    let with_unit =
        |m: &Matrix, unit: f64| [0, 1, 2].map(|i| [0, 1, 2].map(|j| m[i][j] + if i == j { unit } else { 0.0 }));
    let (mut diagonal, mut rhs) = (Vec::with_capacity(joints), Vec::with_capacity(joints));
    for i in first..design.links {
        let mut block = with_unit(&flex[i], 1.0);
        let mut sum = load[i];
        // Gravity pulls both links alike; only the held end feels it.
        if i == 0 {
            sum[2] -= design.gravity;
        } else {
            let other = with_unit(&flex[i - 1], 1.0);
            block = [0, 1, 2].map(|k| add(&block[k], &other[k]));
            sum = add(&sum, &load[i - 1]);
        }
        diagonal.push(block);
        rhs.push(sum);
    }
    // Joints k and k+1 share the link after joint k.
    let coupling = |k: usize| with_unit(&flex[first + k], -1.0);
    for k in 1..joints {
        let (c, inverse) = (coupling(k - 1), invert(&diagonal[k - 1]));
        let left = times(&c, &inverse);
        let (taken, shift) = (times(&left, &c), apply(&left, &rhs[k - 1]));
        for i in 0..3 {
            (0..3).for_each(|j| diagonal[k][i][j] -= taken[i][j]);
            rhs[k][i] -= shift[i];
        }
    }
    let mut lambda = vec![0.0; 3 * joints];
    for k in (0..joints).rev() {
        let mut right = rhs[k];
        if k + 1 < joints {
            let next = apply(&coupling(k), &three(&lambda, 3 * k + 3));
            (0..3).for_each(|i| right[i] -= next[i]);
        }
        lambda[3 * k..3 * k + 3].copy_from_slice(&apply(&invert(&diagonal[k]), &right));
    }
    lambda
}

fn apply(m: &Matrix, x: &Vector) -> Vector {
    [0, 1, 2].map(|i| dot(&m[i], x))
}

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    a.map(|row| [0, 1, 2].map(|j| row[0] * b[0][j] + row[1] * b[1][j] + row[2] * b[2][j]))
}

/// The inverse of a symmetric matrix, whose columns are cross products of its rows.
fn invert(m: &Matrix) -> Matrix {
    let columns = [cross(&m[1], &m[2]), cross(&m[2], &m[0]), cross(&m[0], &m[1])];
    let determinant = dot(&m[0], &columns[0]);
    columns.map(|column| column.map(|x| x / determinant))
}

/// The state at t of a chain without doubled joints.
///
/// # Panics
/// If the equations of the links cannot be integrated.
pub fn solution(design: Design, posture: Posture, t: f64) -> State {
    let n = design.links;
    // Attitudes and angular velocities, then the first ball with its velocity.
    let mut start = Vec::with_capacity(7 * n + 6);
    for (e, w) in (0..n).map(|i| posture.link(i)) {
        start.extend(e.iter().chain(&w));
    }
    start.resize(7 * n + 6, 0.0);
    let rhs = |_: f64, y: &[f64], out: &mut [f64]| {
        let (turns, base) = y.split_at(7 * n);
        let state = state(design, 0.0, turns, base);
        for i in 0..n {
            let (e, w) = (&turns[7 * i..7 * i + 4], three(turns, 7 * i + 4));
            let axis = three(e, 1);
            let turn = cross(&axis, &w);
            out[7 * i] = -0.5 * dot(&axis, &w);
            (0..3).for_each(|k| out[7 * i + 1 + k] = 0.5 * (e[0] * w[k] + turn[k]));
            out[7 * i + 4..7 * i + 7].copy_from_slice(&state.a[6 * i + 3..6 * i + 6]);
        }
        if !design.held {
            // The first ball: r = p - R s.
            let (r, w, spin_up) = (turned(&state.q, 0), three(&state.v, 3), three(&state.a, 3));
            let bend = add(&cross(&spin_up, &ARM), &cross(&w, &cross(&w, &ARM)));
            for k in 0..3 {
                out[7 * n + k] = base[3 + k];
                out[7 * n + 3 + k] = state.a[k] - dot(&r[k], &bend);
            }
        }
    };
    let allowed = (1e-15 * n as f64).clamp(1e-14, 1e-11);
    match extrapolate(rhs, 0.0, &start, t, Settings { relative: allowed, absolute: allowed }) {
        Ok(mut y) => {
            for link in y[..7 * n].chunks_exact_mut(7) {
                let length = link[..4].iter().map(|e| e * e).sum::<f64>().sqrt();
                link[..4].iter_mut().for_each(|e| *e /= length);
            }
            let (turns, base) = y.split_at(7 * n);
            state(design, t, turns, base)
        }
        Err(failure) => panic!("the reference of the chain failed: {failure}"),
    }
}

/// Kinetic and potential energy.
fn energy(design: Design, q: &[f64], v: &[f64]) -> f64 {
    let links = q.chunks_exact(7).zip(v.chunks_exact(6));
    links
        .map(|(q, v)| {
            let translation: f64 = v[..3].iter().map(|v| v * v).sum();
            let rotation: f64 = v[3..].iter().zip(INERTIA).map(|(w, j)| j * w * w).sum();
            0.5 * (translation + rotation) + design.gravity * q[2]
        })
        .sum()
}

/// Linear momentum, and angular momentum about the origin.
pub fn momentum(q: &[f64], v: &[f64]) -> [f64; 6] {
    let mut sum = [0.0; 6];
    for (i, link) in v.chunks_exact(6).enumerate() {
        let spin = to_space(&quaternion(q, i), &[0, 1, 2].map(|k| INERTIA[k] * link[3 + k]));
        let orbit = cross(&three(q, 7 * i), &three(link, 0));
        for k in 0..3 {
            sum[k] += link[k];
            sum[3 + k] += orbit[k] + spin[k];
        }
    }
    sum
}

/// A chain that starts in a posture, until t = 1. One with a doubled joint has the reference of the chain without, but for
/// its multipliers, which are not determined.
pub fn new(design: Design, posture: Posture) -> Problem {
    let single = Design { doubled: None, ..design };
    let State { q, v, mut lambda, psi, .. } = solution(single, posture, 0.0);
    if design.doubled.is_some() {
        lambda.extend([0.0; 3]);
    }
    Problem {
        name: "ball_chain",
        title: "chain of links on balls in space, with patterns",
        system: Box::new(BallChain::new(design)),
        start: Start { t: 0.0, q, v, lambda, psi },
        t_end: 1.0,
        reference: Reference::Reduced(Box::new(move |t| solution(single, posture, t))),
        energy: Some(Box::new(move |_, q, v| energy(design, q, v))),
    }
}
