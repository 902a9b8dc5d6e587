//! A motion that was computed: all steps, and the state at any time in between.
//!
//! ```text
//! start ---- step ---- step ---- | event | ---- step ---- last
//!                 at(t)          before(t)  at(t)
//! ```
//!
//! Between steps a state is as accurate as the steps are. It is on the constraints, with the accelerations and multipliers that
//! belong to its q and v. That takes the system: a solution keeps what it was made with. It takes as much memory as its states
//! (and as much again for each order of BDF). Nothing is computed for times that nobody asks for.
//!
//! A run that stopped with an error is a solution as well, up to where it stopped. [`Solution::is_whole`] says so, and later times
//! are refused with the error that stopped the run.

mod looker;
mod samples;

use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::{Mutex, PoisonError};

use crate::advice::{Advised, Message, displayed};
use crate::audit::EnergyBalance;
use crate::event::Occurrence;
use crate::initial::Report;
use crate::integrator::{IntegrateError, Integrator, Outcome};
use crate::method::{Attempt, StepFailure};
use crate::observer::{Accepted, Observer};
use crate::solve::Until;
use crate::state::State;
use crate::summary::Summary;
use looker::Looker;
use samples::Samples;

/// A step that was made.
#[derive(Clone, Debug)]
pub struct StepRecord {
    /// Length of the step.
    pub h: f64,
    /// The state it reached; at an event that changes the motion, the one before.
    pub state: State,
    /// What an event, or a jump of the input, has made of it; nothing where the motion just goes on.
    pub after: Option<State>,
    /// Newton iterations, constraint residuals, the estimated error.
    pub attempt: Attempt,
    /// Where the energy went so far, if the system says what its energy is.
    pub energy: Option<EnergyBalance>,
    /// The mode in which it was made.
    pub mode: usize,
    /// The inside, where the method's own polynomials are kept.
    samples: Option<Samples>,
}

impl StepRecord {
    /// A step as it was just made, without its inside.
    pub(crate) fn without_inside(step: &Accepted) -> Self {
        let after = step.after.filter(|after| *after != step.state).cloned();
        let (state, energy, mode) = (step.state.clone(), step.energy(), step.mode());
        StepRecord { h: step.h, state, after, attempt: step.attempt, energy, mode, samples: None }
    }

    fn new(step: &Accepted) -> Self {
        let inside = &step.inside;
        let curve = |t: f64, out: &mut State| inside.interpolate(t, out);
        let samples = inside
            .own_degree()
            .map(|degree| Samples::take(inside.equations(), degree, inside.before(), step.state.t, curve));
        StepRecord { samples, ..StepRecord::without_inside(step) }
    }

    /// Where the next step begins.
    fn end(&self) -> &State {
        self.after.as_ref().unwrap_or(&self.state)
    }
}

/// Why there is no state at a time.
#[derive(Clone, Debug, PartialEq)]
pub enum NoState {
    /// It lies outside of what was computed.
    Outside {
        /// The time asked for.
        t: f64,
        /// The first and the last time that were computed.
        range: (f64, f64),
        /// Why the motion was not computed any further, if it should have been.
        stopped: Option<Box<IntegrateError>>,
    },
    /// The system cannot be evaluated there.
    Failed {
        /// The time asked for.
        t: f64,
        /// What happened.
        failure: StepFailure,
    },
}

impl Advised for NoState {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoState::Outside { t, range: (from, to), stopped: Some(error) } => {
                write!(f, "there is no state at t = {t}: the motion is known from {from} to {to} only, where ")?;
                write!(f, "it stopped: {}", Message(&**error))
            }
            NoState::Outside { t, range: (from, to), stopped: None } => {
                write!(f, "there is no state at t = {t}: the motion was computed from {from} to {to}")
            }
            NoState::Failed { t, failure } => write!(f, "no consistent state at t = {t}: {}", Message(failure)),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            NoState::Outside { stopped: Some(error), .. } => error.hint(),
            NoState::Outside { stopped: None, .. } => Some("solve over a range that contains it".to_owned()),
            NoState::Failed { failure, .. } => failure.hint(),
        }
    }

    fn blame(&self) -> Option<String> {
        match self {
            NoState::Outside { stopped: Some(error), .. } => error.blame(),
            _ => None,
        }
    }
}

displayed!(NoState);

/// A motion from its start to its end, or to where it stopped; see the [module](self).
pub struct Solution<'s> {
    start: State,
    report: Option<Report>,
    steps: Vec<StepRecord>,
    events: Vec<Occurrence>,
    outcome: Result<Outcome, IntegrateError>,
    summary: Summary,
    /// Evaluating the system takes buffers, which only one caller can use at a time.
    looker: Mutex<Looker<'s>>,
}

/// The steps of a run that shall become a [`Solution`], kept by an observer that does other things as well.
#[derive(Clone, Debug)]
pub struct Kept {
    start: State,
    steps: Vec<StepRecord>,
    /// How many events there were before.
    known: usize,
}

impl Kept {
    /// Of a run that goes on from the present state.
    pub fn new(integrator: &Integrator) -> Self {
        Kept { start: integrator.state().clone(), steps: Vec::new(), known: integrator.occurrences().len() }
    }

    /// Keeps a step; all of a run have to be kept, in their order.
    pub fn keep(&mut self, step: &Accepted) {
        self.steps.push(StepRecord::new(step));
    }
}

/// Keeps every step.
struct Keeper<'s> {
    kept: Kept,
    until: Option<Until<'s>>,
}

impl Observer for Keeper<'_> {
    fn on_step(&mut self, step: &mut Accepted) -> ControlFlow<()> {
        self.kept.keep(step);
        let stops = self.until.as_mut().is_some_and(|until| until([step.from(), step.state]));
        if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<'s> Integrator<'s> {
    /// Integrates to `t_end` and keeps all of it, from the present state on. For simple cases there is
    /// [`solve`](crate::solve()).
    pub fn solve(self, t_end: f64) -> Solution<'s> {
        self.solve_until(t_end, None)
    }

    /// The same, stopping where someone says so.
    pub(crate) fn solve_until(mut self, t_end: f64, until: Option<Until<'s>>) -> Solution<'s> {
        let mut keeper = Keeper { kept: Kept::new(&self), until };
        let outcome = self.run(t_end, &mut keeper);
        self.into_solution(keeper.kept, outcome)
    }

    /// What was kept of a run, as a motion that can be asked for states at any time; `outcome` is how the run ended.
    pub fn into_solution(self, kept: Kept, outcome: Result<Outcome, IntegrateError>) -> Solution<'s> {
        let Kept { start, steps, known } = kept;
        let summary = self.summary();
        let events = self.occurrences().get(known..).unwrap_or_default().to_vec();
        let (modes, by_error) = self.into_modes();
        let looker = Mutex::new(Looker::new(modes, by_error));
        Solution { start, report: None, steps, events, outcome, summary, looker }
    }
}

impl Solution<'_> {
    pub(crate) fn with_report(self, report: Report) -> Self {
        Solution { report: Some(report), ..self }
    }

    /// The state at a time; where an event or a jump of the input changes it, the one after.
    ///
    /// # Errors
    /// If the time lies outside of what was computed, or the system cannot be evaluated there.
    pub fn at(&self, t: f64) -> Result<State, NoState> {
        self.check(t)?;
        // The first step that goes beyond t. If it begins at t, an event there has already changed the motion.
        let number = self.steps.partition_point(|step| step.state.t <= t);
        let from = self.beginning(number);
        if number == self.steps.len() || from.t >= t {
            return Ok(from.clone());
        }
        self.inside(number, t)
    }

    /// The state at a time; where an event or a jump of the input changes it, the one before.
    ///
    /// # Errors
    /// If the time lies outside of what was computed, or the system cannot be evaluated there.
    pub fn before(&self, t: f64) -> Result<State, NoState> {
        self.check(t)?;
        // The first step that reaches t.
        let number = self.steps.partition_point(|step| step.state.t < t);
        match self.steps.get(number) {
            Some(step) if step.state.t == t && t > self.start.t => Ok(step.state.clone()),
            Some(_) if self.beginning(number).t < t => self.inside(number, t),
            // Before a jump of the input a step ends one rounding earlier.
            _ => Ok(number.checked_sub(1).map_or(&self.start, |last| &self.steps[last].state).clone()),
        }
    }

    /// Where the step of this number begins; for the number after the last one, where the motion ends.
    fn beginning(&self, number: usize) -> &State {
        number.checked_sub(1).map_or(&self.start, |last| self.steps[last].end())
    }

    fn check(&self, t: f64) -> Result<(), NoState> {
        if self.range().contains(&t) {
            return Ok(());
        }
        let stopped = self.outcome.as_ref().err().filter(|_| t > self.last().t).cloned().map(Box::new);
        Err(NoState::Outside { t, range: (self.start.t, self.last().t), stopped })
    }

    fn inside(&self, number: usize, t: f64) -> Result<State, NoState> {
        let (from, step) = (self.beginning(number), &self.steps[number]);
        // A caller that panicked with the lock has left nothing behind that this one relies on.
        let mut looker = self.looker.lock().unwrap_or_else(PoisonError::into_inner);
        looker.state(number, from, step, t).map_err(|failure| NoState::Failed { t, failure })
    }

    /// The times that were computed.
    pub fn range(&self) -> RangeInclusive<f64> {
        self.start.t..=self.last().t
    }

    /// The state at the start, which is consistent.
    pub fn start(&self) -> &State {
        &self.start
    }

    /// The last state, which is where the next step would begin.
    pub fn last(&self) -> &State {
        self.beginning(self.steps.len())
    }

    /// The steps in the order of time.
    pub fn steps(&self) -> &[StepRecord] {
        &self.steps
    }

    /// What happened on the way. In a run that stopped with an error the last event may be what stopped it, after the last step.
    pub fn events(&self) -> &[Occurrence] {
        &self.events
    }

    /// What it cost, and how well it kept what it must; [`Summary::warnings`] says what is not as it should be.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// What was done to the guess; none if the integration began with a consistent state.
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// How it ended: at the end of the range, by an event, or with an error.
    pub fn outcome(&self) -> &Result<Outcome, IntegrateError> {
        &self.outcome
    }

    /// Whether it ended well: at the end of the range, or by an event that says stop.
    pub fn is_whole(&self) -> bool {
        self.outcome.is_ok()
    }

    /// The solution if it is whole.
    ///
    /// # Errors
    /// What stopped it before its end.
    pub fn whole(self) -> Result<Self, IntegrateError> {
        match &self.outcome {
            Ok(_) => Ok(self),
            Err(error) => Err(error.clone()),
        }
    }
}

impl fmt::Debug for Solution<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("Solution");
        told.field("range", &self.range()).field("steps", &self.steps.len()).field("events", &self.events.len());
        told.field("outcome", &self.outcome).finish_non_exhaustive()
    }
}
