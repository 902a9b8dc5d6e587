//! One run of one method: time, counters, errors, residuals, memory.

use std::fmt::Write;

use alembert::Quantity;
use alembert::{ConsistentState, State, Stats, Unobserved};
use alembert_problems::Problem;

use super::workload::{Contender, Measure, Workload};
use super::{mechanisms, process};
use crate::{TaskError, suite};

/// A run is repeated for about so many seconds, and so a few times; the fastest time counts. A long run is made once.
const BATCH: f64 = 0.15;
const BATCHES: usize = 4;
const LONG: f64 = 2.0;

/// What was measured.
pub struct Row {
    workload: String,
    method: &'static str,
    tolerance: f64,
    outcome: Result<Cost, String>,
}

struct Cost {
    /// Of one run, and what of it went by until the first step was made: analysis, first factors, first touch of memory.
    seconds: f64,
    setup: f64,
    stats: Stats,
    /// In positions and velocities.
    errors: [f64; 2],
    /// Largest change of the energy relative to its size, where it is conserved.
    energy: Option<f64>,
    memory: Option<Memory>,
    parts: usize,
}

/// In kB.
struct Memory {
    /// Before the problem was made.
    before: f64,
    /// The peak of one run.
    peak: f64,
}

/// Runs a method on a workload.
pub fn measure(workload: &Workload, method: &'static Contender, tolerance: f64) -> Row {
    let outcome = cost(workload, method, tolerance).map_err(|error| error.to_string());
    Row { workload: workload.name.clone(), method: method.name, tolerance, outcome }
}

struct Run {
    end: State,
    stats: Stats,
    setup: f64,
}

fn run(
    workload: &Workload,
    problem: &Problem,
    start: &ConsistentState,
    method: &Contender,
    tolerance: f64,
) -> Result<Run, TaskError> {
    let begin = process::seconds();
    let mut integrator = method.integrator(problem, start, workload.h, tolerance)?;
    integrator.step(workload.t_end)?;
    let setup = process::seconds() - begin;
    integrator.run(workload.t_end, &mut Unobserved)?;
    Ok(Run { end: integrator.state().clone(), stats: integrator.stats(), setup })
}

fn cost(workload: &Workload, method: &Contender, tolerance: f64) -> Result<Cost, TaskError> {
    let before = process::peak();
    let problem = workload.problem();
    let start = suite::start(&problem)?;
    let begin = process::seconds();
    let Run { end, stats, setup } = run(workload, &problem, &start, method, tolerance)?;
    let first = [process::seconds() - begin, setup];
    let memory = before.zip(process::peak()).map(|(before, peak)| Memory { before, peak });
    let mut best = [f64::INFINITY; 2];
    for _ in 0..if first[0] < LONG { BATCHES } else { 0 } {
        let (begin, mut runs, mut spent, mut setup) = (process::seconds(), 0, 0.0, 0.0);
        while spent < BATCH {
            setup += run(workload, &problem, &start, method, tolerance)?.setup;
            runs += 1;
            spent = process::seconds() - begin;
        }
        let each = [spent, setup].map(|x| x / f64::from(runs));
        best = if each[0] < best[0] { each } else { best };
    }
    let [seconds, setup] = if best[0].is_finite() { best } else { first };
    let errors = errors(workload.measure, &end, &problem.reference_at(workload.t_end));
    let energy = problem.energy.as_ref().map(|energy| {
        let [before, after] = [&*start, &end].map(|s: &State| energy(s.t, &s.q, &s.v));
        (after - before).abs() / (1.0 + before.abs())
    });
    Ok(Cost { seconds, setup, stats, errors, energy, memory, parts: workload.parts })
}

fn errors(measure: Measure, end: &State, exact: &State) -> [f64; 2] {
    let largest = |x: &[f64], y: &[f64], counts: &dyn Fn(usize) -> bool| {
        let pairs = x.iter().zip(y).enumerate().filter(|(i, _)| counts(*i));
        pairs.fold(0.0_f64, |most, (_, (x, y))| {
            let relative = matches!(measure, Measure::Relative | Measure::Angles);
            let error = (x - y).abs() / if relative { y.abs() } else { 1.0 };
            if error.is_nan() { error } else { most.max(error) }
        })
    };
    if measure == Measure::Angles {
        let [[q, exact_q], [v, exact_v]] =
            [[&end.q, &exact.q], [&end.v, &exact.v]].map(|pair| pair.map(|x| mechanisms::angles(x)));
        return [largest(&q, &exact_q, &|_| true), largest(&v, &exact_v, &|_| true)];
    }
    let place = |i: usize| match measure {
        Measure::Places => i % 3 != 2,
        Measure::Centres => i % 7 < 3,
        _ => true,
    };
    [largest(&end.q, &exact.q, &place), largest(&end.v, &exact.v, &|_| true)]
}

/// Names of the columns.
pub fn heading() -> String {
    let names = ["CPU ms", "set-up ms", "us/step", "steps", "rejected", "forces", "Jacobians", "factored", "solved"];
    let rest = ["error q", "error v", "energy", "|g|", "|G v|", "peak MB", "B/part"];
    let mut line = format!("{:<14} {:<8} {:>6}", "workload", "method", "tol");
    names.iter().for_each(|name| line += &format!(" {name:>9}"));
    rest.iter().for_each(|name| line += &format!(" {name:>8}"));
    line
}

impl Row {
    /// A line of the table.
    pub fn line(&self) -> String {
        let mut line = format!("{:<14} {:<8} {:>6.0e}", self.workload, self.method, self.tolerance);
        let Cost { seconds, setup, stats, errors, energy, memory, parts } = match &self.outcome {
            Ok(cost) => cost,
            Err(message) => return line + " failed: " + message.lines().next().unwrap_or_default(),
        };
        let Stats { steps, rejected, failed, linearizations, factorisations, solves, evaluations, residuals, .. } =
            stats;
        let step = (seconds - setup) * 1e6 / (*steps as f64 - 1.0);
        let _ = write!(line, " {:>9.2} {:>9.2} {step:>9.2}", seconds * 1e3, setup * 1e3);
        let _ = write!(line, " {steps:>9} {:>9}", rejected + failed);
        let _ = write!(line, " {:>9} {linearizations:>9}", evaluations.of(Quantity::Force));
        let _ = write!(line, " {factorisations:>9} {solves:>9} {:>8.1e} {:>8.1e}", errors[0], errors[1]);
        let _ = write!(line, " {:>8}", energy.map_or_else(String::new, |e| format!("{e:.1e}")));
        let _ = write!(line, " {:>8.1e} {:>8.1e}", residuals.position, residuals.velocity);
        if let Some(Memory { before, peak }) = memory {
            let _ = write!(line, " {:>8.1} {:>8.0}", peak / 1024.0, 1024.0 * (peak - before) / *parts as f64);
        }
        line
    }

    /// A JSON object.
    pub fn json(&self) -> String {
        let Row { workload, method, tolerance, outcome } = self;
        let head = format!(r#"{{"workload":"{workload}","method":"{method}","tolerance":{tolerance:e}"#);
        let Cost { seconds, setup, stats, errors, energy, memory, parts } = match outcome {
            Ok(cost) => cost,
            Err(message) => return format!(r#"{head},"failure":{message:?}}}"#),
        };
        let Stats { steps, rejected, failed, iterations, linearizations, factorisations, solves, .. } = stats;
        let mut line = format!(
            r#"{head},"cpu":{seconds:e},"setup":{setup:e},"steps":{steps},"rejected":{rejected},"failed":{failed}"#
        );
        let _ = write!(line, r#","iterations":{iterations},"linearizations":{linearizations}"#);
        let _ = write!(line, r#","factorisations":{factorisations},"solves":{solves}"#);
        let _ = write!(line, r#","error_q":{:e},"error_v":{:e}"#, errors[0], errors[1]);
        if let Some(energy) = energy {
            let _ = write!(line, r#","energy":{energy:e}"#);
        }
        let _ = write!(line, r#","position":{:e},"velocity":{:e}"#, stats.residuals.position, stats.residuals.velocity);
        if let Some(Memory { before, peak }) = memory {
            let _ = write!(line, r#","parts":{parts},"base_kb":{before},"peak_kb":{peak}"#);
        }
        let counts: Vec<String> = stats.evaluations.iter().map(|(name, n)| format!(r#""{name}":{n}"#)).collect();
        let _ = write!(line, r#","evaluations":{{{}}}}}"#, counts.join(","));
        line
    }
}
