//! The program `alembert` as a function, for whoever brings it along under another roof.
//!
//! Data go to stdout, words about the work to stderr. Exit codes: 0 everything agrees, 1 something does not or failed,
//! 2 the command line asks for what is not there or a model file has mistakes, 3 a limit is reached, 130 interrupted.

mod arguments;
mod compare;
mod failure;
mod folder;
#[cfg(test)]
mod fuzz;
mod model;
mod reproduce;
mod signals;
mod target;
mod words;

use std::ffi::OsString;
use std::io::Write;

use clap::{CommandFactory, Parser};

use arguments::{Arguments, Command};

/// Does what a command line asks for, the name of the program first; the exit code. Help, versions and arguments that cannot be read
/// end the process, as they do in every program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = Arguments::parse_from(arguments);
    if arguments.quiet {
        words::be_quiet();
    }
    signals::listen();
    let done = match arguments.command {
        Command::Run(arguments) => model::run::run(&arguments),
        Command::Check(arguments) => model::check::run(&arguments),
        Command::Explain(arguments) => model::explain::run(&arguments),
        Command::Fmt(arguments) => model::format::run(&arguments),
        Command::Init(arguments) => model::init::run(&arguments),
        Command::Verify(arguments) => model::verify::run(&arguments),
        Command::Sweep(arguments) => model::sweep::run(&arguments),
        Command::Plot(arguments) => model::figures::run(&arguments),
        Command::Report(arguments) => model::report::run(&arguments),
        Command::New(arguments) => model::starter::run(&arguments),
        Command::Methods => model::methods::run(),
        Command::Schema => model::methods::schema(),
        Command::Completions { shell } => {
            // Written to memory first: the generator panics where it cannot write.
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "alembert", &mut text);
            std::io::stdout().write_all(&text).map(|()| failure::Status::Agrees).map_err(failure::Failure::from)
        }
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
    };
    match done {
        Ok(status) => status.code(),
        Err(failure) => {
            failure.tell();
            failure.status.code()
        }
    }
}
