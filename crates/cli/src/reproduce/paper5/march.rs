//! Runs of prescribed steps, and what became of the multipliers.

use std::error::Error;

use alembert::initial::{Guess, consistent};
use alembert::method::{Bdf, BdfStart, Formulation};
use alembert::{FixedSteps, Integrator, State, Tolerance};
use alembert_problems::Problem;

use alembert_sim::table::{Cell, Column, Format, Value};

/// Newton's tolerance: far below every error that is measured.
const TOLERANCE: f64 = 1e-14;

/// The classical method, with a start of choice and without corrections at step changes.
pub fn classical(order: usize, start: BdfStart) -> Bdf {
    Bdf { order, formulation: Formulation::Index3, start, step_change: false }
}

/// The library's default.
pub fn two_halves(order: usize) -> Bdf {
    Bdf { order, ..Bdf::implicit_euler() }
}

/// Makes every step, and shows what it reached.
pub fn march(
    scheme: Bdf,
    problem: &Problem,
    steps: &[f64],
    mut seen: impl FnMut(&State),
) -> Result<(), Box<dyn Error>> {
    let from = &problem.start;
    let guess =
        Guess::new(from.t, from.q.clone(), from.v.clone()).with_multipliers(from.lambda.clone(), from.psi.clone());
    let start = consistent(&*problem.system, &guess)?;
    let tolerance = Tolerance::new(TOLERANCE, TOLERANCE)?;
    let pattern = FixedSteps::pattern(1.0, steps)?;
    let mut integrator = Integrator::new(&*problem.system, &start, &scheme, pattern, tolerance)?;
    // Never near the end, so that no step is shortened to meet it.
    let far = from.t + 1e3 * steps.iter().sum::<f64>();
    for _ in steps {
        seen(integrator.step(far)?.state);
    }
    Ok(())
}

/// Error of the first multiplier, as in the paper.
pub fn first_multiplier_error(problem: &Problem, state: &State) -> f64 {
    (state.lambda[0] - problem.reference_at(state.t).lambda[0]).abs()
}

/// A column with one name for people and files.
pub fn column(group: Option<&'static str>, name: &'static str, heading: &'static str, format: Format) -> Column {
    Column { group, name, heading, format }
}

/// Rows of numbers as rows of cells.
pub fn cells(rows: Vec<Vec<Option<f64>>>) -> Vec<Vec<Cell>> {
    rows.into_iter().map(|row| row.into_iter().map(|number| number.map(Value::Number)).collect()).collect()
}
