//! Motions as SVG files that move by themselves, as pictures in pages too: no script.
//!
//! A shape keeps its place in the list of shapes ([`Stage::shapes`]), so each of its attributes is a list of values over time: one
//! `animate` element for each attribute that changes. The drawn part of a path moves by the offset of a dash. In space shapes are painted in the order of their
//! mean depths: the order of elements cannot change.
//!
//! Who asks for less motion sees the first instant, which also stands in the attributes themselves for programs that do not animate.

use std::fmt::Write;

use super::{attributes, element, open};
use crate::scene::{Motion, Scene};
use crate::sketch::{Shape, Sketch};
use crate::stage::{Look, Stage};

/// How long and how fine an animation is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Film {
    /// The number of instants; fewer where the file would be too large.
    pub frames: usize,
    /// How many seconds it takes; as long as the motion, if that is between 2 and 12 seconds, if there is no number.
    pub seconds: Option<f64>,
}

impl Default for Film {
    fn default() -> Self {
        Film { frames: 100, seconds: None }
    }
}

/// Bytes of a file, at most, unless it has the fewest instants already.
const LARGEST: usize = 1_000_000;
const FEWEST: usize = 16;

impl Film {
    /// How many seconds the animation of a motion takes.
    pub fn duration(&self, motion: &Motion) -> f64 {
        let (from, to) = motion.span();
        let own = if to > from && (to - from).is_finite() { (to - from).clamp(2.0, 12.0) } else { 2.0 };
        self.seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0).unwrap_or(own)
    }
}

/// The motion of a scene as an SVG file.
pub fn animate_svg(scene: &Scene, motion: &Motion, look: &Look, film: &Film) -> String {
    let stage = Stage::new(scene, motion, look);
    let seconds = film.duration(motion);
    let mut frames = if motion.len() < 2 { 1 } else { film.frames.max(2) };
    loop {
        let svg = drawn(&stage, seconds, frames);
        if svg.len() <= LARGEST || frames <= FEWEST {
            return svg;
        }
        frames = (frames / 2).max(FEWEST);
    }
}

fn drawn(stage: &Stage, seconds: f64, frames: usize) -> String {
    let [width, height] = stage.size();
    let times = stage.motion().times(frames);
    let mut films: Vec<Vec<Shape>> = Vec::new();
    for t in times.iter().copied().chain(times.is_empty().then_some(0.0)) {
        let mut shapes = stage.shapes(t);
        shapes.push(stage.hand(t));
        films.resize(shapes.len(), Vec::new());
        films.iter_mut().zip(shapes).for_each(|(film, shape)| film.push(shape));
    }
    // The order of the mean depths; layers do not change.
    let mean = |film: &[Shape]| film.iter().map(|shape| shape.depth).sum::<f64>() / film.len() as f64;
    films.sort_by(|a, b| a[0].layer.cmp(&b[0].layer).then(mean(a).total_cmp(&mean(b))));
    let still: Vec<Shape> = films.iter().map(|film| film[0].clone()).collect();

    let mut svg = open(width, height);
    svg.push_str(
        "<style>.still{display:none}@media (prefers-reduced-motion:reduce){.still{display:inline}.moving{display:none}}</style>\n",
    );
    let fixed = |svg: &mut String, shapes: Vec<Shape>| {
        for shape in (Sketch { width, height, shapes }).ordered() {
            let _ = writeln!(svg, "{}", element(shape));
        }
    };
    fixed(&mut svg, stage.backdrop());
    svg.push_str("<g class=\"moving\">\n");
    for film in &films {
        if film.iter().any(|shape| shape.shown) {
            let _ = writeln!(svg, "{}", moving(film, seconds));
        }
    }
    svg.push_str("</g>\n<g class=\"still\">\n");
    fixed(&mut svg, still);
    svg.push_str("</g>\n");
    fixed(&mut svg, stage.caption().into_iter().chain(stage.dial()).collect());
    svg.push_str("</svg>\n");
    svg
}

/// A shape over time as one element.
fn moving(film: &[Shape], seconds: f64) -> String {
    // Where a shape is hidden it may have no place: it stays where it was seen last, or will be seen first.
    let mut last = film.iter().find(|shape| shape.shown).unwrap_or(&film[0]);
    let mut seen = Vec::new();
    // A path that is drawn bit by bit has a dash at all times.
    let partly = film.iter().any(|shape| shape.paint.part < 1.0);
    for shape in film {
        if shape.shown {
            last = shape;
        }
        let mut shape = last.clone();
        if partly {
            shape.paint.part = shape.paint.part.min(0.9999);
        }
        seen.push(attributes(&shape, 1, true));
    }
    let mut inside = String::new();
    let mut animate = |key: &str, values: Vec<&str>, jumps: bool| {
        if values.iter().any(|value| *value != values[0]) {
            let mode = if jumps { " calcMode=\"discrete\"" } else { "" };
            let _ = write!(
                inside,
                "<animate attributeName=\"{key}\" dur=\"{seconds}s\" repeatCount=\"indefinite\"{mode} values=\"{}\"/>",
                values.join(";")
            );
        }
    };
    for (k, (key, _)) in seen[0].iter().enumerate() {
        // All instants have the same attributes: their kinds depend on the figure alone.
        let values = seen.iter().map(|all| all.get(k).map_or("", |(_, value)| value.as_str())).collect();
        animate(key, values, false);
    }
    let visible: Vec<&str> = film.iter().map(|shape| if shape.shown { "visible" } else { "hidden" }).collect();
    animate("visibility", visible, true);
    super::tagged(&film[0].outline, &seen[0], if film[0].shown { "" } else { " visibility=\"hidden\"" }, &inside)
}
