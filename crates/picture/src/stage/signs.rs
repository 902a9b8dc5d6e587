//! Signs of fixed size: joints and planes.

use super::flat::{MIDDLE, THIN};
use super::{Stage, layer};
use crate::color::Color;
use crate::scene::Sign;
use crate::sketch::{Outline, Paint, Shape};
use crate::vector::{Spot, Vector, along, beside, clipped, cross, times, unit};

/// The radius of a pin, in pixels.
const PIN: f64 = 4.6;
/// Joints are seen before what they join: how much nearer they are, as a part of the scene.
const BEFORE: f64 = 0.02;
/// Hatches below a plane: their distance and their size in pixels.
const HATCHES: f64 = 14.0;
const HATCH: f64 = 9.0;
/// Half the edge of the piece of a plane that is drawn in space, as a part of the scene, and the cells along it.
const PIECE: f64 = 0.75;
const CELLS: i32 = 6;

impl Stage<'_> {
    pub(super) fn joint(
        &self,
        at: Vector,
        axis: Vector,
        sign: Sign,
        ground: bool,
        color: Color,
        shapes: &mut Vec<Shape>,
    ) {
        if self.scene.planar {
            self.flat_joint(at, axis, sign, ground, color, shapes)
        } else {
            self.solid_joint(at, axis, sign, color, shapes)
        }
    }

    fn flat_joint(&self, at: Vector, axis: Vector, sign: Sign, ground: bool, color: Color, shapes: &mut Vec<Shape>) {
        let (spot, _) = self.spot(at);
        let [x, y] = spot;
        let paint = Paint::line(color, 1.7).with_fill(Color::WHITE);
        let mut put = |shape: Shape| shapes.push(shape.placed(layer::JOINT, 0.0));
        if ground && sign == Sign::Pin {
            let hatches = (-2..=2).map(|k| {
                let right = x + 5.5 * f64::from(k);
                vec![[right, y + 17.0], [right - 4.5, y + 22.5]]
            });
            let lines = hatches.chain([vec![[x - 15.0, y + 17.0], [x + 15.0, y + 17.0]]]).collect();
            put(Shape::new(Outline::Lines { lines, closed: false }, Paint::line(color, THIN)));
            let stand = vec![spot, [x - 10.0, y + 17.0], [x + 10.0, y + 17.0]];
            put(Shape::polygon(stand, Paint::line(color, THIN).with_fill(Color(0xd5, 0xda, 0xdf))));
        }
        let polygon = |places: &[Spot]| {
            // Signs are as large as in the picture, and turned as their axis is.
            let [dx, dy, _] = unit(axis, [1.0, 0.0, 0.0]);
            let size = dx.hypot(dy);
            let [cos, sin] = if size > 1e-9 { [dx / size, dy / size] } else { [1.0, 0.0] };
            places.iter().map(|[a, b]| [x + a * cos + b * sin, y - a * sin + b * cos]).collect::<Vec<Spot>>()
        };
        match sign {
            Sign::Pin => put(Shape::circle(spot, PIN, paint)),
            Sign::Ball => {
                put(Shape::circle(spot, PIN, Paint::line(color, 1.7).with_fill(color.mixed(Color::WHITE, 0.4))))
            }
            Sign::Slider => {
                put(Shape::polygon(polygon(&[[-12.0, -6.5], [12.0, -6.5], [12.0, 6.5], [-12.0, 6.5]]), paint));
            }
            Sign::Weld => {
                let fill = Paint::line(color, 1.7).with_fill(color);
                put(Shape::polygon(polygon(&[[-4.0, -4.0], [4.0, -4.0], [4.0, 4.0], [-4.0, 4.0]]), fill));
            }
            Sign::Other => put(Shape::polygon(polygon(&[[-6.0, 0.0], [0.0, -6.0], [6.0, 0.0], [0.0, 6.0]]), paint)),
        }
    }

    fn solid_joint(&self, at: Vector, axis: Vector, sign: Sign, color: Color, shapes: &mut Vec<Shape>) {
        let pixel = 1.0 / self.view.scale;
        let from = shapes.len();
        let axis = unit(axis, [0.0, 0.0, 1.0]);
        let steel = color.mixed(Color(0x8a, 0x94, 0x9e), 0.7);
        match sign {
            Sign::Pin => {
                let half = times(7.0 * pixel, axis);
                self.drum([along(at, -1.0, half), along(at, 1.0, half)], 4.5 * pixel, steel, layer::BAR, shapes);
            }
            Sign::Ball => self.ball(at, 6.0 * pixel, steel, shapes),
            Sign::Slider | Sign::Weld | Sign::Other => {
                let long = if sign == Sign::Slider { 12.0 } else { 5.0 };
                let first = beside(axis);
                let axes =
                    [times(long * pixel, axis), times(5.0 * pixel, first), times(5.0 * pixel, cross(axis, first))];
                self.brick(at, axes, steel, shapes);
            }
        }
        for shape in &mut shapes[from..] {
            shape.depth += BEFORE * self.bounds.size();
        }
    }

    /// A plane: a line with hatches in the plane, a piece with a grid in space.
    pub(super) fn plane(&self, at: Vector, normal: Vector, color: Color, shapes: &mut Vec<Shape>) {
        if !self.scene.planar {
            return self.solid_plane(at, normal, color, shapes);
        }
        let normal = unit([normal[0], normal[1], 0.0], [0.0, 1.0, 0.0]);
        // The foot of the middle of the motion: the line goes on beyond the picture on both sides of it.
        let middle = self.bounds.middle();
        let away: f64 = (0..2).map(|k| (middle[k] - at[k]) * normal[k]).sum();
        let (foot, _) = self.spot(along(middle, -away, normal));
        let (u, below) = ([normal[1], normal[0]], [-normal[0], normal[1]]);
        let reach = self.look.width + self.height;
        let on = |s: f64, depth: f64| [0, 1].map(|k| foot[k] + s * u[k] + depth * below[k]);
        let (from, to) = clipped(on(-reach, 0.0), on(reach, 0.0), self.size()).unwrap_or((0.5, 0.5));
        let (from, to) = ((2.0 * from - 1.0) * reach, (2.0 * to - 1.0) * reach);
        // As many hatches at any time, also where the plane moves; those beyond the picture are crowded at its edge.
        let count = (reach / HATCHES) as i32;
        let mut lines = vec![vec![on(from, 0.0), on(to, 0.0)]];
        lines.extend((-count..count).map(|k| {
            let s = (HATCHES * f64::from(k)).clamp(from, to);
            vec![on(s, 0.0), on((s - HATCH).max(from), HATCH.min(s - from))]
        }));
        let hatched = Outline::Lines { lines: lines.split_off(1), closed: false };
        shapes.push(Shape::new(hatched, Paint::line(color.mixed(Color::WHITE, 0.3), 1.0)).placed(layer::GROUND, 0.0));
        shapes.push(
            Shape::new(Outline::Lines { lines, closed: false }, Paint::line(color, MIDDLE)).placed(layer::GROUND, 0.0),
        );
    }

    fn solid_plane(&self, at: Vector, normal: Vector, color: Color, shapes: &mut Vec<Shape>) {
        let normal = unit(normal, [0.0, 0.0, 1.0]);
        let middle = self.bounds.middle();
        let away: f64 = (0..3).map(|k| (middle[k] - at[k]) * normal[k]).sum();
        let foot = along(middle, -away, normal);
        // Along the first axis where that lies in the plane, as the grid of the ground.
        let level = along([1.0, 0.0, 0.0], -normal[0], normal);
        let first = unit(if normal[0].abs() < 0.9 { level } else { beside(normal) }, beside(normal));
        let second = cross(normal, first);
        let half = PIECE * self.bounds.size();
        let on = |a: f64, b: f64| self.spot(along(along(foot, half * a, first), half * b, second)).0;
        let corners = vec![on(-1.0, -1.0), on(1.0, -1.0), on(1.0, 1.0), on(-1.0, 1.0)];
        let fill = Paint::line(color, THIN).with_fill(color.mixed(Color::WHITE, 0.8)).with_opacity(0.7);
        shapes.push(Shape::polygon(corners, fill).placed(layer::GROUND, 1.0));
        let cells = (-CELLS + 1..CELLS).flat_map(|k| {
            let s = f64::from(k) / f64::from(CELLS);
            [vec![on(s, -1.0), on(s, 1.0)], vec![on(-1.0, s), on(1.0, s)]]
        });
        let grid = Outline::Lines { lines: cells.collect(), closed: false };
        let paint = Paint::line(color.mixed(Color::WHITE, 0.5), 0.7).with_opacity(0.7);
        shapes.push(Shape::new(grid, paint).placed(layer::GROUND, 2.0));
    }
}
