//! `alembert run`: the motion, every reaction force, a summary.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::npz::Npz;
use super::result::Results;
use super::simulate::{End, simulate};
use super::{Integration, Source, figures, progress, summary};
use crate::failure::{Failure, Status};
use crate::folder::Folder;

/// Options of `alembert run`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub integration: Integration,
    /// Write result and summary to this folder instead of the result to standard output
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Files of the result
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', default_value = "csv", requires = "out")]
    pub format: Vec<Format>,
    /// Draw figures (SVG) into the folder
    #[arg(long, requires = "out")]
    pub plot: bool,
    /// Print the summary as JSON, and nothing else, to standard output
    #[arg(long)]
    pub json: bool,
    /// No words on standard error but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Comma-separated text with 17 digits
    Csv,
    /// NumPy's archive
    Npz,
}

const FILES: [&str; 5] = ["result.csv", "result.npz", "result.partial.csv", "result.partial.npz", "summary.json"];

/// Runs what was asked for.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let model = arguments.source.load()?;
    let run = arguments.integration.apply(&model.run)?;
    let folder = arguments.out.as_deref().map(Folder::open).transpose()?;
    if let Some(folder) = &folder {
        folder.clear(&FILES)?;
    }
    progress::listen();
    let trajectory = simulate(&model, &run, arguments.quiet)?;
    let results = Results::new(&model, &trajectory.states);
    let complete = !trajectory.end.is_partial();
    let told = summary::json(&model, &run, &trajectory, &results);
    if !arguments.quiet || !complete {
        eprint!("{}", summary::words(&model, &run, &trajectory));
    }
    let mut stdout = io::stdout().lock();
    if arguments.json {
        writeln!(stdout, "{told:#}")?;
    } else if folder.is_none() {
        stdout.write_all(results.csv().as_bytes())?;
    }
    if let Some(folder) = &folder {
        let stem = if complete { "result" } else { "result.partial" };
        let mut written = Vec::new();
        for format in &arguments.format {
            written.push(match format {
                Format::Csv => folder.write(&format!("{stem}.csv"), &results.csv())?,
                Format::Npz => folder.write_bytes(&format!("{stem}.npz"), &npz(&model.names, &results))?,
            });
        }
        // The summary comes last: where it is, everything is.
        written.push(folder.write("summary.json", &format!("{told:#}\n"))?);
        if arguments.plot {
            let title =
                figures::Title { model: model.name.clone(), run: format!("{}, {}", run.method.name(), run.steps) };
            written.extend(figures::write(folder, &title, &model.names, &results, &trajectory.steps)?);
        }
        if !arguments.quiet {
            for path in written {
                eprintln!("wrote {}", path.display());
            }
        }
    }
    Ok(match trajectory.end {
        End::Reached | End::Event(_) => Status::Agrees,
        End::Interrupted => Status::Interrupted,
        End::Failed(_) => Status::Disagrees,
    })
}

/// One array for each kind of quantity, and the names of their columns.
fn npz(names: &alembert_model::Names, results: &Results) -> Vec<u8> {
    let mut npz = Npz::default();
    let column = |first: usize, width: usize| -> Vec<f64> {
        results.rows.iter().flat_map(|row| row[first..first + width].iter().copied()).collect()
    };
    npz.numbers("t", &column(0, 1), None);
    let mut first = 1;
    for (name, columns) in [
        ("q", &names.q),
        ("v", &names.v),
        ("a", &names.a),
        ("lambda", &names.lambda),
        ("psi", &names.psi),
        ("outputs", &names.outputs),
    ] {
        if columns.is_empty() {
            continue;
        }
        npz.numbers(name, &column(first, columns.len()), Some(columns.len()));
        npz.words(&format!("{name}_names"), columns);
        first += columns.len();
    }
    if let Some(energy) = &results.energy {
        npz.numbers("energy", energy, None);
    }
    npz.finish()
}
