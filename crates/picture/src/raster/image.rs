//! Pixels, and masks of how much of them is covered.

use crate::color::Color;

/// Pixels of an edge, at most.
const LARGEST: f64 = 8192.0;

/// A picture of pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// The colours, row by row from above.
    pub pixels: Vec<Color>,
}

impl Image {
    /// A white picture.
    pub fn new(width: f64, height: f64) -> Self {
        let edge = |x: f64| if x.is_finite() { x.round().clamp(1.0, LARGEST) as usize } else { 1 };
        let (width, height) = (edge(width), edge(height));
        Image { width, height, pixels: vec![Color::WHITE; width * height] }
    }

    /// The colour of a pixel.
    pub fn at(&self, x: usize, y: usize) -> Color {
        self.pixels[y * self.width + x]
    }

    /// Lays a colour over what is there, where the mask is, and empties the mask.
    pub(super) fn lay(&mut self, mask: &mut Mask, color: Color, opacity: f64) {
        for y in mask.rows.clone() {
            for x in mask.columns.clone() {
                let k = y * self.width + x;
                let share = std::mem::take(&mut mask.shares[k]);
                let share = f64::from(share) * opacity;
                if share >= 1.0 {
                    self.pixels[k] = color;
                } else if share > 0.0 {
                    self.pixels[k] = self.pixels[k].mixed(color, share);
                }
            }
        }
        (mask.rows, mask.columns) = (0..0, 0..0);
    }
}

/// How much of each pixel is covered.
pub(super) struct Mask {
    pub width: usize,
    pub height: usize,
    pub shares: Vec<f32>,
    /// Where there may be something.
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
}

impl Mask {
    pub fn new(width: usize, height: usize) -> Self {
        Mask { width, height, shares: vec![0.0; width * height], rows: 0..0, columns: 0..0 }
    }

    /// The pixels that a rectangle touches; these are looked at when the mask is laid.
    pub fn touch(&mut self, least: [f64; 2], most: [f64; 2]) -> [std::ops::Range<usize>; 2] {
        let range = |k: usize, edge: usize| {
            let from = least[k].floor().clamp(0.0, edge as f64) as usize;
            from..(most[k].ceil().clamp(0.0, edge as f64) as usize).max(from)
        };
        let (columns, rows) = (range(0, self.width), range(1, self.height));
        let join = |a: &std::ops::Range<usize>, b: &std::ops::Range<usize>| match (a.is_empty(), b.is_empty()) {
            (true, _) => b.clone(),
            (_, true) => a.clone(),
            _ => a.start.min(b.start)..a.end.max(b.end),
        };
        (self.columns, self.rows) = (join(&self.columns, &columns), join(&self.rows, &rows));
        [columns, rows]
    }

    /// Covers at least this share of a pixel.
    pub fn raise(&mut self, x: usize, y: usize, share: f64) {
        let there = &mut self.shares[y * self.width + x];
        *there = there.max(share as f32);
    }
}
