//! One call from a guess to a motion.

use std::fmt;
use std::ops::Range;

use crate::advice::{Advised, Message, displayed};
use crate::controller::{ErrorControl, FixedSteps};
use crate::equations::Equations;
use crate::event::Event;
use crate::initial::{Guess, InitialError, Options, consistent_with};
use crate::integrator::{Integrator, Limits, StartError};
use crate::method::{Accumulation, BadMethod, Caution, Method, RungeKutta, Scheme};
use crate::solution::Solution;
use crate::state::State;
use crate::system::ConstrainedSystem;
use crate::tolerance::Tolerance;

/// How to solve: how accurately, with which method and steps, and what to watch on the way. A [`Tolerance`] alone is a plan.
pub struct Plan<'s> {
    tolerance: Tolerance,
    scheme: Option<Box<dyn Scheme + 's>>,
    steps: Steps,
    events: Vec<Event<'s>>,
    limits: Limits<'s>,
    start: Options,
    until: Option<Until<'s>>,
}

/// Looks at the states before and after a step, and says whether to stop there.
pub(crate) type Until<'s> = Box<dyn FnMut([&State; 2]) -> bool + Send + 's>;

/// Who chooses the steps.
enum Steps {
    ByError(ErrorControl),
    Prescribed(FixedSteps),
}

impl From<Tolerance> for Plan<'_> {
    fn from(tolerance: Tolerance) -> Self {
        Plan::new(tolerance)
    }
}

impl<'s> Plan<'s> {
    /// Radau IIA with as many stages as suit the tolerance, and steps that meet it.
    pub fn new(tolerance: Tolerance) -> Self {
        let steps = Steps::ByError(ErrorControl::new());
        let (limits, start) = (Limits::default(), Options::default());
        Plan { tolerance, scheme: None, steps, events: Vec::new(), limits, start, until: None }
    }

    /// How accurately.
    pub fn tolerance(&self) -> &Tolerance {
        &self.tolerance
    }

    /// Another method, or other parameters of it.
    pub fn with_method(self, scheme: impl Scheme + 's) -> Self {
        Plan { scheme: Some(Box::new(scheme)), ..self }
    }

    /// Steps by error, with other settings than the usual ones.
    pub fn with_control(self, control: ErrorControl) -> Self {
        Plan { steps: Steps::ByError(control), ..self }
    }

    /// Prescribed steps; the tolerance is that of Newton's method.
    pub fn with_steps(self, steps: FixedSteps) -> Self {
        Plan { steps: Steps::Prescribed(steps), ..self }
    }

    /// An event to watch; may be called several times.
    pub fn with_event(mut self, event: Event<'s>) -> Self {
        self.events.push(event);
        self
    }

    /// Limits to what the integration may cost.
    pub fn with_limits(self, limits: Limits<'s>) -> Self {
        Plan { limits, ..self }
    }

    /// Stops after the first step for whose ends this is true; the [outcome](Solution::outcome) is then
    /// [`Outcome::Stopped`](crate::Outcome::Stopped).
    pub fn until(self, stop: impl FnMut([&State; 2]) -> bool + Send + 's) -> Self {
        Plan { until: Some(Box::new(stop)), ..self }
    }

    /// How to repair the guess.
    pub fn with_start(self, start: Options) -> Self {
        Plan { start, ..self }
    }
}

/// Why there is no solution at all.
#[derive(Clone, Debug, PartialEq)]
pub enum SolveError {
    /// The range of times is empty, goes backwards, or has an end that is not a number.
    Range {
        /// Its beginning.
        from: f64,
        /// Its end.
        to: f64,
    },
    /// The guess is for another time than that at which the range begins.
    OtherTime {
        /// The time of the guess.
        guess: f64,
        /// Where the range begins.
        from: f64,
    },
    /// There is no consistent start.
    Start(Box<InitialError>),
    /// The integration cannot begin.
    Integrator(StartError),
}

impl Advised for SolveError {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::Range { from, to } if from == to => write!(f, "the range of times {from}..{to} is empty"),
            SolveError::Range { from, to } if from > to => write!(f, "the range of times {from}..{to} goes backwards"),
            SolveError::Range { from, to } => write!(f, "the range of times {from}..{to} is not one"),
            SolveError::OtherTime { guess, from } => {
                write!(f, "the guess is for t = {guess}, and the range of times begins at {from}")
            }
            SolveError::Start(error) => write!(f, "no consistent start: {}", Message(&**error)),
            SolveError::Integrator(error) => error.tell(f),
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            SolveError::Range { from, to } if from == to => "`consistent` gives the state at a single time".to_owned(),
            SolveError::Range { from, to } if from > to => {
                "integrate forward in time; for the way back, let the time of the system run backwards".to_owned()
            }
            SolveError::Range { .. } => "begin and end at finite numbers".to_owned(),
            SolveError::OtherTime { .. } => "let the range begin where the guess is".to_owned(),
            SolveError::Start(error) => error.hint(),
            SolveError::Integrator(error) => return error.hint(),
        })
    }

    fn blame(&self) -> Option<String> {
        match self {
            SolveError::Range { .. } | SolveError::OtherTime { .. } => Some("times".to_owned()),
            SolveError::Start(error) => error.blame(),
            SolveError::Integrator(error) => error.blame(),
        }
    }
}

displayed!(SolveError);

/// The motion of a system from a guess of its start, over a range of times, to a tolerance: all steps, events, and the state
/// [at](Solution::at) any time in between.
///
/// A motion that stops with an error is a [`Solution`] up to there; see [`Solution::is_whole`]. For modes, jumps of the input,
/// checkpoints or steps one by one make an [`Integrator`]; its [`solve`](Integrator::solve) gives a solution too.
///
/// # Errors
/// If it cannot begin: no such range, no consistent start, a method that does not suit the system.
pub fn solve<'s>(
    system: &'s dyn ConstrainedSystem,
    guess: &Guess,
    times: Range<f64>,
    plan: impl Into<Plan<'s>>,
) -> Result<Solution<'s>, SolveError> {
    let Range { start: from, end: to } = times;
    if !(from.is_finite() && to.is_finite() && from < to) {
        return Err(SolveError::Range { from, to });
    }
    if guess.t != from {
        return Err(SolveError::OtherTime { guess: guess.t, from });
    }
    let Plan { tolerance, scheme, steps, events, limits, start, until } = plan.into();
    let begun = |error: StartError| SolveError::Integrator(error);
    let scheme = match scheme {
        Some(scheme) => scheme,
        None => Box::new(RungeKutta::radau(stages(tolerance.rtol)).map_err(|bad| begun(bad.into()))?),
    };
    let (state, report) = consistent_with(system, guess, &start).map_err(|error| SolveError::Start(Box::new(error)))?;
    let integrator = match steps {
        Steps::ByError(control) => Integrator::new(system, &state, &*scheme, control, tolerance),
        Steps::Prescribed(steps) => Integrator::new(system, &state, &*scheme, steps, tolerance),
    };
    let mut integrator = integrator.map_err(begun)?;
    for event in events {
        integrator.add_event(event);
    }
    integrator.limit(limits);
    Ok(integrator.solve_until(to, until).with_report(report))
}

/// The number of stages of Radau IIA that suits a relative tolerance: few for a loose one, where cheaper steps save more than a
/// higher order would.
pub fn stages(rtol: f64) -> usize {
    match rtol {
        1e-4.. => 3,
        _ if rtol < 1e-9 => 7,
        _ => 5,
    }
}

/// A scheme in a box is one: that of a [plan](Plan::with_method) may be chosen at run time.
impl<T: Scheme + ?Sized> Scheme for Box<T> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn needs_dense(&self) -> bool {
        (**self).needs_dense()
    }

    fn caution(&self) -> Option<Caution> {
        (**self).caution()
    }

    fn accumulation(&self) -> Accumulation {
        (**self).accumulation()
    }

    fn build(&self, equations: &Equations, tolerance: Tolerance) -> Result<Box<dyn Method>, BadMethod> {
        (**self).build(equations, tolerance)
    }
}
