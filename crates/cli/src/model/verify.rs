//! `alembert verify`: how far the result of a run can be trusted.

use std::io::{self, Write};
use std::path::PathBuf;

use alembert_sim::report::report_certificate;
use alembert_sim::verify::certify;
use clap::Args;

use super::progress::Terminal;
use super::report::put;
use super::{Integration, Source};
use crate::failure::{Failure, Status};
use crate::target::Target;

/// Options of `alembert verify`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub integration: Integration,
    /// Write a page with error bars, doubts and convergence
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Runs the ladder.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let target = arguments.report.as_deref().map(|path| Target::new(path, false)).transpose()?;
    let model = arguments.source.load()?;
    let run = arguments.integration.apply(&model.run)?;
    let found = certify(&model, &run, &Terminal::default())?;
    if let Some(target) = &target {
        put(target, &report_certificate(&found.json(&model, &run)))?;
    }
    let mut stdout = io::stdout().lock();
    if arguments.json {
        writeln!(stdout, "{:#}", found.json(&model, &run))?;
    } else {
        write!(stdout, "{}", found.words(&model, &run))?;
    }
    Ok(if found.is_trusted() { Status::Agrees } else { Status::Disagrees })
}
