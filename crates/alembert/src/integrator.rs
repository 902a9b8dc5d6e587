//! The loop: propose a step, attempt it, judge it, accept it, look for events, show it.
//!
//! `make_step` is one round. It lets `advance` ask the controller for a length and the method for a step of that length, which is
//! tried again with shorter ones until the controller accepts it. Nothing but `advance` accepts a step, and an attempt that is not
//! accepted leaves no trace. Afterwards the step is looked through for events. An event that changes the motion cuts the step
//! short and leaves a `Turn`, with which the next round begins.
//!
//! Everything else about an integration has a file of its own: how it is put together (`assembly`), what lies ahead of it
//! (`agenda`, `limits`), a system with its method (`mode`), rows between steps (`rows`, `inside`), events and impacts (`turn`,
//! `impact`, `leap`), what it says of itself (`account`), why it ends early (`error`, `words`, `obstacle`).

mod account;
mod agenda;
mod assembly;
mod branches;
mod error;
mod fingerprint;
mod impact;
mod inside;
mod keep;
mod leap;
mod limits;
pub(crate) mod mode;
mod obstacle;
mod rows;
mod sizes;
mod steps;
mod turn;
mod words;

pub use crate::schedule::SAME as SAME_TIME;
pub use error::{EventFailure, IntegrateError, Limit, Obstacle, StartError};
pub(crate) use inside::Inside;
pub use limits::Limits;
pub use steps::Steps;

use crate::audit::Audit;
use crate::controller::{Retry, StepController, Verdict};
use crate::event::Occurrence;
use crate::event::watch::Watch;
use crate::method::{Attempt, Own, StepFailure};
use crate::observer::{Accepted, Observer};
use crate::schedule::{SAME, Schedule, length_to};
use crate::sliding::SlidingWatch;
use crate::state::State;
use crate::stats::{Residuals, Stats};
use crate::tolerance::Tolerance;
use crate::typical::GivenSizes;
use mode::Mode;
use rows::Rows;
use turn::Turn;

/// A step that fails so often may do so because a branch that is held has no good continuation.
const FAILURES: usize = 4;

/// How an integration ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At the final time.
    Reached,
    /// The observer said stop.
    Stopped,
    /// The event with this number said stop.
    Event(usize),
}

/// Integrates one system from one start with one method.
pub struct Integrator<'s> {
    /// The system, then those added by [`add_mode`](Self::add_mode).
    modes: Vec<Mode<'s>>,
    mode: usize,
    tolerance: Tolerance,
    given: GivenSizes,
    controller: Box<dyn StepController>,
    stats: Stats,
    /// Where the last accepted step began.
    before: State,
    schedule: Schedule,
    rows: Rows,
    watch: Watch<'s>,
    occurrences: Vec<Occurrence>,
    /// All events so far, and how many of them are kept at most.
    happened: u64,
    most_kept: Option<usize>,
    /// Where the motion starts afresh with the next step.
    turn: Option<Turn>,
    limits: Limits<'s>,
    longest: f64,
    sliding: SlidingWatch,
    /// An obstacle that an attempt met, and where that attempt would have ended: until then it lies ahead, although shorter steps may
    /// be accepted before it. For messages only.
    ahead: Option<(f64, StepFailure)>,
    audit: Audit,
    t_start: f64,
}

impl<'s> Integrator<'s> {
    /// The present state. After an event it is the state that the event has left.
    pub fn state(&self) -> &State {
        self.turn.as_ref().map_or_else(|| self.modes[self.mode].method.state(), |turn| &turn.after)
    }

    /// The present mode: 0 unless an event has switched.
    pub fn mode(&self) -> usize {
        self.turn.as_ref().map_or(self.mode, |turn| turn.mode)
    }

    /// One accepted step towards `t_end`, cut short where an event changes the motion.
    ///
    /// # Errors
    /// If the step fails and no shorter one is allowed, if a limit is reached, or if an event cannot be treated.
    pub fn step(&mut self, t_end: f64) -> Result<Accepted<'_, 's>, IntegrateError> {
        let known = self.first_new_event();
        let (h, attempt) = self.make_step(t_end)?;
        Ok(self.accepted(h, attempt, known))
    }

    /// The step just made; the events after the first `known` ones are its own.
    fn accepted(&mut self, h: f64, attempt: Attempt, known: usize) -> Accepted<'_, 's> {
        let mode = &mut self.modes[self.mode];
        let inside = Inside::new(self.mode, mode, &self.before, &mut self.stats, &mut self.audit);
        let (state, own) = match &self.turn {
            Some(turn) => (&turn.before, Own::consistent(&turn.before)),
            None => (inside.method.state(), inside.method.own()),
        };
        let after = self.turn.as_ref().map(|turn| &turn.after);
        Accepted { h, state, own, attempt, events: &self.occurrences[known..], after, inside }
    }

    fn make_step(&mut self, t_end: f64) -> Result<(f64, Attempt), IntegrateError> {
        self.make_turn()?;
        let t = self.state().t;
        if t_end.is_nan() || t_end <= t {
            return Err(IntegrateError::Backward { t, t_end });
        }
        if self.stats.steps == 0 && self.mode == 0 && !self.modes[0].equations.typical().is_known(t_end - t) {
            let failed = |failure| IntegrateError::Step { t, h: 0.0, failure, blame: None };
            self.measure_sizes(Some(t_end - t)).map_err(failed)?;
        }
        let landing = self.schedule.next(t, self.rows.limit(t, t_end));
        let (mut h, attempt) = self.advance(t, landing.target, t_end)?;
        self.stats.count(&attempt);
        self.longest = self.longest.max(h);
        self.modes[self.mode].longest = self.longest;
        let passing = self.look_for_switches()?;
        let turned = !self.watch.is_idle() && self.look_for_events(passing.map(|passing| passing.t))?;
        if let (Some(passing), false) = (passing, turned) {
            self.turn_at_switch(passing)?;
        }
        self.look_for_sliding()?;
        h = self.turn.as_ref().map_or(h, |turn| turn.before.t - t);
        if landing.turns() && self.state().t == landing.target {
            self.turn_at_jump(landing)?;
        }
        self.audit_step(&attempt);
        self.count_rows(t, self.turn.as_ref().map_or_else(|| self.state().t, |turn| turn.before.t));
        Ok((h, attempt))
    }

    /// Attempts steps from `t` until one is accepted.
    fn advance(&mut self, t: f64, target: f64, t_end: f64) -> Result<(f64, Attempt), IntegrateError> {
        let failed = |integrator: &Self, h: f64, failure: StepFailure| {
            let blame = integrator.blame(&failure);
            IntegrateError::Step { t, h, failure, blame }
        };
        let Mode { equations, method, .. } = &mut self.modes[self.mode];
        if self.controller.wants_first_step() {
            match method.first_step(equations, t_end) {
                Ok(suggested) => self.controller.suggest(suggested),
                Err(failure) => return Err(failed(self, t_end - t, failure)),
            }
        }
        let remaining = target - t;
        // Prescribed steps are not shortened; one that turns too far fails.
        let turn = if self.controller.retries() { self.modes[self.mode].longest_turn() } else { f64::INFINITY };
        let mut h = self.controller.propose(t, remaining.min(self.schedule.longest(t)).min(turn));
        // What made a longer step impossible says more than what goes wrong with the shortest ones.
        let (mut obstacle, first): (Option<StepFailure>, f64) = (None, h);
        let mut failures = 0;
        loop {
            self.check_limits(t)?;
            if h == remaining {
                h = length_to(t, target);
            }
            self.stats.attempts += 1;
            self.modes[self.mode].forget();
            let Mode { equations, method, .. } = &mut self.modes[self.mode];
            let attempted = method.attempt(equations, h).and_then(|attempt| match method.next().map(finite) {
                Some(Err(overflow)) => Err(overflow),
                _ => Ok(attempt),
            });
            // A step that may be accepted is searched for what it has passed over. What constraints move matters between its ends where something is
            // looked for there.
            let watched = self.modes[self.mode].switching.is_some() || !self.watch.is_idle();
            let attempted = attempted.and_then(|attempt| {
                let good = attempt.error.is_none_or(|error| error.norm <= 1.0);
                let mode = &mut self.modes[self.mode];
                let passed = if good { mode.passed() } else { None };
                passed.map_or_else(|| Ok(if good && watched { mode.with_driven(attempt) } else { attempt }), Err)
            });
            h = match attempted {
                Ok(attempt) => match self.controller.judge(h, &attempt) {
                    Verdict::Accept => {
                        if let Some(shorter) = self.shortened(t, h) {
                            h = shorter;
                            continue;
                        }
                        let method = &self.modes[self.mode].method;
                        let shown = method.next().is_some();
                        self.before.assign(method.state());
                        self.modes[self.mode].accept();
                        let Mode { equations, method, .. } = &mut self.modes[self.mode];
                        equations.grow(method.state());
                        // The state of a method that does not show it before is looked at here, too late for another step.
                        let seen = if shown { Ok(()) } else { finite(method.state()) };
                        let apart = if shown { None } else { self.modes[self.mode].apart() };
                        let seen = seen.and(apart.map_or(Ok(()), Err));
                        return match seen {
                            Err(overflow) => Err(failed(self, h, overflow)),
                            Ok(()) => Ok((h, attempt)),
                        };
                    }
                    Verdict::Reject { h: shorter } => {
                        self.stats.rejected += 1;
                        shorter
                    }
                    Verdict::TooSmall { shortest } => {
                        self.stop_if_sliding(h)?;
                        let error = Obstacle::Error(attempt.error.map_or(f64::NAN, |error| error.norm));
                        let found = obstacle.or_else(|| self.modes[self.mode].obstacle(h, t_end - t));
                        let ahead = self.ahead.filter(|(until, _)| t < *until).map(|(_, failure)| failure);
                        let found = found.or(ahead).or_else(|| self.rounding(first));
                        let blame = found.and_then(|failure| self.blame(&failure));
                        let cause = found.map_or(error, Obstacle::Failure);
                        return Err(IntegrateError::StepTooSmall { t, h, shortest, cause, blame });
                    }
                },
                Err(failure) => {
                    self.stats.fail(&failure);
                    failures += 1;
                    if failures >= FAILURES && self.modes[self.mode].loosen() {
                        continue;
                    }
                    // Of several failures the first jump is kept, which is measured best by a long step, and otherwise the
                    // last: a dead point is described best by a short one.
                    if failure.is_obstacle() && !obstacle.is_some_and(|known| known.is_jump()) {
                        obstacle = Some(failure);
                        self.ahead = Some((t + h, failure));
                    }
                    match self.controller.after_failure(h, &failure) {
                        Retry::Shorter(shorter) => shorter,
                        _ if self.modes[self.mode].loosen() => continue,
                        Retry::TooSmall { shortest } => {
                            self.stop_if_sliding(h)?;
                            let found = obstacle.or_else(|| self.modes[self.mode].obstacle(h, t_end - t));
                            let failure = found.unwrap_or_else(|| self.underlying(first, remaining, failure));
                            let failure = match failure {
                                StepFailure::Diverged { .. } => self.rounding(first).unwrap_or(failure),
                                _ => failure,
                            };
                            let (cause, blame) = (Obstacle::Failure(failure), self.blame(&failure));
                            return Err(IntegrateError::StepTooSmall { t, h, shortest, cause, blame });
                        }
                        Retry::Never => {
                            if self.slides_along().is_some() {
                                self.stop_if_sliding(h)?;
                            }
                            let failure = self.underlying(h, remaining, failure);
                            return Err(failed(self, h, failure));
                        }
                    }
                }
            };
        }
    }

    /// Writes the state at a time within the last accepted step, by the interpolation of the method, which says how accurate that
    /// is. Before the first step it is the start.
    pub fn interpolate(&self, t: f64, out: &mut State) {
        self.modes[self.mode].interpolate(&self.before, t, out);
    }

    /// The state at a time within the last accepted step, as accurate as the end of the step wherever that is possible (see
    /// [`show_at`](Self::show_at)) and projected onto the constraints, with the accelerations and multipliers that belong to q and v.
    /// It costs two factorisations and, when a step is asked for the first time, some accelerations inside it.
    ///
    /// # Errors
    /// If the system cannot be evaluated there, or the constraints are dependent.
    pub fn consistent_at(&mut self, t: f64, out: &mut State) -> Result<Residuals, StepFailure> {
        let mode = &mut self.modes[self.mode];
        Inside::new(self.mode, mode, &self.before, &mut self.stats, &mut self.audit).consistent_at(t, out)
    }

    /// Steps until `t_end`, or until the observer or an event says stop.
    ///
    /// # Errors
    /// If a step failed and no shorter one is allowed, a limit is reached, or an event cannot be treated.
    pub fn run(&mut self, t_end: f64, observer: &mut dyn Observer) -> Result<Outcome, IntegrateError> {
        let close = self.close_to(t_end);
        loop {
            let known = self.first_new_event();
            let t = self.state().t;
            let (h, attempt) = self.make_step(t_end)?;
            let end = self.turn.as_ref().map_or_else(|| self.state().t, |turn| turn.before.t);
            let mut stopped = self.show_rows(t, end, observer)?;
            stopped |= observer.on_step(&mut self.accepted(h, attempt, known)).is_break();
            for occurrence in &self.occurrences[known..] {
                stopped |= observer.on_event(occurrence).is_break();
            }
            if let Some(event) = self.stopping_event(known) {
                return Ok(Outcome::Event(event));
            }
            if stopped {
                return Ok(Outcome::Stopped);
            }
            if t_end - self.state().t <= close {
                return Ok(Outcome::Reached);
            }
        }
    }

    /// A step that ends this close to `t_end` is the last one: what remains is rounding, and not another step.
    fn close_to(&self, t_end: f64) -> f64 {
        SAME * t_end.abs() + 1e-12 * (t_end - self.t_start).abs()
    }
}

/// Refuses a state with a number that is infinite or not a number.
fn finite(state: &State) -> Result<(), StepFailure> {
    state.overflow().map_or(Ok(()), |(quantity, index)| Err(StepFailure::Overflow { quantity, index }))
}
