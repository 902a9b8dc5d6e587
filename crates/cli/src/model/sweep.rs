//! `alembert sweep`: one run for each point of a grid of parameters, in parallel; one row each.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use alembert::ensemble::run_many;
use alembert::{State, Warning};
use clap::Args;
use serde_json::{Map, Value, json};

use super::progress::{self, Progress};
use super::result::{field, results};
use super::simulate::{End, simulate};
use super::{Integration, Source, parse, read, setting, summary};
use crate::failure::{Failure, Status};
use crate::folder::Folder;
use crate::words::say;

/// Options of `alembert sweep`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub integration: Integration,
    /// Only every n-th point, from the i-th on: for batch systems
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Write the table to this folder (sweep.csv) instead of standard output
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object for each run instead of a table
    #[arg(long, conflicts_with = "out")]
    pub json: bool,
    /// Exit with code 1 where a run has warnings; the table is written all the same
    #[arg(long)]
    pub strict: bool,
    /// Runs at the same time; all processors if omitted
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
}

/// Most points of a grid.
const MOST: usize = 1_000_000;

/// A parameter and its values, as text.
type Axis = (String, Vec<String>);

fn axis(argument: &str) -> Result<Axis, Failure> {
    let (name, value) = setting(argument)?;
    let bad = || {
        Failure::usage(format!("cannot read --set {argument}"))
            .with_hint("write --set m=FROM:TO:COUNT, --set m=1,2,5 or --set m=2".to_owned())
    };
    let parts: Vec<&str> = value.split(':').collect();
    let values = match parts[..] {
        [_] => value.split(',').map(|value| value.trim().to_owned()).collect(),
        [from, to, count] => {
            let (from, to): (f64, f64) = (from.parse().map_err(|_| bad())?, to.parse().map_err(|_| bad())?);
            let count: usize = count.parse().ok().filter(|count| (2..=MOST).contains(count)).ok_or_else(bad)?;
            let at = |k: usize| from + (to - from) * k as f64 / (count - 1) as f64;
            (0..count).map(|k| format!("{:?}", at(k))).collect()
        }
        _ => return Err(bad()),
    };
    Ok((name, values))
}

/// "2/8" as (2, 8).
fn shard(text: &str) -> Result<(usize, usize), Failure> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parts.filter(|(i, n): &(usize, usize)| (1..=*n).contains(i)).ok_or_else(|| {
        Failure::usage(format!("cannot read --shard {text}"))
            .with_hint("write --shard I/N with I from 1 to N".to_owned())
    })
}

/// Every combination of the values, the last parameter fastest.
fn grid(axes: &[Axis]) -> Result<Vec<Vec<(String, String)>>, Failure> {
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

/// Runs the grid.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let text = read(&arguments.source.model)?;
    let axes: Vec<Axis> = arguments.source.settings.iter().map(|set| axis(set)).collect::<Result<_, _>>()?;
    let (first, every) = arguments.shard.as_deref().map(shard).transpose()?.unwrap_or((1, 1));
    let points: Vec<_> = grid(&axes)?.into_iter().skip(first - 1).step_by(every).collect();
    let name = if every > 1 { format!("sweep-{first}-of-{every}") } else { "sweep".to_owned() };
    let folder = arguments.out.as_deref().map(Folder::open).transpose()?;
    if let Some(folder) = &folder {
        folder.clear(|file| file == format!("{name}.csv") || file == format!("{name}.partial.csv"))?;
    }
    // Mistakes show at the first point, before anything is run.
    if let Some(point) = points.first() {
        arguments.integration.apply(&parse(&arguments.source.model, &text, point)?.run)?;
    }
    progress::listen();
    let (done, all) = (AtomicUsize::new(0), points.len());
    let bar = Mutex::new(Progress::new(true));
    let rows: Vec<Option<Row>> = run_many(&points, arguments.jobs.unwrap_or(0), |point| {
        if progress::interrupted() {
            return None;
        }
        let row = one(arguments, &text, point);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Ok(mut bar) = bar.lock() {
            bar.show(done as f64 / all as f64, || format!("{done} of {all} runs"));
        }
        row
    });
    if let Ok(bar) = bar.lock() {
        bar.end();
    }
    let (table, failed) = table(&axes, &points, &rows);
    let missing = rows.iter().filter(|row| row.is_none()).count();
    match &folder {
        Some(folder) => {
            let stem = if missing > 0 { format!("{name}.partial") } else { name };
            say!("wrote {}", folder.write(&format!("{stem}.csv"), &table)?.display());
        }
        None if arguments.json => io::stdout().lock().write_all(json_lines(&points, &rows).as_bytes())?,
        None => io::stdout().lock().write_all(table.as_bytes())?,
    }
    let warned = rows.iter().flatten().filter(|row| !row.warnings.is_empty()).count();
    let told = if warned > 0 { format!(", {warned} with warnings") } else { String::new() };
    say!("{} runs, {failed} failed{told}{}", points.len() - missing, if missing > 0 { ", interrupted" } else { "" });
    Ok(match (missing, failed) {
        (0, 0) if arguments.strict && warned > 0 => Status::Disagrees,
        (0, 0) => Status::Agrees,
        (0, _) => Status::Disagrees,
        _ => Status::Interrupted,
    })
}

/// What a run gave: names and values of its last row, or why there are none.
struct Row {
    columns: Vec<String>,
    values: Vec<f64>,
    steps: u64,
    energy_change: Option<f64>,
    failure: Option<String>,
    warnings: Vec<Warning>,
}

/// One run; nothing if it was interrupted.
fn one(arguments: &Arguments, text: &str, point: &[(String, String)]) -> Option<Row> {
    let attempt = || -> Result<Option<Row>, Failure> {
        let model = parse(&arguments.source.model, text, point)?;
        let mut run = arguments.integration.apply(&model.run)?;
        // Only the end counts here.
        run.output_every = Some(run.t_end - run.t_start);
        let trajectory = simulate(&model, &run, false)?;
        let energy = |state: Option<&State>| model.energy(state?);
        let states = &trajectory.states;
        let energy_change = energy(states.last()).zip(energy(states.first())).map(|(last, first)| last - first);
        let results = results(&model, states);
        let failure = match trajectory.end {
            End::Reached | End::Event(_) => None,
            End::Interrupted => return Ok(None),
            End::Failed(message) => Some(message),
        };
        let values = results.rows.last().cloned().unwrap_or_default();
        let steps = trajectory.summary.stats.steps;
        let warnings = trajectory.warnings;
        Ok(Some(Row { columns: results.columns, values, steps, energy_change, failure, warnings }))
    };
    attempt().unwrap_or_else(|failure| {
        let failure = Some(failure.message);
        let (columns, values, warnings) = (Vec::new(), Vec::new(), Vec::new());
        Some(Row { columns, values, steps: 0, energy_change: None, failure, warnings })
    })
}

impl Row {
    /// "reached", or the first line of what went wrong.
    fn outcome(&self) -> &str {
        let message = self.failure.as_deref().unwrap_or("reached");
        message.lines().next().unwrap_or("failed").trim_start_matches("error: ")
    }
}

fn json_lines(points: &[Vec<(String, String)>], rows: &[Option<Row>]) -> String {
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
fn table(axes: &[Axis], points: &[Vec<(String, String)>], rows: &[Option<Row>]) -> (String, usize) {
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
        // How many there are; `run` with the same parameters says which.
        let _ = writeln!(line, ",{}", row.warnings.len());
        text += &line;
    }
    (text, failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_and_shards() {
        let axes = [axis("m=1:2:3").expect("an axis"), axis("k=5,7").expect("an axis")];
        let points = grid(&axes).expect("a grid");
        assert_eq!(points.len(), 6);
        assert_eq!(points[3], [("m".to_owned(), "1.5".to_owned()), ("k".to_owned(), "7".to_owned())]);
        assert_eq!(shard("2/3").expect("a shard"), (2, 3));
        for bad in ["m", "m=1:2", "m=1:2:1", "m=a:2:3"] {
            assert!(axis(bad).is_err(), "{bad}");
        }
        assert!(shard("0/3").is_err() && shard("4/3").is_err() && shard("x").is_err());
    }
}
