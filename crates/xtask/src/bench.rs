//! `cargo xtask bench`: what a whole motion costs, for each method on small and large systems.
//!
//! Every run has its own process, so that the peak of memory is that of the run: this program calls itself with the hidden task
//! `bench-row`.

pub mod formulas;
pub mod measure;
pub mod mechanisms;
pub mod process;
pub mod small;
pub mod stiff;
pub mod workload;

use std::process::Command;

use crate::TaskError;
use workload::{Contender, METHODS, Workload};

/// Tolerance of methods that choose their steps.
const TOLERANCE: f64 = 1e-6;
/// The same from coarse to fine.
const LADDER: [f64; 8] = [1e-3, 1e-4, 1e-5, 3e-6, 1e-6, 1e-7, 1e-8, 1e-9];

/// What to run.
pub struct Options<'a> {
    /// Part of "workload method".
    pub filter: &'a str,
    /// JSON lines instead of a table.
    pub json: bool,
    /// Methods that choose their steps run at eight tolerances instead of one.
    pub ladder: bool,
}

/// Runs every method on every workload that it suits.
pub fn run(options: &Options) -> Result<(), TaskError> {
    if !options.json {
        println!("{}", measure::heading());
    }
    let program = std::env::current_exe()?;
    for workload in workload::all() {
        for (method, tolerance) in runs(&workload, options) {
            let mut command = Command::new(&program);
            command.args(["bench-row", &workload.name, method.name, &format!("{tolerance:e}")]);
            if options.json {
                command.arg("--json");
            }
            let status = command.status()?;
            if !status.success() {
                eprintln!("{} {}: the process ended with {status}", workload.name, method.name);
            }
        }
    }
    Ok(())
}

fn runs(workload: &Workload, options: &Options) -> Vec<(&'static Contender, f64)> {
    let wanted = |method: &&Contender| {
        method.suits(workload) && format!("{} {}", workload.name, method.name).contains(options.filter)
    };
    let tolerances = |method: &'static Contender| match options.ladder && method.chooses_steps {
        true => LADDER.to_vec(),
        false => vec![TOLERANCE],
    };
    METHODS
        .iter()
        .filter(wanted)
        .flat_map(|method| tolerances(method).into_iter().map(move |tol| (method, tol)))
        .collect()
}

/// One run, in this process.
pub fn row(workload: &str, method: &str, tolerance: &str, json: bool) -> Result<(), TaskError> {
    let workload = workload::by_name(workload)?;
    let method = workload::method(method)?;
    let row = measure::measure(&workload, method, tolerance.parse()?);
    println!("{}", if json { row.json() } else { row.line() });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(filter: &str, ladder: bool) -> Vec<String> {
        let options = Options { filter, json: false, ladder };
        let named = |w: Workload| -> Vec<String> {
            runs(&w, &options).iter().map(|(m, tol)| format!("{} {} {tol:e}", w.name, m.name)).collect()
        };
        workload::all().into_iter().flat_map(named).collect()
    }

    #[test]
    fn a_filter_sees_workload_and_method() {
        assert_eq!(names("chain-1000 soi2", true), ["chain-1000 soi2 1e-6", "chain-1000 soi2 own 1e-6"]);
        assert_eq!(names("chain-1000 bdf", false), ["chain-1000 bdf 1e-6"]);
        assert_eq!(names("chain-1000 bdf", true).len(), LADDER.len());
        assert!(names("nothing", true).is_empty());
    }

    #[test]
    fn every_workload_has_a_row() {
        for workload in workload::all() {
            assert!(!names(&workload.name, false).is_empty(), "{}", workload.name);
        }
    }
}
