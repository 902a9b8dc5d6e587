//! Paper 5: the first multipliers of BDF on index 3, as printed and beyond.
//!
//! The tables are the paper's, to all printed digits. The rest goes on where it stops: orders up to 6, changes of the step
//! size, and the library's default (two halves per step), which needs no correction.

mod changes;
mod march;
mod starts;
mod tables;

use super::experiment::Experiment;

/// The experiments.
pub fn all() -> Vec<Box<dyn Experiment>> {
    let tables = tables::all().into_iter().map(|table| Box::new(table) as Box<dyn Experiment>);
    tables.chain([Box::new(starts::Starts) as Box<dyn Experiment>, Box::new(changes::Changes)]).collect()
}
