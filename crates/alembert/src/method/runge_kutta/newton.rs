//! The stages as Newton's method sees them, with one factorisation for the whole step ([`Policy::RADAU`]).
//!
//! A first correction is judged by the contraction of the last accepted step. At tight tolerances the iteration ends where rounding does,
//! see `weights`. Where steps are much shorter than their errors ask for (they must end at given times), kappa is smaller too: what
//! Newton's method leaves adds up over steps, and often with one sign.
//!
//! Where the iteration does not get as far as it should, and rounding of the constraints may be the reason, it goes on with
//! [changes](super::changes).

use super::step::StageCorrector;
use crate::equations::Equations;
use crate::method::StepFailure;
use crate::newton::{Converged, End, Factors, Levels, Newton, NonlinearProblem, Pass, Policy, STILL, Verdict};
use crate::state::State;

/// Newton iterations where a failed step ends the integration.
const PATIENT_LIMIT: usize = 60;
/// Fraction of the rounding below which no iteration is asked to go.
const FINE: f64 = 0.1;
/// Fraction of the tolerance at which corrections may stall. Constraints whose terms are larger than q, or forces that
/// nearly cancel, round more coarsely than the estimate from q says.
const STALLED: f64 = 0.01;
/// The same in units of that estimate: in a chain of a thousand bars the joint forces add up.
const NOISE: f64 = 30.0;

/// The policy for so many stages.
pub(super) fn policy(stages: usize) -> Policy {
    let pass = Pass { limit: 7 + 5 * stages.saturating_sub(3) / 2, ..Policy::RADAU.fresh };
    Policy { stale: pass, fresh: pass, ..Policy::RADAU }
}

/// The same where a failed step ends the integration: one ratio alone misleads where a velocity with hardly a weight passes zero.
pub(super) fn patient_policy() -> Policy {
    let pass = Pass { limit: PATIENT_LIMIT, ..Policy::RADAU.fresh };
    let criterion = crate::newton::Criterion { foresight: 2, ..Policy::RADAU.criterion };
    Policy { criterion, stale: pass, fresh: pass, ..Policy::RADAU }
}

/// A step bound to its equations.
pub(super) struct StageProblem<'a, 's> {
    step: &'a mut StageCorrector,
    equations: &'a mut Equations<'s>,
    now: &'a State,
    rate: &'a [f64],
}

impl NonlinearProblem for StageProblem<'_, '_> {
    type Failure = StepFailure;

    fn rewind(&mut self) -> Result<(), StepFailure> {
        self.step.predict(self.equations, self.now, self.rate)
    }

    fn linearize(&mut self) -> Result<(), StepFailure> {
        self.step.linearize(self.equations, self.now)?;
        self.step.factor()
    }

    fn iterate(&mut self) -> Result<f64, StepFailure> {
        self.step.evaluate(self.equations, self.now)?;
        let size = self.step.correct();
        self.step.follow(self.equations, self.now)?;
        Ok(size)
    }

    fn levels(&self, _: Factors) -> Levels {
        let rounding = self.step.weights.rounding;
        let aim = self.step.shortness * self.step.weights.kappa;
        // Weights are no finer than rounding, so that corrections below it may still be worth something.
        Levels {
            rounding: 0.0,
            noise: rounding,
            enough: aim.max(FINE * rounding),
            tolerable: STALLED.max(NOISE * rounding),
        }
    }

    fn mend(&mut self, end: &End) -> Result<bool, StepFailure> {
        let StageProblem { step, equations, now, .. } = self;
        let aim = step.shortness * step.weights.kappa;
        let done = end.theta.is_some_and(|theta| theta <= STILL) || end.size <= aim;
        if (end.verdict == Verdict::Stalled && done && end.size <= step.weights.rounding)
            || !step.changes.help(end.size, &step.weights)
        {
            return Ok(false);
        }
        step.weights.measure(now, equations.typical(), step.h, step.changes.constraints());
        Ok(true)
    }

    fn mended_in_vain(&mut self, end: &End) {
        self.step.changes.fail(!end.is_solution());
    }
}

impl StageCorrector {
    /// Solves for the stages of a step of length h; `rate` is q' at its start.
    pub fn solve(
        &mut self,
        equations: &mut Equations,
        now: &State,
        rate: &[f64],
        h: f64,
    ) -> Result<Converged, StepFailure> {
        self.h = h;
        self.weights.measure(now, equations.typical(), h, self.changes.constraints());
        self.predict(equations, now, rate)?;
        // After a failure or a rejection `factored_h` is gone, and with it the blocks.
        let factored = self.factored_h.take();
        if factored.is_some_and(|factored| (h - factored).abs() > 1e-9 * h) {
            self.factor()?;
        }
        let mut newton = std::mem::replace(&mut self.newton, Newton::new(Policy::RADAU));
        newton.believe(Some(self.contraction_before));
        let solved = newton.solve(&mut StageProblem { step: self, equations, now, rate }, factored.is_some());
        self.newton = newton;
        let cost = solved?;
        self.keeps_blocks = cost.theta.is_none_or(|theta| theta <= self.newton.policy().refresh.keep);
        self.factored_h = Some(h);
        self.settle_multipliers(now);
        Ok(cost)
    }
}
