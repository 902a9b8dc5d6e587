//! `alembert check`: what a model is, in words, without running it.

use std::io::{self, Write};

use alembert_sim::check::{check, json, sizes};
use clap::Args;

use super::Source;
use crate::failure::{Failure, Status};

/// Options of `alembert check`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub source: Source,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Looks at a model.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let model = arguments.source.load()?;
    let findings = check(&model);
    let mut stdout = io::stdout().lock();
    if arguments.json {
        writeln!(stdout, "{:#}", json(&model, &findings))?;
    } else {
        writeln!(stdout, "{}{}", sizes(&model), findings.words)?;
    }
    Ok(if findings.good { Status::Agrees } else { Status::Disagrees })
}
