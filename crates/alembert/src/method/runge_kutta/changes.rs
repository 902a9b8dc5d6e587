//! Constraints as changes along a step instead of values at its stages.
//!
//! ```text
//! values:    0 = g(t_i, Q_i)                   known to eps |q|, which moves the velocity of a stage by eps |q| / h
//! changes:   0 = g(t_i, Q_i) - g(t0, q0)       known to eps |Q_i - q0| = eps h |v|, which moves it by eps |v|
//! ```
//!
//! Both are the same up to the rounding of q0. What the first costs is multiplied where a light body moves to meet a constraint
//! that a heavy one pulls at: a hinge of mass m between two bars of length l that carry a mass M, when these pass through a line, is
//! moved by eps l sqrt(M/m)/2 and has lost eight digits at a mass ratio of a million. Changes cost one more evaluation of g for each
//! stage, so that they are asked for only where the rounding of values is seen to matter: by the projection, or because Newton's method
//! stalls.

use super::step::StageCorrector;
use super::weights::Weights;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::{Equations, NotFinite};
use crate::method::StepFailure;
use crate::state::State;
use crate::tolerance::largest;

/// Steps for which changes are asked for after they were needed once.
const STEPS: u64 = 1000;
/// How many times its estimate the rounding of values may be, by the ratios of masses: failures of Newton's method below may be due to
/// it.
const AMPLIFIED: f64 = 1e6;
/// Tolerances of the result by which rounding may change a velocity in a step.
const HARMLESS: f64 = 0.3;
/// Attempts of one step that changes may fail where values stall.
const PATIENCE: u64 = 4;
/// How far the projection may move the end of a step, beside its coordinates: rounding, amplified.
const PROJECTED: f64 = 1e-8;

/// What is asked of the constraints at the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constraints {
    Values,
    Changes,
}

/// Whether the steps use changes.
#[derive(Debug)]
pub(super) struct Changes {
    /// Steps that they are still used for; none where the system does not know them.
    left: u64,
    known: bool,
    /// Attempts since the last accepted step that they did not help.
    failures: u64,
    /// There are no constraints, and nothing to round.
    idle: bool,
}

impl Keep for Changes {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.left, self.failures, self.known)
    }
}

impl Changes {
    pub fn new(equations: &Equations) -> Self {
        // Dependent constraints are met as well as they can be, and what is left of them is no rounding.
        let known = equations.has_holonomic_change() && !equations.layout().is_softened();
        Changes { left: 0, failures: 0, known, idle: equations.dims().lambda == 0 }
    }

    pub fn restart(&mut self) {
        self.left = 0;
    }

    /// A step was accepted.
    pub fn accept(&mut self) {
        self.left = self.left.saturating_sub(1);
        self.failures = 0;
    }

    /// What the next attempt asks for.
    pub fn constraints(&self) -> Constraints {
        if self.left > 0 || self.idle { Constraints::Changes } else { Constraints::Values }
    }

    /// Newton's method has stopped at corrections of this size. Whether changes from now on may take it further: they are worth it
    /// where one such correction exceeds the tolerance of the result, and may help where rounding can be the reason.
    pub fn help(&mut self, size: f64, weights: &Weights) -> bool {
        let matters = size * weights.lift > 1.0 && size <= AMPLIFIED * weights.rounding;
        let help = self.known && self.constraints() == Constraints::Values && matters;
        if help {
            self.left = STEPS;
        }
        help
    }

    /// Rounding has changed velocities by so many tolerances of the result.
    fn note(&mut self, tolerances: f64) {
        if tolerances > HARMLESS {
            self.left = STEPS;
        }
    }

    /// Changes did not help a step that values had `failed`, or had done well enough for.
    pub fn fail(&mut self, failed: bool) {
        self.failures += 1;
        if failed {
            self.left = 0;
        } else if self.failures >= PATIENCE {
            self.distrust();
        }
    }

    /// The changes of this system are wrong: its formulas have branches.
    pub fn distrust(&mut self) {
        (self.left, self.known) = (0, false);
    }
}

impl StageCorrector {
    /// Replaces the values of g in the residuals of the stages.
    pub(super) fn replace_values(&mut self, equations: &mut Equations, now: &State) -> Result<(), NotFinite> {
        let dims = self.blocks.dims;
        if dims.lambda == 0 {
            return Ok(());
        }
        let rows = self.r.chunks_exact_mut(dims.v + dims.constraints());
        for ((row, moved), c) in rows.zip(self.moved.chunks_exact(dims.q)).zip(self.tableau.c()) {
            let g = &mut row[dims.v..dims.v + dims.lambda];
            equations.holonomic_change((now.t, &now.q), (c * self.h, moved), g)?;
        }
        Ok(())
    }

    /// Learns from how far the projection has moved the end of the step. With values that is what rounding of the constraints amounts
    /// to, and changes follow where it is a velocity beyond the tolerance. With changes it is next to nothing: a step that was moved
    /// by more is refused, because its changes were not those of the constraints.
    pub(super) fn compare_changes(&mut self, next: &State) -> Result<(), StepFailure> {
        if self.blocks.dims.lambda == 0 || !self.changes.known {
            return Ok(());
        }
        let last = &self.q[self.q.len() - next.q.len()..];
        let off = || last.iter().zip(&next.q).map(|(a, b)| a - b);
        if self.changes.constraints() == Constraints::Values {
            if self.stages.p.is_empty() {
                let sum: f64 = off().zip(&self.weights.v).map(|(off, w)| (off / self.h * w).powi(2)).sum();
                self.changes.note((sum / next.v.len() as f64).sqrt() * self.weights.lift);
            }
            return Ok(());
        }
        let most = off().fold(0.0_f64, |most, off| most.max(off.abs()));
        if most <= PROJECTED * (largest(&next.q) + largest(&self.moved)) {
            return Ok(());
        }
        self.changes.distrust();
        Err(StepFailure::Diverged { iterations: 0, theta: 1.0 })
    }
}
