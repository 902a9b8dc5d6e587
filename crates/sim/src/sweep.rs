//! One run for each point of a grid of parameters, in parallel; one row each.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

use alembert::run_in_order;
use alembert::{State, Warning};
use alembert_model::Model;
use alembert_model::run::Run;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::onlooker::{Onlooker, Unseen};
use crate::sheet::{field, results};
use crate::simulate::{End, rows_of};
use crate::sink::number;
use crate::summary;

/// The largest number of points of a grid.
pub const MOST: usize = 1_000_000;

/// A parameter and its values, as text.
pub type Axis = (String, Vec<String>);

/// A value for each parameter of the grid, as text.
pub type Point = Vec<(String, String)>;

/// Every combination of the values, the last parameter fastest; of these every n-th, if only a part is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    axes: Vec<Axis>,
    first: usize,
    every: usize,
    all: usize,
}

impl Grid {
    /// Of all values; from the point of number `first` on every n-th.
    ///
    /// # Errors
    /// If there are too many.
    pub fn new(axes: &[Axis], first: usize, every: usize) -> Result<Grid, Failure> {
        let all = axes
            .iter()
            .try_fold(1_usize, |count, (_, values)| count.checked_mul(values.len()).filter(|count| *count <= MOST));
        let all = all.ok_or_else(|| Failure::usage(format!("the grid has more than {MOST} points")))?;
        Ok(Grid { axes: axes.to_vec(), first, every: every.max(1), all })
    }

    /// The parameters and their values.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.all.saturating_sub(self.first).div_ceil(self.every)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The point of a number.
    pub fn point(&self, number: usize) -> Point {
        let mut rest = self.first + number * self.every;
        let mut point: Point = self
            .axes
            .iter()
            .rev()
            .map(|(name, values)| {
                let value = values[rest % values.len()].clone();
                rest /= values.len();
                (name.clone(), value)
            })
            .collect();
        point.reverse();
        point
    }
}

/// Every combination of the values, the last parameter fastest.
///
/// # Errors
/// If there are too many.
pub fn grid(axes: &[Axis]) -> Result<Vec<Point>, Failure> {
    let grid = Grid::new(axes, 0, 1)?;
    Ok((0..grid.len()).map(|k| grid.point(k)).collect())
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
    let mut rows = Vec::new();
    march(
        0..points.len(),
        jobs,
        |k| make(&points[k]),
        onlooker,
        |_, row| {
            rows.push(row);
            ControlFlow::Continue(())
        },
    );
    rows
}

/// The same for points by number; each row is passed on when all before it were, and none is kept.
pub fn march(
    points: Range<usize>,
    jobs: usize,
    make: impl Fn(usize) -> Result<(Model, Run), Failure> + Sync,
    onlooker: &dyn Onlooker,
    take: impl FnMut(usize, Option<Row>) -> ControlFlow<()>,
) {
    let (done, all) = (AtomicUsize::new(points.start), points.end);
    let run = |k: usize| {
        if onlooker.wants_to_stop() {
            return None;
        }
        let row = make(k).and_then(|(model, run)| one(&model, run, onlooker)).unwrap_or_else(|failure| {
            let (columns, values, warnings) = (Vec::new(), Vec::new(), Vec::new());
            Some(Row { columns, values, steps: 0, energy_change: None, failure: Some(failure), warnings })
        });
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        onlooker.advanced(done as f64 / all as f64, &|| format!("{done} of {all} runs"));
        row
    };
    run_in_order(points, jobs, run, take);
    onlooker.finished();
}

/// The columns of a run: those of its last row, then its results.
pub fn columns(model: &Model) -> Vec<String> {
    let mut columns = crate::sheet::columns(model);
    columns.extend(model.results.iter().map(|result| result.name.clone()));
    columns
}

/// One run; nothing if it was interrupted.
fn one(model: &Model, mut run: Run, onlooker: &dyn Onlooker) -> Result<Option<Row>, Failure> {
    // Only the end counts here.
    run.output_every = Some(run.t_end - run.t_start);
    run.t_eval.clear();
    let trajectory = rows_of(model, &run, &Unseen(onlooker))?;
    let energy = |state: Option<&State>| model.energy(state?);
    let states = &trajectory.states;
    let energy_change = energy(states.last()).zip(energy(states.first())).map(|(last, first)| last - first);
    let results = results(model, states);
    let failure = match trajectory.end {
        End::Reached | End::Event(_) => None,
        End::Interrupted => return Ok(None),
        End::Failed(failure) => Some(failure),
        End::Limited(reached) => Some(reached.failure()),
    };
    let mut values = results.rows.last().cloned().unwrap_or_default();
    values.extend(trajectory.results.iter().map(|outcome| outcome.value));
    let steps = trajectory.summary.stats.steps;
    let warnings = trajectory.warnings;
    Ok(Some(Row { columns: columns(model), values, steps, energy_change, failure, warnings }))
}

impl Row {
    /// "reached", or the first line of what went wrong.
    pub fn outcome(&self) -> &str {
        let message = self.failure.as_ref().map_or("reached", |failure| &failure.message);
        message.lines().next().unwrap_or("failed").trim_start_matches("error: ")
    }
}

/// A run as one JSON object, in a line.
pub fn json_line(point: &Point, row: &Row) -> String {
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
    format!("{line}\n")
}

/// The first line of the table of results with these columns.
pub fn header(axes: &[Axis], columns: &[String]) -> String {
    let axes = axes.iter().map(|(name, _)| name.as_str());
    let names = axes.chain(["outcome", "steps", "energy_change"]).chain(columns.iter().map(String::as_str));
    let names: Vec<String> = names.chain(["warnings"]).map(field).collect();
    names.join(",") + "\n"
}

/// How the line of a point begins.
pub fn beginning(point: &Point) -> String {
    point.iter().map(|(_, value)| format!("{},", field(value))).collect()
}

/// A run as a line of the table. What failed has an outcome and no values.
pub fn line(point: &Point, row: &Row, columns: &[String]) -> String {
    let mut line = beginning(point) + &format!("{},{},", field(row.outcome()), row.steps);
    if let Some(change) = row.energy_change {
        number(&mut line, change);
    }
    let same = row.columns == columns && row.failure.is_none();
    for k in 0..columns.len() {
        line.push(',');
        if let Some(value) = row.values.get(k).filter(|_| same) {
            number(&mut line, *value);
        }
    }
    // How many there are; `run` with the same parameters says which.
    line + &format!(",{}\n", row.warnings.len())
}
