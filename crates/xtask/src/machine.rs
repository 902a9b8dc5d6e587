//! The machine that tasks run on: programs that are there, and those that have to be installed.

use std::path::Path;
use std::process::Command;

use crate::TaskError;

/// Whether a program is there and does what it is asked.
pub fn answers(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

/// Installs packages of Debian, where that is allowed; otherwise says what else can be done.
pub fn install(packages: &[&str], otherwise: &str) -> Result<(), TaskError> {
    println!("missing, to be installed: {}", packages.join(", "));
    let sudo = if answers("id", &["-u"]) && answers("sh", &["-c", "test $(id -u) = 0"]) { "" } else { "sudo " };
    let script = format!(
        "{sudo}apt-get update -q && {sudo}apt-get install -y -q --no-install-recommends {}",
        packages.join(" ")
    );
    let status = Command::new("sh").args(["-c", &script]).env("DEBIAN_FRONTEND", "noninteractive").status()?;
    match status.success() {
        true => Ok(()),
        false => {
            let missing = packages.join(", ");
            Err(format!("{missing} could not be installed\nhint: install it, or {otherwise}").into())
        }
    }
}

/// Calls a program in a folder.
pub fn call(folder: &Path, program: &str, arguments: &[&str]) -> Result<(), TaskError> {
    println!("{program} {}", arguments.join(" "));
    let status = Command::new(program).current_dir(folder).args(arguments).status()?;
    if status.success() { Ok(()) } else { Err(format!("`{program} {}` failed", arguments.join(" ")).into()) }
}
