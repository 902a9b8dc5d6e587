//! From a figure to a sheet.

use super::frame::Frame;
use super::look::{color, dash, marker};
use super::pen::{Pen, Place, shortened};
use super::simplify::{apart, simplified, thinned};
use super::{Figure, Format, Mark, Series, Stroke, legend, slope};
use crate::color::Color;
use crate::sketch::{Anchor, Sketch, width_of};
use crate::svg;

/// The sheet and its strips, in pixels. At 16 cm in print, letters of 15 pixels are 9 point.
const WIDTH: f64 = 760.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 736.0;
const HEADING: f64 = 22.0;
const TITLE: f64 = 46.0;
const LEGEND: f64 = 76.0;
const TOP: f64 = 98.0;
/// From the lower edge of the sheet.
const BOTTOM: f64 = 66.0;
const ABSCISSA: f64 = 20.0;
const ORDINATE: f64 = 22.0;
/// Markers of a curve that are all drawn; of more those are left out that lie on each other.
const MARKERS: usize = 400;
/// What happened is written beside its line if it happened at most so often.
const NAMED: usize = 8;
const HAPPENED: Color = Color(0x70, 0x70, 0x70);

impl Figure {
    /// The figure as an SVG file of the usual format.
    pub fn svg(&self) -> String {
        self.formatted(Format::default())
    }

    /// The figure as an SVG file.
    pub fn formatted(&self, format: Format) -> String {
        svg::write(&self.sketch(format))
    }

    /// The figure as shapes, which can be written as SVG or PNG.
    pub fn sketch(&self, format: Format) -> Sketch {
        let height = f64::from(format.height);
        let mut pen = Pen::new(WIDTH, height);
        let points = || self.series.iter().flat_map(|series| &series.points);
        let lines = self.series.iter().filter(|series| series.stroke == Stroke::Line).count();
        let legend = legend::lines(&self.series, RIGHT - LEFT);
        let top = TOP + legend::LINE * legend.len().saturating_sub(1) as f64;
        let mut frame = Frame {
            left: LEFT,
            right: RIGHT,
            top,
            bottom: (height - BOTTOM).max(top + 1.0),
            x: self.x.span(points().map(|point| point.0)),
            y: self.y.span(points().map(|point| point.1)),
        };
        if format.equal {
            frame.equalise();
        }
        self.draw_words(&mut pen, top, height);
        for (i, line) in legend.into_iter().enumerate() {
            legend::draw(&mut pen, line, lines == 1, LEFT, RIGHT, LEGEND + legend::LINE * i as f64);
        }
        frame.draw(&mut pen);
        let happenings = self.happenings(&frame);
        for (x, _) in &happenings {
            pen.line(&[(*x, frame.bottom), (*x, frame.top)], HAPPENED, 1.1, &[1.5, 3.5]);
        }
        let mut curves = Vec::new();
        for series in &self.series {
            let pieces = pieces(series, &frame);
            draw_curve(&mut pen, series, &pieces, lines);
            curves.extend(pieces);
        }
        slope::draw(&mut pen, &frame, &curves, &self.slopes);
        say_what_happened(&mut pen, &frame, &happenings);
        frame.draw_border(&mut pen);
        pen.into_sketch()
    }

    fn draw_words(&self, pen: &mut Pen, top: f64, height: f64) {
        let (middle, room) = (0.5 * (LEFT + RIGHT), RIGHT - LEFT);
        let (heading, size) = fitted(&self.heading, 17.0, WIDTH - 20.0);
        pen.bold(&heading, (middle, HEADING), size, Anchor::Center);
        let (title, size) = fitted(&self.title, 13.5, WIDTH - 20.0);
        pen.text(&title, (middle, TITLE), size, Anchor::Center);
        let (label, size) = fitted(&self.x.label, 15.0, room);
        pen.text(&label, (middle, height - ABSCISSA), size, Anchor::Center);
        // Beside the middle of the frame, or of the sheet where there is more room.
        let frame = height - BOTTOM - top;
        let (label, size) = fitted(&self.y.label, 15.0, height - 12.0);
        let beside = if width_of(&label, size) <= frame { top + 0.5 * frame } else { 0.5 * height };
        pen.upward_text(&label, (ORDINATE, beside), size, Anchor::Center);
    }

    /// Where on the sheet something happened, and what; lines on each other are one line.
    fn happenings(&self, frame: &Frame) -> Vec<(f64, &str)> {
        let across = |position: f64| frame.left + position * (frame.right - frame.left);
        let place =
            |mark: &'_ Mark| frame.x.position(mark.x).filter(|position| (0.0..=1.0).contains(position)).map(across);
        let mut seen: Vec<(f64, &str)> =
            self.marks.iter().filter_map(|mark| Some((place(mark)?, mark.label.as_str()))).collect();
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        seen.dedup_by(|later, earlier| later.0 - earlier.0 < 0.5);
        seen
    }
}

/// Words that fit into some room, and their size: smaller before they are cut.
fn fitted(words: &str, size: f64, room: f64) -> (String, f64) {
    let smaller = 0.8 * size;
    let fits = |size: f64| shortened(words, size, room) == words;
    let size = if fits(size) { size } else { smaller };
    (shortened(words, size, room), size)
}

/// What happened is said beside its line, before the curves, where there is room for it.
fn say_what_happened(pen: &mut Pen, frame: &Frame, happenings: &[(f64, &str)]) {
    if happenings.len() > NAMED {
        return;
    }
    let mut last = f64::NEG_INFINITY;
    for (x, label) in happenings.iter().filter(|(_, label)| !label.is_empty()) {
        if x - last > 14.0 {
            let words = shortened(label, 12.0, 0.6 * (frame.bottom - frame.top));
            pen.note(&words, (x - 8.0, frame.top + 8.0), 12.0);
            last = *x;
        }
    }
}

/// The curve of a series on the sheet; one that has gaps is several.
fn pieces(series: &Series, frame: &Frame) -> Vec<Vec<Place>> {
    let mut pieces = vec![Vec::new()];
    for point in &series.points {
        match (frame.place(*point), pieces.last_mut()) {
            (Some(place), Some(piece)) => piece.push(place),
            (None, Some(piece)) if !piece.is_empty() => pieces.push(Vec::new()),
            _ => {}
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

fn draw_curve(pen: &mut Pen, series: &Series, pieces: &[Vec<Place>], lines: usize) {
    let color = color(series.look);
    match series.stroke {
        Stroke::Marked => {
            pieces.iter().for_each(|piece| pen.line(&simplified(piece), color, 2.0, &[]));
            for at in apart(&pieces.concat(), 8.0, MARKERS) {
                pen.marker(at, marker(series.look), color);
            }
        }
        Stroke::Line => {
            let dash = if lines > 1 { dash(series.look) } else { &[] };
            pieces.iter().for_each(|piece| pen.line(&simplified(piece), color, 1.6, dash));
            // A single value between gaps would not be seen as a line.
            let single: Vec<Place> = pieces.iter().filter(|piece| piece.len() == 1).map(|piece| piece[0]).collect();
            pen.dots(&thinned(&single), color);
        }
        Stroke::Dots => pen.dots(&thinned(&pieces.concat()), color),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Axis;
    use crate::svg::tests::well_formed;

    #[test]
    fn points_that_cannot_be_shown_do_not_spoil_a_figure() {
        let points = vec![(0.1, 1e-2), (0.05, 0.0), (0.025, f64::NAN), (0.0125, 1e-4)];
        let figure = Figure {
            heading: "x".to_owned(),
            title: "a < b & c".to_owned(),
            x: Axis::log("h"),
            y: Axis::log("error"),
            series: vec![Series { label: "q".to_owned(), look: 0, stroke: Stroke::Marked, points }],
            slopes: vec![2.0],
            marks: Vec::new(),
        };
        let svg = figure.svg();
        assert!(svg.contains("width=\"760\" height=\"600\" viewBox=\"0 0 760 600\""));
        assert!(well_formed(&svg) > 10);
        // Points that cannot be shown are gaps: two single points, and no line between them.
        assert_eq!(svg.matches("stroke-width=\"1.6\"").count(), 3);
        assert!(svg.contains("a &lt; b &amp; c"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn an_empty_figure_is_still_a_figure() {
        let figure = Figure {
            heading: String::new(),
            title: String::new(),
            x: Axis::linear("t"),
            y: Axis::log("error"),
            series: Vec::new(),
            slopes: vec![1.0],
            marks: Vec::new(),
        };
        assert!(figure.svg().contains("error"));
    }

    fn figure(stroke: Stroke, points: Vec<(f64, f64)>) -> Figure {
        let series = |look: usize| Series { label: format!("curve {look}"), look, stroke, points: points.clone() };
        Figure {
            heading: "h".to_owned(),
            title: "t".to_owned(),
            x: Axis::linear("time t (s)"),
            y: Axis::linear("x (m)"),
            series: vec![series(0), series(1)],
            slopes: Vec::new(),
            marks: Vec::new(),
        }
    }

    #[test]
    fn a_million_rows_are_a_small_file_with_all_peaks() {
        let mut points: Vec<(f64, f64)> =
            (0..1_000_000).map(|k| 1e-5 * f64::from(k)).map(|t| (t, (500.0 * t).sin() * (0.3 * t).cos())).collect();
        points[314_159].1 = 3.0;
        let svg = figure(Stroke::Line, points.clone()).svg();
        assert!(svg.len() < 1_000_000, "{}", svg.len());
        // The peak reaches the top of the data: five per cent of the range below the upper edge.
        let top = TOP + (600.0 - BOTTOM - TOP) * (1.0 - 1.05 / 1.1);
        assert!(svg.contains(&format!(" {}", svg::number(top, 2))), "{top}");
        for stroke in [Stroke::Dots, Stroke::Marked] {
            assert!(figure(stroke, points.clone()).svg().len() < 1_000_000);
        }
        // A path that fills the frame.
        let path = points.iter().map(|(t, x)| (*x, (777.7 * t).cos())).collect();
        let svg = figure(Stroke::Line, path).formatted(Format { height: 600, equal: true });
        assert!(svg.len() < 1_000_000, "{}", svg.len());
    }

    #[test]
    fn lines_are_told_apart_without_colour() {
        let svg = figure(Stroke::Line, vec![(0.0, 0.0), (1.0, 1.0)]).svg();
        // The second curve and its sample are dashed, the first ones are not.
        assert_eq!(svg.matches("stroke-dasharray").count(), 2);
        let mut alone = figure(Stroke::Line, vec![(0.0, 0.0), (1.0, 1.0)]);
        alone.series.truncate(1);
        assert!(!alone.svg().contains("stroke-dasharray"));
    }

    #[test]
    fn events_stand_where_they_happened() {
        let mut figure = figure(Stroke::Dots, vec![(0.0, 0.0), (1.0, 1.0)]);
        let mark = |x: f64, label: &str| Mark { x, label: label.to_owned() };
        figure.marks = vec![mark(0.5, "impact <a>"), mark(7.0, "later"), mark(f64::NAN, "never"), mark(0.5, "twice")];
        let svg = figure.svg();
        well_formed(&svg);
        // The middle of the range is in the middle of the frame.
        assert!(svg.contains(&format!("M{} ", svg::number(0.5 * (LEFT + RIGHT), 2))), "{svg}");
        assert!(svg.contains("impact &lt;a&gt;") && !svg.contains("later") && !svg.contains("never"));
        assert_eq!(svg.matches("stroke-dasharray=\"1.5 3.5\"").count(), 1);
        figure.marks = (0..1000).map(|k| mark(0.001 * f64::from(k), "bounce")).collect();
        assert!(!figure.svg().contains("bounce"));
    }

    #[test]
    fn names_of_any_length_fit_the_sheet() {
        let mut figure = figure(Stroke::Line, vec![(0.0, 0.0), (1.0, 1.0)]);
        let long = "</svg>\u{202e}x".repeat(100_000);
        (figure.heading, figure.title) = (long.clone(), long.clone());
        (figure.x.label, figure.y.label) = (long.clone(), long.clone());
        figure.series[0].label = long;
        let svg = figure.svg();
        assert!(svg.len() < 20_000 && !svg.contains('\u{202e}'), "{}", svg.len());
        assert!(well_formed(&svg) > 10);
    }
}
