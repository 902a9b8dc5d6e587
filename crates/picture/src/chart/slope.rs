//! Slope triangles: right-angled, one side along the abscissa, the other `order` times as many decades high.
//!
//! A triangle goes where it is nearest to a curve without touching any: all places of a coarse grid are tried.

use super::frame::{Frame, TICK_SIZE};
use super::pen::{Pen, Place};
use crate::color::Color;
use crate::sketch::Anchor;

/// Width of a triangle in decades: a factor of about two and a half.
const WIDTH: f64 = 0.4;
/// Largest width as a part of the frame, for short ladders.
const WIDEST: f64 = 0.14;
/// Pixels kept free around a triangle and its numbers.
const CLEAR: f64 = 12.0;
/// Room for the numbers: right of the triangle and below it.
const NUMBER: f64 = 18.0;
/// Pixels between two places that are tried.
const STRIDE: usize = 6;

/// A triangle on the sheet: right angle at the lower right, hypotenuse rising to the right.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Triangle {
    left: f64,
    bottom: f64,
    width: f64,
    height: f64,
}

impl Triangle {
    fn corners(self) -> [Place; 3] {
        let right = self.left + self.width;
        [(self.left, self.bottom), (right, self.bottom), (right, self.bottom - self.height)]
    }

    /// Points on the sides and around the numbers: close enough together to feel every curve that comes near.
    fn samples(self) -> Vec<Place> {
        let [a, b, c] = self.corners();
        let (number_below, number_right) = ((0.0, NUMBER), (NUMBER, 0.0));
        let shifted = |p: Place, by: Place| (p.0 + by.0, p.1 + by.1);
        let sides = [
            (a, b),
            (b, c),
            (c, a),
            (shifted(a, number_below), shifted(b, number_below)),
            (shifted(b, number_right), shifted(c, number_right)),
        ];
        let along = |(p, q): (Place, Place)| {
            (0..=6).map(move |k| {
                let s = f64::from(k) / 6.0;
                (p.0 + s * (q.0 - p.0), p.1 + s * (q.1 - p.1))
            })
        };
        sides.into_iter().flat_map(along).collect()
    }

    fn draw(self, pen: &mut Pen, order: f64) {
        let [a, b, c] = self.corners();
        pen.polygon(&[a, b, c], None, Some((Color::BLACK, 1.4)));
        pen.text("1", (0.5 * (a.0 + b.0), b.1 + 11.0), TICK_SIZE, Anchor::Center);
        pen.text(&format!("{order}"), (b.0 + 6.0, 0.5 * (b.1 + c.1)), TICK_SIZE, Anchor::Left);
    }
}

/// Draws a triangle for each order; one that finds no place is left out.
pub fn draw(pen: &mut Pen, frame: &Frame, curves: &[Vec<Place>], orders: &[f64]) {
    let Some((decade_x, decade_y)) = frame.decade() else { return };
    let width = (WIDTH * decade_x).min(WIDEST * (frame.right - frame.left));
    let mut obstacles: Vec<Vec<Place>> = curves.to_vec();
    // The steepest first: it is the tallest and hardest to place.
    let mut steep_first = orders.to_vec();
    steep_first.sort_by(|a, b| b.total_cmp(a));
    for order in steep_first {
        let height = order * width / decade_x * decade_y;
        // The curves of this slope: the triangle belongs next to one of them, at their fine end.
        let slope = height / width;
        let like: Vec<Vec<Place>> = curves.iter().filter(|curve| slope_at_fine_end(curve, slope)).cloned().collect();
        let near = if like.is_empty() { curves } else { &like };
        if let Some(triangle) = place(frame, near, &obstacles, width, height) {
            triangle.draw(pen, order);
            obstacles.push(triangle.samples());
        }
    }
}

/// Whether a curve ends, at its left, with about this slope (in pixels).
fn slope_at_fine_end(curve: &[Place], slope: f64) -> bool {
    let mut places = curve.to_vec();
    places.sort_by(|p, q| p.0.total_cmp(&q.0));
    match places[..] {
        [p, q, ..] => ((p.1 - q.1) / (q.0 - p.0) / slope - 1.0).abs() < 0.25,
        _ => false,
    }
}

/// The free place nearest to a curve of `near`.
fn place(frame: &Frame, near: &[Vec<Place>], obstacles: &[Vec<Place>], width: f64, height: f64) -> Option<Triangle> {
    let right = frame.right - width - NUMBER - CLEAR;
    let mut best: Option<(f64, Triangle)> = None;
    for bottom in ((frame.top + height + CLEAR) as usize..(frame.bottom - NUMBER - CLEAR) as usize).step_by(STRIDE) {
        for left in ((frame.left + CLEAR) as usize..right.max(0.0) as usize).step_by(STRIDE) {
            let triangle = Triangle { left: left as f64, bottom: bottom as f64, width, height };
            let samples = triangle.samples();
            if touches(&samples, obstacles) {
                continue;
            }
            // Where several are as near, the one in the middle of the frame: ends of curves are crowded.
            let off_centre = (triangle.left + 0.5 * width - 0.5 * (frame.left + frame.right)).abs();
            let (to_near, to_any) = (clearance(&samples, near), clearance(&samples, obstacles));
            // Next to another curve it would seem to speak of that one.
            let misleading = if to_any < to_near { 40.0 } else { 0.0 };
            // Low rather than high: figures of one paper look alike.
            let cost = to_near + misleading + 0.05 * off_centre - 0.03 * triangle.bottom;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, triangle));
            }
        }
    }
    best.map(|(_, triangle)| triangle)
}

/// Whether a curve comes too near: most places do, and the first piece found settles it.
fn touches(samples: &[Place], curves: &[Vec<Place>]) -> bool {
    let mut pieces = curves.iter().flat_map(|curve| curve.windows(2));
    pieces.any(|piece| samples.iter().any(|&p| distance(p, piece[0], piece[1]) < CLEAR))
}

/// Distance from the samples to the nearest curve.
fn clearance(samples: &[Place], curves: &[Vec<Place>]) -> f64 {
    let pieces = || curves.iter().flat_map(|curve| curve.windows(2));
    samples
        .iter()
        .flat_map(|&p| pieces().map(move |piece| distance(p, piece[0], piece[1])))
        .fold(f64::INFINITY, f64::min)
}

/// Distance from a point to a line from `a` to `b`.
fn distance(p: Place, a: Place, b: Place) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length2 = dx * dx + dy * dy;
    let s = if length2 > 0.0 { (((p.0 - a.0) * dx + (p.1 - a.1) * dy) / length2).clamp(0.0, 1.0) } else { 0.0 };
    (p.0 - a.0 - s * dx).hypot(p.1 - a.1 - s * dy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Axis;

    fn frame() -> Frame {
        let span = |axis: Axis| axis.span([1e-4, 1.0].into_iter());
        Frame { left: 0.0, right: 400.0, top: 0.0, bottom: 400.0, x: span(Axis::log("h")), y: span(Axis::log("e")) }
    }

    #[test]
    fn a_triangle_is_near_its_curve_and_touches_none() {
        let curve = vec![vec![(20.0, 380.0), (380.0, 20.0)]];
        let triangle = place(&frame(), &curve, &curve, 40.0, 40.0).expect("a place");
        let distance = clearance(&triangle.samples(), &curve);
        assert!((CLEAR..CLEAR + 20.0).contains(&distance), "{distance}");
    }

    #[test]
    fn a_crowded_frame_has_no_place() {
        let level = |k: i32| vec![(0.0, 10.0 * f64::from(k)), (400.0, 10.0 * f64::from(k))];
        let curves: Vec<Vec<Place>> = (0..40).map(level).collect();
        assert_eq!(place(&frame(), &curves, &curves, 40.0, 40.0), None);
    }

    #[test]
    fn distance_is_to_the_piece_not_to_its_line() {
        assert_eq!(distance((5.0, 3.0), (0.0, 0.0), (10.0, 0.0)), 3.0);
        assert_eq!(distance((13.0, 4.0), (0.0, 0.0), (10.0, 0.0)), 5.0);
        assert_eq!(distance((3.0, 4.0), (0.0, 0.0), (0.0, 0.0)), 5.0);
    }
}
