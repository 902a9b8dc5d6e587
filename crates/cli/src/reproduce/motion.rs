//! One coordinate over time, next to its reference.

use alembert_picture::chart::{Axis, Figure, Series, Stroke};
use alembert_sim::table::{Column, Format, Table, cell};

/// Which coordinate a figure shows.
#[derive(Clone, Copy)]
pub struct Motion {
    /// Index into q.
    pub coordinate: usize,
    /// What it is, with its unit.
    pub label: &'static str,
    /// Added to the experiment's name for the files.
    pub suffix: &'static str,
}

/// The coordinate at one time.
#[derive(Clone, Copy)]
pub struct Moment {
    pub t: f64,
    pub numerical: f64,
    pub reference: f64,
}

/// t, numerical, reference, error.
pub fn table(moments: &[Moment]) -> Table {
    let column = |name, format| Column { group: None, name, heading: name, format };
    Table {
        columns: vec![
            column("t", Format::Step),
            column("numerical", Format::Size),
            column("reference", Format::Size),
            column("error", Format::Size),
        ],
        rows: moments
            .iter()
            .map(|m| vec![cell(m.t), cell(m.numerical), cell(m.reference), cell(m.numerical - m.reference)])
            .collect(),
    }
}

/// The steps as dots, the reference as a line over them: where dots are dense it would vanish below.
pub fn figure(moments: &[Moment], heading: String, title: &str, label: &str, h: f64) -> Figure {
    let points = |value: fn(&Moment) -> f64| moments.iter().map(|moment| (moment.t, value(moment))).collect();
    Figure {
        heading,
        title: title.to_owned(),
        x: Axis::linear("time t"),
        y: Axis::linear(label),
        series: vec![
            Series {
                label: format!("numerical, h = {h}"),
                look: 0,
                stroke: Stroke::Dots,
                points: points(|m| m.numerical),
            },
            Series { label: "reference".to_owned(), look: 1, stroke: Stroke::Line, points: points(|m| m.reference) },
        ],
        slopes: Vec::new(),
        marks: Vec::new(),
    }
}
