//! The loop: passes with old factors, with fresh ones, and with factors that are renewed all the time, as a [`Policy`] wants it.

use super::{
    Beginning, Contraction, Converged, End, Factors, Fresh, NewtonFailure, NonlinearProblem, Pace, Pass, Patience,
    Policy, Refresh, Verdict,
};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};

/// The iteration, with what it remembers between solutions.
#[derive(Clone, Debug)]
pub struct Newton {
    policy: Policy,
    contraction: Contraction,
    /// How long old factors are left alone.
    patience: Patience,
    /// Iterations of the last solution with fresh factors.
    fresh_iterations: usize,
    /// Iterations that the present factors have cost more than fresh ones did.
    excess: usize,
    /// Solutions to linearise twice from the outset, because once was not enough lately.
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

/// Corrections in a row that may grow with factors that are renewed all the time.
const GROWING: usize = 3;

impl Default for Newton {
    fn default() -> Self {
        Newton::new(Policy::STEP)
    }
}

impl Keep for Newton {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.contraction, self.patience, self.fresh_iterations, self.excess, self.rough_ahead)
    }
}

impl Newton {
    /// By a policy.
    pub fn new(policy: Policy) -> Self {
        Newton {
            policy,
            contraction: Contraction::default(),
            patience: Patience::default(),
            fresh_iterations: 0,
            excess: 0,
            rough_ahead: 0,
        }
    }

    /// Forgets everything it has learned, for a fresh start.
    pub fn forget(&mut self) {
        *self = Newton::new(self.policy);
    }

    /// The numbers it goes by.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Goes by other numbers from now on.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
    }

    /// The contraction it believes in.
    pub fn belief(&self) -> Option<f64> {
        self.contraction.belief()
    }

    /// Believes in another one.
    pub fn believe(&mut self, belief: Option<f64>) {
        self.contraction.believe(belief);
    }

    /// Whether factors with the contraction believed in serve the next solution.
    pub fn keeps_factors(&self) -> bool {
        self.belief().is_none_or(|theta| theta <= self.policy.refresh.keep)
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
        let Refresh { rough, longest_patience, weighed, .. } = self.policy.refresh;
        let mut cost = Converged::default();
        let remembered = self.contraction.belief();
        if reuse && self.patience.is_over() {
            if self.mended_pass(problem, Treatment::Stale, &mut cost)?.is_solution() {
                self.patience.succeed();
                self.excess += cost.last.saturating_sub(self.fresh_iterations);
                if weighed && self.excess >= problem.price() {
                    self.patience.skip_one();
                }
                return Ok(cost);
            }
            self.patience.fail(longest_patience);
            problem.rewind().map_err(NewtonFailure::Stopped)?;
        } else {
            self.patience.pass();
        }
        if self.policy.beginning.fresh == Fresh::Same {
            self.contraction.believe(remembered);
        }
        if self.rough_ahead == 0 {
            self.linearize(problem, &mut cost)?;
            let end = self.mended_pass(problem, Treatment::Fresh, &mut cost)?;
            if end.is_solution() {
                self.fresh_iterations = cost.last;
                return Ok(cost);
            }
            if rough == 0 {
                return Err(diverged(&cost, &end));
            }
            self.rough_ahead = rough;
            problem.rewind().map_err(NewtonFailure::Stopped)?;
        }
        self.rough_ahead -= 1;
        self.linearize(problem, &mut cost)?;
        let end = self.mended_pass(problem, Treatment::Rough, &mut cost)?;
        self.fresh_iterations = cost.last;
        if end.is_solution() { Ok(cost) } else { Err(diverged(&cost, &end)) }
    }

    fn linearize<P: NonlinearProblem>(
        &mut self,
        problem: &mut P,
        cost: &mut Converged,
    ) -> Result<(), NewtonFailure<P::Failure>> {
        cost.linearizations += 1;
        self.excess = 0;
        match self.policy.beginning.fresh {
            Fresh::Unknown => self.contraction.believe(None),
            Fresh::Assumed(theta) => self.contraction.believe(Some(theta)),
            Fresh::Same => {}
        }
        problem.linearize().map_err(NewtonFailure::Stopped)
    }

    /// A pass, and another one if the problem knows what may help it.
    fn mended_pass<P: NonlinearProblem>(
        &mut self,
        problem: &mut P,
        treatment: Treatment,
        cost: &mut Converged,
    ) -> Result<End, NewtonFailure<P::Failure>> {
        cost.last = 0;
        let belief = self.contraction.belief();
        let mut end = self.pass(problem, treatment, cost)?;
        if end.verdict != Verdict::Converged && problem.mend(&end).map_err(NewtonFailure::Stopped)? {
            let before = end;
            self.contraction.believe(belief);
            end = self.pass(problem, treatment, cost)?;
            if !end.is_solution() {
                problem.mended_in_vain(&before);
            }
        }
        cost.theta = self.contraction.sound();
        Ok(end)
    }

    fn pass<P: NonlinearProblem>(
        &mut self,
        problem: &mut P,
        treatment: Treatment,
        cost: &mut Converged,
    ) -> Result<End, NewtonFailure<P::Failure>> {
        let Policy { criterion, stale, fresh, refresh, beginning } = self.policy;
        let (Pass { limit, slow }, factors) = match treatment {
            Treatment::Stale => (stale, Factors::Old),
            Treatment::Fresh => (fresh, Factors::Fresh),
            // Slow factors are renewed, not given up.
            Treatment::Rough => (Pass { slow: f64::INFINITY, ..fresh }, Factors::Fresh),
        };
        // Where the problem is not given up, the factors may have led to a place where nothing can be evaluated.
        let last = treatment == Treatment::Rough || (treatment == Treatment::Fresh && refresh.rough == 0);
        if beginning.always {
            self.age();
        }
        let believed = self.contraction.belief();
        if !problem.is_like_before() {
            self.contraction.believe(None);
        }
        self.contraction.begin();
        let mut end = End { verdict: Verdict::Slow, iterations: 0, size: f64::NAN, theta: None };
        if let Some(size) = problem.before().map_err(NewtonFailure::Stopped)? {
            let verdict =
                self.contraction.judge(&criterion, size, &problem.levels(factors), Pace { left: limit, slow });
            if verdict == Verdict::Converged {
                return Ok(End { verdict, size, ..end });
            }
        }
        let mut growing = 0;
        for k in 1..=limit {
            (cost.iterations, cost.last) = (cost.iterations + 1, cost.last + 1);
            let size = match problem.iterate() {
                Ok(size) => size,
                Err(failure) if last => return Err(NewtonFailure::Stopped(failure)),
                Err(_) => return Ok(End { verdict: Verdict::Lost, size: f64::NAN, ..end }),
            };
            let levels = problem.levels(factors);
            let verdict = self.contraction.judge(&criterion, size, &levels, Pace { left: limit - k, slow });
            let theta = self.contraction.theta();
            if theta.is_none() {
                self.contraction.believe(believed);
            }
            end = End { verdict, iterations: k, size, theta };
            if verdict != Verdict::Continue {
                if end.is_solution() && theta.is_none() && !beginning.always {
                    self.age();
                }
                return Ok(end);
            }
            if treatment != Treatment::Stale {
                growing = if theta.is_some_and(|theta| theta >= 1.0) { growing + 1 } else { 0 };
                if treatment == Treatment::Rough && growing == GROWING {
                    break;
                }
                let anew =
                    (treatment == Treatment::Rough && k == 1) || theta.is_some_and(|theta| theta > refresh.again);
                if anew {
                    self.linearize(problem, cost)?;
                }
            }
        }
        // What there is at the end may do as well as what does not shrink.
        let tolerable = end.size <= problem.levels(factors).tolerable;
        Ok(End { verdict: if tolerable { Verdict::Stalled } else { Verdict::Slow }, ..end })
    }

    /// What is believed of a contraction grows with what was not measured.
    fn age(&mut self) {
        let Beginning { growth, power, .. } = self.policy.beginning;
        let aged = self.contraction.belief().map(|theta| {
            let theta = theta.max(self.policy.criterion.floor);
            if power == 1.0 {
                return (growth * theta).min(1.0);
            }
            let eta = (theta / (1.0 - theta)).max(f64::EPSILON).powf(power);
            growth * eta / (1.0 + eta)
        });
        self.contraction.believe(aged);
    }
}

fn diverged<F>(cost: &Converged, end: &End) -> NewtonFailure<F> {
    NewtonFailure::Diverged { iterations: cost.iterations, theta: end.theta.unwrap_or(f64::NAN) }
}
