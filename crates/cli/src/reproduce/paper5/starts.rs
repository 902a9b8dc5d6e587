//! Beyond the paper: the first multiplier of BDF 1 to 6, from exact start values, from corrected ones, and in two halves.

use crate::reproduce::modelled;
use std::error::Error;

use alembert::method::{Bdf, BdfStart};
use alembert_picture::chart::{Axis, Figure, Series, Stroke};

use super::march::{cells, classical, column, first_multiplier_error, march, two_halves};
use crate::reproduce::experiment::{Experiment, Outcome, Report, Sheet};
use crate::reproduce::verdict::{Tally, Verdict};
use alembert_sim::table::{Format, Table};

/// Steps, coarse to fine.
const LADDER: [f64; 4] = [0.02, 0.01, 0.005, 0.0025];
/// Orders shown; those up to `JUDGED` are clear of rounding.
const ORDERS: usize = 6;
const JUDGED: usize = 4;
/// Orders drawn: more would not be told apart.
const DRAWN: usize = 3;

/// The experiment.
pub struct Starts;

/// Error of lambda in the first step that the formula makes.
fn first_error(scheme: Bdf, h: f64) -> Result<f64, Box<dyn Error>> {
    let problem = modelled::circle();
    let mut error = f64::NAN;
    march(scheme, &problem, &vec![h; scheme.order], |state| error = first_multiplier_error(&problem, state))?;
    Ok(error)
}

const NAMES: [&str; 3] = ["exact", "corrected", "two_halves"];

fn variants(order: usize) -> [(Bdf, usize); 3] {
    [
        (classical(order, BdfStart::Exact), order - 1),
        (classical(order, BdfStart::Consistent), order),
        (two_halves(order), order),
    ]
}

impl Experiment for Starts {
    fn name(&self) -> &str {
        "5/bdf-start"
    }

    fn title(&self) -> &str {
        "BDF 1 to 6, problem 5.1: error of the first lambda, exact, corrected, two halves"
    }

    fn run(&self) -> Outcome {
        let mut tally = Tally::new(["order is as expected", "orders are as expected"]);
        let mut rows = Vec::new();
        let mut series = Vec::new();
        for order in 1..=ORDERS {
            let mut errors: Vec<Vec<f64>> = Vec::new();
            for (variant, (scheme, expected)) in variants(order).into_iter().enumerate() {
                let found = LADDER.iter().map(|h| first_error(scheme, *h)).collect::<Result<Vec<f64>, _>>()?;
                let observed = (found[1] / found[2]).log2();
                if order <= JUDGED {
                    tally.add(if (observed - expected as f64).abs() < 0.3 {
                        Ok(())
                    } else {
                        Err(format!("order {order}, {}: {observed:.2}, expected {expected}", NAMES[variant]))
                    });
                }
                if order <= DRAWN && variant != 1 {
                    let words = if variant == 0 { "exact start" } else { "two halves" };
                    series.push(Series {
                        label: format!("k = {order}, {words}"),
                        look: series.len(),
                        stroke: Stroke::Marked,
                        points: LADDER.iter().copied().zip(found.iter().copied()).collect(),
                    });
                }
                errors.push(found);
            }
            for (i, h) in LADDER.iter().enumerate() {
                let mut row = vec![Some(order as f64), Some(*h)];
                for found in &errors {
                    row.push(Some(found[i]));
                    row.push((i > 0).then(|| (found[i - 1] / found[i]).log2()));
                }
                rows.push(row);
            }
        }
        let mut columns = vec![column(None, "k", "k", Format::Count), column(None, "h", "h", Format::Step)];
        for (name, heading) in NAMES.iter().zip(["exact start", "corrected", "two halves"]) {
            columns.push(column(Some("error"), name, heading, Format::Size));
            columns.push(column(Some("order"), name, "order", Format::Ratio));
        }
        let figure = Figure {
            heading: self.name().to_owned(),
            title: "error of lambda in the first BDF step, problem 5.1".to_owned(),
            x: Axis::log("step size h"),
            y: Axis::log("error of lambda"),
            series,
            slopes: Vec::new(),
            marks: Vec::new(),
        };
        let sheet = Sheet { stem: self.stem(), table: Table { columns, rows: cells(rows) }, figure: Some(figure) };
        Ok(Report { sheet, beside: Vec::new(), more: Vec::new(), verdict: Verdict { tallies: vec![tally] } })
    }
}
