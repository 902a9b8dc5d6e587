//! `alembert reproduce`: the papers' experiments, run again and compared with the expected numbers.
//!
//! An [`experiment::Experiment`] gives a report: a table, figures and a verdict. A new paper is a new list in the
//! [`catalogue`]; a new kind of experiment is a new implementation next to [`convergence`].

mod catalogue;
mod convergence;
mod drift;
mod effort;
mod experiment;
mod ladder;
mod modelled;
mod motion;
mod orders;
mod paper4;
mod paper5;
mod selection;
mod summary;
mod trajectory;
mod verdict;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use crate::failure::{Failure, Status};
use crate::folder::Folder;
use crate::words::{self, say};
use experiment::{Experiment, Report};
use selection::select;
use summary::Summary;

/// Options of `alembert reproduce`.
#[derive(Args, Default)]
pub struct Arguments {
    /// Only the experiments of this paper
    #[arg(long, value_name = "N")]
    pub paper: Option<u32>,
    /// Only this experiment, as 1/fig5.1 (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub experiment: Vec<String>,
    /// Write a table (CSV) and a plot (SVG) of each experiment to this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object for each row, and nothing else, to standard output
    #[arg(long)]
    pub json: bool,
    /// List the experiments instead of running them
    #[arg(long, conflicts_with_all = ["out", "json"])]
    pub list: bool,
}

/// Runs what was asked for.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let all = catalogue::all().map_err(|bad| Failure::work(format!("the catalogue of experiments: {bad}")))?;
    let chosen = select(all, arguments.paper, &arguments.experiment)?;
    let mut stdout = io::stdout().lock();
    if arguments.list {
        for experiment in &chosen {
            writeln!(stdout, "{:18}  {}", experiment.name(), experiment.title())?;
        }
        return Ok(Status::Agrees);
    }
    let folder = arguments.out.as_deref().map(Folder::open).transpose()?;
    let mut summary = Summary::default();
    for (i, experiment) in chosen.iter().enumerate() {
        say!("running {} ({} of {})", experiment.name(), i + 1, chosen.len());
        let outcome = experiment.run();
        summary.add(experiment.name(), &outcome);
        tell(&mut stdout, arguments.json, &**experiment, &outcome)?;
        if let (Some(folder), Ok(report)) = (&folder, &outcome) {
            save(folder, report)?;
        }
    }
    tell_words(&mut stdout, arguments.json, &format!("{summary}\n"))?;
    Ok(summary.status())
}

/// Table and verdict, or why there are none.
fn tell(
    stdout: &mut impl Write,
    json: bool,
    experiment: &dyn Experiment,
    outcome: &experiment::Outcome,
) -> Result<(), Failure> {
    let heading = format!("{}  {}", experiment.name(), experiment.title());
    match outcome {
        Ok(report) if json => {
            stdout.write_all(report.sheet.table.json_lines("experiment", experiment.name()).as_bytes())?;
            tell_words(stdout, json, &format!("{}: {}", experiment.name(), report.verdict))
        }
        Ok(report) => {
            write!(stdout, "{heading}\n\n{}\n", report.sheet.table.terminal())?;
            for (caption, sheet) in &report.beside {
                write!(stdout, "{caption}\n\n{}\n", sheet.table.terminal())?;
            }
            Ok(writeln!(stdout, "{}", report.verdict)?)
        }
        Err(error) if json => {
            words::insist(format_args!("{heading}\n\nfailed: {error}\n\n"));
            Ok(())
        }
        Err(error) => tell_words(stdout, json, &format!("{heading}\n\nfailed: {error}\n\n")),
    }
}

/// Words belong with the table they are about, except that JSON wants stdout for itself.
fn tell_words(stdout: &mut impl Write, json: bool, words: &str) -> Result<(), Failure> {
    if json {
        words::write(format_args!("{words}"));
    } else {
        stdout.write_all(words.as_bytes())?;
    }
    Ok(())
}

/// The files of one experiment.
fn save(folder: &Folder, report: &Report) -> Result<(), Failure> {
    let beside = report.beside.iter().map(|(_, sheet)| sheet);
    for sheet in std::iter::once(&report.sheet).chain(beside).chain(&report.more) {
        folder.write_sheet(&sheet.stem, &sheet.table, sheet.figure.as_ref())?;
    }
    Ok(())
}
