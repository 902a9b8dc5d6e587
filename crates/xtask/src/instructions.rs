//! `cargo xtask instructions`: instructions of one step, counted by callgrind.
//!
//! The count of a run of 2k steps less that of k steps, divided by k: start and set-up cancel. Unlike times, counts do not
//! depend on who else uses the machine, so a slower step shows.

pub mod motions;

use std::process::Command;

use crate::bench::workload::{self, Contender, METHODS};
use crate::{TaskError, suite};

/// Steps of the shorter run; the steps of error control grow at first.
const STEPS: usize = 40;
const TOLERANCE: f64 = 1e-6;
const WORKLOADS: [&str; 9] = [
    "pendulum",
    "andrews",
    "chain-10",
    "chain-100",
    "four-bar-40",
    "lattice-10",
    "andrews-bodies",
    "balls-10",
    "balls-100",
];

/// Prints the table of steps, or that of whole motions.
pub fn run(filter: &str, json: bool, whole: bool) -> Result<(), TaskError> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Err("instructions are counted by valgrind, which is not installed".into());
    }
    if whole {
        return motions::run(filter, json);
    }
    if !json {
        println!("thousands of instructions a step, from step {STEPS} to {}, tolerance {TOLERANCE:e}", 2 * STEPS);
        println!("{:<14} {:<14} {:>12}", "workload", "method", "thousands");
    }
    for workload in WORKLOADS {
        let wanted = |method: &&Contender| {
            // Forty steps of Radau are more than most of these motions take; HHT has dense matrices.
            let small = !workload.contains("100") && !workload.contains("lattice");
            method.name != "radau5"
                && (small || method.name != "hht")
                && format!("{workload} {}", method.name).contains(filter)
        };
        for method in METHODS.iter().filter(wanted) {
            let counts = [STEPS, 2 * STEPS].map(|steps| counted(&["steps", workload, method.name, &steps.to_string()]));
            match counts {
                [Ok(once), Ok(twice)] => {
                    let each = (twice - once) / STEPS as f64;
                    match json {
                        true => {
                            println!(
                                r#"{{"workload":"{workload}","method":"{}","instructions":{each:.0}}}"#,
                                method.name
                            );
                        }
                        false => println!("{workload:<14} {:<14} {:>12.1}", method.name, each * 1e-3),
                    }
                }
                [Err(error), _] | [_, Err(error)] => println!("{workload:<14} {:<14} failed: {error}", method.name),
            }
        }
    }
    Ok(())
}

/// Instructions of this program with these arguments.
fn counted(arguments: &[&str]) -> Result<f64, TaskError> {
    let tool = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let mut command = Command::new("valgrind");
    command.args(tool).arg(std::env::current_exe()?).args(arguments);
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let reason = text.lines().find(|line| line.starts_with("error")).unwrap_or("the run under valgrind failed");
        return Err(reason.to_owned().into());
    }
    let counted = text.lines().find_map(|line| line.split_once("Collected :")).map(|(_, count)| count.trim().parse());
    Ok(counted.ok_or("valgrind says nothing about instructions")??)
}

/// So many steps, in this process.
pub fn steps(workload: &str, method: &str, steps: &str) -> Result<(), TaskError> {
    let (workload, method) = (workload::by_name(workload)?, workload::method(method)?);
    let mut problem = workload.problem();
    let start = suite::start(&problem)?;
    // The memory of this process is measured as well: the guess is a copy of the mechanism's, and the integrator has its own state.
    [&mut problem.start.q, &mut problem.start.v, &mut problem.start.lambda].into_iter().for_each(|x| *x = Vec::new());
    let mut integrator = method.integrator(&problem, &start, workload.h, TOLERANCE)?;
    drop(start);
    for _ in 0..steps.parse()? {
        integrator.step(10.0 * workload.t_end)?;
    }
    Ok(())
}
