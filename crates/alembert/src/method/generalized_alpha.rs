//! Generalized-alpha-SOI2 (Jay & Negrut, "A second order extension of the generalized-alpha method for constrained
//! systems in mechanics", equation 14; without holonomic constraints it is Jay's nonholonomic method, equation 2.3).
//!
//! ```text
//! q1 = q0 o (h v0 + h^2 ((1/2-beta) a_al + beta a~))
//! v~ = v0 + h ((1-gamma) a_al + gamma a~)          v1 = v0 + h ((1-gamma) a_al + gamma a)
//! (1-am) M_{1+al} a~ + am M_al a_al = (1-af) F(t1,q1,v1,mu~) + af F0       0 = g(t1,q1),    0 = k(t1,q1,v~)
//! (1-am) M_{1+al} a  + am M_al a_al = (1-af) F(t1,q1,v1,mu ) + af F0       0 = g_t + G v1,  0 = k(t1,q1,v1)
//! ```
//!
//! F = f + r, mu = (lambda, psi), al = am - af; `a_al` approximates the acceleration at t0 + al h. The quantities with a
//! tilde are local to the step. When the step size changes, (15) moves `a_al` to its new time; the value "before" in (15)
//! is the one actually used.
//!
//! Departures: a step of less than half the one before takes `a_al = A + al h j` from consistent accelerations A instead
//! of (15), which extrapolates badly there; a step of more than twice the one before is refused, because with stiff modes
//! alternating ratios beyond 2.6 blow up at rho_infinity = 0.

mod coefficients;
mod step;

pub use coefficients::Coefficients;

use super::alpha_error::{LocalError, Motion, Past};
use super::jerk::Probe;
use super::projection::Projector;
use super::{Attempt, BadMethod, ErrorEstimate, Method, Own, Scheme, StepFailure};
use crate::acceleration::AccelerationLevel;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::newton::{Converged, Newton};
use crate::state::State;
use crate::tolerance::Tolerance;
use step::{Halves, StepData};

/// Largest step ratio, with room for rounding.
pub(super) const LARGEST_RATIO: f64 = 2.0;
/// Ratio below which (15) gives way to consistent accelerations.
pub(super) const SMALLEST_RATIO: f64 = 0.5;
/// Relative slack of both.
pub(super) const RATIO_SLACK: f64 = 1e-6;
/// Velocities from which on a system with patterns is large.
const LARGE: usize = 500;
/// Repetitions of the first step for [`Start::Implicit`].
const IMPLICIT_LIMIT: usize = 30;

/// The first `a_al`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// `a_al = a_0`, as in the papers' experiments: accelerations and multipliers are first order until that is forgotten.
    A0,
    /// `a_al = a_0 + al h j_0` with the jerk from a short forward difference: second order from the first step.
    Jerk,
    /// The first step twice: once from `a_0`, then from `a_al = (1-al) a_0 + al a_1` with the consistent acceleration
    /// a_1 where the first pass ended. Second order from the first step, and safe when the start is stiff.
    #[default]
    Twice,
    /// `a_al = (1-al) a_0 + al a_1`, equation (10): the first step repeated until it holds.
    Implicit,
}

/// Which matrix multiplies `a_al`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassMatrix {
    /// M(t_al, q0 o h al v0), evaluated in each step.
    #[default]
    Recomputed,
    /// The matrix of the step before; step changes then use (16) for the product.
    Previous,
}

/// Generalized-alpha for holonomic and nonholonomic constraints, second order in q, v, a, lambda and psi.
///
/// rho_infinity = 1 is not covered by the convergence theorems: it is second order at constant steps in practice, but
/// alternating steps leave a, lambda and psi first order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneralizedAlpha {
    /// alpha_m, alpha_f, beta, gamma.
    pub coefficients: Coefficients,
    /// How the first step begins.
    pub start: Start,
    /// Which mass matrix belongs to `a_al`.
    pub mass_matrix: MassMatrix,
    /// Whether `a_al` follows a change of the step size; without it accelerations and multipliers lose an order, and q, v
    /// too where velocities are free.
    pub step_change: bool,
    /// Whether the velocity level of the holonomic constraints is enforced (SOI2). Without it the method is the plain
    /// index-3 form: cheaper, but velocities leave the constraints. For comparison.
    pub velocity_level: bool,
    /// Where the accelerations and multipliers of the output come from.
    pub output: Output,
}

/// Where the accelerations and multipliers of the output come from. Both are second order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// From the acceleration level for small systems and under error control, the method's own for large ones.
    #[default]
    Automatic,
    /// From the acceleration level at the new q and v: more accurate, at the price of a factorisation a step.
    Consistent,
    /// The method's own: a moved to the time of q and v as by (15), and lambda, psi.
    Own,
}

impl GeneralizedAlpha {
    /// From the spectral radius at infinity, in [0, 1]: 0 damps most, 1 not at all.
    ///
    /// # Errors
    /// If rho is outside [0, 1].
    pub fn from_rho_infinity(rho: f64) -> Result<Self, BadMethod> {
        Coefficients::from_rho_infinity(rho).map(Self::from)
    }

    /// From HHT's alpha, in [-1/3, 0].
    ///
    /// # Errors
    /// If alpha is outside [-1/3, 0].
    pub fn from_hht(alpha: f64) -> Result<Self, BadMethod> {
        Coefficients::from_hht(alpha).map(Self::from)
    }

    /// Newmark's family; (1/4, 1/2) is the trapezoidal rule. Second order only with gamma = 1/2.
    ///
    /// # Errors
    /// If beta or gamma is not positive.
    pub fn from_newmark(beta: f64, gamma: f64) -> Result<Self, BadMethod> {
        Coefficients { alpha_m: 0.0, alpha_f: 0.0, beta, gamma }.checked().map(Self::from)
    }

    /// The same scheme with another start.
    pub fn with_start(self, start: Start) -> Self {
        GeneralizedAlpha { start, ..self }
    }

    /// The same scheme with another mass matrix at `a_al`.
    pub fn with_mass_matrix(self, mass_matrix: MassMatrix) -> Self {
        GeneralizedAlpha { mass_matrix, ..self }
    }

    /// The same scheme with or without the step-change formula.
    pub fn with_step_change(self, step_change: bool) -> Self {
        GeneralizedAlpha { step_change, ..self }
    }

    /// The same scheme with another output.
    pub fn with_output(self, output: Output) -> Self {
        GeneralizedAlpha { output, ..self }
    }

    /// Whether the output is the method's own.
    fn is_light(&self, equations: &Equations) -> bool {
        // Without the velocity level, the multipliers of the acceleration level are of no use either way.
        let possible = equations.has_standard_reaction() && self.velocity_level && equations.dims().lambda > 0;
        match self.output {
            Output::Consistent => false,
            Output::Own => possible,
            Output::Automatic => possible && !equations.layout().is_dense() && equations.dims().v >= LARGE,
        }
    }

    /// The same scheme with or without the velocity level.
    pub fn with_velocity_level(self, velocity_level: bool) -> Self {
        GeneralizedAlpha { velocity_level, ..self }
    }
}

impl From<Coefficients> for GeneralizedAlpha {
    fn from(coefficients: Coefficients) -> Self {
        GeneralizedAlpha {
            coefficients,
            start: Start::default(),
            mass_matrix: MassMatrix::default(),
            step_change: true,
            velocity_level: true,
            output: Output::default(),
        }
    }
}

impl Scheme for GeneralizedAlpha {
    fn name(&self) -> &'static str {
        "generalized-alpha"
    }

    fn build(&self, equations: &Equations, tolerance: Tolerance) -> Result<Box<dyn Method>, BadMethod> {
        self.coefficients.checked()?;
        if equations.has_general_rate() {
            return Err(BadMethod::Unsuited {
                method: self.name(),
                because: "its kinematics q' = U(t,q,v) are general",
                hint: "choose velocities with q' = v, or name `rotations`",
            });
        }
        Ok(Box::new(Stepper::new(*self, equations, tolerance)))
    }
}

/// The method at work on one system.
struct Stepper {
    scheme: GeneralizedAlpha,
    tolerance: Tolerance,
    newton: Newton,
    level: AccelerationLevel,
    projector: Projector,
    halves: Halves,
    probe: Probe,
    error: LocalError,
    /// Whether anyone asks for the error.
    controlled: bool,
    /// Whether a and the multipliers of the output are the method's own.
    light: bool,
    now: State,
    next: State,
    /// Consistent acceleration one step back, for short steps after long ones and for the error.
    a_before: Vec<f64>,
    jerk: Vec<f64>,
    history: Option<History>,
    carry: Carry,
    next_carry: Carry,
}

/// What a step hands to the next, besides the state.
#[derive(Clone)]
struct Carry {
    /// a_{1+al} as computed.
    a: Vec<f64>,
    /// a_al as used.
    a_al: Vec<f64>,
    /// M_{1+al} a_{1+al} and M_al a_al, for [`MassMatrix::Previous`].
    inertia: Vec<f64>,
    inertia_al: Vec<f64>,
    /// The method's multipliers at the step's end and start.
    mu: Vec<f64>,
    mu_before: Vec<f64>,
    /// F at the step's end, with the method's multipliers.
    force: Vec<f64>,
}

impl Keep for Carry {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.a, self.a_al, self.inertia, self.inertia_al, self.mu, self.mu_before, self.force)
    }
}

#[derive(Clone, Copy)]
struct History {
    h: f64,
}

impl Stepper {
    fn new(scheme: GeneralizedAlpha, equations: &Equations, tolerance: Tolerance) -> Self {
        let dims = equations.dims();
        let (n, m) = (dims.v, dims.constraints());
        let carry = Carry {
            a: vec![0.0; n],
            a_al: vec![0.0; n],
            inertia: vec![0.0; n],
            inertia_al: vec![0.0; n],
            mu: vec![0.0; m],
            mu_before: vec![0.0; m],
            force: vec![0.0; n],
        };
        Stepper {
            scheme,
            tolerance,
            newton: Newton::default(),
            level: AccelerationLevel::new(equations),
            projector: Projector::new(equations),
            halves: Halves::new(scheme.coefficients, scheme.velocity_level, equations),
            probe: Probe::new(equations),
            error: LocalError::new(equations),
            controlled: true,
            light: scheme.is_light(equations),
            now: State::zero(dims),
            next: State::zero(dims),
            a_before: vec![0.0; n],
            jerk: vec![0.0; n],
            history: None,
            next_carry: carry.clone(),
            carry,
        }
    }

    /// The jerk at the start, for a first step of length h.
    fn probe_jerk(&mut self, equations: &mut Equations, h: f64) -> Result<(), StepFailure> {
        let d = self.probe.length(equations, &self.tolerance, &self.now, h);
        self.probe.jerk(equations, &mut self.level, &self.now, d, &mut self.jerk)?;
        Ok(())
    }

    /// a_al (and M_al a_al) for a step of length h, into `next_carry`.
    fn prepare(&mut self, equations: &mut Equations, h: f64) -> Result<(), StepFailure> {
        let alpha = self.scheme.coefficients.alpha();
        let used = &mut self.next_carry.a_al;
        let mut product_known = false;
        match self.history {
            None => {
                used.copy_from_slice(&self.now.a);
                if self.scheme.start == Start::Jerk && alpha != 0.0 {
                    self.probe_jerk(equations, h)?;
                    for (used, j) in self.next_carry.a_al.iter_mut().zip(&self.jerk) {
                        *used += alpha * h * j;
                    }
                }
            }
            Some(history) => {
                let ratio = h / history.h;
                if ratio > LARGEST_RATIO * (1.0 + RATIO_SLACK) {
                    return Err(StepFailure::Ratio { ratio, limit: LARGEST_RATIO });
                }
                if self.scheme.step_change && ratio < SMALLEST_RATIO * (1.0 - RATIO_SLACK) {
                    for (i, used) in used.iter_mut().enumerate() {
                        let jerk = (self.now.a[i] - self.a_before[i]) / history.h;
                        *used = self.now.a[i] + alpha * h * jerk;
                    }
                } else {
                    // (15), and (16) for the product with the previous-step matrix.
                    let shift = if self.scheme.step_change { alpha * (ratio - 1.0) } else { 0.0 };
                    let Carry { a, a_al, inertia, inertia_al, .. } = &self.carry;
                    for (used, (a, before)) in used.iter_mut().zip(a.iter().zip(a_al)) {
                        *used = a + shift * (a - before);
                    }
                    let products = self.next_carry.inertia_al.iter_mut();
                    for (used, (p, before)) in products.zip(inertia.iter().zip(inertia_al)) {
                        *used = p + shift * (p - before);
                    }
                    product_known = self.scheme.mass_matrix == MassMatrix::Previous;
                }
            }
        }
        if !product_known {
            self.multiply_by_mass_at(equations, alpha, h)?;
        }
        Ok(())
    }

    /// M_al a_al with the matrix at t0 + alpha h.
    fn multiply_by_mass_at(&mut self, equations: &mut Equations, alpha: f64, h: f64) -> Result<(), StepFailure> {
        let mass = self.halves.mass_at(equations, &self.now, alpha * h)?;
        let Carry { a_al, inertia_al, .. } = &mut self.next_carry;
        equations.layout().top.multiply(mass, a_al, inertia_al);
        Ok(())
    }

    /// Whether the output is the method's own; an error estimate needs more.
    fn is_light(&self) -> bool {
        self.light && !self.controlled
    }

    /// The acceleration at t_n from the method's own: a_{n+al} moved back by alpha h, as (15) does.
    fn own_acceleration(&mut self) {
        let alpha = self.scheme.coefficients.alpha();
        let Carry { a, a_al, .. } = &self.next_carry;
        for (out, (a, before)) in self.next.a.iter_mut().zip(a.iter().zip(a_al)) {
            *out = a - alpha * (a - before);
        }
    }

    /// The local error of the attempt in `next`.
    fn estimate(&mut self, equations: &mut Equations, h: f64) -> Result<ErrorEstimate, StepFailure> {
        if self.history.is_none() && self.scheme.start != Start::Jerk {
            self.probe_jerk(equations, h)?;
        }
        let past = match self.history {
            Some(history) => Past::Before(&self.a_before, history.h),
            None => Past::Jerk(&self.jerk),
        };
        let Stepper { error, halves, now, next, tolerance, .. } = self;
        let (dx, filter) = halves.filter();
        Ok(error.estimate(equations.space(), &Motion { h, dx, from: now, to: next, past }, filter, tolerance))
    }

    /// One solution of the step with the present `a_al`; completes `next`.
    fn solve(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        let Carry { a_al, inertia_al, .. } = &self.next_carry;
        let w = self.history.map(|history| h / history.h);
        self.halves.begin(
            equations,
            &self.tolerance,
            StepData {
                h,
                now: &self.now,
                a_al,
                inertia_al,
                force: &self.carry.force,
                mu: &self.carry.mu,
                slopes: w.map(|w| (w, &self.carry.a_al[..], &self.carry.mu_before[..])),
            },
        )?;
        let reuse = self.halves.is_linearized();
        if reuse {
            self.halves.refactor_for(h)?;
        }
        let mut cost = {
            let mut problem = self.halves.problem(equations, &self.now, &self.tolerance);
            self.newton.solve(&mut problem, reuse)
        };
        while cost.is_err() && self.halves.climb() {
            self.newton.forget();
            let mut problem = self.halves.problem(equations, &self.now, &self.tolerance);
            cost = self.newton.solve(&mut problem, false);
        }
        let cost = cost.inspect_err(|_| self.halves.forget())?;
        self.next.t = self.now.t + h;
        if self.is_light() {
            let (residuals, renewed) = self.halves.problem(equations, &self.now, &self.tolerance).settle()?;
            self.halves.learn(cost.iterations);
            self.halves.learn_trend(w.is_some());
            self.halves.solution(&mut self.next, &mut self.next_carry.a, &mut self.next_carry.mu);
            self.own_acceleration();
            let Converged { iterations, linearizations } = cost;
            return Ok(Attempt { iterations, linearizations: linearizations + renewed, residuals, error: None });
        }
        self.halves.learn(cost.iterations);
        self.halves.learn_trend(w.is_some());
        self.halves.solution(&mut self.next, &mut self.next_carry.a, &mut self.next_carry.mu);
        self.next.a.copy_from_slice(&self.next_carry.a);
        let residuals = if self.scheme.velocity_level {
            self.projector.complete(equations, &mut self.level, &mut self.next, h)?
        } else {
            self.level.complete(equations, &mut self.next)?
        };
        Ok(Attempt { iterations: cost.iterations, linearizations: cost.linearizations, residuals, error: None })
    }
}

impl Method for Stepper {
    fn restart(&mut self, equations: &mut Equations, start: &State) -> Result<(), StepFailure> {
        self.level.restart();
        self.error.restart();
        self.now.assign(start);
        self.history = None;
        self.halves.forget();
        self.halves.trend.restart();
        self.newton.forget();
        self.carry.mu.clear();
        self.carry.mu.extend(start.lambda.iter().chain(&start.psi));
        self.level.complete(equations, &mut self.now)?;
        self.level.total_force(equations, &self.now, &self.carry.mu, &mut self.carry.force)?;
        Ok(())
    }

    fn attempt(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        self.prepare(equations, h)?;
        let mut attempt = self.solve(equations, h)?;
        let alpha = self.scheme.coefficients.alpha();
        if self.history.is_none() && alpha != 0.0 && matches!(self.scheme.start, Start::Twice | Start::Implicit) {
            for repetition in 1.. {
                let mut change = 0.0_f64;
                for (i, used) in self.next_carry.a_al.iter_mut().enumerate() {
                    let wanted = self.now.a[i] + alpha * (self.next.a[i] - self.now.a[i]);
                    change = change.max((wanted - *used).abs() / (1.0 + wanted.abs()));
                    *used = wanted;
                }
                if change <= 10.0 * self.tolerance.rtol.max(1e-14) {
                    break;
                }
                if repetition == IMPLICIT_LIMIT {
                    return Err(StepFailure::Diverged { iterations: repetition, theta: change });
                }
                self.multiply_by_mass_at(equations, alpha, h)?;
                let again = self.solve(equations, h)?;
                attempt.iterations += again.iterations;
                attempt.linearizations += again.linearizations;
                attempt.residuals = again.residuals;
                if self.scheme.start == Start::Twice {
                    break;
                }
            }
        }
        let light = self.is_light();
        let Carry { a, inertia, mu, mu_before, force, .. } = &mut self.next_carry;
        if self.scheme.mass_matrix == MassMatrix::Previous {
            equations.layout().top.multiply(self.halves.mass(), a, inertia);
        }
        mu_before.copy_from_slice(&self.carry.mu);
        if light {
            self.halves.total_force(equations, &self.next, mu, force)?;
        } else {
            self.level.total_force(equations, &self.next, mu, force)?;
        }
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

    fn first_step(&mut self, equations: &mut Equations, t_end: f64) -> Result<f64, StepFailure> {
        let alpha = self.scheme.coefficients.alpha();
        Ok(self.probe.first_step(equations, &mut self.level, &self.tolerance, &self.now, t_end, alpha)?)
    }

    fn accept(&mut self) {
        self.level.accept();
        self.halves.trend.accept();
        self.error.accept();
        let h = self.next.t - self.now.t;
        self.a_before.copy_from_slice(&self.now.a);
        std::mem::swap(&mut self.now, &mut self.next);
        std::mem::swap(&mut self.carry, &mut self.next_carry);
        self.history = Some(History { h });
    }

    fn state(&self) -> &State {
        &self.now
    }

    fn own(&self) -> Own<'_> {
        let Some(History { h }) = self.history else { return Own::consistent(&self.now) };
        let t = self.now.t;
        Own::carried(&self.now, (t + self.scheme.coefficients.alpha() * h, &self.carry.a), (t, &self.carry.mu))
    }

    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let GeneralizedAlpha { coefficients, start, mass_matrix, step_change, velocity_level, output } = self.scheme;
        let Coefficients { alpha_m, alpha_f, beta, gamma } = coefficients;
        for (what, value) in [("alpha_m", alpha_m), ("alpha_f", alpha_f), ("beta", beta), ("gamma", gamma)] {
            archive.same(what, value)?;
        }
        for (what, choice) in [
            ("start", start as u8),
            ("mass matrix", mass_matrix as u8),
            ("step change", u8::from(step_change)),
            ("velocity level", u8::from(velocity_level)),
            ("output", output as u8),
        ] {
            archive.same(what, f64::from(choice))?;
        }
        let mut before = self.history.map(|history| history.h);
        before.keep(archive)?;
        self.history = before.map(|h| History { h });
        keep!(archive; self.now, self.next, self.a_before, self.jerk, self.carry, self.next_carry)?;
        keep!(archive; self.newton, self.level, self.halves, self.error)
    }

    fn linear_work(&self) -> LinearWork {
        self.level.kkt.work() + self.halves.work()
    }
}
