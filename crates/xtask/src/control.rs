//! `cargo xtask control`: how the error of controlled alpha methods follows the tolerance, and what it costs.

mod estimate;
mod local;
mod order;
mod picture;
mod stiff;
mod tolerance;
mod work;

use std::path::Path;

use alembert::{ConsistentState, Guess, State, Tolerance};
use alembert_problems::{
    Problem, Reference, andrews, car_axis, heavy_top, rolling_disk, slider_crank, spring_pendulum,
};

use crate::TaskError;

/// The damping of all tables.
const RHO: f64 = 0.6;

/// Where the picture of the documentation lies.
const PICTURE: &str = "docs/images/error-control.svg";

/// Prints every table, and draws the first one.
pub fn run(root: &Path) -> Result<(), TaskError> {
    let curves = tolerance::run()?;
    std::fs::write(root.join(PICTURE), picture::svg(&curves))?;
    println!("drawn in {PICTURE}");
    estimate::run()?;
    order::run()?;
    stiff::run()?;
    work::run()
}

/// The problems of the tables.
fn problems() -> Vec<Problem> {
    vec![
        spring_pendulum::new(),
        andrews::new(),
        car_axis::new(),
        slider_crank::new(),
        rolling_disk::new(),
        heavy_top::new(),
    ]
}

fn start(problem: &Problem) -> Result<ConsistentState, TaskError> {
    let start = &problem.start;
    let guess = Guess::new(start.t, start.q.clone(), start.v.clone());
    Ok(alembert::consistent(&*problem.system, &guess.with_multipliers(start.lambda.clone(), start.psi.clone()))?)
}

/// The tolerance of a table: velocities are weighed by the largest of the problem, so that none has to be exact where it
/// passes zero.
fn tolerance_of(tol: f64, states: &[State]) -> Result<Tolerance, TaskError> {
    let speed = states.iter().flat_map(|state| &state.v).fold(1.0_f64, |max, v| max.max(v.abs()));
    Ok(Tolerance { rtol: tol, atol_q: tol, atol_v: tol * speed }.checked()?)
}

/// Reference states: the known ones, or at a few times, since at one alone an error may happen to pass through zero.
fn references(problem: &Problem) -> Vec<State> {
    if let Reference::EndValue { states, .. } = &problem.reference {
        return states.clone();
    }
    let span = problem.t_end - problem.start.t;
    (1..=4).map(|k| problem.reference_at(problem.start.t + span * f64::from(k) / 4.0)).collect()
}

/// Largest error of q and of v, each relative to 1 + |x|.
fn errors(state: &State, exact: &State) -> [f64; 2] {
    let largest =
        |x: &[f64], y: &[f64]| x.iter().zip(y).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs() / (1.0 + y.abs())));
    [largest(&state.q, &exact.q), largest(&state.v, &exact.v)]
}
