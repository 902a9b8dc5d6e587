//! `alembert verify`: runs a model again and again with finer steps and says how far its result can be trusted.
//!
//! Errors at the end time are those against the exact solution where the file knows it, else against a run of Radau IIA
//! with seven stages at the tolerance [`FINEST`]. With fixed steps the ladder is h, h/2, h/4, h/8 and the order p of each
//! quantity is that of the last two rungs, error ~ h^p. With tolerances it is tol, tol/10, tol/100, tol/1000.

use std::io::{self, Write};

use alembert::State;
use alembert_model::Model;
use alembert_model::run::{Method, Run, Steps};
use clap::Args;
use serde_json::{Value, json};

use super::simulate::{End, simulate};
use super::{Integration, Source, progress};
use crate::failure::{Failure, Status};

/// Tolerance of the run that errors are measured against.
const FINEST: f64 = 1e-13;
/// Rungs of the ladder.
const RUNGS: i32 = 4;
/// Errors below this share of a quantity's size are rounding: they need not shrink further.
const ROUNDING: f64 = 1e-10;

/// Options of `alembert verify`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub integration: Integration,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

const QUANTITIES: [&str; 5] = ["q", "v", "a", "lambda", "psi"];

fn parts(state: &State) -> [&[f64]; 5] {
    [&state.q, &state.v, &state.a, &state.lambda, &state.psi]
}

/// A run of the ladder.
struct Rung {
    steps: Steps,
    count: u64,
    /// Errors of q, v, a, lambda, psi, each the largest entry; none where there is no such quantity.
    errors: [Option<f64>; 5],
}

/// Runs the ladder.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let model = arguments.source.load()?;
    let run = arguments.integration.apply(&model.run)?;
    progress::listen();
    let (reference, origin) = reference(&model, &run)?;
    let mut rungs = Vec::new();
    for k in 0..RUNGS {
        let steps = finer(&run.steps, k);
        eprintln!("running with {steps} ({} of {RUNGS})", k + 1);
        let (state, count) = end_state(&model, &Run { steps: steps.clone(), ..run.clone() })?;
        rungs.push(Rung { steps, count, errors: errors(&state, &reference) });
    }
    let size =
        parts(&reference).map(|part| part.iter().filter(|x| x.is_finite()).fold(1.0_f64, |max, x| max.max(x.abs())));
    let doubts = doubts(&rungs, &size);
    let orders = orders(&rungs, &size);
    let mut stdout = io::stdout().lock();
    if arguments.json {
        writeln!(stdout, "{:#}", json(&model, &run, &rungs, &orders, origin, &doubts))?;
    } else {
        write!(stdout, "{}", words(&model, &run, &rungs, &orders, origin, &doubts))?;
    }
    Ok(if doubts.is_empty() { Status::Agrees } else { Status::Disagrees })
}

/// The run's last state and number of steps.
fn end_state(model: &Model, run: &Run) -> Result<(State, u64), Failure> {
    let run = Run { output_every: Some(run.t_end - run.t_start), ..run.clone() };
    let trajectory = simulate(model, &run, false)?;
    match (trajectory.end, trajectory.states.into_iter().next_back()) {
        (End::Reached | End::Event(_), Some(state)) => Ok((state, trajectory.summary.stats.steps)),
        (End::Failed(message), _) => Err(Failure::work(format!("the run with {} failed: {message}", run.steps))),
        _ => Err(Failure::interrupted()),
    }
}

/// What errors are measured against, and where it comes from.
fn reference(model: &Model, run: &Run) -> Result<(State, &'static str), Failure> {
    if let Some(exact) = model.exact(run.t_end) {
        return Ok((exact, "the exact solution"));
    }
    eprintln!("running the reference");
    let steps = Steps::ByError { rtol: FINEST, atol: FINEST };
    let method = Method::Radau { stages: Some(7), projection: true };
    let (state, _) = end_state(model, &Run { steps, method, ..run.clone() })?;
    Ok((state, "Radau IIA with 7 stages at tolerance 1e-13"))
}

fn finer(steps: &Steps, k: i32) -> Steps {
    match steps {
        Steps::Fixed { h, pattern } => Steps::Fixed { h: h * 0.5_f64.powi(k), pattern: pattern.clone() },
        Steps::ByError { rtol, atol } => {
            // Round numbers stay round.
            let tenth = |x: &f64| format!("{:.6e}", x / 10_f64.powi(k)).parse().unwrap_or(*x);
            Steps::ByError { rtol: tenth(rtol), atol: tenth(atol) }
        }
    }
}

fn errors(state: &State, reference: &State) -> [Option<f64>; 5] {
    let (mine, theirs) = (parts(state), parts(reference));
    std::array::from_fn(|i| {
        // An exact solution may not know everything.
        let known = mine[i].iter().zip(theirs[i]).filter(|(_, y)| !y.is_nan());
        known.map(|(x, y)| (x - y).abs()).reduce(f64::max)
    })
}

/// Observed orders of the last two rungs with fixed steps, where errors are above rounding.
fn orders(rungs: &[Rung], size: &[f64; 5]) -> [Option<f64>; 5] {
    std::array::from_fn(|i| {
        let [.., coarse, fine] = rungs else { return None };
        if !matches!(fine.steps, Steps::Fixed { .. }) {
            return None;
        }
        let (coarse, fine) = (coarse.errors[i]?, fine.errors[i]?);
        (fine > ROUNDING * size[i]).then(|| (coarse / fine).log2())
    })
}

/// Reasons not to trust the result: errors that do not shrink from the first rung to the last.
fn doubts(rungs: &[Rung], size: &[f64; 5]) -> Vec<String> {
    let (Some(first), Some(last)) = (rungs.first(), rungs.last()) else { return Vec::new() };
    let mut found = Vec::new();
    for (i, name) in QUANTITIES.iter().enumerate() {
        let (Some(coarse), Some(fine)) = (first.errors[i], last.errors[i]) else { continue };
        // Order 1 gains a factor of 8 over the ladder; half of that is left for luck.
        if fine > ROUNDING * size[i] && fine > 0.25 * coarse {
            found.push(format!("the error of {name} does not shrink: {coarse:.1e}, then {fine:.1e}"));
        }
    }
    found
}

fn words(
    model: &Model,
    run: &Run,
    rungs: &[Rung],
    orders: &[Option<f64>; 5],
    origin: &str,
    doubts: &[String],
) -> String {
    let mut text = format!(
        "{}, {} to t = {}\nlargest errors at the end, against {origin}\n\n",
        model.name,
        run.method.name(),
        run.t_end
    );
    let present: Vec<usize> = (0..5).filter(|&i| rungs.iter().any(|rung| rung.errors[i].is_some())).collect();
    text += &format!("  {:34}  {:>8}", "steps", "count");
    for &i in &present {
        text += &format!("  {:>10}", QUANTITIES[i]);
    }
    for rung in rungs {
        text += &format!("\n  {:34}  {:>8}", rung.steps.to_string(), rung.count);
        for &i in &present {
            text += &rung.errors[i].map_or_else(|| format!("  {:>10}", ""), |error| format!("  {error:>10.2e}"));
        }
    }
    if orders.iter().any(Option::is_some) {
        text += &format!("\n  {:34}  {:>8}", "observed order", "");
        for &i in &present {
            text += &orders[i].map_or_else(|| format!("  {:>10}", "rounding"), |order| format!("  {order:>10.2}"));
        }
    }
    text += "\n\n";
    if doubts.is_empty() {
        let bars: Vec<String> = present
            .iter()
            .filter_map(|&i| Some(format!("{} ± {:.1e}", QUANTITIES[i], rungs.first()?.errors[i]?)))
            .collect();
        return text + &format!("converges; error bars of the result at the end: {}\n", bars.join(", "));
    }
    text + &format!("do not trust this result: {}\n", doubts.join("; "))
}

fn json(model: &Model, run: &Run, rungs: &[Rung], orders: &[Option<f64>; 5], origin: &str, doubts: &[String]) -> Value {
    let named = |values: &[Option<f64>; 5]| -> Value {
        QUANTITIES
            .iter()
            .zip(values)
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    json!({
        "model": model.name,
        "method": run.method.name(),
        "t_end": run.t_end,
        "reference": origin,
        "ladder": rungs.iter().map(|rung| json!({
            "steps_chosen": rung.steps.to_string(), "steps": rung.count, "error": named(&rung.errors),
        })).collect::<Vec<_>>(),
        "observed_order": named(orders),
        "trusted": doubts.is_empty(),
        "doubts": doubts,
    })
}
