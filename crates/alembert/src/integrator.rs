//! The loop: propose a step, attempt it, judge it, accept it, look for events, show it.

mod account;
mod error;
mod fingerprint;
mod impact;
mod inside;
mod keep;
pub(crate) mod mode;
mod obstacle;
mod rows;
mod sizes;
mod steps;
mod turn;
mod words;

pub use error::{EventFailure, IntegrateError, Limit, Obstacle, StartError};
pub(crate) use inside::Inside;
pub use steps::Steps;

use crate::audit::{Audit, EnergyBalance};
use crate::controller::{Retry, StepController, Verdict};
use crate::equations::{Equations, Layout};
use crate::event::watch::Watch;
use crate::event::{Event, Occurrence};
use crate::linear::LinearWork;
use crate::method::{Accumulation, Attempt, BadMethod, Own, Scheme, StepFailure};
use crate::observer::{Accepted, Observer};
use crate::schedule::{BadTime, Kind, Schedule, length_to};
use crate::sliding::SlidingWatch;
use crate::state::{ConsistentState, State};
use crate::stats::{Residuals, Stats};
use crate::system::SystemRef;
use crate::tolerance::Tolerance;
use crate::typical::GivenSizes;
use mode::Mode;
use rows::Rows;
use turn::Turn;

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

/// What an integration may cost; the default is no limit.
#[derive(Default)]
pub struct Limits<'s> {
    /// Attempted steps, from the start.
    pub attempts: Option<u64>,
    /// Calls of the system's functions, from the start.
    pub evaluations: Option<u64>,
    /// Asked before every attempt: true ends the integration. This library has no clock; its caller may.
    pub interrupt: Option<Box<dyn FnMut() -> bool + Send + 's>>,
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
    audit: Audit,
    t_start: f64,
}

impl<'s> Integrator<'s> {
    /// Prepares an integration. `tolerance` governs Newton's method, and the step sizes where they are chosen by error.
    ///
    /// # Errors
    /// If the scheme is out of range or does not fit the system, or the start cannot be evaluated.
    pub fn new(
        system: impl Into<SystemRef<'s>>,
        start: &ConsistentState,
        scheme: &dyn Scheme,
        controller: impl StepController + 'static,
        tolerance: Tolerance,
    ) -> Result<Self, StartError> {
        let mut mode = build(system.into(), start.layout(), scheme, &controller, tolerance)?;
        let given = GivenSizes::default();
        sizes::begin(&mut mode, start, &tolerance, &given, None)
            .map_err(|failure| StartError::Start { t: start.t, failure })?;
        let before = mode.method.state().clone();
        let mut audit = Audit::new(mode.equations.dims());
        audit.begin(&mut mode.equations, &before);
        Ok(Integrator {
            modes: vec![mode],
            mode: 0,
            tolerance,
            given,
            controller: Box::new(controller),
            stats: Stats::default(),
            t_start: before.t,
            before,
            audit,
            schedule: Schedule::default(),
            rows: Rows::default(),
            watch: Watch::default(),
            occurrences: Vec::new(),
            happened: 0,
            most_kept: None,
            turn: None,
            limits: Limits::default(),
            longest: 0.0,
            sliding: SlidingWatch::default(),
        })
    }

    /// Adds another mode of the system, to which an event may [switch](crate::Action::Switch): the same coordinates under
    /// other constraints or forces. Returns its number; the system itself is mode 0.
    ///
    /// # Errors
    /// If the scheme does not fit it, or its coordinates are others.
    pub fn add_mode(&mut self, system: impl Into<SystemRef<'s>>, scheme: &dyn Scheme) -> Result<usize, StartError> {
        let mut mode = build(system.into(), None, scheme, &*self.controller, self.tolerance)?;
        let coordinates = |mode: &Mode| (mode.equations.dims().q, mode.equations.dims().v);
        let (expected, actual) = (coordinates(&self.modes[0]), coordinates(&mode));
        if expected != actual {
            return Err(StartError::Coordinates { expected, actual });
        }
        mode.equations.set_typical(self.modes[0].equations.typical().clone());
        self.modes.push(mode);
        Ok(self.modes.len() - 1)
    }

    /// Watches an event; returns its number. See [`crate::event`].
    pub fn add_event(&mut self, event: Event<'s>) -> usize {
        self.watch.add(event)
    }

    /// Ends steps exactly at these times, for output there.
    ///
    /// # Errors
    /// If a time is not a number.
    pub fn land_on(&mut self, times: &[f64]) -> Result<(), BadTime> {
        self.schedule.add(times, Kind::Land)
    }

    /// Starts afresh at these times, where an input jumps. The step before ends one rounding earlier: the system must have
    /// its old value at all times before, the new one from there on.
    ///
    /// # Errors
    /// If a time is not a number.
    pub fn jump_at(&mut self, times: &[f64]) -> Result<(), BadTime> {
        self.schedule.add(times, Kind::Jump)
    }

    /// Starts afresh where forces jump or have a kink in time: between the last time with the old force and the first one with
    /// the new, which differ by a few roundings. Velocities go on: a constraint that makes them jump there ends the
    /// integration, since that is an impact; see [`jump_at`](Self::jump_at).
    ///
    /// # Errors
    /// If a time is not a number.
    pub fn restart_between(&mut self, pairs: &[(f64, f64)]) -> Result<(), BadTime> {
        self.schedule.add_restarts(pairs)
    }

    /// Takes no steps longer than `longest` between two times, where something is known to be sharp.
    ///
    /// # Errors
    /// If a time is not a number, or `longest` is not positive (its place in the list is then 2).
    pub fn limit_steps(&mut self, from: f64, to: f64, longest: f64) -> Result<(), BadTime> {
        if longest.is_nan() || longest <= 0.0 {
            return Err(BadTime { index: 2, t: longest });
        }
        self.schedule.cap(from, to, longest)
    }

    /// Limits what the integration may cost.
    pub fn limit(&mut self, limits: Limits<'s>) {
        self.limits = limits;
    }

    /// The present state: after an event, the one it has left.
    pub fn state(&self) -> &State {
        self.turn.as_ref().map_or_else(|| self.modes[self.mode].method.state(), |turn| &turn.after)
    }

    /// The present mode: 0 unless an event has switched.
    pub fn mode(&self) -> usize {
        self.turn.as_ref().map_or(self.mode, |turn| turn.mode)
    }

    /// Whether the matrices of the present mode hold the entries of patterns only, see [`SolverChoice`](crate::SolverChoice).
    pub fn is_sparse(&self) -> bool {
        self.modes[self.mode()].equations.layout().structure.is_sparse()
    }

    /// What it has cost so far.
    pub fn stats(&self) -> Stats {
        let mut stats = self.stats;
        for mode in &self.modes {
            let LinearWork { factorisations, solves, fallbacks } = mode.linear_work();
            stats.factorisations += factorisations;
            stats.solves += solves;
            stats.fallbacks += fallbacks;
            stats.evaluations += mode.equations.evaluations();
        }
        stats
    }

    /// Looks at the acceleration level in every step, not only now and then; costs C and a bias.
    pub fn audit_accelerations(&mut self) {
        self.audit.every = true;
    }

    /// Where the energy went so far, if the system says what its energy is.
    pub fn energy(&self) -> Option<EnergyBalance> {
        self.audit.energy()
    }

    /// One accepted step towards `t_end`, cut short where an event changes the motion.
    ///
    /// # Errors
    /// If it failed and no shorter one is allowed, a limit is reached, or an event cannot be treated.
    pub fn step(&mut self, t_end: f64) -> Result<Accepted<'_, 's>, IntegrateError> {
        let known = self.first_new_event();
        let (h, attempt) = self.make_step(t_end)?;
        Ok(self.accepted(h, attempt, known))
    }

    /// The step just made; events from the one of number `known` on are its own.
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
        self.look_for_sliding()?;
        if !self.watch.is_idle() && self.look_for_events()? {
            h = self.turn.as_ref().map_or(h, |turn| turn.before.t - t);
        }
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
        let mut h = self.controller.propose(t, remaining.min(self.schedule.longest(t)));
        // What made a longer step impossible says more than what goes wrong with the shortest ones.
        let (mut obstacle, first): (Option<StepFailure>, f64) = (None, h);
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
            // A step that is about to be accepted is looked at for what it has passed over.
            let attempted = attempted.and_then(|attempt| {
                let good = attempt.error.is_none_or(|error| error.norm <= 1.0);
                let passed = if good { self.modes[self.mode].passed() } else { None };
                passed.map_or(Ok(attempt), Err)
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
                        // A method that does not show its next state is looked at when it is too late for another step.
                        let seen = if shown { Ok(()) } else { finite(method.state()) };
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
                        let found = found.or_else(|| self.rounding(first));
                        let blame = found.and_then(|failure| self.blame(&failure));
                        let cause = found.map_or(error, Obstacle::Failure);
                        return Err(IntegrateError::StepTooSmall { t, h, shortest, cause, blame });
                    }
                },
                Err(failure) => {
                    self.stats.fail(&failure);
                    // A jump is measured best from afar, a dead point from nearby.
                    if failure.is_obstacle() && !obstacle.is_some_and(|known| known.is_jump()) {
                        obstacle = Some(failure);
                    }
                    match self.controller.after_failure(h, &failure) {
                        Retry::Shorter(shorter) => shorter,
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
                            let failure = self.underlying(h, remaining, failure);
                            return Err(failed(self, h, failure));
                        }
                    }
                }
            };
        }
    }

    fn check_limits(&mut self, t: f64) -> Result<(), IntegrateError> {
        let reached = |limit| Err(IntegrateError::Limit { t, limit });
        if let Some(most) = self.limits.attempts.filter(|most| self.stats.attempts >= *most) {
            return reached(Limit::Attempts(most));
        }
        if let Some(most) = self.limits.evaluations {
            let calls: u64 = self.modes.iter().map(|mode| mode.equations.evaluations().total()).sum();
            if calls >= most {
                return reached(Limit::Evaluations(most));
            }
        }
        if self.limits.interrupt.as_mut().is_some_and(|interrupt| interrupt()) {
            return reached(Limit::Interrupt);
        }
        Ok(())
    }

    /// Writes the state at a time within the last accepted step; its accuracy is stated at the method. Before the first
    /// step it is the start.
    pub fn interpolate(&self, t: f64, out: &mut State) {
        self.modes[self.mode].interpolate(&self.before, t, out);
    }

    /// The state at a time within the last accepted step, as accurate as the end of the step wherever that is possible (see
    /// [`show_at`](Self::show_at)) and projected onto the constraints, with the accelerations and multipliers that belong to q and v.
    /// Costs two factorisations, and some accelerations inside the step when it is first asked for.
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

    /// What it was made with, and whether steps were chosen by error: for looking into steps afterwards.
    pub(crate) fn into_modes(self) -> (Vec<Mode<'s>>, bool) {
        (self.modes, self.controller.needs_estimate())
    }

    /// How close to `t_end` a last step ends: what is left of it is rounding, not another step. It does not depend on where the
    /// integration was interrupted.
    fn close_to(&self, t_end: f64) -> f64 {
        1e-12 * (t_end.abs() + (t_end - self.t_start).abs())
    }
}

/// Refuses a state with a number that is infinite or not a number.
fn finite(state: &State) -> Result<(), StepFailure> {
    state.overflow().map_or(Ok(()), |(quantity, index)| Err(StepFailure::Overflow { quantity, index }))
}

/// The method for a system, if the controller can work with it.
fn build<'s>(
    system: SystemRef<'s>,
    layout: Option<&Layout>,
    scheme: &dyn Scheme,
    controller: &dyn StepController,
    tolerance: Tolerance,
) -> Result<Mode<'s>, BadMethod> {
    let equations = if scheme.needs_dense() { Equations::dense(system) } else { Equations::with_known(system, layout) };
    let adds_up = controller.needs_estimate() && !controller.is_per_step();
    let accumulation = if adds_up { scheme.accumulation() } else { Accumulation::NONE };
    let mut method = scheme.build(&equations, accumulation.of_steps(tolerance))?;
    if controller.needs_estimate() && !method.estimates_error() {
        return Err(BadMethod::NoEstimate { method: scheme.name() });
    }
    if !controller.retries() {
        method.expect_no_retries();
    }
    let mut mode = Mode::new(scheme, accumulation, equations, method, tolerance);
    if controller.needs_estimate() {
        mode.estimate_derived();
    }
    Ok(mode)
}
