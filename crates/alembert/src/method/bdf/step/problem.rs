//! The position half as Newton's method sees it.

use super::BdfCorrector;
use crate::equations::Equations;
use crate::method::{StepFailure, linearization_price};
use crate::newton::NonlinearProblem;
use crate::tolerance::Tolerance;

/// A step bound to its equations.
pub(in crate::method::bdf) struct BdfProblem<'a, 's> {
    pub step: &'a mut BdfCorrector,
    pub equations: &'a mut Equations<'s>,
    pub tolerance: &'a Tolerance,
}

impl BdfProblem<'_, '_> {
    /// One correction with the factors there are; its norm.
    pub fn correct(&mut self) -> Result<f64, StepFailure> {
        self.step.evaluate(self.equations)?;
        self.step.correct();
        Ok(self.step.norm(self.tolerance, &self.step.dq, &self.step.dv))
    }
}

impl NonlinearProblem for BdfProblem<'_, '_> {
    type Failure = StepFailure;

    fn rewind(&mut self) {
        self.step.restore();
    }

    fn linearize(&mut self) -> Result<(), StepFailure> {
        self.step.linearize(self.equations)
    }

    fn iterate(&mut self) -> Result<f64, StepFailure> {
        self.correct()
    }

    fn price(&self) -> usize {
        linearization_price(self.step.dims.v)
    }

    fn rounding(&self) -> f64 {
        self.step.rounding(self.tolerance)
    }
}
