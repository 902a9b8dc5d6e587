//! Project tasks: `cargo xtask test | tidy | surface | accuracy | bench | instructions | iterations | control | trust | pictures | fuzz | chain-end | balls-end | closing`.

mod accuracy;
mod bench;
mod chain_end;
mod closing;
mod control;
mod fuzz;
mod instructions;
mod iterations;
mod joints;
mod machine;
mod pictures;
mod python;
mod suite;
mod surface;
mod test;
mod tidy;
mod trust;
mod viewer;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use alembert::method::Start;

const USAGE: &str = "\
usage: cargo xtask TASK

tasks:
  test                          formatting, lints, tests, documentation, tidy: all that must pass
  tidy                          the project's own checks of its files
  surface                       documentation of the libraries; it must not name types of other crates
  bench [--json] [--filter S] [--ladder | --small | --stiff | --formulas]
                                cost of whole motions of small and large systems with each method (S: part of a workload and its method);
                                --ladder: at several tolerances; --small: a step of the alpha methods on each problem of
                                the catalogue; --stiff: SOI2 on chains with springs, dampers, Coriolis and follower forces;
                                --formulas: forces of model files beside the same in Rust
  instructions [--json] [--filter S] [--motions]
                                instructions of a step of each method, counted by callgrind; --motions: of whole motions
                                under error control, with their steps and errors
  chain-end N T FILE            the reference of a chain of N bars at time T: x, y, angle and their rates, 8 bytes each
  balls-end N T FILE            the same of a chain of N links on balls in space: x, y, z of their centres
  closing [N]                   time to build and close a chain of N links (10000) drawn closed, rough and without poses
  iterations [--json] [--start S]
                                Newton iterations of the alpha methods on stiff problems (S: twice, a0 or jerk)
  accuracy [--estimates]        errors over tolerances, smooth and not smooth, of every method; writes docs/accuracy.md
                                --estimates: only what runs say of the errors of accelerations and multipliers, and where they are off
  trust                         `alembert verify` against motions that are known; writes docs/trust.md
  pictures                      the pictures of docs/model-format.md, docs/worked-models.md and docs/mechanisms.md: from the models on these pages,
                                of the joints, and the gallery
  python                        the Python package: its wheel in an environment of its own, tests, examples, types
  wheel                         the wheel that is published, in target/wheels; fails if it is larger than 5 MB
  viewer                        the page of reports in a real browser; installs Chromium where there is none
  fuzz [--minutes N] [--inputs N]
                                random inputs for each target of crates/fuzz; an input that breaks one is kept
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
    if let Some(result) = worker(arguments) {
        return result;
    }
    let (mut json, mut filter, mut start) = (false, String::new(), Start::default());
    let (mut part, mut minutes, mut inputs) = ("", None, None);
    while let Some(option) = rest.next() {
        match (task, option) {
            ("bench" | "instructions" | "iterations", "--json") => json = true,
            ("accuracy", "--estimates") => part = option,
            ("instructions", "--motions") => part = option,
            ("fuzz", "--minutes" | "--inputs") => {
                let number = rest.next().and_then(|number| number.parse().ok());
                let number: u64 = number.ok_or_else(|| format!("`{option}` needs a number"))?;
                if option == "--minutes" { minutes = Some(number) } else { inputs = Some(number) }
            }
            ("bench", "--small" | "--stiff" | "--ladder" | "--formulas") if part.is_empty() => part = option,
            ("bench" | "instructions", "--filter") => {
                filter = rest.next().ok_or("`--filter` needs a name")?.to_string()
            }
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
    if cfg!(debug_assertions) && matches!(task, "bench" | "instructions" | "iterations" | "control") {
        return optimised(arguments);
    }
    match task {
        "test" => test::run(&root()?),
        "tidy" => tidy::run(&root()?),
        "surface" => surface::run(&root()?),
        "bench" if part == "--small" => bench::small::run(&filter, json),
        "bench" if part == "--formulas" => bench::formulas::run(&root()?, &filter, json),
        "bench" if part == "--stiff" => bench::stiff::run(&filter, json),
        "bench" => bench::run(&bench::Options { filter: &filter, json, ladder: part == "--ladder" }),
        "instructions" => instructions::run(&filter, json, !part.is_empty()),
        "iterations" => iterations::run(start, json),
        "control" => control::run(&root()?),
        "accuracy" => accuracy::run(&root()?, part == "--estimates"),
        "fuzz" => fuzz::run(&root()?, minutes.unwrap_or(if inputs.is_some() { 600 } else { 5 }), inputs),
        "trust" => trust::run(&root()?),
        "pictures" => pictures::run(&root()?),
        "python" => python::run(&root()?),
        "wheel" => python::wheel(&root()?),
        "viewer" => viewer::run(&root()?),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("there is no task `{task}`\n\n{USAGE}").into()),
    }
}

/// Tasks with plain arguments: one that others may call, and those in which this program calls itself.
fn worker(arguments: &[String]) -> Option<Result<(), TaskError>> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["chain-end" | "balls-end" | "closing", ..] if cfg!(debug_assertions) => Some(optimised(arguments)),
        ["balls-end", links, t, file] => Some(chain_end::balls(links, t, file)),
        ["closing"] => Some(closing::run("10000")),
        ["closing", links] => Some(closing::run(links)),
        ["chain-end", bars, t, file] => Some(chain_end::run(bars, t, file)),
        ["bench-row", workload, method, tolerance] => Some(bench::row(workload, method, tolerance, false)),
        ["bench-row", workload, method, tolerance, "--json"] => Some(bench::row(workload, method, tolerance, true)),
        ["motion", name, method, tolerance, repeats] => {
            Some(instructions::motions::repeat(name, method, tolerance, repeats))
        }
        ["steps", workload, method, count] => Some(instructions::steps(workload, method, count)),
        _ => None,
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
        for arguments in
            [vec!["fly"], vec!["tidy", "--json"], vec!["bench", "--filter"], vec!["bench", "--small", "--stiff"]]
        {
            let arguments: Vec<String> = arguments.into_iter().map(String::from).collect();
            let message = run(&arguments).expect_err("not a task").to_string();
            assert!(message.contains(&arguments[arguments.len() - 1]), "{message}");
        }
    }
}
