//! One run, and how far it is off.

use std::ops::RangeInclusive;

use alembert::Quantity;
use alembert::method::Scheme;
use alembert::{
    ErrorControl, GeneralizedAlpha, Guess, HhtAlpha, Integrator, RungeKutta, State, Tolerance, Unobserved, VariableBdf,
    consistent,
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
    suits: fn(&Problem) -> bool,
}

/// All of them.
pub const METHODS: &[Method] = &[
    Method {
        title: "Radau",
        says: "3, 5 or 7 stages by tolerance, as model files choose them.",
        digits: 3..=10,
        scheme: |tol| {
            let stages = if tol >= 0.99e-4 {
                3
            } else if tol < 0.99e-9 {
                7
            } else {
                5
            };
            Ok(Box::new(RungeKutta::radau(stages)?))
        },
        suits: |_| true,
    },
    Method {
        title: "BDF",
        says: "Orders 1 to 5.",
        digits: 3..=9,
        scheme: |_| Ok(Box::new(VariableBdf::new())),
        suits: |_| true,
    },
    Method {
        title: "SOI2",
        says: "rho_infinity = 0.8; without the wheelset, whose kinematics are general. At 1e-8 the method is at its limit: steps of some 1e-5.",
        digits: 3..=7,
        scheme: |_| Ok(Box::new(GeneralizedAlpha::from_rho_infinity(0.8)?)),
        suits: |problem| problem.name != "wheelset",
    },
    Method {
        title: "HHT",
        says: "alpha = -0.1; without nonholonomic constraints and general kinematics.",
        digits: 3..=7,
        scheme: |_| Ok(Box::new(HhtAlpha::new(-0.1)?)),
        suits: |problem| problem.system.dims().psi == 0 && problem.name != "wheelset",
    },
];

impl Method {
    /// Whether the method can integrate a problem.
    pub fn suits(&self, problem: &Problem) -> bool {
        (self.suits)(problem)
    }
}

/// What is compared: q, v, a, and lambda with psi.
pub const QUANTITIES: [&str; 4] = ["q", "v", "a", "λ"];

/// Errors over the tolerance, and what they cost.
pub struct Outcome {
    /// One for each of [`QUANTITIES`].
    pub ratios: [f64; 4],
    pub steps: u64,
    pub forces: u64,
}

/// The truth at four times.
pub fn references(problem: &Problem) -> Vec<State> {
    let (start, span) = (problem.start.t, problem.t_end - problem.start.t);
    (1..=4).map(|part| problem.reference_at(start + span * f64::from(part) / 4.0)).collect()
}

fn quantities(state: &State) -> [Vec<f64>; 4] {
    let multipliers = state.lambda.iter().chain(&state.psi).copied().collect();
    [state.q.clone(), state.v.clone(), state.a.clone(), multipliers]
}

/// A run at a tolerance, against the truth; errors are relative to `floor` + size.
pub fn outcome(
    problem: &Problem,
    exact: &[State],
    method: &Method,
    tol: f64,
    floor: f64,
) -> Result<Outcome, TaskError> {
    let at = &problem.start;
    let guess = Guess::new(at.t, at.q.clone(), at.v.clone()).with_multipliers(at.lambda.clone(), at.psi.clone());
    let start = consistent(&*problem.system, &guess)?;
    let (scheme, tolerance) = ((method.scheme)(tol)?, Tolerance::relative(tol)?);
    let mut integrator = Integrator::new(&*problem.system, &start, &*scheme, ErrorControl::new(), tolerance)?;
    let (mut error, mut size) = ([0.0_f64; 4], [0.0_f64; 4]);
    for exact in exact {
        integrator.run(exact.t, &mut Unobserved)?;
        for (i, (x, y)) in quantities(integrator.state()).iter().zip(quantities(exact)).enumerate() {
            for (x, y) in x.iter().zip(y) {
                error[i] = error[i].max((x - y).abs());
                size[i] = size[i].max(y.abs());
            }
        }
    }
    let relative = |i: usize| if error[i] == 0.0 { 0.0 } else { error[i] / (floor + size[i]) / tol };
    let stats = integrator.stats();
    let forces = stats.evaluations.of(Quantity::Force);
    Ok(Outcome { ratios: std::array::from_fn(relative), steps: stats.steps, forces })
}
