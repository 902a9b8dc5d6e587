//! `alembert`: the command-line program.
//!
//! Data go to stdout, words about the work to stderr. Exit codes: 0 everything agrees, 1 something does not or failed,
//! 2 the command line asks for what is not there.

mod arguments;
mod compare;
mod failure;
mod folder;
mod nearest;
mod plot;
mod reproduce;
mod run;
mod table;
mod trail;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
    };
    match done {
        Ok(status) => status.into(),
        Err(failure) => {
            failure.tell();
            failure.status.into()
        }
    }
}
