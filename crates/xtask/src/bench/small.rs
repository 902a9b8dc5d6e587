//! `cargo xtask bench --small`: what a fixed step costs, for each alpha scheme on each problem of the catalogue that suits it.
//!
//! A run is [`STEPS`] fixed steps; runs are repeated and the best one counts. A run lasts milliseconds, so the best of
//! many is one that nothing interrupted, and its time is the processor's time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use alembert::Quantity;
use alembert::Stats;
use alembert_problems::Problem;

use crate::TaskError;
use crate::suite::{self, Named};

/// Steps of a run.
const STEPS: usize = 200;
/// Newton's tolerance.
const TOLERANCE: f64 = 1e-8;
/// A scheme is run on a problem at least so often, and for about so long.
const LEAST_ROUNDS: usize = 5;
const LEAST_TIME: Duration = Duration::from_millis(250);
/// How far a run goes: this share of the problem's own time.
const SHARE: f64 = 0.25;

struct Cost {
    nanoseconds: f64,
    stats: Stats,
}

impl Cost {
    fn per_step(&self, count: u64) -> f64 {
        count as f64 / self.stats.steps as f64
    }
}

/// Times every scheme on every problem whose name, or the scheme's, contains `filter`.
pub fn run(filter: &str, json: bool) -> Result<(), TaskError> {
    let schemes = suite::schemes()?;
    let mut times: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    // The printed, uncorrected variants of problems cost what the corrected ones cost.
    let problems: Vec<Problem> =
        alembert_problems::all().into_iter().filter(|problem| !problem.name.ends_with("_printed")).collect();
    if !json {
        println!("{STEPS} steps over {SHARE} of each problem's time, tolerance {TOLERANCE:e}; counts are per step");
        println!(
            "{:<20} {:<20} {:>10} {:>10} {:>10} {:>8} {:>10} {:>8}",
            "problem", "scheme", "ns", "iterations", "linearized", "force", "factorised", "solved"
        );
    }
    for problem in &problems {
        let wanted = |named: &&Named| {
            suite::suits(named.name, problem) && (problem.name.contains(filter) || named.name.contains(filter))
        };
        let schemes: Vec<&Named> = schemes.iter().filter(wanted).collect();
        for (named, measured) in schemes.iter().zip(measure(problem, &schemes)) {
            match measured {
                Ok(None) => {}
                Ok(Some(cost)) => {
                    times.insert((problem.name, named.name), cost.nanoseconds);
                    println!("{}", if json { cost_json(problem, named, &cost) } else { row(problem, named, &cost) });
                }
                Err(error) if json => println!(
                    r#"{{"problem":"{}","scheme":"{}","failure":{:?}}}"#,
                    problem.name,
                    named.name,
                    error.to_string()
                ),
                Err(error) => println!("{:<20} {:<20} failed: {error}", problem.name, named.name),
            }
        }
    }
    ratios(&problems, &times, json);
    Ok(())
}

fn row(problem: &Problem, named: &Named, cost: &Cost) -> String {
    let Stats { iterations, linearizations, factorisations, solves, evaluations, .. } = cost.stats;
    format!(
        "{:<20} {:<20} {:>10.0} {:>10.2} {:>10.2} {:>8.2} {:>10.2} {:>8.2}",
        problem.name,
        named.name,
        cost.nanoseconds,
        cost.per_step(iterations),
        cost.per_step(linearizations),
        cost.per_step(evaluations.of(Quantity::Force)),
        cost.per_step(factorisations),
        cost.per_step(solves),
    )
}

fn cost_json(problem: &Problem, named: &Named, cost: &Cost) -> String {
    let Stats { iterations, linearizations, factorisations, solves, evaluations, .. } = cost.stats;
    let evaluations: Vec<String> =
        evaluations.iter().map(|(name, count)| format!(r#""{name}":{}"#, cost.per_step(count))).collect();
    format!(
        r#"{{"problem":"{}","scheme":"{}","ns":{:.0},"iterations":{},"linearizations":{},"factorisations":{},"solves":{},"evaluations":{{{}}}}}"#,
        problem.name,
        named.name,
        cost.nanoseconds,
        cost.per_step(iterations),
        cost.per_step(linearizations),
        cost.per_step(factorisations),
        cost.per_step(solves),
        evaluations.join(",")
    )
}

/// What SOI2's velocity level adds to a step.
fn ratios(problems: &[Problem], times: &BTreeMap<(&str, &str), f64>, json: bool) {
    let with_both = problems.iter().filter_map(|problem| {
        let with = times.get(&(problem.name, suite::SOI2))?;
        let without = times.get(&(problem.name, suite::PLAIN))?;
        Some((problem.name, with / without))
    });
    for (i, (name, ratio)) in with_both.enumerate() {
        if json {
            println!(r#"{{"problem":"{name}","velocity_level_ratio":{ratio:.3}}}"#);
        } else {
            if i == 0 {
                println!("\ntime of a step with the velocity level / without (rho 0.8)");
            }
            println!("{name:<20} {ratio:.2}");
        }
    }
}

/// The best of many runs of each scheme; none if it is not made for the problem.
///
/// The schemes take turns, so that a busy machine disturbs all of them alike.
fn measure(problem: &Problem, schemes: &[&Named]) -> Vec<Result<Option<Cost>, TaskError>> {
    let mut best: Vec<Result<Option<Cost>, TaskError>> = schemes.iter().map(|named| run_once(problem, named)).collect();
    let begin = Instant::now();
    let mut rounds = 1;
    while rounds < LEAST_ROUNDS || begin.elapsed() < LEAST_TIME * schemes.len() as u32 {
        for (best, named) in best.iter_mut().zip(schemes) {
            if let Ok(Some(best)) = best
                && let Ok(Some(cost)) = run_once(problem, named)
                && cost.nanoseconds < best.nanoseconds
            {
                *best = cost;
            }
        }
        rounds += 1;
    }
    best
}

fn run_once(problem: &Problem, named: &Named) -> Result<Option<Cost>, TaskError> {
    let start = suite::start(problem)?;
    let h = SHARE * (problem.t_end - start.t) / STEPS as f64;
    let t_end = suite::horizon(&start, h, STEPS);
    let Some(mut integrator) = suite::integrator(problem, &start, &*named.scheme, h, TOLERANCE)? else {
        return Ok(None);
    };
    let begin = Instant::now();
    for _ in 0..STEPS {
        integrator.step(t_end)?;
    }
    let nanoseconds = begin.elapsed().as_nanos() as f64 / STEPS as f64;
    Ok(Some(Cost { nanoseconds, stats: integrator.stats() }))
}
