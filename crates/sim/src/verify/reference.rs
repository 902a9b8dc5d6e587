//! What errors are measured against where no exact solution is known: a run of Radau IIA with seven stages at the tolerance
//! 1e-13, and a second reference that says how good the first is.
//!
//! The second is Gragg-Bulirsch-Stoer extrapolation of the index-1 form (see `alembert_problems::reference`), which shares
//! no step, stage, projection or error estimate with the runs. It is explicit and knows no events: for stiff systems and
//! those with events it is Radau IIA with five stages at 1e-12 instead, on another grid.
//!
//! Both land on the times at which runs are compared, and on further times between them that are no rows: no two runs see
//! the forces at the same times. Where the first has met a switch of formulas the extrapolation lands as well: it holds no branches, so
//! that a kink elsewhere would still be seen, but it could step over a pulse.

use std::ops::ControlFlow;

use alembert::integrator::SAME_TIME as SAME;
use alembert::{Accepted, Action, Advised, ConsistentState, ConstrainedSystem, Limits, Outcome, State};
use alembert_model::Model;
use alembert_model::run::{MethodChoice, Run, Steps};
use alembert_problems::Start;
use alembert_problems::reference::{Settings, integrate_through};

use super::track::{Errors, Pair, Track, larger, thinned};
use crate::failure::Failure;
use crate::onlooker::Onlooker;
use crate::simulate::{End, prepare, start};

/// Tolerances of the first reference; the first that works is taken.
const TOLERANCES: [f64; 3] = [1e-13, 1e-12, 1e-11];
/// After this many attempted steps a reference is given up.
const MOST_ATTEMPTS: u64 = 400_000;
/// Times at which the two references are compared.
const COMPARED: usize = 40;
/// It lands on so many switches at most.
const MOST_TURNS: usize = 1000;
/// Evaluations of the extrapolation, divided by the unknowns of a solve.
const MOST_EVALUATIONS: u64 = 4_000_000;
/// Up to this many unknowns it is tried: its matrices are dense, and factored anew in each evaluation.
const LARGEST: usize = 60;

/// A reference with its uncertainty.
pub struct Reference {
    pub track: Track,
    /// What it is.
    pub name: String,
    pub tolerance: f64,
    /// The difference to the second reference, and what that is.
    pub uncertainty: Errors,
    pub second: Option<String>,
    /// When the two see the same events; none if they see others.
    pub instants: Result<Option<f64>, String>,
    /// From where on the two differ by more than is allowed, see [`Reference::agrees_until`].
    along: Vec<(f64, Errors)>,
}

impl Reference {
    /// The last compared time until which the two references differ by no more than `allowed`.
    pub fn agrees_until(&self, allowed: &[f64; 5], t_end: f64) -> f64 {
        let apart =
            |errors: &Errors| errors.iter().zip(allowed).any(|(error, allowed)| error.is_some_and(|e| e > *allowed));
        let mut until = f64::NEG_INFINITY;
        for (t, errors) in &self.along {
            if apart(errors) {
                return until;
            }
            until = *t;
        }
        t_end
    }
}

/// The reference at these times (sorted), which also lands on `spikes`; or why there is none.
pub fn reference(
    model: &Model,
    run: &Run,
    times: &[f64],
    spikes: &[f64],
    onlooker: &dyn Onlooker,
) -> Result<Result<Reference, String>, Failure> {
    onlooker.begins("running the reference");
    let (begin, _) = start(model)?;
    let mut reason = String::new();
    let mut first = None;
    for tol in TOLERANCES {
        let landings = landings(times, spikes, 0.382);
        match march(model, run, &begin, (7, tol), &landings, onlooker)? {
            Ok(track) => {
                first = Some((track, tol));
                break;
            }
            Err(failed) => reason = failed,
        }
    }
    let Some(((track, turns), tol)) = first else { return Ok(Err(reason)) };
    onlooker.begins("running a second reference");
    let few = thinned(times, COMPARED);
    let landed: Vec<f64> = spikes.iter().copied().chain(thinned(&turns, MOST_TURNS)).collect();
    let (second, other) = match extrapolated(model, run, &begin, &few, &landed) {
        Ok(other) => (Some("extrapolation".to_owned()), Some(other)),
        Err(_) => {
            let tol = (10.0 * tol).max(1e-12);
            match march(model, run, &begin, (5, tol), &landings(&few, spikes, 0.618), onlooker)? {
                Ok((other, _)) => (Some(format!("Radau IIA with 5 stages at tolerance {tol:e}")), Some(other)),
                Err(_) => (None, None),
            }
        }
    };
    let span = run.t_end - run.t_start;
    let pair = other.as_ref().map(|other| Pair { run: &track, truth: other, span, model: Some(model) });
    let along = pair.as_ref().map(|pair| pair.along(&few)).unwrap_or_default();
    let uncertainty = along.iter().fold([None; 5], |all, (_, errors)| larger(all, *errors));
    let instants = pair.map_or(Ok(None), |pair| pair.instants());
    let name = format!("a run of Radau IIA with 7 stages at tolerance {tol:e}");
    Ok(Ok(Reference { track, name, tolerance: tol, uncertainty, second, instants, along }))
}

/// The times to land on: those asked for, those of spikes, and one between each two of them.
fn landings(times: &[f64], spikes: &[f64], part: f64) -> Vec<f64> {
    let mut all: Vec<f64> = times.windows(2).map(|pair| pair[0] + part * (pair[1] - pair[0])).collect();
    all.extend(times);
    all.extend(spikes);
    all.sort_by(f64::total_cmp);
    all
}

/// Radau with its own landings, and when formulas switched or inputs jumped; or why it failed.
fn march(
    model: &Model,
    run: &Run,
    begin: &ConsistentState,
    (stages, tol): (usize, f64),
    landings: &[f64],
    onlooker: &dyn Onlooker,
) -> Result<Result<(Track, Vec<f64>), String>, Failure> {
    let method = MethodChoice::radau(stages).map_err(|bad| Failure::of(&bad))?;
    let run = Run { steps: Steps::ByError { rtol: tol, atol: None }, method, ..run.clone() };
    let mut integrator = prepare(model, &run, begin)?;
    integrator.land_on(landings).map_err(|bad| Failure::of(&bad))?;
    let interrupt: Option<Box<dyn FnMut() -> bool + Send>> = Some(Box::new(|| onlooker.wants_to_stop()));
    integrator.limit(Limits { attempts: Some(MOST_ATTEMPTS), evaluations: None, interrupt });
    let close = SAME * run.t_end.abs() + 1e-12 * (run.t_end - run.t_start);
    let (mut states, mut turns, mut next) = (vec![(**begin).clone()], Vec::new(), 0);
    let outcome = integrator.run(run.t_end, &mut |step: &Accepted| {
        let t = step.state.t;
        turns.extend(step.turns().then_some(t));
        while landings.get(next).is_some_and(|landing| *landing < t - close) {
            next += 1;
        }
        let last = run.t_end - t <= close || step.events.iter().any(|event| event.action == Action::Stop);
        if last || landings.get(next).is_some_and(|landing| *landing <= t + close) {
            states.push(step.state.clone());
        }
        ControlFlow::Continue(())
    });
    let end = match outcome {
        Ok(Outcome::Event(event)) => End::Event(model.events[event].name.clone()),
        Ok(_) => End::Reached,
        Err(_) if onlooker.wants_to_stop() => return Err(Failure::interrupted()),
        Err(error) => return Ok(Err(error.message().lines().next().unwrap_or_default().to_owned())),
    };
    Ok(Ok((Track::new(model, states, integrator.occurrences(), end), turns)))
}

/// The second reference by extrapolation, or why it is not for this model.
fn extrapolated(
    model: &Model,
    run: &Run,
    begin: &ConsistentState,
    times: &[f64],
    spikes: &[f64],
) -> Result<Track, String> {
    let dims = model.system.dims();
    let unknowns = dims.v + dims.constraints();
    if !model.events.is_empty() || model.system.description().patterns.is_some() || unknowns > LARGEST {
        return Err("it knows neither events nor large systems".to_owned());
    }
    let State { t, q, v, lambda, psi, .. } = (**begin).clone();
    let start = Start { t, q, v, lambda, psi };
    let mut all: Vec<f64> = times.iter().chain(spikes).copied().filter(|time| *time > t).collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|x, y| *x - *y <= 1e-12 * (run.t_end - run.t_start));
    let limit = MOST_EVALUATIONS / unknowns.max(1) as u64;
    let states = integrate_through(&model.system, &start, &all, Settings::default(), limit);
    let mut states = states.map_err(|failure| failure.to_string())?;
    states.insert(0, (**begin).clone());
    Ok(Track::new(model, states, &[], End::Reached))
}
