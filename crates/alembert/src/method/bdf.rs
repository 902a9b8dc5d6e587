//! BDF on the index-3 form, in two halves per step.
//!
//! ```text
//! D_n x = alpha x_n + history                                    backward differentiation on any grid, see `formula`
//! position half   q_n, v^, mu^:   D_n q = U(t_n,q_n,v^),   M D_n v^ = f(q_n,v^) + r(mu^),   g(q_n) = 0,   k(v^) = 0
//! velocity half   v_n, mu_n:      M (alpha v_n + history) = f(q_n,v^) + r(mu_n),   w(v_n) = 0,   k(v_n) = 0
//! ```
//!
//! with mu = (lambda, psi) and w = g_t + G q'. The position half alone is the classical method. Its multipliers are wrong
//! by O(h^(k-1)), for k = 1 by O(1), in the first k steps even from exact start values, and again whenever h or k changes:
//! g(q_n) = 0 forces v^ = v(t_n) - c_n N q^(k+1) with N = M^-1 B (W M^-1 B)^-1 G, and lambda sees the difference quotient
//! of c_n. Arevalo ("A note on numerically consistent initial values for high index differential-algebraic equations")
//! cures the start of implicit Euler by start values with the same c as the steps to come, (3.3) and (4.2). The velocity
//! half makes this unnecessary: it takes c_n out of every step, and q, v, a, lambda, psi have order k on any grid, from
//! the first step. It is the stabilisation of Gear, Gupta and Leimkuhler with its multiplier eliminated.
//!
//! Beyond the paper: orders up to 6, start corrections of order k and corrections at step changes
//! (`v_j += (c_n - c_j) s_j`, s = -N q^(k+1) measured by projecting v^), M(t,q), nonholonomic constraints, reactions
//! nonlinear in mu, and q-dependent kinematics.

mod formula;
mod history;
mod step;
mod taylor;
mod variable;

pub use variable::{Factorisation, VariableBdf};

use super::charted::Charted;
use super::{Attempt, BadMethod, Method, Own, RungeKutta, Scheme, StepFailure, require};
use crate::chart::ChartChange;
use crate::equations::Equations;
use crate::newton::{Converged, Newton};
use crate::state::State;
use crate::system::Dims;
use crate::tolerance::Tolerance;
use formula::{Formula, MAX_ORDER};
use history::History;
use step::{Accuracy, Problem, Step, VelocityHalf};

/// Stages of the Radau IIA method that makes start values: an error of h^10 a step is far below any BDF's.
const START_STAGES: usize = 5;
/// Newton's tolerance for start values.
const START_TOLERANCE: f64 = 1e-14;

/// Which equations a step solves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulation {
    /// Position and velocity half: every constraint level is met, multipliers have the order of the method on any grid.
    #[default]
    TwoHalves,
    /// The position half alone, the classical index-3 method: velocities leave the constraints, and multipliers lose an
    /// order at the start and where steps change. For comparison.
    Index3,
}

/// Start values of the classical method; with two halves both are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BdfStart {
    /// Consistent with the difference equation, to the order of the method: the first step is made twice, and the exact
    /// velocities are moved by the normal velocity that the first pass shows.
    #[default]
    Consistent,
    /// The paper's (3.3) and (4.2), for order 1 only. Twice the error of `Consistent` in the first multiplier.
    Paper,
    /// Consistent with the differential equation only.
    Exact,
}

/// BDF of one order, for prescribed steps. Stable at equal steps up to order 6, at steps that alternate between h and 2h
/// up to order 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bdf {
    /// In [1, 6]; 1 is implicit Euler.
    pub order: usize,
    /// Which equations a step solves.
    pub formulation: Formulation,
    /// Start values of [`Formulation::Index3`].
    pub start: BdfStart,
    /// Whether [`Formulation::Index3`] moves its past velocities when the step size changes.
    pub step_change: bool,
}

impl Bdf {
    /// BDF of an order in [1, 6], in two halves.
    ///
    /// # Errors
    /// If the order is out of range.
    pub fn new(order: usize) -> Result<Self, BadMethod> {
        Bdf { order, formulation: Formulation::default(), start: BdfStart::default(), step_change: true }.checked()
    }

    /// Implicit Euler.
    pub fn implicit_euler() -> Self {
        Bdf { order: 1, formulation: Formulation::default(), start: BdfStart::default(), step_change: true }
    }

    /// The same method with other equations.
    pub fn with_formulation(self, formulation: Formulation) -> Self {
        Bdf { formulation, ..self }
    }

    /// The same method with another start.
    pub fn with_start(self, start: BdfStart) -> Self {
        Bdf { start, ..self }
    }

    /// The same method with or without the correction at step changes.
    pub fn with_step_change(self, step_change: bool) -> Self {
        Bdf { step_change, ..self }
    }

    fn checked(self) -> Result<Self, BadMethod> {
        require((1..=MAX_ORDER).contains(&self.order), "order", self.order as f64, "in [1, 6]")?;
        let fits = self.start != BdfStart::Paper || self.order == 1;
        require(fits, "order", self.order as f64, "1 with the start of the paper; `Consistent` is for every order")?;
        Ok(self)
    }
}

impl Scheme for Bdf {
    fn name(&self) -> &'static str {
        "BDF"
    }

    fn build(&self, equations: &Equations, tolerance: Tolerance) -> Result<Box<dyn Method>, BadMethod> {
        self.checked()?;
        if !equations.space().is_flat() {
            return Charted::build(self, equations, tolerance);
        }
        let rtol = tolerance.rtol.min(START_TOLERANCE);
        let tight = Tolerance {
            rtol,
            atol_q: tolerance.atol_q * rtol / tolerance.rtol,
            atol_v: tolerance.atol_v * rtol / tolerance.rtol,
        };
        let starter = RungeKutta::radau(START_STAGES)?.build(equations, tight)?;
        Ok(Box::new(Stepper::new(*self, equations, tolerance, starter)))
    }
}

/// The method at work on one system.
struct Stepper {
    scheme: Bdf,
    tolerance: Tolerance,
    /// Makes the first k - 1 steps.
    starter: Box<dyn Method>,
    newton: Newton,
    step: Step,
    velocity: VelocityHalf,
    history: History,
    now: State,
    next: State,
    /// What the next history point carries besides the state.
    next_point: Option<Next>,
    /// (v^ - v)/c and (mu^ - mu)/(alpha c) of the attempt.
    shift: Vec<f64>,
    mu_shift: Vec<f64>,
    /// s for points of the exact motion, found by a trial step.
    start_shift: Vec<f64>,
}

/// An attempt made by the formula, as opposed to a start step.
#[derive(Clone, Copy)]
struct Next {
    defect: f64,
    /// Whether start values were moved.
    moved: bool,
}

impl Stepper {
    fn new(scheme: Bdf, equations: &Equations, tolerance: Tolerance, starter: Box<dyn Method>) -> Self {
        let dims = equations.dims();
        Stepper {
            scheme,
            tolerance,
            starter,
            newton: Newton::default(),
            step: Step::new(equations),
            velocity: VelocityHalf::new(dims),
            history: History::new(dims),
            now: State::zero(dims),
            next: State::zero(dims),
            next_point: None,
            shift: vec![0.0; dims.v],
            mu_shift: vec![0.0; dims.constraints()],
            start_shift: vec![0.0; dims.v],
        }
    }

    /// A step of the high-order one-step method that makes start values.
    fn start_step(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        self.starter.restart(equations, &self.now)?;
        let attempt = self.starter.attempt(equations, h)?;
        self.starter.accept();
        self.next.assign(self.starter.state());
        self.next_point = None;
        Ok(Attempt { error: None, ..attempt })
    }

    /// The position half with the past as it stands.
    fn position_half(&mut self, equations: &mut Equations, moved: bool) -> Result<Converged, StepFailure> {
        let t = self.next.t;
        let formula = Formula::new(self.scheme.order, t, self.history.times());
        self.step.begin(formula, t, &self.history);
        let projected = self.scheme.formulation == Formulation::TwoHalves;
        if !projected {
            self.move_past(&formula, moved);
        }
        self.step.predict(equations, &self.history.points()[0], projected)?;
        let reuse = self.step.is_linearized();
        if reuse && self.step.factored != Some(1.0 / formula.alpha) {
            self.step.factor()?;
        }
        let mut problem = Problem { step: &mut self.step, equations, tolerance: &self.tolerance };
        let solved = self.newton.solve(&mut problem, reuse);
        let cost = solved.inspect_err(|_| self.step.forget())?;
        self.step.settle(equations, true)?;
        Ok(cost)
    }

    /// Moves past velocities to this step's defect, `v_j += (c_n - c_j) s_j`, in the extrapolated values only.
    fn move_past(&mut self, formula: &Formula, moved: bool) {
        // The weights of extrapolation act on differences from the newest point, which itself has weight one.
        let rest: f64 = formula.value[1..formula.points].iter().sum();
        let rest_slope: f64 = formula.slope[1..formula.points].iter().sum();
        for (i, entry) in self.history.points().iter().enumerate().take(formula.points) {
            let (change, shift) = if entry.exact {
                (if moved { formula.defect } else { 0.0 }, &self.start_shift)
            } else {
                (if self.scheme.step_change { formula.defect - entry.defect } else { 0.0 }, &entry.shift)
            };
            let (value, slope) = if i == 0 { (1.0 - rest, -rest_slope) } else { (formula.value[i], formula.slope[i]) };
            for (j, s) in shift.iter().enumerate() {
                self.step.past.v[j] += value * change * s;
                self.step.past.v_slope[j] += slope * change * s;
            }
        }
    }

    /// The velocity half, and what it says about the defect.
    fn velocity_half(&mut self, equations: &mut Equations) -> Result<(), StepFailure> {
        self.velocity.solve(equations, &mut self.step, &self.history.points()[0], Accuracy::Multipliers)?;
        let Formula { alpha, defect, .. } = self.step.formula;
        for (i, shift) in self.shift.iter_mut().enumerate() {
            *shift = (self.step.v[i] - self.velocity.v[i]) / defect;
        }
        for (i, shift) in self.mu_shift.iter_mut().enumerate() {
            *shift = (self.step.iterate.mu[i] - self.velocity.mu[i]) / (alpha * defect);
        }
        Ok(())
    }

    /// Writes the attempt's result.
    fn finish(&mut self) {
        let Dims { lambda: nl, .. } = self.step.dims;
        let Step { formula, past, q, v, iterate, .. } = &self.step;
        let (v, mu) = match self.scheme.formulation {
            Formulation::TwoHalves => (&self.velocity.v, &self.velocity.mu),
            Formulation::Index3 => (v, &iterate.mu),
        };
        self.next.q.copy_from_slice(q);
        self.next.v.copy_from_slice(v);
        for (i, a) in self.next.a.iter_mut().enumerate() {
            *a = past.v_slope[i] + formula.alpha * (v[i] - past.v[i]);
        }
        self.next.lambda.copy_from_slice(&mu[..nl]);
        self.next.psi.copy_from_slice(&mu[nl..]);
    }
}

impl Method for Stepper {
    fn restart(&mut self, _: &mut Equations, start: &State) -> Result<(), StepFailure> {
        self.now.assign(start);
        self.history.clear();
        self.history.push(start);
        self.step.forget();
        self.velocity.restart();
        self.newton.forget();
        Ok(())
    }

    fn attempt(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        if self.history.len() < self.scheme.order {
            return self.start_step(equations, h);
        }
        self.next.t = self.now.t + h;
        let index3 = self.scheme.formulation == Formulation::Index3;
        let from_exact = self.history.points()[..self.scheme.order].iter().any(|entry| entry.exact);
        let moved = index3 && from_exact && self.scheme.start != BdfStart::Exact && self.step.dims.lambda > 0;
        let mut cost = Converged::default();
        if moved {
            cost = self.position_half(equations, false)?;
            self.velocity_half(equations)?;
            self.start_shift.copy_from_slice(&self.shift);
            if self.scheme.start == BdfStart::Paper {
                self.velocity.normal_change(equations, &self.step, &self.history.points()[0])?;
                for (shift, change) in self.start_shift.iter_mut().zip(self.velocity.change()) {
                    *shift = -change / self.step.formula.defect;
                }
            }
        }
        let last = self.position_half(equations, moved)?;
        // The velocity half of the classical method only measures the defect.
        self.velocity_half(equations)?;
        self.finish();
        let v = std::mem::take(&mut self.next.v);
        let residuals = self.step.residuals(equations, &v);
        self.next.v = v;
        self.next_point = Some(Next { defect: self.step.formula.defect, moved });
        Ok(Attempt {
            iterations: cost.iterations + last.iterations,
            linearizations: cost.linearizations + last.linearizations,
            residuals: residuals?,
            error: None,
        })
    }

    fn accept(&mut self) {
        if let Some(Next { defect, moved }) = self.next_point {
            if moved {
                for entry in self.history.points_mut().iter_mut().filter(|entry| entry.exact) {
                    for (i, s) in self.start_shift.iter().enumerate() {
                        entry.v[i] += defect * s;
                        entry.shift[i] = *s;
                    }
                    entry.defect = defect;
                    entry.exact = false;
                }
            }
            let two_halves = self.scheme.formulation == Formulation::TwoHalves;
            let entry = self.history.push(&self.next);
            entry.exact = false;
            entry.defect = defect;
            entry.shift.copy_from_slice(&self.shift);
            if two_halves {
                entry.mu_shift.copy_from_slice(&self.mu_shift);
            }
        } else {
            self.history.push(&self.next);
        }
        std::mem::swap(&mut self.now, &mut self.next);
    }

    fn rechart(&mut self, change: &mut ChartChange) {
        self.history.rechart(change);
        change.apply(&mut self.now.q);
    }

    fn expect_no_retries(&mut self) {
        self.starter.expect_no_retries();
    }

    fn interpolate(&self, _: &Equations, _: &State, t: f64, out: &mut State) {
        self.history.interpolate(self.scheme.order + 1, t, out);
    }

    fn state(&self) -> &State {
        &self.now
    }

    fn own(&self) -> Own<'_> {
        let State { t, a, lambda, psi, .. } = &self.now;
        Own { a_time: *t, a, multiplier_time: *t, lambda, psi }
    }

    fn linear_work(&self) -> (u64, u64) {
        let (start, start_solves) = self.starter.linear_work();
        let (position, velocity) = (&self.step.mode.kkt, &self.velocity.kkt);
        (start + position.factorisations + velocity.factorisations, start_solves + position.solves + velocity.solves)
    }
}
