//! Order under the controller: error against the mean step, with and without the step-change formula.

use alembert::GeneralizedAlpha;
use alembert_problems::{Problem, free_body, heavy_top, rolling_disk, sleigh};

use super::references;
use super::tolerance::controlled;
use crate::TaskError;

pub fn run() -> Result<(), TaskError> {
    println!("\norder under the controller: slope of the error against the mean step, tol 1e-4 to 1e-8, rho 0.2");
    println!("{:<18} {:>24} {:>24}", "problem", "with (15): q, v", "without: q, v");
    for problem in [sleigh::bowl(), rolling_disk::new(), free_body::new(), heavy_top::tumbling()] {
        let [with, without] = [true, false].map(|step_change| slopes(&problem, step_change));
        let [with, without] = [with?, without?];
        println!("{:<18} {:>12.2} {:>11.2} {:>12.2} {:>11.2}", problem.name, with[0], with[1], without[0], without[1]);
    }
    Ok(())
}

/// Logarithms of the mean step, up to a constant, and of the errors of q and v.
type Measured = (f64, [f64; 2]);

/// Least-squares slopes of log error of q and v against log of the mean step.
fn slopes(problem: &Problem, step_change: bool) -> Result<[f64; 2], TaskError> {
    let scheme = GeneralizedAlpha::from_rho_infinity(0.2)?.with_step_change(step_change);
    let exact = references(problem);
    let mut points: Vec<Measured> = Vec::new();
    for digits in 4..=8 {
        let (error, stats) = controlled(&scheme, problem, &exact, 10f64.powi(-digits))?;
        points.push((-(stats.steps as f64).ln(), error.map(f64::ln)));
    }
    let mean = |of: &dyn Fn(&Measured) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let centre = mean(&|p| p.0);
    let spread = mean(&|p| (p.0 - centre).powi(2));
    Ok([0, 1].map(|i| {
        let height = mean(&|p| p.1[i]);
        mean(&|p| (p.0 - centre) * (p.1[i] - height)) / spread
    }))
}
