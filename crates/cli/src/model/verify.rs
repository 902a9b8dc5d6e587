//! `alembert verify`: runs a model again and again with finer steps and says how far its result can be trusted.
//!
//! With fixed steps the ladder is h, h/2, h/4, h/8 and the order p of each quantity is that of the last two errors,
//! error ~ h^p. With tolerances it is tol, tol/10, tol/100, tol/1000. Errors are the largest at the times of the result's
//! rows, against the first of these that there is:
//!
//! - the exact solution, where the file knows it;
//! - a run of Radau IIA with seven stages at the tolerance [`FINEST`];
//! - the next finer run of the ladder.
//!
//! Where rows limit the steps, tolerances alone would repeat one run: the k-th run of a ladder of tolerances, and the
//! reference as a fifth, also stop at each k-th part of the way from row to row.
//!
//! The ladder also gives error bars of its own, which need no reference: the difference to its finest run, plus the
//! last change, which is more than the finest run's error where errors fall to a half or less with each rung.

use std::collections::BTreeMap;
use std::io::{self, Write};

use alembert::State;
use alembert_model::Model;
use alembert_model::run::{Method, Run, Steps};
use clap::Args;
use serde_json::{Value, json};

use super::simulate::{End, simulate};
use super::{Integration, Source, progress};
use crate::failure::{Failure, Status};
use crate::words::say;

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

/// Errors of q, v, a, lambda, psi, each the largest entry; none where there is no such quantity.
type Errors = [Option<f64>; 5];

/// States by the number of their row, the last one under [`LAST`].
type Rows = BTreeMap<u64, State>;
const LAST: u64 = u64::MAX;

/// A run of the ladder.
struct Rung {
    steps: Steps,
    count: u64,
    rows: Rows,
    errors: Errors,
}

/// What was found.
struct Certificate {
    rungs: Vec<Rung>,
    /// What errors are measured against.
    origin: String,
    orders: Errors,
    /// Errors of the result itself, the first rung: against the reference, and as the ladder alone sees them.
    bars: Errors,
    own_bars: Errors,
    doubts: Vec<String>,
}

/// Runs the ladder.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let model = arguments.source.load()?;
    let run = arguments.integration.apply(&model.run)?;
    progress::listen();
    let found = certify(&model, &run)?;
    let mut stdout = io::stdout().lock();
    if arguments.json {
        writeln!(stdout, "{:#}", json(&model, &run, &found))?;
    } else {
        write!(stdout, "{}", words(&model, &run, &found))?;
    }
    Ok(if found.doubts.is_empty() { Status::Agrees } else { Status::Disagrees })
}

fn certify(model: &Model, run: &Run) -> Result<Certificate, Failure> {
    let mut rungs = Vec::new();
    for k in 0..RUNGS {
        let steps = finer(&run.steps, k);
        say!("running with {steps} ({} of {RUNGS})", k + 1);
        let (rows, count) = rows(model, &Run { steps: steps.clone(), ..run.clone() }, every(run), k + 1)?;
        rungs.push(Rung { steps, count, rows, errors: [None; 5] });
    }
    let changes: Vec<Errors> = rungs.windows(2).map(|pair| difference(&pair[0].rows, &pair[1].rows)).collect();
    let (origin, reference) = reference(model, run)?;
    for (k, rung) in rungs.iter_mut().enumerate() {
        rung.errors = match &reference {
            Some(Truth::Exact) => errors(&rung.rows, |_, t| model.exact(t)),
            Some(Truth::Run(rows)) => difference(&rung.rows, rows),
            None => changes.get(k).copied().unwrap_or_default(),
        };
    }
    let size = size(rungs.iter().flat_map(|rung| rung.rows.values()));
    let (Some(first), Some(last), Some(change)) = (rungs.first(), rungs.last(), changes.last()) else {
        return Err(Failure::work("the ladder has no rungs".to_owned()));
    };
    let whole = difference(&first.rows, &last.rows);
    let own_bars = std::array::from_fn(|i| Some(whole[i]? + change[i]?));
    let bars = first.errors;
    let (orders, doubts) = (orders(&rungs, &size), doubts(&rungs, &size));
    Ok(Certificate { rungs, origin, orders, bars, own_bars, doubts })
}

/// The distance of the rows at which runs are compared: those of the result. Where steps are free and the file asks for no
/// rows, only the end is common to all runs.
fn every(run: &Run) -> f64 {
    match &run.steps {
        Steps::Fixed { h, pattern } => run.output_every.unwrap_or(h * pattern.iter().sum::<f64>()),
        Steps::ByError { .. } => run.output_every.unwrap_or(run.t_end - run.t_start),
    }
}

/// The run's rows and number of steps. Steps that are free end at each `parts`-th part of the way from row to row.
fn rows(model: &Model, run: &Run, every: f64, parts: i32) -> Result<(Rows, u64), Failure> {
    let parts = if matches!(run.steps, Steps::ByError { .. }) { f64::from(parts) } else { 1.0 };
    let run = Run { output_every: Some(every / parts), ..run.clone() };
    let trajectory = simulate(model, &run, true)?;
    match trajectory.end {
        End::Failed(message) => return Err(Failure::work(format!("the run with {} failed: {message}", run.steps))),
        End::Interrupted => return Err(Failure::interrupted()),
        End::Reached | End::Event(_) => {}
    }
    let mut rows = Rows::new();
    if let Some(last) = trajectory.states.last() {
        rows.insert(LAST, last.clone());
    }
    for state in trajectory.states {
        let number = (state.t - run.t_start) / every;
        // Rows at events are no rows of the other runs.
        if (number - number.round()).abs() < 1e-6 {
            rows.entry(number.round() as u64).or_insert(state);
        }
    }
    Ok((rows, trajectory.summary.stats.steps))
}

/// What errors are measured against.
enum Truth {
    Exact,
    Run(Rows),
}

/// Where the reference comes from, and the reference.
fn reference(model: &Model, run: &Run) -> Result<(String, Option<Truth>), Failure> {
    if model.exact(run.t_end).is_some() {
        return Ok(("the exact solution".to_owned(), Some(Truth::Exact)));
    }
    say!("running the reference");
    let steps = Steps::ByError { rtol: FINEST, atol: FINEST };
    let method = Method::Radau { stages: Some(7), projection: true };
    match rows(model, &Run { steps, method, ..run.clone() }, every(run), RUNGS + 1) {
        Ok((rows, _)) => Ok(("a run of Radau IIA with 7 stages at tolerance 1e-13".to_owned(), Some(Truth::Run(rows)))),
        Err(failure) if failure.status == Status::Interrupted => Err(failure),
        Err(failure) => {
            let reason = failure.message.lines().next().unwrap_or_default().to_owned();
            Ok((format!("the next finer run each, as there is no reference ({reason})"), None))
        }
    }
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

/// The largest errors of all rows that the truth knows, too.
fn errors(rows: &Rows, truth: impl Fn(u64, f64) -> Option<State>) -> Errors {
    let mut found: Errors = [None; 5];
    for (number, state) in rows {
        let Some(truth) = truth(*number, state.t) else { continue };
        let pairs = parts(state).into_iter().zip(parts(&truth));
        for (largest, (mine, theirs)) in found.iter_mut().zip(pairs) {
            // An exact solution may not know everything.
            let known = mine.iter().zip(theirs).filter(|(_, y)| !y.is_nan());
            *largest = known.map(|(x, y)| (x - y).abs()).chain(*largest).reduce(f64::max);
        }
    }
    found
}

fn difference(rows: &Rows, others: &Rows) -> Errors {
    errors(rows, |number, _| others.get(&number).cloned())
}

/// The largest entry of each quantity, 1 at least.
fn size<'a>(states: impl Iterator<Item = &'a State>) -> [f64; 5] {
    states.fold([1.0; 5], |size, state| {
        let parts = parts(state);
        std::array::from_fn(|i| parts[i].iter().filter(|x| x.is_finite()).fold(size[i], |max, x| max.max(x.abs())))
    })
}

/// The rungs that have errors of a quantity.
fn known(rungs: &[Rung], i: usize) -> Vec<(&Steps, f64)> {
    rungs.iter().filter_map(|rung| Some((&rung.steps, rung.errors[i]?))).collect()
}

/// Observed orders of the last two rungs with fixed steps, where errors are above rounding.
fn orders(rungs: &[Rung], size: &[f64; 5]) -> Errors {
    std::array::from_fn(|i| match known(rungs, i)[..] {
        [.., (_, coarse), (Steps::Fixed { .. }, fine)] if fine > ROUNDING * size[i] => Some((coarse / fine).log2()),
        _ => None,
    })
}

/// Reasons not to trust the result: errors that do not shrink from the first rung to the last.
fn doubts(rungs: &[Rung], size: &[f64; 5]) -> Vec<String> {
    let mut found = Vec::new();
    for (i, name) in QUANTITIES.iter().enumerate() {
        let [(steps, coarse), .., (_, fine)] = known(rungs, i)[..] else { continue };
        // Errors below the tolerance that was asked for are good enough, and may be so by luck on the first rung.
        let wanted = match steps {
            Steps::ByError { rtol, .. } => rtol.max(ROUNDING),
            Steps::Fixed { .. } => ROUNDING,
        };
        // Order 1 gains a factor of 8 over the ladder; half of that is left for luck.
        if fine > wanted * size[i] && fine > 0.25 * coarse {
            found.push(format!("the error of {name} does not shrink: {coarse:.1e}, then {fine:.1e}"));
        }
    }
    found
}

fn words(model: &Model, run: &Run, found: &Certificate) -> String {
    let Certificate { rungs, origin, orders, bars, own_bars, doubts } = found;
    let mut text = format!(
        "{}, {} to t = {}\nlargest errors at the times of its rows, against {origin}\n\n",
        model.name,
        run.method.name(),
        run.t_end
    );
    let present: Vec<usize> = (0..5).filter(|&i| own_bars[i].is_some()).collect();
    let line = |heading: &str, count: &str, values: &Errors, missing: &str, shown: fn(f64) -> String| {
        let cells = present.iter().map(|&i| values[i].map_or_else(|| missing.to_owned(), shown));
        let cells: String = cells.map(|cell| format!("  {cell:>10}")).collect();
        format!("  {heading:34}  {count:>8}{cells}\n")
    };
    text += &format!("  {:34}  {:>8}", "steps", "count");
    text += &present.iter().map(|&i| format!("  {:>10}", QUANTITIES[i])).collect::<String>();
    text += "\n";
    for rung in rungs {
        let count = rung.count.to_string();
        text += &line(&rung.steps.to_string(), &count, &rung.errors, "", |error| format!("{error:.2e}"));
    }
    if orders.iter().any(Option::is_some) {
        text += &line("observed order", "", orders, "rounding", |order| format!("{order:.2}"));
    }
    if !doubts.is_empty() {
        return text + &format!("\ndo not trust this result: {}\n", doubts.join("; "));
    }
    let told = |bars: &Errors| -> String {
        let told = present.iter().filter_map(|&i| Some(format!("{} ± {:.1e}", QUANTITIES[i], bars[i]?)));
        told.collect::<Vec<_>>().join(", ")
    };
    text + &format!(
        "\nconverges; error bars of the result: {}\nfrom the ladder alone: {}\n",
        told(bars),
        told(own_bars)
    )
}

fn json(model: &Model, run: &Run, found: &Certificate) -> Value {
    let named = |values: &Errors| -> Value {
        let members = QUANTITIES.iter().zip(values);
        members.map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<serde_json::Map<_, _>>().into()
    };
    json!({
        "model": model.name,
        "method": run.method.name(),
        "t_end": run.t_end,
        "reference": found.origin,
        "ladder": found.rungs.iter().map(|rung| json!({
            "steps_chosen": rung.steps.to_string(), "steps": rung.count, "error": named(&rung.errors),
        })).collect::<Vec<_>>(),
        "observed_order": named(&found.orders),
        "error_bars": named(&found.bars),
        "error_bars_of_the_ladder": named(&found.own_bars),
        "trusted": found.doubts.is_empty(),
        "doubts": found.doubts,
    })
}
