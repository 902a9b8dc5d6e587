//! Sketches as pixels, without a browser: stills as PNG, motions as APNG.
//!
//! Each shape makes a mask, the share of each pixel that it covers, and its colour is laid over what is there. Insides are measured by signed areas
//! (`area`), lines by distances (`line`), letters are lines (`font`). Drawings have few colours: files have a palette (`palette`).

mod area;
mod font;
mod image;
mod line;
mod palette;
mod png;

use crate::scene::{Motion, Scene};
use crate::sketch::{Outline, Paint, Shape, Sketch};
use crate::stage::{Look, Stage};
use crate::svg::{Film, beginning};
use crate::vector::Spot;

pub use image::Image;
use image::Mask;

/// Frames that the palette of a film is made from.
const SAMPLES: usize = 16;

/// A sketch as pixels, `scale` of them for each of its own.
pub fn draw(sketch: &Sketch, scale: f64) -> Image {
    let scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
    let mut image = Image::new(sketch.width * scale, sketch.height * scale);
    let mut mask = Mask::new(image.width, image.height);
    for shape in sketch.ordered() {
        paint(&mut image, &mut mask, shape, scale);
    }
    image
}

/// A sketch as a PNG file.
pub fn png(sketch: &Sketch, scale: f64) -> Vec<u8> {
    let image = draw(sketch, scale);
    let palette = palette::Palette::of(&[&image]);
    png::still(&image, &palette)
}

/// The motion of a scene as an APNG file: one that shows its first instant where animations are not known.
pub fn apng(scene: &Scene, motion: &Motion, look: &Look, film: &Film, scale: f64) -> Vec<u8> {
    let stage = Stage::new(scene, motion, look);
    let frames = if motion.len() < 2 { 1 } else { film.frames.clamp(2, 2000) };
    let mut times = motion.times(frames);
    if times.is_empty() {
        times.push(0.0);
    }
    let picture = |t: &f64| draw(&stage.sketch(*t), scale);
    let samples: Vec<Image> = times.iter().step_by(times.len().div_ceil(SAMPLES)).map(picture).collect();
    let palette = palette::Palette::of(&samples.iter().collect::<Vec<&Image>>());
    png::film(times.iter().map(picture), times.len(), &palette, film.duration(motion))
}

fn paint(image: &mut Image, mask: &mut Mask, shape: &Shape, scale: f64) {
    let Paint { stroke, width, fill, dash, opacity, round, part } = &shape.paint;
    let scaled = |line: &[Spot]| -> Vec<Spot> { line.iter().map(|spot| spot.map(|x| scale * x)).collect() };
    match &shape.outline {
        Outline::Lines { lines, closed } => {
            let lines: Vec<Vec<Spot>> = lines.iter().map(|line| scaled(line)).collect();
            if let (Some(color), true) = (fill, *closed) {
                area::cover(mask, &lines);
                image.lay(mask, *color, *opacity);
            }
            if let Some(color) = stroke {
                for line in &lines {
                    let mut line = line.clone();
                    if *closed && !line.is_empty() {
                        line.push(line[0]);
                    }
                    let line = if *part < 1.0 { beginning(&line, *part) } else { line };
                    let dash: Vec<f64> = dash.iter().map(|length| scale * length).collect();
                    for piece in line::dashes(line, &dash) {
                        line::cover(mask, &piece, scale * width, *round || *closed);
                    }
                }
                image.lay(mask, *color, *opacity);
            }
        }
        Outline::Circle { at, radius } => {
            let (at, radius) = (at.map(|x| scale * x), scale * radius.abs());
            if let Some(color) = fill {
                line::disc(mask, at, radius);
                image.lay(mask, *color, *opacity);
            }
            if let Some(color) = stroke {
                line::ring(mask, at, radius, scale * width);
                image.lay(mask, *color, *opacity);
            }
        }
        Outline::Words { at, text, size, anchor, bold, upward } => {
            let at = at.map(|x| scale * x);
            let thick = scale * size * if *bold { font::BOLD } else { font::PLAIN };
            for (color, width) in [(stroke, thick + scale * width), (fill, thick)] {
                let Some(color) = color else { continue };
                for stroke in font::strokes(text, at, scale * size, *anchor, *upward) {
                    line::cover(mask, &stroke, width, true);
                }
                image.lay(mask, *color, *opacity);
            }
        }
    }
}

#[cfg(test)]
mod tests;
