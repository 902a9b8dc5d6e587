//! What errors are measured against, and whether it is good enough for that.
//!
//! ```text
//! d   the least distance of the ends of two runs by different methods (of one ladder, if there is one method only)
//! e   the distance of those two to the reference, the smaller one
//! ```
//!
//! Two runs that agree to within d but are more than ten times as far from the reference are better than the reference, which is then
//! refused.

use alembert_problems::{Problem, Reference};

use super::measure::{Outcome, Run};
use crate::failure::Failure;
use crate::trial::{Steps, distance};

/// How many times closer to each other than to the reference two runs must be.
const BETTER: f64 = 10.0;
/// Distances below this share of the size of q say nothing about a reference.
const ROUNDING: f64 = 1e-9;

/// What a problem's reference is.
pub fn name(problem: &Problem) -> String {
    match &problem.reference {
        Reference::Exact(_) => "the exact solution".to_owned(),
        Reference::Reduced(_) => "extrapolation in minimal coordinates".to_owned(),
        Reference::Integrated(settings) => {
            format!("extrapolation of the index-1 form at tolerance {:e}", settings.relative)
        }
        Reference::EndValue { .. } => "known values at the end".to_owned(),
    }
}

/// A run that reached the end, with what it is called.
fn ends(runs: &[Run]) -> Vec<(&'static str, String, &[f64], f64)> {
    let named = |run: &Run| match run.steps {
        Some(Steps::ByError(tol)) => format!("{} at {tol:e}", run.method),
        Some(Steps::Fixed { h, .. }) => format!("{} at h = {h:.3e}", run.method),
        None => run.method.to_owned(),
    };
    let reached = runs.iter().filter_map(|run| match &run.outcome {
        Outcome::Reached(reached) => Some((run.method, named(run), &reached.end[..], reached.errors[0]?)),
        Outcome::Failed(_) => None,
    });
    reached.collect()
}

/// Refuses a reference that is worse than the runs.
pub fn judge(name: &str, runs: &[Run]) -> Result<(), Failure> {
    let ends = ends(runs);
    let single = ends.iter().all(|end| end.0 == ends[0].0);
    let mut closest: Option<(f64, f64, String)> = None;
    for (i, x) in ends.iter().enumerate() {
        for y in ends[..i].iter().filter(|y| single || y.0 != x.0) {
            let apart = distance(x.2, y.2);
            if closest.as_ref().is_none_or(|closest| apart < closest.0) {
                closest = Some((apart, x.3.min(y.3), format!("{} and {}", y.1, x.1)));
            }
        }
    }
    let Some((apart, error, who)) = closest else { return Ok(()) };
    let size = ends.iter().flat_map(|end| end.2).fold(0.0, |max: f64, q| max.max(q.abs()));
    if error <= BETTER * apart + ROUNDING * (1.0 + size) {
        return Ok(());
    }
    let message = format!(
        "the reference, {name}, is worse than the runs: {who} agree to {apart:.1e} in q at the end, and are {error:.1e} from it"
    );
    Err(Failure::work(message)
        .with_hint("check the formulas under [exact], and `alembert verify` the model".to_owned()))
}
