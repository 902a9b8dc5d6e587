//! Runs a model again and again with finer steps and says how far its result can be trusted.
//!
//! 1. A `ladder` of runs around the one that is judged, each exactly what `alembert run` makes of its name.
//! 2. A look at the forces between the steps, for `spikes` that no run has seen.
//! 3. A `reference` with a second one that says how good it is; and the exact solution, where the file knows it.
//! 4. The `verdict`: error bars, and reasons not to trust them.
//!
//! Errors are the largest ones at the times of the result's rows or, where each run has its own rows, at the times of those.

mod contact;
mod exact;
mod ladder;
mod reference;
mod spikes;
mod torn;
mod track;
mod verdict;
mod words;

use alembert_model::Model;
use alembert_model::run::{Run, Steps};

use crate::failure::Failure;
use crate::onlooker::Onlooker;
use ladder::Ladder;
use reference::Reference;
use track::{Errors, Pair, larger, thinned};
use verdict::Measure;

/// Rows at which runs are compared: of the result, or of each run where each has its own.
const COMMON_ROWS: usize = 1000;
const OWN_ROWS: usize = 250;

/// The windows in which references land on further times, and how many times in each.
const MOST_WINDOWS: usize = 100;
const IN_A_WINDOW: usize = 16;

/// What was found.
pub struct Certificate {
    ladder: Ladder,
    measure: Measure,
    /// What errors are measured against.
    origin: String,
    /// What says how good that is, and the difference.
    second: Option<String>,
    uncertainty: Errors,
    orders: Errors,
    /// Of the run that is judged: against the truth, and as the ladder alone sees them.
    bars: Errors,
    own_bars: Errors,
    /// How well the instants of events are known.
    instants: Option<f64>,
    /// Until when the result can be trusted, if not to the end.
    until: Option<f64>,
    doubts: Vec<String>,
    /// How many of the doubts are about errors that are too large.
    excesses: usize,
    notes: Vec<String>,
}

impl Certificate {
    /// Whether the errors of a quantity are small enough, and nothing else is in doubt.
    fn is_certified(&self, i: usize) -> bool {
        let small = self.bars[i].is_some_and(|bar| bar <= self.measure.certified()[i]);
        small && self.doubts.len() == self.excesses
    }

    /// Whether nothing is in doubt.
    pub fn is_trusted(&self) -> bool {
        self.doubts.is_empty()
    }

    /// What a person reads.
    pub fn words(&self, model: &Model, run: &Run) -> String {
        words::words(model, run, self)
    }

    /// What a machine reads.
    pub fn json(&self, model: &Model, run: &Run) -> serde_json::Value {
        words::json(model, run, self)
    }

    /// Whether only what follows from q and v is not certified.
    fn is_derived(&self) -> bool {
        !self.doubts.is_empty() && self.is_certified(0) && self.is_certified(1)
    }
}

/// When runs are compared: the times of each rung.
struct Times {
    of_rungs: Vec<Vec<f64>>,
    /// All of them, in order.
    all: Vec<f64>,
    /// Those that all rungs know.
    common: Vec<f64>,
}

impl Times {
    fn new(ladder: &Ladder, run: &Run) -> Times {
        let rows = |k: usize| -> Vec<f64> {
            let mut times: Vec<f64> = ladder.rungs[k].track.states.iter().map(|state| state.t).collect();
            times.dedup();
            times
        };
        let is_common = run.output_every.is_some() || matches!(run.steps, Steps::Fixed { .. });
        let of_rungs: Vec<Vec<f64>> = if is_common {
            vec![thinned(&rows(ladder.result), COMMON_ROWS); ladder.rungs.len()]
        } else {
            (0..ladder.rungs.len()).map(|k| thinned(&rows(k), OWN_ROWS)).collect()
        };
        let mut all = if is_common { of_rungs[0].clone() } else { of_rungs.concat() };
        all.sort_by(f64::total_cmp);
        all.dedup();
        let common = if is_common { all.clone() } else { vec![run.t_end] };
        Times { of_rungs, all, common }
    }
}

/// Runs the ladder and its references.
///
/// # Errors
/// If the run that is judged fails, or the onlooker wants to stop.
pub fn certify(model: &Model, run: &Run, onlooker: &dyn Onlooker) -> Result<Certificate, Failure> {
    let mut ladder = ladder::climb(model, run, onlooker)?;
    let measure = Measure::new(&ladder);
    let times = Times::new(&ladder, run);
    let mut notes = std::mem::take(&mut ladder.notes);
    let small = 0.1 * measure.tolerance.map_or(1e-8 * (1.0 + measure.size[1]), |tolerance| tolerance[1]);
    let mut spikes = spikes::spikes(model, &ladder.judged().track.states, &ladder.steps, small);
    spikes.extend(sharp_times(model, run));
    spikes.sort_by(f64::total_cmp);
    spikes.dedup();
    let reference = match reference::reference(model, run, &times.all, &spikes, onlooker)? {
        Ok(reference) => Some(reference),
        Err(reason) => {
            notes.push(format!("there is no reference ({reason})"));
            None
        }
    };
    let span = run.t_end - run.t_start;
    let mut doubts = Vec::new();
    let strangers = match &reference {
        Some(reference) => exact::strangers(model, reference, &times.all),
        None => Vec::new(),
    };
    if !strangers.is_empty() {
        doubts.push(format!(
            "the runs converge, but not to [exact]: check its formulas for {} (errors are against the reference instead)",
            strangers.join(", ")
        ));
    }
    let by_formula = model.exact(run.t_end).is_some() && strangers.is_empty();
    let changes = changes(model, &ladder, &times, span);
    for (k, rung) in ladder.rungs.iter_mut().enumerate() {
        let times = &times.of_rungs[k];
        rung.errors = match &reference {
            _ if by_formula => exact::errors(model, &rung.track, times, span),
            Some(reference) => {
                Pair { run: &rung.track, truth: &reference.track, span, model: Some(model) }.errors(times)
            }
            None => changes.get(k).copied().unwrap_or_default(),
        };
    }
    let own_bars = own_bars(model, &ladder, &times, span);
    let (origin, second, uncertainty) = origin(&ladder, reference.as_ref(), by_formula);
    let errors = ladder.judged().errors;
    let bars = if by_formula || reference.is_some() {
        let least = reference.as_ref().filter(|_| !by_formula).map_or(1e-15, |reference| 10.0 * reference.tolerance);
        verdict::bars(&errors, &uncertainty, &measure.size, least)
    } else {
        larger(own_bars, errors)
    };
    let floor = verdict::floor(&ladder, &measure, &uncertainty);
    let excesses = verdict::excesses(&bars, &uncertainty, &measure);
    let excessive = excesses.len();
    let is_excessive = excessive > 0;
    doubts.extend(excesses);
    doubts.extend(verdict::irregularities(&ladder, &measure, &floor));
    if ladder.is_flat() {
        let why = if run.output_every.is_some() { ", which the rows ask for" } else { "" };
        notes.push(format!("all runs take the same steps{why}: the ladder says little, the reference does"));
        if reference.is_none() && !by_formula {
            doubts.push("all runs take the same steps, and nothing else tells their error".to_owned());
        }
    }
    let tol = match run.steps {
        Steps::ByError { rtol, .. } => rtol,
        Steps::Fixed { .. } => 1e-6,
    };
    doubts.extend(contact::contradictions(model, &ladder.judged().track.states, &ladder.occurrences, tol));
    let mut instants = None;
    if let Some(reference) = &reference {
        match (
            Pair { run: &ladder.judged().track, truth: &reference.track, span, model: Some(model) }.instants(),
            &reference.instants,
        ) {
            (Err(words), _) => doubts.push(words),
            (_, Err(_)) => doubts.push("the two references do not meet the same events".to_owned()),
            (Ok(run), Ok(both)) => instants = run.map(|run| 1.1 * run + 2.0 * both.unwrap_or(0.0)),
        }
    }
    let until = match &reference {
        Some(reference) if is_excessive => until(model, &ladder, reference, &measure, &times, run),
        _ => None,
    };
    if is_excessive && !spikes.is_empty() {
        notes.push(pulses(&spikes, &ladder.steps));
    }
    let finest = ladder.rungs.last().map(|rung| &rung.track);
    let truth = reference.as_ref().map(|reference| &reference.track).or(finest);
    let torn = truth.map_or(0, |truth| {
        Pair { run: &ladder.judged().track, truth, span, model: Some(model) }.torn(&times.of_rungs[ladder.result])
    });
    if torn > 0 {
        let rows = if torn == 1 { "row" } else { "rows" };
        notes.push(format!("a force jumps at {torn} {rows}: accelerations and multipliers are not compared there"));
    }
    let orders = verdict::orders(&ladder, &floor);
    Ok(Certificate {
        ladder,
        measure,
        origin,
        second,
        uncertainty,
        orders,
        bars,
        own_bars,
        instants,
        until,
        doubts,
        excesses: excessive,
        notes,
    })
}

/// Times in what is known to be sharp before any run.
fn sharp_times(model: &Model, run: &Run) -> Vec<f64> {
    let sharp = model.sharpness(run.t_start, run.t_end);
    let mut times: Vec<f64> = sharp.kinks.iter().flat_map(|(before, after)| [*before, *after]).collect();
    for window in sharp.windows.iter().take(MOST_WINDOWS) {
        let share = |k: usize| window.from + (window.to - window.from) * k as f64 / IN_A_WINDOW as f64;
        times.extend((0..=IN_A_WINDOW).map(share));
    }
    times
}

/// Where forces change within the steps.
fn pulses(spikes: &[f64], steps: &[(f64, f64)]) -> String {
    let at = spikes[0];
    let step = steps.iter().find(|(end, _)| *end >= at).map_or(f64::NAN, |step| step.1);
    format!("forces change within the steps: near t = {at:.6}, in a step of {step:.1e}, which may pass over it")
}

/// The differences of neighbouring rungs.
fn changes(model: &Model, ladder: &Ladder, times: &Times, span: f64) -> Vec<Errors> {
    let pairs = ladder.rungs.windows(2);
    pairs
        .map(|pair| Pair { run: &pair[0].track, truth: &pair[1].track, span, model: Some(model) }.errors(&times.common))
        .collect()
}

/// What the ladder alone says of the run: its difference from the finest run, plus the last change, which is larger than the error
/// of the finest run if errors are at least halved with each rung.
fn own_bars(model: &Model, ladder: &Ladder, times: &Times, span: f64) -> Errors {
    let (Some(finest), Some(change)) = (ladder.rungs.last(), changes(model, ladder, times, span).pop()) else {
        return [None; 5];
    };
    let whole =
        Pair { run: &ladder.judged().track, truth: &finest.track, span, model: Some(model) }.errors(&times.common);
    std::array::from_fn(|i| Some(whole[i]? + change[i]?))
}

/// What errors are measured against, what says how good that is, and how good.
fn origin(ladder: &Ladder, reference: Option<&Reference>, by_formula: bool) -> (String, Option<String>, Errors) {
    match reference {
        _ if by_formula => ("the exact solution".to_owned(), None, [None; 5]),
        Some(reference) => {
            let second = reference.second.clone();
            // Without a second reference the finest run is all there is to compare with.
            let finest = ladder.rungs.last().map_or([None; 5], |rung| rung.errors);
            let uncertainty = if second.is_some() { reference.uncertainty } else { finest };
            (reference.name.clone(), Some(second.unwrap_or_else(|| "the finest run".to_owned())), uncertainty)
        }
        None => ("the next finer run each".to_owned(), None, [None; 5]),
    }
}

/// Until when errors are small enough to be certified, and the references agree.
fn until(
    model: &Model,
    ladder: &Ladder,
    reference: &Reference,
    measure: &Measure,
    times: &Times,
    run: &Run,
) -> Option<f64> {
    let certified = measure.certified();
    let span = run.t_end - run.t_start;
    let pair = Pair { run: &ladder.judged().track, truth: &reference.track, span, model: Some(model) };
    let agreed = reference.agrees_until(&certified.map(|error| 0.25 * error), run.t_end);
    let mut until = None;
    for (t, errors) in pair.along(&times.of_rungs[ladder.result]) {
        let small = errors.iter().zip(certified).all(|(error, most)| error.is_none_or(|error| error <= 0.5 * most));
        if !small || t > agreed {
            break;
        }
        until = Some(t);
    }
    until.filter(|t| *t > run.t_start + 0.01 * span)
}
