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
    fits: Vec<Fit>,
}

/// What must be so in a closed configuration: of two bodies, points that coincide and axes that point the same way, in their drawings.
struct Fit {
    bodies: [BodyId; 2],
    points: Option<[[f64; 3]; 2]>,
    axes: Vec<[[f64; 3]; 2]>,
}

impl Machinery {
    /// The largest distance of points that should coincide, and the largest angle, as its sine or two beyond a right angle, of axes that should be
    /// parallel; found without the rows of joints.
    pub fn misfit(&self) -> (f64, f64) {
        let q = &self.mechanism.guess().q;
        let apart = |x: [f64; 3], y: [f64; 3]| (0..3).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>().sqrt();
        let (mut gap, mut turn) = (0.0_f64, 0.0_f64);
        for Fit { bodies: [i, j], points, axes } in &self.fits {
            let place = |body: BodyId, point: [f64; 3]| self.mechanism.point(body, point, q);
            if let Some([x, y]) = points {
                gap = gap.max(apart(place(*i, *x), place(*j, *y)));
            }
            for [x, y] in axes {
                let along = |body: BodyId, axis: [f64; 3]| {
                    let (from, to) = (place(body, [0.0; 3]), place(body, axis));
                    [0, 1, 2].map(|k| to[k] - from[k])
                };
                turn = turn.max(apart(along(*i, *x), along(*j, *y)));
            }
        }
        (gap, turn)
    }
}

/// A joint that has been drawn.
struct Joined {
    id: JointId,
    rows: usize,
    fit: Fit,
}

/// A joint at a random place between two bodies.
fn join(b: &mut Builder, random: &mut Random, name: String, kind: usize, i: &Drawn, j: &Drawn) -> Joined {
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
    let inside = |of: &Drawn| {
        let unit = |u: [f64; 3]| {
            let size = u.iter().map(|u| u * u).sum::<f64>().sqrt();
            to_body(&of.turn, &u.map(|u| u / size))
        };
        let point = to_body(&of.turn, &[0, 1, 2].map(|k| point[k] - of.at[k]));
        (point, unit(z), unit(across))
    };
    let ((pi, zi, xi), (pj, zj, xj)) = (inside(i), inside(j));
    let axes = match kind {
        0 | 3 | 5 | 10 => vec![[zi, zj]],
        4 | 9 | 11 => vec![[zi, zj], [xi, xj]],
        _ => vec![],
    };
    let fit = Fit { bodies: [i.id, j.id], points: matches!(kind, 0 | 1 | 2 | 8 | 9).then_some([pi, pj]), axes };
    let (id, rows) = match kind {
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
    };
    Joined { id, rows, fit }
}

/// How poses are given.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// By how much positions are off, in metres, and turns, in radians.
    pub off: f64,
    /// Which share of the bodies has no pose.
    pub missing: f64,
    /// Whether all joints are balls and hinges, and a rod cannot reach.
    pub torn: bool,
}

impl Drawing {
    pub const EXACT: Drawing = Drawing { off: 0.0, missing: 0.0, torn: false };
}

/// Some bodies in space, on a tree of joints, with loops as long as freedoms are left.
pub fn spatial(random: &mut Random, bodies: usize, loops: usize, drawing: Drawing) -> Machinery {
    let mut b = Mechanism::builder();
    b.gravity([0.4, -0.3, -9.81]);
    let ground = Drawn { id: GROUND, at: [0.0; 3], turn: [1.0, 0.0, 0.0, 0.0] };
    let mut drawn = vec![ground];
    let (mut joints, mut fits) = (Vec::new(), Vec::new());
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
        let kind = if drawing.torn { random.below(3) } else { random.below(13) };
        let Joined { id, rows, fit } = join(&mut b, random, format!("joint {n}"), kind, &before, &here);
        joints.push((id, before.id, here.id));
        fits.push(fit);
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
        let Joined { id, rows, fit } = join(&mut b, random, format!("loop {n}"), kind, &i, &j);
        joints.push((id, i.id, j.id));
        fits.push(fit);
        free -= rows.min(free);
    }
    if drawing.torn {
        // A rod that is far too long for the bodies on which it is: they are on joints that reach a few metres.
        let length = 100.0;
        let last = drawn[drawn.len() - 1];
        b.joint("torn", Distance { length }, GROUND.origin(), last.id.origin());
    }
    let mechanism = b.build().unwrap_or_else(|e| panic!("{e}"));
    Machinery { mechanism, joints, fits }
}

/// A ring of bars on hinges about z, in a plane of space: every joint holds three directions more than once. Shape and plane are random.
pub fn ring(random: &mut Random, bars: usize, drawing: Drawing) -> Machinery {
    let mut b = Mechanism::builder();
    let plane = {
        let turn = [random.signed(), random.signed(), random.signed(), random.signed()];
        let size = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
        turn.map(|x| x / size)
    };
    let space = |x: [f64; 3]| alembert::rotation::to_space(&plane, &x);
    let corners: Vec<[f64; 3]> = (0..=bars)
        .map(|k| {
            let angle = std::f64::consts::TAU * k as f64 / (bars + 1) as f64;
            let radius = 1.0 + 0.4 * random.signed();
            space([radius * angle.cos(), radius * angle.sin(), 0.0])
        })
        .collect();
    let normal = space([0.0, 0.0, 1.0]);
    let middle = |k: usize| [0, 1, 2].map(|i| 0.5 * (corners[k][i] + corners[k + 1][i]));
    let mut drawn = vec![Drawn { id: GROUND, at: [0.0; 3], turn: [1.0, 0.0, 0.0, 0.0] }];
    for k in 0..bars {
        let (shift, tilt) = (random.vector(), random.vector());
        let tilt = alembert::rotation::exp(&tilt.map(|x| drawing.off * x));
        let body = Body::new(1.0, [0.1, 0.1, 0.1])
            .at([0, 1, 2].map(|i| middle(k)[i] + drawing.off * shift[i]))
            .quaternion(tilt);
        let missing = 0.5 * (random.signed() + 1.0) < drawing.missing;
        let id = b.body(format!("bar {k}"), if missing { body.unposed() } else { body });
        drawn.push(Drawn { id, at: middle(k), turn: [1.0, 0.0, 0.0, 0.0] });
    }
    let (mut joints, mut fits) = (Vec::new(), Vec::new());
    for (k, corner) in corners.iter().enumerate() {
        let (i, j) = (&drawn[k], &drawn[(k + 1) % drawn.len()]);
        let x = [0, 1, 2].map(|i| corners[(k + 1) % corners.len()][i] - corner[i]);
        let id = b.joint(format!("hinge {k}"), Revolute, i.marker(*corner, normal, x), j.marker(*corner, normal, x));
        let inside = |of: &Drawn| [0, 1, 2].map(|k| corner[k] - of.at[k]);
        fits.push(Fit { bodies: [i.id, j.id], points: Some([inside(i), inside(j)]), axes: vec![[normal, normal]] });
        joints.push((id, i.id, j.id));
    }
    Machinery { mechanism: b.build().expect("right"), joints, fits }
}
