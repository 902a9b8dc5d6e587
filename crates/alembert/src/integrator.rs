//! The loop: propose a step, attempt it, judge it, accept it, show it.

use std::fmt;

use crate::acceleration::AccelerationLevel;
use crate::controller::{Retry, StepController, Verdict};
use crate::equations::Equations;
use crate::linear::Singular;
use crate::method::{BadMethod, Method, Projection, Projector, Scheme, StepFailure};
use crate::observer::{Accepted, Observer};
use crate::state::{ConsistentState, State};
use crate::stats::{Residuals, Stats};
use crate::system::ConstrainedSystem;
use crate::tolerance::Tolerance;

/// How an integration ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At the final time.
    Reached,
    /// The observer said stop.
    Stopped,
}

/// Why an integration ended early. The state reached so far is still in the integrator.
#[derive(Clone, Debug, PartialEq)]
pub enum IntegrateError {
    /// A step failed and no shorter one is allowed.
    Step {
        /// Time at the start of the step.
        t: f64,
        /// Its length.
        h: f64,
        /// What happened.
        failure: StepFailure,
        /// The constraint or coordinate involved, by name.
        blame: Option<String>,
    },
    /// Steps have become too small to go on.
    StepTooSmall {
        /// Time at the start of the step.
        t: f64,
        /// Length of the last attempt.
        h: f64,
        /// What made it too long still.
        cause: Obstacle,
        /// The constraint or coordinate involved, by name.
        blame: Option<String>,
    },
    /// The final time is not ahead.
    Backward {
        /// Present time.
        t: f64,
        /// Time asked for.
        t_end: f64,
    },
}

/// What made a step too long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Obstacle {
    /// The attempt failed.
    Failure(StepFailure),
    /// Its error was this many times the tolerance.
    Error(f64),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Failure(failure) => write!(f, "{failure}"),
            Obstacle::Error(norm) => write!(f, "the estimated error is still {norm:.1e} times the tolerance"),
        }
    }
}

impl fmt::Display for IntegrateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntegrateError::Step { t, h, failure, blame } => {
                write!(f, "the step from t = {t} with h = {h:e} failed: {failure}{}", Blame(blame))?;
                match failure {
                    StepFailure::Diverged { .. } | StepFailure::NoMultipliers | StepFailure::NotFinite(_) => {
                        write!(f, "\nhint: try a smaller step")
                    }
                    StepFailure::Ratio { limit, .. } => {
                        write!(f, "\nhint: let neighbouring steps differ by at most a factor {limit}")
                    }
                    StepFailure::Singular(_) | StepFailure::Crossing { .. } => {
                        write!(f, "\nhint: look at the configuration at this time; constraints may coincide there")
                    }
                    StepFailure::Massless { .. } => Ok(()),
                }
            }
            IntegrateError::StepTooSmall { t, h, cause, blame } => write!(
                f,
                "the step size has become too small at t = {t}, h = {h:e}: {cause}{}\n\
                 hint: look at the configuration at this time; the motion may end or jump there",
                Blame(blame)
            ),
            IntegrateError::Backward { t, t_end } => {
                write!(f, "the final time {t_end} is not after the present time {t}\nhint: integrate forward in time")
            }
        }
    }
}

impl std::error::Error for IntegrateError {}

/// " (at NAME)", or nothing.
struct Blame<'a>(&'a Option<String>);

impl fmt::Display for Blame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |name| write!(f, " (at {name})"))
    }
}

/// Integrates one system from one start with one method.
pub struct Integrator<'s> {
    equations: Equations<'s>,
    method: Box<dyn Method>,
    controller: Box<dyn StepController>,
    stats: Stats,
    /// Where the last accepted step began.
    before: State,
    /// For [`consistent_at`](Self::consistent_at), made when first asked for.
    projection: Option<(Projector, AccelerationLevel)>,
}

impl<'s> Integrator<'s> {
    /// Prepares an integration. `tolerance` governs Newton's method, and the step sizes where they are chosen by error.
    ///
    /// # Errors
    /// If the scheme is out of range or does not fit the system, or the start cannot be evaluated.
    pub fn new(
        system: &'s dyn ConstrainedSystem,
        start: &ConsistentState,
        scheme: &dyn Scheme,
        controller: impl StepController + 'static,
        tolerance: Tolerance,
    ) -> Result<Self, StartError> {
        let mut equations = Equations::new(system);
        let mut method = scheme.build(&equations, tolerance)?;
        if controller.needs_estimate() && !method.estimates_error() {
            return Err(BadMethod::NoEstimate { method: scheme.name() }.into());
        }
        if !controller.retries() {
            method.expect_no_retries();
        }
        method.restart(&mut equations, start).map_err(|failure| StartError::Start { t: start.t, failure })?;
        let before = method.state().clone();
        let controller = Box::new(controller);
        Ok(Integrator { equations, method, controller, stats: Stats::default(), before, projection: None })
    }

    /// The present state.
    pub fn state(&self) -> &State {
        self.method.state()
    }

    /// What it has cost so far.
    pub fn stats(&self) -> Stats {
        let (factorisations, solves) = self.method.linear_work();
        Stats { factorisations, solves, evaluations: self.equations.evaluations(), ..self.stats }
    }

    /// Who is involved in a failure, by name.
    fn blame(&self, failure: &StepFailure) -> Option<String> {
        let (system, dims) = (self.equations.system(), self.equations.dims());
        let constraint = |row: usize| match row.checked_sub(dims.lambda) {
            None => system.holonomic_name(row),
            Some(row) => system.nonholonomic_name(row),
        };
        match *failure {
            StepFailure::Crossing { constraint: row } => Some(constraint(row)),
            StepFailure::Singular(Singular { column }) => match column.checked_sub(dims.v) {
                None => Some(system.coordinate_name(column)),
                Some(row) if row < dims.constraints() => Some(constraint(row)),
                Some(_) => None,
            },
            StepFailure::Massless { coordinate } => Some(system.coordinate_name(coordinate)),
            _ => None,
        }
    }

    /// One accepted step towards `t_end`.
    ///
    /// # Errors
    /// If it failed and no shorter one is allowed.
    pub fn step(&mut self, t_end: f64) -> Result<Accepted<'_>, IntegrateError> {
        let t = self.method.state().t;
        let remaining = t_end - t;
        if remaining.is_nan() || remaining <= 0.0 {
            return Err(IntegrateError::Backward { t, t_end });
        }
        if self.controller.wants_first_step() {
            let suggested = self.method.first_step(&mut self.equations, t_end);
            let suggested = suggested.map_err(|failure| {
                let blame = self.blame(&failure);
                IntegrateError::Step { t, h: remaining, failure, blame }
            })?;
            self.controller.suggest(suggested);
        }
        let mut h = self.controller.propose(t, remaining);
        let attempt = loop {
            match self.method.attempt(&mut self.equations, h) {
                Ok(attempt) => match self.controller.judge(h, &attempt) {
                    Verdict::Accept => break attempt,
                    Verdict::Reject { h: shorter } => {
                        self.stats.rejected += 1;
                        h = shorter;
                    }
                    Verdict::TooSmall => {
                        let cause = Obstacle::Error(attempt.error.map_or(f64::NAN, |error| error.norm));
                        return Err(IntegrateError::StepTooSmall { t, h, cause, blame: None });
                    }
                },
                Err(failure) => {
                    self.stats.failed += 1;
                    h = match self.controller.after_failure(h, &failure) {
                        Retry::Shorter(shorter) => shorter,
                        Retry::TooSmall => {
                            let (cause, blame) = (Obstacle::Failure(failure), self.blame(&failure));
                            return Err(IntegrateError::StepTooSmall { t, h, cause, blame });
                        }
                        Retry::Never => {
                            let blame = self.blame(&failure);
                            return Err(IntegrateError::Step { t, h, failure, blame });
                        }
                    };
                }
            }
        };
        self.before.assign(self.method.state());
        self.method.accept();
        self.stats.steps += 1;
        self.stats.iterations += attempt.iterations as u64;
        self.stats.linearizations += attempt.linearizations as u64;
        self.stats.residuals = self.stats.residuals.max(attempt.residuals);
        Ok(Accepted { h, state: self.method.state(), own: self.method.own(), attempt })
    }

    /// Writes the state at a time within the last accepted step; its accuracy is stated at the method. Before the first
    /// step it is the start.
    pub fn interpolate(&self, t: f64, out: &mut State) {
        if self.before.t < self.method.state().t {
            self.method.interpolate(&self.equations, &self.before, t, out);
        } else {
            out.assign(self.method.state());
        }
    }

    /// Like [`interpolate`](Self::interpolate), but projected onto the constraints, with the accelerations and multipliers
    /// that belong to q and v. Costs two factorisations.
    ///
    /// # Errors
    /// If the system cannot be evaluated there, or the constraints are dependent.
    pub fn consistent_at(&mut self, t: f64, out: &mut State) -> Result<Residuals, StepFailure> {
        self.interpolate(t, out);
        let equations = &mut self.equations;
        let (projector, level) =
            self.projection.get_or_insert_with(|| (Projector::new(equations), AccelerationLevel::new(equations)));
        projector.project(equations, level, out, Projection::Full, 0.0)?;
        Ok(level.complete(equations, out)?)
    }

    /// Steps until `t_end`, or until the observer says stop.
    ///
    /// # Errors
    /// If a step failed and no shorter one is allowed.
    pub fn run(&mut self, t_end: f64, observer: &mut dyn Observer) -> Result<Outcome, IntegrateError> {
        // A last step ends within rounding of t_end; what is left of it is not another step.
        let close = 1e-12 * (t_end.abs() + (t_end - self.state().t).abs());
        loop {
            let accepted = self.step(t_end)?;
            let reached = t_end - accepted.state.t <= close;
            if observer.on_step(&accepted).is_break() {
                return Ok(Outcome::Stopped);
            }
            if reached {
                return Ok(Outcome::Reached);
            }
        }
    }
}

/// Why an integration could not begin.
#[derive(Clone, Debug, PartialEq)]
pub enum StartError {
    /// The scheme is out of range or does not fit the system.
    Method(BadMethod),
    /// The system cannot be evaluated at the start.
    Start {
        /// The time of the start.
        t: f64,
        /// What happened.
        failure: StepFailure,
    },
}

impl From<BadMethod> for StartError {
    fn from(bad: BadMethod) -> Self {
        StartError::Method(bad)
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Method(bad) => write!(f, "{bad}"),
            StartError::Start { t, failure } => write!(f, "cannot start at t = {t}: {failure}"),
        }
    }
}

impl std::error::Error for StartError {}
