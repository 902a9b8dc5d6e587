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

use super::dense;
use super::formula::Formula;
use super::halves::Halves;
use super::step::{Accuracy, BdfProblem};
use super::taylor::Taylor;
use crate::chart::ChartChange;
use crate::checkpoint::{Archive, BadCheckpoint, keep};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::method::charted::Charted;
use crate::method::onset::Onset;
use crate::method::{Accumulation, Attempt, BadMethod, ErrorEstimate, Law, Method, Own, Scheme, StepFailure, require};
use crate::newton::{Converged, Newton};
use crate::state::State;
use crate::tolerance::Tolerance;

/// Highest order: BDF 6 is unstable at changing steps.
const HIGHEST: usize = 5;
/// Newton iterations before factors or the step are given up.
const LIMIT: usize = 5;
/// Contraction above which damping and stiffness are evaluated anew.
const WORN: f64 = 0.25;
/// Corrections that shrink by less than this are noise, if they are not above so many times the rounding of v^: the slope of
/// q carries the last digit of q divided by h, which the velocity half takes out again.
const STILL: f64 = 0.5;
const NOISE: f64 = 64.0;
/// Relative change of alpha that makes lazy factors useless.
const DRIFT: f64 = 0.25;
/// What the contraction is taken to have grown by since the step before, until it is measured again: with old factors, and
/// with fresh ones, in which only D and S are old.
const AGEING_LAZY: f64 = 2.0;
const AGEING_FRESH: f64 = 1.1;
/// Solves that a factorisation may cost before the extra iterations of old factors are cheaper: dense matrices of 40 rows.
/// Measured on chains of bars, time of lazy over fresh at tolerances 1e-4 and 1e-7: 1.18 and 1.10 at 25 unknowns, 1.10 and 0.96
/// at 40, 0.84 and 0.62 at 60, 0.59 and 0.57 at 200 (dense); 1.3 to 1.7 on mechanisms of 3 to 13. Sparse, at 1e-6: 1.2 with 120
/// velocities, 0.90 and 0.96 with 200 and 300, 0.85 with 3000.
const DEAR: f64 = 13.0;
/// The error aimed at.
const TARGET: f64 = 0.3;
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
    /// Newton's contraction.
    rho: f64,
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
        let dear = layout.is_large() || layout.structure.factorisation_cost() > DEAR;
        VariableBdfStepper {
            max_order: scheme.max_order,
            lazy: scheme.factorisation == Factorisation::Lazy
                || (scheme.factorisation == Factorisation::ByCost && dear),
            taylor: Taylor::new(equations),
            halves: Halves::new(equations, tolerance),
            onset: Onset::new(equations, 1.0),
            order: 0,
            attempted: 0,
            next_order: 0,
            at_order: 0,
            steps: 0,
            attempts: 0,
            rho: 1.0,
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

    /// Newton's method for the position half, which rather has a shorter step than many iterations.
    fn position_half(&mut self, equations: &mut Equations) -> Result<Converged, StepFailure> {
        let mut iterations = 0;
        let mut fresh =
            !self.halves.step.is_linearized() || (!self.lazy && (self.rho > WORN || self.halves.step.stiff));
        if fresh {
            self.relinearize(equations)?;
        } else {
            let alpha = self.halves.step.formula.alpha;
            let moved = self.halves.step.factored.is_none_or(|step| (alpha * step - 1.0).abs() > DRIFT);
            if moved || !self.lazy {
                self.halves.step.refresh(equations)?;
            }
        }
        loop {
            match self.iterate(equations, &mut iterations) {
                Ok(()) => return Ok(Converged { iterations, linearizations: usize::from(fresh) }),
                Err(failure) if fresh => {
                    self.halves.step.forget();
                    return Err(failure);
                }
                Err(_) => {
                    fresh = true;
                    self.halves.step.restore();
                    self.relinearize(equations)?;
                }
            }
        }
    }

    fn relinearize(&mut self, equations: &mut Equations) -> Result<(), StepFailure> {
        self.rho = 0.5;
        self.halves.step.linearize(equations)
    }

    fn iterate(&mut self, equations: &mut Equations, iterations: &mut usize) -> Result<(), StepFailure> {
        let (enough, ageing) = if self.lazy { (0.03, AGEING_LAZY) } else { (0.1, AGEING_FRESH) };
        self.rho = (ageing * self.rho).min(1.0);
        let Halves { step, tolerance, .. } = &mut self.halves;
        let rounding = step.rounding(tolerance);
        let mut previous = f64::INFINITY;
        let mut theta = f64::NAN;
        for i in 1..=LIMIT {
            *iterations += 1;
            let size = BdfProblem { step, equations, tolerance }.correct()?;
            if i > 1 {
                theta = size / previous;
                // Noise does not contract, and says nothing about the factors.
                if theta > STILL && size <= NOISE * rounding {
                    return Ok(());
                }
                self.rho = (0.3 * self.rho).max(theta);
            }
            if !size.is_finite() || theta > 0.9 {
                break;
            }
            // What the factors were worth in an earlier step says little where turning springs and dampers dominate.
            if i == 1 && step.stiff && size > rounding {
                previous = size;
                continue;
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
        let scale = self.difference(order);
        if self.halves.step.stiff {
            // What the next step will damp away is no error, and jumps with every change of the defect.
            self.halves.step.damp(&mut self.error_v);
        }
        scale * self.difference_norm()
    }

    /// The same for the order of the attempt, with a look at what the filter owes to forces that set in during the step.
    fn error_of_attempt(&mut self, equations: &mut Equations) -> Result<f64, StepFailure> {
        if !self.halves.step.stiff {
            let norm = self.error(self.attempted);
            self.note_error();
            return Ok(norm);
        }
        let raw = self.difference(self.attempted) * self.difference_norm();
        let filtered = self.error(self.attempted);
        self.note_error();
        let scale = self.difference(self.attempted);
        let VariableBdfStepper { onset, halves: Halves { step, tolerance, now, .. }, error_q, error_v, .. } = self;
        onset.norm([raw, filtered], equations, (now, 1.0 / step.formula.alpha), |onset, _| {
            onset.damp(error_v);
            scale * step.norm(tolerance, error_q, error_v)
        })
    }

    /// Remembers the error for whoever asks for it after other orders were looked at.
    fn note_error(&mut self) {
        self.measured_q.copy_from_slice(&self.error_q);
        self.measured_v.copy_from_slice(&self.error_v);
    }

    /// The norm of y - P.
    fn difference_norm(&self) -> f64 {
        self.halves.step.norm(&self.halves.tolerance, &self.error_q, &self.error_v)
    }

    /// y - P of an order, and what it is to be multiplied by.
    fn difference(&mut self, order: usize) -> f64 {
        let Halves { step, velocity, history, now, .. } = &mut self.halves;
        let formula = Formula::new(order, step.t, history.times());
        let slope = &mut self.slope;
        history.extrapolate(&formula, |entry| &entry.q, &mut self.error_q, &mut slope[..now.q.len()]);
        history.extrapolate(&formula, |entry| &entry.v, &mut self.error_v, &mut slope[..now.v.len()]);
        for (error, q) in self.error_q.iter_mut().zip(&step.q) {
            *error -= q;
        }
        for (error, v) in self.error_v.iter_mut().zip(&velocity.v) {
            *error -= v;
        }
        let gamma: f64 = (1..=order).map(|i| 1.0 / i as f64).sum();
        gamma * formula.error_factor()
    }

    /// The estimate for the controller; chooses the order of the next step.
    fn estimate(&mut self, equations: &mut Equations) -> Result<ErrorEstimate, StepFailure> {
        let order = self.attempted;
        let mut norm = self.error_of_attempt(equations)?;
        self.next_order = order;
        let due = self.at_order >= order || order != self.order;
        if norm <= 1.0 && due {
            let present = norm;
            let promise = |error: f64, order: usize, bias: f64| error.max(1e-30).powf(-1.0 / (order + 1) as f64) / bias;
            let mut best = promise(present, order, BIAS[1]);
            for (other, bias) in [(order - 1, BIAS[0]), (order + 1, BIAS[2])] {
                if other == 0 || other > self.max_order || self.halves.history.len() < other + 1 {
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
        Ok(ErrorEstimate {
            norm,
            exponent: 1.0 / (self.next_order + 1) as f64,
            law: Law::ProportionalIntegral { target: TARGET },
            ratio: (0.5, most),
            keep: 1.0,
            limit: f64::INFINITY,
        })
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
        self.rho = 1.0;
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
        let Converged { iterations, linearizations } = cost;
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
        keep!(archive; self.order, self.attempted, self.next_order, self.at_order, self.steps, self.attempts, self.rho)?;
        keep!(archive; self.patient)?;
        let highest = self.order.max(self.attempted).max(self.next_order);
        if highest <= HIGHEST { Ok(()) } else { Err(BadCheckpoint::Corrupt) }
    }

    fn linear_work(&self) -> LinearWork {
        self.halves.linear_work() + self.taylor.linear_work() + self.onset.work()
    }
}
