//! Parts of a page besides the motion and its curves.

use serde::Serialize;

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Section {
    /// A table.
    Table {
        /// Its name in addresses.
        id: String,
        /// What it is called.
        title: String,
        /// What to know of it.
        note: String,
        /// Its columns.
        columns: Vec<ColumnHead>,
        /// Its rows, each as long as there are columns.
        rows: Vec<Vec<Cell>>,
    },
    /// Words.
    Text {
        /// Its name in addresses.
        id: String,
        /// What it is called.
        title: String,
        /// The words; lines stay lines.
        text: String,
        /// Whether all letters are equally wide.
        mono: bool,
    },
    /// Curves over two axes.
    Chart {
        /// Its name in addresses.
        id: String,
        /// What it is called.
        title: String,
        /// What to know of it.
        note: String,
        /// The axis across.
        x: ChartAxis,
        /// The axis up.
        y: ChartAxis,
        /// The curves.
        series: Vec<Curve>,
    },
    /// Colours over two axes.
    Heat {
        /// Its name in addresses.
        id: String,
        /// What it is called.
        title: String,
        /// What to know of it.
        note: String,
        /// Places across.
        x: Values,
        /// Places up.
        y: Values,
        /// Numbers at these places: all of the first place up, then all of the second.
        z: Values,
    },
    /// A line through parallel axes for each run.
    Parallel {
        /// Its name in addresses.
        id: String,
        /// What it is called.
        title: String,
        /// What to know of it.
        note: String,
        /// The axes, each with a number for every run.
        axes: Vec<Values>,
        /// The axis by which lines are coloured.
        color: usize,
    },
}

/// The head of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnHead {
    /// Its name.
    pub name: String,
    /// Its unit, or empty.
    pub unit: String,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number; `null` in JSON if it is not finite.
    Number(f64),
    /// Nothing.
    Nothing,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// An axis of a chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChartAxis {
    /// What it is called.
    pub label: String,
    /// Its unit, or empty.
    pub unit: String,
    /// Whether it is logarithmic.
    pub log: bool,
}

/// Numbers with a name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Values {
    /// What they are.
    pub label: String,
    /// Their unit, or empty.
    pub unit: String,
    /// The numbers.
    pub values: Vec<f64>,
}

/// A curve of a chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// What it is called.
    pub name: String,
    /// Places across.
    pub x: Vec<f64>,
    /// Places up.
    pub y: Vec<f64>,
    /// How it is drawn.
    pub style: CurveStyle,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CurveStyle {
    /// A line.
    Line,
    /// A mark at each place.
    Points,
    /// Both.
    LinePoints,
    /// A line with gaps.
    Dashed,
}
