//! One run, and how far it is off.

use std::ops::{ControlFlow, RangeInclusive};

use alembert::Quantity;
use alembert::method::Scheme;
use alembert::{
    Accepted, ErrorControl, GeneralizedAlpha, Guess, HhtAlpha, Integrator, Observer, RungeKutta, State, Tolerance,
    VariableBdf, consistent,
};
use alembert_problems::Problem;

use crate::TaskError;

/// A method under test.
pub struct Contender {
    pub title: &'static str,
    pub says: &'static str,
    /// Tolerances 1e-digits.
    pub digits: RangeInclusive<i32>,
    scheme: fn(f64) -> Result<Box<dyn Scheme>, TaskError>,
    suits: fn(&Problem) -> bool,
}

/// All of them.
pub const METHODS: &[Contender] = &[
    Contender {
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
    Contender {
        title: "BDF",
        says: "Orders 1 to 5.",
        digits: 3..=9,
        scheme: |_| Ok(Box::new(VariableBdf::new())),
        suits: |_| true,
    },
    Contender {
        title: "SOI2",
        says: "rho_infinity = 0.8; without the wheelset, whose kinematics are general. At 1e-8 the method is at its limit: steps of some 1e-5.",
        digits: 3..=7,
        scheme: |_| Ok(Box::new(GeneralizedAlpha::from_rho_infinity(0.8)?)),
        suits: |problem| problem.name != "wheelset",
    },
    Contender {
        title: "HHT",
        says: "alpha = -0.1; without nonholonomic constraints and general kinematics.",
        digits: 3..=7,
        scheme: |_| Ok(Box::new(HhtAlpha::new(-0.1)?)),
        suits: |problem| problem.system.dims().psi == 0 && problem.name != "wheelset",
    },
];

impl Contender {
    /// Whether the method can integrate a problem.
    pub fn suits(&self, problem: &Problem) -> bool {
        (self.suits)(problem)
    }
}

/// What is compared: q, v, a, and lambda with psi.
pub const QUANTITIES: [&str; 4] = ["q", "v", "a", "λ"];

/// Errors over the tolerance, and what they cost.
pub struct Outcome {
    /// Of the problem.
    pub title: String,
    /// One for each of [`QUANTITIES`].
    pub ratios: [f64; 4],
    pub steps: u64,
    pub forces: u64,
    /// Estimated over true errors of a and of the multipliers; none where a quantity is exact or there is no multiplier.
    pub estimates: [Option<f64>; 2],
}

/// At how many times the truth is known; a run lands on one of so many of them.
const TIMES: u32 = 12;
const LANDING: usize = 3;
/// How many times are added at which accelerations are large, and as many at which they change fast.
const HARD: usize = 4;
/// The run that tells them.
const SCOUT: f64 = 1e-7;

/// The truth about a problem.
pub struct Truth {
    /// At the times on which runs land.
    pub landings: Vec<State>,
    /// At these, as many between, and where accelerations are large or change fast, which may be for a short time only.
    pub rows: Vec<State>,
}

impl Truth {
    /// The truth by the problem's reference.
    pub fn new(problem: &Problem) -> Self {
        let (start, span) = (problem.start.t, problem.t_end - problem.start.t);
        let mut rows: Vec<State> =
            (1..=TIMES).map(|part| problem.reference_at(start + span * f64::from(part) / f64::from(TIMES))).collect();
        let landings = rows.iter().skip(LANDING - 1).step_by(LANDING).cloned().collect();
        rows.extend(hard_times(problem).into_iter().map(|t| problem.reference_at(t)));
        rows.sort_by(|x, y| x.t.total_cmp(&y.t));
        rows.dedup_by(|x, y| x.t == y.t);
        Truth { landings, rows }
    }
}

/// Ends of steps at which a run has its largest accelerations, and at which they change fastest in two steps in a row, so that a jump does not count.
fn hard_times(problem: &Problem) -> Vec<f64> {
    let mut steps: Vec<(f64, f64, f64)> = Vec::new();
    let mut before = (f64::NAN, Vec::new());
    let mut look = |accepted: &Accepted| {
        let state = accepted.state;
        let slope = distance(&state.a, &before.1) / (state.t - before.0);
        steps.push((state.t, state.a.iter().fold(0.0, |max, a| max.max(a.abs())), slope));
        before = (state.t, state.a.clone());
        ControlFlow::Continue(())
    };
    let Ok(mut integrator) = prepared(problem, &METHODS[0], SCOUT) else { return Vec::new() };
    // As far as it comes.
    integrator.run(problem.t_end, &mut look).ok();
    let steady: Vec<_> = steps.windows(2).map(|pair| (pair[1].0, pair[1].1, pair[0].2.min(pair[1].2))).collect();
    let largest = |size: fn(&(f64, f64, f64)) -> f64| {
        let mut order: Vec<_> = steady.iter().filter(|step| size(step).is_finite()).collect();
        order.sort_by(|x, y| size(y).total_cmp(&size(x)));
        order.iter().take(HARD).map(|step| step.0).collect::<Vec<_>>()
    };
    let mut times = largest(|step| step.1);
    times.extend(largest(|step| step.2));
    times
}

/// The rows of a run.
#[derive(Default)]
struct Rows(Vec<State>);

impl Observer for Rows {
    fn on_step(&mut self, _: &mut Accepted) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_row(&mut self, state: &State) -> ControlFlow<()> {
        self.0.push(state.clone());
        ControlFlow::Continue(())
    }
}

fn quantities(state: &State) -> [Vec<f64>; 4] {
    let multipliers = state.lambda.iter().chain(&state.psi).copied().collect();
    [state.q.clone(), state.v.clone(), state.a.clone(), multipliers]
}

/// A method about to integrate a problem at a tolerance.
fn prepared<'p>(problem: &'p Problem, method: &Contender, tol: f64) -> Result<Integrator<'p>, TaskError> {
    let at = &problem.start;
    let guess = Guess::new(at.t, at.q.clone(), at.v.clone()).with_multipliers(at.lambda.clone(), at.psi.clone());
    let start = consistent(&*problem.system, &guess)?;
    let (scheme, tolerance) = ((method.scheme)(tol)?, Tolerance::relative(tol)?);
    Ok(Integrator::new(&*problem.system, &start, &*scheme, ErrorControl::new(), tolerance)?)
}

/// A run at a tolerance, against the truth; errors are relative to `floor` + size.
pub fn outcome(
    problem: &Problem,
    truth: &Truth,
    method: &Contender,
    tol: f64,
    floor: f64,
) -> Result<Outcome, TaskError> {
    let mut integrator = prepared(problem, method, tol)?;
    integrator.show_at(&truth.rows.iter().map(|state| state.t).collect::<Vec<_>>())?;
    let mut rows = Rows::default();
    let (mut error, mut size) = ([0.0_f64; 4], [0.0_f64; 4]);
    for exact in &truth.landings {
        integrator.run(exact.t, &mut rows)?;
        for (i, (x, y)) in quantities(integrator.state()).iter().zip(quantities(exact)).enumerate() {
            error[i] = error[i].max(distance(x, &y));
            size[i] = y.iter().fold(size[i], |size, y| size.max(y.abs()));
        }
    }
    let relative = |i: usize| if error[i] == 0.0 { 0.0 } else { error[i] / (floor + size[i]) / tol };
    let mut largest = error;
    for (state, exact) in rows.0.iter().zip(&truth.rows) {
        for (i, (x, y)) in quantities(state).iter().zip(quantities(exact)).enumerate() {
            largest[i] = largest[i].max(distance(x, &y));
        }
    }
    // What is at rounding is exact.
    let over = |estimate: f64, i: usize| (largest[i] > EXACT * size[i]).then(|| estimate / largest[i]);
    let derived = integrator.summary().derived.unwrap_or_default();
    let estimates = [over(derived.a, 2), over(derived.multipliers, 3)];
    let stats = integrator.stats();
    let forces = stats.evaluations.of(Quantity::Force);
    Ok(Outcome {
        title: problem.title.into(),
        ratios: std::array::from_fn(relative),
        steps: stats.steps,
        forces,
        estimates,
    })
}

/// Relative errors below this are those of references.
const EXACT: f64 = 1e-12;

/// The largest difference of two entries.
fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |max, (x, y)| max.max((x - y).abs()))
}
