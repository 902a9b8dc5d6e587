//! A comparison as tables.

use alembert::Quantity;

use super::measure::{Outcome, Reached, Run};
use crate::table::{Cell, Column, Format, Table, cell};
use crate::trial::Steps;

/// A column and what a run has to say in it.
type Entry = (Column, fn(&Run) -> Cell);

/// What a run gave, if it reached the end.
pub fn reached(run: &Run) -> Option<&Reached> {
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
