//! `cargo xtask test`: every check, in order, each with its time; stops at the first that fails.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{TaskError, python, surface, tidy, viewer};

struct Task {
    name: &'static str,
    arguments: &'static [&'static str],
}

const fn task(name: &'static str, arguments: &'static [&'static str]) -> Task {
    Task { name, arguments }
}

const FORMAT: Task = task("format", &["fmt", "--all", "--check"]);
const LINTS: Task = task("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
const NEXTEST: Task = task("tests", &["nextest", "run", "--workspace", "--no-tests", "pass"]);
const TESTS: Task = task("tests", &["test", "--workspace", "--lib", "--bins", "--tests"]);
const EXAMPLES: Task = task("examples in the documentation", &["test", "--workspace", "--doc"]);

/// Runs all checks in `root`.
pub fn run(root: &Path) -> Result<(), TaskError> {
    let begin = Instant::now();
    component(root, "rustfmt", &["fmt", "--version"])?;
    component(root, "clippy", &["clippy", "--version"])?;
    let tests = if answers(root, &["nextest", "--version"]) {
        NEXTEST
    } else {
        println!("cargo-nextest is not installed: `cargo test` runs the tests instead");
        TESTS
    };
    for task in [FORMAT, LINTS, tests, EXAMPLES] {
        timed(task.name, || cargo(root, &task))?;
    }
    timed("page of reports", || viewer::run(root))?;
    timed("Python package", || python::run(root))?;
    timed("documentation", || surface::run(root))?;
    timed("tidy", || tidy::run(root))?;
    println!("all checks passed in {:.1} s", begin.elapsed().as_secs_f64());
    Ok(())
}

fn timed(name: &str, work: impl FnOnce() -> Result<(), TaskError>) -> Result<(), TaskError> {
    println!("== {name}");
    let begin = Instant::now();
    work().map_err(|error| format!("{name}: {error}"))?;
    println!("== {name}: passed in {:.1} s", begin.elapsed().as_secs_f64());
    Ok(())
}

fn command(root: &Path) -> Command {
    // Cargo names itself to the programs it runs.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

fn cargo(root: &Path, task: &Task) -> Result<(), TaskError> {
    println!("cargo {}", task.arguments.join(" "));
    let status = command(root).args(task.arguments).status()?;
    if status.success() { Ok(()) } else { Err(format!("`cargo {}` failed", task.arguments.join(" ")).into()) }
}

fn answers(root: &Path, arguments: &[&str]) -> bool {
    let status = command(root).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Installs a part of the toolchain that is missing, if rustup is there to do it.
fn component(root: &Path, name: &str, probe: &[&str]) -> Result<(), TaskError> {
    if answers(root, probe) {
        return Ok(());
    }
    println!("{name} is missing: rustup component add {name}");
    let installed = Command::new("rustup").current_dir(root).args(["component", "add", name]).status();
    if installed.is_ok_and(|status| status.success()) && answers(root, probe) {
        return Ok(());
    }
    Err(format!("{name} is missing and could not be installed\nhint: add it to your Rust toolchain").into())
}
