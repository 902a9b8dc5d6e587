//! The method at work on one system: what is kept from step to step, and the order in which a step is made.

mod beginning;
mod consistency;

use super::step::{Halves, Slopes, StepData};
use super::{Coefficients, GeneralizedAlpha, MassMatrix, Start};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::method::alpha_error::{LocalError, Motion, Past};
use crate::method::{Attempt, ErrorEstimate, Method, Own, StepFailure};
use crate::newton::{Converged, Newton, NonlinearProblem};
use crate::state::State;
use crate::tolerance::Tolerance;
use consistency::Consistency;

/// Repetitions of the first step for [`Start::Implicit`].
const IMPLICIT_LIMIT: usize = 30;

/// The method at work on one system.
pub(super) struct AlphaStepper {
    scheme: GeneralizedAlpha,
    tolerance: Tolerance,
    newton: Newton,
    halves: Halves,
    /// Only at the start where the output is the method's own. Large systems have it from the start on: by then it is known whether anyone
    /// asks for errors.
    consistency: Option<Box<Consistency>>,
    /// What consistent starts have cost that are no longer there.
    past_work: LinearWork,
    /// Whether anyone asks for the error.
    controlled: bool,
    /// Whether a and the multipliers of the output are the method's own.
    light: bool,
    now: State,
    next: State,
    /// Consistent acceleration one step back, for short steps after long ones and for the error.
    a_before: Vec<f64>,
    history: Option<History>,
    carry: Carry,
    next_carry: Carry,
    /// The method's multipliers at the last step's start.
    mu_before: Vec<f64>,
}

/// What a step hands to the next, besides the state.
#[derive(Clone)]
struct Carry {
    /// a_{1+al} as computed.
    a: Vec<f64>,
    /// a_al as used.
    a_al: Vec<f64>,
    /// M_{1+al} a_{1+al} and M_al a_al, for [`MassMatrix::Previous`] only.
    inertia: Vec<f64>,
    inertia_al: Vec<f64>,
    /// The method's multipliers at the step's end.
    mu: Vec<f64>,
    /// F at the step's end, with the method's multipliers.
    force: Vec<f64>,
}

impl Keep for Carry {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.a, self.a_al, self.inertia, self.inertia_al, self.mu, self.force)
    }
}

#[derive(Clone, Copy)]
struct History {
    h: f64,
}

impl AlphaStepper {
    pub fn new(scheme: GeneralizedAlpha, equations: &Equations, tolerance: Tolerance) -> Self {
        let dims = equations.dims();
        let (n, m) = (dims.v, dims.constraints());
        let products = if scheme.mass_matrix == MassMatrix::Previous { n } else { 0 };
        let carry = Carry {
            a: vec![0.0; n],
            a_al: vec![0.0; n],
            inertia: vec![0.0; products],
            inertia_al: vec![0.0; products],
            mu: vec![0.0; m],
            force: vec![0.0; n],
        };
        AlphaStepper {
            scheme,
            tolerance,
            newton: Newton::default(),
            halves: Halves::new(&scheme, equations),
            consistency: equations.layout().is_dense().then(|| Consistency::new(equations, true)),
            past_work: LinearWork::default(),
            controlled: true,
            light: scheme.is_light(equations),
            now: State::zero(dims),
            next: State::zero(dims),
            a_before: vec![0.0; n],
            history: None,
            next_carry: carry.clone(),
            mu_before: vec![0.0; m],
            carry,
        }
    }

    /// Whether the output is the method's own; an error estimate needs more.
    fn is_light(&self) -> bool {
        self.light && !self.controlled
    }

    /// Whether nothing but the start is made consistent. A first step by the jerk needs the means once more.
    fn is_light_from_start(&self) -> bool {
        self.is_light() && self.scheme.start != Start::Jerk
    }

    /// The local error of the attempt in `next`.
    fn estimate(&mut self, equations: &mut Equations, h: f64) -> Result<ErrorEstimate, StepFailure> {
        let AlphaStepper { consistency, halves, now, next, tolerance, a_before, .. } = self;
        let consistency = consistency.get_or_insert_with(|| Consistency::new(equations, true));
        let Consistency { error, jerk, .. } = &mut **consistency;
        let error = error.get_or_insert_with(|| LocalError::new(equations));
        let past = match self.history {
            Some(history) => Past::Before(a_before, history.h),
            None => Past::Jerk(jerk),
        };
        let (dx, filter) = halves.filter();
        error.estimate(equations, &Motion { h, dx, from: now, to: next, past }, filter, tolerance)
    }

    /// Remembers that Newton's matrix is not older than this step.
    fn see_linearizations(&mut self, attempt: &Attempt) {
        if let Some(error) = self.consistency.as_deref_mut().and_then(|consistency| consistency.error.as_mut()) {
            error.onset.renewed |= attempt.linearizations > 0;
        }
    }

    /// One solution of the step with the present `a_al`; completes `next`, and F with the method's multipliers.
    fn solve(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        let AlphaStepper { halves, next, next_carry, .. } = self;
        halves.take_room(next, &mut next_carry.a, &mut next_carry.mu);
        let solved = self.solve_in_room(equations, h);
        let AlphaStepper { halves, next, next_carry, .. } = self;
        halves.return_room(next, &mut next_carry.a, &mut next_carry.mu);
        solved
    }

    fn solve_in_room(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        let (light, controlled) = (self.is_light(), self.controlled);
        let AlphaStepper { tolerance, newton, halves, consistency, now, next, next_carry, .. } = self;
        let data = step_data(h, now, &self.carry, next_carry, &self.mu_before, self.history);
        halves.begin(equations, tolerance, &data)?;
        let reuse = halves.is_linearized();
        if reuse {
            halves.refactor_for(h)?;
        }
        let mut cost = newton.solve(&mut halves.problem(equations, &data, tolerance), reuse);
        while cost.is_err() && halves.climb() {
            newton.forget();
            let mut problem = halves.problem(equations, &data, tolerance);
            problem.rewind()?;
            cost = newton.solve(&mut problem, false);
        }
        let Converged { iterations, mut linearizations, .. } = cost.inspect_err(|_| halves.forget())?;
        next.t = now.t + h;
        let residuals;
        if light {
            let (settled, renewed) = halves.problem(equations, &data, tolerance).settle()?;
            halves.learn(iterations);
            halves.total_force(&mut next_carry.force);
            halves.solution(next, &mut next_carry.a, &mut next_carry.mu);
            own_acceleration(self.scheme.coefficients.alpha(), next_carry, &mut next.a);
            linearizations += renewed;
            residuals = settled;
        } else {
            halves.learn(iterations);
            halves.solution(next, &mut next_carry.a, &mut next_carry.mu);
            next.a.copy_from_slice(&next_carry.a);
            let Consistency { level, projector, .. } =
                &mut **consistency.get_or_insert_with(|| Consistency::new(equations, controlled));
            residuals = if self.scheme.velocity_level {
                projector.complete(equations, level, next, h)?
            } else {
                level.complete(equations, next)?
            };
            level.least(&mut next_carry.mu);
            level.total_force(equations, next, &next_carry.mu, &mut next_carry.force)?;
        }
        Ok(Attempt { iterations, linearizations, residuals, error: None })
    }
}

/// What a step of length h starts from.
fn step_data<'a>(
    h: f64,
    now: &'a State,
    carry: &'a Carry,
    next: &'a Carry,
    mu_before: &'a [f64],
    history: Option<History>,
) -> StepData<'a> {
    let slopes = history.map(|history| Slopes { w: h / history.h, a_al: &carry.a_al, mu: mu_before });
    let inertia_al = (!next.inertia_al.is_empty()).then_some(&next.inertia_al[..]);
    StepData { h, now, a_al: &next.a_al, inertia_al, force: &carry.force, mu: &carry.mu, slopes }
}

/// The acceleration at t_n from the method's own: a_{n+al} moved back by alpha h, as (15) does.
fn own_acceleration(alpha: f64, Carry { a, a_al, .. }: &Carry, out: &mut [f64]) {
    for (out, (a, before)) in out.iter_mut().zip(a.iter().zip(a_al)) {
        *out = a - alpha * (a - before);
    }
}

impl Method for AlphaStepper {
    fn restart(&mut self, equations: &mut Equations, start: &State) -> Result<(), StepFailure> {
        let (once, controlled) = (self.is_light_from_start(), self.controlled);
        let Consistency { level, error, .. } =
            &mut **self.consistency.get_or_insert_with(|| Consistency::new(equations, controlled));
        level.restart();
        error.iter_mut().for_each(LocalError::restart);
        self.now.assign(start);
        self.history = None;
        self.halves.restart();
        self.newton.forget();
        self.carry.mu.clear();
        self.carry.mu.extend(start.lambda.iter().chain(&start.psi));
        if once {
            level.complete_once(equations, &mut self.now)?;
        } else {
            level.complete(equations, &mut self.now)?;
        }
        level.total_force(equations, &self.now, &self.carry.mu, &mut self.carry.force)?;
        if once {
            self.past_work = self.past_work + level.kkt.work();
            self.consistency = None;
        }
        self.halves.fit(equations);
        Ok(())
    }

    fn attempt(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        self.prepare(equations, h)?;
        let mut attempt = self.solve(equations, h)?;
        self.see_linearizations(&attempt);
        let alpha = self.scheme.coefficients.alpha();
        if self.history.is_none() && alpha != 0.0 && matches!(self.scheme.start, Start::Twice | Start::Implicit) {
            for repetition in 1.. {
                let change = self.start_from_end(equations, h)?;
                if change <= 10.0 * self.tolerance.rtol.max(1e-14) {
                    break;
                }
                if repetition == IMPLICIT_LIMIT {
                    return Err(StepFailure::Diverged { iterations: repetition, theta: change });
                }
                self.multiply_by_mass(equations, h)?;
                let again = self.solve(equations, h)?;
                attempt.iterations += again.iterations;
                attempt.linearizations += again.linearizations;
                self.see_linearizations(&again);
                attempt.residuals = again.residuals;
                if self.scheme.start == Start::Twice {
                    break;
                }
            }
        }
        let Carry { a, inertia, .. } = &mut self.next_carry;
        if !inertia.is_empty() {
            equations.layout().top.multiply(self.halves.mass(), a, inertia);
        }
        if self.controlled {
            attempt.error = Some(self.estimate(equations, h)?);
        }
        Ok(attempt)
    }

    fn expect_no_retries(&mut self) {
        self.controlled = false;
        self.halves.filtered = false;
        if self.is_light_from_start() {
            self.consistency = None;
        } else if let Some(consistency) = self.consistency.as_deref_mut() {
            consistency.error = None;
        }
    }

    fn estimates_error(&self) -> bool {
        true
    }

    fn error(&self) -> Option<(&[f64], &[f64])> {
        self.consistency.as_ref()?.error.as_ref().map(LocalError::vectors)
    }

    fn first_step(&mut self, equations: &mut Equations, t_end: f64) -> Result<f64, StepFailure> {
        let AlphaStepper { consistency, tolerance, now, controlled, .. } = self;
        let consistency = consistency.get_or_insert_with(|| Consistency::new(equations, *controlled));
        consistency.first_step(equations, tolerance, now, t_end, self.scheme.coefficients.alpha())
    }

    fn accept(&mut self) {
        if let Some(Consistency { level, error, .. }) = self.consistency.as_deref_mut() {
            level.accept(&self.next);
            error.iter_mut().for_each(LocalError::accept);
        }
        let AlphaStepper { halves, now, next, carry, next_carry, mu_before, a_before, history, .. } = self;
        let h = next.t - now.t;
        let data = step_data(h, now, carry, next_carry, mu_before, *history);
        halves.learn_trend(&data, &next_carry.a, &next_carry.mu);
        std::mem::swap(mu_before, &mut carry.mu);
        std::mem::swap(a_before, &mut now.a);
        std::mem::swap(now, next);
        std::mem::swap(carry, next_carry);
        *history = Some(History { h });
    }

    fn state(&self) -> &State {
        &self.now
    }

    fn next(&self) -> Option<&State> {
        Some(&self.next)
    }

    fn own(&self) -> Own<'_> {
        let Some(History { h }) = self.history else { return Own::consistent(&self.now) };
        let t = self.now.t;
        Own::carried(&self.now, (t + self.scheme.coefficients.alpha() * h, &self.carry.a), (t, &self.carry.mu))
    }

    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let GeneralizedAlpha {
            coefficients,
            start,
            mass_matrix,
            step_change,
            velocity_level,
            output,
            coupling,
            largest_ratio,
        } = self.scheme;
        let Coefficients { alpha_m, alpha_f, beta, gamma } = coefficients;
        let coefficients = [("alpha_m", alpha_m), ("alpha_f", alpha_f), ("beta", beta), ("gamma", gamma)];
        for (what, value) in coefficients.into_iter().chain([("largest ratio", largest_ratio)]) {
            archive.same(what, value)?;
        }
        for (what, choice) in [
            ("start", start as u8),
            ("mass matrix", mass_matrix as u8),
            ("step change", u8::from(step_change)),
            ("velocity level", u8::from(velocity_level)),
            ("output", output as u8),
            ("coupling", coupling as u8),
        ] {
            archive.same(what, f64::from(choice))?;
        }
        let mut before = self.history.map(|history| history.h);
        before.keep(archive)?;
        self.history = before.map(|h| History { h });
        keep!(archive; self.now, self.next, self.a_before, self.mu_before, self.carry, self.next_carry)?;
        keep!(archive; self.newton, self.halves, self.past_work)?;
        // Between steps it is there or not by the settings alone.
        match self.consistency.as_deref_mut() {
            Some(Consistency { level, error, jerk, .. }) => {
                level.keep(archive)?;
                archive.growing(jerk)?;
                error.as_mut().map_or(Ok(()), |error| error.keep(archive))
            }
            None => Ok(()),
        }
    }

    fn linear_work(&self) -> LinearWork {
        let consistent = self.consistency.as_ref().map(|c| {
            let onset = c.error.as_ref().map(|error| error.onset.work());
            c.level.kkt.work() + onset.unwrap_or_default()
        });
        self.halves.work() + self.past_work + consistent.unwrap_or_default()
    }
}
