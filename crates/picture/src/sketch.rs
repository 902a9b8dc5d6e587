//! A drawing in the plane: what the writer of SVG and the rasteriser both draw.
//!
//! A scene at a time becomes a list of shapes in pixels. The list has the same shapes at all times, in the same order: what cannot be seen,
//! or has no place, is there but not shown. So a shape of one instant can be followed to the next one. [`Sketch::ordered`] is the order in
//! which shapes are painted.

use crate::color::Color;
use crate::vector::Spot;

/// Where words stand relative to their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Right of it.
    Left,
    /// Around it.
    Center,
    /// Left of it.
    Right,
}

/// The geometry of a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Outline {
    /// Lines through places, each on its own; closed ones have an inside.
    Lines {
        /// The lines.
        lines: Vec<Vec<Spot>>,
        /// Whether the last place of each is joined with its first.
        closed: bool,
    },
    /// A circle.
    Circle {
        /// Its centre.
        at: Spot,
        /// Its radius.
        radius: f64,
    },
    /// Words, centred on the height of their place.
    Words {
        /// Where.
        at: Spot,
        /// The words.
        text: String,
        /// The height of letters with what is around them.
        size: f64,
        /// Where they stand relative to their place.
        anchor: Anchor,
        /// Whether they are bold.
        bold: bool,
        /// Whether they run upwards.
        upward: bool,
    },
}

/// How a shape is painted.
#[derive(Clone, Debug, PartialEq)]
pub struct Paint {
    /// The colour of its lines, or of what is around words.
    pub stroke: Option<Color>,
    /// The width of its lines.
    pub width: f64,
    /// The colour of its inside, or of words.
    pub fill: Option<Color>,
    /// Lengths of dashes and gaps in turn; none for a whole line.
    pub dash: Vec<f64>,
    /// Between 0 and 1.
    pub opacity: f64,
    /// Whether lines end in half circles.
    pub round: bool,
    /// How much of its lines is drawn, of their length from the beginning.
    pub part: f64,
}

impl Default for Paint {
    fn default() -> Self {
        Paint { stroke: None, width: 1.0, fill: None, dash: Vec::new(), opacity: 1.0, round: true, part: 1.0 }
    }
}

impl Paint {
    /// A line.
    pub fn line(color: Color, width: f64) -> Self {
        Paint { stroke: Some(color), width, ..Self::default() }
    }

    /// An inside without a border.
    pub fn area(color: Color) -> Self {
        Paint { fill: Some(color), ..Self::default() }
    }

    /// With an inside.
    pub fn with_fill(self, color: Color) -> Self {
        Paint { fill: Some(color), ..self }
    }

    /// Less than opaque.
    pub fn with_opacity(self, opacity: f64) -> Self {
        Paint { opacity, ..self }
    }

    /// With dashes.
    pub fn with_dash(self, dash: &[f64]) -> Self {
        Paint { dash: dash.to_vec(), ..self }
    }
}

/// One thing that is painted.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Its geometry.
    pub outline: Outline,
    /// How it is painted.
    pub paint: Paint,
    /// Layers are painted in their order.
    pub layer: u8,
    /// How near to the eye it is; within a layer what is near is painted last.
    pub depth: f64,
    /// Whether it can be seen.
    pub shown: bool,
}

impl Shape {
    /// A shape in the lowest layer.
    pub fn new(outline: Outline, paint: Paint) -> Self {
        let shown = outline.is_finite() && paint.width.is_finite() && paint.part.is_finite();
        Shape { outline, paint, layer: 0, depth: 0.0, shown }
    }

    /// A line through places.
    pub fn line(places: Vec<Spot>, paint: Paint) -> Self {
        Self::new(Outline::Lines { lines: vec![places], closed: false }, paint)
    }

    /// A polygon.
    pub fn polygon(corners: Vec<Spot>, paint: Paint) -> Self {
        Self::new(Outline::Lines { lines: vec![corners], closed: true }, paint)
    }

    /// A circle.
    pub fn circle(at: Spot, radius: f64, paint: Paint) -> Self {
        Self::new(Outline::Circle { at, radius }, paint)
    }

    /// Words that are centred on the height of their place.
    pub fn words(text: &str, at: Spot, size: f64, anchor: Anchor, color: Color) -> Self {
        let text = printable(text);
        Self::new(Outline::Words { at, text, size, anchor, bold: false, upward: false }, Paint::area(color))
    }

    /// Its words, if it has any.
    pub fn text(&self) -> Option<&str> {
        if let Outline::Words { text, .. } = &self.outline { Some(text) } else { None }
    }

    /// In bold letters, if it is words.
    pub fn bolder(mut self) -> Self {
        if let Outline::Words { bold, .. } = &mut self.outline {
            *bold = true;
        }
        self
    }

    /// With something white around it, so that words can be read before anything.
    pub fn haloed(mut self) -> Self {
        (self.paint.stroke, self.paint.width) = (Some(Color::WHITE), 3.0);
        self
    }

    /// Upwards, if it is words.
    pub fn upward(mut self) -> Self {
        if let Outline::Words { upward, .. } = &mut self.outline {
            *upward = true;
        }
        self
    }

    /// In a layer, at a depth.
    pub fn placed(self, layer: u8, depth: f64) -> Self {
        Shape { layer, depth, ..self }
    }

    /// Seen only if this holds.
    pub fn only_if(self, shown: bool) -> Self {
        Shape { shown: self.shown && shown, ..self }
    }
}

impl Outline {
    /// Whether all of its numbers can be written.
    fn is_finite(&self) -> bool {
        // Far beyond any picture numbers get long and sums of them wrong.
        let fine = |spot: &Spot| spot.iter().all(|x| x.abs() < 1e7);
        match self {
            Outline::Lines { lines, .. } => lines.iter().flatten().all(fine),
            Outline::Circle { at, radius } => fine(at) && radius.abs() < 1e7,
            Outline::Words { at, size, .. } => fine(at) && size.is_finite(),
        }
    }
}

/// Shapes that differ by less than so many pixels are in the same place: rounding of what stands still does not move it.
const STILL: f64 = 0.02;

impl Outline {
    /// Whether it is the same shape in the same place, as far as can be seen.
    pub fn is_still(&self, other: &Outline) -> bool {
        let near = |(a, b): (&Spot, &Spot)| (0..2).all(|k| (a[k] - b[k]).abs() < STILL);
        match (self, other) {
            (Outline::Lines { lines, closed }, Outline::Lines { lines: others, closed: other }) => {
                let alike = |(a, b): (&Vec<Spot>, &Vec<Spot>)| a.len() == b.len() && a.iter().zip(b).all(near);
                closed == other && lines.len() == others.len() && lines.iter().zip(others).all(alike)
            }
            (Outline::Circle { at, radius }, Outline::Circle { at: other, radius: wide }) => {
                near((at, other)) && (radius - wide).abs() < STILL
            }
            _ => self == other,
        }
    }
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Sketch {
    /// Pixels across.
    pub width: f64,
    /// Pixels down.
    pub height: f64,
    /// Its shapes.
    pub shapes: Vec<Shape>,
}

impl Sketch {
    /// The shapes that are shown, in the order in which they are painted.
    pub fn ordered(&self) -> Vec<&Shape> {
        let mut shapes: Vec<&Shape> = self.shapes.iter().filter(|shape| shape.shown).collect();
        shapes.sort_by(|a, b| a.layer.cmp(&b.layer).then(a.depth.total_cmp(&b.depth)));
        shapes
    }
}

/// Most letters of words in a picture: what is longer is cut, with `…` at its end.
const LONGEST: usize = 200;

/// Words as a picture can hold them: what is no letter in XML, or would rule over those behind it, is left out.
fn printable(words: &str) -> String {
    let is_printable = |letter: &char| {
        let turns = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        !letter.is_control() && !turns && !matches!(letter, '\u{fffe}' | '\u{ffff}')
    };
    let mut letters = words.chars().filter(is_printable);
    let mut text: String = letters.by_ref().take(LONGEST).collect();
    if letters.next().is_some() {
        text.pop();
        text.push('…');
    }
    text
}

/// The width of words in pixels, generously: a picture does not know the reader's font.
pub fn width_of(words: &str, size: f64) -> f64 {
    0.58 * size * words.chars().count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_things_are_painted_last_and_odd_ones_not_at_all() {
        let dot = |x: f64, layer: u8, depth: f64| Shape::circle([x, 0.0], 1.0, Paint::default()).placed(layer, depth);
        let shapes =
            vec![dot(1.0, 1, 2.0), dot(2.0, 1, 1.0), dot(3.0, 0, 9.0), dot(f64::NAN, 0, 0.0), dot(1e300, 0, 0.0)];
        let sketch = Sketch { width: 1.0, height: 1.0, shapes };
        let order: Vec<f64> = sketch.ordered().iter().map(|shape| shape.depth).collect();
        assert_eq!(order, [9.0, 1.0, 2.0]);
    }

    #[test]
    fn rounding_does_not_move_what_stands_still() {
        let line = |x: f64| Outline::Lines { lines: vec![vec![[x, 0.0], [1.0, 2.0]]], closed: false };
        let circle = |radius: f64| Outline::Circle { at: [3.0, 4.0], radius };
        assert!(line(0.0).is_still(&line(1e-12)) && !line(0.0).is_still(&line(0.1)));
        assert!(circle(5.0).is_still(&circle(5.0 + 1e-12)) && !circle(5.0).is_still(&circle(5.1)));
        assert!(!circle(5.0).is_still(&line(0.0)));
        let longer = Outline::Lines { lines: vec![vec![[0.0, 0.0]]], closed: false };
        assert!(!line(0.0).is_still(&longer));
    }

    #[test]
    fn words_are_cut_and_cleaned() {
        let Outline::Words { text, .. } =
            Shape::words("a\u{0}b\u{202e}c\n", [0.0; 2], 1.0, Anchor::Left, Color::BLACK).outline
        else {
            panic!("words")
        };
        assert_eq!(text, "abc");
        assert_eq!(printable(&"x".repeat(1_000_000)).chars().count(), LONGEST);
    }
}
