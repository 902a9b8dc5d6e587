//! `cargo xtask test`: every check, in order, each with its time; stops at the first that fails.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{TaskError, tidy};

struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

const fn step(name: &'static str, arguments: &'static [&'static str]) -> Step {
    Step { name, arguments, environment: &[] }
}

const FORMAT: Step = step("format", &["fmt", "--all", "--check"]);
const LINTS: Step = step("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
const NEXTEST: Step = step("tests", &["nextest", "run", "--workspace", "--no-tests", "pass"]);
const TESTS: Step = step("tests", &["test", "--workspace", "--lib", "--bins", "--tests"]);
const EXAMPLES: Step = step("examples in the documentation", &["test", "--workspace", "--doc"]);
// The program and the library share a name, so their pages would overwrite one another: libraries only.
const DOCS: Step = Step {
    name: "documentation",
    arguments: &["doc", "--workspace", "--no-deps", "--lib"],
    environment: &[("RUSTDOCFLAGS", "-D warnings")],
};

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
    for step in [FORMAT, LINTS, tests, EXAMPLES, DOCS] {
        timed(step.name, || cargo(root, &step))?;
    }
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

fn cargo(root: &Path, step: &Step) -> Result<(), TaskError> {
    println!("cargo {}", step.arguments.join(" "));
    let status = command(root).args(step.arguments).envs(step.environment.iter().copied()).status()?;
    if status.success() { Ok(()) } else { Err(format!("`cargo {}` failed", step.arguments.join(" ")).into()) }
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
