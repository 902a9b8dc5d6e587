//! `alembert check`: what a model is, in words, without running it.

use std::io::{self, Write};

use alembert_sim::check::{check, json as described, sizes};
use clap::Args;
use serde_json::json;

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
    let model = match arguments.source.load() {
        Ok(model) => model,
        Err(failure) => {
            if arguments.json {
                let told = json!({ "good": false, "mistakes": arguments.source.mistakes(&failure) });
                writeln!(io::stdout().lock(), "{told:#}")?;
            }
            return Err(failure.into());
        }
    };
    let findings = check(&model);
    let mut stdout = io::stdout().lock();
    if arguments.json {
        writeln!(stdout, "{:#}", described(&model, &findings))?;
    } else {
        writeln!(stdout, "{}{}", sizes(&model), findings.words)?;
    }
    Ok(if findings.good { Status::Agrees } else { Status::Disagrees })
}
