//! One experiment of a paper: a problem, a scheme, a ladder of step sizes, and the errors that must come out.

use std::error::Error;
use std::ops::ControlFlow;

use alembert::initial::{Guess, consistent};
use alembert::method::Scheme;
use alembert::observer::Accepted;
use alembert::{FixedSteps, Integrator, State, Tolerance};
use alembert_problems::{Problem, applied_acceleration};

/// Newton's tolerance: far below every error that is measured.
const TOLERANCE: f64 = 1e-14;

/// The quantities whose errors are measured.
pub const VARIABLES: [&str; 5] = ["q", "v", "a", "lambda", "psi"];

/// Errors of q, v, a, lambda, psi; none where the system has no such quantity.
pub type Errors = [Option<f64>; 5];

/// What an error is measured in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// 2-norms at the end time; a and the multipliers are the method's own, each at its own time.
    EndNorm,
    /// One coordinate at the end time, as in the paper's pendulum figures.
    Coordinate(usize),
    /// The largest error of one coordinate over the whole run.
    LargestOf(usize),
}

/// Which acceleration the method carries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Acceleration {
    /// v'.
    Total,
    /// M^-1 f, without the reaction.
    Applied,
}

/// A number that must come out to three digits.
#[derive(Clone, Copy)]
pub struct Expected {
    pub h: f64,
    /// Index into [`VARIABLES`].
    pub variable: usize,
    pub error: f64,
}

/// An observed order at the fine end of the ladder.
#[derive(Clone, Copy)]
pub struct ExpectedOrder {
    pub variable: usize,
    pub order: f64,
    pub tolerance: f64,
}

pub struct Experiment {
    pub name: &'static str,
    pub title: &'static str,
    pub problem: fn() -> Problem,
    pub scheme: Box<dyn Scheme>,
    pub acceleration: Acceleration,
    pub measure: Measure,
    /// Steps are the mean step times these, in turn; their mean is 1.
    pub pattern: &'static [f64],
    pub t_end: f64,
    /// Mean steps, coarse to fine.
    pub ladder: Vec<f64>,
    pub expected: Vec<Expected>,
    pub orders: Vec<ExpectedOrder>,
}

/// One rung of the ladder.
pub struct Row {
    pub h: f64,
    pub steps: u64,
    pub errors: Errors,
    /// Observed order since the row above.
    pub orders: Errors,
}

/// A statement that does not hold.
pub struct Disagreement(pub String);

pub struct Outcome {
    pub rows: Vec<Row>,
    /// Numbers and orders that were compared.
    pub compared: usize,
    pub disagreements: Vec<Disagreement>,
}

impl Experiment {
    /// Runs the ladder and compares with the expected numbers.
    pub fn run(&self) -> Result<Outcome, Box<dyn Error>> {
        let mut rows: Vec<Row> = Vec::new();
        for &h in &self.ladder {
            let (steps, errors) = self.measure(h)?;
            let mut orders = [None; 5];
            if let Some(above) = rows.last() {
                for (order, (fine, coarse)) in orders.iter_mut().zip(errors.iter().zip(&above.errors)) {
                    *order = fine.zip(*coarse).map(|(fine, coarse)| (coarse / fine).ln() / (above.h / h).ln());
                }
            }
            rows.push(Row { h, steps, errors, orders });
        }
        let (compared, disagreements) = self.judge(&rows);
        Ok(Outcome { rows, compared, disagreements })
    }

    /// Steps and errors at one mean step.
    fn measure(&self, h: f64) -> Result<(u64, Errors), Box<dyn Error>> {
        let problem = (self.problem)();
        let start = &problem.start;
        let guess = Guess::new(start.t, start.q.clone(), start.v.clone())
            .with_multipliers(start.lambda.clone(), start.psi.clone());
        let start = consistent(&*problem.system, &guess)?;
        let tolerance = Tolerance::new(TOLERANCE, TOLERANCE)?;
        let steps = FixedSteps::pattern(h, self.pattern)?;
        let mut integrator = Integrator::new(&*problem.system, &start, &*self.scheme, steps, tolerance)?;
        let mut errors = [None; 5];
        let mut largest = 0.0_f64;
        integrator.run(self.t_end, &mut |step: &Accepted| {
            match self.measure {
                Measure::LargestOf(i) => {
                    largest = largest.max((step.state.q[i] - problem.reference_at(step.state.t).q[i]).abs());
                    errors[0] = Some(largest);
                }
                _ if step.state.t > self.t_end - 1e-9 => errors = self.end_errors(&problem, step),
                _ => {}
            }
            ControlFlow::Continue(())
        })?;
        Ok((integrator.stats().steps, errors))
    }

    fn end_errors(&self, problem: &Problem, step: &Accepted) -> Errors {
        let at = problem.reference_at(step.state.t);
        let at_a = problem.reference_at(step.own.a_time);
        let at_mu = problem.reference_at(step.own.multiplier_time);
        let a = match self.acceleration {
            Acceleration::Total => at_a.a,
            Acceleration::Applied => applied_acceleration(&*problem.system, &at_a),
        };
        let State { q, v, .. } = step.state;
        let (error_q, error_v) = match self.measure {
            Measure::Coordinate(i) => ((q[i] - at.q[i]).abs(), (v[i] - at.v[i]).abs()),
            _ => (distance(q, &at.q), distance(v, &at.v)),
        };
        let multipliers = |own: &[f64], reference: &[f64]| (!own.is_empty()).then(|| distance(own, reference));
        [
            Some(error_q),
            Some(error_v),
            Some(distance(step.own.a, &a)),
            multipliers(step.own.lambda, &at_mu.lambda),
            multipliers(step.own.psi, &at_mu.psi),
        ]
    }

    fn judge(&self, rows: &[Row]) -> (usize, Vec<Disagreement>) {
        let mut wrong = Vec::new();
        for Expected { h, variable, error } in &self.expected {
            let name = VARIABLES[*variable];
            let found = rows.iter().find(|row| (row.h / h - 1.0).abs() < 2e-3).and_then(|row| row.errors[*variable]);
            match found {
                Some(found) if same_three_digits(found, *error) => {}
                Some(found) => wrong.push(format!("error of {name} at h = {h}: {found:.3e}, expected {error:.3e}")),
                None => wrong.push(format!("error of {name} at h = {h}: not measured, expected {error:.3e}")),
            }
        }
        for ExpectedOrder { variable, order, tolerance } in &self.orders {
            let name = VARIABLES[*variable];
            match rows.last().and_then(|row| row.orders[*variable]) {
                Some(found) if (found - order).abs() <= *tolerance => {}
                Some(found) => wrong.push(format!("order of {name}: {found:.3}, expected {order} within {tolerance}")),
                None => wrong.push(format!("order of {name}: not measured, expected {order}")),
            }
        }
        (self.expected.len() + self.orders.len(), wrong.into_iter().map(Disagreement).collect())
    }
}

/// Agreement to three significant digits: within one unit of the third.
fn same_three_digits(found: f64, expected: f64) -> bool {
    let unit = 10f64.powf(expected.abs().log10().floor() - 2.0);
    (found - expected).abs() <= 0.5 * unit + 0.5e-1 * unit
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_mean_three_digits() {
        assert!(same_three_digits(1.2344e-3, 1.234e-3));
        assert!(!same_three_digits(1.245e-3, 1.234e-3));
        assert!(!same_three_digits(9.87e-4, 9.97e-4));
    }
}
