//! Newton's method: one iteration for everything implicit in the library. Knows neither time nor step size.
//!
//! ```text
//! J d_k = -F(x_k),   x_{k+1} = x_k + d_k        J the matrix of an earlier point, for as long as it serves
//! ```
//!
//! A problem keeps its factors from one solution to the next. With old ones the iteration goes on while it contracts. When it does not,
//! it **returns to the predictor** and linearises there. Where that is not enough, some problems linearise once more after the first
//! iteration (a predictor off the constraints meets stiff springs in a wrong place), and whenever convergence is slow; others are given up,
//! because a shorter step is cheaper. Refreshing at the bad iterate instead fails on stiff joints.
//!
//! | File | Noun |
//! |---|---|
//! | `driver.rs` | `Newton`: the loop, with what it remembers from one solution to the next |
//! | `contraction.rs` | `Contraction`: what the sizes of corrections say, the estimate and the test for rounding |
//! | `refresh.rs` | `Refresh`, `Patience`: when factors are made anew |
//! | `policy.rs` | `Policy`: the numbers of every iteration, in one table |
//! | `descent.rs` | `Descent`: how far damped steps go, and when they gain nothing but rounding |
//!
//! Where there are no factors to renew, [`repeat`] is the loop.

mod contraction;
mod descent;
mod driver;
mod policy;
mod refresh;

pub use contraction::{Contraction, Criterion, Levels, Pace, STILL, Verdict};
pub use descent::Descent;
pub use driver::Newton;
pub use policy::{Beginning, Fresh, Pass, Policy};
pub use refresh::{Patience, Refresh};

/// A system of equations that knows its iterate, its linearisation and its norm.
pub trait NonlinearProblem {
    /// What can go wrong in an evaluation or a factorisation.
    type Failure;
    /// Goes back to the predictor.
    ///
    /// # Errors
    /// If the predictor cannot be evaluated.
    fn rewind(&mut self) -> Result<(), Self::Failure>;
    /// Evaluates blocks at the iterate and factors.
    ///
    /// # Errors
    /// If it cannot be evaluated or factored.
    fn linearize(&mut self) -> Result<(), Self::Failure>;
    /// One correction with the factors there are; its size.
    ///
    /// # Errors
    /// If the iterate cannot be evaluated.
    fn iterate(&mut self) -> Result<f64, Self::Failure>;
    /// What sizes are compared with, in units of theirs.
    fn levels(&self, factors: Factors) -> Levels;
    /// What is to be corrected, in the same units, where that is known before a correction.
    ///
    /// # Errors
    /// If the iterate cannot be evaluated.
    fn before(&mut self) -> Result<Option<f64>, Self::Failure> {
        Ok(None)
    }
    /// What a linearisation costs, in iterations.
    fn price(&self) -> usize {
        usize::MAX
    }
    /// Whether the contraction of earlier solutions says something about the first correction of this one.
    fn is_like_before(&self) -> bool {
        true
    }
    /// Changes something that may take an iteration further than it got; whether it did. The iteration is then continued.
    ///
    /// # Errors
    /// If that cannot be evaluated.
    fn mend(&mut self, end: &End) -> Result<bool, Self::Failure> {
        let _ = end;
        Ok(false)
    }
    /// The iteration has failed nevertheless, that had ended this way before it was mended.
    fn mended_in_vain(&mut self, end: &End) {
        let _ = end;
    }
}

/// How old factors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factors {
    /// Made for an earlier solution.
    Old,
    /// Made for this one.
    Fresh,
}

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// Never `Continue`.
    pub verdict: Verdict,
    /// Corrections.
    pub iterations: usize,
    /// The last one.
    pub size: f64,
    /// The last contraction.
    pub theta: Option<f64>,
}

impl End {
    /// Whether there is a solution.
    pub fn is_solution(&self) -> bool {
        matches!(self.verdict, Verdict::Converged | Verdict::Stalled)
    }
}

/// Repeats a correction, which returns its size and what to compare it with, until it is judged.
///
/// # Errors
/// Those of the correction.
pub fn repeat<E>(
    criterion: &Criterion,
    Pass { limit, slow }: Pass,
    mut correction: impl FnMut() -> Result<(f64, Levels), E>,
) -> Result<End, E> {
    let mut contraction = Contraction::default();
    let mut end = End { verdict: Verdict::Slow, iterations: 0, size: f64::NAN, theta: None };
    for iterations in 1..=limit {
        let (size, levels) = correction()?;
        let verdict = contraction.judge(criterion, size, &levels, Pace { left: limit - iterations, slow });
        end = End { verdict, iterations, size, theta: contraction.theta() };
        if verdict != Verdict::Continue {
            return Ok(end);
        }
    }
    Ok(End { verdict: Verdict::Slow, ..end })
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
    /// Those since the last return to the predictor.
    pub last: usize,
    /// Evaluations of the blocks.
    pub linearizations: usize,
    /// The last contraction that was no noise, where it was measured.
    pub theta: Option<f64>,
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
        fn rewind(&mut self) -> Result<(), ()> {
            self.x = self.start;
            Ok(())
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
        fn levels(&self, factors: Factors) -> Levels {
            Policy::step_levels(4.0 * f64::EPSILON * self.x.abs() / 1e-10, factors)
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

    /// Corrections of given sizes, one list for each age of the factors: as they are at first, after one linearisation, after two.
    struct Scripted {
        sizes: Vec<Vec<f64>>,
        rounding: f64,
        before: Option<f64>,
        linearizations: usize,
        rewinds: usize,
        next: usize,
        mends: usize,
    }

    fn scripted(sizes: &[&[f64]]) -> Scripted {
        let sizes = sizes.iter().map(|sizes| sizes.to_vec()).collect();
        Scripted { sizes, rounding: 1e-6, before: None, linearizations: 0, rewinds: 0, next: 0, mends: 0 }
    }

    impl NonlinearProblem for Scripted {
        type Failure = &'static str;
        fn rewind(&mut self) -> Result<(), Self::Failure> {
            (self.rewinds, self.next) = (self.rewinds + 1, 0);
            Ok(())
        }
        fn linearize(&mut self) -> Result<(), Self::Failure> {
            (self.linearizations, self.next) = (self.linearizations + 1, 0);
            Ok(())
        }
        fn iterate(&mut self) -> Result<f64, Self::Failure> {
            self.next += 1;
            let sizes = &self.sizes[self.linearizations.min(self.sizes.len() - 1)];
            sizes.get(self.next - 1).copied().ok_or("asked for too much")
        }
        fn before(&mut self) -> Result<Option<f64>, Self::Failure> {
            Ok(self.before)
        }
        fn levels(&self, factors: Factors) -> Levels {
            Policy::step_levels(self.rounding, factors)
        }
        fn price(&self) -> usize {
            2
        }
        fn mend(&mut self, end: &End) -> Result<bool, Self::Failure> {
            self.mends = self.mends.saturating_sub(1);
            Ok(!end.is_solution() && self.mends > 0)
        }
    }

    #[test]
    fn what_is_met_already_is_not_corrected() {
        let mut problem = Scripted { before: Some(1e-7), ..scripted(&[&[]]) };
        let cost = Newton::default().solve(&mut problem, true).expect("met");
        assert_eq!((cost.iterations, cost.linearizations), (0, 0));
    }

    #[test]
    fn noise_does_not_cost_a_linearisation_and_is_forgotten() {
        // Old factors that contract by 0.01 down to noise of 20 roundings, with more than kappa left.
        let mut newton = Newton::default();
        let mut problem = Scripted { rounding: 1.0, ..scripted(&[&[1e5, 1e3, 20.0, 19.0]]) };
        let cost = newton.solve(&mut problem, true).expect("stalls at rounding");
        assert_eq!((cost.iterations, cost.linearizations, problem.rewinds), (4, 0, 0));
        // The contraction that counts is that of 1e3 to 20.
        assert!(newton.belief().is_some_and(|theta| (theta - 0.02).abs() < 1e-12), "{:?}", newton.belief());
        assert_eq!(cost.theta, newton.belief());
    }

    #[test]
    fn a_step_that_rather_is_shorter_gives_up_where_others_try_everything() {
        // Slow with old factors and with fresh ones, fast when they are renewed on the way.
        let sizes: [&[f64]; 4] = [&[1.0, 0.95, 0.9], &[1.0, 0.95, 0.9], &[1.0], &[1e-3, 1e-7]];
        let cost = Newton::default().solve(&mut scripted(&sizes), true).expect("tries everything");
        assert_eq!(cost.linearizations, 3);
        for policy in [Policy::BDF, Policy::RADAU] {
            let mut problem = scripted(&sizes);
            let mut newton = Newton::new(policy);
            newton.believe(Some(0.5));
            let solved = newton.solve(&mut problem, true);
            assert!(matches!(solved, Err(NewtonFailure::Diverged { .. })), "{solved:?}");
            assert_eq!((problem.linearizations, problem.rewinds), (1, 1));
        }
    }

    #[test]
    fn fresh_factors_are_not_believed_before_they_are_measured() {
        // One correction, small as it is, does not say how good the factors are; that of old ones is known.
        let sizes: [&[f64]; 2] = [&[0.1, 1e-4], &[0.1, 1e-4]];
        let mut newton = Newton::default();
        assert_eq!(newton.solve(&mut scripted(&sizes), false).expect("converges").iterations, 2);
        assert_eq!(newton.solve(&mut scripted(&sizes), true).expect("converges").iterations, 1);
        // With every solution that does not measure it, the contraction is taken for larger.
        let mut first = 0;
        while newton.solve(&mut scripted(&sizes), true).expect("converges").iterations == 1 {
            first += 1;
        }
        // 0.02 * 1.5^k/(1 - 0.02 * 1.5^k) * 0.1 <= 0.03 up to k = 6; the solution above has used k = 0.
        assert_eq!(first, 6);
    }

    #[test]
    fn growing_and_undefined_corrections_are_failures() {
        for bad in [&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0][..], &[1.0, f64::NAN], &[f64::INFINITY]] {
            for policy in [Policy::STEP, Policy::BDF, Policy::RADAU] {
                let mut newton = Newton::new(policy);
                assert!(newton.solve(&mut scripted(&[bad]), true).is_err(), "{bad:?}");
            }
        }
    }

    #[test]
    fn a_problem_may_know_what_helps() {
        let mut problem = Scripted { mends: 2, ..scripted(&[&[1.0, 0.9, 0.1, 1e-3]]) };
        let cost = Newton::default().solve(&mut problem, true).expect("converges after it is mended");
        assert_eq!((cost.iterations, problem.linearizations, problem.rewinds), (4, 0, 0));
    }
}
