//! One run, and how far it is off.

use std::ops::RangeInclusive;

use alembert::equations::Function;
use alembert::method::Scheme;
use alembert::{
    ConstrainedSystem, ErrorControl, GeneralizedAlpha, Guess, HhtAlpha, Integrator, RungeKutta, State, Tolerance,
    Unobserved, VariableBdf, consistent,
};
use alembert_problems::Problem;

use crate::TaskError;

/// A method under test.
pub struct Method {
    pub title: &'static str,
    pub says: &'static str,
    /// Tolerances 1e-digits.
    pub digits: RangeInclusive<i32>,
    scheme: fn(f64) -> Result<Box<dyn Scheme>, TaskError>,
    pub suits: fn(&dyn ConstrainedSystem) -> bool,
}

/// All of them.
pub const METHODS: &[Method] = &[
    Method {
        title: "Radau",
        says: "3, 5 or 7 stages by tolerance, as model files choose them.",
        digits: 3..=10,
        scheme: |tol| {
            Ok(Box::new(RungeKutta::radau(if tol >= 1e-4 {
                3
            } else if tol < 1e-9 {
                7
            } else {
                5
            })?))
        },
        suits: |_| true,
    },
    Method {
        title: "BDF",
        says: "Errors of steps add up: a tolerance is that of a step, not of the result.",
        digits: 3..=7,
        scheme: |_| Ok(Box::new(VariableBdf::new())),
        suits: |_| true,
    },
    Method {
        title: "SOI2",
        says: "rho_infinity = 0.8. Errors of steps add up, too.",
        digits: 3..=6,
        scheme: |_| Ok(Box::new(GeneralizedAlpha::from_rho_infinity(0.8)?)),
        suits: |_| true,
    },
    Method {
        title: "HHT",
        says: "alpha = -0.1; without nonholonomic constraints. Errors of steps add up, too.",
        digits: 3..=6,
        scheme: |_| Ok(Box::new(HhtAlpha::new(-0.1)?)),
        suits: |system| system.dims().psi == 0,
    },
];

/// The error over the tolerance, and what it cost.
pub struct Outcome {
    pub ratio: f64,
    pub forces: u64,
}

/// The truth at four times.
pub fn references(problem: &Problem) -> Vec<State> {
    let (start, span) = (problem.start.t, problem.t_end - problem.start.t);
    (1..=4).map(|part| problem.reference_at(start + span * f64::from(part) / 4.0)).collect()
}

/// A run at a tolerance, against the truth.
pub fn outcome(problem: &Problem, exact: &[State], method: &Method, tol: f64) -> Result<Outcome, TaskError> {
    let at = &problem.start;
    let guess = Guess::new(at.t, at.q.clone(), at.v.clone()).with_multipliers(at.lambda.clone(), at.psi.clone());
    let start = consistent(&*problem.system, &guess)?;
    let (scheme, tolerance) = ((method.scheme)(tol)?, Tolerance::new(tol, tol)?);
    let mut integrator = Integrator::new(&*problem.system, &start, &*scheme, ErrorControl::new(), tolerance)?;
    let (mut error, mut size) = ([0.0_f64; 2], [0.0_f64; 2]);
    for exact in exact {
        integrator.run(exact.t, &mut Unobserved)?;
        let state = integrator.state();
        for (i, (x, y)) in [(&state.q, &exact.q), (&state.v, &exact.v)].into_iter().enumerate() {
            for (x, y) in x.iter().zip(y) {
                error[i] = error[i].max((x - y).abs());
                size[i] = size[i].max(y.abs());
            }
        }
    }
    let ratio = (error[0] / (1.0 + size[0])).max(error[1] / (1.0 + size[1])) / tol;
    Ok(Outcome { ratio, forces: integrator.stats().evaluations.of(Function::Force) })
}
