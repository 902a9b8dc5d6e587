//! BDF with variable steps and orders 1 to 5, variable coefficients, two halves per step.
//!
//! ```text
//! error        e_j = gamma_j |alpha/sigma - 1| (y_n - P_j(t_n)),  y = q and v_n (projected),  gamma_j = 1 + .. + 1/j
//! order        every k+1 steps the j in k-1..k+1 with the largest e_j^(-1/(j+1)) / b_j,  b = 1.3, 1.2, 1.4
//! Newton       stops when |d| min(1, rho/(1-rho)) is below 0.1 (lazy 0.03); rho <- max(0.3 rho, measured)
//! ```
//!
//! The error test sees projected velocities. With those of the classical index-3 method it would collapse: their normal
//! part jumps with every change of step or order. Multipliers are in no norm.

use super::formula::Formula;
use super::history::{Entry, History};
use super::step::{Accuracy, Problem, Step, VelocityHalf};
use super::taylor::Taylor;
use crate::chart::ChartChange;
use crate::equations::Equations;
use crate::method::charted::Charted;
use crate::method::{Attempt, BadMethod, ErrorEstimate, Law, Method, Own, Scheme, StepFailure, require};
use crate::state::State;
use crate::tolerance::Tolerance;

/// Highest order: BDF 6 is unstable at changing steps.
const HIGHEST: usize = 5;
/// Newton iterations before factors or the step are given up.
const LIMIT: usize = 5;
/// Contraction above which damping and stiffness are evaluated anew.
const WORN: f64 = 0.25;
/// Relative change of alpha that makes lazy factors useless.
const DRIFT: f64 = 0.25;
/// Fraction of the tolerance at which lazily projected velocities may stop.
const UNSEEN: f64 = 1e-3;
/// Unknowns from which on a factorisation costs more than the extra iterations of old factors: one factorisation is worth
/// about two forces and four solves, and N^3/3 outgrows that near here for forces of ordinary mechanisms.
const LARGE: usize = 40;
/// The error aimed at.
const TARGET: f64 = 0.35;
/// Largest h_next/h for orders 1 to 5.
const GROWTH: [f64; HIGHEST] = [2.0, 2.0, 1.5, 1.26, 1.15];
/// Steps after a start in which h may double at any order.
const BEGINNING: usize = 12;
/// What lower, present and higher order must be better by.
const BIAS: [f64; 3] = [1.3, 1.2, 1.4];
/// Attempts at one step after which the order drops.
const PATIENCE: usize = 3;

/// When matrices are factored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Factorisation {
    /// By cost: fresh for small systems, lazy for large ones.
    #[default]
    ByCost,
    /// In every step, with new masses and constraint directions: about one evaluation of the force a step.
    Fresh,
    /// Only when the step has changed by a quarter or Newton's method fails: few factorisations, about three evaluations of
    /// the force a step.
    Lazy,
}

/// BDF that chooses steps and orders by error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableBdf {
    /// Highest order, in [1, 5].
    pub max_order: usize,
    /// When matrices are factored.
    pub factorisation: Factorisation,
}

impl Default for VariableBdf {
    fn default() -> Self {
        VariableBdf { max_order: HIGHEST, factorisation: Factorisation::default() }
    }
}

impl VariableBdf {
    /// Orders 1 to 5.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a lower highest order, in [1, 5].
    ///
    /// # Errors
    /// If the order is out of range.
    pub fn with_max_order(self, max_order: usize) -> Result<Self, BadMethod> {
        VariableBdf { max_order, ..self }.checked()
    }

    /// With another policy of factorisation.
    pub fn with_factorisation(self, factorisation: Factorisation) -> Self {
        VariableBdf { factorisation, ..self }
    }

    fn checked(self) -> Result<Self, BadMethod> {
        require((1..=HIGHEST).contains(&self.max_order), "max_order", self.max_order as f64, "in [1, 5]")?;
        Ok(self)
    }
}

impl Scheme for VariableBdf {
    fn name(&self) -> &'static str {
        "variable BDF"
    }

    fn build(&self, equations: &Equations, tolerance: Tolerance) -> Result<Box<dyn Method>, BadMethod> {
        self.checked()?;
        if !equations.space().is_flat() {
            return Charted::build(self, equations, tolerance);
        }
        Ok(Box::new(Stepper::new(*self, equations, tolerance)))
    }
}

struct Stepper {
    max_order: usize,
    lazy: bool,
    tolerance: Tolerance,
    taylor: Taylor,
    step: Step,
    velocity: VelocityHalf,
    history: History,
    now: State,
    next: State,
    order: usize,
    /// Order of the attempt, and of the step after it.
    attempted: usize,
    next_order: usize,
    /// Accepted steps since the order changed, and since the start.
    at_order: usize,
    steps: usize,
    /// Attempts at the present step.
    attempts: usize,
    /// Newton's contraction.
    rho: f64,
    // y - P of q and v, and P of another order.
    error_q: Vec<f64>,
    error_v: Vec<f64>,
    slope: Vec<f64>,
}

impl Stepper {
    fn new(scheme: VariableBdf, equations: &Equations, tolerance: Tolerance) -> Self {
        let dims = equations.dims();
        let large = dims.v + dims.constraints() >= LARGE;
        Stepper {
            max_order: scheme.max_order,
            lazy: scheme.factorisation == Factorisation::Lazy
                || (scheme.factorisation == Factorisation::ByCost && large),
            tolerance,
            taylor: Taylor::new(equations),
            step: Step::new(equations),
            velocity: VelocityHalf::new(dims),
            history: History::new(dims),
            now: State::zero(dims),
            next: State::zero(dims),
            order: 0,
            attempted: 0,
            next_order: 0,
            at_order: 0,
            steps: 0,
            attempts: 0,
            rho: 1.0,
            error_q: vec![0.0; dims.q],
            error_v: vec![0.0; dims.v],
            slope: vec![0.0; dims.q.max(dims.v)],
        }
    }

    /// The start and two virtual points before it.
    fn begin(&mut self, equations: &mut Equations, h: f64) -> Result<(), StepFailure> {
        self.history.clear();
        for i in (1..=self.order).rev() {
            self.taylor.before(equations, &self.now, i as f64 * h, &mut self.next)?;
            self.history.push(&self.next);
        }
        self.history.push(&self.now);
        Ok(())
    }

    /// Newton's method for the position half: iterations and evaluations of damping and stiffness.
    fn position_half(&mut self, equations: &mut Equations) -> Result<(usize, usize), StepFailure> {
        let mut iterations = 0;
        let mut fresh = !self.step.is_linearized() || (self.rho > WORN && !self.lazy);
        if fresh {
            self.relinearize(equations)?;
        } else {
            let alpha = self.step.formula.alpha;
            let moved = self.step.factored.is_none_or(|step| (alpha * step - 1.0).abs() > DRIFT);
            if moved || !self.lazy {
                self.step.refresh(equations)?;
            }
        }
        loop {
            match self.iterate(equations, &mut iterations) {
                Ok(()) => return Ok((iterations, usize::from(fresh))),
                Err(failure) if fresh => {
                    self.step.forget();
                    return Err(failure);
                }
                Err(_) => {
                    fresh = true;
                    self.step.restore();
                    self.relinearize(equations)?;
                }
            }
        }
    }

    /// A velocity that no tolerance sees.
    fn small_velocity(&self) -> f64 {
        let Tolerance { rtol, atol_v, .. } = self.tolerance;
        self.step.v.iter().map(|v| v.abs()).fold(f64::INFINITY, f64::min).mul_add(rtol, atol_v) * UNSEEN
    }

    fn relinearize(&mut self, equations: &mut Equations) -> Result<(), StepFailure> {
        self.rho = 0.5;
        self.step.linearize(equations)
    }

    fn iterate(&mut self, equations: &mut Equations, iterations: &mut usize) -> Result<(), StepFailure> {
        let enough = if self.lazy { 0.03 } else { 0.1 };
        if self.lazy {
            // The factors have aged since their contraction was measured.
            self.rho = 1.0;
        }
        let mut previous = f64::INFINITY;
        let mut theta = f64::NAN;
        for i in 1..=LIMIT {
            *iterations += 1;
            let mut problem = Problem { step: &mut self.step, equations, tolerance: &self.tolerance };
            let size = problem.correct(1.0)?;
            if i > 1 {
                theta = size / previous;
                self.rho = (0.3 * self.rho).max(theta);
            }
            if !size.is_finite() || theta > 0.9 {
                break;
            }
            let rest = if self.rho < 0.5 { self.rho / (1.0 - self.rho) } else { 1.0 };
            if size * rest < enough {
                return Ok(());
            }
            previous = size;
        }
        Err(StepFailure::Diverged { iterations: *iterations, theta })
    }

    /// The error of the step at an order, in units of the tolerance.
    fn error(&mut self, order: usize) -> f64 {
        let formula = Formula::new(order, self.step.t, self.history.times());
        let n = self.now.v.len();
        let q_of: fn(&Entry) -> &[f64] = |entry| &entry.q;
        self.history.extrapolate(&formula, q_of, &mut self.error_q, &mut self.slope[..self.now.q.len()]);
        self.history.extrapolate(&formula, |entry| &entry.v, &mut self.error_v, &mut self.slope[..n]);
        for (error, q) in self.error_q.iter_mut().zip(&self.step.q) {
            *error -= q;
        }
        for (error, v) in self.error_v.iter_mut().zip(&self.velocity.v) {
            *error -= v;
        }
        let gamma: f64 = (1..=order).map(|i| 1.0 / i as f64).sum();
        let (q, v) = (
            self.tolerance.norm_q(&self.error_q, &self.step.q),
            self.tolerance.norm_v(&self.error_v, &self.velocity.v),
        );
        gamma * formula.error_factor() * (0.5 * (q * q + v * v)).sqrt()
    }

    /// The estimate for the controller; chooses the order of the next step.
    fn estimate(&mut self) -> ErrorEstimate {
        let order = self.attempted;
        let mut norm = self.error(order);
        self.next_order = order;
        let due = self.at_order >= order || order != self.order;
        if norm <= 1.0 && due {
            let present = norm;
            let promise = |error: f64, order: usize, bias: f64| error.max(1e-30).powf(-1.0 / (order + 1) as f64) / bias;
            let mut best = promise(present, order, BIAS[1]);
            for (other, bias) in [(order - 1, BIAS[0]), (order + 1, BIAS[2])] {
                if other == 0 || other > self.max_order || self.history.len() < other + 1 {
                    continue;
                }
                let error = self.error(other);
                let promised = promise(error, other, bias);
                if promised > best {
                    best = promised;
                    self.next_order = other;
                    norm = error.min(1.0);
                }
            }
        }
        let most = if self.steps < BEGINNING { 2.0 } else { GROWTH[self.next_order - 1] };
        ErrorEstimate {
            norm,
            exponent: 1.0 / (self.next_order + 1) as f64,
            law: Law::ProportionalIntegral { target: TARGET },
            ratio: (0.5, most),
            keep: 1.05,
            limit: f64::INFINITY,
        }
    }
}

impl Method for Stepper {
    fn restart(&mut self, equations: &mut Equations, start: &State) -> Result<(), StepFailure> {
        self.now.assign(start);
        self.history.clear();
        self.history.push(start);
        self.step.forget();
        self.velocity.restart();
        self.order = self.max_order.min(2);
        self.at_order = 0;
        self.steps = 0;
        self.attempts = 0;
        self.rho = 1.0;
        self.taylor.measure(equations, &self.tolerance, &mut self.now)
    }

    fn attempt(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        self.attempts += 1;
        let drop = self.attempts.saturating_sub(PATIENCE);
        self.attempted = self.order.saturating_sub(drop).max(1);
        if self.steps == 0 {
            self.begin(equations, h)?;
        }
        self.next.t = self.now.t + h;
        let formula = Formula::new(self.attempted, self.next.t, self.history.times());
        self.step.begin(formula, self.next.t, &self.history);
        self.step.predict(equations, &self.history.points()[0], true)?;
        let (iterations, linearizations) = self.position_half(equations)?;
        self.step.settle(equations, !self.lazy)?;
        let accuracy = if self.lazy { Accuracy::Tolerance(self.small_velocity()) } else { Accuracy::Velocities };
        self.velocity.solve(equations, &mut self.step, &self.history.points()[0], accuracy)?;
        let error = self.estimate();
        let nl = self.next.lambda.len();
        self.next.q.copy_from_slice(&self.step.q);
        self.next.v.copy_from_slice(&self.velocity.v);
        for (i, a) in self.next.a.iter_mut().enumerate() {
            *a = self.step.past.v_slope[i] + formula.alpha * (self.next.v[i] - self.step.past.v[i]);
        }
        self.next.lambda.copy_from_slice(&self.velocity.mu[..nl]);
        self.next.psi.copy_from_slice(&self.velocity.mu[nl..]);
        let residuals = self.step.residuals(equations, &self.velocity.v)?;
        Ok(Attempt { iterations, linearizations, residuals, error: Some(error) })
    }

    fn accept(&mut self) {
        let Formula { alpha, defect, .. } = self.step.formula;
        let entry = self.history.push(&self.next);
        entry.exact = false;
        entry.defect = defect;
        // The normal velocity of one order says nothing about that of another.
        if self.next_order == self.attempted {
            for (i, shift) in entry.shift.iter_mut().enumerate() {
                *shift = (self.step.v[i] - self.velocity.v[i]) / defect;
            }
            for (i, shift) in entry.mu_shift.iter_mut().enumerate() {
                *shift = (self.step.iterate.mu[i] - self.velocity.mu[i]) / (alpha * defect);
            }
        }
        self.at_order = if self.next_order == self.order { self.at_order + 1 } else { 0 };
        self.order = self.next_order;
        self.steps += 1;
        self.attempts = 0;
        std::mem::swap(&mut self.now, &mut self.next);
    }

    fn rechart(&mut self, change: &mut ChartChange) {
        self.history.rechart(change);
        change.apply(&mut self.now.q);
    }

    fn estimates_error(&self) -> bool {
        true
    }

    fn first_step(&mut self, _: &mut Equations, t_end: f64) -> Result<f64, StepFailure> {
        Ok(self.taylor.h.min(1e-2 * (t_end - self.now.t)))
    }

    fn interpolate(&self, _: &Equations, _: &State, t: f64, out: &mut State) {
        self.history.interpolate(self.order + 1, t, out);
    }

    fn state(&self) -> &State {
        &self.now
    }

    fn own(&self) -> Own<'_> {
        let State { t, a, lambda, psi, .. } = &self.now;
        Own { a_time: *t, a, multiplier_time: *t, lambda, psi }
    }

    fn linear_work(&self) -> (u64, u64) {
        let (start, start_solves) = self.taylor.linear_work();
        let (position, velocity) = (&self.step.mode.kkt, &self.velocity.kkt);
        (start + position.factorisations + velocity.factorisations, start_solves + position.solves + velocity.solves)
    }
}
