//! Several methods on one problem, over ladders of tolerances or steps.
//!
//! Errors are those at the end time, measured against the problem's reference, which is named, and refused where it is worse than the
//! runs. Times are the best of some repeats. A run that fails is a result like any other: it stays in the table, with its message.

mod measure;
mod methods;
mod origin;
mod problem;
pub mod sheet;

use alembert_problems::Problem;

use crate::failure::Failure;
use crate::onlooker::Onlooker;
use measure::Bench;

pub use measure::{Outcome, Reached, Run};
pub use methods::{Candidate, Ladder, methods};
pub use origin::name as origin;
pub use problem::problem;

/// Runs every method up its ladder.
///
/// # Errors
/// If the problem has no start or reference, or its reference is worse than the runs.
pub fn compare(
    problem: &Problem,
    methods: &[Candidate],
    repeats: u32,
    velocity_tolerance: f64,
    onlooker: &dyn Onlooker,
) -> Result<Vec<Run>, Failure> {
    let bench = Bench::new(problem, repeats, velocity_tolerance)
        .map_err(|error| Failure::work(format!("cannot compare methods on {}: {error}", problem.name)))?;
    let mut runs = Vec::new();
    for (i, method) in methods.iter().enumerate() {
        onlooker.begins(&format!("running {} on {} ({} of {})", method.name, problem.name, i + 1, methods.len()));
        runs.extend(bench.ladder(method));
    }
    origin::judge(&origin(problem), &runs)?;
    Ok(runs)
}
