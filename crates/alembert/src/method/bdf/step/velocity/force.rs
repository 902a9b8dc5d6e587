//! The force at the velocity that it leads to, where dampers are stiff or D is old: evaluated at v_n until it changes v_n no more.

use super::VelocityHalf;
use super::balance::SETTLED;
use crate::equations::Equations;
use crate::method::StepFailure;
use crate::method::bdf::step::BdfCorrector;
use crate::newton::{Factors, Levels, NonlinearProblem};
use crate::tolerance::{Tolerance, largest};

/// A change of v by a new force that does not count, in units of the tolerance.
const UNSEEN: f64 = 1e-3;
/// Relative change of v that stiff forces may make by their rounding, where it shrinks no more.
const NOISE: f64 = 1e-11;

/// The velocity half as a function of the velocity where its force is taken.
pub(super) struct Force<'a, 's> {
    pub half: &'a mut VelocityHalf,
    pub equations: &'a mut Equations<'s>,
    pub step: &'a mut BdfCorrector,
    pub tolerance: &'a Tolerance,
    /// The size of v in units of the tolerance, as the last change measures it.
    pub unit: f64,
}

impl NonlinearProblem for Force<'_, '_> {
    type Failure = StepFailure;

    /// Where it is, it is as good as anywhere.
    fn rewind(&mut self) -> Result<(), StepFailure> {
        Ok(())
    }

    fn linearize(&mut self) -> Result<(), StepFailure> {
        self.step.linearize(self.equations)
    }

    fn iterate(&mut self) -> Result<f64, StepFailure> {
        let Force { half, equations, step, tolerance, unit } = self;
        equations.force(step.t, &step.q, &half.v, &mut half.load)?;
        for (load, rest) in half.load.iter_mut().zip(&half.rest) {
            *load = rest - *load;
        }
        half.base.copy_from_slice(&half.v);
        half.balance(equations, step)?;
        if !step.damped {
            return Ok(0.0);
        }
        for (base, v) in half.base.iter_mut().zip(&half.v) {
            *base -= v;
        }
        let change = tolerance.norm_v(&half.base, &step.v_scale, &step.sizes);
        let relative = largest(equations.bodies(&half.base))
            / (equations.typical().units().1 + largest(equations.bodies(&half.v)));
        *unit = change / relative.max(f64::MIN_POSITIVE);
        Ok(change)
    }

    fn levels(&self, _: Factors) -> Levels {
        Levels { rounding: UNSEEN.max(SETTLED * self.unit), noise: NOISE * self.unit, enough: 0.0, tolerable: 0.0 }
    }
}
