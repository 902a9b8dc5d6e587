//! `alembert sweep`: one run for each point of a grid of parameters, in parallel; one row each.

use std::io::{self, Write};
use std::path::PathBuf;

use alembert_sim::sweep::{Axis, MOST, Point, grid, json_lines, sweep, table};
use clap::Args;

use super::progress::Terminal;
use super::{Integration, Source, parse, read, setting};
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
    let terminal = Terminal::listening();
    let make = |point: &Point| {
        let model = parse(&arguments.source.model, &text, point)?;
        let run = arguments.integration.apply(&model.run)?;
        Ok((model, run))
    };
    let rows = sweep(&points, arguments.jobs.unwrap_or(0), make, &terminal);
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
