//! Figures that look the same in the plane and in space: dots, lines, circles, words, and what lies in the plane.

use super::{Stage, layer};
use crate::color::Color;
use crate::sketch::{Anchor, Paint, Shape};
use crate::vector::{Spot, Vector, along, beside, cross, unit};

/// Widths of lines, in pixels.
pub(super) const THICK: f64 = 4.0;
pub(super) const MIDDLE: f64 = 2.2;
pub(super) const THIN: f64 = 1.3;
/// Corners of a circle that is seen from the side.
pub(super) const ROUND: usize = 36;

/// The inside of something of this colour.
pub(super) fn pale(color: Color) -> Color {
    color.mixed(Color::WHITE, 0.62)
}

impl Stage<'_> {
    /// Where a point is, and how near: nothing is nearer than another thing in the plane.
    pub(super) fn spot(&self, p: Vector) -> (Spot, f64) {
        let (spot, depth) = self.view.spot(p);
        (spot, if self.scene.planar { 0.0 } else { depth })
    }

    /// Layers tell what is in front in the plane; in space depths do.
    pub(super) fn solid_layer(&self, layer: u8) -> u8 {
        if self.scene.planar { layer } else { layer::BAR }
    }

    pub(super) fn dot(&self, at: Vector, color: Color) -> Shape {
        let (spot, depth) = self.spot(at);
        let paint = Paint::line(Color::WHITE, 1.0).with_fill(color);
        Shape::circle(spot, 4.2, paint).placed(self.solid_layer(layer::JOINT), depth)
    }

    pub(super) fn polyline(&self, points: &[Vector], closed: bool, color: Color) -> Shape {
        let (spots, depths): (Vec<Spot>, Vec<f64>) = points.iter().map(|p| self.spot(*p)).unzip();
        let depth = depths.iter().sum::<f64>() / depths.len().max(1) as f64;
        if closed {
            let opacity = if self.scene.planar { 1.0 } else { 0.8 };
            let paint = Paint::line(color, MIDDLE).with_fill(pale(color)).with_opacity(opacity);
            return Shape::polygon(spots, paint).placed(self.solid_layer(layer::AREA), depth);
        }
        // Many corners are a curve or an outline, few are bars.
        let width = if points.len() > 8 { MIDDLE } else { THICK };
        let enough = points.len() > 1;
        Shape::line(spots, Paint::line(color, width)).placed(layer::BAR, depth).only_if(enough)
    }

    pub(super) fn ring(&self, centre: Vector, radius: f64, axis: Vector, color: Color) -> Shape {
        let paint = Paint::line(color, MIDDLE).with_fill(pale(color));
        let (spot, depth) = self.spot(centre);
        if self.scene.planar {
            return Shape::circle(spot, self.view.scale * radius.abs(), paint).placed(layer::AREA, 0.0);
        }
        let axis = unit(axis, [0.0, 0.0, 1.0]);
        let first = beside(axis);
        let second = cross(axis, first);
        let corners = self.around(centre, radius, first, second, 0.0, std::f64::consts::TAU, ROUND);
        Shape::polygon(corners, paint.with_opacity(0.8)).placed(layer::BAR, depth)
    }

    /// Places on a circle: `centre + radius (cos a · first + sin a · second)` from one angle on, the other not included.
    pub(super) fn around(
        &self,
        centre: Vector,
        radius: f64,
        first: Vector,
        second: Vector,
        from: f64,
        to: f64,
        count: usize,
    ) -> Vec<Spot> {
        let place = |k: usize| {
            let (sin, cos) = (from + (to - from) * k as f64 / count as f64).sin_cos();
            self.spot(along(along(centre, radius * cos, first), radius * sin, second)).0
        };
        (0..count).map(place).collect()
    }

    /// A box in the plane.
    pub(super) fn plate(&self, centre: Vector, axes: [Vector; 3], color: Color) -> Shape {
        let corner = |(a, b): (f64, f64)| self.spot(along(along(centre, a, axes[0]), b, axes[1])).0;
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(corner).to_vec();
        Shape::polygon(corners, Paint::line(color, MIDDLE).with_fill(pale(color))).placed(layer::AREA, 0.0)
    }

    /// A cylinder in the plane: a rectangle.
    pub(super) fn bar(&self, ends: [Vector; 2], radius: f64, color: Color) -> Shape {
        let [(a, _), (b, _)] = ends.map(|end| self.spot(end));
        let half = (self.view.scale * radius.abs()).max(1.5);
        let (_, [nx, ny], _) = direction(a, b);
        let corner = |[x, y]: Spot, side: f64| [x + side * half * nx, y + side * half * ny];
        let corners = vec![corner(a, 1.0), corner(b, 1.0), corner(b, -1.0), corner(a, -1.0)];
        Shape::polygon(corners, Paint::line(color, MIDDLE).with_fill(pale(color))).placed(layer::BAR, 0.0)
    }

    /// A cylinder with round ends: a wide line within a wider one, in space with a bright streak.
    pub(super) fn capsule(&self, ends: [Vector; 2], radius: f64, color: Color, shapes: &mut Vec<Shape>) {
        let [(a, near), (b, far)] = ends.map(|end| self.spot(end));
        let (planar, depth) = (self.scene.planar, 0.5 * (near + far));
        let width = (2.0 * self.view.scale * radius.abs()).max(5.0);
        let inside = if planar { pale(color) } else { color.mixed(Color::WHITE, 0.3) };
        let line =
            |width: f64, color: Color| Shape::line(vec![a, b], Paint::line(color, width)).placed(layer::BAR, depth);
        shapes.push(line(width, if planar { color } else { color.mixed(Color::BLACK, 0.3) }));
        shapes.push(line((width - 2.0 * THIN - 0.8).max(2.0), inside));
        if !planar {
            let shift = -0.2 * width;
            let streak = vec![[a[0] + 0.6 * shift, a[1] + shift], [b[0] + 0.6 * shift, b[1] + shift]];
            let paint = Paint::line(Color::WHITE, 0.22 * width).with_opacity(0.45);
            shapes.push(Shape::line(streak, paint).placed(layer::BAR, depth).only_if(width > 8.0));
        }
    }

    pub(super) fn label(&self, at: Vector, text: &str, color: Color) -> Shape {
        let ([x, y], depth) = self.spot(at);
        Shape::words(text, [x + 9.0, y - 10.0], 15.0, Anchor::Left, color).haloed().placed(layer::WORDS, depth)
    }
}

/// The unit vector from one place to another, the one to its left, and the distance.
pub(super) fn direction(a: Spot, b: Spot) -> (Spot, Spot, f64) {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = dx.hypot(dy);
    let [ux, uy] = if length > 0.0 { [dx / length, dy / length] } else { [1.0, 0.0] };
    ([ux, uy], [uy, -ux], length)
}
