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
            values.push("inline");
            times.push(from);
        }
        if let Some(to) = &self.to {
            values.push("none");
            times.push(to);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Arrow, Figure, Frame, Item, Place, Quantity, Turn};
    use crate::svg::tests::well_formed;

    const TURN: f64 = std::f64::consts::TAU;

    /// Two balls that go round each other, a quarter of a turn in each of four pieces of the motion, and a trace.
    fn scene(planar: bool) -> (Scene, Motion) {
        let frame = |origin| Frame { name: String::new(), origin, turn: Turn::None };
        let channel = |c| Quantity::Channel { c };
        let place = |frame| Place { frame, at: [0.0.into(); 3] };
        let item = |figure| Item { name: "a</svg>\"".into(), color: None, figure };
        let ball = |frame| item(Figure::Sphere { at: place(frame), radius: 0.1.into() });
        let origin = |from: usize| [channel(from), channel(from + 1), 0.0.into()];
        let scene = Scene {
            planar,
            up: [0.0, 0.0, 1.0],
            unit: "m".into(),
            frames: vec![frame([0.0.into(); 3]), frame(origin(0)), frame(origin(2))],
            items: vec![
                ball(1),
                ball(2),
                item(Figure::Trace { at: place(1) }),
                item(Figure::Label { at: place(2), text: "<b> & \"c\"".into() }),
            ],
            channels: 4,
        };
        let mut motion = Motion::default();
        for k in 0..=400 {
            let (sin, cos) = (TURN * f64::from(k) / 400.0).sin_cos();
            motion.t.push(0.01 * f64::from(k));
            motion.values.extend([cos, sin, -cos, -sin]);
        }
        (scene, motion)
    }

    fn look() -> Look {
        Look { title: "</svg><script>alert(1)</script>".into(), ..Look::default() }
    }

    /// The values of the first animation of an attribute.
    fn values(svg: &str, key: &str) -> Vec<f64> {
        let from = svg.find(&format!("<animate attributeName=\"{key}\"")).expect("an animation");
        let list = svg[from..].split("values=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("values");
        list.split(';').map(|x| x.parse().expect("a number")).collect()
    }

    #[test]
    fn values_are_those_of_the_motion() {
        let (scene, motion) = scene(true);
        let svg = animate_svg(&scene, &motion, &look(), &Film { frames: 41, seconds: Some(3.0) });
        well_formed(&svg);
        assert!(svg.contains("prefers-reduced-motion") && !svg.contains("<script"));
        let stage = Stage::new(&scene, &motion, &look());
        // The trace is painted first, its end moves by the offset of its dash: evenly, as the motion does. At the start it is hidden.
        for (k, offset) in values(&svg, "stroke-dashoffset").iter().enumerate().skip(1) {
            assert!((offset - (1.0 - k as f64 / 40.0)).abs() < 2e-4, "{k}: {offset}");
        }
        let (x, y) = (values(&svg, "cx"), values(&svg, "cy"));
        assert_eq!((x.len(), y.len()), (41, 41));
        for k in 0..41 {
            let (sin, cos) = (TURN * k as f64 / 40.0).sin_cos();
            let [right, down] = stage.view().spot([cos, sin, 0.0]).0;
            assert!((x[k] - right).abs() <= 0.051 && (y[k] - down).abs() <= 0.051, "{k}");
        }
        assert_eq!(svg.matches("dur=\"3s\"").count(), svg.matches("<animate ").count());
    }

    #[test]
    fn what_passes_behind_is_painted_before() {
        let (scene, motion) = scene(false);
        let svg = animate_svg(&scene, &motion, &look(), &Film::default());
        well_formed(&svg);
        // Nearer and farther change places twice in a turn: three spans, each with its own order.
        let spans = svg.matches("attributeName=\"display\"").count();
        assert!((3..=5).contains(&spans), "{spans}");
        assert_eq!(svg.matches("<g>").count(), spans);
        // At each time one group is displayed: the end of one is the beginning of the next.
        let mut ends = Vec::new();
        for group in svg.split("<animate attributeName=\"display\"").skip(1) {
            let part = |name: &str| {
                group
                    .split(&format!("{name}=\""))
                    .nth(1)
                    .and_then(|rest| rest.split('"').next())
                    .expect(name)
                    .to_owned()
            };
            let shown: Vec<(String, String)> = part("values")
                .split(';')
                .map(str::to_owned)
                .zip(part("keyTimes").split(';').map(str::to_owned))
                .collect();
            let begin =
                shown.iter().find(|(value, _)| value == "inline").map(|(_, time)| time.clone()).expect("a beginning");
            assert_eq!(begin, ends.last().cloned().unwrap_or("0".to_owned()));
            ends.push(
                shown.last().filter(|(value, _)| value == "none").map_or("1".to_owned(), |(_, time)| time.clone()),
            );
        }
        assert_eq!(ends.last().map(String::as_str), Some("1"));
        // Lists of times and values are equally long.
        for animation in svg.split("<animate ").skip(1).filter(|text| text.contains("keyTimes")) {
            let count = |name: &str| {
                animation
                    .split(&format!("{name}=\""))
                    .nth(1)
                    .and_then(|rest| rest.split('"').next())
                    .map(|list| list.split(';').count())
            };
            assert_eq!(count("values"), count("keyTimes"));
        }
    }

    #[test]
    fn numbers_that_are_none_are_not_written() {
        let (mut scene, mut motion) = scene(true);
        let vector = [0, 1, 2].map(|c| Quantity::Channel { c });
        let at = Place { frame: 2, at: [0.0.into(); 3] };
        scene.items.push(Item {
            name: "f".into(),
            color: Some("no colour\"/>".into()),
            figure: Figure::Arrow { at, vector, of: Arrow::Force },
        });
        for k in 0..motion.values.len() / 3 {
            motion.values[3 * k + k % 3] = [f64::NAN, f64::INFINITY, 1e308, -1e308][k % 4];
        }
        let svg = animate_svg(&scene, &motion, &look(), &Film::default());
        well_formed(&svg);
        assert!(!svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("no colour"));
        assert!(svg.contains("visibility"));
    }

    #[test]
    fn large_scenes_have_fewer_instants() {
        let (mut scene, motion) = scene(false);
        let figure = |k: usize| {
            let at = Place { frame: 1, at: [(0.01 * k as f64).into(), 0.0.into(), 0.0.into()] };
            Figure::Box { at, edges: [0.1.into(); 3], turn: Turn::Angle(Quantity::Channel { c: 1 }) }
        };
        scene.items.extend((0..60).map(|k| Item { name: format!("b{k}"), color: None, figure: figure(k) }));
        let svg = animate_svg(&scene, &motion, &look(), &Film { frames: 120, seconds: None });
        assert!(svg.len() < LARGEST, "{}", svg.len());
        let still = animate_svg(&scene, &Motion::default(), &look(), &Film::default());
        assert!(well_formed(&still) > 10 && !still.contains("<animate"));
    }
}
