//! Tables 5.1 and 5.2: errors of lambda in the first steps of implicit Euler, from exact start values and from (3.3), (4.2).

use crate::reproduce::modelled;
use std::error::Error;

use alembert::method::BdfStart;
use alembert_picture::chart::{Axis, Figure, Series, Stroke};
use alembert_problems::Problem;

use super::march::{cells, classical, column, first_multiplier_error, march};
use crate::reproduce::experiment::{Experiment, Outcome, Report, Sheet};
use crate::reproduce::verdict::{Tally, Verdict};
use alembert_sim::table::{Format, Table};

const COARSE: f64 = 0.001;
const FINE: f64 = 0.0005;
/// Steps of the figure.
const SHOWN: usize = 20;
/// Steps of the printed tables at the fine step.
const PRINTED: usize = 4;

/// A printed table.
pub struct Errors {
    name: &'static str,
    title: &'static str,
    problem: fn() -> Problem,
    /// Errors at h = 0.0005 from exact start values, then the first from corrected ones; the others do not change.
    fine: ([f64; PRINTED], f64),
    /// The same at h = 0.001.
    coarse: ([f64; PRINTED / 2], f64),
    /// Corrected velocities, as printed: h, values, last printed decimal.
    velocities: &'static [(f64, &'static [f64], f64)],
}

/// Both tables. The first corrected entry of table 5.1 is printed 0.004030, a misprint.
pub fn all() -> [Errors; 2] {
    [
        Errors {
            name: "5/tab5.1",
            title: "implicit Euler on problem 5.1: lambda from exact and from consistent start values",
            problem: modelled::circle,
            fine: ([2.0040, 0.0040085, 0.0040185, 0.0040286], 0.0040030),
            coarse: ([2.0080, 0.0080341], 0.0080120),
            velocities: &[(FINE, &[1.0814, -1.6824], 1e-4), (COARSE, &[1.0823, -1.6819], 1e-4)],
        },
        Errors {
            name: "5/tab5.2",
            title: "implicit Euler on problem 5.2 (corrected F2): error of lambda, times from t0 = 1",
            problem: modelled::sphere,
            fine: ([2.3973, 0.0056125, 0.0055573, 0.0055028], 0.0047995),
            coarse: ([2.3917, 0.011062], 0.009586),
            velocities: &[(COARSE, &[-0.72985, 0.93931, 1.0], 1e-5)],
        },
    ]
}

/// Errors of lambda step by step, and the velocity that the first step started from.
struct Run {
    errors: Vec<f64>,
    from: Vec<f64>,
}

impl Errors {
    fn measure(&self, start: BdfStart, h: f64) -> Result<Run, Box<dyn Error>> {
        let problem = (self.problem)();
        let mut run = Run { errors: Vec::new(), from: Vec::new() };
        march(classical(1, start), &problem, &[h; SHOWN], |state| {
            if run.errors.is_empty() {
                run.from = state.v.iter().zip(&state.a).map(|(v, a)| v - h * a).collect();
            }
            run.errors.push(first_multiplier_error(&problem, state));
        })?;
        Ok(run)
    }

    fn figure(&self, exact: &[f64], corrected: &[f64]) -> Figure {
        let series = |label: &str, look, errors: &[f64]| Series {
            label: label.to_owned(),
            look,
            stroke: Stroke::Marked,
            points: errors.iter().enumerate().map(|(i, error)| ((i + 1) as f64 * FINE, *error)).collect(),
        };
        Figure {
            heading: self.name.to_owned(),
            title: format!("{}, h = {FINE}", self.title.split(':').next().unwrap_or_default()),
            x: Axis::linear("time since the start"),
            y: Axis::log("error of lambda"),
            series: vec![
                series("exact start values", 1, exact),
                series("numerically consistent start values", 0, corrected),
            ],
            slopes: Vec::new(),
            marks: Vec::new(),
        }
    }
}

/// Whether a number rounds to the printed one, five significant digits.
fn as_printed(found: f64, printed: f64) -> bool {
    let unit = 10f64.powf(printed.abs().log10().floor() - 4.0);
    (found - printed).abs() <= 0.5001 * unit
}

impl Experiment for Errors {
    fn name(&self) -> &str {
        self.name
    }

    fn title(&self) -> &str {
        self.title
    }

    fn run(&self) -> Outcome {
        let runs = [
            (FINE, BdfStart::Exact, "exact"),
            (FINE, BdfStart::Paper, "consistent"),
            (COARSE, BdfStart::Exact, "exact"),
            (COARSE, BdfStart::Paper, "consistent"),
        ];
        let mut digits = Tally::new(["error agrees to all printed digits", "errors agree to all printed digits"]);
        let mut values = Tally::new(["start value is as printed", "start values are as printed"]);
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for (h, start, words) in runs {
            let run = self.measure(start, h)?;
            let (mut printed, first) =
                if h == FINE { (self.fine.0.to_vec(), self.fine.1) } else { (self.coarse.0.to_vec(), self.coarse.1) };
            if start == BdfStart::Paper {
                printed[0] = first;
                for (_, velocity, decimal) in self.velocities.iter().filter(|(of, ..)| *of == h) {
                    let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 0.5001 * decimal;
                    values.add(if run.from.iter().zip(*velocity).all(near) {
                        Ok(())
                    } else {
                        Err(format!("start values at h = {h}: {:?}, printed {velocity:?}", run.from))
                    });
                }
            }
            for (i, (found, printed)) in run.errors.iter().zip(&printed).enumerate() {
                digits.add(if as_printed(*found, *printed) {
                    Ok(())
                } else {
                    Err(format!("{words} start, h = {h}, step {}: {found:.7}, printed {printed}", i + 1))
                });
            }
            columns.push(run.errors);
        }
        let row = |i: usize| -> Vec<Option<f64>> {
            // The coarse runs reach every second time.
            let coarse = |column: usize| (i % 2 == 1).then(|| columns[column][i / 2]);
            vec![Some((i + 1) as f64 * FINE), Some(columns[0][i]), Some(columns[1][i]), coarse(2), coarse(3)]
        };
        let table = Table {
            columns: vec![
                column(None, "t", "t - t0", Format::Step),
                column(Some("h0.0005"), "exact", "0.0005 exact", Format::Size),
                column(Some("h0.0005"), "consistent", "0.0005 consistent", Format::Size),
                column(Some("h0.001"), "exact", "0.001 exact", Format::Size),
                column(Some("h0.001"), "consistent", "0.001 consistent", Format::Size),
            ],
            rows: cells((0..PRINTED).map(row).collect()),
        };
        let figure = self.figure(&columns[0], &columns[1]);
        let sheet = Sheet { stem: self.stem(), table, figure: Some(figure) };
        Ok(Report { sheet, beside: Vec::new(), more: Vec::new(), verdict: Verdict { tallies: vec![digits, values] } })
    }
}
