//! `alembert`: the command-line program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(alembert_cli::run(std::env::args_os()))
}
