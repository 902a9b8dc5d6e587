//! One integration of a model: states at the times asked for, what each step was like, and how it ended.

use std::sync::Arc;

use alembert::Residuals;
use alembert::audit::EnergyBalance;
use alembert::verdict::Warning;
use alembert::{
    Accepted, ConsistentState, ConstrainedSystem, ErrorControl, FixedSteps, Integrator, Occurrence, State, Summary,
};
use alembert_model::Model;
use alembert_model::clock::MOST;
use alembert_model::run::{Run, Steps};

use crate::dense::{Dense, Inside};
use crate::drive::{Drive, Pause, Recorder};
use crate::failure::Failure;
use crate::limits::{Limits, Reached};
use crate::onlooker::Onlooker;
use crate::results::Outcome;
pub use crate::start::{Beginning, beyond, hint, start};

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// At the end time.
    Reached,
    /// By the event of this name.
    Event(String),
    /// By the onlooker.
    Interrupted,
    /// With this failure.
    Failed(Failure),
    /// At a limit of what it may come to.
    Limited(Reached),
}

impl End {
    /// Whether something is missing.
    pub fn is_partial(&self) -> bool {
        matches!(self, End::Interrupted | End::Failed(_) | End::Limited(_))
    }
}

/// An accepted step.
#[derive(Clone, Copy, Debug)]
pub struct StepRow {
    /// Its end.
    pub t: f64,
    /// Its length.
    pub h: f64,
    /// How well its end meets the constraints.
    pub residuals: Residuals,
    /// The balance after it, where the model is made of energies.
    pub energy: Option<EnergyBalance>,
}

/// What a run gave.
pub struct Trajectory {
    /// The rows: at equal distances or after every step, and on both sides of what changes the state.
    pub states: Vec<State>,
    /// Every step.
    pub steps: Vec<StepRow>,
    /// Counters, residuals and energy.
    pub summary: Summary,
    /// What happened on the way.
    pub events: Vec<Occurrence>,
    /// How it ended.
    pub end: End,
    /// Seconds that it took.
    pub time: f64,
    /// What was done to the start.
    pub start: Beginning,
    /// What is not as it should be.
    pub warnings: Vec<Warning>,
    /// What the whole run came to.
    pub results: Vec<Outcome>,
    /// How many singular configurations it has passed.
    pub passages: u64,
}

/// Steps, at least, of a motion that constraints determine.
const DETERMINED: f64 = 200.0;

/// The consistent start of a model, while someone looks on.
///
/// # Errors
/// If there is none.
pub fn start_before(onlooker: &dyn Onlooker, model: &Model) -> Result<(ConsistentState, Beginning), Failure> {
    let dims = model.system.dims();
    let mut found = None;
    onlooker.waits(&format!("finding a consistent start ({} unknowns)", dims.v + dims.constraints()), &mut || {
        found = Some(start(model));
    });
    found.unwrap_or_else(|| start(model))
}

/// An integrator with method and steps, that knows nothing of events and of what lies ahead.
pub(crate) fn bare(model: &Model, run: &Run, start: &ConsistentState) -> Result<Integrator<'static>, Failure> {
    let scheme = run.method.scheme(&run.steps).map_err(|bad| Failure::of(&bad))?;
    let system = &model.system;
    let tolerance = run.steps.tolerance().map_err(|bad| Failure::of(&bad))?;
    let mut integrator = match &run.steps {
        Steps::ByError { .. } => {
            let mut control = ErrorControl::new();
            if let Some(longest) = run.h_max.or_else(|| determined(model, run, start)) {
                control = control.with_longest(longest).map_err(|bad| Failure::of(&bad))?;
            }
            if let Some(shortest) = run.h_min {
                control = control.with_shortest(shortest).map_err(|bad| Failure::of(&bad))?;
            }
            Integrator::new(Arc::clone(system), start, &*scheme, control, tolerance).map_err(|bad| Failure::of(&bad))?
        }
        Steps::Fixed { h, pattern } => {
            let steps = FixedSteps::pattern(*h, pattern).map_err(|bad| Failure::of(&bad))?;
            Integrator::new(Arc::clone(system), start, &*scheme, steps, tolerance).map_err(|bad| Failure::of(&bad))?
        }
    };
    let sizes = run.sizes();
    if !sizes.q.is_empty() || !sizes.v.is_empty() {
        integrator.assume_sizes(sizes).map_err(|bad| Failure::of(&bad))?;
    }
    Ok(integrator)
}

/// The longest step where constraints, drivers say, determine every motion: nothing is left then whose error would bound a step, unless something is
/// looked for between its ends, and extremes would be missed. None otherwise.
fn determined(model: &Model, run: &Run, start: &ConsistentState) -> Option<f64> {
    let (dims, states) = (model.system.dims(), model.system.description().states);
    let span = run.t_end - start.t;
    (span > 0.0 && start.rank() > 0 && start.rank() >= dims.v - states).then_some(span / DETERMINED)
}

/// An integrator that is ready to begin; it shares the equations of the model.
///
/// # Errors
/// If the method or the steps do not suit the model.
pub fn prepare(model: &Model, run: &Run, start: &ConsistentState) -> Result<Integrator<'static>, Failure> {
    let mechanism = model.system.mechanism();
    if let Some(at) = mechanism.and_then(|mechanism| mechanism.begins_singular(start, run.t_end - start.t)) {
        return Err(Failure::singular_start(&at));
    }
    let mut integrator = bare(model, run, start)?;
    for event in &model.events {
        integrator.add_event(event.watcher());
        if let Some(clock) = &event.clock {
            if clock.count(run.t_end) > MOST as f64 {
                let message =
                    format!("`{}` would happen {:.1e} times, more than {MOST}", event.name, clock.count(run.t_end));
                return Err(
                    Failure::usage(message).with_hint("choose an earlier end, or a larger distance of its times")
                );
            }
            integrator.land_on(&clock.kinks(run.t_end)).map_err(|bad| Failure::of(&bad))?;
        }
    }
    // Prescribed steps stay as they are, except for times that the file names.
    if matches!(run.steps, Steps::ByError { .. }) {
        model.sharpness(run.t_start, run.t_end).prepare(&mut integrator).map_err(|bad| Failure::of(&bad))?;
    }
    integrator.land_on(&run.land_on).map_err(|bad| Failure::of(&bad))?;
    integrator.jump_at(&run.jumps_at).map_err(|bad| Failure::of(&bad))?;
    Ok(integrator)
}

/// Refuses what is known to come to more than a run may.
///
/// # Errors
/// If there would be too many rows or steps.
pub fn check_length(run: &Run) -> Result<(), Failure> {
    Limits::default().check(run)
}

/// Runs a model and keeps all of it in memory. A failure on the way is an [`End`], not an error: what was computed is still there.
///
/// # Errors
/// If it cannot begin.
pub fn simulate(model: &Model, run: &Run, onlooker: &dyn Onlooker) -> Result<Trajectory, Failure> {
    let mut memory = Memory { keeps_steps: true, ..Memory::of(model) };
    Ok(watched(model, run, onlooker, &mut memory)?.0)
}

/// The same with the motion between the rows, which takes as much memory as all steps.
///
/// # Errors
/// If it cannot begin.
pub fn simulate_densely(model: &Model, run: &Run, onlooker: &dyn Onlooker) -> Result<(Trajectory, Dense), Failure> {
    let mut memory = Memory { keeps_steps: true, keeps_inside: true, ..Memory::of(model) };
    let (trajectory, integrator) = watched(model, run, onlooker, &mut memory)?;
    let dense = Dense::new(integrator, memory.inside, &trajectory);
    Ok((trajectory, dense))
}

/// The same without the steps, where only rows count.
///
/// # Errors
/// If it cannot begin.
pub fn rows_of(model: &Model, run: &Run, onlooker: &dyn Onlooker) -> Result<Trajectory, Failure> {
    let mut memory = Memory::of(model);
    Ok(watched(model, run, onlooker, &mut memory)?.0)
}

/// A run and what it was made with.
type Watched = (Trajectory, Integrator<'static>);

fn watched(model: &Model, run: &Run, onlooker: &dyn Onlooker, memory: &mut Memory) -> Result<Watched, Failure> {
    let (begin, report) = start_before(onlooker, model)?;
    let mut integrator = prepare(model, run, &begin)?;
    let State { q, v, a, lambda, psi, .. } = &*begin;
    let numbers = [q, v, a, lambda, psi].iter().map(|part| part.len()).sum();
    if memory.keeps_inside {
        memory.inside = Some(Inside::new(&integrator));
    }
    let limits = Limits::in_memory(numbers).within(&run.limits);
    let mut drive = Drive::new((model, run), onlooker, limits, &begin);
    drive.begin(&mut integrator, &begin, memory)?;
    let end = loop {
        match drive.go(&mut integrator, memory) {
            Pause::End(end) => break end,
            // Memory never fails, and nothing is saved.
            Pause::Save | Pause::Broken(_) => {}
        }
    };
    onlooker.finished();
    let time = drive.seconds();
    let (summary, events) = (integrator.summary(), integrator.occurrences().to_vec());
    let passages = drive.passages();
    let warnings = report.warnings().into_iter().chain(summary.warnings()).collect();
    let results = drive.results.outcomes(model);
    let (states, steps) = (std::mem::take(&mut memory.states), std::mem::take(&mut memory.steps));
    let found = Trajectory { states, steps, summary, events, end, time, start: report, warnings, results, passages };
    Ok((found, integrator))
}

/// Keeps everything.
#[derive(Default)]
struct Memory {
    states: Vec<State>,
    steps: Vec<StepRow>,
    keeps_steps: bool,
    inside: Option<Inside>,
    keeps_inside: bool,
    /// How many of the last coordinates are integrals of states.
    integrals: usize,
}

impl Memory {
    fn of(model: &Model) -> Memory {
        Memory { integrals: model.names.states.len(), ..Memory::default() }
    }
}

impl Recorder for Memory {
    fn row(&mut self, state: &State) -> std::io::Result<()> {
        let mut state = state.clone();
        // Nobody sees the integrals of states, and so nobody compares them.
        let bodies = state.q.len() - self.integrals;
        state.q[bodies..].fill(0.0);
        self.states.push(state);
        Ok(())
    }

    fn step(&mut self, step: &StepRow) -> std::io::Result<()> {
        if self.keeps_steps {
            self.steps.push(*step);
        }
        Ok(())
    }

    fn accepted(&mut self, step: &Accepted) {
        if let Some(inside) = &mut self.inside {
            inside.keep(step);
        }
    }
}
