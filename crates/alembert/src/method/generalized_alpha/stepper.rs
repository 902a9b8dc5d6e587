//! The method at work on one system: what is kept from step to step, and the order in which a step is made.

use super::step::{Halves, StepData};
use super::{Coefficients, GeneralizedAlpha, LARGEST_RATIO, MassMatrix, RATIO_SLACK, SMALLEST_RATIO, Start};
use crate::acceleration::AccelerationLevel;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::method::alpha_error::{LocalError, Motion, Past};
use crate::method::jerk::Probe;
use crate::method::projection::Projector;
use crate::method::{Attempt, ErrorEstimate, Method, Own, StepFailure};
use crate::newton::{Converged, Newton};
use crate::state::State;
use crate::tolerance::Tolerance;

/// Repetitions of the first step for [`Start::Implicit`].
const IMPLICIT_LIMIT: usize = 30;

/// The method at work on one system.
pub(super) struct Stepper {
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
    pub fn new(scheme: GeneralizedAlpha, equations: &Equations, tolerance: Tolerance) -> Self {
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
        self.level.least(&mut self.next_carry.mu);
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
