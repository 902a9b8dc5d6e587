//! BDF with variable steps and orders 1 to 5, variable coefficients, two halves per step.
//!
//! ```text
//! error        e_j = gamma_j |alpha/sigma - 1| (y_n - P_j(t_n)),  y = q and v_n (projected),  gamma_j = 1 + .. + 1/j
//! order        every k+1 steps the j in k-1..k+1 with the largest e_j^(-1/(j+1)) / b_j,  b = 1.3, 1.2, 1.4
//! Newton       stops when |d| min(1, rho/(1-rho)) is below 0.1 (lazy 0.03); rho <- max(0.3 rho, measured)
//! norm         sqrt((|q|^2 + |v|^2)/2), weights atol + rtol max |y_j| over the points behind the formula
//! ```
//!
//! The error test sees projected velocities. With those of the classical index-3 method it would collapse: their normal
//! part jumps with every change of step or order. Multipliers are in no norm. Components that pass through zero keep the
//! weight of their recent size.
//!
//! Where D/alpha + S/alpha^2 outweigh M in some row, the step is stiff. Then Newton's contraction is measured in every step,
//! D and S are renewed with the other blocks (lazily only when Newton's method asks for it), and e_j is multiplied by
//! (M + D/alpha + S/alpha^2)^-1 M: the normal velocity of a step jumps a little with the defect c_n, which stiff dampers hand on to
//! other directions, and the next step damps it away.

mod estimate;

use super::dense;
use super::halves::Halves;
use super::step::{Accuracy, BdfProblem};
use super::taylor::Taylor;
use crate::chart::ChartChange;
use crate::checkpoint::{Archive, BadCheckpoint, keep};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::method::charted::Charted;
use crate::method::onset::Onset;
use crate::method::{Accumulation, Attempt, BadMethod, Method, Own, Scheme, StepFailure, require};
use crate::newton::{Converged, Newton, Policy};
use crate::state::State;
use crate::tolerance::Tolerance;

/// Highest order: BDF 6 is unstable at changing steps.
const HIGHEST: usize = 5;
/// Part of the tolerance that Newton's error may use with fresh factors, and with lazy ones.
const PART: f64 = 0.1;
const LAZY_PART: f64 = 0.03;
/// Relative change of alpha that makes lazy factors useless.
const DRIFT: f64 = 0.25;
/// Solves that a factorisation may cost before the extra iterations of old factors are cheaper: dense matrices of 40 rows.
/// Measured on chains of bars, time of lazy over fresh at tolerances 1e-4 and 1e-7: 1.18 and 1.10 at 25 unknowns, 1.10 and 0.96
/// at 40, 0.84 and 0.62 at 60, 0.59 and 0.57 at 200 (dense); 1.3 to 1.7 on mechanisms of 3 to 13.
const DEAR: f64 = 13.0;
/// The same for systems with patterns, whose factorisations cost few solves but whose derivatives have to be evaluated again as
/// well: velocities from which on old factors are kept. Measured on chains at 1e-6, time of lazy over fresh: 1.2 with 120
/// velocities, 0.90 and 0.96 with 200 and 300, 0.85 with 3000.
const DEAR_FROM: usize = 150;
/// After this many attempts at one step the order drops.
const PATIENCE: usize = 3;

/// When matrices are factored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Factorisation {
    /// By cost: fresh for small systems, lazy for large ones and where factorisations are dear.
    #[default]
    ByCost,
    /// In every step, with new masses and constraint directions: about one evaluation of the force a step, more where springs
    /// and dampers are stiff.
    Fresh,
    /// Only when the step has changed by a quarter or Newton's method asks for it: few factorisations, about two evaluations of
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

    fn accumulation(&self) -> Accumulation {
        Accumulation { factor: 0.1, exponent: 1.2, finest: 1e-11 }
    }

    fn build(&self, equations: &Equations, tolerance: Tolerance) -> Result<Box<dyn Method>, BadMethod> {
        self.checked()?;
        if !equations.space().is_flat() {
            return Charted::build(self, equations, tolerance);
        }
        Ok(Box::new(VariableBdfStepper::new(*self, equations, tolerance)))
    }
}

struct VariableBdfStepper {
    max_order: usize,
    lazy: bool,
    taylor: Taylor,
    halves: Halves,
    onset: Onset,
    order: usize,
    /// Order of the attempt, and of the step after it.
    attempted: usize,
    next_order: usize,
    /// Accepted steps since the order changed, and since the start.
    at_order: usize,
    steps: usize,
    /// Attempts at the present step.
    attempts: usize,
    newton: Newton,
    /// The iteration to use where a failure is final.
    patient: Option<Newton>,
    // y - P of q and v, and P of another order.
    error_q: Vec<f64>,
    error_v: Vec<f64>,
    /// The same of the order of the last attempt, as it was measured.
    measured_q: Vec<f64>,
    measured_v: Vec<f64>,
    slope: Vec<f64>,
}

impl VariableBdfStepper {
    fn new(scheme: VariableBdf, equations: &Equations, tolerance: Tolerance) -> Self {
        let dims = equations.dims();
        let layout = equations.layout();
        let many = !layout.is_dense() && dims.v >= DEAR_FROM;
        let dear = many || layout.structure.factorisation_cost() > DEAR;
        let lazy = match scheme.factorisation {
            Factorisation::ByCost => dear,
            Factorisation::Fresh => false,
            Factorisation::Lazy => true,
        };
        VariableBdfStepper {
            max_order: scheme.max_order,
            lazy,
            taylor: Taylor::new(equations),
            halves: Halves::new(equations, tolerance),
            onset: Onset::new(equations, 1.0),
            order: 0,
            attempted: 0,
            next_order: 0,
            at_order: 0,
            steps: 0,
            attempts: 0,
            newton: Newton::new(if lazy { Policy::LAZY_BDF } else { Policy::BDF }),
            patient: None,
            error_q: vec![0.0; dims.q],
            error_v: vec![0.0; dims.v],
            measured_q: vec![0.0; dims.q],
            measured_v: vec![0.0; dims.v],
            slope: vec![0.0; dims.q.max(dims.v)],
        }
    }

    /// The start and two virtual points before it.
    fn begin(&mut self, equations: &mut Equations, h: f64) -> Result<(), StepFailure> {
        let Halves { history, now, next, .. } = &mut self.halves;
        history.clear();
        for i in (1..=self.order).rev() {
            self.taylor.before(equations, now, i as f64 * h, next)?;
            history.push(next);
        }
        history.push(now);
        Ok(())
    }

    /// The position half, which rather has a shorter step than many iterations.
    fn position_half(&mut self, equations: &mut Equations) -> Result<Converged, StepFailure> {
        let Halves { step, tolerance, .. } = &mut self.halves;
        let reuse = step.is_linearized() && (self.lazy || (self.newton.keeps_factors() && !step.stiff));
        if reuse {
            let alpha = step.formula.alpha;
            let moved = step.factored.is_none_or(|step| (alpha * step - 1.0).abs() > DRIFT);
            if moved || !self.lazy {
                step.refresh(equations)?;
            }
        }
        let part = if self.lazy { LAZY_PART } else { PART };
        let solved = self.newton.solve(&mut BdfProblem::controlled(step, equations, tolerance, part), reuse);
        Ok(solved.inspect_err(|_| step.forget())?)
    }
}

impl Method for VariableBdfStepper {
    fn restart(&mut self, equations: &mut Equations, start: &State) -> Result<(), StepFailure> {
        self.halves.restart(start);
        self.onset.restart();
        self.order = self.max_order.min(2);
        self.at_order = 0;
        self.steps = 0;
        self.attempts = 0;
        self.newton.forget();
        if let Some(newton) = &mut self.patient {
            newton.forget();
        }
        self.taylor.measure(equations, &self.halves.tolerance, &mut self.halves.now)
    }

    fn attempt(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        self.attempts += 1;
        let drop = self.attempts.saturating_sub(PATIENCE);
        self.attempted = self.order.saturating_sub(drop).max(1);
        if self.steps == 0 {
            self.begin(equations, h)?;
        }
        self.halves.next.t = self.halves.now.t + h;
        self.halves.begin(self.attempted, equations.typical());
        self.halves.predict(equations, true)?;
        // Prescribed steps are made as exactly as those of `Bdf`.
        let (cost, accuracy) = match &mut self.patient {
            Some(newton) => (self.halves.solve_position(equations, newton)?, Accuracy::Multipliers),
            None => (self.position_half(equations)?, Accuracy::Tolerance),
        };
        self.halves.solve_velocity(equations, accuracy)?;
        self.onset.renewed |= cost.linearizations > 0;
        let error = Some(self.estimate(equations)?);
        let residuals = self.halves.finish(equations, true)?;
        let Converged { iterations, linearizations, .. } = cost;
        Ok(Attempt { iterations, linearizations, residuals, error })
    }

    fn accept(&mut self) {
        self.halves.accept();
        self.onset.accept();
        // The normal velocity of one order says nothing about that of another.
        if self.next_order == self.attempted {
            self.halves.remember_shift(true);
        }
        self.at_order = if self.next_order == self.order { self.at_order + 1 } else { 0 };
        self.order = self.next_order;
        self.steps += 1;
        self.attempts = 0;
    }

    fn expect_no_retries(&mut self) {
        self.patient = Some(Newton::default());
    }

    fn rechart(&mut self, change: &mut ChartChange) {
        self.halves.rechart(change);
    }

    fn estimates_error(&self) -> bool {
        true
    }

    fn error(&self) -> Option<(&[f64], &[f64])> {
        Some((&self.measured_q, &self.measured_v))
    }

    fn first_step(&mut self, _: &mut Equations, t_end: f64) -> Result<f64, StepFailure> {
        Ok(self.taylor.h.min(1e-2 * (t_end - self.halves.now.t)))
    }

    fn interpolate(&self, _: &Equations, from: &State, t: f64, out: &mut State) {
        // A general rate, also that of a chart, has no slopes.
        let slopes = self.halves.step.iterate.p.is_empty();
        dense::interpolate(&self.halves.history, self.order + 1, slopes, [from, &self.halves.now], t, out);
    }

    /// Lagrange's polynomial through the last points, and two slopes.
    fn degree(&self) -> usize {
        self.order + 2
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
        archive.same("highest order", self.max_order as f64)?;
        archive.same("lazy factorisation", f64::from(u8::from(self.lazy)))?;
        keep!(archive; self.taylor, self.halves, self.onset)?;
        keep!(archive; self.order, self.attempted, self.next_order, self.at_order, self.steps, self.attempts, self.newton)?;
        keep!(archive; self.patient)?;
        let highest = self.order.max(self.attempted).max(self.next_order);
        if highest <= HIGHEST { Ok(()) } else { Err(BadCheckpoint::Corrupt) }
    }

    fn linear_work(&self) -> LinearWork {
        self.halves.linear_work() + self.taylor.linear_work() + self.onset.work()
    }
}
