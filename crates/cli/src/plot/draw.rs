//! From a figure to a sheet.

use std::error::Error;

use super::frame::Frame;
use super::look::{color, marker};
use super::pen::{Anchor, Drawn, Pen, Place, sheet};
use super::{Figure, Series, Stroke, legend, slope};

/// The sheet and its strips, in pixels. At 16 cm in print, letters of 16 pixels are 9.5 point.
const WIDTH: u32 = 760;
const HEIGHT: u32 = 600;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 736.0;
const HEADING: f64 = 22.0;
const TITLE: f64 = 46.0;
const LEGEND: f64 = 76.0;
const TOP: f64 = 98.0;
const BOTTOM: f64 = 534.0;
const ABSCISSA: f64 = 580.0;
const ORDINATE: f64 = 22.0;
/// Between two markers of one line.
const MARKERS_APART: f64 = 170.0;

impl Figure {
    /// The figure as an SVG file.
    pub fn svg(&self) -> Result<String, Box<dyn Error>> {
        sheet(WIDTH, HEIGHT, |pen| self.draw(pen))
    }

    fn draw(&self, pen: &Pen) -> Drawn {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let lines = self.series.iter().filter(|series| series.stroke == Stroke::Line).count();
        let legend = legend::lines(&self.series, RIGHT - LEFT);
        let top = TOP + legend::LINE * legend.len().saturating_sub(1) as f64;
        let frame = Frame {
            left: LEFT,
            right: RIGHT,
            top,
            bottom: BOTTOM,
            x: self.x.span(points().map(|point| point.0)),
            y: self.y.span(points().map(|point| point.1)),
        };
        let curves: Vec<Vec<Place>> =
            self.series.iter().map(|series| series.points.iter().filter_map(|&p| frame.place(p)).collect()).collect();
        self.draw_words(pen, top)?;
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

    fn draw_words(&self, pen: &Pen, top: f64) -> Drawn {
        let middle = 0.5 * (LEFT + RIGHT);
        pen.text(&self.heading, (middle, HEADING), 19.0, true, Anchor::Center)?;
        pen.text(&self.title, (middle, TITLE), 15.0, false, Anchor::Center)?;
        pen.text(&self.x.label, (middle, ABSCISSA), 17.0, false, Anchor::Center)?;
        pen.upward_text(&self.y.label, (ORDINATE, 0.5 * (top + BOTTOM)), 17.0)
    }
}

fn draw_curve(pen: &Pen, series: &Series, curve: &[Place], lines: usize) -> Drawn {
    let color = color(series.look);
    match series.stroke {
        Stroke::Marked => pen.line(curve, color, 2.0)?,
        Stroke::Line => pen.line(curve, color, 1.4)?,
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
