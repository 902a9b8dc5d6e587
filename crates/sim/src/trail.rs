//! The reference solution along a run: at one time after another, each from the one before, so that a thousand times
//! cost little more than the last.

use alembert::State;
use alembert_problems::problem::Start;
use alembert_problems::reference::{self, ReferenceFailure, Settings};
use alembert_problems::{Problem, Reference};

/// Walks forward along the reference solution of a problem.
pub struct Trail<'p> {
    problem: &'p Problem,
    /// Where the integration of the reference has come to.
    at: Start,
}

impl<'p> Trail<'p> {
    /// At the start.
    pub fn new(problem: &'p Problem) -> Self {
        Trail { problem, at: problem.start.clone() }
    }

    /// The reference at `t`, not before the time asked for last.
    ///
    /// # Errors
    /// If the reference cannot be integrated that far.
    pub fn at(&mut self, t: f64) -> Result<State, ReferenceFailure> {
        match &self.problem.reference {
            Reference::Exact(solution) | Reference::Reduced(solution) => Ok(solution(t)),
            Reference::Integrated(settings) => self.advance(t, *settings),
            Reference::EndValue { states, between } => match states.iter().find(|state| state.t == t) {
                Some(state) => Ok(state.clone()),
                None => self.advance(t, *between),
            },
        }
    }

    fn advance(&mut self, t: f64, settings: Settings) -> Result<State, ReferenceFailure> {
        let state = reference::integrate(&*self.problem.system, &self.at, t, settings)?;
        let State { t, q, v, lambda, psi, .. } = state.clone();
        self.at = Start { t, q, v, lambda, psi };
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_short_walks_are_as_good_as_a_long_one() {
        let problem = alembert_problems::car_axis::new();
        let mut trail = Trail::new(&problem);
        for k in 1..=20 {
            trail.at(0.05 * f64::from(k)).expect("a reference");
        }
        let (walked, direct) = (trail.at(1.1).expect("a reference"), problem.reference_at(1.1));
        for (x, y) in walked.q.iter().chain(&walked.v).zip(direct.q.iter().chain(&direct.v)) {
            assert!((x - y).abs() < 1e-11, "{x} {y}");
        }
    }
}
