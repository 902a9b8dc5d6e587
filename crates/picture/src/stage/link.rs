//! What joins two points: springs, dampers, arrows, and the paths of points.
//!
//! Springs and dampers are drawn in the picture between the places of their ends, in space too: a coil that is seen from any side looks
//! like a zigzag line.

use super::flat::{MIDDLE, THIN, direction};
use super::measure::kind;
use super::{Path, Stage, layer};
use crate::color::Color;
use crate::scene::{Arrow, Figure};
use crate::sketch::{Paint, Shape};
use crate::vector::{Spot, Vector, along};

/// The straight ends of a spring, each as a part of its length.
const LEAD: f64 = 0.1;
/// Half the width of a spring or damper that says none, as a part of its length at the start, and its limits in pixels.
const SLIM: f64 = 0.09;
const SLIMMEST: f64 = 4.0;
const WIDEST: f64 = 13.0;
/// Length and half width of the head of an arrow, in pixels.
const HEAD: f64 = 11.0;
const HALF_HEAD: f64 = 4.4;
/// Arrows shorter than this are not drawn.
const SHORTEST: f64 = 1.5;

impl Stage<'_> {
    fn half_width(&self, radius: f64, start: f64) -> f64 {
        if radius > 0.0 { self.view.scale * radius } else { (SLIM * start * self.view.scale).clamp(SLIMMEST, WIDEST) }
    }

    pub(super) fn spring(&self, ends: [Vector; 2], coils: usize, radius: f64, start: f64, color: Color) -> Shape {
        let [(a, near), (b, far)] = ends.map(|end| self.spot(end));
        let half = self.half_width(radius, start);
        let (u, n, length) = direction(a, b);
        let place = |s: f64, side: f64| [0, 1].map(|k| a[k] + s * length * u[k] + side * half * n[k]);
        // Two turning points for each winding, one at each side.
        let turns = 2 * coils.clamp(1, 60);
        let mut spots = vec![a, place(LEAD, 0.0)];
        for k in 0..turns {
            let s = LEAD + (1.0 - 2.0 * LEAD) * (k as f64 + 0.5) / turns as f64;
            spots.push(place(s, if k % 2 == 0 { 1.0 } else { -1.0 }));
        }
        spots.extend([place(1.0 - LEAD, 0.0), b]);
        Shape::line(spots, Paint::line(color, MIDDLE)).placed(layer::BAR, 0.5 * (near + far))
    }

    pub(super) fn damper(&self, ends: [Vector; 2], radius: f64, start: f64, color: Color) -> Shape {
        let [(a, near), (b, far)] = ends.map(|end| self.spot(end));
        let half = self.half_width(radius, start);
        let (u, n, length) = direction(a, b);
        let place = |s: f64, side: f64| [0, 1].map(|k| a[k] + s * u[k] + side * half * n[k]);
        // The pot belongs to one end and the piston to the other: both keep their size.
        let start = self.view.scale * start;
        let bottom = (0.25 * start).min(0.4 * length);
        let rim = bottom + 0.5 * start;
        let piston = (length - 0.5 * start).clamp(bottom + 0.06 * start, rim);
        let lines = vec![
            vec![a, place(bottom, 0.0)],
            vec![place(rim, 1.0), place(bottom, 1.0), place(bottom, -1.0), place(rim, -1.0)],
            vec![place(piston, 0.8), place(piston, -0.8)],
            vec![place(piston, 0.0), b],
        ];
        let outline = crate::sketch::Outline::Lines { lines, closed: false };
        Shape::new(outline, Paint::line(color, MIDDLE)).placed(layer::BAR, 0.5 * (near + far))
    }

    /// A vector: its shaft and its head. A torque has two heads; in the plane, where it points at the eye, it is an arc.
    pub(super) fn arrow(&self, at: Vector, vector: Vector, of: Arrow, color: Color, shapes: &mut Vec<Shape>) {
        let scale = self.arrows[kind(of)];
        if of == Arrow::Torque && self.scene.planar {
            return self.arc(at, scale * vector[2], color, shapes);
        }
        let (a, depth) = self.spot(at);
        let (b, _) = self.spot(along(at, scale, vector));
        let (u, n, length) = direction(a, b);
        let head = HEAD.min(0.6 * length);
        let back = |s: f64, side: f64| [0, 1].map(|k| b[k] - s * u[k] + side * n[k]);
        let wing = HALF_HEAD * head / HEAD;
        let seen = length > SHORTEST;
        let shaft =
            Shape::line(vec![a, back(0.8 * head, 0.0)], Paint { round: false, ..Paint::line(color, MIDDLE + 0.2) });
        shapes.push(shaft.placed(layer::ARROW, depth).only_if(seen));
        for k in 0..if of == Arrow::Torque { 2 } else { 1 } {
            let from = 0.75 * head * f64::from(k);
            let corners = vec![back(from, 0.0), back(from + head, wing), back(from + head, -wing)];
            shapes.push(Shape::polygon(corners, Paint::area(color)).placed(layer::ARROW, depth).only_if(seen));
        }
    }

    /// A torque in the plane: five sixths of a turn about its point, counterclockwise if it is positive.
    fn arc(&self, at: Vector, size: f64, color: Color, shapes: &mut Vec<Shape>) {
        let (centre, depth) = self.spot(at);
        let radius = 0.5 * self.view.scale * size.abs();
        let way = if size < 0.0 { -1.0 } else { 1.0 };
        let seen = radius > SHORTEST;
        let on = |part: f64, radius: f64| -> Spot {
            let (sin, cos) = (way * (part * 300.0 - 120.0)).to_radians().sin_cos();
            [centre[0] + radius * cos, centre[1] - radius * sin]
        };
        let head = HEAD.min(radius);
        // The head is as long as a piece of the arc.
        let piece = head / (radius.max(1e-9) * 300_f64.to_radians());
        let spots = (0..=24).map(|k| on((1.0 - 0.8 * piece) * f64::from(k) / 24.0, radius)).collect();
        let paint = Paint { round: false, ..Paint::line(color, MIDDLE + 0.2) };
        shapes.push(Shape::line(spots, paint).placed(layer::ARROW, depth).only_if(seen));
        let wing = HALF_HEAD * head / HEAD;
        let corners = vec![on(1.0, radius), on(1.0 - piece, radius + wing), on(1.0 - piece, radius - wing)];
        shapes.push(Shape::polygon(corners, Paint::area(color)).placed(layer::ARROW, depth).only_if(seen));
    }

    /// The whole path weakly, and what has been passed of it strongly.
    pub(super) fn path(&self, item: usize, t: f64, color: Color, shapes: &mut Vec<Shape>) {
        let Some(path) = &self.paths[item] else { return };
        let layer = layer::TRACE;
        let whole = |paint: Paint| Shape::line(path.spots.clone(), paint).placed(layer, f64::NEG_INFINITY);
        shapes.push(whole(Paint::line(color.mixed(Color::WHITE, 0.62), THIN)));
        let part = path.part(t);
        shapes.push(whole(Paint { part, ..Paint::line(color, MIDDLE) }).only_if(part > 0.0));
    }

    /// The paths of all traced points.
    pub(super) fn trace(&self) -> Vec<Option<Path>> {
        let path = |figure: &Figure| {
            let Figure::Trace { at } = figure else { return None };
            let mut path = Path { spots: Vec::new(), t: Vec::new(), length: Vec::new() };
            for (k, t) in self.motion.t.iter().enumerate() {
                let channels = self.motion.frame(k);
                let (spot, _) = self.spot(at.world(&self.scene.poses(channels), channels));
                if spot.iter().all(|x| x.is_finite()) {
                    path.push(*t, spot);
                }
            }
            (path.spots.len() > 1).then_some(path)
        };
        self.scene.items.iter().map(|item| path(&item.figure)).collect()
    }
}

impl Path {
    fn push(&mut self, t: f64, spot: Spot) {
        let step = self.spots.last().map_or(0.0, |last| (spot[0] - last[0]).hypot(spot[1] - last[1]));
        self.length.push(self.length.last().copied().unwrap_or_default() + step);
        self.spots.push(spot);
        self.t.push(t);
    }

    /// Which part of the whole length has been passed at a time.
    fn part(&self, t: f64) -> f64 {
        let total = self.length.last().copied().unwrap_or_default();
        let after = self.t.partition_point(|other| *other <= t);
        if after == 0 || total <= 0.0 {
            return 0.0;
        }
        if after == self.t.len() {
            return 1.0;
        }
        let (from, to) = (self.t[after - 1], self.t[after]);
        let within = (t - from) / (to - from);
        (self.length[after - 1] + within * (self.length[after] - self.length[after - 1])) / total
    }
}
