//! The iteration for the stages, with one factorisation for the whole step.
//!
//! It stops when eta |d| <= kappa with eta = theta/(1-theta), theta being the contraction; the first eta is the last of
//! the step before to the power 0.8. It gives up when theta >= 0.99 or when kappa will not be reached in time: a shorter
//! step is cheaper than many iterations. At tight tolerances it ends where rounding does, see `weights`.
//!
//! Where steps are much shorter than their errors ask for (they must end at given times), kappa is smaller too: what
//! Newton's method leaves adds up over steps, and often with one sign.
//!
//! This is not the policy of [`crate::newton`], which refreshes its blocks on the way: here they belong to the middle of
//! the step and to its length.

use super::PATIENT_LIMIT;
use super::step::{KEEP_BLOCKS, StageCorrector};
use crate::equations::Equations;
use crate::method::StepFailure;
use crate::state::State;

/// Fraction of the rounding below which no iteration is asked to go.
const FINE: f64 = 0.1;
/// Contraction beyond which corrections of the size of rounding are taken for it.
const STAGNATION: f64 = 0.1;

/// Fraction of the tolerance at which corrections may stall. Constraints whose terms are larger than q, or forces that
/// nearly cancel, round more coarsely than the estimate from q says.
const STALLED: f64 = 0.01;
/// The same in units of that estimate: in a chain of a thousand bars the joint forces add up.
const NOISE: f64 = 30.0;

/// Contraction above which corrections of the size of rounding are noise, not slow convergence.
const STILL: f64 = 0.5;

/// How an iteration ended, with the size of the last correction.
enum End {
    /// As accurate as it should be.
    Converged { theta: Option<f64> },
    /// No further can be got; what there is may do.
    Stalled { size: f64, theta: Option<f64> },
    /// It leads nowhere.
    Diverged { size: f64, theta: f64 },
}

impl StageCorrector {
    /// Iterates from the predictor; the number of iterations and the last contraction. Where it does not get as far as it should,
    /// and rounding of the constraints may be the reason, it goes on with [changes](super::changes).
    pub(super) fn iterate(
        &mut self,
        equations: &mut Equations,
        now: &State,
    ) -> Result<(usize, Option<f64>), StepFailure> {
        let (mut iterations, mut end) = self.iterate_once(equations, now)?;
        if let End::Stalled { size, .. } | End::Diverged { size, .. } = end
            && self.changes.help(size, &self.weights)
        {
            self.weights.measure(now, equations.typical(), self.h, self.changes.constraints());
            let (more, other) = self.iterate_once(equations, now)?;
            if let End::Diverged { .. } = other {
                self.changes.fail(matches!(end, End::Diverged { .. }));
            }
            (iterations, end) = (iterations + more, other);
        }
        match end {
            End::Converged { theta } | End::Stalled { theta, .. } => Ok((iterations, theta)),
            End::Diverged { theta, .. } => Err(StepFailure::Diverged { iterations, theta }),
        }
    }

    fn iterate_once(&mut self, equations: &mut Equations, now: &State) -> Result<(usize, End), StepFailure> {
        let rounding = self.weights.rounding;
        let aim = self.shortness * self.weights.kappa;
        let kappa = aim.max(FINE * rounding);
        self.eta = self.eta_before.max(f64::EPSILON).powf(0.8);
        self.theta = KEEP_BLOCKS;
        let mut theta = None;
        let (mut previous, mut ratio_before) = (0.0, 0.0);
        for iteration in 1..=self.limit {
            self.evaluate(equations, now)?;
            let size = self.correct();
            self.follow(equations, now)?;
            if !size.is_finite() {
                return Ok((iteration, End::Diverged { size, theta: f64::NAN }));
            }
            if iteration > 1 {
                let ratio: f64 = size / previous;
                let contraction = if iteration == 2 { ratio } else { (ratio * ratio_before).sqrt() };
                ratio_before = ratio;
                if size <= rounding && contraction > STAGNATION {
                    let stalled = size > aim && contraction > STILL;
                    let end = if stalled { End::Stalled { size, theta } } else { End::Converged { theta } };
                    return Ok((iteration, end));
                }
                let eta = contraction / (1.0 - contraction);
                let left = self.limit.saturating_sub(iteration + 1) as i32;
                // One ratio alone misleads where a velocity with hardly a weight passes zero.
                let known = iteration > 2 || self.limit < PATIENT_LIMIT;
                let too_slow = known && eta * size * contraction.powi(left) > kappa.max(rounding);
                if contraction >= 0.99 || too_slow {
                    // Nothing more can be gained; what there is may do.
                    let end = if size <= STALLED.max(NOISE * rounding) {
                        End::Stalled { size, theta }
                    } else {
                        End::Diverged { size, theta: contraction }
                    };
                    return Ok((iteration, end));
                }
                theta = Some(contraction);
                (self.theta, self.eta) = (contraction, eta);
            }
            let left = self.eta * size;
            if left <= kappa {
                return Ok((iteration, End::Converged { theta }));
            }
            previous = size.max(f64::MIN_POSITIVE);
        }
        Ok((self.limit, End::Diverged { size: previous, theta: self.theta }))
    }
}
