//! Extended HHT-alpha (Jay & Negrut, "Extensions of the HHT-alpha method to differential-algebraic equations in
//! mechanics"): (2.2) without constraints, (3.4) for holonomic, section 6 for nonholonomic ones.
//!
//! ```text
//! q1 = q0 o (h v0 + h^2 ((1/2-beta) a0 + beta a1) + h^2/2 ((1-b) R0 + b R1))        0 = g(t1,q1)
//! v1 = v0 + h ((1-gamma) a0 + gamma a1) + h/2 (R0 + R1)                             0 = g_t + G v1
//! M1 a1 = (1+alpha) f(t1,q1,v1) - alpha M1 A0,    A0 = M0^-1 f(t0,q0,v0)
//! M0 R0 = r(t0,q0,L0),   M1 R1 = r(t1,q1,L1)
//! ```
//!
//! Here `a` is the acceleration by f alone, at t + alpha h; L0, L1 belong to the step, only their mean is second order
//! (at the middle of the step). A change of step size applies (2.3): `a0 := A0 + h/h_before (a0 - A0)`.
//!
//! M must be invertible: R is carried as an acceleration.

mod nodes;
mod step;

use super::alpha_error::{LocalError, Motion, Past};
use super::generalized_alpha::{LARGEST_RATIO, RATIO_SLACK, checked_ratio};
use super::jerk::Probe;
use super::projection::Projector;
use super::{Accumulation, Attempt, BadMethod, ErrorEstimate, Method, Own, Scheme, Start, StepFailure, require};
use crate::acceleration::AccelerationLevel;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::{Kkt, LinearWork};
use crate::newton::Newton;
use crate::state::State;
use crate::system::Redundancy;
use crate::tolerance::Tolerance;
use step::HhtCorrector;

/// Where the second reaction of a step is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// At the new position, (3.4).
    #[default]
    Full,
    /// At the predicted position q0 o h v0, (3.5).
    Predicted,
    /// In v one reaction R_1/2 at the middle (q0 + q1)/2 of the step, with b = 0. On rotations the middle is q0 o dx/2,
    /// half the increment of the step.
    Midpoint,
    /// The same at the predicted middle q0 o h/2 v0: q1 replaced by (3.5).
    MidpointPredicted,
    /// For nonholonomic constraints, section 6: one reaction at the middle of the step in q and v.
    Index2,
}

/// HHT-alpha and its extensions to constraints, second order in q and v.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HhtAlpha {
    /// Damping parameter, in [-1/3, 0]; 0 does not damp.
    pub alpha: f64,
    /// Share of the new reaction in q, not 1/2.
    pub b: f64,
    /// Where reactions are evaluated.
    pub form: Form,
    /// The first a0: [`Start::A0`] as in the paper's experiments, [`Start::Jerk`] or [`Start::Twice`].
    pub start: Start,
    /// Whether a0 follows a change of the step size, (2.3); without it everything falls to first order.
    pub step_change: bool,
    /// Largest ratio of a step to the one before, at least 1; 2 unless raised.
    pub largest_ratio: f64,
}

impl HhtAlpha {
    /// The full form with b = 0.
    ///
    /// # Errors
    /// If alpha is outside [-1/3, 0].
    pub fn new(alpha: f64) -> Result<Self, BadMethod> {
        let (form, start) = (Form::Full, Start::default());
        HhtAlpha { alpha, b: 0.0, form, start, step_change: true, largest_ratio: LARGEST_RATIO }.checked()
    }

    /// The same scheme with another b.
    ///
    /// # Errors
    /// If b is 1/2.
    pub fn with_b(self, b: f64) -> Result<Self, BadMethod> {
        HhtAlpha { b, ..self }.checked()
    }

    /// The same scheme in another form.
    pub fn with_form(self, form: Form) -> Self {
        HhtAlpha { form, ..self }
    }

    /// The same scheme with another start.
    pub fn with_start(self, start: Start) -> Self {
        HhtAlpha { start, ..self }
    }

    /// The same scheme with or without the step-change formula.
    pub fn with_step_change(self, step_change: bool) -> Self {
        HhtAlpha { step_change, ..self }
    }

    /// The same scheme with another limit on the ratio of a step to the one before; see
    /// [`GeneralizedAlpha::with_largest_ratio`](super::GeneralizedAlpha::with_largest_ratio).
    ///
    /// # Errors
    /// If the ratio is less than 1.
    pub fn with_largest_ratio(self, largest_ratio: f64) -> Result<Self, BadMethod> {
        HhtAlpha { largest_ratio, ..self }.checked()
    }

    fn checked(self) -> Result<Self, BadMethod> {
        let HhtAlpha { alpha, b, .. } = self;
        checked_ratio(self.largest_ratio)?;
        require((-1.0 / 3.0..=0.0).contains(&alpha), "alpha", alpha, "in [-1/3, 0]")?;
        require(b.is_finite() && (b - 0.5).abs() > 1e-3, "b", b, "a number other than 1/2; 0 is a good choice")?;
        if matches!(self.form, Form::Midpoint | Form::MidpointPredicted) {
            require(b == 0.0, "b", b, "0 in the midpoint forms")?;
        }
        Ok(self)
    }
}

impl Scheme for HhtAlpha {
    fn accumulation(&self) -> Accumulation {
        Accumulation { factor: 0.3, exponent: 1.5, finest: 1e-12 }
    }

    fn name(&self) -> &'static str {
        "hht-alpha"
    }

    fn needs_dense(&self) -> bool {
        true
    }

    fn build(&self, equations: &Equations, tolerance: Tolerance) -> Result<Box<dyn Method>, BadMethod> {
        self.checked()?;
        let dims = equations.dims();
        let unsuited = |because, hint| Err(BadMethod::Unsuited { method: self.name(), because, hint });
        if equations.has_general_rate() {
            return unsuited(
                "its kinematics q' = U(t,q,v) are general",
                "choose velocities with q' = v, or name `rotations`",
            );
        }
        // Its reactions act at two points of a step, where different combinations of dependent constraints do nothing: those of
        // one point move the system at the other, and Newton's method has nothing that holds them.
        if equations.redundancy() != Redundancy::Refused {
            return unsuited("its constraints may be redundant", "use generalized-alpha, Radau or BDF");
        }
        if self.start == Start::Implicit {
            return unsuited("equation (10) is a start of generalized-alpha", "use the start `A0`, `Jerk` or `Twice`");
        }
        match (dims.lambda, dims.psi, self.form) {
            (1.., 1.., _) => unsuited(
                "it has both holonomic and nonholonomic constraints",
                "use generalized-alpha, which treats both",
            ),
            (0, 1.., form) if form != Form::Index2 => {
                unsuited("it has nonholonomic constraints", "use the form `Index2`, or generalized-alpha")
            }
            (1.., 0, Form::Index2) => {
                unsuited("the form `Index2` is for nonholonomic constraints", "use `Full`, `Predicted` or `Midpoint`")
            }
            _ => Ok(Box::new(HhtStepper::new(*self, equations, tolerance))),
        }
    }
}

/// The method at work on one system.
struct HhtStepper {
    scheme: HhtAlpha,
    tolerance: Tolerance,
    newton: Newton,
    level: AccelerationLevel,
    projector: Projector,
    step: HhtCorrector,
    probe: Probe,
    error: LocalError,
    /// Whether anyone asks for the error.
    controlled: bool,
    /// Consistent acceleration one step back, and the jerk at the start, for the error.
    a_before: Vec<f64>,
    jerk: Vec<f64>,
    now: State,
    next: State,
    carry: Carry,
    next_carry: Carry,
    /// h of the step before.
    history: Option<f64>,
}

/// What a step hands to the next, besides the state.
#[derive(Clone)]
struct Carry {
    /// a1, by f alone.
    a: Vec<f64>,
    /// The step's multiplier at its middle.
    mu: Vec<f64>,
    /// M and f at the step's end.
    mass: Vec<f64>,
    force: Vec<f64>,
}

impl Keep for Carry {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.a, self.mu, self.mass, self.force)
    }
}

impl HhtStepper {
    fn new(scheme: HhtAlpha, equations: &Equations, tolerance: Tolerance) -> Self {
        let dims = equations.dims();
        let (n, m) = (dims.v, dims.constraints());
        let carry = Carry { a: vec![0.0; n], mu: vec![0.0; m], mass: vec![0.0; n * n], force: vec![0.0; n] };
        HhtStepper {
            scheme,
            tolerance,
            newton: Newton::default(),
            level: AccelerationLevel::new(equations),
            projector: Projector::new(equations),
            step: HhtCorrector::new(scheme, equations),
            probe: Probe::new(equations),
            error: LocalError::new(equations),
            controlled: true,
            a_before: vec![0.0; n],
            jerk: vec![0.0; n],
            now: State::zero(dims),
            next: State::zero(dims),
            next_carry: carry.clone(),
            carry,
            history: None,
        }
    }

    /// M and f that the acceleration level has just evaluated.
    fn keep_level(level: &AccelerationLevel, carry: &mut Carry) {
        carry.mass.copy_from_slice(&level.mass);
        carry.force.copy_from_slice(&level.force);
    }

    /// a0 for a step of length h, into the step.
    fn prepare(&mut self, equations: &mut Equations, h: f64) -> Result<(), StepFailure> {
        let alpha = self.scheme.alpha;
        let jerk_start = self.history.is_none() && self.scheme.start == Start::Jerk && alpha != 0.0;
        let d = self.probe.length(equations, &self.tolerance, &self.now, h);
        if self.history.is_none() && self.controlled {
            // For the error. Later would be too late: the acceleration level then knows the end of the step.
            self.probe.jerk(equations, &mut self.level, &self.now, d, &mut self.jerk)?;
        }
        if jerk_start {
            self.probe.run(equations, &mut self.level, &self.now, d)?;
            self.step.applied_acceleration(&self.level.mass, &self.level.force, &mut self.probe.a)?;
        }
        self.step.begin(equations, &self.now, &self.carry.mass, &self.carry.force, h)?;
        match self.history {
            None if jerk_start => {
                let probed = &self.probe.a;
                self.step.start_from(|applied, i| applied + alpha * h * (probed[i] - applied) / d);
            }
            None => self.step.start_from(|applied, _| applied),
            Some(before) => {
                let ratio = h / before;
                let limit = self.scheme.largest_ratio;
                if ratio > limit * (1.0 + RATIO_SLACK) {
                    return Err(StepFailure::Ratio { ratio, limit });
                }
                let a = &self.carry.a;
                let ratio = if self.scheme.step_change { ratio } else { 1.0 };
                self.step.start_from(|applied, i| applied + ratio * (a[i] - applied));
            }
        }
        Ok(())
    }

    /// The local error of the attempt in `next`.
    fn estimate(&mut self, equations: &mut Equations, h: f64) -> Result<ErrorEstimate, StepFailure> {
        let past = match self.history {
            Some(before) => Past::Before(&self.a_before, before),
            None => Past::Jerk(&self.jerk),
        };
        let HhtStepper { error, step, now, next, tolerance, .. } = self;
        let (dx, filter) = step.filter();
        error.estimate(equations, &Motion { h, dx, from: now, to: next, past }, filter, tolerance)
    }

    /// One solution of the step with the present a0; completes `next`.
    fn solve(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        self.step.predict(equations, &self.carry.mu)?;
        let (reuse, another_h) = (self.step.is_linearized(), self.step.is_for_another_h());
        let solved = {
            let mut problem = self.step.problem(equations, &self.now, &self.tolerance);
            if another_h {
                problem.combine()?;
            }
            self.newton.solve(&mut problem, reuse)
        };
        let cost = solved.inspect_err(|_| self.step.forget())?;
        self.next.t = self.now.t + h;
        self.step.solution(&mut self.next, &mut self.next_carry.a, &mut self.next_carry.mu);
        self.next.a.copy_from_slice(&self.now.a);
        let residuals = self.projector.complete(equations, &mut self.level, &mut self.next, h)?;
        Self::keep_level(&self.level, &mut self.next_carry);
        Ok(Attempt { iterations: cost.iterations, linearizations: cost.linearizations, residuals, error: None })
    }
}

impl Method for HhtStepper {
    fn restart(&mut self, equations: &mut Equations, start: &State) -> Result<(), StepFailure> {
        self.level.restart();
        self.error.restart();
        self.now.assign(start);
        self.history = None;
        self.newton.forget();
        self.step.forget();
        self.level.complete(equations, &mut self.now)?;
        Self::keep_level(&self.level, &mut self.carry);
        self.carry.mu.clear();
        self.carry.mu.extend(self.now.lambda.iter().chain(&self.now.psi));
        Ok(())
    }

    fn attempt(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        self.prepare(equations, h)?;
        let mut attempt = self.solve(equations, h)?;
        if self.history.is_none() && self.scheme.start == Start::Twice && self.scheme.alpha != 0.0 {
            let (alpha, end) = (self.scheme.alpha, &mut self.probe.a);
            self.step.applied_acceleration(&self.level.mass, &self.level.force, end)?;
            self.step.begin(equations, &self.now, &self.carry.mass, &self.carry.force, h)?;
            self.step.start_from(|applied, i| applied + alpha * (end[i] - applied));
            let again = self.solve(equations, h)?;
            attempt.iterations += again.iterations;
            attempt.linearizations += again.linearizations;
            attempt.residuals = again.residuals;
        }
        self.error.onset.renewed |= attempt.linearizations > 0;
        if self.controlled {
            attempt.error = Some(self.estimate(equations, h)?);
        }
        Ok(attempt)
    }

    fn expect_no_retries(&mut self) {
        self.controlled = false;
    }

    fn estimates_error(&self) -> bool {
        true
    }

    fn error(&self) -> Option<(&[f64], &[f64])> {
        Some(self.error.vectors())
    }

    fn first_step(&mut self, equations: &mut Equations, t_end: f64) -> Result<f64, StepFailure> {
        Ok(self.probe.first_step(equations, &mut self.level, &self.tolerance, &self.now, t_end, self.scheme.alpha)?)
    }

    fn accept(&mut self) {
        self.level.accept(&self.next);
        self.error.accept();
        self.a_before.copy_from_slice(&self.now.a);
        self.history = Some(self.next.t - self.now.t);
        std::mem::swap(&mut self.now, &mut self.next);
        std::mem::swap(&mut self.carry, &mut self.next_carry);
    }
    fn state(&self) -> &State {
        &self.now
    }

    fn next(&self) -> Option<&State> {
        Some(&self.next)
    }

    fn own(&self) -> Own<'_> {
        let Some(h) = self.history else { return Own::consistent(&self.now) };
        let t = self.now.t;
        Own::carried(&self.now, (t + self.scheme.alpha * h, &self.carry.a), (t - 0.5 * h, &self.carry.mu))
    }

    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let HhtAlpha { alpha, b, form, start, step_change, largest_ratio } = self.scheme;
        for (what, value) in [("alpha", alpha), ("b", b), ("largest ratio", largest_ratio)] {
            archive.same(what, value)?;
        }
        for (what, choice) in [("form", form as u8), ("start", start as u8), ("step change", u8::from(step_change))] {
            archive.same(what, f64::from(choice))?;
        }
        keep!(archive; self.now, self.next, self.a_before, self.jerk, self.carry, self.next_carry, self.history)?;
        keep!(archive; self.newton, self.level, self.step, self.error)
    }

    fn linear_work(&self) -> LinearWork {
        self.step.kkts().into_iter().chain([&self.level.kkt]).map(Kkt::work).chain([self.error.onset.work()]).sum()
    }
}
