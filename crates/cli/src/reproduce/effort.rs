//! What accuracy costs: tables 1 and 2 of paper 4 (Schropp), beside what Radau IIA with error control needs here.
//!
//! The paper counts evaluations of the right-hand side (Newton's method and error estimate) and of the Jacobian by
//! RADAU5 with three stages, with and without projection. Errors are the largest over the run, at the steps, in the
//! 2-norm. Those of projected RADAU5 were measured by running the original program again; they are not in the paper.
//!
//! Equal tolerances buy different errors, so the verdict compares evaluations at equal error of q, interpolated between
//! tolerances on logarithmic scales.

mod equal;
mod measure;
mod picture;

use std::error::Error;

use alembert::RungeKutta;
use alembert::method::Projection;
use alembert_problems::Problem;

use super::experiment::{Experiment, Outcome, Report, Sheet};
use super::verdict::{Tally, Verdict};
use alembert_sim::table::{Cell, Column, Format, Table, cell};
pub use equal::Rival;
use measure::{Effort, measure};

/// What the paper prints for one tolerance.
pub struct Printed {
    pub tol: f64,
    /// Evaluations and Jacobians without projection.
    pub plain: [u64; 2],
    /// The same with projection.
    pub projected: [u64; 2],
    /// Largest errors of q, v, lambda of projected RADAU5, where they were measured.
    pub errors: [Option<f64>; 3],
}

/// A table of the paper.
pub struct EffortTable {
    pub name: &'static str,
    pub title: &'static str,
    pub problem: fn() -> Problem,
    pub t_end: f64,
    pub printed: Vec<Printed>,
    /// Tolerances of the runs that are interpolated, coarse to fine.
    pub ladder: Vec<f64>,
    /// Evaluations of projected RADAU5 at given errors.
    pub rivals: Vec<Rival>,
    /// Largest part of the rival's evaluations that agrees.
    pub share: f64,
}

impl Experiment for EffortTable {
    fn name(&self) -> &str {
        self.name
    }

    fn title(&self) -> &str {
        self.title
    }

    fn run(&self) -> Outcome {
        let run = |tol, projected| self.effort(tol, projected);
        let ladder = self.ladder.iter().map(|&tol| run(tol, true)).collect::<Result<Vec<_>, _>>()?;
        let mut rows = Vec::new();
        for printed in &self.printed {
            rows.push((printed, run(printed.tol, false)?));
            // The same run may be on the ladder already.
            let known = ladder.iter().find(|effort| effort.tol == printed.tol).cloned();
            rows.push((printed, known.map_or_else(|| run(printed.tol, true), Ok)?));
        }
        let figure = picture::figure(self, &ladder, &rows);
        let compared: Vec<equal::Comparison> = self.rivals.iter().map(|rival| equal::compare(rival, &ladder)).collect();
        let equal =
            Sheet { stem: format!("{}-equal-error", self.stem()), table: equal::table(&compared), figure: None };
        Ok(Report {
            sheet: Sheet { stem: self.stem(), table: table(&rows), figure: Some(figure) },
            beside: vec![("evaluations at equal error of q, both with projection".to_owned(), equal)],
            more: Vec::new(),
            verdict: self.judge(&compared),
        })
    }
}

impl EffortTable {
    fn effort(&self, tol: f64, projected: bool) -> Result<Effort, Box<dyn Error>> {
        let projection = if projected { Projection::Full } else { Projection::Off };
        let scheme = RungeKutta::default().with_projection(projection);
        measure(&(self.problem)(), &scheme, self.t_end, tol, projected)
    }

    fn judge(&self, compared: &[equal::Comparison]) -> Verdict {
        let mut tally = Tally::new([
            "evaluation count at equal error is small enough",
            "evaluation counts at equal error are small enough",
        ]);
        for comparison in compared {
            let equal::Comparison { error, ours, theirs } = *comparison;
            tally.add(match ours {
                Some(ours) if ours <= self.share * theirs => Ok(()),
                Some(ours) => Err(format!(
                    "at error {error:.0e} {ours:.0} evaluations, {:.3} of {theirs:.0}, expected at most {}",
                    ours / theirs,
                    self.share
                )),
                None => Err(format!("error {error:.0e} was not reached")),
            });
        }
        Verdict { tallies: vec![tally] }
    }
}

/// Ours beside the paper's, a row for each tolerance without and with projection.
fn table(rows: &[(&Printed, Effort)]) -> Table {
    let mut columns = vec![
        Column::new("tol", "tol", Format::Size),
        Column::new("projection", "projection", Format::Words),
        Column::new("evaluations", "evaluations", Format::Count),
        Column::new("jacobians", "jacobians", Format::Count),
        Column::new("steps", "steps", Format::Count),
        Column::new("forces", "all forces", Format::Count),
    ];
    let variables = ["q", "v", "lambda"];
    columns.extend(variables.map(|name| Column::new(name, name, Format::Size).within("error")));
    columns.push(Column::new("evaluations", "| paper: evaluations", Format::Count).within("paper"));
    columns.push(Column::new("jacobians", "jacobians", Format::Count).within("paper"));
    columns.extend(variables.map(|name| Column::new(name, name, Format::Size).within("paper_error")));
    let cells = |(printed, effort): &(&Printed, Effort)| -> Vec<Cell> {
        let [evaluations, jacobians] = if effort.projected { printed.projected } else { printed.plain };
        let theirs = if effort.projected { printed.errors } else { [None; 3] };
        let mut cells = vec![
            cell(effort.tol),
            cell(effort.projected),
            cell(effort.evaluations),
            cell(effort.jacobians),
            cell(effort.steps),
            cell(effort.forces),
        ];
        cells.extend(effort.errors.map(cell));
        cells.extend([cell(evaluations), cell(jacobians)]);
        cells.extend(theirs.map(|error| error.and_then(cell)));
        cells
    };
    Table { columns, rows: rows.iter().map(cells).collect() }
}
