//! How much room a motion takes, and what follows from it.

use super::Look;
use crate::camera::{Camera, Extent};
use crate::color::Color;
use crate::pose::Pose;
use crate::scene::{Arrow, Figure, Motion, Place, Scene};
use crate::vector::{Vector, along, dot, length, minus, unit};

/// Frames of a motion that are looked at: the room that a motion takes does not depend on every one.
const LOOKED_AT: usize = 500;
/// The largest arrow of nine frames in ten, as a part of the scene, and the largest of all.
const LONG_ARROW: f64 = 0.2;
const LONGEST_ARROW: f64 = 0.6;

/// A box in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Its lower corner.
    pub least: Vector,
    /// Its upper corner.
    pub most: Vector,
}

impl Bounds {
    fn take(&mut self, p: Vector, radius: f64) {
        if p.iter().chain([&radius]).all(|x| x.is_finite()) {
            for k in 0..3 {
                self.least[k] = self.least[k].min(p[k] - radius);
                self.most[k] = self.most[k].max(p[k] + radius);
            }
        }
    }

    /// The longest of its edges; one if there is nothing in it or only a point.
    pub fn size(&self) -> f64 {
        let longest = (0..3).map(|k| self.most[k] - self.least[k]).fold(0.0, f64::max);
        if longest > 0.0 && longest.is_finite() { longest } else { 1.0 }
    }

    /// Its middle.
    pub fn middle(&self) -> Vector {
        std::array::from_fn(|k| 0.5 * (self.least[k] + self.most[k]))
    }
}

pub(super) struct Measured {
    pub bounds: Bounds,
    pub extent: Extent,
    pub arrows: [f64; 3],
    pub lengths: Vec<f64>,
}

/// The place of a kind of arrows among the scales.
pub(super) fn kind(of: Arrow) -> usize {
    match of {
        Arrow::Force => 0,
        Arrow::Torque => 1,
        Arrow::Velocity => 2,
    }
}

pub(super) fn measure(scene: &Scene, motion: &Motion, camera: Camera, look: &Look) -> Measured {
    let mut bounds = Bounds { least: [f64::INFINITY; 3], most: [f64::NEG_INFINITY; 3] };
    let mut extent = Extent::EMPTY;
    let mut sizes: [Vec<f64>; 3] = std::array::from_fn(|_| Vec::new());
    let still = vec![0.0; scene.channels];
    let frames = motion.len().max(1);
    let channels_of = |frame: usize| if motion.is_empty() { &still[..] } else { motion.frame(frame) };
    let looked_at: Vec<usize> = (0..frames).step_by(frames.div_ceil(LOOKED_AT)).chain([frames - 1]).collect();
    for frame in &looked_at {
        let channels = channels_of(*frame);
        let poses = scene.poses(channels);
        for item in &scene.items {
            points(&item.figure, &poses, channels, &mut |p, radius| {
                let [x, y, _] = camera.seen(p);
                extent.take(x, y, radius);
                bounds.take(p, radius);
            });
        }
    }
    for frame in 0..frames {
        let channels = channels_of(frame);
        let mut largest = [0.0_f64; 3];
        for item in &scene.items {
            if let Figure::Arrow { vector, of, .. } = &item.figure {
                let size = length(vector.map(|x| x.at(channels)));
                if size.is_finite() {
                    largest[kind(*of)] = largest[kind(*of)].max(size);
                }
            }
        }
        sizes.iter_mut().zip(largest).for_each(|(sizes, largest)| sizes.push(largest));
    }
    if bounds.least[0] > bounds.most[0] {
        bounds = Bounds { least: [0.0; 3], most: [0.0; 3] };
    }
    let arrows = sizes.map(|sizes| scale(sizes) * bounds.size());
    let nothing_but_planes = extent == Extent::EMPTY;
    for frame in looked_at {
        let channels = channels_of(frame);
        let poses = scene.poses(channels);
        for item in &scene.items {
            let mut also = |p: Vector| {
                let [x, y, _] = camera.seen(p);
                extent.take(x, y, 0.0);
            };
            match &item.figure {
                Figure::Arrow { at, vector, of } if look.arrows => {
                    let vector = vector.map(|x| x.at(channels));
                    also(along(at.world(&poses, channels), arrows[kind(*of)], vector));
                }
                // A plane has no end; of one that is near, the nearest point is shown.
                Figure::Plane { at, normal } => {
                    let (point, middle) = (at.world(&poses, channels), bounds.middle());
                    let normal = unit(at.pose(&poses).direction(*normal), [0.0, 1.0, 0.0]);
                    let away = dot(minus(middle, point), normal);
                    if nothing_but_planes {
                        also(point);
                    } else if away.abs() < 1.2 * bounds.size() {
                        also(along(middle, -away, normal));
                    }
                }
                _ => {}
            }
        }
    }
    let start = channels_of(0);
    let poses = scene.poses(start);
    let apart = |a: &Place, b: &Place| length(minus(a.world(&poses, start), b.world(&poses, start)));
    let lengths = scene.items.iter().map(|item| match &item.figure {
        Figure::Spring { from, to, .. } | Figure::Damper { from, to, .. } => {
            // One of no length at the start has some size nevertheless.
            let start = apart(from, to);
            if start.is_finite() && start > 1e-3 * bounds.size() { start } else { 0.2 * bounds.size() }
        }
        _ => 0.0,
    });
    Measured { extent, arrows, lengths: lengths.collect(), bounds }
}

/// The length of an arrow of size one as a part of the scene, from the largest sizes of all frames. A blow that lasts for a few frames does
/// not make all other arrows invisible.
fn scale(mut sizes: Vec<f64>) -> f64 {
    sizes.sort_unstable_by(f64::total_cmp);
    let Some(largest) = sizes.last().copied().filter(|largest| *largest > 0.0) else { return 0.0 };
    let usual = sizes[(sizes.len() - 1) * 9 / 10];
    if usual > 0.0 { (LONG_ARROW / usual).min(LONGEST_ARROW / largest) } else { LONG_ARROW / largest }
}

/// Calls with balls that a figure lies in; arrows and planes, whose sizes follow from the others, have none.
fn points(figure: &Figure, poses: &[Pose], channels: &[f64], take: &mut dyn FnMut(Vector, f64)) {
    let world = |place: &Place| place.world(poses, channels);
    match figure {
        Figure::Point { at } | Figure::Trace { at } | Figure::Joint { at, .. } | Figure::Label { at, .. } => {
            take(world(at), 0.0);
        }
        Figure::Arrow { at, .. } => take(world(at), 0.0),
        Figure::Line { points, .. } => points.iter().for_each(|place| take(world(place), 0.0)),
        Figure::Circle { at, radius, .. } | Figure::Sphere { at, radius } => take(world(at), radius.at(channels).abs()),
        Figure::Box { at, edges, turn } => {
            let (centre, frame) = (world(at), at.pose(poses));
            let own = Pose::new([0.0.into(); 3], *turn, channels);
            for corner in 0..8 {
                let half: Vector = std::array::from_fn(|k| {
                    if corner >> k & 1 == 0 { 0.5 * edges[k].at(channels) } else { -0.5 * edges[k].at(channels) }
                });
                take(along(centre, 1.0, frame.direction(own.direction(half))), 0.0);
            }
        }
        Figure::Cylinder { from, to, radius, .. } => {
            take(world(from), radius.at(channels).abs());
            take(world(to), radius.at(channels).abs());
        }
        Figure::Spring { from, to, radius, .. } | Figure::Damper { from, to, radius } => {
            take(world(from), radius.at(channels).abs());
            take(world(to), radius.at(channels).abs());
        }
        Figure::Plane { .. } => {}
    }
}

/// Colours of bodies in turn; they differ in brightness too.
const BODIES: [Color; 7] = [
    Color(0x1f, 0x5f, 0x93),
    Color(0xb8, 0x4a, 0x14),
    Color(0x14, 0x7d, 0x5c),
    Color(0x8a, 0x4a, 0x86),
    Color(0x4f, 0x5b, 0x66),
    Color(0xa8, 0x78, 0x00),
    Color(0x2b, 0x8f, 0xc7),
];

/// A colour for each item: its own, or one that what belongs together has in common.
pub(super) fn colors(scene: &Scene) -> Vec<Color> {
    let mut known: Vec<&str> = Vec::new();
    let color = |item: &crate::scene::Item, next: usize| match item.figure {
        Figure::Spring { .. } => Color(0x3d, 0x6b, 0x45),
        Figure::Damper { .. } => Color(0x4f, 0x5b, 0x66),
        Figure::Trace { .. } => Color(0xd9, 0x48, 0x0f),
        Figure::Arrow { of: Arrow::Force, .. } => Color(0xc9, 0x1f, 0x37),
        Figure::Arrow { of: Arrow::Torque, .. } => Color(0x86, 0x2e, 0x9c),
        Figure::Arrow { of: Arrow::Velocity, .. } => Color(0x0b, 0x72, 0x85),
        Figure::Plane { .. } => Color(0x6b, 0x75, 0x80),
        Figure::Joint { .. } => Color(0x22, 0x2a, 0x33),
        Figure::Label { .. } => Color(0x1b, 0x1f, 0x24),
        _ => BODIES[next % BODIES.len()],
    };
    let mut colors = Vec::new();
    for item in &scene.items {
        let body = item.name.split('.').next().unwrap_or_default();
        let solid = matches!(
            item.figure,
            Figure::Line { .. }
                | Figure::Circle { .. }
                | Figure::Sphere { .. }
                | Figure::Box { .. }
                | Figure::Cylinder { .. }
                | Figure::Point { .. }
        );
        let next = known.iter().position(|other| *other == body).unwrap_or(known.len());
        if solid && next == known.len() {
            known.push(body);
        }
        let own = item.color.as_ref().and_then(|color| Color::parse(color));
        colors.push(own.unwrap_or_else(|| color(item, next)));
    }
    colors
}
