//! `alembert sweep`: one run for each point of a grid of parameters, in parallel; one row each, written when it is known.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use alembert_sim::sweep::{Axis, Grid, MOST, Row, columns, header, json_line, line, march};
use clap::Args;

use super::job::Job;
use super::progress::Terminal;
use super::table::Table;
use super::{Integration, parse, setting};
use crate::failure::{Failure, Status};
use crate::words::say;
use crate::{folder, signals};

/// Options of `alembert sweep`.
#[derive(Args)]
pub struct Arguments {
    /// The model file, as models/pendulum.toml; with --resume the one that the sweep was begun with
    #[arg(value_name = "MODEL", required_unless_present = "resume")]
    pub model: Option<PathBuf>,
    /// Values of a parameter, as m=2.5 (may be repeated)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// A scenario of the file
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    #[command(flatten)]
    pub integration: Integration,
    /// So many runs with the seeds 1, 2, … of random parameters: Monte Carlo
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub samples: Option<u64>,
    /// Only every n-th point, from the i-th on: for batch systems
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Write the table to this folder (sweep.csv) instead of standard output
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Continue the sweep in this folder: runs that are in its table are not made again
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "json", "force"])]
    pub resume: Option<PathBuf>,
    /// Replace files in the folder that alembert did not write
    #[arg(long, requires = "out")]
    pub force: bool,
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

/// A `--set` argument as a parameter and its values.
pub fn axis(argument: &str) -> Result<Axis, Failure> {
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
pub fn shard(text: &str) -> Result<(usize, usize), Failure> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parts.filter(|(i, n): &(usize, usize)| (1..=*n).contains(i)).ok_or_else(|| {
        Failure::usage(format!("cannot read --shard {text}"))
            .with_hint("write --shard I/N with I from 1 to N".to_owned())
    })
}

impl Arguments {
    /// Settings, those of a scenario and of samples included.
    fn settings(&self) -> Vec<String> {
        let mut settings = super::with_scenario(&self.settings, self.scenario.as_ref());
        settings.extend(self.samples.map(|n| if n == 1 { "seed=1".to_owned() } else { format!("seed=1:{n}:{n}") }));
        settings
    }

    /// What was asked for, now or before.
    fn job(&self, saved: Option<Job>) -> Result<Job, Failure> {
        match (saved, &self.model) {
            (Some(mut job), None) => {
                if !self.settings().is_empty() {
                    job.settings = self.settings();
                }
                job.integration = self.integration.clone().or(&job.integration);
                Ok(job)
            }
            (_, Some(model)) => Ok(Job {
                model: model.clone(),
                text: super::read(model)?,
                settings: self.settings(),
                integration: self.integration.clone(),
                formats: Vec::new(),
                plot: false,
                steps: false,
                from: None,
                columns: Vec::new(),
            }),
            (None, None) => Err(Failure::usage("no model is named".to_owned())),
        }
    }
}

/// What became of the runs.
#[derive(Default)]
struct Counts {
    failed: usize,
    warned: usize,
    missing: usize,
}

/// Runs the grid.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let (first, every) = arguments.shard.as_deref().map(shard).transpose()?.unwrap_or((1, 1));
    let name = if every > 1 { format!("sweep-{first}-of-{every}") } else { "sweep".to_owned() };
    let place = arguments.resume.as_deref().or(arguments.out.as_deref());
    let folder = place.map(|place| folder::open(place, &name)).transpose()?;
    let saved = match (&folder, &arguments.resume) {
        (Some(folder), Some(_)) => match Table::saved(folder, &name)? {
            Some(job) => Some(job),
            None => {
                say!("the sweep in {} is complete, there is nothing to resume", folder.path().display());
                return Ok(Status::Agrees);
            }
        },
        _ => None,
    };
    let job = arguments.job(saved)?;
    let axes: Vec<Axis> = job.settings.iter().map(|set| axis(set)).collect::<Result<_, _>>()?;
    let grid = Grid::new(&axes, first - 1, every)?;
    if let (Some(folder), None) = (&folder, &arguments.resume) {
        Table::require_free(folder, &name, arguments.force)?;
    }
    // Mistakes show at the first point, before anything is run.
    let mut names = Vec::new();
    if !grid.is_empty() {
        let model = parse(&job.model, &job.text, &grid.point(0))?;
        job.integration.apply(&model.run)?;
        names = columns(&model);
    }
    let make = |k: usize| {
        let model = parse(&job.model, &job.text, &grid.point(k))?;
        let run = job.integration.apply(&model.run)?;
        Ok((model, run))
    };
    signals::keep();
    let head = header(&axes, &names);
    let mut table = match &folder {
        Some(folder) if arguments.resume.is_some() => Some(Table::reopen(folder, &name, &job, &head, &grid)?),
        Some(folder) => Some(Table::create(folder, &name, &job, &head, arguments.force)?),
        None => None,
    };
    let done = table.as_ref().map_or(0, |table| table.rows);
    let mut stdout = io::stdout().lock();
    if table.is_none() && !arguments.json {
        stdout.write_all(head.as_bytes())?;
    }
    let mut counts = Counts::default();
    if let Some(table) = &table {
        (counts.failed, counts.warned) = (table.failed, table.warned);
    }
    let mut trouble: Option<Failure> = None;
    let mut put = |k: usize, row: &Row| -> Result<(), Failure> {
        match &mut table {
            Some(table) => table.add(&line(&grid.point(k), row, &names)),
            None if arguments.json => Ok(stdout.write_all(json_line(&grid.point(k), row).as_bytes())?),
            None => Ok(stdout.write_all(line(&grid.point(k), row, &names).as_bytes())?),
        }
    };
    march(done..grid.len(), arguments.jobs.unwrap_or(0), make, &Terminal::default(), |k, row| {
        let Some(row) = row else {
            // Rows are in the order of the points: nothing comes after one that is not there.
            counts.missing = grid.len() - k;
            return ControlFlow::Break(());
        };
        counts.failed += usize::from(row.failure.is_some());
        counts.warned += usize::from(!row.warnings.is_empty());
        match put(k, &row) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                trouble = Some(failure);
                ControlFlow::Break(())
            }
        }
    });
    if let Some(failure) = trouble {
        return Err(failure);
    }
    let Counts { failed, warned, missing } = counts;
    if let Some(table) = table {
        say!("wrote {}", table.end(missing > 0)?.display());
    }
    let told = if warned > 0 { format!(", {warned} with warnings") } else { String::new() };
    say!("{} runs, {failed} failed{told}{}", grid.len() - missing, if missing > 0 { ", interrupted" } else { "" });
    Ok(match (missing, failed) {
        (0, 0) if arguments.strict && warned > 0 => Status::Disagrees,
        (0, 0) => Status::Agrees,
        (0, _) => Status::Disagrees,
        _ => Status::Interrupted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_and_shards() {
        let axes = [axis("m=1:2:3").expect("an axis"), axis("k=5,7").expect("an axis")];
        let grid = Grid::new(&axes, 0, 1).expect("a grid");
        assert_eq!(grid.len(), 6);
        assert_eq!(grid.point(3), [("m".to_owned(), "1.5".to_owned()), ("k".to_owned(), "7".to_owned())]);
        let part = Grid::new(&axes, 1, 4).expect("a grid");
        assert_eq!((part.len(), part.point(1)), (2, grid.point(5)));
        assert_eq!(shard("2/3").expect("a shard"), (2, 3));
        for bad in ["m", "m=1:2", "m=1:2:1", "m=a:2:3"] {
            assert!(axis(bad).is_err(), "{bad}");
        }
        assert!(shard("0/3").is_err() && shard("4/3").is_err() && shard("x").is_err());
    }
}
