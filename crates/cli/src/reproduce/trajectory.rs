//! A motion over time: figs 1 and 4 of paper 4 (Schropp), with the error of the drawn coordinates at the end.

use alembert::RungeKutta;
use alembert_picture::chart::{Axis, Figure, Series, Stroke};
use alembert_problems::Problem;

use super::experiment::{Experiment, Outcome, Report, Sheet};
use super::verdict::{Tally, Verdict};
use alembert_sim::table::{Cell, Column, Format, Table, cell};
use alembert_sim::trial::{Steps, prepare, start};

/// Drawn points, equally far apart: steps of a method of high order are too long to be joined by straight lines.
const POINTS: u32 = 400;

/// A coordinate that is drawn.
#[derive(Clone, Copy)]
pub struct Coordinate {
    /// Index into q.
    pub index: usize,
    /// Its name in files.
    pub name: &'static str,
    /// Its name in the figure.
    pub symbol: &'static str,
}

/// Coordinates over time.
pub struct Trajectory {
    pub name: &'static str,
    pub title: &'static str,
    pub problem: fn() -> Problem,
    pub t_end: f64,
    pub tol: f64,
    /// Largest error at the end that agrees.
    pub limit: f64,
    pub ordinate: &'static str,
    pub coordinates: Vec<Coordinate>,
    /// Those that deserve a figure of their own because others dwarf them; none if empty.
    pub small: Vec<usize>,
}

/// Times and values of q.
type Samples = Vec<(f64, Vec<f64>)>;

impl Experiment for Trajectory {
    fn name(&self) -> &str {
        self.name
    }

    fn title(&self) -> &str {
        self.title
    }

    fn run(&self) -> Outcome {
        let problem = (self.problem)();
        let begin = start(&problem)?;
        let integrator = prepare(&problem, &begin, &RungeKutta::default(), Steps::ByError(self.tol))?;
        let motion = integrator.solve(self.t_end).whole()?;
        let (from, span) = (begin.t, self.t_end - begin.t);
        let mut samples: Samples = Vec::new();
        for k in 0..=POINTS {
            // The last step ends within rounding of the end.
            let t = (from + span * f64::from(k) / f64::from(POINTS)).min(motion.last().t);
            samples.push((t, motion.at(t)?.q));
        }
        let reference = problem.reference_at(self.t_end);
        let end = motion.last();
        let rows: Vec<(Coordinate, f64, f64)> =
            self.coordinates.iter().map(|&c| (c, end.q[c.index], end.q[c.index] - reference.q[c.index])).collect();
        let mut more = vec![self.sheet(self.stem(), &samples, &self.coordinates)];
        if !self.small.is_empty() {
            let of = |i: &usize| self.coordinates.get(*i).copied();
            let small: Vec<Coordinate> = self.small.iter().filter_map(of).collect();
            more.push(self.sheet(format!("{}-small", self.stem()), &samples, &small));
        }
        Ok(Report {
            sheet: Sheet { stem: format!("{}-end", self.stem()), table: end_table(&rows), figure: None },
            beside: Vec::new(),
            more,
            verdict: self.judge(&rows),
        })
    }
}

impl Trajectory {
    fn sheet(&self, stem: String, samples: &Samples, coordinates: &[Coordinate]) -> Sheet {
        let series = coordinates.iter().enumerate().map(|(look, coordinate)| Series {
            label: coordinate.symbol.to_owned(),
            look,
            stroke: Stroke::Line,
            points: samples.iter().map(|(t, q)| (*t, q[coordinate.index])).collect(),
        });
        let figure = Figure {
            heading: self.name.to_owned(),
            title: self.title.to_owned(),
            x: Axis::linear("time t"),
            y: Axis::linear(self.ordinate),
            series: series.collect(),
            slopes: Vec::new(),
            marks: Vec::new(),
        };
        let mut columns = vec![Column::new("t", "t", Format::Step)];
        columns.extend(coordinates.iter().map(|c| Column::new(c.name, c.name, Format::Size)));
        let row = |(t, q): &(f64, Vec<f64>)| -> Vec<Cell> {
            std::iter::once(*t).chain(coordinates.iter().map(|c| q[c.index])).map(cell).collect()
        };
        let table = Table { columns, rows: samples.iter().map(row).collect() };
        Sheet { stem, table, figure: Some(figure) }
    }

    fn judge(&self, rows: &[(Coordinate, f64, f64)]) -> Verdict {
        let mut tally = Tally::new(["coordinate ends where it must", "coordinates end where they must"]);
        for (coordinate, _, error) in rows {
            tally.add(if error.abs() <= self.limit {
                Ok(())
            } else {
                Err(format!("{}: error {error:.1e} at the end, expected at most {:.0e}", coordinate.name, self.limit))
            });
        }
        Verdict { tallies: vec![tally] }
    }
}

/// Where the coordinates end.
fn end_table(rows: &[(Coordinate, f64, f64)]) -> Table {
    Table {
        columns: vec![
            Column::new("coordinate", "coordinate", Format::Words),
            Column::new("end", "at the end", Format::Size),
            Column::new("error", "error", Format::Size),
        ],
        rows: rows.iter().map(|(c, end, error)| vec![cell(c.name), cell(*end), cell(error.abs())]).collect(),
    }
}
