//! Bodies without a pose are put where their joints lead, one after the other.
//!
//! ```text
//! max over R of  sum w t.(R s)      s: markers from their mean and axes, in body axes;  t: where they belong
//! ```
//!
//! The best turn is the eigenvector of the largest eigenvalue of a symmetric matrix of four by four (Davenport). The body with most
//! joints to bodies that are in place comes next. What the joints leave free stays as drawn.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::place::Place;
use super::search::Search;
use crate::algebra::{Matrix, Vector, ZERO, add, add_matrix, difference, outer, sum, times};
use crate::attached::What;
use crate::built::BuiltJoint;
use crate::curved::Beside;
use crate::mechanism::Mechanism;
use crate::node::Kind;

/// Steps towards the nearest point of a curve, and how often one of them is halved; from a start that is not far they end at rounding.
const NUMBER_STEPS: usize = 20;
const HALVES: usize = 20;
const FLAT: f64 = 0.01;
/// Points of a curve to one side that are looked at where nobody says where to start, and how far they go: in distances to the first point.
/// Round a circle that the point is on, the way is at most pi/2 of that.
const SAMPLES: usize = 32;
const AROUND: f64 = 4.0;
/// Points of a curve that are as near as others to this share are as good.
const ALIKE: f64 = 1e-6;
/// How little the neutral turn counts beside a joint.
const NEUTRAL: f64 = 1e-3;

/// The unit quaternion that turns best, from sum w t s^T.
fn turn(b: &Matrix) -> [f64; 4] {
    let trace = b[0][0] + b[1][1] + b[2][2];
    // With b = sum t s^T: the vector of the antisymmetric part turns s towards t.
    let z = [b[2][1] - b[1][2], b[0][2] - b[2][0], b[1][0] - b[0][1]];
    let mut k = [[0.0; 4]; 4];
    k[0][0] = trace;
    for i in 0..3 {
        k[0][1 + i] = z[i];
        k[1 + i][0] = z[i];
        for j in 0..3 {
            k[1 + i][1 + j] = b[i][j] + b[j][i] - if i == j { trace } else { 0.0 };
        }
    }
    largest(k)
}

/// The eigenvector of the largest eigenvalue, by Jacobi's rotations.
fn largest(mut k: [[f64; 4]; 4]) -> [f64; 4] {
    let mut vectors = [[0.0; 4]; 4];
    (0..4).for_each(|i| vectors[i][i] = 1.0);
    for _ in 0..50 {
        for p in 0..3 {
            for q in p + 1..4 {
                if k[p][q] == 0.0 {
                    continue;
                }
                let angle = 0.5 * (2.0 * k[p][q]).atan2(k[q][q] - k[p][p]);
                let (s, c) = angle.sin_cos();
                for row in k.iter_mut().chain(&mut vectors) {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                for j in 0..4 {
                    (k[p][j], k[q][j]) = (c * k[p][j] - s * k[q][j], s * k[p][j] + c * k[q][j]);
                }
            }
        }
    }
    let best = (0..4).max_by(|i, j| k[*i][*i].total_cmp(&k[*j][*j])).unwrap_or(0);
    let column = [0, 1, 2, 3].map(|i| vectors[i][best]);
    // The same turn has two quaternions.
    if column[0] < 0.0 { column.map(|x| -x) } else { column }
}

/// The parameter of the nearest point of a curve, from points which are as far from each other as lengths along it are, in whatever unit the
/// parameter is. Of turns of a closed curve, which are alike, the one next to where it begins.
fn sampled(from: f64, look: &mut impl FnMut(f64) -> Beside) -> f64 {
    let first = look(from);
    let length = AROUND * first.gap / SAMPLES as f64;
    let sides = [-1.0, 1.0].map(|sign| {
        let (mut x, mut beside, mut found) = (from, first, Vec::new());
        for _ in 0..SAMPLES {
            let Some(step) = beside.step(length).filter(|step| step.is_finite()) else { break };
            x += sign * step;
            beside = look(x);
            if !beside.is_finite() {
                break;
            }
            found.push((beside.gap, x));
        }
        found
    });
    let [before, after] = sides;
    let all: Vec<(f64, f64)> = before.into_iter().rev().chain([(first.gap, from)]).chain(after).collect();
    let least = |i: usize| (i == 0 || all[i].0 <= all[i - 1].0) && all.get(i + 1).is_none_or(|next| all[i].0 <= next.0);
    let mut valleys: Vec<f64> = (0..all.len()).filter(|i| least(*i)).map(|i| all[i].1).collect();
    valleys.sort_by(|x, y| (x - from).abs().total_cmp(&(y - from).abs()));
    let (mut best, mut gap) = (from, f64::INFINITY);
    for valley in valleys {
        let x = nearest(valley, look);
        let there = look(x).gap;
        if there < gap - ALIKE * first.gap {
            (best, gap) = (x, there);
        }
    }
    best
}

/// Goes to the nearest point of a curve, by steps of Newton, or of Gauss and Newton where the distance does not curve upwards, that never
/// lead away from it.
fn nearest(from: f64, look: &mut impl FnMut(f64) -> Beside) -> f64 {
    let mut x = from;
    let mut beside = look(x);
    for _ in 0..NUMBER_STEPS {
        let square = beside.speed * beside.speed;
        let curved = square + beside.bent;
        let mut step = beside.along / if curved > FLAT * square { curved } else { square };
        let mut next = None;
        for _ in 0..HALVES {
            let there = look(x - step);
            if there.gap < beside.gap {
                next = Some((x - step, there));
                break;
            }
            step *= 0.5;
        }
        let Some(found) = next else { break };
        (x, beside) = found;
    }
    x
}

/// A joint of a body whose other side is in place.
struct Hold<'m> {
    joint: &'m BuiltJoint,
    /// Which side is the body's.
    own: usize,
}

impl Place {
    /// The same with bodies that have no pose put where their joints lead.
    pub fn fitted(mut self, search: &Search, mechanism: &Mechanism) -> Self {
        let mut placed = mechanism.posed().to_vec();
        let mut joints: Vec<Vec<Hold>> = placed.iter().map(|_| Vec::new()).collect();
        for joint in &mechanism.joints {
            for own in [0, 1] {
                joints[joint.markers()[own].carrier.0].push(Hold { joint, own });
            }
        }
        let held = |hold: &&Hold, placed: &[bool]| placed[hold.joint.markers()[1 - hold.own].carrier.0];
        let count = |node: usize, placed: &[bool]| joints[node].iter().filter(|hold| held(hold, placed)).count();
        // The body with the most joints to bodies in place, of equals the first in order; counts that have grown stand there twice.
        let waiting = (0..placed.len()).filter(|node| !placed[*node]);
        let mut queue: BinaryHeap<(usize, Reverse<usize>)> =
            waiting.map(|node| (count(node, &placed), Reverse(node))).collect();
        while let Some((_, Reverse(node))) = queue.pop() {
            if placed[node] {
                continue;
            }
            let holds: Vec<&Hold> = joints[node].iter().filter(|hold| held(hold, &placed)).collect();
            self.put(search, node, &holds);
            placed[node] = true;
            for Hold { joint, own } in &joints[node] {
                let other = joint.markers()[1 - own].carrier.0;
                if !placed[other] {
                    queue.push((count(other, &placed), Reverse(other)));
                }
            }
        }
        self.fit_numbers(search, mechanism);
        self
    }

    /// Parameters of curves go to the nearest points, with the bodies at rest: from where they were given, or from the nearest of some points
    /// along the curve.
    fn fit_numbers(&mut self, search: &Search, mechanism: &Mechanism) {
        let mut z = Vec::new();
        for curved in &search.curves {
            let at = search.nodes[curved.node].q;
            let mut look = |x: f64| {
                self.q[at] = x;
                self.poses[curved.node].p[0] = x;
                mechanism.look_beside(curved, &self.poses, &mut z)
            };
            let given = mechanism.guess().q[at];
            let start = if curved.joint.is_sampled() { sampled(given, &mut look) } else { given };
            let x = nearest(start, &mut look);
            look(x);
        }
    }

    fn put(&mut self, search: &Search, node: usize, holds: &[&Hold]) {
        let at = search.nodes[node];
        let last = at.v + at.kind.sizes()[1];
        let square = search.weights.get(last - 1).copied().unwrap_or(1.0);
        let mut points: Vec<(Vector, Vector)> = Vec::new();
        let mut b = ZERO;
        for i in 0..3 {
            b[i][i] = NEUTRAL * square;
        }
        for Hold { joint, own } in holds {
            let markers = joint.markers();
            let (mine, other) = (&markers[*own], &markers[1 - own]);
            let pose = &self.poses[other.carrier.0];
            if search.mechanism.searched(joint).0.vectors.iter().any(|vector| vector.what == What::Point) {
                points.push((mine.origin, sum(&pose.p, &times(&pose.r, &other.origin))));
            }
            for axis in joint.aligned() {
                let there = times(&pose.r, &other.axes[*axis]);
                add_matrix(&mut b, square, &outer(&there, &mine.axes[*axis]));
            }
        }
        let share = 1.0 / points.len().max(1) as f64;
        let (mut from, mut to) = ([0.0; 3], [0.0; 3]);
        for (s, t) in &points {
            add(&mut from, share, s);
            add(&mut to, share, t);
        }
        for (s, t) in &points {
            add_matrix(&mut b, 1.0, &outer(&difference(t, &to), &difference(s, &from)));
        }
        match at.kind {
            Kind::Spatial => {
                let turn = turn(&b);
                self.q[at.q + 3..at.q + 7].copy_from_slice(&turn);
            }
            Kind::Planar => self.q[at.q + 2] = (b[1][0] - b[0][1]).atan2(b[0][0] + b[1][1]),
            Kind::Ground | Kind::Number | Kind::Particle | Kind::PlanarParticle => {}
        }
        at.place(&self.q, &mut self.poses[node]);
        if !points.is_empty() {
            let p = difference(&to, &times(&self.poses[node].r, &from));
            let [shifts, _] = at.kind.columns();
            self.q[at.q..at.q + shifts].copy_from_slice(&p[..shifts]);
            at.place(&self.q, &mut self.poses[node]);
        }
    }

    /// How far bodies with a pose are from where they were drawn.
    pub fn distance(&self, drawn: &Place, search: &Search, posed: &[bool]) -> f64 {
        let away = self.away(drawn, search);
        let mut square = 0.0;
        for (node, _) in search.nodes.iter().zip(posed).filter(|(_, posed)| **posed) {
            let columns = node.v..node.v + node.kind.sizes()[1];
            square += columns.map(|i| search.weights[i] * away[i] * away[i]).sum::<f64>();
        }
        square.sqrt()
    }

    /// The same with bodies that have a pose back where they were drawn.
    pub fn returned(&self, drawn: &Place, search: &Search, posed: &[bool]) -> Place {
        let mut q = self.q.clone();
        for (node, _) in search.nodes.iter().zip(posed).filter(|(_, posed)| **posed) {
            let columns = node.q..node.q + node.kind.sizes()[0];
            q[columns.clone()].copy_from_slice(&drawn.q[columns]);
        }
        Place::new(search, q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::scaled;
    use alembert::rotation::{exp, to_space};

    #[test]
    fn the_best_turn_of_turned_vectors_is_their_turn() {
        for angle in [0.0, 0.3, 2.0, 3.1] {
            let axis = crate::algebra::unit(&[0.3, -0.8, 0.5]).expect("a direction");
            let expected = exp(&scaled(angle, &axis));
            let mut b = ZERO;
            for s in [[1.0, 0.2, 0.0], [0.0, 1.0, -0.4], [0.3, 0.0, 2.0]] {
                add_matrix(&mut b, 1.0, &outer(&to_space(&expected, &s), &s));
            }
            let found = turn(&b);
            let inner: f64 = found.iter().zip(&expected).map(|(x, y)| x * y).sum();
            assert!((inner.abs() - 1.0).abs() < 1e-14, "{angle}: {found:?} {expected:?}");
        }
    }
}
