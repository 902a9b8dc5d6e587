//! Bodies in space on balls and hinges, as formulas over any numbers.

#![allow(dead_code)] // several test binaries share this file, and each uses its part

use alembert::rotation::{Quaternion, Vector, cross, dot, exp, to_body, to_space};
use alembert::{Detected, Dims, Formulas, Guess, Point, Redundancy, Scalar, Supplied};

/// Inertia of every body, whose mass is 1.
pub const INERTIA: Vector = [0.05, 0.08, 0.11];

/// A point of a body, or of the ground.
pub type Place = (Option<usize>, Vector);

/// Two points that coincide; a hinge keeps the third axes of both bodies parallel as well.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    pub ends: [Place; 2],
    pub hinge: bool,
}

impl Joint {
    fn rows(&self) -> usize {
        if self.hinge { 5 } else { 3 }
    }
}

/// Bodies and joints; in joints between bodies their relative rotation is damped.
#[derive(Clone, Debug)]
pub struct Linkage {
    pub joints: Vec<Joint>,
    pub gravity: f64,
    pub damping: f64,
    pub redundancy: Redundancy,
    rotations: Vec<usize>,
}

fn quaternion<S: Scalar>(q: &[S], body: usize) -> Quaternion<S> {
    [q[7 * body + 3], q[7 * body + 4], q[7 * body + 5], q[7 * body + 6]]
}

fn spin<S: Scalar>(v: &[S], body: usize) -> Vector<S> {
    [v[6 * body + 3], v[6 * body + 4], v[6 * body + 5]]
}

impl Linkage {
    pub fn new(bodies: usize, joints: Vec<Joint>) -> Self {
        let rotations = (0..bodies).map(|i| 6 * i + 3).collect();
        Linkage { joints, gravity: 0.0, damping: 0.0, redundancy: Redundancy::Refused, rotations }
    }

    /// Links of length 1 on balls, the first of them held.
    pub fn chain(links: usize) -> Self {
        let ball = |i: usize| {
            let before = match i.checked_sub(1) {
                Some(before) => (Some(before), [0.5, 0.0, 0.0]),
                None => (None, [0.0; 3]),
            };
            Joint { ends: [before, (Some(i), [-0.5, 0.0, 0.0])], hinge: false }
        };
        Linkage { gravity: 9.81, ..Linkage::new(links, (0..links).map(ball).collect()) }
    }

    /// Cranks of length 1 on hinges at (2 k, 0, 0), the ends of neighbours joined by rods of length 2 on balls: bodies are
    /// crank, rod, crank, rod, ..., crank.
    pub fn locomotive(cranks: usize) -> Self {
        let mut joints = Vec::new();
        for k in 0..cranks {
            let pin = [2.0 * k as f64, 0.0, 0.0];
            joints.push(Joint { ends: [(None, pin), (Some(2 * k), [-0.5, 0.0, 0.0])], hinge: true });
            let end = (Some(2 * k), [0.5, 0.0, 0.0]);
            if k > 0 {
                joints.push(Joint { ends: [end, (Some(2 * k - 1), [1.0, 0.0, 0.0])], hinge: false });
            }
            if k + 1 < cranks {
                joints.push(Joint { ends: [end, (Some(2 * k + 1), [-1.0, 0.0, 0.0])], hinge: false });
            }
        }
        Linkage::new(2 * cranks - 1, joints)
    }

    pub fn bodies(&self) -> usize {
        self.rotations.len()
    }

    /// Cranks at an angle from the ground, turning back with angular velocity -1.
    pub fn locomotive_guess(cranks: usize, angle: f64) -> Guess {
        let (sin, cos) = angle.sin_cos();
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for body in 0..2 * cranks - 1 {
            let (k, rod) = (body / 2, body % 2 == 1);
            let reach = if rod { 1.0 } else { 0.5 };
            let along = 2.0 * k as f64 + if rod { 1.0 } else { 0.0 };
            let turn = if rod { [1.0, 0.0, 0.0, 0.0] } else { exp(&[0.0, 0.0, angle]) };
            q.extend([along + reach * cos, reach * sin, 0.0]);
            q.extend(turn);
            v.extend([reach * sin, -reach * cos, 0.0, 0.0, 0.0, if rod { 0.0 } else { -1.0 }]);
        }
        Guess::new(0.0, q, v)
    }

    /// With the patterns of the formulas at a point.
    pub fn detected(self, q: &[f64]) -> Detected<Linkage> {
        let dims = self.dims();
        let (v, lambda) = (vec![0.1; dims.v], vec![1.0; dims.lambda]);
        let at = Point { t: 0.0, q, v: &v, lambda: &lambda, psi: &[] };
        Detected::new(self, &[at]).expect("detectable")
    }
}

impl Formulas for Linkage {
    fn dims(&self) -> Dims {
        let lambda = self.joints.iter().map(Joint::rows).sum();
        Dims { q: 7 * self.bodies(), v: 6 * self.bodies(), lambda, psi: 0 }
    }
    fn rotations(&self) -> &[usize] {
        &self.rotations
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn redundancy(&self) -> Redundancy {
        self.redundancy
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let n = 6 * self.bodies();
        (0..n).for_each(|i| mass[i * (n + 1)] = S::from(if i % 6 < 3 { 1.0 } else { INERTIA[i % 3] }));
    }
    fn inertia<S: Scalar>(&self, _: S, _: &[S], a: &[S], out: &mut [S]) -> Supplied {
        for (i, (out, a)) in out.iter_mut().zip(a).enumerate() {
            *out = *a * if i % 6 < 3 { 1.0 } else { INERTIA[i % 3] };
        }
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        for i in 0..self.bodies() {
            let w = spin(v, i);
            let momentum = [0, 1, 2].map(|k| w[k] * INERTIA[k]);
            force[6 * i + 2] = S::from(-self.gravity);
            force[6 * i + 3..6 * i + 6].copy_from_slice(&cross(&momentum, &w));
        }
        if self.damping == 0.0 {
            return;
        }
        for joint in &self.joints {
            let [(Some(i), _), (Some(j), _)] = joint.ends else { continue };
            let (one, other) = (quaternion(q, i), quaternion(q, j));
            let (a, b) = (to_space(&one, &spin(v, i)), to_space(&other, &spin(v, j)));
            let moment = [0, 1, 2].map(|k| (b[k] - a[k]) * self.damping);
            for (body, e, sign) in [(i, one, 1.0), (j, other, -1.0)] {
                let own = to_body(&e, &moment);
                (0..3).for_each(|k| force[6 * body + 3 + k] += own[k] * sign);
            }
        }
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let mut row = 0;
        for joint in &self.joints {
            let ends = joint.ends.map(|(body, place)| {
                let place = place.map(S::from);
                let Some(body) = body else { return place };
                let arm = to_space(&quaternion(q, body), &place);
                [0, 1, 2].map(|k| q[7 * body + k] + arm[k])
            });
            (0..3).for_each(|k| g[row + k] = ends[1][k] - ends[0][k]);
            if joint.hinge {
                let axis = |body: Option<usize>, k: usize| {
                    let mut unit = [0.0; 3];
                    unit[k] = 1.0;
                    let unit = unit.map(S::from);
                    body.map_or(unit, |body| to_space(&quaternion(q, body), &unit))
                };
                let third = axis(joint.ends[1].0, 2);
                (0..2).for_each(|k| g[row + 3 + k] = dot(&axis(joint.ends[0].0, k), &third));
            }
            row += joint.rows();
        }
    }
    fn holonomic_name(&self, row: usize) -> String {
        let mut first = 0;
        for (i, joint) in self.joints.iter().enumerate() {
            if row < first + joint.rows() {
                return format!("{} {i} row {}", if joint.hinge { "hinge" } else { "ball" }, row - first);
            }
            first += joint.rows();
        }
        format!("g[{row}]")
    }
}
