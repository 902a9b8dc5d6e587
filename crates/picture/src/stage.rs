//! A scene with its motion, made ready to be drawn at any time.
//!
//! What does not change is found once: the view that shows the whole motion, the scales of arrows, the widths of springs, the paths of
//! traced points, colours. Then the shapes of an instant follow from its channels: [`Stage::shapes`] those of the scene, [`Stage::sketch`]
//! the whole picture with title, scale and time.

mod flat;
mod furniture;
mod link;
mod measure;
mod signs;
mod solid;
#[cfg(test)]
mod tests;

use crate::camera::{Camera, View};
use crate::color::Color;
use crate::motion::interpolate;
use crate::pose::Pose;
use crate::scene::{Figure, Motion, Place, Scene};
use crate::sketch::{Shape, Sketch};
use crate::vector::{Spot, Vector};

pub(crate) use furniture::title;
pub use measure::Bounds;

/// What a picture is to look like.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Pixels across.
    pub width: f64,
    /// Pixels down; as the scene needs it if there is no number.
    pub height: Option<f64>,
    /// What stands above; empty for nothing.
    pub title: String,
    /// Whether vectors are drawn.
    pub arrows: bool,
    /// Whether words beside points are drawn.
    pub labels: bool,
}

impl Default for Look {
    fn default() -> Self {
        Look { width: 640.0, height: None, title: String::new(), arrows: true, labels: true }
    }
}

/// Layers of a picture, from the back to the front. In space everything solid is in one of them.
pub(crate) mod layer {
    pub const GROUND: u8 = 0;
    pub const TRACE: u8 = 1;
    pub const AREA: u8 = 2;
    pub const BAR: u8 = 3;
    pub const JOINT: u8 = 4;
    pub const ARROW: u8 = 5;
    pub const WORDS: u8 = 6;
}

/// The path of a traced point.
struct Path {
    spots: Vec<Spot>,
    /// The time of each place and the length of the path up to it.
    t: Vec<f64>,
    length: Vec<f64>,
}

/// A scene that is ready to be drawn.
pub struct Stage<'s> {
    scene: &'s Scene,
    motion: &'s Motion,
    look: Look,
    height: f64,
    view: View,
    bounds: Bounds,
    /// Lengths in the world of an arrow of size one: forces, torques, velocities.
    arrows: [f64; 3],
    /// For each item the distance of its ends at the start, where that matters.
    lengths: Vec<f64>,
    paths: Vec<Option<Path>>,
    colors: Vec<Color>,
}

/// The instant that is being drawn.
pub(crate) struct Instant<'c> {
    pub channels: &'c [f64],
    pub poses: Vec<Pose>,
    pub t: f64,
}

impl Instant<'_> {
    pub(crate) fn world(&self, place: &Place) -> Vector {
        place.world(&self.poses, self.channels)
    }
}

/// Space around a scene, in pixels: at the sides, above without and with a title, below.
const SIDE: f64 = 36.0;
const ABOVE: f64 = 28.0;
const TITLED: f64 = 58.0;
const BELOW: f64 = 66.0;
/// The least and the largest height of a picture, as a part of its width.
const FLATTEST: f64 = 0.42;
const TALLEST: f64 = 1.05;

impl<'s> Stage<'s> {
    /// Makes a scene ready.
    pub fn new(scene: &'s Scene, motion: &'s Motion, look: &Look) -> Self {
        let camera = Camera::of(scene);
        let measured = measure::measure(scene, motion, camera, look);
        let above = if look.title.is_empty() { ABOVE } else { TITLED };
        let width = (look.width - 2.0 * SIDE).max(1.0);
        let [across, up] = measured.extent.edges();
        let fitting = if across > 0.0 { width * up / across + above + BELOW } else { look.width };
        let fitting = fitting.clamp(FLATTEST * look.width, TALLEST * look.width).round();
        let height = look.height.unwrap_or(fitting).max(1.0);
        let room = [width, (height - above - BELOW).max(1.0)];
        let view = View::fit(camera, measured.extent, [SIDE, above], room);
        let mut stage = Stage {
            scene,
            motion,
            look: look.clone(),
            height,
            view,
            bounds: measured.bounds,
            arrows: measured.arrows,
            lengths: measured.lengths,
            paths: Vec::new(),
            colors: measure::colors(scene),
        };
        stage.paths = stage.trace();
        stage
    }

    /// Where things are in the picture.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// What the whole motion takes, in the world.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// How long in the world an arrow of size one is: a force, a torque, a velocity.
    pub fn arrow_scales(&self) -> [f64; 3] {
        self.arrows
    }

    /// Pixels across and down.
    pub fn size(&self) -> [f64; 2] {
        [self.look.width, self.height]
    }

    /// The motion.
    pub fn motion(&self) -> &Motion {
        self.motion
    }

    /// The picture at a time.
    pub fn sketch(&self, t: f64) -> Sketch {
        let mut shapes = self.backdrop();
        shapes.extend(self.shapes(t));
        shapes.extend(self.caption());
        shapes.push(self.clock(&self.time(t)));
        Sketch { width: self.look.width, height: self.height, shapes }
    }

    /// The shapes of the scene at a time: as many as at any other, in the same order.
    pub fn shapes(&self, t: f64) -> Vec<Shape> {
        let channels = interpolate(self.scene, self.motion, t);
        let instant = Instant { poses: self.scene.poses(&channels), channels: &channels, t };
        let mut shapes = Vec::new();
        for item in 0..self.scene.items.len() {
            self.draw(item, &instant, &mut shapes);
        }
        shapes
    }

    fn draw(&self, item: usize, now: &Instant, shapes: &mut Vec<Shape>) {
        let color = self.colors[item];
        let value = |quantity: crate::scene::Quantity| quantity.at(now.channels);
        let planar = self.scene.planar;
        match &self.scene.items[item].figure {
            Figure::Point { at } => shapes.push(self.dot(now.world(at), color)),
            Figure::Line { points, closed } => {
                let points: Vec<Vector> = points.iter().map(|place| now.world(place)).collect();
                shapes.push(self.polyline(&points, *closed, color));
            }
            Figure::Circle { at, radius, axis } => {
                let (centre, axis) = (now.world(at), at.pose(&now.poses).direction(*axis));
                shapes.push(self.ring(centre, value(*radius), axis, color));
            }
            Figure::Sphere { at, radius } => self.ball(now.world(at), value(*radius), color, shapes),
            Figure::Box { at, edges, turn } => {
                let frame = at.pose(&now.poses);
                let own = Pose::new([0.0.into(); 3], *turn, now.channels);
                let half = edges.map(|edge| 0.5 * value(edge));
                let axes = std::array::from_fn(|k| {
                    let mut axis = [0.0; 3];
                    axis[k] = half[k];
                    frame.direction(own.direction(axis))
                });
                let centre = now.world(at);
                if planar {
                    shapes.push(self.plate(centre, axes, color))
                } else {
                    self.brick(centre, axes, color, shapes)
                }
            }
            Figure::Cylinder { from, to, radius, rounded } => {
                let ends = [now.world(from), now.world(to)];
                match (rounded, planar) {
                    (true, _) => self.capsule(ends, value(*radius), color, shapes),
                    (false, true) => shapes.push(self.bar(ends, value(*radius), color)),
                    (false, false) => self.drum(ends, value(*radius), color, layer::BAR, shapes),
                }
            }
            Figure::Spring { from, to, coils, radius } => {
                let ends = [now.world(from), now.world(to)];
                shapes.push(self.spring(ends, *coils, value(*radius), self.lengths[item], color));
            }
            Figure::Damper { from, to, radius } => {
                let ends = [now.world(from), now.world(to)];
                shapes.push(self.damper(ends, value(*radius), self.lengths[item], color));
            }
            Figure::Trace { .. } => self.path(item, now.t, color, shapes),
            Figure::Arrow { at, vector, of } => {
                if self.look.arrows {
                    self.arrow(now.world(at), vector.map(value), *of, color, shapes);
                }
            }
            Figure::Plane { at, normal } => {
                let normal = at.pose(&now.poses).direction(*normal);
                self.plane(now.world(at), normal, color, shapes);
            }
            Figure::Joint { at, axis, sign, .. } => {
                let axis = at.pose(&now.poses).direction(*axis);
                self.joint(now.world(at), axis, *sign, at.frame == 0, color, shapes);
            }
            Figure::Label { at, text } => {
                if self.look.labels {
                    shapes.push(self.label(now.world(at), text, color));
                }
            }
        }
    }
}
