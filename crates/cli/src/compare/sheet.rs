//! A comparison as tables and as work-precision diagrams.

use alembert::Quantity;
use alembert_problems::Problem;

use super::measure::{Outcome, Reached, Run};
use crate::plot::{Axis, Figure, Series, Stroke};
use crate::run::Steps;
use crate::table::{Cell, Column, Format, Table, cell};

/// A column and what a run has to say in it.
type Entry = (Column, fn(&Run) -> Cell);

fn reached(run: &Run) -> Option<&Reached> {
    match &run.outcome {
        Outcome::Reached(reached) => Some(reached),
        Outcome::Failed(_) => None,
    }
}

fn failure(run: &Run) -> Option<&str> {
    match &run.outcome {
        Outcome::Reached(_) => None,
        Outcome::Failed(message) => Some(message),
    }
}

/// What a person wants to see.
fn main_entries() -> Vec<Entry> {
    let count = |name| Column::new(name, name, Format::Count);
    let error = |name| Column::new(name, name, Format::Size).within("error");
    vec![
        (Column::new("method", "method", Format::Words), |run| cell(run.method)),
        (Column::new("tol", "tol", Format::Size), |run| match run.steps {
            Some(Steps::ByError(tol)) => cell(tol),
            _ => None,
        }),
        (Column::new("h", "h", Format::Size), |run| match run.steps {
            Some(Steps::Fixed { h, .. }) => cell(h),
            _ => None,
        }),
        (Column::new("milliseconds", "ms", Format::Ratio), |run| cell(1e3 * reached(run)?.time)),
        (count("steps"), |run| cell(reached(run)?.stats.steps)),
        (count("rejected"), |run| {
            let stats = reached(run)?.stats;
            cell(stats.rejected + stats.failed)
        }),
        (count("evaluations"), |run| cell(reached(run)?.stats.evaluations.of(Quantity::Force))),
        (count("jacobians"), |run| cell(reached(run)?.stats.evaluations.of(Quantity::ForceQ))),
        (Column::new("factorisations", "factored", Format::Count), |run| cell(reached(run)?.stats.factorisations)),
        (error("q"), |run| cell(reached(run)?.errors[0]?)),
        (error("v"), |run| cell(reached(run)?.errors[1]?)),
        (error("lambda"), |run| cell(reached(run)?.errors[2]?)),
        (error("psi"), |run| cell(reached(run)?.errors[3]?)),
    ]
}

/// What files have besides.
fn more_entries() -> Vec<Entry> {
    let size = |group, name| Column::new(name, name, Format::Size).within(group);
    vec![
        (size("largest_error", "q"), |run| cell(reached(run)?.largest[0])),
        (size("largest_error", "v"), |run| cell(reached(run)?.largest[1])),
        (size("largest_relative_error", "q"), |run| cell(reached(run)?.relative[0])),
        (size("largest_relative_error", "v"), |run| cell(reached(run)?.relative[1])),
        (size("residual", "position"), |run| cell(reached(run)?.stats.residuals.position)),
        (size("residual", "velocity"), |run| cell(reached(run)?.stats.residuals.velocity)),
        (size("residual", "nonholonomic"), |run| cell(reached(run)?.stats.residuals.nonholonomic)),
        (Column::new("failure", "failure", Format::Words), |run| cell(failure(run)?)),
    ]
}

fn filled(runs: &[Run], entries: &[Entry]) -> Table {
    Table {
        columns: entries.iter().map(|(column, _)| *column).collect(),
        rows: runs.iter().map(|run| entries.iter().map(|(_, value)| value(run)).collect()).collect(),
    }
}

/// Everything, for files.
pub fn table(runs: &[Run]) -> Table {
    filled(runs, &[main_entries(), more_entries()].concat())
}

/// For a terminal; messages of failures are too long for a column, see [`notes`].
pub fn brief(runs: &[Run]) -> Table {
    let mut entries = main_entries();
    entries.push((Column::new("outcome", "", Format::Words), |run| failure(run).and(cell("failed"))));
    filled(runs, &entries)
}

/// A line for each failure.
pub fn notes(runs: &[Run]) -> String {
    let mut text = String::new();
    for run in runs {
        let Some(message) = failure(run) else { continue };
        let at = match run.steps {
            Some(Steps::ByError(tol)) => format!(" at tolerance {tol:e}"),
            Some(Steps::Fixed { h, .. }) => format!(" at h = {h:.3e}"),
            None => String::new(),
        };
        // Messages carry their hint on a line of its own.
        text += &format!("\n{}{at} failed: {}", run.method, message.replace('\n', "\n  "));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Error of q against time and against evaluations, with the names of their files.
pub fn figures(problem: &Problem, runs: &[Run]) -> Vec<(&'static str, Figure)> {
    let diagram = |ordinate: &str, cost: fn(&Reached) -> f64| Figure {
        heading: problem.name.to_owned(),
        title: format!("{}, t = {}", problem.title, problem.t_end),
        x: Axis::log("error of q at the end (2-norm)"),
        y: Axis::log(ordinate),
        series: curves(runs, cost),
        slopes: Vec::new(),
    };
    vec![
        ("time", diagram("time (ms)", |reached| 1e3 * reached.time)),
        (
            "evaluations",
            diagram("evaluations of the force", |reached| reached.stats.evaluations.of(Quantity::Force) as f64),
        ),
    ]
}

/// A curve for each method that reached the end at all.
fn curves(runs: &[Run], cost: fn(&Reached) -> f64) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for run in runs {
        let point = reached(run).and_then(|reached| Some((reached.errors[0]?, cost(reached))));
        let Some(point) = point else { continue };
        // A method looks the same whichever others are compared with it.
        let look = super::METHODS.iter().position(|method| method.name == run.method).unwrap_or_default();
        match series.iter_mut().find(|series| series.look == look) {
            Some(series) => series.points.push(point),
            None => {
                series.push(Series { label: run.label.to_owned(), look, stroke: Stroke::Marked, points: vec![point] })
            }
        }
    }
    series
}
