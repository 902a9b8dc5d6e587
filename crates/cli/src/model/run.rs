//! `alembert run`: the motion, every reaction force, a summary.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use alembert_model::Model;
use alembert_model::run::Steps;
use alembert_sim::sheet::{self, Sheet};
use alembert_sim::simulate::{End, Trajectory, simulate};
use alembert_sim::summary;
use clap::{Args, ValueEnum};

use super::progress::Terminal;
use super::{Integration, Source, figures};
use crate::failure::{Failure, Status};
use crate::folder::Folder;
use crate::words::{self, say};

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
    /// Exit with code 1 where there are warnings; results are written all the same
    #[arg(long)]
    pub strict: bool,
}

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Comma-separated text with 17 digits
    Csv,
    /// NumPy's archive
    Npz,
    /// Apache Parquet, uncompressed
    Parquet,
}

/// Whether a file of this name is one that `run` writes.
fn is_ours(name: &str) -> bool {
    let (stem, kind) = name.split_once('.').unwrap_or((name, ""));
    match kind {
        "svg" => figures::is_stem(stem),
        "json" => stem == "summary",
        "csv" | "npz" | "parquet" | "partial.csv" | "partial.npz" | "partial.parquet" => {
            ["result", "steps"].contains(&stem)
        }
        _ => false,
    }
}

/// Runs what was asked for.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let model = arguments.source.load()?;
    let run = arguments.integration.apply(&model.run)?;
    let folder = arguments.out.as_deref().map(Folder::open).transpose()?;
    if let Some(folder) = &folder {
        folder.clear(is_ours)?;
    }
    for line in model.sharpness(run.t_start, run.t_end).words() {
        let done = match run.steps {
            Steps::ByError { .. } => "steps land there",
            Steps::Fixed { .. } => "prescribed steps do not land there",
        };
        words::write(format_args!("{line}: {done}\n"));
    }
    let trajectory = simulate(&model, &run, &Terminal::listening())?;
    let results = sheet::results(&model, &trajectory.states);
    let told = format!("{:#}\n", summary::json(&model, &run, &trajectory, &results));
    let words = summary::words(&model, &run, &trajectory);
    if trajectory.end.is_partial() {
        words::insist(format_args!("{words}"))
    } else {
        words::write(format_args!("{words}"))
    }
    for warning in &trajectory.warnings {
        words::insist(format_args!("warning: {warning}\n"));
    }
    // Files first: they are wanted even if nobody reads standard output.
    if let Some(folder) = &folder {
        let derived = trajectory.summary.derived;
        let errors = [derived.map(|derived| derived.a), derived.map(|derived| derived.multipliers)];
        let made = format!("{}, {}", run.method.name(), run.steps);
        let title = figures::Title { model: model.name.clone(), run: made, errors };
        let mut written = save(folder, arguments, &model, &title, &trajectory, &results)?;
        // The summary comes last: if it is there, everything is.
        written.push(folder.write("summary.json", &told)?);
        for path in written {
            say!("wrote {}", path.display());
        }
    }
    let mut stdout = io::stdout().lock();
    if arguments.json {
        stdout.write_all(told.as_bytes())?;
    } else if folder.is_none() {
        let mut out = BufWriter::new(stdout);
        results.write_csv(&mut out)?;
        out.flush()?;
    }
    Ok(match trajectory.end {
        End::Reached | End::Event(_) if arguments.strict && !trajectory.warnings.is_empty() => Status::Disagrees,
        End::Reached | End::Event(_) => Status::Agrees,
        End::Interrupted => Status::Interrupted,
        End::Failed(_) => Status::Disagrees,
    })
}

/// Everything but the summary.
fn save(
    folder: &Folder,
    arguments: &Arguments,
    model: &Model,
    title: &figures::Title,
    trajectory: &Trajectory,
    results: &Sheet,
) -> Result<Vec<PathBuf>, Failure> {
    let part = if trajectory.end.is_partial() { ".partial" } else { "" };
    let steps = sheet::steps(&trajectory.steps);
    let mut written = Vec::new();
    for format in &arguments.format {
        let name = |kind: &str| format!("result{part}.{kind}");
        written.push(match format {
            Format::Csv => folder.write_with(&name("csv"), |out| results.write_csv(out))?,
            Format::Npz => {
                sheet::check_npz(results)?;
                folder.write_with(&name("npz"), |out| sheet::write_npz(model, trajectory, results, out))?
            }
            Format::Parquet => folder.write_with(&name("parquet"), |out| results.write_parquet(out))?,
        });
    }
    written.push(folder.write_with(&format!("steps{part}.csv"), |out| steps.write_csv(out))?);
    if arguments.plot {
        written.extend(figures::write(folder, title, &model.names, results, &steps)?);
    }
    Ok(written)
}
