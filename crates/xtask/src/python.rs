//! The Python package as users get it: a wheel is built and installed into an environment of its own outside of the project, and tested from a
//! folder that has nothing but the tests.

use std::path::{Path, PathBuf};

use crate::TaskError;
use crate::machine::{answers, call, install};

/// A folder that goes when the tests are over.
struct Passing(PathBuf);

impl Passing {
    fn new() -> Result<Passing, TaskError> {
        let folder = std::env::temp_dir().join(format!("alembert-python-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Passing(folder))
    }

    /// A path in it.
    fn at(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        // What cannot be removed lies among temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Bytes that a wheel may have.
const LARGEST: u64 = 5_000_000;

/// Builds the wheel that is published, into `target/wheels`.
pub fn wheel(root: &Path) -> Result<(), TaskError> {
    let folder = Passing::new()?;
    let environment = folder.at("environment");
    make(root, &environment)?;
    let python = folder.at("environment/bin/python");
    call(root, &python, &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "maturin>=1.16,<2"])?;
    let wheels = root.join("target/wheels");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let out = wheels.to_string_lossy();
    call(root, &python, &["-m", "maturin", "build", "--quiet", "--compression-level", "9", "--out", &out])?;
    let wheel = std::fs::read_dir(&wheels)?.next().ok_or("maturin has built no wheel")??;
    let size = wheel.metadata()?.len();
    println!("{}: {size} bytes", wheel.path().display());
    if size > LARGEST { Err(format!("the wheel has more than {LARGEST} bytes").into()) } else { Ok(()) }
}

/// Makes an environment of Python.
fn make(root: &Path, environment: &str) -> Result<(), TaskError> {
    if answers("python3", &["-m", "venv", environment]) {
        return Ok(());
    }
    install(&["python3", "python3-venv", "python3-pip"], "see python.org")?;
    call(root, "python3", &["-m", "venv", environment])
}

/// Builds the wheel, installs it, and runs its tests, examples and type checks.
pub fn run(root: &Path) -> Result<(), TaskError> {
    let folder = Passing::new()?;
    let environment = folder.at("environment");
    make(root, &environment)?;
    let python = folder.at("environment/bin/python");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let listed = root.join("python/requirements-test.txt");
    call(root, &python, &[&pip[..], &["--requirement", &listed.to_string_lossy()]].concat())?;
    // The profile of the tests: what they have built is not built again, and nothing is optimised for minutes.
    let wheels = folder.at("wheels");
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
