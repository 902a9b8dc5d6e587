//! The report of `compare`: what accuracy costs, by method.

use alembert_picture::page::{
    Cell, ChartAxis, ColumnHead, Curve, CurveStyle, Document, Level, Point, Section, State, Verdict,
};

use super::{PROGRAM, Page};
use crate::compare::sheet::reached;
use crate::compare::{Outcome, Run};

/// What work is measured in.
type Work = (&'static str, &'static str, fn(&Run) -> Option<f64>);

const WORK: [Work; 2] =
    [("time", "ms", |run| Some(1e3 * reached(run)?.time)), ("steps", "", |run| Some(reached(run)?.stats.steps as f64))];

/// Of the runs of a comparison and what their errors are measured against.
pub fn report_comparison(title: &str, runs: &[Run], origin: &str) -> Page {
    let failed = |run: &&Run| matches!(run.outcome, Outcome::Failed(_));
    let failures = runs.iter().filter(failed).count();
    let points = runs.iter().filter_map(|run| match &run.outcome {
        Outcome::Failed(message) => Some(Point { level: Level::Note, text: format!("{}: {message}", run.label) }),
        Outcome::Reached(_) => None,
    });
    let points = std::iter::once(Point { level: Level::Note, text: format!("errors at the end against {origin}") })
        .chain(points)
        .collect();
    let state = if failures == runs.len() { State::Failed } else { State::Good };
    let headline = format!("{} runs of several methods on one problem, {failures} of them without an end", runs.len());
    let mut page = Page::new(Document::new(title, PROGRAM, Verdict { state, headline, points }));
    page.document.sections = WORK.iter().flat_map(|work| (0..4).filter_map(|k| diagram(runs, work, k))).collect();
    page.document.sections.push(table(runs));
    page
}

/// The quantities whose errors there are.
const QUANTITIES: [&str; 4] = ["coordinates", "velocities", "multipliers", "nonholonomic multipliers"];

fn diagram(runs: &[Run], (work, unit, of): &Work, k: usize) -> Option<Section> {
    let mut series: Vec<Curve> = Vec::new();
    for run in runs {
        let (Some(x), Some(y)) = (of(run), reached(run).and_then(|reached| reached.errors[k])) else { continue };
        if y <= 0.0 {
            continue;
        }
        let known = series.iter().position(|curve| curve.name == run.label).unwrap_or_else(|| {
            let (x, y) = (Vec::new(), Vec::new());
            series.push(Curve { name: run.label.to_owned(), x, y, style: CurveStyle::LinePoints });
            series.len() - 1
        });
        series[known].x.push(y);
        series[known].y.push(x);
    }
    let log = |label: &str, unit: &str| ChartAxis { label: label.to_owned(), unit: unit.to_owned(), log: true };
    (!series.is_empty()).then(|| Section::Chart {
        id: format!("{work}-{k}"),
        title: format!("{work} over the error of {}", QUANTITIES[k]),
        note: "Below and to the left is better.".to_owned(),
        x: log("error", ""),
        y: log(work, unit),
        series,
    })
}

fn table(runs: &[Run]) -> Section {
    let heads = ["method", "ms", "steps", "error of q", "error of v", "error of lambda", "error of psi"];
    let row = |run: &Run| {
        let number = |value: Option<f64>| value.map_or(Cell::Nothing, Cell::Number);
        let work = WORK.iter().map(|(_, _, of)| number(of(run)));
        let errors = (0..4).map(|k| number(reached(run).and_then(|reached| reached.errors[k])));
        std::iter::once(Cell::from(run.label)).chain(work).chain(errors).collect()
    };
    Section::Table {
        id: "runs".to_owned(),
        title: "Runs".to_owned(),
        note: String::new(),
        columns: heads.map(|name| ColumnHead { name: name.to_owned(), unit: String::new() }).to_vec(),
        rows: runs.iter().map(row).collect(),
    }
}
