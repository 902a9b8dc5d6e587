//! Random mechanisms: trees of bodies on joints, and loops closed by further ones.

use alembert::rotation::{Quaternion, to_body};
use alembert_mechanism::joint::*;
use alembert_mechanism::{Body, BodyId, Builder, GROUND, JointId, Marker, Mechanism};

use crate::random::Random;

/// A body as it was drawn.
#[derive(Clone, Copy)]
struct Drawn {
    id: BodyId,
    at: [f64; 3],
    turn: Quaternion,
}

impl Drawn {
    /// A marker at a point of the world, with axes of the world.
    fn marker(&self, point: [f64; 3], z: [f64; 3], x: [f64; 3]) -> Marker {
        let inside = |u: [f64; 3]| to_body(&self.turn, &u);
        self.id.at(inside([0, 1, 2].map(|i| point[i] - self.at[i]))).axes(inside(z), inside(x))
    }
}

/// A mechanism whose joints all fit, and the two bodies of each joint.
pub struct Machinery {
    pub mechanism: Mechanism,
    pub joints: Vec<(JointId, BodyId, BodyId)>,
}

/// A joint at a random place between two bodies.
fn join(b: &mut Builder, random: &mut Random, name: String, kind: usize, i: &Drawn, j: &Drawn) -> (JointId, usize) {
    let point = [0, 1, 2].map(|k| 0.5 * (i.at[k] + j.at[k]) + 0.3 * random.signed());
    let (z, x) = (random.vector(), random.vector());
    let markers = (i.marker(point, z, x), j.marker(point, z, x));
    let (mi, mj) = markers;
    // The second arm of a cross is across the first.
    let across = {
        let size = |u: [f64; 3]| u.iter().map(|u| u * u).sum::<f64>().sqrt();
        let along: f64 = (0..3).map(|k| x[k] * z[k] / size(z).powi(2)).sum();
        [0, 1, 2].map(|k| x[k] - along * z[k])
    };
    match kind {
        0 => (b.joint(name, Revolute, mi, mj), 5),
        1 => (b.joint(name, Spherical, mi, mj), 3),
        2 => (b.joint(name, Universal, mi, j.marker(point, across, z)), 4),
        3 => (b.joint(name, Cylindrical, mi, mj), 4),
        4 => (b.joint(name, Prismatic, mi, mj), 5),
        5 => (b.joint(name, Planar, mi, mj), 3),
        6 => (b.joint(name, PointOnLine, mi, mj), 2),
        7 => (b.joint(name, PointOnPlane, mi, mj), 1),
        8 => (b.joint(name, ConstantVelocity, mi, mj), 4),
        9 => (b.joint(name, Fixed, mi, mj), 6),
        10 => (b.joint(name, Parallel, mi, mj), 2),
        11 => (b.joint(name, Orientation, mi, mj), 3),
        _ => {
            // As long as it was drawn: the way from one marker to the other, each seen from the world.
            let other = [0, 1, 2].map(|k| point[k] + 0.5 + 0.2 * random.signed());
            let length = (0..3).map(|k| (other[k] - point[k]).powi(2)).sum::<f64>().sqrt();
            (b.joint(name, Distance { length }, mi, j.marker(other, z, x)), 1)
        }
    }
}

/// How poses are given.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// By how much positions are off, in metres, and turns, in radians.
    pub off: f64,
    /// Which share of the bodies has no pose.
    pub missing: f64,
}

impl Drawing {
    pub const EXACT: Drawing = Drawing { off: 0.0, missing: 0.0 };
}

/// Some bodies in space, on a tree of joints, with loops as long as freedoms are left.
pub fn spatial(random: &mut Random, bodies: usize, loops: usize, drawing: Drawing) -> Machinery {
    let mut b = Mechanism::builder();
    b.gravity([0.4, -0.3, -9.81]);
    let ground = Drawn { id: GROUND, at: [0.0; 3], turn: [1.0, 0.0, 0.0, 0.0] };
    let mut drawn = vec![ground];
    let mut joints = Vec::new();
    let mut free = 0_usize;
    for n in 0..bodies {
        let turn = [random.signed(), random.signed(), random.signed(), random.signed()];
        let size = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
        let turn = turn.map(|x| x / size);
        let before = drawn[random.below(drawn.len())];
        let at = [0, 1, 2].map(|k| before.at[k] + random.signed());
        let inertia = [1.0 + 0.5 * random.signed(), 1.2 + 0.3 * random.signed(), 1.1 + 0.4 * random.signed()];
        let (shift, tilt) = (random.vector(), random.vector());
        let tilt = alembert::rotation::exp(&tilt.map(|x| drawing.off * x));
        let body = Body::new(1.5 + random.signed(), inertia)
            .at([0, 1, 2].map(|k| at[k] + drawing.off * shift[k]))
            .quaternion(alembert::rotation::product(&turn, &tilt))
            .centred([0.1 * random.signed(), 0.1 * random.signed(), 0.1 * random.signed()])
            .moving(random.vector())
            .spinning(random.vector());
        let missing = 0.5 * (random.signed() + 1.0) < drawing.missing;
        let body = if missing { body.unposed() } else { body };
        let here = Drawn { id: b.body(format!("body {n}"), body), at, turn };
        let kind = random.below(13);
        let (joint, rows) = join(&mut b, random, format!("joint {n}"), kind, &before, &here);
        joints.push((joint, before.id, here.id));
        free += 6 - rows;
        drawn.push(here);
    }
    for n in 0..loops {
        let (i, j) = (random.below(drawn.len()), random.below(drawn.len()));
        // Closures take one to three freedoms.
        let kind = [1, 6, 7, 12][random.below(4)];
        if i == j || free < 5 {
            continue;
        }
        let (i, j) = (drawn[i], drawn[j]);
        let (joint, rows) = join(&mut b, random, format!("loop {n}"), kind, &i, &j);
        joints.push((joint, i.id, j.id));
        free -= rows.min(free);
    }
    let mechanism = b.build().unwrap_or_else(|e| panic!("{e}"));
    Machinery { mechanism, joints }
}
