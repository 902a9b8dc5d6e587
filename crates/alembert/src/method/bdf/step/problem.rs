//! The position half as Newton's method sees it.

use super::BdfCorrector;
use crate::equations::Equations;
use crate::method::{StepFailure, linearization_price};
use crate::newton::{Factors, Levels, NonlinearProblem, Policy};
use crate::tolerance::Tolerance;

/// A step bound to its equations.
pub(in crate::method::bdf) struct BdfProblem<'a, 's> {
    pub step: &'a mut BdfCorrector,
    pub equations: &'a mut Equations<'s>,
    pub tolerance: &'a Tolerance,
    /// Under error control: the part of the tolerance that Newton's error may use, and the rounding of corrections.
    pub control: Option<Levels>,
}

/// Corrections that shrink no more are noise, if they are not above so many times the rounding of v^: the slope of q carries the last
/// digit of q divided by h, which the velocity half takes out again.
const NOISE: f64 = 64.0;

impl<'a, 's> BdfProblem<'a, 's> {
    /// For steps whose errors are controlled, of which Newton's error may be a part.
    pub fn controlled(
        step: &'a mut BdfCorrector,
        equations: &'a mut Equations<'s>,
        tolerance: &'a Tolerance,
        part: f64,
    ) -> Self {
        let rounding = step.rounding(tolerance);
        // In very short steps rounding exceeds the tolerance: a first correction must not pass for noise there.
        let control =
            Some(Levels { rounding: rounding.min(part), noise: NOISE * rounding, enough: part, tolerable: 0.0 });
        BdfProblem { step, equations, tolerance, control }
    }
}

impl NonlinearProblem for BdfProblem<'_, '_> {
    type Failure = StepFailure;

    fn rewind(&mut self) -> Result<(), StepFailure> {
        self.step.restore();
        Ok(())
    }

    fn linearize(&mut self) -> Result<(), StepFailure> {
        self.step.linearize(self.equations)
    }

    fn iterate(&mut self) -> Result<f64, StepFailure> {
        self.step.evaluate(self.equations)?;
        self.step.correct();
        Ok(self.step.norm(self.tolerance, &self.step.dq, &self.step.dv))
    }

    /// What the factors were worth in an earlier step says little where turning springs and dampers dominate.
    fn is_like_before(&self) -> bool {
        !(self.control.is_some() && self.step.stiff)
    }

    fn price(&self) -> usize {
        linearization_price(self.step.dims.v)
    }

    fn levels(&self, factors: Factors) -> Levels {
        self.control.unwrap_or_else(|| Policy::step_levels(self.step.rounding(self.tolerance), factors))
    }
}
