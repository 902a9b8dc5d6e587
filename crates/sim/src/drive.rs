//! Drives an integration and passes on what it shows: rows, steps, events. Stops where someone wants it to, where a limit is
//! reached, and where everything so far shall be saved.

use std::io;
use std::ops::ControlFlow;
use std::time::Instant;

use alembert::integrator::IntegrateError;
use alembert::{Accepted, Action, Integrator, Observer, Occurrence, Outcome, State};
use alembert_mechanism::Singular;
use alembert_model::Model;
use alembert_model::run::Run;

use crate::failure::Failure;
use crate::limits::{Limits, Pace, Reached};
use crate::onlooker::Onlooker;
use crate::passage::{Approach, stopped_at};
use crate::record::bytes::{Bytes, Cut, Reader};
use crate::results::Results;
use crate::sampler::Sampler;
use crate::simulate::{End, StepRow};
use crate::sink::COUNTABLE;

/// Takes what a run shows.
pub trait Recorder {
    /// A row.
    ///
    /// # Errors
    /// If it cannot be written.
    fn row(&mut self, state: &State) -> io::Result<()>;

    /// A step.
    ///
    /// # Errors
    /// If it cannot be written.
    fn step(&mut self, step: &StepRow) -> io::Result<()>;

    /// An event.
    ///
    /// # Errors
    /// If it cannot be written.
    #[allow(unused_variables)]
    fn event(&mut self, event: &Occurrence) -> io::Result<()> {
        Ok(())
    }

    /// A step as the integrator shows it, with its inside.
    #[allow(unused_variables)]
    fn accepted(&mut self, step: &Accepted) {}

    /// Whether everything so far shall be saved now, after so many steps.
    #[allow(unused_variables)]
    fn wants_to_save(&mut self, steps: u64) -> bool {
        false
    }
}

/// Why an integration pauses.
pub enum Pause {
    /// It is over.
    End(End),
    /// Everything shall be saved.
    Save,
    /// Something could not be written.
    Broken(io::Error),
}

/// What is counted on the way.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    /// Rows passed on.
    pub rows: u64,
    /// Steps made.
    pub steps: u64,
    /// The shortest and the longest step.
    pub shortest: f64,
    /// The longest.
    pub longest: f64,
    pace: Pace,
    /// Seconds of earlier program runs.
    earlier: f64,
}

/// An integration under way.
pub struct Drive<'a> {
    model: &'a Model,
    run: &'a Run,
    onlooker: &'a dyn Onlooker,
    limits: Limits,
    sampler: Sampler,
    /// Of a mechanism that passes singular configurations.
    approach: Option<Approach>,
    /// What the whole run comes to.
    pub results: Results,
    /// What was counted.
    pub tally: Tally,
    clock: Instant,
}

impl<'a> Drive<'a> {
    /// From a start.
    pub fn new(
        (model, run): (&'a Model, &'a Run),
        onlooker: &'a dyn Onlooker,
        limits: Limits,
        start: &State,
    ) -> Drive<'a> {
        let pace = Pace { t: start.t, step: 0 };
        let tally = Tally { rows: 0, steps: 0, shortest: f64::INFINITY, longest: 0.0, pace, earlier: 0.0 };
        let (sampler, results) = (Sampler::new(run, start), Results::new(model, run, start));
        let approach = Approach::new(model, start);
        Drive { model, run, onlooker, limits, sampler, approach, results, tally, clock: Instant::now() }
    }

    /// Tells the integrator which rows are wanted, and passes on the first.
    ///
    /// # Errors
    /// If the rows have no times.
    pub fn begin(
        &mut self,
        integrator: &mut Integrator,
        start: &State,
        recorder: &mut dyn Recorder,
    ) -> Result<(), Failure> {
        self.want_rows(integrator)?;
        self.tally.rows = 1;
        recorder.row(start).map_err(|error| Failure::work(error.to_string()))
    }

    /// Tells the integrator which rows are wanted.
    ///
    /// # Errors
    /// If the rows have no times.
    pub fn want_rows(&self, integrator: &mut Integrator) -> Result<(), Failure> {
        if let Some(times) = self.sampler.listed() {
            return integrator.show_at(times).map_err(|bad| Failure::of(&bad));
        }
        let Some((every, count)) = self.sampler.even() else { return Ok(()) };
        integrator.show_every(self.run.t_start, every, count).map_err(|bad| Failure::of(&bad))
    }

    /// Goes on until the next pause.
    pub fn go(&mut self, integrator: &mut Integrator, recorder: &mut dyn Recorder) -> Pause {
        if self.onlooker.wants_to_stop() {
            return Pause::End(End::Interrupted);
        }
        let (t_end, model) = (self.run.t_end, self.model);
        let name = |event: usize| model.events[event].name.clone();
        loop {
            let mut watch = Watch { drive: self, recorder, pause: None, near: None };
            let ended = integrator.run(t_end, &mut watch);
            let (pause, near) = (watch.pause, watch.near);
            return match (pause, ended) {
                (Some(Pause::Broken(error)), _) => Pause::Broken(error),
                (_, Ok(Outcome::Reached)) => Pause::End(End::Reached),
                (_, Ok(Outcome::Event(event))) => Pause::End(End::Event(name(event))),
                (Some(pause), Ok(Outcome::Stopped)) => pause,
                (None, Ok(Outcome::Stopped)) if near.is_none() => Pause::End(End::Interrupted),
                (_, ended) => match self.pass(ended.err(), near, integrator, recorder) {
                    Some(pause) => pause,
                    None => continue,
                },
            };
        }
    }

    /// Goes on where an integration has failed, if that was at a singular configuration which may be passed, or where one is near.
    fn pass(
        &mut self,
        error: Option<IntegrateError>,
        near: Option<Singular>,
        integrator: &mut Integrator,
        recorder: &mut dyn Recorder,
    ) -> Option<Pause> {
        let failed = |failure: Failure| Some(Pause::End(End::Failed(failure)));
        let model = self.model;
        let stopped = error.as_ref().and_then(|error| stopped_at(model, error, integrator.state()));
        let stopped = stopped.filter(|at| self.approach.as_ref().is_none_or(|approach| !approach.is_behind(at)));
        let (mechanism, at) = match (stopped.or(near), model.system.mechanism(), error) {
            (Some(at), Some(mechanism), _) => (mechanism, at),
            (_, _, Some(error)) => return failed(explained(Failure::of(&error), model, integrator.state())),
            _ => return None,
        };
        let Some(approach) = &mut self.approach else { return failed(Failure::singular(&at)) };
        let mut bridge = match approach.pass((self.model, self.run), mechanism, at, integrator) {
            Ok(bridge) => bridge,
            Err(failure) => return failed(failure),
        };
        self.results.step(self.model, &mut bridge);
        let mut watch = Watch { drive: self, recorder, pause: None, near: None };
        watch.sample(|sampler, take| sampler.stretch(&bridge.to, bridge.ends, |t| bridge.at(t), take));
        for event in &bridge.events {
            let done = watch.recorder.event(event);
            watch.note(done);
        }
        watch.pause.or(bridge.ends.then_some(Pause::End(End::Reached)))
    }

    /// How many singular configurations it has passed.
    pub fn passages(&self) -> u64 {
        self.approach.as_ref().map_or(0, |approach| approach.count)
    }

    /// Seconds so far, those of earlier program runs included.
    pub fn seconds(&self) -> f64 {
        self.tally.earlier + self.clock.elapsed().as_secs_f64()
    }

    /// The time of the last row.
    pub fn reached(&self) -> f64 {
        self.sampler.reached()
    }

    /// Everything that what follows depends on.
    pub fn save(&self, bytes: &mut Bytes) {
        let Tally { rows, steps, shortest, longest, pace, .. } = &self.tally;
        [*rows, *steps, pace.step].into_iter().for_each(|word| bytes.word(word));
        bytes.numbers(&[*shortest, *longest, pace.t, self.seconds()]);
        self.sampler.save(bytes);
        self.results.save(bytes);
        self.approach.iter().for_each(|approach| approach.save(bytes));
    }

    /// Takes over what was saved.
    ///
    /// # Errors
    /// If bytes are missing.
    pub fn restore(&mut self, bytes: &mut Reader) -> Result<(), Cut> {
        let (rows, steps, step) = (bytes.word()?, bytes.word()?, bytes.word()?);
        let [shortest, longest, t, earlier] = bytes.numbers()?[..] else { return Err(Cut) };
        if step > steps || steps.max(rows) >= COUNTABLE {
            return Err(Cut);
        }
        self.tally = Tally { rows, steps, shortest, longest, pace: Pace { t, step }, earlier };
        self.sampler.restore(bytes)?;
        self.results.restore(bytes)?;
        self.approach.iter_mut().try_for_each(|approach| approach.restore(bytes))
    }
}

/// A failure with the table that ends where it happened, if there is one.
fn explained(failure: Failure, model: &Model, state: &State) -> Failure {
    let Some(words) = model.left_table(state) else { return failure };
    let hint = "give the table more points, or another `extrapolation` than \"error\"".to_owned();
    Failure { message: format!("{}; {words}", failure.message), hint: Some(hint), ..failure }
}

/// Looks at each step.
struct Watch<'w, 'a> {
    drive: &'w mut Drive<'a>,
    recorder: &'w mut dyn Recorder,
    pause: Option<Pause>,
    /// A singular configuration just ahead.
    near: Option<Singular>,
}

impl Watch<'_, '_> {
    /// Passes on what the sampler takes.
    fn sample(&mut self, sample: impl FnOnce(&mut Sampler, &mut dyn FnMut(&State))) {
        let Watch { drive, recorder, pause, .. } = self;
        let rows = &mut drive.tally.rows;
        let mut take = |state: &State| {
            *rows += 1;
            if !matches!(pause, Some(Pause::Broken(_)))
                && let Err(error) = recorder.row(state)
            {
                *pause = Some(Pause::Broken(error));
            }
        };
        sample(&mut drive.sampler, &mut take);
    }

    fn note(&mut self, done: io::Result<()>) {
        if let Err(error) = done {
            self.pause = Some(Pause::Broken(error));
        }
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.pause.is_some() || self.near.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Observer for Watch<'_, '_> {
    fn on_row(&mut self, state: &State) -> ControlFlow<()> {
        if !matches!(self.pause, Some(Pause::Broken(_))) {
            self.sample(|sampler, take| sampler.row(state, take));
        }
        self.flow()
    }

    fn on_step(&mut self, step: &mut Accepted) -> ControlFlow<()> {
        let (t, h) = (step.state.t, step.h);
        let Run { t_start, t_end, .. } = *self.drive.run;
        let told = || format!("t = {t:.4} of {t_end}  h = {h:.1e}");
        self.drive.onlooker.advanced((t - t_start) / (t_end - t_start), &told);
        let row = StepRow { t, h, residuals: step.attempt.residuals, energy: step.energy() };
        let tally = &mut self.drive.tally;
        tally.steps += 1;
        (tally.shortest, tally.longest) = (tally.shortest.min(h), tally.longest.max(h));
        let done = self.recorder.step(&row);
        self.note(done);
        self.recorder.accepted(step);
        let stops = step.events.iter().any(|event| event.action == Action::Stop);
        let last = stops || self.drive.sampler.is_end(t);
        self.sample(|sampler, take| sampler.step(step.state, last, take));
        self.sample(|sampler, take| sampler.events(step.events, take));
        for event in step.events {
            let done = self.recorder.event(event);
            self.note(done);
        }
        let model = self.drive.model;
        if let Some(approach) = &mut self.drive.approach {
            self.near = approach.step((model, self.drive.run), step).filter(|_| !last);
        }
        self.drive.results.step(model, step);
        // A run that is at its end is whole, and before a singular configuration nothing but the motion decides.
        if !last && self.near.is_none() && self.pause.is_none() {
            self.pause = self
                .drive
                .wants_to_pause(t)
                .or_else(|| self.recorder.wants_to_save(self.drive.tally.steps).then_some(Pause::Save));
        }
        self.flow()
    }
}

impl Drive<'_> {
    fn wants_to_pause(&mut self, t: f64) -> Option<Pause> {
        if self.onlooker.wants_to_stop() {
            return Some(Pause::End(End::Interrupted));
        }
        let Limits { steps, rows, seconds } = self.limits;
        let tally = &mut self.tally;
        let reached = if tally.steps >= steps {
            Some(Reached::Steps(steps))
        } else if tally.rows >= rows {
            Some(Reached::Rows(rows))
        } else {
            let late = seconds.filter(|most| self.clock.elapsed().as_secs_f64() >= *most).map(Reached::Seconds);
            late.or_else(|| tally.pace.look(t, tally.steps, self.run.t_end))
        };
        reached.map(|reached| Pause::End(End::Limited(reached)))
    }
}
