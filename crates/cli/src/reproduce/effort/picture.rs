//! Evaluations against error: ours on the whole ladder, the paper's where its errors are known.

use alembert_picture::chart::{Axis, Figure, Series, Stroke};

use super::measure::Effort;
use super::{EffortTable, Printed};

/// Work and precision of projected and plain runs, and of projected RADAU5.
pub fn figure(table: &EffortTable, ladder: &[Effort], rows: &[(&Printed, Effort)]) -> Figure {
    let ours = |runs: Vec<&Effort>| runs.iter().map(|run| (run.errors[0], run.evaluations as f64)).collect();
    let plain: Vec<&Effort> = rows.iter().map(|(_, effort)| effort).filter(|effort| !effort.projected).collect();
    let theirs = table.printed.iter().filter_map(|p| Some((p.errors[0]?, p.projected[0] as f64))).collect();
    let series = |label: &str, look, points| Series { label: label.to_owned(), look, stroke: Stroke::Marked, points };
    Figure {
        heading: table.name.to_owned(),
        title: table.title.to_owned(),
        x: Axis::log("largest error of q (2-norm)"),
        y: Axis::log("evaluations"),
        series: vec![
            series("projected", 0, ours(ladder.iter().collect())),
            series("not projected", 1, ours(plain)),
            series("projected RADAU5 (paper)", 4, theirs),
        ],
        slopes: Vec::new(),
        marks: Vec::new(),
    }
}
