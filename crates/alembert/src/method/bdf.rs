//! BDF on the index-3 form, in two halves per step.
//!
//! ```text
//! D_n x = alpha x_n + history                                    backward differentiation on any grid, see `formula`
//! position half   q_n, v^, mu^:   D_n q = U(t_n,q_n,v^),   M D_n v^ = f(q_n,v^) + r(mu^),   g(q_n) = 0,   k(v^) = 0
//! velocity half   v_n, mu_n:      M (alpha v_n + history) = f(q_n,v_n) + r(mu_n),   w(v_n) = 0,   k(v_n) = 0
//! ```
//!
//! with mu = (lambda, psi) and w = g_t + G q'. The position half alone is the classical method. Its multipliers are wrong
//! by O(h^(k-1)), for k = 1 by O(1), in the first k steps even from exact start values, and again whenever h or k changes:
//! g(q_n) = 0 forces v^ = v(t_n) - c_n N q^(k+1) with the projector N = M^-1 B (W M^-1 B)^-1 G (A in the paper), and lambda sees the
//! difference quotient of c_n. Arevalo ("A note on numerically consistent initial values for high index differential-algebraic equations")
//! cures the start of implicit Euler by start values with the same c as the steps to come, (3.3) and (4.2). The velocity
//! half makes this unnecessary: it takes c_n out of every step, and q, v, a, lambda, psi have order k on any grid, from
//! the first step. It is the stabilisation of Gear, Gupta and Leimkuhler with its multiplier eliminated.
//!
//! Beyond the paper: orders up to 6, start corrections of order k and corrections at step changes
//! (`v_j += (c_n - c_j) s_j`, s = -N q^(k+1) measured by projecting v^), M(t,q), nonholonomic constraints, reactions
//! nonlinear in mu, and q-dependent kinematics.

mod dense;
mod formula;
mod halves;
mod history;
mod step;
mod taylor;
mod variable;

pub use variable::{Factorisation, VariableBdf};

use super::charted::Charted;
use super::{Attempt, BadMethod, Caution, Method, Own, RungeKutta, Scheme, StepFailure, require};
use crate::chart::ChartChange;
use crate::checkpoint::{Archive, BadCheckpoint, keep};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::newton::{Converged, Newton};
use crate::state::State;
use crate::tolerance::Tolerance;
use formula::MAX_ORDER;
use halves::Halves;
use step::Accuracy;

/// Stages of the Radau IIA method that makes start values: an error of h^10 a step is far below any BDF's.
const START_STAGES: usize = 5;
/// Highest order that is stable on the imaginary axis (BDF 1 and 2 are A-stable, no other is).
const STABLE_ORDER: usize = 2;
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
/// up to order 5. Only orders 1 and 2 are stable on the imaginary axis: from order 3 on, an undamped oscillation that
/// the steps resolve gains energy (a pendulum at order 3 and h = 0.05 from 0 to 757 J in 240 s).
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

    fn caution(&self) -> Option<Caution> {
        (self.order > STABLE_ORDER).then_some(Caution {
            words: "BDF of order 3 and more makes undamped oscillations grow at fixed steps; order 2 does not",
            value: self.order as f64,
            limit: STABLE_ORDER as f64,
        })
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
        Ok(Box::new(FixedBdfStepper::new(*self, equations, tolerance, starter)))
    }
}

/// The method at work on one system.
struct FixedBdfStepper {
    scheme: Bdf,
    /// Makes the first k - 1 steps.
    starter: Box<dyn Method>,
    newton: Newton,
    halves: Halves,
    /// How the attempt was made.
    attempted: Attempted,
    /// s for points of the exact motion, found by a trial step.
    start_shift: Vec<f64>,
}

#[derive(Clone, Copy, PartialEq)]
enum Attempted {
    /// By the one-step method that makes start values.
    Start,
    /// By the formula.
    Formula,
    /// By the formula, from start values that were moved.
    Moved,
}

impl FixedBdfStepper {
    fn new(scheme: Bdf, equations: &Equations, tolerance: Tolerance, starter: Box<dyn Method>) -> Self {
        FixedBdfStepper {
            scheme,
            starter,
            newton: Newton::default(),
            halves: Halves::new(equations, tolerance),
            attempted: Attempted::Start,
            start_shift: vec![0.0; equations.dims().v],
        }
    }

    fn projects(&self) -> bool {
        self.scheme.formulation == Formulation::TwoHalves
    }

    /// A step of the high-order one-step method that makes start values.
    fn start_step(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        self.starter.restart(equations, &self.halves.now)?;
        let attempt = self.starter.attempt(equations, h)?;
        self.starter.accept();
        self.halves.next.assign(self.starter.state());
        self.attempted = Attempted::Start;
        Ok(Attempt { error: None, ..attempt })
    }

    /// Both halves with the past as it stands. That of the classical method only measures the defect.
    fn solve(&mut self, equations: &mut Equations, moved: bool) -> Result<Converged, StepFailure> {
        self.halves.begin(self.scheme.order, equations.typical());
        let projects = self.projects();
        if !projects {
            self.move_past(moved);
        }
        self.halves.predict(equations, projects)?;
        let cost = self.halves.solve_position(equations, &mut self.newton)?;
        self.halves.solve_velocity(equations, Accuracy::Multipliers)?;
        Ok(cost)
    }

    /// Moves past velocities to this step's defect, `v_j += (c_n - c_j) s_j`, in the extrapolated values only.
    fn move_past(&mut self, moved: bool) {
        let Halves { step, history, .. } = &mut self.halves;
        let formula = step.formula;
        // The weights of extrapolation act on differences from the newest point, which itself has weight one.
        let rest: f64 = formula.value[1..formula.points].iter().sum();
        let rest_slope: f64 = formula.slope[1..formula.points].iter().sum();
        for (i, entry) in history.points().iter().enumerate().take(formula.points) {
            let (change, shift) = if entry.exact {
                (if moved { formula.defect } else { 0.0 }, &self.start_shift)
            } else {
                (if self.scheme.step_change { formula.defect - entry.defect } else { 0.0 }, &entry.shift)
            };
            let (value, slope) = if i == 0 { (1.0 - rest, -rest_slope) } else { (formula.value[i], formula.slope[i]) };
            for (j, s) in shift.iter().enumerate() {
                step.past.v[j] += value * change * s;
                step.past.v_slope[j] += slope * change * s;
            }
        }
    }

    /// s of start values, from a trial step.
    fn measure_start_shift(&mut self, equations: &mut Equations) -> Result<Converged, StepFailure> {
        let cost = self.solve(equations, false)?;
        self.halves.shift_into(&mut self.start_shift);
        if self.scheme.start == BdfStart::Paper {
            let Halves { step, velocity, history, .. } = &mut self.halves;
            velocity.normal_change(equations, step, &history.points()[0])?;
            for (shift, change) in self.start_shift.iter_mut().zip(velocity.change()) {
                *shift = -change / step.formula.defect;
            }
        }
        Ok(cost)
    }
}

impl Method for FixedBdfStepper {
    fn restart(&mut self, _: &mut Equations, start: &State) -> Result<(), StepFailure> {
        self.halves.restart(start);
        self.newton.forget();
        Ok(())
    }

    fn attempt(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        if self.halves.history.len() < self.scheme.order {
            return self.start_step(equations, h);
        }
        self.halves.next.t = self.halves.now.t + h;
        let from_exact = self.halves.history.points()[..self.scheme.order].iter().any(|entry| entry.exact);
        let holonomic = equations.dims().lambda > 0;
        let moved = !self.projects() && from_exact && self.scheme.start != BdfStart::Exact && holonomic;
        let trial = if moved { self.measure_start_shift(equations)? } else { Converged::default() };
        let last = self.solve(equations, moved)?;
        let residuals = self.halves.finish(equations, self.projects())?;
        self.attempted = if moved { Attempted::Moved } else { Attempted::Formula };
        Ok(Attempt {
            iterations: trial.iterations + last.iterations,
            linearizations: trial.linearizations + last.linearizations,
            residuals,
            error: None,
        })
    }

    fn accept(&mut self) {
        if self.attempted == Attempted::Moved {
            let defect = self.halves.step.formula.defect;
            for entry in self.halves.history.points_mut().iter_mut().filter(|entry| entry.exact) {
                for (i, s) in self.start_shift.iter().enumerate() {
                    entry.v[i] += defect * s;
                    entry.shift[i] = *s;
                }
                entry.defect = defect;
                entry.exact = false;
            }
        }
        if self.attempted == Attempted::Start {
            self.halves.accept_exact();
        } else {
            self.halves.accept();
            self.halves.remember_shift(self.projects());
        }
    }

    fn rechart(&mut self, change: &mut ChartChange) {
        self.halves.rechart(change);
    }

    fn expect_no_retries(&mut self) {
        self.starter.expect_no_retries();
    }

    fn interpolate(&self, _: &Equations, from: &State, t: f64, out: &mut State) {
        // A general rate, also that of a chart, has no slopes.
        let slopes = self.halves.step.iterate.p.is_empty();
        dense::interpolate(&self.halves.history, self.scheme.order + 1, slopes, [from, &self.halves.now], t, out);
    }

    /// Lagrange's polynomial through the last points, and two slopes.
    fn degree(&self) -> usize {
        self.scheme.order + 2
    }

    fn state(&self) -> &State {
        &self.halves.now
    }

    fn next(&self) -> Option<&State> {
        Some(&self.halves.next)
    }

    fn own(&self) -> Own<'_> {
        self.halves.own()
    }

    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let Bdf { order, formulation, start, step_change } = self.scheme;
        archive.same("order", order as f64)?;
        for (what, choice) in
            [("formulation", formulation as u8), ("start", start as u8), ("step change", u8::from(step_change))]
        {
            archive.same(what, f64::from(choice))?;
        }
        keep!(archive; self.newton, self.halves, self.start_shift)?;
        self.starter.keep(archive)
    }

    fn linear_work(&self) -> LinearWork {
        self.halves.linear_work() + self.starter.linear_work()
    }
}
