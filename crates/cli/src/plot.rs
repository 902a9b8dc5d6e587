//! Figures for print: curves over two axes, as SVG.
//!
//! Everything has its own strip of the sheet (title, legend, frame, tick labels, axis labels), so nothing can lie on top
//! of a curve; slope triangles look for a free place inside the frame.

mod axis;
mod draw;
mod frame;
mod legend;
mod look;
mod pen;
mod slope;

pub use axis::Axis;

/// How the points of a series are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// A line with a marker at each point.
    Marked,
    /// A line; where there are several, with a few markers to tell them apart in black and white.
    Line,
    /// A dot at each point, no line.
    Dots,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct Series {
    pub label: String,
    /// Which colour and marker, counted from 0.
    pub look: usize,
    pub stroke: Stroke,
    pub points: Vec<(f64, f64)>,
}

/// A figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// First line above the figure, in bold.
    pub heading: String,
    /// Second line.
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    /// Slopes to show as triangles; for figures with two logarithmic axes.
    pub slopes: Vec<f64>,
}

/// The sheet of a figure.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// In pixels; the width is 760.
    pub height: u32,
    /// Whether a unit is as long across as up, as for paths in a plane.
    pub equal: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape { height: 600, equal: false }
    }
}
