//! `alembert new`: a commented model to start from.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use crate::failure::{Failure, Status};
use crate::words::say;

const TEXT: &str = include_str!("starter.toml");
const MECHANISM: &str = include_str!("mechanism.toml");

/// Options of `alembert new`.
#[derive(Args)]
pub struct Arguments {
    /// The file to write; standard output if omitted
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// A mechanism of bodies and joints instead of equations
    #[arg(long)]
    pub mechanism: bool,
}

/// Writes the model.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let text = if arguments.mechanism { MECHANISM } else { TEXT };
    let Some(path) = &arguments.file else {
        io::stdout().lock().write_all(text.as_bytes())?;
        return Ok(Status::Agrees);
    };
    let written =
        OpenOptions::new().write(true).create_new(true).open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        let failure = Failure::usage(format!("cannot write {}: {error}", path.display()));
        match error.kind() {
            io::ErrorKind::AlreadyExists => {
                failure.with_hint("an existing file is never overwritten; choose another name".to_owned())
            }
            _ => failure,
        }
    })?;
    say!("wrote {}; next: alembert run {} --out results --plot", path.display(), path.display());
    Ok(Status::Agrees)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_starters_are_good_models() {
        for text in [super::TEXT, super::MECHANISM] {
            let model = alembert_model::Model::parse("starter.toml", text, &[]);
            assert!(model.is_ok(), "{}", model.err().map(|mistakes| mistakes.to_string()).unwrap_or_default());
        }
    }
}
