//! SciPy beside us, on the same motions in minimal coordinates: `peers/accuracy.sh`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use alembert_problems::kinked_pendulum::{self, Force};

use super::cases::forces;
use super::run::Truth;
use super::{quantiles, run};
use crate::TaskError;

/// A force as a formula of t and x.
fn formula(force: Force) -> String {
    match force {
        Force::Kink { k, d } => format!("{k:?}*abs(x - ({d:?}))"),
        Force::Jump { c, d } => format!("{c:?}*sign(x - ({d:?}))"),
        Force::Stop { k, d } => format!("{k:?}*max(0.0, ({d:?}) - x)"),
        Force::Steep { c, d, width } => format!("{c:?}*tanh((x - ({d:?}))/{width:?})"),
        Force::Switched { c, at } => format!("{c:?} if t >= {at:?} else 0.0"),
    }
}

/// The lines of SciPy's methods in the overview.
pub fn overview(root: &Path) -> Result<Vec<String>, TaskError> {
    let mut cases = String::new();
    for force in forces() {
        let rows: Vec<[f64; 5]> = Truth::new(&kinked_pendulum::new(force))
            .landings
            .iter()
            .map(|state| [state.t, state.q[0], state.q[1], state.v[0], state.v[1]])
            .collect();
        // What Rust shows of strings without quotes and of finite numbers is JSON.
        writeln!(cases, "{{\"force\": {:?}, \"rows\": {rows:?}}}", formula(force))?;
    }
    let script = root.join("peers").join("accuracy.sh");
    let mut child = Command::new(&script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    // Dropped at the end of the statement, so that the script sees the end of its input.
    child.stdin.take().ok_or("no standard input")?.write_all(cases.as_bytes())?;
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(format!("{} failed\nhint: it needs python3 with venv and pip", script.display()).into());
    }
    let mut by_method: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let mut words = line.split_whitespace();
        let method = words.next().unwrap_or_default().to_owned();
        let ratios = words.map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        by_method.entry(method).or_default().extend(ratios);
    }
    let digits = &run::METHODS[0].digits;
    let line = |(method, ratios): (String, Vec<f64>)| {
        let rough = quantiles(ratios);
        format!(
            "| SciPy's {method}, minimal coordinates | 1e-{} to 1e-{} | - | - | {rough} |",
            digits.start(),
            digits.end()
        )
    };
    Ok(by_method.into_iter().map(line).collect())
}
