//! The runs of a ladder, coarse to fine. Each is exactly the run that `alembert run` makes with the same options.
//!
//! ```text
//! fixed steps      h, h/2, h/4, h/8
//! tolerances       tol, tol/10, tol/100, tol/1000, not below 1e-13; as many coarser ones before it as finer ones are missing
//!                  for methods whose steps add up: not below 1e-11 in a step, where rounding and millions of steps begin
//! ```

use alembert::method::Accumulation;
use alembert::{Summary, Tolerance};
use alembert_model::Model;
use alembert_model::run::{Run, Steps};

use super::track::{Errors, Track};
use crate::failure::Failure;
use crate::onlooker::Onlooker;
use crate::simulate::{End, Trajectory, simulate};

/// Rungs of the ladder.
const RUNGS: i32 = 4;
/// No tolerance of a rung is below this one: rounding is near.
const FINEST: f64 = 1e-13;
/// No tolerance of a rung is above this one, at which little is left of a motion.
const COARSEST: f64 = 1e-2;
/// No tolerance of a step is below this one, where errors of steps add up.
const FINEST_STEP: f64 = 1.01e-11;

/// A run of the ladder.
pub struct Rung {
    pub steps: Steps,
    pub count: u64,
    /// The largest typical sizes of q and v that its tolerance was relative to.
    pub assumed: [f64; 2],
    pub track: Track,
    /// Against the truth.
    pub errors: Errors,
}

/// The runs, coarse to fine.
pub struct Ladder {
    pub rungs: Vec<Rung>,
    /// The place of the run that is judged.
    pub result: usize,
    /// Why there are others than usual.
    pub notes: Vec<String>,
    /// Lengths and ends of the judged run's steps.
    pub steps: Vec<(f64, f64)>,
    pub occurrences: Vec<alembert::Occurrence>,
}

impl Ladder {
    pub fn judged(&self) -> &Rung {
        &self.rungs[self.result]
    }

    /// Whether all runs take the same steps: those that the rows of the result force upon them.
    pub fn is_flat(&self) -> bool {
        let same = |pair: &[Rung]| pair[0].count.abs_diff(pair[1].count) <= pair[0].count / 50;
        let free = matches!(self.judged().steps, Steps::ByError { .. });
        free && self.rungs.len() > 1 && self.rungs.windows(2).all(same)
    }
}

/// The steps of the rung `k` places further down; none if there is no such tolerance.
fn finer(steps: &Steps, k: i32, accumulation: Accumulation) -> Option<Steps> {
    match steps {
        Steps::Fixed { h, pattern } => Some(Steps::Fixed { h: h * 0.5_f64.powi(k), pattern: pattern.clone() }),
        Steps::ByError { rtol, atol } => {
            // Round numbers stay round.
            let tenth = |x: &f64| format!("{:.6e}", x / 10_f64.powi(k)).parse().unwrap_or(*x);
            let (finer, atol) = (tenth(rtol), atol.as_ref().map(tenth));
            let absolute = atol.unwrap_or(0.0);
            let of_steps = accumulation.of_steps(Tolerance { rtol: finer, atol_q: absolute, atol_v: absolute });
            let is_possible = accumulation == Accumulation::NONE || of_steps.rtol >= FINEST_STEP;
            let is_named = k == 0 || k < 0 && finer <= COARSEST * 1.001;
            let is_named = is_named || is_possible && (FINEST * 0.999..=COARSEST * 1.001).contains(&finer);
            is_named.then_some(Steps::ByError { rtol: finer, atol })
        }
    }
}

/// Runs the ladder around a run.
///
/// # Errors
/// If the run itself fails; others that fail end the ladder.
pub fn climb(model: &Model, run: &Run, onlooker: &dyn Onlooker) -> Result<Ladder, Failure> {
    let (mut rungs, mut notes) = (Vec::new(), Vec::new());
    let scheme = run.method.scheme(&run.steps).map_err(|bad| Failure::of(&bad))?;
    let accumulation = scheme.accumulation();
    onlooker.begins(&format!("running with {}", run.steps));
    let judged = simulate(model, run, onlooker)?;
    let occurrences = judged.events.clone();
    let steps = judged.steps.iter().map(|step| (step.t, step.h)).collect();
    match &judged.end {
        End::Failed(failure) => {
            let message = format!("the run with {} failed: {}", run.steps, failure.message);
            return Err(Failure { message, ..failure.clone() });
        }
        End::Limited(reached) => return Err(reached.failure()),
        End::Interrupted => return Err(Failure::interrupted()),
        End::Reached | End::Event(_) => {}
    }
    rungs.push(rung(model, run.steps.clone(), judged));
    let mut missing = 0;
    for k in 1..RUNGS {
        let Some(steps) = finer(&run.steps, k, accumulation) else {
            missing = RUNGS - k;
            break;
        };
        match attempt(model, run, &steps, onlooker)? {
            Ok(rung) => rungs.push(rung),
            Err(reason) => {
                notes.push(format!("the ladder ends before {steps}: {reason}"));
                missing = RUNGS - k;
                break;
            }
        }
    }
    let free = matches!(run.steps, Steps::ByError { .. });
    if missing > 0 && free && notes.is_empty() {
        notes.push("finer tolerances are below what rounding allows: the ladder goes up instead".to_owned());
    }
    let mut result = 0;
    for k in (1..=missing).filter(|_| free) {
        let Some(steps) = finer(&run.steps, -k, accumulation) else { break };
        let Ok(rung) = attempt(model, run, &steps, onlooker)? else { break };
        rungs.insert(0, rung);
        result += 1;
    }
    Ok(Ladder { rungs, result, notes, steps, occurrences })
}

fn rung(model: &Model, steps: Steps, trajectory: Trajectory) -> Rung {
    let Summary { stats, typical, .. } = &trajectory.summary;
    let (count, assumed) = (stats.steps, [&typical.q, &typical.v].map(|sizes| largest(sizes)));
    let track = Track::new(model, trajectory.states, &trajectory.events, trajectory.end);
    Rung { steps, count, assumed, track, errors: [None; 5] }
}

fn largest(sizes: &[(String, f64)]) -> f64 {
    sizes.iter().fold(0.0, |max, (_, size)| size.max(max))
}

/// A further run, or why there is none.
fn attempt(model: &Model, run: &Run, steps: &Steps, onlooker: &dyn Onlooker) -> Result<Result<Rung, String>, Failure> {
    onlooker.begins(&format!("running with {steps}"));
    let first = |words: &str| words.lines().next().unwrap_or_default().to_owned();
    let trajectory = match simulate(model, &Run { steps: steps.clone(), ..run.clone() }, onlooker) {
        Ok(trajectory) => trajectory,
        Err(failure) => return Ok(Err(first(&failure.message))),
    };
    match &trajectory.end {
        _ if onlooker.wants_to_stop() => Err(Failure::interrupted()),
        End::Interrupted => Err(Failure::interrupted()),
        End::Failed(failure) => Ok(Err(first(&failure.message))),
        End::Limited(reached) => Ok(Err(first(&reached.failure().message))),
        End::Reached | End::Event(_) => Ok(Ok(rung(model, steps.clone(), trajectory))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_stay_round_and_above_rounding() {
        let finer = |steps: &Steps, k| finer(steps, k, Accumulation::NONE);
        let steps = Steps::ByError { rtol: 1e-12, atol: Some(1e-9) };
        assert_eq!(finer(&steps, 1), Some(Steps::ByError { rtol: 1e-13, atol: Some(1e-10) }));
        assert_eq!(finer(&steps, 2), None);
        assert_eq!(finer(&steps, -2), Some(Steps::ByError { rtol: 1e-10, atol: Some(1e-7) }));
        let coarse = Steps::ByError { rtol: 0.05, atol: None };
        assert_eq!((finer(&coarse, 0), finer(&coarse, -1)), (Some(coarse.clone()), None));
    }

    #[test]
    fn methods_whose_steps_add_up_have_ladders_that_end_earlier() {
        let soi2 = Accumulation { factor: 0.1, exponent: 1.5, finest: 1e-12 };
        let at = |tol: f64| Steps::ByError { rtol: tol, atol: None };
        assert_eq!(finer(&at(1e-5), 1, soi2), Some(at(1e-6)));
        assert_eq!(finer(&at(1e-5), 2, soi2), None);
        assert_eq!(finer(&at(1e-8), 0, soi2), Some(at(1e-8)));
        assert_eq!(finer(&at(1e-8), -1, soi2), Some(at(1e-7)));
    }
}
