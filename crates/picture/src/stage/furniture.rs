//! What stands around a scene: background, grid on the ground, title, scale bar, time.

use super::{Stage, layer};
use crate::color::Color;
use crate::sketch::{Anchor, Outline, Paint, Shape};
use crate::vector::{along, beside, clipped, cross, dot, unit};

/// Words of a picture.
const INK: Color = Color(0x1b, 0x1f, 0x24);
const FAINT: Color = Color(0x5a, 0x63, 0x6d);
/// The scale bar is about this long, in pixels, where the time beside it leaves that much room.
const BAR: f64 = 110.0;
/// What the time and the margins of both take.
const CLOCK: f64 = 135.0;
/// Cells of the ground along an edge, about.
const CELLS: f64 = 10.0;

impl Stage<'_> {
    /// Background and ground: the same at all times.
    pub(crate) fn backdrop(&self) -> Vec<Shape> {
        let [width, height] = self.size();
        let corners = vec![[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]];
        let mut shapes =
            vec![Shape::polygon(corners, Paint::area(Color::WHITE)).placed(layer::GROUND, f64::NEG_INFINITY)];
        if !self.scene.planar {
            shapes.push(self.ground().placed(layer::GROUND, 0.0));
        }
        shapes
    }

    /// A grid below everything, in round cells.
    fn ground(&self) -> Shape {
        let up = unit(self.scene.up, [0.0, 0.0, 1.0]);
        let level = along([1.0, 0.0, 0.0], -up[0], up);
        let first = if up[0].abs() < 0.9 { unit(level, beside(up)) } else { beside(up) };
        let second = cross(up, first);
        let bounds = &self.bounds;
        // The range of the corners of the bounds along a direction.
        let range = |axis| {
            let corner =
                |k: usize| std::array::from_fn(|j| if k >> j & 1 == 0 { bounds.least[j] } else { bounds.most[j] });
            let places = (0..8).map(|k| dot(corner(k), axis));
            places.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
        };
        let cell = round(bounds.size() / CELLS * 1.2);
        let floor = range(up).0;
        let cells = |axis| {
            let (from, to) = range(axis);
            // One cell around everything, and a square of some cells where there is nothing.
            let (from, to) = ((from / cell).floor() - 1.0, (to / cell).ceil() + 1.0);
            let lack = (0.5 * (5.0 - (to - from))).max(0.0).ceil();
            (from - lack, to + lack)
        };
        let ((a, b), (c, d)) = (cells(first), cells(second));
        let on = |x: f64, y: f64| {
            self.view.spot(along(along(along([0.0; 3], x * cell, first), y * cell, second), floor, up)).0
        };
        let along_second = (0..=(b - a) as usize).map(|k| vec![on(a + k as f64, c), on(a + k as f64, d)]);
        let along_first = (0..=(d - c) as usize).map(|k| vec![on(a, c + k as f64), on(b, c + k as f64)]);
        // Nothing beyond the picture: several of them may stand on one sheet.
        let inside = |line: Vec<[f64; 2]>| {
            let (from, to) = clipped(line[0], line[1], self.size())?;
            let on = |s: f64| [0, 1].map(|k| line[0][k] + s * (line[1][k] - line[0][k]));
            Some(vec![on(from), on(to)])
        };
        let lines = along_second.chain(along_first).filter_map(inside).collect();
        Shape::new(Outline::Lines { lines, closed: false }, Paint::line(Color(0xd3, 0xd8, 0xde), 1.0))
    }

    /// Title and scale bar: the same at all times.
    pub(crate) fn caption(&self) -> Vec<Shape> {
        let [width, height] = self.size();
        let mut shapes = Vec::new();
        if !self.look.title.is_empty() {
            shapes.push(title(&self.look.title, width));
        }
        let length = round(BAR.min(width - CLOCK).max(0.1 * BAR) / self.view.scale);
        let pixels = self.view.scale * length;
        let (left, y) = (20.0, height - 20.0);
        let unit = if self.scene.unit.is_empty() { String::new() } else { format!(" {}", self.scene.unit) };
        let ends = vec![vec![[left, y - 5.0], [left, y], [left + pixels, y], [left + pixels, y - 5.0]]];
        shapes.push(Shape::new(Outline::Lines { lines: ends, closed: false }, Paint::line(FAINT, 1.5)));
        shapes.push(Shape::words(
            &format!("{}{unit}", short(length)),
            [left + 0.5 * pixels, y - 11.0],
            13.0,
            Anchor::Center,
            FAINT,
        ));
        for shape in &mut shapes {
            shape.layer = layer::WORDS;
        }
        shapes
    }

    /// What time it is.
    pub(crate) fn clock(&self, time: &str) -> Shape {
        let [width, height] = self.size();
        let words = format!("t = {time} s");
        let shape = Shape::words(&words, [width - 20.0, height - 24.0], 15.0, Anchor::Right, INK);
        shape.placed(layer::WORDS, 0.0).only_if(!self.motion.is_empty())
    }

    /// A line for the time that passes, with its ends.
    pub(crate) fn dial(&self) -> Vec<Shape> {
        let [[left, y], [right, _]] = self.dial_ends();
        let (from, to) = self.motion.span();
        let words = |text: String, x: f64, anchor: Anchor| Shape::words(&text, [x, y - 12.0], 13.0, anchor, FAINT);
        let mut shapes = vec![
            Shape::line(vec![[left, y], [right, y]], Paint::line(Color(0xb9, 0xc1, 0xc9), 3.0)),
            words(format!("t = {}", short_time(from)), left, Anchor::Left),
            words(format!("{} s", short_time(to)), right, Anchor::Right),
        ];
        for shape in &mut shapes {
            shape.layer = layer::WORDS;
        }
        shapes
    }

    /// The mark on the line of the time.
    pub(crate) fn hand(&self, t: f64) -> Shape {
        let [[left, y], [right, _]] = self.dial_ends();
        let (from, to) = self.motion.span();
        let part = if to > from { (t - from) / (to - from) } else { 0.0 };
        Shape::circle([left + part * (right - left), y], 5.0, Paint::area(INK)).placed(layer::WORDS, 1.0)
    }

    fn dial_ends(&self) -> [[f64; 2]; 2] {
        let [width, height] = self.size();
        [[0.45 * width, height - 18.0], [width - 22.0, height - 18.0]]
    }

    /// A time with as many decimals as frames need.
    pub(crate) fn time(&self, t: f64) -> String {
        let (from, to) = self.motion.span();
        let decimals = if to > from { (2.0 - (to - from).log10()).ceil().clamp(0.0, 9.0) as usize } else { 3 };
        let words = format!("{t:.decimals$}");
        if words.len() > 14 { format!("{t:.3e}") } else { words }
    }
}

/// Words above a picture of some width; letters get smaller where they are many.
pub(crate) fn title(words: &str, width: f64) -> Shape {
    let size = (1.6 * (width - 40.0) / words.chars().count().max(1) as f64).clamp(9.0, 18.0);
    Shape::words(words, [0.5 * width, 26.0], size, Anchor::Center, INK).bolder().placed(layer::WORDS, 0.0)
}

/// One, two or five times a power of ten, at most this number.
pub(crate) fn round(x: f64) -> f64 {
    if !(x.is_finite() && x > 0.0) {
        return 1.0;
    }
    let power = 10_f64.powf(x.log10().floor());
    // A number that is just below a round one by rounding is that one.
    let digit = [5.0, 2.0, 1.0].into_iter().find(|digit| digit * power <= x * (1.0 + 1e-9)).unwrap_or(1.0);
    digit * power
}

/// A time with a few digits.
fn short_time(t: f64) -> String {
    if t == 0.0 || (1e-3..1e6).contains(&t.abs()) { format!("{}", (t * 1e4).round() / 1e4) } else { format!("{t:.2e}") }
}

/// A round number without the digits of rounding.
pub(crate) fn short(x: f64) -> String {
    if (1e-4..1e6).contains(&x.abs()) { format!("{}", (x * 1e9).round() / 1e9) } else { format!("{x:.0e}") }
}
