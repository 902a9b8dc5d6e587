//! How near the estimated errors of accelerations and multipliers are to the true ones.
//!
//! ```text
//! ratio = estimated error / largest true error at the times of [`Truth`](super::run::Truth),     near: within a factor 10
//! ```

use std::fmt::Write;

use super::Study;
use super::run::{Contender, METHODS, Outcome};
use super::{Results, short};
use crate::TaskError;

/// What an estimate may be off by.
const NEAR: f64 = 10.0;

const HEAD: &str = "\
## Estimates of the errors of accelerations and multipliers

Every run estimates them from the errors of its steps ([how](verdict.md#accelerations-and-multipliers)). Cells are the share of runs whose estimate is within a factor 10 of the largest error, at twelve times and at eight with the largest or fastest changing accelerations, / \
too small / too large, over all tolerances of the methods; then estimated over true error in the median.

| | a | multipliers |
|---|---|---|
";

/// What is estimated.
const QUANTITIES: [&str; 2] = ["a", "multipliers"];

/// Counts of estimates.
#[derive(Default)]
struct Shares {
    ratios: Vec<f64>,
}

impl Shares {
    fn add(&mut self, outcomes: &[Outcome], quantity: usize) {
        self.ratios.extend(outcomes.iter().filter_map(|outcome| outcome.estimates[quantity]));
    }

    fn cell(&mut self) -> String {
        let count = self.ratios.len();
        if count == 0 {
            return "-".into();
        }
        let share = |is: &dyn Fn(f64) -> bool| {
            100.0 * self.ratios.iter().filter(|ratio| is(**ratio)).count() as f64 / count as f64
        };
        let (small, large) = (share(&|ratio| ratio < 1.0 / NEAR), share(&|ratio| ratio > NEAR));
        let near = 100.0 - small - large;
        let median = short(super::quantile(&mut self.ratios, 0.5));
        format!("{near:.0} % / {small:.0} % / {large:.0} % of {count}; {median}")
    }
}

/// The section of the page: `all` has the results of every method.
pub fn section(studies: &[Study], all: &[Vec<Results>]) -> Result<String, TaskError> {
    let mut text = HEAD.to_owned();
    let mut row = |name: &str, cells: [Shares; 2]| {
        let [mut a, mut multipliers] = cells;
        writeln!(text, "| {name} | {} | {} |", a.cell(), multipliers.cell())
    };
    let collect = |wanted: &dyn Fn(usize, usize) -> bool| {
        let mut cells = [Shares::default(), Shares::default()];
        for (method, results) in all.iter().enumerate() {
            for (study, results) in results.iter().enumerate().filter(|(study, _)| wanted(method, *study)) {
                debug_assert!(study < studies.len(), "one result for each study");
                for outcomes in &results.by_tolerance {
                    cells.iter_mut().enumerate().for_each(|(quantity, cell)| cell.add(outcomes, quantity));
                }
            }
        }
        cells
    };
    row("all runs", collect(&|_, _| true))?;
    for (i, method) in METHODS.iter().enumerate() {
        row(method.title, collect(&|method, _| method == i))?;
    }
    for (i, study) in studies.iter().enumerate() {
        row(study.family.name, collect(&|_, study| study == i))?;
    }
    text += "\n";
    Ok(text)
}

/// Prints the estimates of a method that are off by more than a factor 10.
pub fn print_misses(method: &Contender, studies: &[Study], results: &[Results]) {
    for (study, results) in studies.iter().zip(results) {
        for (digits, outcomes) in method.digits.clone().zip(&results.by_tolerance) {
            for outcome in outcomes {
                for (quantity, ratio) in QUANTITIES.iter().zip(outcome.estimates) {
                    if let Some(ratio) = ratio.filter(|ratio| !(1.0 / NEAR..=NEAR).contains(ratio)) {
                        let (title, family) = (&outcome.title, study.family.name);
                        println!(
                            "{}, 1e-{digits}, {quantity}: {ratio:.1e} of the error, {title} ({family})",
                            method.title
                        );
                    }
                }
            }
        }
    }
}
