//! The constraints of a step to rounding: what Newton's method left of g and k is removed, at the price of no force.

use super::BdfCorrector;
use crate::equations::Equations;
use crate::method::StepFailure;
use crate::newton::{Factors, Levels, Newton, NonlinearProblem, Policy};
use crate::tolerance::largest;

/// Residuals of constraints below this need no correction, relative to the size of what they are made of.
const SETTLED: f64 = 4.0 * f64::EPSILON;
/// The same where they shrink no more.
const NOISE: f64 = 16.0 * SETTLED;

/// The constraints alone, corrected with the matrix of the step. Factors that do not serve are renewed once.
struct Constraints<'a, 's> {
    step: &'a mut BdfCorrector,
    equations: &'a mut Equations<'s>,
    size: f64,
}

impl BdfCorrector {
    /// Removes what Newton's method left of g and k, as far as can be.
    pub fn settle(&mut self, equations: &mut Equations) -> Result<(), StepFailure> {
        if self.dims.constraints() == 0 {
            return Ok(());
        }
        let mut constraints = Constraints { step: self, equations, size: 0.0 };
        constraints.measure()?;
        Newton::new(Policy::BDF_SETTLE).solve(&mut constraints, true)?;
        Ok(())
    }
}

impl Constraints<'_, '_> {
    /// Puts g and k into the right-hand side, and takes their size.
    fn measure(&mut self) -> Result<(), StepFailure> {
        let Constraints { step, equations, size } = self;
        let (g, k) = step.hats.x[step.dims.v..].split_at_mut(step.dims.lambda);
        equations.holonomic(step.t, &step.q, g)?;
        equations.nonholonomic(step.t, &step.q, &step.v, k)?;
        let (length, speed) = equations.typical().units();
        let (layout, (_, k_v)) = (&step.blocks.layout, step.c_v.split_at(step.blocks.layout.holonomic.len()));
        let (length, speed) = (length + largest(equations.bodies(&step.q)), speed + largest(equations.bodies(&step.v)));
        let position = equations.typical().beside(length, g, &layout.holonomic_q, &step.g_q);
        *size = position.max(equations.typical().beside(speed, k, &layout.nonholonomic, k_v));
        Ok(())
    }
}

impl NonlinearProblem for Constraints<'_, '_> {
    type Failure = StepFailure;

    /// There is no better place to go back to.
    fn rewind(&mut self) -> Result<(), StepFailure> {
        Ok(())
    }

    fn linearize(&mut self) -> Result<(), StepFailure> {
        self.step.renew(self.equations)
    }

    fn before(&mut self) -> Result<Option<f64>, StepFailure> {
        Ok(Some(self.size))
    }

    fn iterate(&mut self) -> Result<f64, StepFailure> {
        let step = &mut *self.step;
        step.hats.x[..step.dims.v].fill(0.0);
        step.hats.rho.fill(0.0);
        step.correct();
        self.measure()?;
        Ok(self.size)
    }

    fn levels(&self, factors: Factors) -> Levels {
        // What fresh factors leave is what can be had.
        let tolerable = if factors == Factors::Fresh { f64::INFINITY } else { 0.0 };
        Levels { rounding: SETTLED, noise: NOISE, enough: 0.0, tolerable }
    }
}
