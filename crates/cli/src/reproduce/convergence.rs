//! A ladder of step sizes: a problem, a scheme, and the errors and orders that must come out.

use std::error::Error;
use std::ops::ControlFlow;

use alembert::method::Scheme;
use alembert::observer::Accepted;
use alembert::{FixedSteps, Integrator, State, Tolerance};
use alembert_problems::{Problem, applied_acceleration};

use super::experiment::{Experiment, Outcome, Report, Sheet};
use super::ladder::{self, Errors, Row, VARIABLES};
use super::motion::{self, Moment, Motion};
use super::verdict::{Tally, Verdict, same_three_digits};
use alembert_sim::trial::{self, distance};

/// Newton's tolerance: far below every error that is measured.
const TOLERANCE: f64 = 1e-14;

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
    /// Index into [`VARIABLES`].
    pub variable: usize,
    pub order: f64,
    pub tolerance: f64,
}

/// Errors at the end of runs with smaller and smaller steps.
pub struct Convergence {
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
    /// A coordinate to draw over time, at the coarsest step.
    pub motion: Option<Motion>,
}

impl Experiment for Convergence {
    fn name(&self) -> &str {
        self.name
    }

    fn title(&self) -> &str {
        self.title
    }

    fn run(&self) -> Outcome {
        let mut rows: Vec<Row> = Vec::new();
        for &h in &self.ladder {
            let (steps, errors) = self.measure(h)?;
            rows.push(Row::below(rows.last(), h, steps, errors));
        }
        let figure = ladder::figure(&rows, self.name, self.title, &self.ordinate(), &self.distinct_orders());
        let sheet = Sheet { stem: self.stem(), table: ladder::table(&rows), figure: Some(figure) };
        let more = self.motion.map(|motion| self.motion_sheet(motion)).transpose()?;
        Ok(Report { sheet, beside: Vec::new(), more: more.into_iter().collect(), verdict: self.judge(&rows) })
    }
}

impl Convergence {
    /// Integrates with mean step `h`, shows every accepted step, and counts them.
    fn integrate(&self, problem: &Problem, h: f64, mut seen: impl FnMut(&Accepted)) -> Result<u64, Box<dyn Error>> {
        let start = trial::start(problem)?;
        let tolerance = Tolerance::new(TOLERANCE, TOLERANCE)?;
        let steps = FixedSteps::pattern(h, self.pattern)?;
        let mut integrator = Integrator::new(&*problem.system, &start, &*self.scheme, steps, tolerance)?;
        integrator.run(self.t_end, &mut |step: &Accepted| {
            seen(step);
            ControlFlow::Continue(())
        })?;
        Ok(integrator.stats().steps)
    }

    /// Steps and errors at one mean step.
    fn measure(&self, h: f64) -> Result<(u64, Errors), Box<dyn Error>> {
        let problem = (self.problem)();
        let mut errors = [None; 5];
        let mut largest = 0.0_f64;
        let steps = self.integrate(&problem, h, |step| match self.measure {
            Measure::LargestOf(i) => {
                largest = largest.max((step.state.q[i] - problem.reference_at(step.state.t).q[i]).abs());
                errors[0] = Some(largest);
            }
            _ if step.state.t > self.t_end - 1e-9 => errors = self.end_errors(&problem, step),
            _ => {}
        })?;
        Ok((steps, errors))
    }

    /// One coordinate at every step of the coarsest run.
    fn motion_sheet(&self, motion: Motion) -> Result<Sheet, Box<dyn Error>> {
        let problem = (self.problem)();
        let h = *self.ladder.first().ok_or("a ladder without rungs")?;
        let i = motion.coordinate;
        let (t, begin) = (problem.start.t, problem.start.q[i]);
        let mut moments = vec![Moment { t, numerical: begin, reference: begin }];
        self.integrate(&problem, h, |step| {
            let t = step.state.t;
            moments.push(Moment { t, numerical: step.state.q[i], reference: problem.reference_at(t).q[i] });
        })?;
        Ok(Sheet {
            stem: format!("{}-{}", self.stem(), motion.suffix),
            table: motion::table(&moments),
            figure: Some(motion::figure(
                &moments,
                format!("{}, {}", self.name, motion.suffix),
                self.title,
                motion.label,
                h,
            )),
        })
    }

    /// What the errors in a figure are.
    fn ordinate(&self) -> String {
        match self.measure {
            Measure::EndNorm => format!("error at t = {} (2-norm)", self.t_end),
            Measure::Coordinate(i) => format!("error at t = {} (q, v: component {})", self.t_end, i + 1),
            Measure::LargestOf(i) => format!("largest error on [0, {}] (component {})", self.t_end, i + 1),
        }
    }

    /// Slopes worth a triangle: the expected orders, each once.
    fn distinct_orders(&self) -> Vec<f64> {
        let mut orders: Vec<f64> = self.orders.iter().map(|expected| expected.order).collect();
        orders.sort_by(f64::total_cmp);
        orders.dedup();
        orders
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

    fn judge(&self, rows: &[Row]) -> Verdict {
        let mut errors = Tally::new(["error agrees to 3 digits", "errors agree to 3 digits"]);
        for Expected { h, variable, error } in &self.expected {
            let name = VARIABLES[*variable];
            let found = rows.iter().find(|row| (row.h / h - 1.0).abs() < 2e-3).and_then(|row| row.errors[*variable]);
            errors.add(match found {
                Some(found) if same_three_digits(found, *error) => Ok(()),
                Some(found) => Err(format!("error of {name} at h = {h}: {found:.3e}, expected {error:.3e}")),
                None => Err(format!("error of {name} at h = {h}: not measured, expected {error:.3e}")),
            });
        }
        let mut orders = Tally::new(["order is as expected", "orders are as expected"]);
        for ExpectedOrder { variable, order, tolerance } in &self.orders {
            let name = VARIABLES[*variable];
            orders.add(match rows.last().and_then(|row| row.orders[*variable]) {
                Some(found) if (found - order).abs() <= *tolerance => Ok(()),
                Some(found) => Err(format!("order of {name}: {found:.3}, expected {order} within {tolerance}")),
                None => Err(format!("order of {name}: not measured, expected {order}")),
            });
        }
        Verdict { tallies: vec![errors, orders] }
    }
}
