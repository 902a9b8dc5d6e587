//! Project tasks: `cargo xtask test | tidy | bench | iterations | control`.

mod bench;
mod control;
mod iterations;
mod suite;
mod test;
mod tidy;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use alembert::method::Start;

const USAGE: &str = "\
usage: cargo xtask TASK

tasks:
  test                          formatting, lints, tests, documentation, tidy: all that must pass
  tidy                          the project's own checks of its files
  bench [--json] [--filter S]   cost of a step of each method on each problem (S: part of a problem's or method's name)
  iterations [--json] [--start S]
                                Newton iterations of the alpha methods on stiff problems (S: twice, a0 or jerk)
  control                       error control of the alpha methods: error against tolerance, estimates, order, work";

/// Why a task did not succeed; `main` prints it and exits with 1.
pub type TaskError = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), TaskError> {
    let mut rest = arguments.iter().map(String::as_str);
    let task = rest.next().unwrap_or("help");
    let (mut json, mut filter, mut start) = (false, String::new(), Start::default());
    while let Some(option) = rest.next() {
        match (task, option) {
            ("bench" | "iterations", "--json") => json = true,
            ("bench", "--filter") => filter = rest.next().ok_or("`--filter` needs a name")?.to_string(),
            ("iterations", "--start") => {
                start = match rest.next() {
                    Some("a0") => Start::A0,
                    Some("jerk") => Start::Jerk,
                    Some("twice") => Start::Twice,
                    _ => return Err("`--start` needs `a0`, `jerk` or `twice`".into()),
                }
            }
            _ => return Err(format!("`{task}` does not know `{option}`\n\n{USAGE}").into()),
        }
    }
    if cfg!(debug_assertions) && matches!(task, "bench" | "iterations" | "control") {
        return optimised(arguments);
    }
    match task {
        "test" => test::run(&root()?),
        "tidy" => tidy::run(&root()?),
        "bench" => bench::run(&filter, json),
        "iterations" => iterations::run(start, json),
        "control" => control::run(&root()?),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("there is no task `{task}`\n\n{USAGE}").into()),
    }
}

/// The same task in a release build: numbers from any other would mislead.
fn optimised(arguments: &[String]) -> Result<(), TaskError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = ["run", "--quiet", "--release", "--package", "xtask", "--"];
    let status = Command::new(cargo).current_dir(root()?).args(run).args(arguments).status()?;
    if status.success() { Ok(()) } else { Err("the release build of the task failed".into()) }
}

/// The workspace: two levels above this crate, which cargo names when it runs us.
fn root() -> Result<PathBuf, TaskError> {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("run this as `cargo xtask`")?;
    let crates = PathBuf::from(here);
    let root = crates.ancestors().nth(2).ok_or("the crate is not in a workspace")?;
    Ok(root.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_tasks_and_options_are_named() {
        for arguments in [vec!["fly"], vec!["tidy", "--json"], vec!["bench", "--filter"]] {
            let arguments: Vec<String> = arguments.into_iter().map(String::from).collect();
            let message = run(&arguments).expect_err("not a task").to_string();
            assert!(message.contains(&arguments[arguments.len() - 1]), "{message}");
        }
    }
}
