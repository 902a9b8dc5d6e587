//! Bodies of a mechanism, drawn of their own accord: solids where they have any, else bars between the places that matter on them.
//!
//! ```text
//! places of a body     markers of joints, ends of springs, named points
//! one                  a dot, and a bar from it to the centre of mass
//! all on a line        a bar
//! others               in the plane their polygon, in space bars from their middle
//! radius of bars       1.2 % of the size of the mechanism: the diagonal of the box about all places at the start
//! ```

use std::collections::HashSet;
use std::sync::Arc;

use alembert::Guess;
use alembert_mechanism::{GROUND, Marker, Mechanism, Shape};
use alembert_picture::scene::{Figure, Place, Quantity, Turn};

use super::super::mechanism::built::Built;
use super::super::mechanism::{Acts, Sight, Vector};
use super::canvas::{Canvas, fixed};
use super::look::body_frame;
use crate::scope::Scope;

/// With more bodies than that, only what the file asks for is drawn.
pub(super) const MOST_BODIES: usize = 400;
/// The radius of a bar beside the size of the mechanism, and at most beside its length.
const THIN: f64 = 0.012;
const SLENDER: f64 = 0.12;
/// Places nearer than that beside the size of the mechanism are one.
const SAME: f64 = 1e-7;

/// Joints that hold directions only, so that their markers are nowhere in particular.
pub(super) const PLACELESS: [&str; 3] = ["parallel", "perpendicular", "orientation"];

/// A mechanism that is being drawn.
pub(super) struct Stage<'a, 'c> {
    pub built: &'a Built,
    pub mechanism: Arc<Mechanism>,
    pub canvas: &'a mut Canvas,
    pub scope: &'a mut Scope<'c>,
    guess: &'a Guess,
    /// By bodies.
    frames: Vec<usize>,
    /// Places on each body that matter, in its drawing.
    pub places: Vec<Vec<Vector>>,
    /// The diagonal of the box about everything.
    pub size: f64,
    /// Bodies that are drawn already.
    pub shown: HashSet<usize>,
}

/// Draws what a file does not say.
pub(super) fn draw(built: &Built, shown: &HashSet<usize>, guess: &Guess, canvas: &mut Canvas, scope: &mut Scope) {
    let Some(mechanism) = scope.mechanism() else { return };
    if built.bodies.len() > MOST_BODIES {
        return;
    }
    let frames = built.bodies.iter().enumerate().map(|(at, body)| body_frame(&body.name, at, canvas, scope));
    let Some(frames) = frames.collect::<Option<Vec<usize>>>() else { return };
    let (places, shown) = (vec![Vec::new(); built.bodies.len()], shown.clone());
    let mut stage = Stage { built, mechanism, canvas, scope, guess, frames, places, size: 1.0, shown };
    stage.measure();
    stage.wheels();
    for at in 0..built.bodies.len() {
        if !stage.shown.contains(&at) {
            stage.body(at);
        }
    }
    stage.joints();
    stage.loads();
    stage.reactions();
}

/// a - b.
pub(super) fn less(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|i| a[i] - b[i])
}

/// a + factor b.
pub(super) fn along(a: Vector, factor: f64, b: Vector) -> Vector {
    [0, 1, 2].map(|i| a[i] + factor * b[i])
}

pub(super) fn length(a: Vector) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

/// A direction across another one.
pub(super) fn across(z: Vector) -> Vector {
    let least = (0..3).min_by(|i, j| z[*i].abs().total_cmp(&z[*j].abs())).unwrap_or(0);
    let mut e = [0.0; 3];
    e[least] = 1.0;
    let off = along(e, -dot(e, z) / dot(z, z), z);
    let size = length(off);
    off.map(|x| x / size)
}

impl Stage<'_, '_> {
    /// The body of a marker, by its place in the file; none for the ground.
    pub fn body_of(&self, marker: &Marker) -> Option<usize> {
        if marker.body() == GROUND {
            return None;
        }
        self.built.bodies.iter().position(|body| body.id == marker.body())
    }

    /// A point in the drawing of a body; of the ground without one.
    pub fn on(&mut self, body: Option<usize>, at: Vector) -> Place {
        let (frame, at) = match body {
            Some(body) => (self.frames[body], less(at, self.built.bodies[body].centre)),
            None => (0, at),
        };
        let spot = fixed(self.scope, frame, at);
        self.canvas.place(&self.scope.graph, spot)
    }

    /// The place of a marker.
    pub fn at(&mut self, marker: &Marker) -> Place {
        self.on(self.body_of(marker), marker.place())
    }

    /// Where a marker is at the start, in the world.
    pub fn at_start(&self, marker: &Marker) -> Vector {
        self.mechanism.point(marker.body(), marker.place(), &self.guess.q)
    }

    /// Finds the places that matter, and the size of everything.
    fn measure(&mut self) {
        let mut markers: Vec<Marker> = Vec::new();
        for joint in self.built.joints.iter().filter(|joint| !PLACELESS.contains(&joint.kind)) {
            markers.extend(joint.markers);
        }
        for (_, sight) in &self.built.sights {
            match sight {
                Sight::Between { ends, .. } => markers.extend(ends),
                Sight::Ball { at, .. } | Sight::Wheel { at, .. } | Sight::Force { at, .. } => markers.push(*at),
                Sight::Plane { .. } => {}
            }
        }
        markers.extend(self.built.laws.iter().filter_map(|law| match &law.acts {
            Acts::Point(at, _) => Some(*at),
            _ => None,
        }));
        for marker in &markers {
            if let Some(body) = self.body_of(marker) {
                self.places[body].push(marker.place());
            }
        }
        let mut all: Vec<Vector> = markers.iter().map(|marker| self.at_start(marker)).collect();
        for (at, body) in self.built.bodies.iter().enumerate() {
            self.places[at].extend(body.points.values());
            all.extend(body.points.values().map(|point| self.at_start(&body.id.at(*point))));
            all.push(self.at_start(&body.id.at(body.centre)));
            for (shape, centre) in &body.shapes {
                let reach = match shape {
                    Shape::Cuboid(edges) => 0.5 * length(*edges),
                    Shape::Sphere(radius) => *radius,
                    Shape::Cylinder(radius, half, _) | Shape::Capsule(radius, half, _) => radius + 0.5 * half,
                };
                let centre = self.at_start(&body.id.at(*centre));
                all.extend([-reach, reach].map(|reach| centre.map(|x| x + reach)));
            }
        }
        for joint in &self.built.joints {
            let centre = self.at_start(&joint.markers[1]);
            all.extend([-joint.radius, joint.radius].map(|radius| centre.map(|x| x + radius)));
        }
        let span = |i: usize| {
            let ends = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x[i]), b.max(x[i])));
            (ends.1 - ends.0).max(0.0)
        };
        let size = length([span(0), span(1), span(2)]);
        self.size = if size > 0.0 && size.is_finite() { size } else { 1.0 };
    }

    /// A bar between two places of a body.
    fn bar(&mut self, body: usize, from: Vector, to: Vector) {
        let radius = (THIN * self.size).min(SLENDER * length(less(to, from)));
        let (from, to) = (self.on(Some(body), from), self.on(Some(body), to));
        self.usual(body, Figure::Cylinder { from, to, radius: Quantity::Fixed(radius), rounded: true });
    }

    fn usual(&mut self, body: usize, figure: Figure) {
        let name = &self.built.bodies[body].name;
        self.canvas.add_usual(name, name, figure);
    }

    fn body(&mut self, body: usize) {
        let built = self.built;
        let drawn = &built.bodies[body];
        if !drawn.shapes.is_empty() {
            for (shape, centre) in &drawn.shapes {
                self.solid(body, shape, *centre);
            }
            return;
        }
        let mut places: Vec<Vector> = Vec::new();
        for place in &self.places[body] {
            if places.iter().all(|other| length(less(*other, *place)) > SAME * self.size) {
                places.push(*place);
            }
        }
        let [first, ..] = places[..] else {
            let at = self.on(Some(body), drawn.centre);
            return self.usual(body, Figure::Point { at });
        };
        // The farthest two, and whether all others are between them.
        let far = |from: Vector| {
            let away = |x: &Vector| length(less(*x, from));
            places.iter().copied().max_by(|x, y| away(x).total_cmp(&away(y))).unwrap_or(from)
        };
        let (a, b) = (far(first), far(far(first)));
        let span = less(b, a);
        let straight = |x: Vector| {
            let t = dot(less(x, a), span) / dot(span, span);
            length(less(along(a, t, span), x)) <= 1e-6 * length(span)
        };
        if places.len() == 1 {
            if length(less(first, drawn.centre)) > SAME * self.size {
                self.bar(body, first, drawn.centre);
            }
            let at = self.on(Some(body), drawn.centre);
            return self.usual(body, Figure::Point { at });
        }
        if places.iter().all(|place| straight(*place)) {
            return self.bar(body, a, b);
        }
        let count = places.len() as f64;
        let middle = [0, 1, 2].map(|i| places.iter().map(|x| x[i]).sum::<f64>() / count);
        if built.planar || places.len() == 3 {
            let order = ring(&places, middle);
            for (i, place) in order.iter().enumerate() {
                self.bar(body, *place, order[(i + 1) % order.len()]);
            }
            return;
        }
        for place in places {
            if length(less(place, middle)) > SAME * self.size {
                self.bar(body, middle, place);
            }
        }
    }

    fn solid(&mut self, body: usize, shape: &Shape, centre: Vector) {
        let at = self.on(Some(body), centre);
        let fixed = Quantity::Fixed;
        match *shape {
            Shape::Cuboid(edges) => self.usual(body, Figure::Box { at, edges: edges.map(fixed), turn: Turn::None }),
            Shape::Sphere(radius) => self.usual(body, Figure::Sphere { at, radius: fixed(radius) }),
            Shape::Cylinder(radius, _, axis) if self.built.planar && axis[2].abs() > 0.5 && radius > 0.0 => {
                self.wheel(body, centre, axis, radius);
            }
            Shape::Cylinder(radius, long, axis) | Shape::Capsule(radius, long, axis) => {
                let [from, to] = [-0.5, 0.5].map(|half| self.on(Some(body), along(centre, half * long, axis)));
                self.usual(
                    body,
                    match radius > 0.0 {
                        true => {
                            let rounded = matches!(shape, Shape::Capsule(..));
                            Figure::Cylinder { from, to, radius: fixed(radius), rounded }
                        }
                        false => Figure::Line { points: vec![from, to], closed: false },
                    },
                );
            }
        }
    }

    /// A circle with a spoke, so that its turning is seen.
    fn wheel(&mut self, body: usize, centre: Vector, axis: Vector, radius: f64) {
        let at = self.on(Some(body), centre);
        self.usual(body, Figure::Circle { at, radius: Quantity::Fixed(radius), axis });
        let rim = self.on(Some(body), along(centre, radius, across(axis)));
        self.usual(body, Figure::Line { points: vec![at, rim], closed: false });
    }

    /// Wheels and balls that roll or touch.
    fn wheels(&mut self) {
        let built = self.built;
        let mut found: Vec<(Marker, f64, bool)> = Vec::new();
        for joint in built.joints.iter().filter(|joint| joint.radius > 0.0) {
            found.push((joint.markers[1], joint.radius, joint.kind == "rolling disk"));
        }
        for (_, sight) in &built.sights {
            match sight {
                Sight::Wheel { at, radius } => found.push((*at, *radius, true)),
                Sight::Ball { at, radius } => found.push((*at, *radius, false)),
                _ => {}
            }
        }
        let mut round = HashSet::new();
        for (marker, radius, disk) in found {
            let Some(body) = self.body_of(&marker) else { continue };
            if self.shown.contains(&body) || !built.bodies[body].shapes.is_empty() {
                continue;
            }
            round.insert(body);
            let centre = marker.place();
            if disk || built.planar {
                self.wheel(body, centre, if built.planar { [0.0, 0.0, 1.0] } else { marker.z() }, radius);
                continue;
            }
            let at = self.on(Some(body), centre);
            self.usual(body, Figure::Sphere { at, radius: Quantity::Fixed(radius) });
            // Two great circles show how a ball turns.
            for axis in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]] {
                self.usual(body, Figure::Circle { at, radius: Quantity::Fixed(radius), axis });
            }
        }
        self.shown.extend(round);
    }
}

/// Places in the order in which one meets them going round their middle.
fn ring(places: &[Vector], middle: Vector) -> Vec<Vector> {
    let first = less(places[0], middle);
    let Some(other) = places.iter().map(|place| less(*place, middle)).find(|x| {
        let across = length(along(*x, -dot(*x, first) / dot(first, first), first));
        across > 1e-6 * length(*x)
    }) else {
        return places.to_vec();
    };
    let second = along(other, -dot(other, first) / dot(first, first), first);
    let angle = |place: &Vector| {
        let x = less(*place, middle);
        (dot(x, second) / length(second)).atan2(dot(x, first) / length(first))
    };
    let mut order = places.to_vec();
    order.sort_by(|x, y| angle(x).total_cmp(&angle(y)));
    order
}
