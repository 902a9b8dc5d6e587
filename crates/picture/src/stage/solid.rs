//! Solid things in space: balls, bricks, drums. Each face has one brightness, after its direction to a light behind the left shoulder.

use super::flat::{MIDDLE, ROUND, THIN, pale};
use super::{Stage, layer};
use crate::color::Color;
use crate::sketch::{Paint, Shape};
use crate::vector::{Vector, along, beside, cross, dot, minus, times, unit};

/// The direction to the light: right, up and towards the eye in the picture.
const LIGHT: Vector = [-0.36, 0.76, 0.54];

impl Stage<'_> {
    /// The colour of a face with this normal.
    pub(super) fn lit(&self, color: Color, normal: Vector) -> Color {
        let bright = dot(self.view.camera.seen(unit(normal, [0.0; 3])), LIGHT);
        // From a quarter towards black in the shade to a half towards white in full light.
        let base = color.mixed(Color::WHITE, 0.22);
        if bright >= 0.0 { base.mixed(Color::WHITE, 0.5 * bright) } else { base.mixed(Color::BLACK, -0.28 * bright) }
    }

    /// Colours of edges.
    fn edge(color: Color) -> Color {
        color.mixed(Color::BLACK, 0.35)
    }

    pub(super) fn ball(&self, centre: Vector, radius: f64, color: Color, shapes: &mut Vec<Shape>) {
        let ([x, y], depth) = self.spot(centre);
        let pixels = self.view.scale * radius.abs();
        if self.scene.planar {
            let paint = Paint::line(color, MIDDLE).with_fill(pale(color));
            shapes.push(Shape::circle([x, y], pixels, paint).placed(layer::AREA, 0.0));
            return;
        }
        let mut disc = |shift: f64, part: f64, paint: Paint| {
            let at = [x + shift * pixels * LIGHT[0], y - shift * pixels * LIGHT[1]];
            shapes.push(Shape::circle(at, part * pixels, paint).placed(layer::BAR, depth));
        };
        let base = color.mixed(Color::WHITE, 0.12);
        disc(0.0, 1.0, Paint::line(Self::edge(color), THIN).with_fill(base));
        disc(0.22, 0.7, Paint::area(base.mixed(Color::WHITE, 0.22)));
        disc(0.42, 0.36, Paint::area(base.mixed(Color::WHITE, 0.52)));
    }

    /// A box: of its six faces those are shown that look towards the eye.
    pub(super) fn brick(&self, centre: Vector, axes: [Vector; 3], color: Color, shapes: &mut Vec<Shape>) {
        for k in 0..3 {
            let (first, second) = (axes[(k + 1) % 3], axes[(k + 2) % 3]);
            let outward = cross(first, second);
            // Boxes of no thickness still have a normal, and left-handed axes an outside.
            let outward = if dot(outward, axes[k]) < 0.0 { times(-1.0, outward) } else { outward };
            for side in [1.0, -1.0] {
                let normal = times(side, outward);
                let middle = along(centre, side, axes[k]);
                let corner = |(a, b): (f64, f64)| self.spot(along(along(middle, a, first), b, second)).0;
                let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(corner).to_vec();
                let paint = Paint::line(Self::edge(color), THIN).with_fill(self.lit(color, normal));
                // A brick is one thing among others: its faces do not cover each other.
                let depth = self.spot(centre).1;
                let seen = dot(normal, self.view.camera.eye) > 0.0;
                shapes.push(Shape::polygon(corners, paint).placed(layer::BAR, depth).only_if(seen));
            }
        }
    }

    /// A cylinder: its outline and the end that looks towards the eye.
    pub(super) fn drum(&self, ends: [Vector; 2], radius: f64, color: Color, layer: u8, shapes: &mut Vec<Shape>) {
        let eye = self.view.camera.eye;
        let [far, near] = if dot(minus(ends[1], ends[0]), eye) < 0.0 { [ends[1], ends[0]] } else { ends };
        let axis = unit(minus(near, far), eye);
        // The outline leaves the rims where a radius is perpendicular to the axis and to the look.
        let first = unit(cross(axis, eye), beside(axis));
        let second = cross(axis, first);
        // The second direction is the one that is seen beyond the near end.
        let ahead = self.view.camera.seen(axis);
        let shown = self.view.camera.seen(second);
        let second = if ahead[0] * shown[0] + ahead[1] * shown[1] < 0.0 { times(-1.0, second) } else { second };
        let pi = std::f64::consts::PI;
        let radius = radius.abs().max(1.5 / self.view.scale);
        let half = ROUND / 2;
        let mut outline = self.around(near, radius, first, second, 0.0, pi, half);
        outline.extend(self.around(far, radius, first, second, pi, 2.0 * pi, half));
        let depth = 0.5 * (self.spot(near).1 + self.spot(far).1);
        let side = self.lit(color, unit(minus(eye, times(dot(eye, axis), axis)), eye));
        let paint = |fill: Color| Paint::line(Self::edge(color), THIN).with_fill(fill);
        shapes.push(Shape::polygon(outline, paint(side)).placed(layer, depth));
        let rim = self.around(near, radius, first, second, 0.0, 2.0 * pi, ROUND);
        shapes.push(Shape::polygon(rim, paint(self.lit(color, axis))).placed(layer, depth));
    }
}
