//! What both steppers share: a step in two halves from the last points, and the state it leads to.

use super::formula::Formula;
use super::history::{Entry, History};
use super::step::{Accuracy, BdfCorrector, BdfProblem, VelocityHalf};
use crate::acceleration::AccelerationLevel;
use crate::chart::ChartChange;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::inertia::MassWatch;
use crate::linear::LinearWork;
use crate::method::{Own, StepFailure};
use crate::newton::{Converged, Newton};
use crate::redundancy::RedundancyWatch;
use crate::singularity::SingularityWatch;
use crate::state::State;
use crate::stats::Residuals;
use crate::system::Point;
use crate::tolerance::Tolerance;
use crate::typical::TypicalSizes;

pub(super) struct Halves {
    pub tolerance: Tolerance,
    pub step: BdfCorrector,
    pub velocity: VelocityHalf,
    pub history: History,
    pub now: State,
    pub next: State,
    /// Sees dead points.
    watch: SingularityWatch,
    /// The border at the end of a step with old factors.
    border: Vec<f64>,
    signs: MassWatch,
    /// Where constraints may be dependent: the smallest of their multipliers.
    least: Option<AccelerationLevel>,
}

impl Keep for Halves {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.now, self.next, self.history, self.step, self.velocity, self.watch, self.signs)?;
        self.least.as_mut().map_or(Ok(()), |level| level.keep(archive))
    }
}

impl Halves {
    pub fn new(equations: &Equations, tolerance: Tolerance) -> Self {
        let dims = equations.dims();
        Halves {
            tolerance,
            step: BdfCorrector::new(equations),
            velocity: VelocityHalf::new(equations),
            history: History::new(dims),
            now: State::zero(dims),
            next: State::zero(dims),
            watch: SingularityWatch::new(dims, equations.layout().rows.len()),
            border: vec![0.0; equations.layout().rows.len()],
            signs: MassWatch::new(equations),
            least: equations.layout().is_softened().then(|| AccelerationLevel::new(equations)),
        }
    }

    /// Forgets everything but a start.
    pub fn restart(&mut self, start: &State) {
        self.now.assign(start);
        self.history.clear();
        self.history.push(start);
        self.step.forget();
        self.velocity.restart();
        self.watch.restart();
        self.signs.restart();
        self.least.iter_mut().for_each(|level| level.restart_from(start));
    }

    /// Begins a step to the time of `next` with the formula of an order.
    pub fn begin(&mut self, order: usize, sizes: &TypicalSizes) {
        let t = self.next.t;
        let formula = Formula::new(order, t, self.history.times());
        self.step.begin(formula, t, &self.history, sizes);
    }

    /// Predicts the position half; `projected` says whether the past is.
    pub fn predict(&mut self, equations: &mut Equations, projected: bool) -> Result<(), StepFailure> {
        self.step.predict(equations, self.history.newest(), projected)
    }

    /// The position half by the library's own iteration, which tries everything before it gives up.
    pub fn solve_position(&mut self, equations: &mut Equations, newton: &mut Newton) -> Result<Converged, StepFailure> {
        let Halves { step, tolerance, .. } = self;
        let reuse = step.is_linearized();
        if reuse && step.factored != Some(1.0 / step.formula.alpha) {
            step.factor()?;
        }
        let solved = newton.solve(&mut BdfProblem { step, equations, tolerance, control: None }, reuse);
        Ok(solved.inspect_err(|_| step.forget())?)
    }

    /// Constraints to rounding, then the velocity half.
    pub fn solve_velocity(&mut self, equations: &mut Equations, accuracy: Accuracy) -> Result<(), StepFailure> {
        let Halves { tolerance, step, velocity, history, .. } = self;
        step.settle(equations)?;
        if accuracy == Accuracy::Multipliers {
            // Prescribed steps may lead anywhere: only factors at the end of the step can tell.
            step.renew(equations)?;
        }
        velocity.solve(equations, step, history.newest(), tolerance, accuracy)
    }

    /// Writes (v^ - v)/c.
    pub fn shift_into(&self, out: &mut [f64]) {
        for (out, (hat, v)) in out.iter_mut().zip(self.step.v.iter().zip(&self.velocity.v)) {
            *out = (hat - v) / self.step.formula.defect;
        }
    }

    /// Writes `next`, with the velocity half's v and mu or else (classical method) those of the position half.
    pub fn finish(&mut self, equations: &mut Equations, projected: bool) -> Result<Residuals, StepFailure> {
        let Halves { step, velocity, next, signs, least, history, .. } = self;
        let (v, mu) = if projected { (&velocity.v, &velocity.mu) } else { (&step.v, &step.iterate.mu) };
        next.q.copy_from_slice(&step.q);
        next.v.copy_from_slice(v);
        for (i, a) in next.a.iter_mut().enumerate() {
            *a = step.past.v_slope[i] + step.formula.alpha * (v[i] - step.past.v[i]);
        }
        equations.keep_still(&history.points()[0].v, next);
        let (lambda, psi) = mu.split_at(next.lambda.len());
        next.lambda.copy_from_slice(lambda);
        next.psi.copy_from_slice(psi);
        if let Some(coordinate) = signs.look(equations, &step.mass) {
            return Err(StepFailure::MassSign { coordinate });
        }
        // Where constraints may be dependent, the acceleration level looks.
        if least.is_none() {
            self.look_for_dead_points(equations)?;
        }
        let Halves { step, next, least, .. } = self;
        if let Some(level) = least {
            level.c_v.copy_from_slice(&step.blocks.c_v);
            level.restore_invariants(equations, next.t, &mut next.q)?;
            return Ok(level.complete(equations, next)?);
        }
        step.residuals(equations, &next.v)
    }

    /// Refuses a step through a singular configuration. Old factors tell as well as new ones that nothing has changed much since they
    /// were made; where they cannot, they are renewed.
    fn look_for_dead_points(&mut self, equations: &mut Equations) -> Result<(), StepFailure> {
        let Halves { step, next, watch, border, .. } = self;
        if step.aged {
            let State { t, q, v, lambda, psi, .. } = &*next;
            step.border_into(equations, Point { t: *t, q, v, lambda, psi }, border)?;
            if step.vetted && watch.is_quiet(step.here(), border) {
                return Ok(());
            }
            step.renew(equations)?;
        }
        let none = &mut RedundancyWatch::default();
        match watch.look(equations, step.here(), next, none) {
            Some(constraint) => Err(StepFailure::Crossing { constraint }),
            None => {
                step.vetted = true;
                Ok(())
            }
        }
    }

    /// Makes `next` the present state and the newest point, one of the exact motion.
    pub fn accept_exact(&mut self) -> &mut Entry {
        std::mem::swap(&mut self.now, &mut self.next);
        self.history.push(&self.now)
    }

    /// The same with the defect of the step that led there.
    pub fn accept(&mut self) {
        if !self.step.aged {
            self.watch.accept(&self.next, self.step.here().border.1);
        }
        self.least.iter_mut().for_each(|level| level.accept(&self.next));
        let defect = self.step.formula.defect;
        let entry = self.accept_exact();
        entry.exact = false;
        entry.defect = defect;
    }

    /// Tells the newest point how far the halves of its step were apart, so that the next step can predict it.
    pub fn remember_shift(&mut self, with_multipliers: bool) {
        let Formula { alpha, defect, .. } = self.step.formula;
        let entry = &mut self.history.points_mut()[0];
        for (i, shift) in entry.shift.iter_mut().enumerate() {
            *shift = (self.step.v[i] - self.velocity.v[i]) / defect;
        }
        // Multipliers of dependent constraints differ by more than what can be predicted.
        if with_multipliers && self.least.is_none() {
            for (i, shift) in entry.mu_shift.iter_mut().enumerate() {
                *shift = (self.step.iterate.mu[i] - self.velocity.mu[i]) / (alpha * defect);
            }
        }
    }

    /// Carries the past over to another chart.
    pub fn rechart(&mut self, change: &mut ChartChange) {
        self.history.rechart(change);
        change.apply(&mut self.now.q);
        self.watch.rechart(change);
        self.least.iter_mut().for_each(|level| level.rechart(change));
    }

    /// a and the multipliers of the present state: BDF's own are at its time.
    pub fn own(&self) -> Own<'_> {
        Own::consistent(&self.now)
    }

    /// What matrices have cost so far, without those of a start.
    pub fn linear_work(&self) -> LinearWork {
        let least = self.least.as_ref().map(|level| level.kkt.work());
        self.step.mode.kkt.work() + self.velocity.kkt.work() + least.unwrap_or_default()
    }
}
