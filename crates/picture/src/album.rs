//! Several instants of a motion in one picture: beside each other, or over each other with the earlier ones fainter.

use crate::color::Color;
use crate::scene::{Motion, Scene};
use crate::sketch::{Anchor, Outline, Paint, Shape, Sketch};
use crate::stage::{Look, Stage, layer};

/// How instants are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// In rows, each with its time.
    Beside,
    /// In one place, fainter the earlier they are.
    Over,
}

/// Instants beside each other in a row, at most.
const ROW: usize = 4;
/// The height of the title.
const TITLE: f64 = 44.0;
/// Opacity of the first and of the last but one instant.
const FAINTEST: f64 = 0.16;
const FAINT: f64 = 0.45;

/// A picture of `count` instants at equal distances in time, the first and the last of the motion among them.
pub fn contact_sheet(scene: &Scene, motion: &Motion, look: &Look, count: usize, arrangement: Arrangement) -> Sketch {
    let times = motion.times(count.clamp(1, 100));
    match arrangement {
        Arrangement::Beside => beside(scene, motion, look, &times),
        Arrangement::Over => over(scene, motion, look, &times),
    }
}

fn beside(scene: &Scene, motion: &Motion, look: &Look, times: &[f64]) -> Sketch {
    let columns = times.len().min(ROW);
    // A last row that is not much emptier than the others.
    let columns = times.len().div_ceil(times.len().div_ceil(columns));
    let own = Look { width: (look.width / columns as f64).floor(), title: String::new(), height: None, ..look.clone() };
    let stage = Stage::new(scene, motion, &own);
    let [width, height] = stage.size();
    let top = if look.title.is_empty() { 0.0 } else { TITLE };
    let rows = times.len().div_ceil(columns);
    let whole = [look.width, top + rows as f64 * height];
    let mut shapes = vec![background(whole)];
    for (k, t) in times.iter().enumerate() {
        let by = [width * (k % columns) as f64, top + height * (k / columns) as f64];
        let mut tile: Vec<Shape> = stage.backdrop().split_off(1);
        tile.extend(stage.shapes(*t));
        if k == 0 {
            tile.extend(stage.caption());
        }
        tile.push(stage.clock(*t));
        shapes.extend(tile.into_iter().map(|shape| moved(shape, by)));
    }
    if !look.title.is_empty() {
        shapes.push(crate::stage::title(&look.title, whole[0]));
    }
    Sketch { width: whole[0], height: whole[1], shapes }
}

fn over(scene: &Scene, motion: &Motion, look: &Look, times: &[f64]) -> Sketch {
    let stage = Stage::new(scene, motion, look);
    let mut sketch = stage.sketch(times.last().copied().unwrap_or_default());
    let last = stage.shapes(times.last().copied().unwrap_or_default());
    let mut under: Vec<Shape> = Vec::new();
    for (k, t) in times[..times.len() - 1].iter().enumerate() {
        // What does not move, and paths and words, are there once.
        let moves = |(shape, now): &(Shape, &Shape)| {
            shape.outline != now.outline && !matches!(shape.outline, Outline::Words { .. })
        };
        let shapes = stage.shapes(*t).into_iter().zip(&last).filter(moves).map(|(shape, _)| shape).collect();
        let part = k as f64 / (times.len() - 1) as f64;
        let pale = 1.0 - (FAINTEST + (FAINT - FAINTEST) * part);
        for shape in (Sketch { width: 0.0, height: 0.0, shapes }).ordered() {
            let mut shape = shape.clone();
            // Paler rather than transparent: what is behind would confuse.
            for color in [&mut shape.paint.stroke, &mut shape.paint.fill].into_iter().flatten() {
                *color = color.mixed(Color::WHITE, pale);
            }
            // Each instant as a whole lies over the ones before.
            under.push(shape.placed(layer::TRACE, 0.0));
        }
    }
    // The ground is below all of them, everything of the last instant above.
    for shape in sketch.shapes.iter_mut().filter(|shape| shape.layer >= layer::TRACE) {
        shape.layer += 1;
    }
    sketch.shapes.extend(under);
    let (from, to) = (times.first().copied().unwrap_or_default(), times.last().copied().unwrap_or_default());
    if let Some(Shape { outline: Outline::Words { text, .. }, .. }) = sketch.shapes.iter_mut().rev().find(|shape| {
        matches!(&shape.outline, Outline::Words { anchor: Anchor::Right, text, .. } if text.starts_with("t = "))
    }) {
        *text = format!("t = {} … {} s", stage.time(from), stage.time(to));
    }
    sketch
}

fn background([width, height]: [f64; 2]) -> Shape {
    let corners = vec![[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]];
    Shape::polygon(corners, Paint::area(Color::WHITE)).placed(0, f64::NEG_INFINITY)
}

fn moved(mut shape: Shape, by: [f64; 2]) -> Shape {
    let shift = |at: &mut [f64; 2]| (0..2).for_each(|k| at[k] += by[k]);
    match &mut shape.outline {
        Outline::Lines { lines, .. } => lines.iter_mut().flatten().for_each(shift),
        Outline::Circle { at, .. } | Outline::Words { at, .. } => shift(at),
    }
    shape
}
