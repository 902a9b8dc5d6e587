//! Drawing on the sheet of a figure.

use super::look::{Marker, RADIUS};
use crate::color::Color;
use crate::sketch::{Anchor, Outline, Paint, Shape, Sketch, width_of};

/// A place on the sheet, in pixels from the upper left corner.
pub type Place = (f64, f64);

/// A sheet and the means to draw on it.
pub struct Pen {
    sketch: Sketch,
}

fn spots(places: &[Place]) -> Vec<[f64; 2]> {
    places.iter().map(|(x, y)| [*x, *y]).collect()
}

impl Pen {
    /// A white sheet.
    pub fn new(width: f64, height: f64) -> Self {
        let mut pen = Pen { sketch: Sketch { width, height, shapes: Vec::new() } };
        pen.polygon(&[(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)], Some(Color::WHITE), None);
        pen
    }

    /// What has been drawn.
    pub fn into_sketch(self) -> Sketch {
        self.sketch
    }

    fn put(&mut self, shape: Shape) {
        self.sketch.shapes.push(shape);
    }

    /// A line through the places.
    pub fn line(&mut self, places: &[Place], color: Color, width: f64, dash: &[f64]) {
        if places.len() > 1 {
            self.put(Shape::line(spots(places), Paint::line(color, width).with_dash(dash)));
        }
    }

    /// Straight lines of one kind, as one shape.
    pub fn lines(&mut self, lines: Vec<Vec<Place>>, color: Color, width: f64) {
        let lines: Vec<Vec<[f64; 2]>> = lines.iter().map(|line| spots(line)).collect();
        if !lines.is_empty() {
            let paint = Paint { round: false, ..Paint::line(color, width) };
            self.put(Shape::new(Outline::Lines { lines, closed: false }, paint));
        }
    }

    /// A polygon: its inside and its border.
    pub fn polygon(&mut self, corners: &[Place], fill: Option<Color>, border: Option<(Color, f64)>) {
        let (stroke, width) = (border.map(|border| border.0), border.map_or(1.0, |border| border.1));
        self.put(Shape::polygon(spots(corners), Paint { stroke, width, fill, ..Paint::default() }));
    }

    /// Dots, as one shape: lines of no length with round ends.
    pub fn dots(&mut self, places: &[Place], color: Color) {
        let lines: Vec<Vec<[f64; 2]>> = places.iter().map(|place| spots(&[*place])).collect();
        if !lines.is_empty() {
            self.put(Shape::new(Outline::Lines { lines, closed: false }, Paint::line(color, 5.2)));
        }
    }

    /// A marker: white inside, so that two on one place can both be seen.
    pub fn marker(&mut self, (x, y): Place, marker: Marker, color: Color) {
        let paint = Paint::line(color, 1.6);
        let outline: Vec<Place> = marker.outline().iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        match marker {
            Marker::Circle => self.put(Shape::circle([x, y], RADIUS, paint.with_fill(Color::WHITE))),
            Marker::Cross => {
                let lines = vec![spots(&[outline[0], outline[2]]), spots(&[outline[1], outline[3]])];
                self.put(Shape::new(Outline::Lines { lines, closed: false }, paint));
            }
            _ => self.put(Shape::polygon(spots(&outline), paint.with_fill(Color::WHITE))),
        }
    }

    /// Words of a size in pixels, centred on the height of their place.
    pub fn text(&mut self, words: &str, (x, y): Place, size: f64, anchor: Anchor) {
        self.put(Shape::words(words, [x, y], size, anchor, Color::BLACK));
    }

    /// Bold words.
    pub fn bold(&mut self, words: &str, (x, y): Place, size: f64, anchor: Anchor) {
        self.put(Shape::words(words, [x, y], size, anchor, Color::BLACK).bolder());
    }

    /// Small words that run upwards to their place, before what is drawn there.
    pub fn note(&mut self, words: &str, (x, y): Place, size: f64) {
        self.put(Shape::words(words, [x, y], size, Anchor::Right, Color::BLACK).upward().haloed());
    }

    /// Words that run upwards.
    pub fn upward_text(&mut self, words: &str, (x, y): Place, size: f64, anchor: Anchor) {
        self.put(Shape::words(words, [x, y], size, anchor, Color::BLACK).upward());
    }
}

/// Words that fit into some room: what is too long ends with `…`.
pub fn shortened(words: &str, size: f64, room: f64) -> String {
    // Estimated widths are generous, by a tenth at least; words may be very long.
    let most = (1.1 * room / width_of("m", size)).max(4.0) as usize;
    match words.char_indices().nth(most) {
        Some(_) => words.chars().take(most - 1).chain(['…']).collect(),
        None => words.to_owned(),
    }
}
