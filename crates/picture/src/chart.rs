//! Charts: curves over two axes, for print.
//!
//! Everything has its own strip of the sheet (title, legend, frame, tick labels, axis labels), so nothing can lie on top
//! of a curve; slope triangles look for a free place inside the frame.

mod axis;
mod draw;
mod frame;
mod legend;
mod look;
mod pen;
mod simplify;
mod slope;

pub use axis::Axis;

/// How the points of a series are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// A line with a marker at each point.
    Marked,
    /// A line; where there are several, with dashes to tell them apart in black and white.
    Line,
    /// A dot at each point, no line.
    Dots,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct Series {
    /// What it is called.
    pub label: String,
    /// Which colour and marker, counted from 0.
    pub look: usize,
    /// How its points are joined.
    pub stroke: Stroke,
    /// Its points; where one cannot be shown, as zero on a logarithmic axis, there is a gap.
    pub points: Vec<(f64, f64)>,
}

/// A figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// First line above the figure, in bold.
    pub heading: String,
    /// Second line.
    pub title: String,
    /// The axis across.
    pub x: Axis,
    /// The axis up.
    pub y: Axis,
    /// The curves.
    pub series: Vec<Series>,
    /// Slopes to show as triangles; for figures with two logarithmic axes.
    pub slopes: Vec<f64>,
    /// Places on the axis across where something happened.
    pub marks: Vec<Mark>,
}

/// Something that happened, as an event: a line from the bottom to the top.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Where on the axis across.
    pub x: f64,
    /// What it was; written if there are few of them.
    pub label: String,
}

/// The sheet of a figure.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// In pixels; the width is 760.
    pub height: u32,
    /// Whether a unit is as long across as up, as for paths in a plane.
    pub equal: bool,
}

impl Default for Format {
    fn default() -> Self {
        Format { height: 600, equal: false }
    }
}
