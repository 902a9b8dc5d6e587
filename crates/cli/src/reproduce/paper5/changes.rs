//! Beyond the paper: multipliers where the step size changes.

use crate::reproduce::modelled;
use std::error::Error;

use alembert::method::{Bdf, BdfStart};
use alembert_picture::chart::{Axis, Figure, Series, Stroke};

use super::march::{cells, classical, column, first_multiplier_error, march, two_halves};
use crate::reproduce::experiment::{Experiment, Outcome, Report, Sheet};
use crate::reproduce::verdict::{Tally, Verdict};
use alembert_sim::table::{Format, Table};

/// Length of the run, and pairs of steps h, 2h in it for each order.
const LENGTH: f64 = 0.6;
const PAIRS: [usize; 5] = [100, 50, 30, 20, 20];
/// Step of the picture, halved after a third and then made longer again.
const SHOWN: f64 = 0.01;

/// The experiment.
pub struct Changes;

const NAMES: [&str; 3] = ["plain", "corrected", "two_halves"];

fn variants(order: usize) -> [(Bdf, usize); 3] {
    let plain = classical(order, BdfStart::Consistent);
    [(plain, order - 1), (plain.with_step_change(true), order), (two_halves(order), order)]
}

/// Largest error of lambda over steps h, 2h in turn.
fn largest_error(scheme: Bdf, pairs: usize) -> Result<f64, Box<dyn Error>> {
    let problem = modelled::circle();
    let h = LENGTH / (3 * pairs) as f64;
    let steps: Vec<f64> = (0..2 * pairs).map(|i| if i % 2 == 0 { h } else { 2.0 * h }).collect();
    let mut largest = 0.0_f64;
    march(scheme, &problem, &steps, |state| largest = largest.max(first_multiplier_error(&problem, state)))?;
    Ok(largest)
}

/// lambda over time by implicit Euler, with a start and two changes of the step.
fn picture() -> Result<Sheet, Box<dyn Error>> {
    let problem = modelled::circle();
    let lengths = [(SHOWN, 12), (0.5 * SHOWN, 24), (SHOWN, 12)];
    let steps: Vec<f64> = lengths.iter().flat_map(|&(h, count)| vec![h; count]).collect();
    let mut rows: Vec<Vec<Option<f64>>> = Vec::new();
    let mut series = Vec::new();
    let methods =
        [("classical, exact start values", classical(1, BdfStart::Exact), 1), ("two halves", two_halves(1), 0)];
    for (label, scheme, look) in methods {
        let mut points = Vec::new();
        march(scheme, &problem, &steps, |state| points.push((state.t, state.lambda[0])))?;
        for (i, (t, lambda)) in points.iter().enumerate() {
            if rows.len() <= i {
                rows.push(vec![Some(*t), Some(problem.reference_at(*t).lambda[0])]);
            }
            rows[i].push(Some(*lambda));
        }
        series.push(Series { label: label.to_owned(), look, stroke: Stroke::Marked, points });
    }
    let exact = rows.iter().filter_map(|row| Some((row[0]?, row[1]?))).collect();
    series.insert(0, Series { label: "exact".to_owned(), look: 2, stroke: Stroke::Line, points: exact });
    let columns = ["t", "exact", "classical", "two_halves"];
    Ok(Sheet {
        stem: "5-step-change-force".to_owned(),
        table: Table {
            columns: columns.map(|name| column(None, name, name, Format::Size)).to_vec(),
            rows: cells(rows),
        },
        figure: Some(Figure {
            heading: "5/step-change".to_owned(),
            title: format!("reaction by implicit Euler, problem 5.1: h = {SHOWN}, then {}, then {SHOWN}", 0.5 * SHOWN),
            x: Axis::linear("time t"),
            y: Axis::linear("lambda"),
            series,
            slopes: Vec::new(),
            marks: Vec::new(),
        }),
    })
}

impl Experiment for Changes {
    fn name(&self) -> &str {
        "5/step-change"
    }

    fn title(&self) -> &str {
        "BDF 1 to 5, problem 5.1, steps h, 2h: error of lambda, plain, corrected, two halves"
    }

    fn run(&self) -> Outcome {
        let mut tally = Tally::new(["order is as expected", "orders are as expected"]);
        let mut rows = Vec::new();
        let mut series: Vec<Series> = Vec::new();
        for (order, pairs) in (1..).zip(PAIRS) {
            let ladder = [pairs, 2 * pairs, 4 * pairs];
            let mut errors = Vec::new();
            for (variant, (scheme, expected)) in variants(order).into_iter().enumerate() {
                let found = ladder.iter().map(|n| largest_error(scheme, *n)).collect::<Result<Vec<f64>, _>>()?;
                let observed = (found[0] / found[1]).log2();
                tally.add(if (observed - expected as f64).abs() < 0.4 {
                    Ok(())
                } else {
                    Err(format!("order {order}, {}: {observed:.2}, expected {expected}", NAMES[variant]))
                });
                if order <= 3 && variant != 1 {
                    let words = if variant == 0 { "plain" } else { "two halves" };
                    let steps = ladder.iter().map(|n| LENGTH / (2 * n) as f64);
                    series.push(Series {
                        label: format!("k = {order}, {words}"),
                        look: series.len(),
                        stroke: Stroke::Marked,
                        points: steps.zip(found.iter().copied()).collect(),
                    });
                }
                errors.push(found);
            }
            for (i, n) in ladder.iter().enumerate() {
                let mut row = vec![Some(order as f64), Some(LENGTH / (2 * n) as f64)];
                for found in &errors {
                    row.push(Some(found[i]));
                    row.push((i > 0).then(|| (found[i - 1] / found[i]).log2()));
                }
                rows.push(row);
            }
        }
        let mut columns = vec![column(None, "k", "k", Format::Count), column(None, "h", "mean h", Format::Step)];
        for (name, heading) in NAMES.iter().zip(["plain", "corrected", "two halves"]) {
            columns.push(column(Some("error"), name, heading, Format::Size));
            columns.push(column(Some("order"), name, "order", Format::Ratio));
        }
        let figure = Figure {
            heading: self.name().to_owned(),
            title: "largest error of lambda, steps h, 2h in turn, problem 5.1".to_owned(),
            x: Axis::log("mean step size"),
            y: Axis::log("largest error of lambda"),
            series,
            slopes: Vec::new(),
            marks: Vec::new(),
        };
        let sheet = Sheet { stem: self.stem(), table: Table { columns, rows: cells(rows) }, figure: Some(figure) };
        Ok(Report { sheet, beside: Vec::new(), more: vec![picture()?], verdict: Verdict { tallies: vec![tally] } })
    }
}
