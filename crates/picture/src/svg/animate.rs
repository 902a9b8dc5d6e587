//! Motions as SVG files that move by themselves, as pictures in pages too: no script.
//!
//! A shape keeps its place in the list of shapes ([`Stage::shapes`]), so each of its attributes is a list of values over time: one
//! `animate` element for each attribute that changes. The drawn part of a path moves by the offset of a dash.
//!
//! The order of elements is the order in which they are painted, and cannot change. In space, where things pass behind each other, the time
//! is cut into spans, each with a group of its own in the order of the mean depths in this span, and one group is displayed at a time.
//!
//! Who asks for less motion sees the first instant, which also stands in the attributes themselves for programs that do not animate.

use std::fmt::Write;

use super::{attributes, element, number, open};
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
/// Spans of time with an order of their own, at most.
const SPANS: usize = 12;

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
    let still: Vec<Shape> = films.iter().map(|film| film[0].clone()).collect();
    let spans = spans(&films);

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
    for span in &spans {
        let times = (spans.len() > 1).then(|| key_times(span, films[0].len()));
        if let Some(times) = &times {
            let _ = writeln!(svg, "<g>{}", times.display(seconds));
        }
        for film in span.order.iter().map(|k| &films[*k][span.from..=span.to]) {
            if film.iter().any(|shape| shape.shown) {
                let _ = writeln!(svg, "{}", moving(film, seconds, times.as_ref()));
            }
        }
        if times.is_some() {
            svg.push_str("</g>\n");
        }
    }
    svg.push_str("</g>\n<g class=\"still\">\n");
    fixed(&mut svg, still);
    svg.push_str("</g>\n");
    fixed(&mut svg, stage.caption().into_iter().chain(stage.dial()).collect());
    svg.push_str("</svg>\n");
    svg
}

/// Frames with one order of painting, both ends included: neighbours share a frame.
struct Span {
    from: usize,
    to: usize,
    order: Vec<usize>,
}

/// Cuts a film into spans; one if the order never changes.
fn spans(films: &[Vec<Shape>]) -> Vec<Span> {
    let last = films[0].len() - 1;
    let order = |from: usize, to: usize| {
        let mean = |k: usize| films[k][from..=to].iter().map(|shape| shape.depth).sum::<f64>();
        let mut order: Vec<usize> = (0..films.len()).collect();
        order.sort_by(|a, b| films[*a][0].layer.cmp(&films[*b][0].layer).then(mean(*a).total_cmp(&mean(*b))));
        order
    };
    let count = SPANS.min(last).max(1);
    let mut spans: Vec<Span> = Vec::new();
    for k in 0..count {
        let (from, to) = (k * last / count, (k + 1) * last / count);
        let order = order(from, to);
        match spans.last_mut().filter(|span| span.order == order) {
            Some(span) => span.to = to,
            None => spans.push(Span { from, to, order }),
        }
    }
    spans
}

/// When the frames of a span are, as parts of the whole.
struct KeyTimes {
    /// The beginning and the end, where they are not those of the whole.
    from: Option<String>,
    to: Option<String>,
    /// All of them, from 0 to 1.
    all: String,
}

fn key_times(span: &Span, frames: usize) -> KeyTimes {
    let time = |k: usize| number(k as f64 / (frames - 1) as f64, 4);
    let from = (span.from > 0).then(|| time(span.from));
    let to = (span.to + 1 < frames).then(|| time(span.to));
    let inner: Vec<String> = (span.from..=span.to).map(time).collect();
    let ends = [from.is_some().then(|| "0".to_owned()), to.is_some().then(|| "1".to_owned())];
    let [first, last] = ends;
    let all: Vec<String> = first.into_iter().chain(inner).chain(last).collect();
    KeyTimes { from, to, all: all.join(";") }
}

impl KeyTimes {
    /// Shows a group in its span alone.
    fn display(&self, seconds: f64) -> String {
        let mut values = vec![if self.from.is_some() { "none" } else { "inline" }];
        let mut times = vec!["0"];
        if let Some(from) = &self.from {
            (values.push("inline"), times.push(from));
        }
        if let Some(to) = &self.to {
            (values.push("none"), times.push(to));
        }
        format!(
            "<animate attributeName=\"display\" dur=\"{seconds}s\" repeatCount=\"indefinite\" calcMode=\"discrete\" \
             values=\"{}\" keyTimes=\"{}\"/>",
            values.join(";"),
            times.join(";")
        )
    }
}

/// A shape over time as one element.
fn moving(film: &[Shape], seconds: f64, times: Option<&KeyTimes>) -> String {
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
    let mut animate = |key: &str, mut values: Vec<&str>, jumps: bool| {
        // Before its span a shape is as at its beginning, after it as at its end.
        let mut at = String::new();
        if let Some(times) = times {
            if times.from.is_some() {
                values.insert(0, values[0]);
            }
            if times.to.is_some() {
                values.push(values[values.len() - 1]);
            }
            at = format!(" keyTimes=\"{}\"", times.all);
        }
        if values.iter().any(|value| *value != values[0]) {
            let mode = if jumps { " calcMode=\"discrete\"" } else { "" };
            let _ = write!(
                inside,
                "<animate attributeName=\"{key}\" dur=\"{seconds}s\" repeatCount=\"indefinite\"{mode}{at} values=\"{}\"/>",
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
