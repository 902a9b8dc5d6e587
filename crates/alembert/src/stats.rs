//! What an integration cost, and how well the constraints are met.

use std::fmt;

use crate::equations::Evaluations;
use crate::method::{Attempt, StepFailure};

/// Largest residuals seen at accepted steps and between them, each relative to 1 + the size of what it is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// |g|.
    pub position: f64,
    /// |g_t + G q'|.
    pub velocity: f64,
    /// |k|.
    pub nonholonomic: f64,
}

impl Residuals {
    /// The larger of each.
    pub fn max(self, other: Residuals) -> Residuals {
        Residuals {
            position: self.position.max(other.position),
            velocity: self.velocity.max(other.velocity),
            nonholonomic: self.nonholonomic.max(other.nonholonomic),
        }
    }
}

/// Failed attempts by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// Newton's method did not converge.
    pub diverged: u64,
    /// A function of the system, or a number of the state, was not finite.
    pub not_finite: u64,
    /// A matrix was singular, or constraints became dependent on the way.
    pub singular: u64,
    /// The step was too long beside the one before, or turned a body too far.
    pub ratio: u64,
}

/// States that were [wanted](crate::Integrator::show_at) at given times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// As accurate as the steps, without a step made for them.
    pub between: u64,
    /// Steps ended there, because states inside would have been less accurate.
    pub landed: u64,
    /// Less accurate than the steps: steps were prescribed, and do not resolve what moves.
    pub coarse: u64,
    /// Steps made again to end at a row.
    pub retries: u64,
}

/// Counters of an integration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Accepted steps.
    pub steps: u64,
    /// Attempted steps.
    pub attempts: u64,
    /// Steps rejected by the error test.
    pub rejected: u64,
    /// Attempts that failed to converge or to evaluate.
    pub failed: u64,
    /// The causes of these failures.
    pub failures: Failures,
    /// Newton corrections.
    pub iterations: u64,
    /// Evaluations of the blocks of Newton's matrix.
    pub linearizations: u64,
    /// Factorisations.
    pub factorisations: u64,
    /// Solves with factors.
    pub solves: u64,
    /// Factorisations of sparse matrices that had to be made again by another solver, with pivots from anywhere.
    pub fallbacks: u64,
    /// Calls of the system's functions.
    pub evaluations: Evaluations,
    /// Largest constraint residuals.
    pub residuals: Residuals,
    /// States at given times.
    pub rows: RowCounts,
    /// Switches that were passed: kinks and jumps at which steps ended.
    pub switches: u64,
    /// How often a switch was released because the motion slides along it.
    pub slides: u64,
}

impl Stats {
    /// Takes an accepted step into account.
    pub(crate) fn count(&mut self, attempt: &Attempt) {
        self.steps += 1;
        self.iterations += attempt.iterations as u64;
        self.linearizations += attempt.linearizations as u64;
        self.residuals = self.residuals.max(attempt.residuals);
    }

    /// Takes a failed attempt into account.
    pub(crate) fn fail(&mut self, failure: &StepFailure) {
        self.failed += 1;
        let Failures { diverged, not_finite, singular, ratio } = &mut self.failures;
        *match failure {
            StepFailure::Diverged { .. } | StepFailure::NoMultipliers => diverged,
            StepFailure::NotFinite(_) | StepFailure::Overflow { .. } => not_finite,
            StepFailure::Singular(_)
            | StepFailure::Crossing { .. }
            | StepFailure::Contradiction { .. }
            | StepFailure::Opened { .. }
            | StepFailure::MassSign { .. }
            | StepFailure::Pole { .. }
            | StepFailure::Rounding { .. }
            | StepFailure::ConstraintJump { .. }
            | StepFailure::VelocityJump { .. }
            | StepFailure::Massless { .. } => singular,
            StepFailure::Ratio { .. } | StepFailure::Turn { .. } => ratio,
        } += 1;
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per_step = |count: u64| count as f64 / self.steps.max(1) as f64;
        writeln!(f, "{} steps, {} rejected, {} failed", self.steps, self.rejected, self.failed)?;
        writeln!(
            f,
            "{:.2} iterations, {:.2} linearizations, {:.2} factorisations, {:.2} solves a step",
            per_step(self.iterations),
            per_step(self.linearizations),
            per_step(self.factorisations),
            per_step(self.solves),
        )?;
        if self.fallbacks > 0 {
            writeln!(f, "{} sparse matrices were factored again, with pivots from anywhere", self.fallbacks)?;
        }
        if self.switches > 0 {
            writeln!(f, "{} switches passed, {} times sliding began", self.switches, self.slides)?;
        }
        write!(f, "evaluations:")?;
        for (name, count) in self.evaluations.iter() {
            write!(f, " {name} {count}")?;
        }
        writeln!(f)?;
        write!(
            f,
            "largest residuals: position {:.1e}, velocity {:.1e}, nonholonomic {:.1e}",
            self.residuals.position, self.residuals.velocity, self.residuals.nonholonomic
        )
    }
}
