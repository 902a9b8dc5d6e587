//! Work at equal error: controlled steps against fixed ones of the same method.

use std::time::Instant;

use alembert::Quantity;
use alembert::{ErrorControl, FixedSteps, GeneralizedAlpha, Integrator, State, Stats, Unobserved};
use alembert_problems::{Problem, andrews, spring_pendulum};

use super::{RHO, references, start, tolerance_of};
use crate::TaskError;

/// Times are the least of so many runs.
const REPEATS: usize = 3;
/// Newton's tolerance of fixed steps, well below their errors.
const NEWTON: f64 = 1e-7;

/// What a run cost, and its error at the end.
struct Run {
    error: f64,
    stats: Stats,
    seconds: f64,
}

impl Run {
    fn forces(&self) -> u64 {
        self.stats.evaluations.of(Quantity::Force)
    }
}

fn timed(
    exact: &State,
    floor: f64,
    mut build: impl FnMut() -> Result<(State, Stats), TaskError>,
) -> Result<Run, TaskError> {
    let mut best: Option<Run> = None;
    for _ in 0..REPEATS {
        let begin = Instant::now();
        let (end, stats) = build()?;
        let seconds = begin.elapsed().as_secs_f64();
        let error = end.q.iter().zip(&exact.q).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs() / (floor + y.abs())));
        if best.as_ref().is_none_or(|best| seconds < best.seconds) {
            best = Some(Run { error, stats, seconds });
        }
    }
    best.ok_or_else(|| "no run".into())
}

pub fn run() -> Result<(), TaskError> {
    // The angles of Andrews' mechanism are compared as everybody does, each with itself.
    table("Andrews' mechanism, error relative to |q|", &andrews::new(), 0.0)?;
    table("pendulum with spring, error relative to 1 + |q|", &spring_pendulum::new(), 1.0)
}

fn table(title: &str, problem: &Problem, floor: f64) -> Result<(), TaskError> {
    println!("\n{title}: largest at the end, soi2 rho {RHO}");
    println!("{:<18} {:>9} {:>8} {:>9} {:>9}", "steps", "error", "steps", "forces", "time/ms");
    let start = start(problem)?;
    let exact = references(problem);
    let end = exact.iter().find(|state| state.t == problem.t_end).ok_or("no reference at the end")?;
    let scheme = GeneralizedAlpha::from_rho_infinity(RHO)?;
    let span = problem.t_end - problem.start.t;
    let print = |name: String, run: &Run| {
        let (steps, forces, time) = (run.stats.steps, run.forces(), 1e3 * run.seconds);
        println!("{name:<18} {:>9.1e} {steps:>8} {forces:>9} {time:>9.2}", run.error);
    };
    for digits in 3..=7 {
        let tol = 10f64.powi(-digits);
        let run = timed(end, floor, || {
            let tolerance = tolerance_of(tol, &exact)?;
            let mut integrator =
                Integrator::new(&*problem.system, &start, &scheme, ErrorControl::new().per_step(), tolerance)?;
            integrator.run(problem.t_end, &mut Unobserved)?;
            Ok((integrator.state().clone(), integrator.stats()))
        })?;
        print(format!("tolerance {tol:.0e}"), &run);
    }
    for steps in [100, 200, 400, 800, 1600, 3200, 6400, 12800] {
        let h = span / f64::from(steps);
        let run = timed(end, floor, || {
            let controller = FixedSteps::new(h)?;
            let tolerance = tolerance_of(NEWTON, &exact)?;
            let mut integrator = Integrator::new(&*problem.system, &start, &scheme, controller, tolerance)?;
            integrator.run(problem.t_end, &mut Unobserved)?;
            Ok((integrator.state().clone(), integrator.stats()))
        });
        match run {
            Ok(run) => print(format!("h = {h:.2e}"), &run),
            Err(error) => println!("h = {h:<14.2e} {}", error.to_string().lines().next().unwrap_or_default()),
        }
    }
    Ok(())
}
