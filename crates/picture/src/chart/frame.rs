//! The rectangle the curves live in.

use super::axis::Span;
use super::look::{FAINT, GRID};
use super::pen::{Pen, Place};
use crate::color::Color;
use crate::sketch::Anchor;

/// Sizes of letters, in pixels.
pub const TICK_SIZE: f64 = 13.0;

/// A rectangle on the sheet with an axis along two of its sides.
pub struct Frame {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub x: Span,
    pub y: Span,
}

impl Frame {
    /// Where a point of a curve is on the sheet.
    pub fn place(&self, (x, y): (f64, f64)) -> Option<Place> {
        Some((self.across(self.x.position(x)?), self.up(self.y.position(y)?)))
    }

    /// Makes a unit as long across as up, by a wider range along one of the axes; where both are linear.
    pub fn equalise(&mut self) {
        let (Some(x), Some(y)) = (self.x.length(), self.y.length()) else { return };
        let (across, up) = ((self.right - self.left) / x, (self.bottom - self.top) / y);
        if across > up {
            self.x.widen(across / up);
        } else {
            self.y.widen(up / across);
        }
    }

    /// Pixels a decade, across and up, where both axes are logarithmic.
    pub fn decade(&self) -> Option<(f64, f64)> {
        Some((self.x.decade()? * (self.right - self.left), self.y.decade()? * (self.bottom - self.top)))
    }

    fn across(&self, position: f64) -> f64 {
        self.left + position * (self.right - self.left)
    }

    fn up(&self, position: f64) -> f64 {
        self.bottom - position * (self.bottom - self.top)
    }

    /// Grid and tick labels.
    pub fn draw(&self, pen: &mut Pen) {
        let vertical = |x: f64| vec![(x, self.top), (x, self.bottom)];
        let horizontal = |y: f64| vec![(self.left, y), (self.right, y)];
        let (across, up) = (self.x.major(), self.y.major());
        let fine = self.x.minor().into_iter().map(|x| vertical(self.across(x)));
        pen.lines(fine.chain(self.y.minor().into_iter().map(|y| horizontal(self.up(y)))).collect(), FAINT, 1.0);
        let coarse = across.iter().map(|tick| vertical(self.across(tick.position)));
        pen.lines(coarse.chain(up.iter().map(|tick| horizontal(self.up(tick.position)))).collect(), GRID, 1.0);
        for tick in across {
            let at = (self.across(tick.position), self.bottom + 0.5 * TICK_SIZE + 7.0);
            pen.text(&tick.label, at, TICK_SIZE, Anchor::Center);
        }
        for tick in up {
            pen.text(&tick.label, (self.left - 8.0, self.up(tick.position)), TICK_SIZE, Anchor::Right);
        }
    }

    /// The border, drawn last: no curve covers it.
    pub fn draw_border(&self, pen: &mut Pen) {
        let Frame { left, right, top, bottom, .. } = *self;
        pen.polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)], None, Some((Color::BLACK, 1.2)));
    }
}
