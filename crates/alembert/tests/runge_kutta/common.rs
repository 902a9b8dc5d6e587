//! Runs shared by the tests.

use std::ops::ControlFlow;

use alembert::Quantity;
use alembert::integrator::IntegrateError;
use alembert::method::Scheme;
use alembert::{
    Accepted, ConsistentState, ErrorControl, FixedSteps, Guess, Integrator, State, Stats, Tolerance, consistent,
};
use alembert_problems::Problem;

pub fn problem(name: &str) -> Problem {
    alembert_problems::by_name(name).expect("a problem of that name")
}

pub fn start(problem: &Problem) -> ConsistentState {
    let s = &problem.start;
    let guess = Guess::new(s.t, s.q.clone(), s.v.clone()).with_multipliers(s.lambda.clone(), s.psi.clone());
    consistent(&*problem.system, &guess).expect("a consistent start")
}

/// An adaptive run: end state, cost, largest error of q over the steps where `exact` is given.
pub struct Run {
    pub state: State,
    pub stats: Stats,
    pub largest: f64,
    /// The method's own multipliers at the end.
    pub own_mu: Vec<f64>,
}

impl Run {
    pub fn forces(&self) -> u64 {
        self.stats.evaluations.of(Quantity::Force)
    }
    pub fn jacobians(&self) -> u64 {
        self.stats.evaluations.of(Quantity::ForceQ)
    }
}

pub fn adaptive(
    problem: &Problem,
    scheme: &dyn Scheme,
    tol: f64,
    t_end: f64,
    exact: Option<&dyn Fn(f64) -> State>,
) -> Result<Run, IntegrateError> {
    let tolerance = Tolerance::new(tol, tol).expect("in range");
    let mut integrator =
        Integrator::new(&*problem.system, &start(problem), scheme, ErrorControl::new(), tolerance).expect("a start");
    let mut largest = 0.0_f64;
    let mut own_mu = Vec::new();
    let mut watch = |step: &Accepted| {
        own_mu = [step.own.lambda, step.own.psi].concat();
        if let Some(exact) = exact {
            largest = largest.max(distance(&step.state.q, &exact(step.state.t).q));
        }
        ControlFlow::Continue(())
    };
    integrator.run(t_end, &mut watch)?;
    Ok(Run { state: integrator.state().clone(), stats: integrator.stats(), largest, own_mu })
}

pub fn fixed(problem: &Problem, scheme: &dyn Scheme, h: f64, t_end: f64) -> Run {
    let tolerance = Tolerance::new(1e-12, 1e-12).expect("in range");
    let steps = FixedSteps::new(h).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start(problem), scheme, steps, tolerance).expect("a start");
    let mut own_mu = Vec::new();
    let mut watch = |step: &Accepted| {
        own_mu = [step.own.lambda, step.own.psi].concat();
        ControlFlow::Continue(())
    };
    integrator.run(t_end, &mut watch).unwrap_or_else(|e| panic!("{} h = {h}: {e}", problem.name));
    Run { state: integrator.state().clone(), stats: integrator.stats(), largest: 0.0, own_mu }
}

pub fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

pub fn relative(x: &[f64], y: &[f64]) -> f64 {
    distance(x, y) / y.iter().map(|y| y * y).sum::<f64>().sqrt()
}
