//! `alembert compare`: several methods on one problem, over ladders of tolerances or steps.
//!
//! Errors are those at the end time, measured against the problem's reference, which is named, and refused where it is worse than the
//! runs. Times are the best of some repeats. A run that fails is a result like any other: it stays in the table, with its message.

mod figures;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use alembert_problems::{NAMES, Problem, by_name};
use clap::Args;

use crate::failure::{Failure, Status};
use crate::folder::Folder;
use crate::model::progress::Terminal;
use crate::model::report::put;
use crate::target::Target;
use alembert_model::nearest::nearest;
use alembert_sim::compare::{Candidate, Outcome, Run, compare, methods, origin, sheet};
use alembert_sim::report::report_comparison;

/// Options of `alembert compare`.
#[derive(Args)]
pub struct Arguments {
    /// The problem, as andrews, or a model file, as models/andrews.toml
    #[arg(value_name = "PROBLEM|MODEL")]
    pub problem: String,
    /// Another value of a parameter of a model file, as m=2.5 (may be repeated)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help = format!("Only these methods, separated by commas: {}", names().join(", ")))]
    pub methods: Vec<String>,
    /// Repeats of each run, of which the fastest counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: u32,
    /// Absolute tolerance of velocities, in units of that of positions
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub velocity_tolerance: f64,
    /// Write a table (CSV) and work-precision diagrams (SVG) to this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write a page with tables and work-precision diagrams
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print one JSON object for each run, and nothing else, to standard output
    #[arg(long)]
    pub json: bool,
}

/// Runs what was asked for. It succeeds if any run reached the end: failures of the others are what it was asked to show.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let problem = problem(&arguments.problem, &arguments.settings)?;
    let methods = chosen(&arguments.methods)?;
    let target = arguments.report.as_deref().map(|path| Target::new(path, false)).transpose()?;
    let folder = arguments.out.as_deref().map(Folder::open).transpose()?;
    let factor = arguments.velocity_tolerance;
    let runs = compare(&problem, &methods, arguments.repeats, factor, &Terminal::default())?;
    let origin = origin(&problem);
    if let Some(target) = &target {
        let title = format!("{}: {}", problem.name, problem.title);
        put(target, &report_comparison(&title, &runs, &origin.to_string()))?;
    }
    let table = sheet::table(&runs);
    let mut stdout = io::stdout().lock();
    if arguments.json {
        stdout.write_all(table.json_lines("problem", problem.name).as_bytes())?;
    } else {
        writeln!(stdout, "{}  {}, to t = {}", problem.name, problem.title, problem.t_end)?;
        write!(stdout, "errors at the end against {origin}\n\n")?;
        write!(stdout, "{}{}", sheet::brief(&runs).terminal(), sheet::notes(&runs))?;
    }
    if let Some(folder) = &folder {
        let stem = format!("compare-{}", problem.name);
        folder.write_sheet(&stem, &table, None)?;
        for (suffix, figure) in figures::figures(&problem, &runs) {
            folder.write_figure(&format!("{stem}-{suffix}"), &figure)?;
        }
    }
    let reached = |run: &Run| matches!(run.outcome, Outcome::Reached(_));
    Ok(if runs.iter().any(reached) { Status::Agrees } else { Status::Disagrees })
}

/// A problem of the library, or a model file.
fn problem(name: &str, settings: &[String]) -> Result<Problem, Failure> {
    let path = Path::new(name);
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Ok(crate::model::as_problem(path, settings)?);
    }
    if let Some(setting) = settings.first() {
        let failure = Failure::usage(format!("cannot set {setting}: `{name}` is not a model file"));
        return Err(failure.with_hint("parameters belong to model files, as models/andrews.toml".to_owned()));
    }
    by_name(name).ok_or_else(|| unknown("problem", name, &NAMES))
}

/// What the methods are called.
fn names() -> Vec<&'static str> {
    methods().iter().map(|method| method.name).collect()
}

/// The methods of these names in the order of the list, all without names.
fn chosen(wanted: &[String]) -> Result<Vec<Candidate>, Failure> {
    let known = names();
    if let Some(stranger) = wanted.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(unknown("method", stranger, &known));
    }
    let mut methods = methods();
    methods.retain(|method| wanted.is_empty() || wanted.iter().any(|name| name == method.name));
    Ok(methods)
}

fn unknown(kind: &str, name: &str, known: &[&str]) -> Failure {
    let meant = nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    Failure::usage(format!("unknown {kind} `{name}`")).with_hint(format!("{meant}the {kind}s are {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, Parser};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn help_names_every_method() {
        let help = Line::command().render_help().to_string();
        assert!(names().iter().all(|name| help.contains(name)), "{help}");
    }

    #[test]
    fn methods_come_once_and_in_the_order_of_the_list() {
        let names = ["hht", "radau5", "hht"].map(str::to_owned);
        let found: Vec<&str> = chosen(&names).expect("known").iter().map(|method| method.name).collect();
        assert_eq!(found, ["radau5", "hht"]);
        assert_eq!(chosen(&[]).expect("all").len(), methods().len());
    }
}
