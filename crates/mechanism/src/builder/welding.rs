//! Bodies that are welded become one: which welds, and what the one is.
//!
//! ```text
//! merged: welds that are bridges of the graph of welds and of what else holds bodies of one group
//! R_b = R_a X_i X_j^T,   p_b = p_a + R_a (s_i - X_i X_j^T s_j)            X axes, s origins of the markers of a weld
//! m = sum m_b,   c = sum m_b o_b/m,   J = sum S_b J_b S_b^T + m_b (d.d I - d d^T),   d = o_b - c
//! m V = sum m_b V_b,   J W = sum S_b J_b S_b^T W_b + d * m_b V_b          velocities by momentum
//! ```
//!
//! A weld on a loop of welds holds what others hold already, and a hinge between welded bodies does the same: which of them carries what is
//! a question of redundancy, so that they stay joints. A point mass that is welded to something turns with it.
//!
//! The first body of a group that has a pose lends its axes to it; what is welded to the ground is ground. Velocities are written as
//! deviations from those of that body, so that a motion given consistently stays as it was given.

use super::build::Work;
use super::{Builder, DriveSpec, JointSpec};
use crate::algebra::{
    IDENTITY, Matrix, Vector, add, add_matrix, cross, difference, dot, length, outer, product, scaled, sum, times,
    transposed, transposed_product, transposed_times,
};
use crate::analysis::dense::{Dense, PivotedQr};
use crate::analysis::graph::{Graph, Union};
use crate::assembly::Inertia;
use crate::body::Body;
use crate::marker::Marker;
use crate::node::{Kind, Pose};
use crate::seat::Seat;
use crate::weld::{Weld, Welded};

/// Moments below this share of the largest let a spin be anything.
const NONE: f64 = 1e-13;

/// Gaps below this share of a mechanism come from rounding.
const CLOSED: f64 = 1e-6;

/// Joints that may be merged, by their places.
fn candidates(builder: &Builder) -> Vec<usize> {
    let may = |(at, JointSpec { kind, markers, .. }): &(usize, &JointSpec)| {
        builder.merging
            && kind.welds()
            && !builder.kept.contains(at)
            && markers[0].body != markers[1].body
            && markers.iter().all(Marker::is_finite)
    };
    builder.joints.iter().enumerate().filter(may).map(|(at, _)| at).collect()
}

/// Those of them that are merged: each the only thing that holds its two sides together.
fn bridges(builder: &Builder, candidates: &[usize]) -> Vec<usize> {
    let ends = |markers: &[Marker; 2]| markers.map(|marker| marker.body.0);
    let mut group = Union::new(builder.bodies.len() + 1);
    let mut edges = Vec::new();
    for &at in candidates {
        let [i, j] = ends(&builder.joints[at].markers);
        group.join(i, j);
        edges.push(vec![i, j]);
    }
    let joints = builder.joints.iter().enumerate().filter(|(at, _)| candidates.binary_search(at).is_err());
    let paths = builder.drives.iter().filter_map(|(_, drive)| match drive {
        DriveSpec::Path(markers, _) => Some(ends(markers)),
        _ => None,
    });
    for [i, j] in joints.map(|(_, joint)| ends(&joint.markers)).chain(paths) {
        if i != j && group.root(i) == group.root(j) {
            edges.push(vec![i, j]);
        }
    }
    let blocks = Graph::new(builder.bodies.len() + 1, edges).blocks();
    let alone = blocks.into_iter().filter_map(|block| match block[..] {
        [edge] => candidates.get(edge).copied(),
        _ => None,
    });
    let mut found: Vec<usize> = alone.collect();
    found.sort_unstable();
    // Something must move: where all is ground, there would be no equations.
    let mut whole = Union::new(builder.bodies.len() + 1);
    found.iter().map(|at| ends(&builder.joints[*at].markers)).for_each(|[i, j]| whole.join(i, j));
    if (0..=builder.bodies.len()).all(|body| whole.root(body) == 0) {
        return Vec::new();
    }
    found
}

/// Where a walk along welds is.
struct Visit {
    body: usize,
    /// The weld that led to the body, and its side of it.
    by: Option<(usize, usize)>,
    /// The next of its welds.
    next: usize,
}

impl Work {
    /// Finds the welds to merge, and seats bodies on each other.
    pub(super) fn weld(&mut self, builder: &Builder) {
        let merged = bridges(builder, &candidates(builder));
        let (bodies, joints) = (&builder.bodies, &builder.joints);
        let count = bodies.len() + 1;
        self.welded.planar = self.planar;
        if merged.is_empty() {
            return;
        }
        let inertias = self.nodes.iter().map(|(_, _, inertia)| *inertia).collect();
        self.welded = Welded::of(inertias, joints.len(), self.planar);
        let mut around: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
        for &at in &merged {
            self.welded.moved = self.welded.moved.max(self.drawn_gap(&joints[at].markers, bodies));
            for side in [0, 1] {
                around[joints[at].markers[side].body.0].push((at, side));
            }
        }
        let posed = |body: &usize| *body == 0 || bodies[body - 1].1.posed;
        let (first, last): (Vec<usize>, Vec<usize>) = (0..count).partition(posed);
        for root in first.into_iter().chain(last).filter(|root| !around[*root].is_empty()) {
            if self.welded.ranks[root] == usize::MAX {
                let mut group = self.group(root, &around, builder);
                self.merge(&group, bodies);
                group.sort_unstable();
                self.welded.groups.push(group);
            }
        }
    }

    /// All bodies that welds tie to the first, ranked along the tree of these welds and seated on it.
    fn group(&mut self, root: usize, around: &[Vec<(usize, usize)>], builder: &Builder) -> Vec<usize> {
        let first = self.welded.groups.iter().map(Vec::len).sum::<usize>();
        let mut group = vec![root];
        self.welded.ranks[root] = first;
        let mut path = vec![Visit { body: root, by: None, next: 0 }];
        while let Some(Visit { body, by, next }) = path.last_mut() {
            let (body, by) = (*body, *by);
            if let Some(&(weld, side)) = around[body].get(*next) {
                *next += 1;
                let markers = &builder.joints[weld].markers;
                let other = markers[1 - side].body.0;
                if self.welded.ranks[other] == usize::MAX {
                    self.welded.ranks[other] = first + group.len();
                    group.push(other);
                    let seat = self.seat_beside(body, other, markers, side, &builder.bodies);
                    self.welded.put(other, seat);
                    path.push(Visit { body: other, by: Some((weld, 1 - side)), next: 0 });
                }
                continue;
            }
            if let Some((weld, far)) = by {
                let behind = self.welded.ranks[body]..first + group.len();
                self.welded.welds[weld] = Some(Weld { far, behind });
            }
            path.pop();
        }
        group
    }

    /// How far a weld is open as it was drawn: its origins, or its axes over the longer arm.
    fn drawn_gap(&self, markers: &[Marker; 2], bodies: &[(String, Body)]) -> f64 {
        let posed = |marker: &Marker| marker.body.0 == 0 || bodies[marker.body.0 - 1].1.posed;
        if !markers.iter().all(posed) {
            return 0.0;
        }
        let [i, j] = markers.map(|marker| self.centred(marker));
        let there = |marker: &Marker, axis: &Vector| times(&self.poses[marker.body.0].r, axis);
        let ends = [&i, &j].map(|marker| sum(&self.poses[marker.body.0].p, &there(marker, &marker.origin)));
        let arm = [&i, &j].iter().filter(|marker| marker.body.0 > 0).map(|m| length(&m.origin)).fold(0.0, f64::max);
        let apart = length(&difference(&ends[0], &ends[1]));
        // In the plane x alone tells: the other axes may be drawn either way.
        let axes = if self.planar { 1 } else { 3 };
        let tilt = (0..axes).map(|k| length(&difference(&there(&i, &i.axes[k]), &there(&j, &j.axes[k]))));
        let gap = apart.max(arm * tilt.fold(0.0, f64::max));
        let far = [&i, &j].map(|marker| length(&self.poses[marker.body.0].p)).into_iter().fold(arm, f64::max);
        if gap > CLOSED * far { gap } else { 0.0 }
    }

    /// A marker from the centre of mass of its body.
    pub(super) fn centred(&self, marker: Marker) -> Marker {
        let marker = Marker { origin: difference(&marker.origin, &self.centres[marker.body.0]), ..marker };
        if self.planar { marker.flattened() } else { marker }
    }

    /// The seat of a body beside one that has its own, on the same node.
    fn seat_beside(&self, from: usize, to: usize, ends: &[Marker; 2], side: usize, bodies: &[(String, Body)]) -> Seat {
        let seat = self.welded.seat(from);
        let (near, far) = (seat.marker(self.centred(ends[side])), self.centred(ends[1 - side]));
        if self.planar {
            let angle = near.lead + near.phase - far.phase;
            let turns = |of: usize| if of == 0 { 0.0 } else { bodies[of - 1].1.angle };
            // Angles count turns: as many as it was drawn with.
            let drawn = turns(to) - turns(seat.node);
            let known = bodies[to - 1].1.posed;
            let full = std::f64::consts::TAU;
            let angle = if known { angle + full * ((drawn - angle) / full).round() } else { angle };
            let turned = Seat::angled(seat.node, [0.0; 3], angle);
            return Seat::angled(seat.node, difference(&near.origin, &turned.direction(&far.origin)), angle);
        }
        let turn = quaternion(&transposed_product(&near.axes, &far.axes));
        let turned = Seat::turned(seat.node, [0.0; 3], turn);
        Seat::turned(seat.node, difference(&near.origin, &turned.direction(&far.origin)), turn)
    }

    /// Makes one body of a group, whose first gives its axes; seats are from the centre of mass of that one before, and from that of all after.
    fn merge(&mut self, group: &[usize], bodies: &[(String, Body)]) {
        let root = group[0];
        for &body in group.iter().filter(|body| **body != root) {
            self.nodes[body].1 = Kind::Ground;
        }
        if root == 0 {
            return;
        }
        // Point masses that are welded to each other turn together.
        self.nodes[root].1 = if self.planar { Kind::Planar } else { Kind::Spatial };
        let mass: f64 = group.iter().map(|body| self.nodes[*body].2.mass).sum();
        let mut centre = [0.0; 3];
        if mass > 0.0 {
            for &body in group {
                add(&mut centre, self.nodes[body].2.mass / mass, &self.welded.seat(body).origin);
            }
        }
        group.iter().for_each(|body| self.welded.put(*body, self.welded.seat(*body).from(&centre)));
        let mut moments = crate::algebra::ZERO;
        for &body in group {
            let (seat, inertia) = (self.welded.seat(body), &self.nodes[body].2);
            add_matrix(&mut moments, 1.0, &turned_moments(inertia, &seat.axes));
            let d = &seat.origin;
            add_matrix(&mut moments, inertia.mass * dot(d, d), &IDENTITY);
            add_matrix(&mut moments, -inertia.mass, &outer(d, d));
        }
        let whole = Inertia { mass, moments };
        self.poses[root] = self.moving_together(group, &whole, &centre, bodies);
        self.spins[root] = transposed_times(&self.poses[root].r, &self.poses[root].spin);
        for &body in group {
            self.nodes[body].2 = Inertia::NONE;
        }
        self.nodes[root].2 = whole;
    }

    /// Where a group is, as its first body was drawn, and how it moves.
    fn moving_together(&self, group: &[usize], whole: &Inertia, centre: &Vector, bodies: &[(String, Body)]) -> Pose {
        let drawn = &self.poses[group[0]];
        let arm = times(&drawn.r, centre);
        let spin = if self.planar { [0.0, 0.0, drawn.spin[2]] } else { drawn.spin };
        let mut pose = Pose { p: sum(&drawn.p, &arm), speed: sum(&drawn.speed, &cross(&spin, &arm)), spin, ..*drawn };
        let (mut push, mut twist) = ([0.0; 3], [0.0; 3]);
        for &at in group {
            let (seat, body, inertia) = (self.welded.seat(at), &bodies[at - 1].1, &self.nodes[at].2);
            let together = seat.pose(&pose);
            let flat = if self.planar { [0.0, 0.0, body.spin[2]] } else { body.spin };
            let spin = difference(&times(&together.r, &flat), &together.spin);
            let speed = difference(&body.centre_speed(&together.r), &together.speed);
            add(&mut push, inertia.mass, &speed);
            let own = times(&together.r, &times(&inertia.moments, &transposed_times(&together.r, &spin)));
            let d = difference(&together.p, &pose.p);
            add(&mut twist, 1.0, &sum(&own, &cross(&d, &scaled(inertia.mass, &speed))));
        }
        if whole.mass > 0.0 {
            add(&mut pose.speed, 1.0 / whole.mass, &push);
        }
        let more = if self.planar {
            let moment = whole.moments[2][2];
            [0.0, 0.0, if moment > 0.0 { twist[2] / moment } else { 0.0 }]
        } else {
            times(&pose.r, &spin_of(&whole.moments, &transposed_times(&pose.r, &twist)))
        };
        add(&mut pose.spin, 1.0, &more);
        pose
    }
}

/// S J S^T.
fn turned_moments(inertia: &Inertia, s: &Matrix) -> Matrix {
    product(&product(s, &inertia.moments), &transposed(s))
}

/// The shortest w with J w = l.
fn spin_of(moments: &Matrix, l: &Vector) -> Vector {
    let largest = moments.iter().flatten().fold(0.0_f64, |max, x| max.max(x.abs()));
    if largest == 0.0 {
        return [0.0; 3];
    }
    let values = moments.iter().flatten().map(|x| x / largest).collect();
    let found = PivotedQr::new(Dense { columns: 3, values }, NONE).shortest(&l.map(|x| x / largest));
    [found[0], found[1], found[2]]
}

/// The unit quaternion of a rotation: from the largest of its four numbers, so that no digits are lost.
fn quaternion(r: &Matrix) -> [f64; 4] {
    let trace = r[0][0] + r[1][1] + r[2][2];
    let squares = [1.0 + trace, 1.0 + 2.0 * r[0][0] - trace, 1.0 + 2.0 * r[1][1] - trace, 1.0 + 2.0 * r[2][2] - trace];
    let largest = (0..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
    let four = 2.0 * squares[largest].max(0.0).sqrt();
    let odd = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
    let even = |i: usize, j: usize| r[i][j] + r[j][i];
    let rest = match largest {
        0 => [0.0, odd[0], odd[1], odd[2]],
        1 => [odd[0], 0.0, even(0, 1), even(0, 2)],
        2 => [odd[1], even(0, 1), 0.0, even(1, 2)],
        _ => [odd[2], even(0, 2), even(1, 2), 0.0],
    };
    let mut found = rest.map(|x| x / four);
    found[largest] = 0.25 * four;
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::axes;

    #[test]
    fn a_rotation_and_its_quaternion_are_the_same() {
        for x in [[0.1, -0.2, 0.3], [3.1, 0.0, 0.01], [0.0, -3.0, 0.5], [0.2, 0.3, 3.1], [0.0; 3], [2.0, 2.0, -1.0]] {
            let r = axes(&alembert::rotation::exp(&x));
            let again = axes(&quaternion(&r));
            let off =
                r.iter().flatten().zip(again.iter().flatten()).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
            assert!(off < 1e-15, "{x:?}: {off:e}");
        }
    }
}
