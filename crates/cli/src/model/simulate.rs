//! One integration of a model: states at the times asked for, what each step was like, and how it ended.

use std::time::Instant;

use alembert::audit::EnergyBalance;
use alembert::initial::{InitialError, Options, Report, consistent_with};
use alembert::stats::Residuals;
use alembert::verdict::{Warning, far_start};
use alembert::{Action, ConsistentState, ErrorControl, FixedSteps, Integrator, Occurrence, State, Summary};
use alembert_model::Model;
use alembert_model::run::{Run, Steps};

use super::progress::{Progress, interrupted};
use crate::failure::Failure;

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// At the end time.
    Reached,
    /// By the event of this name.
    Event(String),
    /// By Ctrl-C.
    Interrupted,
    /// With this message.
    Failed(String),
}

impl End {
    /// Whether something is missing.
    pub fn is_partial(&self) -> bool {
        matches!(self, End::Interrupted | End::Failed(_))
    }
}

/// An accepted step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub t: f64,
    pub h: f64,
    pub residuals: Residuals,
    /// The balance after it, where the model is made of energies.
    pub energy: Option<EnergyBalance>,
}

/// What a run gave.
pub struct Trajectory {
    pub states: Vec<State>,
    pub steps: Vec<Step>,
    /// Counters, residuals and energy.
    pub summary: Summary,
    pub events: Vec<Occurrence>,
    pub end: End,
    /// Seconds.
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

/// What the repair of a start did to what the kinematics keep, if it did.
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
pub fn start(model: &Model) -> Result<(ConsistentState, Report), Failure> {
    consistent_with(&model.system, &model.guess, &Options::default()).map_err(|error| {
        let words = error.to_string();
        let message = words.split_once("\nhint: ").map_or(words.as_str(), |(message, _)| message);
        Failure::work(format!("no consistent start: {message}")).with_hint(hint(&error))
    })
}

/// An integrator that is ready to begin.
pub fn prepare<'m>(model: &'m Model, run: &Run, start: &ConsistentState) -> Result<Integrator<'m>, Failure> {
    let told = |error: &dyn std::error::Error| {
        let words = error.to_string();
        match words.split_once("\nhint: ") {
            Some((message, hint)) => Failure::work(message.to_owned()).with_hint(hint.to_owned()),
            None => Failure::work(words),
        }
    };
    let scheme = run.method.scheme(&run.steps).map_err(|bad| told(&bad))?;
    let system = &model.system;
    let tolerance = run.steps.tolerance().map_err(|bad| told(&bad))?;
    let mut integrator = match &run.steps {
        Steps::ByError { .. } => {
            let mut control = ErrorControl::new();
            if let Some(longest) = run.h_max {
                control = control.with_longest(longest).map_err(|bad| told(&bad))?;
            }
            Integrator::new(system, start, &*scheme, control, tolerance).map_err(|bad| told(&bad))?
        }
        Steps::Fixed { h, pattern } => {
            let steps = FixedSteps::pattern(*h, pattern).map_err(|bad| told(&bad))?;
            Integrator::new(system, start, &*scheme, steps, tolerance).map_err(|bad| told(&bad))?
        }
    };
    for event in &model.events {
        integrator.add_event(event.watcher());
    }
    // Prescribed steps are kept as they are, but for times that are named.
    if matches!(run.steps, Steps::ByError { .. }) {
        model.sharpness(run.t_start, run.t_end).prepare(&mut integrator).map_err(|bad| told(&bad))?;
    }
    integrator.land_on(&run.land_on).map_err(|bad| told(&bad))?;
    integrator.jump_at(&run.jumps_at).map_err(|bad| told(&bad))?;
    Ok(integrator)
}

/// Runs a model, with a line of progress if `shown`. A failure on the way is an [`End`], not an error: what was computed is
/// still there.
pub fn simulate(model: &Model, run: &Run, shown: bool) -> Result<Trajectory, Failure> {
    let (begin, report) = start(model)?;
    let mut integrator = prepare(model, run, &begin)?;
    let clock = Instant::now();
    let mut progress = Progress::new(shown);
    let mut out = Sampler { every: run.output_every, from: run.t_start, states: vec![(*begin).clone()], next: 1 };
    integrator.show_at(&out.times(run.t_end)).map_err(|bad| Failure::work(bad.to_string()))?;
    let mut steps = Vec::new();
    // A last step ends within rounding of the end.
    let close = 1e-12 * (run.t_end.abs() + (run.t_end - run.t_start));
    let end = loop {
        if interrupted() {
            break End::Interrupted;
        }
        let known = integrator.occurrences().len();
        let now = match integrator.step(run.t_end) {
            Ok(accepted) => {
                let (now, h, residuals) = (accepted.state.clone(), accepted.h, accepted.attempt.residuals);
                let done = (now.t - run.t_start) / (run.t_end - run.t_start);
                progress.show(done, || format!("t = {:.4} of {}  h = {h:.1e}", now.t, run.t_end));
                steps.push(Step { t: now.t, h, residuals, energy: integrator.energy() });
                now
            }
            Err(error) => break End::Failed(error.to_string()),
        };
        let happened = integrator.occurrences()[known..].to_vec();
        let stop = happened.iter().find(|event| event.action == Action::Stop);
        let last = run.t_end - now.t <= close;
        if let Err(message) = out.take(&mut integrator, &now, last || stop.is_some()) {
            break End::Failed(message);
        }
        out.take_events(&happened);
        if let Some(event) = stop {
            break End::Event(event.name.clone());
        }
        if last {
            break End::Reached;
        }
    };
    progress.end();
    let time = clock.elapsed().as_secs_f64();
    let (summary, events) = (integrator.summary(), integrator.occurrences().to_vec());
    let warnings = far_start(&report, &begin).into_iter().chain(summary.warnings()).collect();
    Ok(Trajectory { states: out.states, steps, summary, events, end, time, start: report, warnings })
}

/// Takes states at equal distances, or after every step.
struct Sampler {
    every: Option<f64>,
    from: f64,
    states: Vec<State>,
    /// Number of the next sample.
    next: u64,
}

impl Sampler {
    /// The times of all samples before the end; a sliver before it is left out.
    fn times(&self, t_end: f64) -> Vec<f64> {
        let Some(every) = self.every else { return Vec::new() };
        let times = (1_u64..).map(|k| self.from + every * k as f64);
        times.take_while(|t| *t < t_end - 1e-6 * every).collect()
    }

    fn time(&self, every: f64) -> f64 {
        self.from + every * self.next as f64
    }

    /// What the last step passed. Between steps states are projected onto the constraints, with the accelerations and
    /// multipliers that belong to them.
    fn take(&mut self, integrator: &mut Integrator, now: &State, last: bool) -> Result<(), String> {
        let Some(every) = self.every else {
            self.states.push(now.clone());
            return Ok(());
        };
        let slack = 1e-9 * every;
        loop {
            let t = self.time(every);
            if t > now.t - slack {
                // A sample that falls on the end of a step is that step's own state.
                if t <= now.t + slack || last {
                    self.states.push(now.clone());
                    self.next += 1;
                }
                return Ok(());
            }
            let mut state = now.clone();
            integrator
                .consistent_at(t, &mut state)
                .map_err(|failure| format!("no consistent state at t = {t} for the output: {failure}"))?;
            self.states.push(state);
            self.next += 1;
        }
    }

    /// Where an event changes the state, there are two rows: before and after.
    fn take_events(&mut self, events: &[Occurrence]) {
        for event in events.iter().filter(|event| event.after != event.before) {
            for state in [&event.before, &event.after] {
                if self.states.last() != Some(state) {
                    self.states.push(state.clone());
                }
            }
        }
    }
}
