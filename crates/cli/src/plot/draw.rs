//! From a figure to a sheet.

use std::error::Error;

use super::frame::Frame;
use super::look::{color, marker};
use super::pen::{Anchor, Drawn, Pen, Place, sheet};
use super::{Figure, Series, Shape, Stroke, legend, slope};

/// The sheet and its strips, in pixels. At 16 cm in print, letters of 16 pixels are 9.5 point.
const WIDTH: u32 = 760;
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
/// A distance that nobody sees, in pixels, and places that may be left out in a row.
const UNSEEN: f64 = 0.1;
const MOST_LEFT_OUT: usize = 200;
/// Between two markers of one line.
const MARKERS_APART: f64 = 170.0;

impl Figure {
    /// The figure as an SVG file of the usual shape.
    pub fn svg(&self) -> Result<String, Box<dyn Error>> {
        self.shaped(Shape::default())
    }

    /// The figure as an SVG file.
    pub fn shaped(&self, shape: Shape) -> Result<String, Box<dyn Error>> {
        sheet(WIDTH, shape.height, |pen| self.draw(pen, shape))
    }

    fn draw(&self, pen: &Pen, shape: Shape) -> Drawn {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let lines = self.series.iter().filter(|series| series.stroke == Stroke::Line).count();
        let legend = legend::lines(&self.series, RIGHT - LEFT);
        let top = TOP + legend::LINE * legend.len().saturating_sub(1) as f64;
        let height = f64::from(shape.height);
        let mut frame = Frame {
            left: LEFT,
            right: RIGHT,
            top,
            bottom: (height - BOTTOM).max(top + 1.0),
            x: self.x.span(points().map(|point| point.0)),
            y: self.y.span(points().map(|point| point.1)),
        };
        if shape.equal {
            frame.equalise();
        }
        let curves: Vec<Vec<Place>> =
            self.series.iter().map(|series| series.points.iter().filter_map(|&p| frame.place(p)).collect()).collect();
        self.draw_words(pen, top, height)?;
        for (i, line) in legend.into_iter().enumerate() {
            legend::draw(pen, line, lines == 1, LEFT, RIGHT, LEGEND + legend::LINE * i as f64)?;
        }
        frame.draw(pen)?;
        for (series, curve) in self.series.iter().zip(&curves) {
            draw_curve(pen, series, curve, lines)?;
        }
        slope::draw(pen, &frame, &curves, &self.slopes)?;
        frame.draw_border(pen)
    }

    fn draw_words(&self, pen: &Pen, top: f64, height: f64) -> Drawn {
        let middle = 0.5 * (LEFT + RIGHT);
        pen.text(&self.heading, (middle, HEADING), 19.0, true, Anchor::Center)?;
        pen.text(&self.title, (middle, TITLE), 15.0, false, Anchor::Center)?;
        pen.text(&self.x.label, (middle, height - ABSCISSA), 17.0, false, Anchor::Center)?;
        pen.upward_text(&self.y.label, (ORDINATE, 0.5 * (top + height - BOTTOM)), 17.0)
    }
}

fn draw_curve(pen: &Pen, series: &Series, curve: &[Place], lines: usize) -> Drawn {
    let color = color(series.look);
    match series.stroke {
        Stroke::Marked => pen.line(curve, color, 2.0)?,
        Stroke::Line => pen.line(&simplified(curve), color, 1.4)?,
        Stroke::Dots => {}
    }
    match series.stroke {
        Stroke::Marked => curve.iter().try_for_each(|&at| pen.marker(at, marker(series.look), color)),
        Stroke::Dots => curve.iter().try_for_each(|&at| pen.dot(at, 2.6, color)),
        Stroke::Line if lines > 1 => {
            sparse(curve, series.look, lines).try_for_each(|at| pen.marker(at, marker(series.look), color))
        }
        Stroke::Line => Ok(()),
    }
}

/// The curve without places that a straight line to a later one passes within [`UNSEEN`]: it looks the same, and takes less room.
fn simplified(curve: &[Place]) -> Vec<Place> {
    let Some(&first) = curve.first() else { return Vec::new() };
    let mut kept = vec![first];
    let mut from = 0;
    for to in 2..curve.len() {
        let ((x0, y0), (x1, y1)) = (curve[from], curve[to]);
        let (dx, dy) = (x1 - x0, y1 - y0);
        let length = dx * dx + dy * dy;
        let apart = |&(x, y): &Place| {
            // From the part of the line between its ends: curves turn back.
            let s = if length > 0.0 { (((x - x0) * dx + (y - y0) * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
            (x - x0 - s * dx).hypot(y - y0 - s * dy)
        };
        if to - from > MOST_LEFT_OUT || curve[from + 1..to].iter().any(|place| apart(place) > UNSEEN) {
            from = to - 1;
            kept.push(curve[from]);
        }
    }
    kept.extend(curve.get(1..).and_then(<[Place]>::last));
    kept
}

/// Places of a few markers on one of `count` curves, each curve's between those of the others.
fn sparse(curve: &[Place], look: usize, count: usize) -> impl Iterator<Item = Place> {
    let first = LEFT + MARKERS_APART * (look as f64 + 0.5) / count as f64;
    let wanted = (0..).map(move |k| first + MARKERS_APART * f64::from(k)).take_while(|x| *x < RIGHT);
    wanted.filter_map(|x| {
        let next = curve.iter().position(|place| place.0 >= x).filter(|next| *next > 0)?;
        let ((x0, y0), (x1, y1)) = (curve[next - 1], curve[next]);
        let part = if x1 > x0 { (x - x0) / (x1 - x0) } else { 1.0 };
        Some((x, y0 + part * (y1 - y0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Axis;

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
        };
        let svg = figure.svg().expect("a figure");
        assert!(svg.starts_with("<svg width=\"760\" height=\"600\" viewBox="));
        assert!(svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("a &lt; b &amp; c"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn curves_are_drawn_with_what_is_seen_of_them() {
        // A straight line there and back, and a circle.
        let line: Vec<Place> = (0..=100).map(|k| (f64::from(50 - (k - 50_i32).abs()), 3.0)).collect();
        assert_eq!(simplified(&line), [(0.0, 3.0), (50.0, 3.0), (0.0, 3.0)]);
        let circle: Vec<Place> = (0..=1000)
            .map(|k| (f64::from(k) * std::f64::consts::TAU / 1000.0).sin_cos())
            .map(|(s, c)| (100.0 * c, 100.0 * s))
            .collect();
        let drawn = simplified(&circle);
        assert!((30..200).contains(&drawn.len()), "{}", drawn.len());
        let middles = drawn.windows(2).map(|pair| (0.5 * (pair[0].0 + pair[1].0)).hypot(0.5 * (pair[0].1 + pair[1].1)));
        assert!(middles.clone().all(|r| (r - 100.0).abs() < 2.0 * UNSEEN), "{:?}", middles.collect::<Vec<f64>>());
        assert_eq!(
            (simplified(&[]).len(), simplified(&circle[..1]), simplified(&circle[..2]).len()),
            (0, circle[..1].to_vec(), 2)
        );
    }

    #[test]
    fn lines_have_markers_where_others_have_none() {
        let curve = [(LEFT, 100.0), (RIGHT, 200.0)];
        let [first, second] = [0, 1].map(|look| sparse(&curve, look, 2).map(|place| place.0).collect::<Vec<f64>>());
        assert!(first.len() >= 3 && second.len() >= 3);
        assert!(first.iter().all(|x| second.iter().all(|other| (x - other).abs() > 80.0)), "{first:?} {second:?}");
        // A curve that ends early has no markers beyond its end.
        assert!(sparse(&[(LEFT, 1.0), (LEFT + 10.0, 1.0)], 0, 1).next().is_none());
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
        };
        assert!(figure.svg().expect("a figure").contains("error"));
    }
}
