//! `alembert verify`: how far the result of a run can be trusted.

use std::io::{self, Write};

use alembert_sim::verify::certify;
use clap::Args;

use super::progress::Terminal;
use super::{Integration, Source};
use crate::failure::{Failure, Status};

/// Options of `alembert verify`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub integration: Integration,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Runs the ladder.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let model = arguments.source.load()?;
    let run = arguments.integration.apply(&model.run)?;
    let found = certify(&model, &run, &Terminal::default())?;
    let mut stdout = io::stdout().lock();
    if arguments.json {
        writeln!(stdout, "{:#}", found.json(&model, &run))?;
    } else {
        write!(stdout, "{}", found.words(&model, &run))?;
    }
    Ok(if found.is_trusted() { Status::Agrees } else { Status::Disagrees })
}
