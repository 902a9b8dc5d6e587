//! The Python package as users get it: a wheel is built and installed into an environment of its own outside of the project, and tested from a
//! folder that has nothing but the tests.

use std::path::{Path, PathBuf};

use crate::TaskError;
use crate::machine::{answers, call, install};

/// A folder that goes when the tests are over.
struct Passing(PathBuf);

impl Drop for Passing {
    fn drop(&mut self) {
        // What cannot be removed lies among temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Builds the wheel, installs it, and runs its tests, examples and type checks.
pub fn run(root: &Path) -> Result<(), TaskError> {
    let folder = Passing(std::env::temp_dir().join(format!("alembert-python-{}", std::process::id())));
    let at = |name: &str| folder.0.join(name).to_string_lossy().into_owned();
    std::fs::create_dir_all(&folder.0)?;
    let environment = at("environment");
    if !answers("python3", &["-m", "venv", &environment]) {
        install(&["python3", "python3-venv", "python3-pip"], "see python.org")?;
        call(root, "python3", &["-m", "venv", &environment])?;
    }
    let python = at("environment/bin/python");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let listed = root.join("python/requirements-test.txt");
    call(root, &python, &[&pip[..], &["--requirement", &listed.to_string_lossy()]].concat())?;
    // The profile of the tests: what they have built is not built again, and nothing is optimised for minutes.
    let wheels = at("wheels");
    call(root, &python, &["-m", "maturin", "build", "--quiet", "--profile", "dev", "--out", &wheels])?;
    let wheel = std::fs::read_dir(&wheels)?.next().ok_or("maturin has built no wheel")??.path();
    call(root, &python, &[&pip[..], &["--no-deps", &wheel.to_string_lossy()]].concat())?;
    let tests = folder.0.join("tests");
    std::fs::create_dir_all(&tests)?;
    for entry in std::fs::read_dir(root.join("python/tests"))? {
        let entry = entry?.path();
        if let (true, Some(name)) = (entry.is_file(), entry.file_name()) {
            std::fs::copy(&entry, tests.join(name))?;
        }
    }
    std::fs::copy(root.join("pyproject.toml"), folder.0.join("pyproject.toml"))?;
    // Examples of the builder's methods need a mechanism around them: a test of theirs provides it.
    let builder = format!("--ignore-glob={environment}/lib/*/site-packages/alembert/_mechanism/*");
    let project = format!("ALEMBERT_PROJECT={}", root.display());
    let prefix = [project.as_str(), "MPLBACKEND=agg", &python, "-m"];
    let shared = ["-p", "no:cacheprovider", "-q", "--durations=5"];
    for rest in [
        &[&["pytest"], &shared[..], &["-n", "2", "."]].concat()[..],
        &[&["pytest"], &shared[..], &["--doctest-modules", &builder, "--pyargs", "alembert"]].concat(),
        &["mypy", "--strict", "-p", "alembert"],
        &["mypy.stubtest", "alembert._alembert"],
    ] {
        call(&tests, "env", &[&prefix[..], rest].concat())?;
    }
    Ok(())
}
