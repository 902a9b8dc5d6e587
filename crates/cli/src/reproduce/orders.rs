//! Observed orders of projected Runge-Kutta methods (theorem 2.1 of paper 4, Schropp), with and without projection.
//!
//! For Radau IIA with s stages, q and v converge with order 2s - 1 with projection; without it v converges only with order s. The
//! multipliers of the last stage converge with order s - 1. Other tableaus lose: where the last stage is not the end point, projection
//! lowers the order of positions from one more than the stage order to the stage order. The multipliers reported after a step solve the acceleration level and are as
//! accurate as u and v; the paper does not have them.
//!
//! Errors are the largest over the run, because at a single time leading terms may happen to cancel.

use std::error::Error;

use alembert::RungeKutta;
use alembert::method::{Projection, Tableau};
use alembert_picture::chart::{Axis, Figure, Series, Stroke};
use alembert_problems::Problem;

use super::experiment::{Experiment, Outcome, Report, Sheet};
use super::verdict::{Tally, Verdict};
use alembert_sim::table::{Cell, Column, Format, Table, cell};
use alembert_sim::trail::Trail;
use alembert_sim::trial::{Steps, distance, run};

/// Newton's tolerance: far below every error that is measured.
const NEWTON: f64 = 1e-14;
/// What is measured: positions, velocities, the method's own multipliers, the reported ones.
const VARIABLES: [&str; 4] = ["q", "v", "lambda", "reported"];

/// A method with the orders it must show.
pub struct Candidate {
    /// As "Radau IIA 3": the family and the number of stages.
    pub method: &'static str,
    pub tableau: Tableau,
    pub projected: bool,
    /// Step counts of the ladder, coarse to fine.
    pub steps: Vec<u32>,
    /// Orders of q, v, lambda, reported; none where nothing is claimed.
    pub orders: [Option<f64>; 4],
}

/// A ladder of steps for each method.
pub struct Orders {
    pub name: &'static str,
    pub title: &'static str,
    pub problem: fn() -> Problem,
    pub t_end: f64,
    pub candidates: Vec<Candidate>,
    /// How far an observed order may be off: q, v, lambda, reported.
    pub slack: [f64; 4],
}

/// One rung of one ladder.
struct Rung {
    h: f64,
    errors: [f64; 4],
    orders: [Option<f64>; 4],
}

impl Experiment for Orders {
    fn name(&self) -> &str {
        self.name
    }

    fn title(&self) -> &str {
        self.title
    }

    fn run(&self) -> Outcome {
        let ladders = self.candidates.iter().map(|c| self.ladder(c)).collect::<Result<Vec<_>, _>>()?;
        let both: Vec<(&Candidate, &Vec<Rung>)> = self.candidates.iter().zip(&ladders).collect();
        let picture = |i: usize, stem: String, quantity: &str| Sheet {
            stem,
            table: table(&both),
            figure: Some(self.figure(&both, i, quantity)),
        };
        Ok(Report {
            sheet: picture(0, self.stem(), "largest error of q (2-norm)"),
            beside: Vec::new(),
            more: vec![
                picture(1, format!("{}-v", self.stem()), "largest error of v (2-norm)"),
                picture(2, format!("{}-lambda", self.stem()), "largest error of the method's own λ"),
            ],
            verdict: self.judge(&both),
        })
    }
}

impl Orders {
    fn ladder(&self, candidate: &Candidate) -> Result<Vec<Rung>, Box<dyn Error>> {
        let problem = (self.problem)();
        let projection = if candidate.projected { Projection::Full } else { Projection::Off };
        let scheme = RungeKutta::with_tableau(candidate.tableau.clone()).with_projection(projection).allow_violations();
        let mut rungs: Vec<Rung> = Vec::new();
        for &steps in &candidate.steps {
            let h = (self.t_end - problem.start.t) / f64::from(steps);
            let mut errors = [0.0_f64; 4];
            let mut trail = Trail::new(&problem);
            run(&problem, &scheme, Steps::Fixed { h, newton: NEWTON }, self.t_end, |step| {
                let exact = trail.at(step.state.t)?;
                let now = [
                    distance(&step.state.q, &exact.q),
                    distance(&step.state.v, &exact.v),
                    distance(step.own.lambda, &exact.lambda),
                    distance(&step.state.lambda, &exact.lambda),
                ];
                for (largest, error) in errors.iter_mut().zip(now) {
                    *largest = largest.max(error);
                }
                Ok(())
            })?;
            let mut orders = [None; 4];
            if let Some(above) = rungs.last() {
                for (i, order) in orders.iter_mut().enumerate() {
                    let observed = (above.errors[i] / errors[i]).ln() / (above.h / h).ln();
                    *order = Some(observed).filter(|order| order.is_finite());
                }
            }
            rungs.push(Rung { h, errors, orders });
        }
        Ok(rungs)
    }

    /// The projected methods' errors of one variable.
    fn figure(&self, ladders: &[(&Candidate, &Vec<Rung>)], variable: usize, ordinate: &str) -> Figure {
        let projected = || ladders.iter().filter(|(candidate, _)| candidate.projected);
        let series = projected().enumerate().map(|(look, (candidate, rungs))| Series {
            label: candidate.method.to_owned(),
            look,
            stroke: Stroke::Marked,
            points: rungs.iter().map(|rung| (rung.h, rung.errors[variable])).collect(),
        });
        let mut slopes: Vec<f64> = projected().filter_map(|(candidate, _)| candidate.orders[variable]).collect();
        slopes.retain(|order| *order > 0.0);
        slopes.sort_by(f64::total_cmp);
        slopes.dedup();
        Figure {
            heading: self.name.to_owned(),
            title: self.title.to_owned(),
            x: Axis::log("step size h"),
            y: Axis::log(ordinate),
            series: series.collect(),
            slopes,
            marks: Vec::new(),
        }
    }

    fn judge(&self, ladders: &[(&Candidate, &Vec<Rung>)]) -> Verdict {
        let mut tally = Tally::new(["order is as expected", "orders are as expected"]);
        for (candidate, rungs) in ladders {
            let last = rungs.last().map_or([None; 4], |rung| rung.orders);
            let with = if candidate.projected { "with" } else { "without" };
            for (i, expected) in candidate.orders.iter().enumerate() {
                let Some(expected) = expected else { continue };
                let what = format!("{} {with} projection, order of {}", candidate.method, VARIABLES[i]);
                tally.add(match last[i] {
                    Some(found) if (found - expected).abs() <= self.slack[i] => Ok(()),
                    Some(found) => Err(format!("{what}: {found:.2}, expected {expected} within {}", self.slack[i])),
                    None => Err(format!("{what}: not measured, expected {expected}")),
                });
            }
        }
        Verdict { tallies: vec![tally] }
    }
}

fn table(ladders: &[(&Candidate, &Vec<Rung>)]) -> Table {
    let mut columns = vec![
        Column::new("method", "method", Format::Words),
        Column::new("projection", "projection", Format::Words),
        Column::new("h", "h", Format::Step),
    ];
    for name in VARIABLES {
        columns.push(Column::new(name, name, Format::Size).within("error"));
        columns.push(Column::new(name, "order", Format::Ratio).within("order"));
    }
    let rows = ladders.iter().flat_map(|(candidate, rungs)| {
        rungs.iter().map(|rung| -> Vec<Cell> {
            let mut cells = vec![cell(candidate.method), cell(candidate.projected), cell(rung.h)];
            cells.extend(rung.errors.iter().zip(&rung.orders).flat_map(|(e, o)| [cell(*e), o.and_then(cell)]));
            cells
        })
    });
    Table { columns, rows: rows.collect() }
}
