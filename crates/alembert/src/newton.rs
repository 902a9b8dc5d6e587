//! Simplified Newton iteration: one algorithm for every implicit step. Knows neither time nor step size.
//!
//! A problem keeps its factors from step to step. With old factors the iteration goes on while it contracts
//! (`theta <= 0.3`). When it does not, it **returns to the predictor** and evaluates the blocks there. Where that is not
//! enough, it evaluates them once more after the first iteration (a predictor off the constraints meets stiff springs in
//! a wrong place), and whenever `theta > 0.1`. Refreshing at the bad iterate instead fails on stiff joints.
//!
//! It learns what pays: old factors are renewed at the next predictor once the iterations they cost more than fresh ones
//! did add up to the price of a linearisation; where old factors fail, they are not tried again for a while.
//!
//! It stops when the estimated remaining error `theta/(1-theta) |d_k|` is below kappa, in units of the tolerance.
//! `theta` is taken as at least 0.02: a first correction can look better than the iteration really is. It grows with each
//! solution that is found in one iteration and so does not measure it.

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};

/// Fraction of the tolerance that Newton's error may use.
const KAPPA: f64 = 0.03;
/// Contraction up to which old factors serve.
const SLOW: f64 = 0.3;
/// Contraction above which a fresh iteration evaluates its blocks again.
const REFRESH: f64 = 0.1;
/// The least contraction the stopping test believes in.
const THETA_FLOOR: f64 = 0.02;
/// What a contraction grows by in a solution that did not measure it: old factors get older.
const AGING: f64 = 1.5;
/// Most solutions that begin with fresh factors after old ones failed.
const LONGEST_PATIENCE: usize = 8;
/// Solutions that evaluate their blocks twice from the outset after once was not enough.
const ROUGH: usize = 10;
/// Iterations with old factors before they are given up.
const STALE_LIMIT: usize = 8;
/// Iterations with fresh factors before the step is given up.
const FRESH_LIMIT: usize = 25;

/// Corrections that stop shrinking at this many times their rounding are noise of an ill-conditioned matrix, not a
/// failure. With old factors less is believed: slow convergence looks the same.
const FRESH_NOISE: f64 = 500.0;
const STALE_NOISE: f64 = 30.0;

/// A system of equations that knows its iterate, its linearisation and its norm.
pub trait NonlinearProblem {
    /// What can go wrong in an evaluation or a factorisation.
    type Failure;
    /// Goes back to the predictor.
    fn rewind(&mut self);
    /// Evaluates blocks at the iterate and factors.
    fn linearize(&mut self) -> Result<(), Self::Failure>;
    /// One correction with the factors there are; its norm in units of the tolerance.
    fn iterate(&mut self) -> Result<f64, Self::Failure>;
    /// The norm that rounding alone makes of a correction.
    fn rounding(&self) -> f64;
    /// What a linearisation costs, in iterations.
    fn price(&self) -> usize;
}

/// Why no solution was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NewtonFailure<F> {
    /// The corrections do not shrink, with fresh factors.
    Diverged {
        /// Iterations made.
        iterations: usize,
        /// The last contraction factor.
        theta: f64,
    },
    /// An evaluation or factorisation failed.
    Stopped(F),
}

/// What a solution cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Converged {
    /// Corrections.
    pub iterations: usize,
    /// Evaluations of the blocks.
    pub linearizations: usize,
}

/// The iteration, with what it remembers between steps.
#[derive(Clone, Debug)]
pub struct Newton {
    kappa: f64,
    /// Contraction seen with the present factors.
    theta: Option<f64>,
    /// Iterations of the last solution with fresh factors.
    fresh_iterations: usize,
    /// Iterations that the present factors have cost more than fresh ones did.
    excess: usize,
    /// Solutions to begin with fresh factors before old ones are tried again, and how many after their next failure.
    fresh_ahead: usize,
    patience: usize,
    /// Solutions to evaluate blocks twice from the outset, because once was not enough lately.
    rough_ahead: usize,
}

/// How a pass of iterations treats its factors.
#[derive(Clone, Copy, PartialEq)]
enum Treatment {
    /// They are old and stay.
    Stale,
    /// They were made at the predictor; more when convergence asks for it.
    Fresh,
    /// The same, and once more after the first iteration.
    Rough,
}

enum Pass {
    Done,
    /// The factors do not serve.
    Slow,
}

impl Default for Newton {
    fn default() -> Self {
        Newton {
            kappa: KAPPA,
            theta: None,
            fresh_iterations: 0,
            excess: 0,
            fresh_ahead: 0,
            patience: 1,
            rough_ahead: 0,
        }
    }
}

impl Keep for Newton {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.theta, self.fresh_iterations, self.excess, self.fresh_ahead, self.patience, self.rough_ahead)
    }
}

impl Newton {
    /// Forgets everything it has learned, for a fresh start.
    pub fn forget(&mut self) {
        *self = Newton { kappa: self.kappa, ..Newton::default() };
    }

    /// Solves; `reuse` says that the problem has factors worth trying.
    ///
    /// # Errors
    /// If the iteration does not converge, or the problem cannot be evaluated.
    pub fn solve<P: NonlinearProblem>(
        &mut self,
        problem: &mut P,
        reuse: bool,
    ) -> Result<Converged, NewtonFailure<P::Failure>> {
        let mut cost = Converged::default();
        if reuse && self.fresh_ahead == 0 {
            if let Pass::Done = self.pass(problem, Treatment::Stale, &mut cost)? {
                self.patience = 1;
                self.excess += cost.iterations.saturating_sub(self.fresh_iterations);
                if self.excess >= problem.price() {
                    self.fresh_ahead = 1;
                }
                return Ok(cost);
            }
            self.fresh_ahead = self.patience;
            self.patience = (2 * self.patience).min(LONGEST_PATIENCE);
            problem.rewind();
        } else {
            self.fresh_ahead = self.fresh_ahead.saturating_sub(1);
        }
        let before = cost.iterations;
        if self.rough_ahead == 0 {
            self.linearize(problem, &mut cost)?;
            if let Pass::Done = self.pass(problem, Treatment::Fresh, &mut cost)? {
                self.fresh_iterations = cost.iterations - before;
                return Ok(cost);
            }
            self.rough_ahead = ROUGH;
            problem.rewind();
        }
        self.rough_ahead -= 1;
        let before = cost.iterations;
        self.linearize(problem, &mut cost)?;
        self.pass(problem, Treatment::Rough, &mut cost)?;
        self.fresh_iterations = cost.iterations - before;
        Ok(cost)
    }

    fn linearize<P: NonlinearProblem>(
        &mut self,
        problem: &mut P,
        cost: &mut Converged,
    ) -> Result<(), NewtonFailure<P::Failure>> {
        cost.linearizations += 1;
        self.theta = None;
        self.excess = 0;
        problem.linearize().map_err(NewtonFailure::Stopped)
    }

    fn pass<P: NonlinearProblem>(
        &mut self,
        problem: &mut P,
        mode: Treatment,
        cost: &mut Converged,
    ) -> Result<Pass, NewtonFailure<P::Failure>> {
        let (limit, noise) = match mode {
            Treatment::Stale => (STALE_LIMIT, STALE_NOISE),
            Treatment::Fresh | Treatment::Rough => (FRESH_LIMIT, FRESH_NOISE),
        };
        let mut previous: Option<f64> = None;
        let mut growing = 0;
        let mut last_theta = f64::NAN;
        for k in 1..=limit {
            cost.iterations += 1;
            let size = match problem.iterate() {
                Ok(size) => size,
                // The factors may have led to a place where nothing can be evaluated.
                Err(_) if mode != Treatment::Rough => return Ok(Pass::Slow),
                Err(failure) => return Err(NewtonFailure::Stopped(failure)),
            };
            if let Some(previous) = previous {
                last_theta = size / previous;
                self.theta = Some(last_theta);
            }
            let theta = self.theta.unwrap_or(f64::INFINITY);
            let believed = theta.max(THETA_FLOOR);
            let rounding = problem.rounding();
            if size <= rounding || (theta > 0.5 && size <= noise * rounding && previous.is_some()) {
                return Ok(Pass::Done);
            }
            if believed < 1.0 && believed / (1.0 - believed) * size <= self.kappa {
                if previous.is_none() {
                    self.theta = Some(AGING * believed);
                }
                return Ok(Pass::Done);
            }
            let measured = previous.is_some();
            match mode {
                _ if !size.is_finite() && mode != Treatment::Rough => return Ok(Pass::Slow),
                Treatment::Stale | Treatment::Fresh if measured && theta > SLOW => return Ok(Pass::Slow),
                Treatment::Fresh if measured && theta > REFRESH => self.linearize(problem, cost)?,
                Treatment::Rough => {
                    growing = if measured && theta >= 1.0 { growing + 1 } else { 0 };
                    if !size.is_finite() || growing == 3 {
                        return Err(NewtonFailure::Diverged { iterations: cost.iterations, theta: last_theta });
                    }
                    if k == 1 || theta > REFRESH {
                        self.linearize(problem, cost)?;
                    }
                }
                _ => {}
            }
            previous = Some(size);
        }
        match mode {
            Treatment::Stale | Treatment::Fresh => Ok(Pass::Slow),
            Treatment::Rough => Err(NewtonFailure::Diverged { iterations: cost.iterations, theta: last_theta }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x^3 = target, simplified Newton with a slope of its own choice.
    struct Cube {
        x: f64,
        start: f64,
        slope: f64,
        target: f64,
    }

    impl NonlinearProblem for Cube {
        type Failure = ();
        fn rewind(&mut self) {
            self.x = self.start;
        }
        fn linearize(&mut self) -> Result<(), ()> {
            self.slope = 3.0 * self.x * self.x;
            if self.slope == 0.0 { Err(()) } else { Ok(()) }
        }
        fn iterate(&mut self) -> Result<f64, ()> {
            let d = (self.target - self.x.powi(3)) / self.slope;
            self.x += d;
            Ok(d.abs() / 1e-10)
        }
        fn rounding(&self) -> f64 {
            4.0 * f64::EPSILON * self.x.abs() / 1e-10
        }
        fn price(&self) -> usize {
            2
        }
    }

    #[test]
    fn good_old_factors_are_kept() {
        let mut cube = Cube { x: 1.99, start: 1.99, slope: 11.9, target: 8.0 };
        let cost = Newton::default().solve(&mut cube, true).expect("converges");
        assert_eq!(cost.linearizations, 0);
        assert!((cube.x - 2.0).abs() < 1e-11);
    }

    #[test]
    fn bad_old_factors_lead_back_to_the_predictor() {
        let mut cube = Cube { x: 1.9, start: 1.9, slope: 1.0, target: 8.0 };
        let cost = Newton::default().solve(&mut cube, true).expect("converges");
        assert!(cost.linearizations >= 2);
        assert!((cube.x - 2.0).abs() < 1e-11);
    }

    #[test]
    fn failure_is_reported() {
        let mut cube = Cube { x: 0.0, start: 0.0, slope: 1.0, target: 8.0 };
        assert_eq!(Newton::default().solve(&mut cube, false), Err(NewtonFailure::Stopped(())));
        let mut nan = Cube { x: 1.0, start: 1.0, slope: 1.0, target: f64::NAN };
        assert!(matches!(Newton::default().solve(&mut nan, false), Err(NewtonFailure::Diverged { .. })));
    }
}
