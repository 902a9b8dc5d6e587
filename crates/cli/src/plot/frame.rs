//! The rectangle the curves live in.

use super::axis::Span;
use super::look::{FAINT, GRID};
use super::pen::{Anchor, Drawn, Pen, Place};
use plotters::style::BLACK;

/// Sizes of letters, in pixels.
pub const TICK_SIZE: f64 = 15.0;

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
    pub fn draw(&self, pen: &Pen) -> Drawn {
        for x in self.x.minor() {
            self.vertical(pen, self.across(x), false)?;
        }
        for y in self.y.minor() {
            self.horizontal(pen, self.up(y), false)?;
        }
        for tick in self.x.major() {
            let x = self.across(tick.position);
            self.vertical(pen, x, true)?;
            pen.text(&tick.label, (x, self.bottom + 0.5 * TICK_SIZE + 7.0), TICK_SIZE, false, Anchor::Center)?;
        }
        for tick in self.y.major() {
            let y = self.up(tick.position);
            self.horizontal(pen, y, true)?;
            pen.text(&tick.label, (self.left - 8.0, y), TICK_SIZE, false, Anchor::Right)?;
        }
        Ok(())
    }

    /// The border, drawn last: no curve covers it.
    pub fn draw_border(&self, pen: &Pen) -> Drawn {
        let Frame { left, right, top, bottom, .. } = *self;
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top), (right, top)];
        pen.line(&corners, BLACK, 1.2)
    }

    fn vertical(&self, pen: &Pen, x: f64, major: bool) -> Drawn {
        pen.line(&[(x, self.top), (x, self.bottom)], if major { GRID } else { FAINT }, 1.0)
    }

    fn horizontal(&self, pen: &Pen, y: f64, major: bool) -> Drawn {
        pen.line(&[(self.left, y), (self.right, y)], if major { GRID } else { FAINT }, 1.0)
    }
}
