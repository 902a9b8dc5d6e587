//! One integration of a test problem, with the steps chosen by error or prescribed.

use std::error::Error;
use std::ops::ControlFlow;

use alembert::Quantity;
use alembert::initial::{Guess, consistent};
use alembert::method::Scheme;
use alembert::observer::Accepted;
use alembert::{ConsistentState, ErrorControl, FixedSteps, Integrator, Stats, Tolerance};
use alembert_problems::Problem;

/// Where the steps come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steps {
    /// Chosen so that the error meets this tolerance, relative and absolute.
    ByError(f64),
    /// All of this length, with Newton's method stopped at this tolerance.
    Fixed {
        /// The length.
        h: f64,
        /// Newton's tolerance.
        newton: f64,
    },
}

/// The consistent start of a problem.
pub fn start(problem: &Problem) -> Result<ConsistentState, Box<dyn Error>> {
    let start = &problem.start;
    let guess =
        Guess::new(start.t, start.q.clone(), start.v.clone()).with_multipliers(start.lambda.clone(), start.psi.clone());
    Ok(consistent(&*problem.system, &guess)?)
}

/// An integration that is ready to begin.
pub fn prepare<'p>(
    problem: &'p Problem,
    start: &ConsistentState,
    scheme: &dyn Scheme,
    steps: Steps,
) -> Result<Integrator<'p>, Box<dyn Error>> {
    let system = &*problem.system;
    Ok(match steps {
        Steps::ByError(tol) => Integrator::new(system, start, scheme, ErrorControl::new(), Tolerance::new(tol, tol)?)?,
        Steps::Fixed { h, newton } => {
            Integrator::new(system, start, scheme, FixedSteps::new(h)?, Tolerance::new(newton, newton)?)?
        }
    })
}

/// Runs to `t_end`, shows every accepted step, and says what it cost.
pub fn run(
    problem: &Problem,
    scheme: &dyn Scheme,
    steps: Steps,
    t_end: f64,
    mut seen: impl FnMut(&Accepted) -> Result<(), Box<dyn Error>>,
) -> Result<Stats, Box<dyn Error>> {
    let mut integrator = prepare(problem, &start(problem)?, scheme, steps)?;
    let mut trouble = None;
    integrator.run(t_end, &mut |step: &Accepted| match seen(step) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            trouble = Some(error);
            ControlFlow::Break(())
        }
    })?;
    match trouble {
        Some(error) => Err(error),
        None => Ok(integrator.stats()),
    }
}

/// Evaluations of the force by Newton's method: all but those of the acceleration level, one after each attempt, which also ask for
/// the bias of the constraints and belong to the projection.
pub fn newton_evaluations(stats: &Stats) -> u64 {
    let of = |function| stats.evaluations.of(function);
    of(Quantity::Force).saturating_sub(of(Quantity::HolonomicBias).max(of(Quantity::NonholonomicBias)))
}

/// The 2-norm of a difference.
pub fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}
