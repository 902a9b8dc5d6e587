//! One run for each point of a grid of parameters, in parallel; one row each.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use alembert::run_many;
use alembert::{State, Warning};
use alembert_model::Model;
use alembert_model::run::Run;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::onlooker::{Onlooker, Unseen};
use crate::sheet::{field, results};
use crate::simulate::{End, simulate};
use crate::summary;

/// The largest number of points of a grid.
pub const MOST: usize = 1_000_000;

/// A parameter and its values, as text.
pub type Axis = (String, Vec<String>);

/// A value for each parameter of the grid, as text.
pub type Point = Vec<(String, String)>;

/// Every combination of the values, the last parameter fastest.
///
/// # Errors
/// If there are too many.
pub fn grid(axes: &[Axis]) -> Result<Vec<Point>, Failure> {
    let mut points = vec![Vec::new()];
    for (name, values) in axes {
        if points.len().saturating_mul(values.len()) > MOST {
            return Err(Failure::usage(format!("the grid has more than {MOST} points")));
        }
        points = points
            .iter()
            .flat_map(|point| {
                values.iter().map(|value| {
                    let mut longer: Vec<(String, String)> = point.clone();
                    longer.push((name.clone(), value.clone()));
                    longer
                })
            })
            .collect();
    }
    Ok(points)
}

/// What a run gave: names and values of its last row, or why there are none.
pub struct Row {
    /// Names of the columns of a result.
    pub columns: Vec<String>,
    /// Their last values.
    pub values: Vec<f64>,
    /// Steps made.
    pub steps: u64,
    /// Energy at the end less that at the start.
    pub energy_change: Option<f64>,
    /// What went wrong.
    pub failure: Option<Failure>,
    /// What is not as it should be.
    pub warnings: Vec<Warning>,
}

/// Runs every point on `jobs` threads, or on all processors if that is zero; `make` gives the model and the run of a point. There
/// is no row for what was not run because the onlooker wanted to stop.
pub fn sweep(
    points: &[Point],
    jobs: usize,
    make: impl Fn(&Point) -> Result<(Model, Run), Failure> + Sync,
    onlooker: &dyn Onlooker,
) -> Vec<Option<Row>> {
    let (done, all) = (AtomicUsize::new(0), points.len());
    let rows = run_many(points, jobs, |point| {
        if onlooker.wants_to_stop() {
            return None;
        }
        let row = make(point).and_then(|(model, run)| one(&model, run, onlooker)).unwrap_or_else(|failure| {
            let (columns, values, warnings) = (Vec::new(), Vec::new(), Vec::new());
            Some(Row { columns, values, steps: 0, energy_change: None, failure: Some(failure), warnings })
        });
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        onlooker.advanced(done as f64 / all as f64, &|| format!("{done} of {all} runs"));
        row
    });
    onlooker.finished();
    rows
}

/// One run; nothing if it was interrupted.
fn one(model: &Model, mut run: Run, onlooker: &dyn Onlooker) -> Result<Option<Row>, Failure> {
    // Only the end counts here.
    run.output_every = Some(run.t_end - run.t_start);
    let trajectory = simulate(model, &run, &Unseen(onlooker))?;
    let energy = |state: Option<&State>| model.energy(state?);
    let states = &trajectory.states;
    let energy_change = energy(states.last()).zip(energy(states.first())).map(|(last, first)| last - first);
    let results = results(model, states);
    let failure = match trajectory.end {
        End::Reached | End::Event(_) => None,
        End::Interrupted => return Ok(None),
        End::Failed(failure) => Some(failure),
    };
    let values = results.rows.last().cloned().unwrap_or_default();
    let steps = trajectory.summary.stats.steps;
    let warnings = trajectory.warnings;
    Ok(Some(Row { columns: results.columns, values, steps, energy_change, failure, warnings }))
}

impl Row {
    /// "reached", or the first line of what went wrong.
    pub fn outcome(&self) -> &str {
        let message = self.failure.as_ref().map_or("reached", |failure| &failure.message);
        message.lines().next().unwrap_or("failed").trim_start_matches("error: ")
    }
}

/// One JSON object for each run that was made.
pub fn json_lines(points: &[Point], rows: &[Option<Row>]) -> String {
    let lines = points.iter().zip(rows).filter_map(|(point, row)| {
        let row = row.as_ref()?;
        // Values are formulas; most are numbers.
        let value = |text: &String| text.parse::<f64>().map_or_else(|_| json!(text), |number| json!(number));
        let parameters: Map<String, Value> = point.iter().map(|(name, text)| (name.clone(), value(text))).collect();
        let values = row.columns.iter().cloned().zip(row.values.iter().map(|value| json!(value)));
        let end: Map<String, Value> = values.filter(|_| row.failure.is_none()).collect();
        let line = json!({
            "parameters": parameters,
            "outcome": row.outcome(),
            "failed": row.failure.is_some(),
            "steps": row.steps,
            "energy_change": row.energy_change,
            "warnings": row.warnings.iter().map(summary::warning).collect::<Vec<_>>(),
            "end": end,
        });
        Some(format!("{line}\n"))
    });
    lines.collect()
}

/// The table, and how many rows failed.
pub fn table(axes: &[Axis], points: &[Point], rows: &[Option<Row>]) -> (String, usize) {
    let columns = rows.iter().flatten().map(|row| &row.columns).find(|columns| !columns.is_empty());
    let columns = columns.cloned().unwrap_or_default();
    let mut text: String = axes.iter().map(|(name, _)| format!("{},", field(name))).collect();
    for name in ["outcome", "steps", "energy_change"].into_iter().chain(columns.iter().map(String::as_str)) {
        text += &format!("{}{}", if name == "outcome" { "" } else { "," }, field(name));
    }
    text += ",warnings\n";
    let mut failed = 0;
    for (point, row) in points.iter().zip(rows) {
        let Some(row) = row else { continue };
        failed += usize::from(row.failure.is_some());
        let outcome = row.outcome();
        let mut line: String = point.iter().map(|(_, value)| format!("{value},")).collect();
        // Writing to a string cannot fail.
        let _ = write!(line, "{},{},", field(outcome), row.steps);
        let _ = row.energy_change.map(|change| write!(line, "{change:.16e}"));
        for k in 0..columns.len() {
            let same = row.columns == columns && row.failure.is_none();
            let value = row.values.get(k).filter(|_| same).map(|value| format!("{value:.16e}")).unwrap_or_default();
            let _ = write!(line, ",{value}");
        }
        // Only how many there are; `run` with the same parameters says which.
        let _ = writeln!(line, ",{}", row.warnings.len());
        text += &line;
    }
    (text, failed)
}
