//! One integration of a model: states at the times asked for, what each step was like, and how it ended.

use std::ops::ControlFlow;
use std::time::Instant;

use alembert::Residuals;
use alembert::audit::EnergyBalance;
use alembert::initial::{InitialError, Options, Report, consistent_with};
use alembert::verdict::{Warning, far_start};
use alembert::{
    Accepted, Action, ConsistentState, ErrorControl, FixedSteps, Integrator, Observer, Occurrence, Outcome, State,
    Summary,
};
use alembert_model::Model;
use alembert_model::run::{Run, Steps};

use crate::failure::Failure;
use crate::onlooker::Onlooker;
use crate::sampler::Sampler;

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
}

impl End {
    /// Whether something is missing.
    pub fn is_partial(&self) -> bool {
        matches!(self, End::Interrupted | End::Failed(_))
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
    pub start: Report,
    /// What is not as it should be.
    pub warnings: Vec<Warning>,
}

/// What to do about a start that is refused, in the words of model files.
pub fn hint(error: &InitialError) -> String {
    match error {
        InitialError::Redundant { rows } if rows.iter().any(|row| !row.on.is_empty() && !row.in_vain) => {
            "remove the constraint that follows from the others, or accept it with redundant = \"least squares\" under [equations]".to_owned()
        }
        InitialError::Kinematic { .. } => {
            "remove it, or accept it with redundant = \"least squares\" under [equations]".to_owned()
        }
        InitialError::NegativeMass { .. } => {
            "correct the mass, or say that it is meant with indefinite_mass = true under [equations]".to_owned()
        }
        other => other.hint(),
    }
}

/// What the repair of a start changed of what the kinematics would have kept, if it changed anything.
pub fn beyond(report: &Report) -> Option<String> {
    (report.beyond_kinematics > 1e-12).then(|| {
        format!(
            "moved by {:.2e} in directions that the rates of the coordinates do not reach: what they keep, such as the length \
             of a quaternion, has changed",
            report.beyond_kinematics
        )
    })
}

/// The consistent start of a model.
///
/// # Errors
/// If there is none.
pub fn start(model: &Model) -> Result<(ConsistentState, Report), Failure> {
    consistent_with(&model.system, &model.guess, &Options::default()).map_err(|error| {
        let told = Failure::of(&error);
        Failure { message: format!("no consistent start: {}", told.message), hint: Some(hint(&error)), ..told }
    })
}

/// An integrator that is ready to begin.
///
/// # Errors
/// If the method or the steps do not suit the model.
pub fn prepare<'m>(model: &'m Model, run: &Run, start: &ConsistentState) -> Result<Integrator<'m>, Failure> {
    let scheme = run.method.scheme(&run.steps).map_err(|bad| Failure::of(&bad))?;
    let system = &model.system;
    let tolerance = run.steps.tolerance().map_err(|bad| Failure::of(&bad))?;
    let mut integrator = match &run.steps {
        Steps::ByError { .. } => {
            let mut control = ErrorControl::new();
            if let Some(longest) = run.h_max {
                control = control.with_longest(longest).map_err(|bad| Failure::of(&bad))?;
            }
            Integrator::new(system, start, &*scheme, control, tolerance).map_err(|bad| Failure::of(&bad))?
        }
        Steps::Fixed { h, pattern } => {
            let steps = FixedSteps::pattern(*h, pattern).map_err(|bad| Failure::of(&bad))?;
            Integrator::new(system, start, &*scheme, steps, tolerance).map_err(|bad| Failure::of(&bad))?
        }
    };
    for event in &model.events {
        integrator.add_event(event.watcher());
    }
    // Prescribed steps stay as they are, except for times that the file names.
    if matches!(run.steps, Steps::ByError { .. }) {
        model.sharpness(run.t_start, run.t_end).prepare(&mut integrator).map_err(|bad| Failure::of(&bad))?;
    }
    integrator.land_on(&run.land_on).map_err(|bad| Failure::of(&bad))?;
    integrator.jump_at(&run.jumps_at).map_err(|bad| Failure::of(&bad))?;
    Ok(integrator)
}

/// The largest number of rows, and of steps of known length. All of them are kept in memory until the end: with ten columns that is
/// 1.6 GB.
const MOST_ROWS: f64 = 2e7;

/// Refuses what would not fit into memory, before it is run.
///
/// # Errors
/// If there would be too many rows or steps.
pub fn check_length(run: &Run) -> Result<(), Failure> {
    let length = run.t_end - run.t_start;
    let refused = |count: f64, what: &str, instead: &str| {
        Failure::usage(format!("this run would have {count:.1e} {what}, more than {MOST_ROWS:e}"))
            .with_hint(format!("choose a larger {instead}, or an earlier end"))
            .with_parameter(instead)
    };
    if let Some(every) = run.output_every.filter(|every| length / every > MOST_ROWS) {
        return Err(refused(length / every, "rows", "output_every"));
    }
    if let Steps::Fixed { h, pattern } = &run.steps {
        let count = length / h * pattern.len() as f64 / pattern.iter().sum::<f64>();
        if count > MOST_ROWS {
            return Err(refused(count, "steps", "h"));
        }
    }
    Ok(())
}

/// Runs a model. A failure on the way is an [`End`], not an error: what was computed is still there.
///
/// # Errors
/// If it cannot begin.
pub fn simulate(model: &Model, run: &Run, onlooker: &dyn Onlooker) -> Result<Trajectory, Failure> {
    let (begin, report) = start(model)?;
    let mut integrator = prepare(model, run, &begin)?;
    let clock = Instant::now();
    let sampler = Sampler::new(run, (*begin).clone());
    integrator.show_at(&sampler.times()).map_err(|bad| Failure::of(&bad))?;
    let mut watch = Watch { run, onlooker, sampler, steps: Vec::new() };
    let end = if onlooker.wants_to_stop() {
        End::Interrupted
    } else {
        match integrator.run(run.t_end, &mut watch) {
            Ok(Outcome::Reached) => End::Reached,
            Ok(Outcome::Event(event)) => End::Event(model.events[event].name.clone()),
            Ok(Outcome::Stopped) => End::Interrupted,
            Err(error) => End::Failed(Failure::of(&error)),
        }
    };
    onlooker.finished();
    let time = clock.elapsed().as_secs_f64();
    let Watch { sampler, steps, .. } = watch;
    let (summary, events) = (integrator.summary(), integrator.occurrences().to_vec());
    let warnings = far_start(&report, &begin).into_iter().chain(summary.warnings()).collect();
    Ok(Trajectory { states: sampler.into_states(), steps, summary, events, end, time, start: report, warnings })
}

/// What is taken of each step, and whom it is shown to.
struct Watch<'a> {
    run: &'a Run,
    onlooker: &'a dyn Onlooker,
    sampler: Sampler,
    steps: Vec<StepRow>,
}

impl Observer for Watch<'_> {
    fn on_row(&mut self, state: &State) -> ControlFlow<()> {
        self.sampler.row(state);
        ControlFlow::Continue(())
    }

    fn on_step(&mut self, step: &mut Accepted) -> ControlFlow<()> {
        let (t, h) = (step.state.t, step.h);
        let Run { t_start, t_end, .. } = *self.run;
        self.onlooker.advanced((t - t_start) / (t_end - t_start), &|| format!("t = {t:.4} of {t_end}  h = {h:.1e}"));
        self.steps.push(StepRow { t, h, residuals: step.attempt.residuals, energy: step.energy() });
        let stops = step.events.iter().any(|event| event.action == Action::Stop);
        let last = stops || self.sampler.is_end(t);
        self.sampler.step(step.state, last);
        self.sampler.events(step.events);
        match last || !self.onlooker.wants_to_stop() {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}
