//! The constraints of a step to rounding, by iterations of the whole step: for output that nobody projects.

use super::Halves;
use super::problem::AlphaProblem;
use crate::method::StepFailure;
use crate::newton::{Factors, Levels, Newton, NonlinearProblem, Policy};
use crate::stats::Residuals;
use crate::tolerance::largest;

/// Relative residuals of the constraints that are left alone.
const SETTLED: f64 = 8e-12;

/// A step whose corrections are measured by what they leave of the constraints.
struct Settling<'p, 'a, 's> {
    problem: &'p mut AlphaProblem<'a, 's>,
    residuals: Residuals,
}

impl AlphaProblem<'_, '_> {
    /// Iterates on until the constraints are met to rounding, or gain no more; says how well they are, and how often it linearised.
    /// Factors that are too old for some joint, which the norm of the whole does not show, are renewed once.
    pub fn settle(&mut self) -> Result<(Residuals, usize), StepFailure> {
        let mut settling = Settling { problem: self, residuals: Residuals::default() };
        let cost = Newton::new(Policy::ALPHA_SETTLE).solve(&mut settling, true)?;
        Ok((settling.residuals, cost.linearizations))
    }
}

impl NonlinearProblem for Settling<'_, '_, '_> {
    type Failure = StepFailure;

    /// The step has converged: it goes on from where it is.
    fn rewind(&mut self) -> Result<(), StepFailure> {
        Ok(())
    }

    fn linearize(&mut self) -> Result<(), StepFailure> {
        self.problem.linearize()
    }

    fn before(&mut self) -> Result<Option<f64>, StepFailure> {
        self.problem.evaluate()?;
        let AlphaProblem { halves, equations, .. } = &*self.problem;
        let Halves { coefficients, dims, h, at, layout, .. } = &**halves;
        let (typical, (w_v, k_v)) = (equations.typical(), at.c_v.split_at(layout.holonomic.len()));
        let (length, speed) = typical.units();
        let (length, speed) = (length + largest(typical.bodies(&at.q)), speed + largest(typical.bodies(&at.v)));
        let g = &at.tilde[dims.v..][..dims.lambda];
        let (w, k) = at.plain[dims.v..].split_at(dims.lambda);
        // The velocity level was divided by gamma h, the position level by beta h^2.
        let (by_q, by_v) = (coefficients.beta * h * h, coefficients.gamma * h);
        self.residuals = Residuals {
            position: by_q * typical.beside(length, g, &layout.holonomic, w_v),
            velocity: by_v * typical.beside(speed, w, &layout.holonomic, w_v),
            nonholonomic: by_v * typical.beside(speed, k, &layout.nonholonomic, k_v),
        };
        let Residuals { position, velocity, nonholonomic } = self.residuals;
        Ok(Some(position.max(velocity).max(nonholonomic)))
    }

    fn iterate(&mut self) -> Result<f64, StepFailure> {
        self.problem.iterate()?;
        Ok(self.before()?.unwrap_or(0.0))
    }

    fn levels(&self, factors: Factors) -> Levels {
        // What fresh factors leave is what can be had.
        let tolerable = if factors == Factors::Fresh { f64::INFINITY } else { 0.0 };
        Levels { rounding: SETTLED, tolerable, ..Levels::default() }
    }
}
