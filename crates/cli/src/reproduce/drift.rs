//! How far a run leaves the constraints: figs 2, 3 and 5 of paper 4 (Schropp), with and without projection.
//!
//! ```text
//! d1 = |g(t,q)|,   d2 = |g_t + G v|,   d3 = |d2/dt2 g at the multipliers of the run|        largest component
//! ```
//!
//! The method is the paper's, Radau IIA with three stages. Its own multipliers (the last stage) leave d3 at the size of
//! their error, as in the paper; those reported here solve the acceleration level and leave rounding only.

use std::error::Error;

use alembert::RungeKutta;
use alembert::State;
use alembert::equations::Equations;
use alembert::method::Projection;
use alembert_picture::chart::{Axis, Figure, Series, Stroke};
use alembert_problems::Problem;

use super::experiment::{Experiment, Outcome, Report, Sheet};
use super::verdict::{Tally, Verdict};
use alembert_sim::table::{Column, Format, Table, cell};
use alembert_sim::trial::{Steps, run};

/// What a logarithmic axis shows for the zeros of a projected run.
const FLOOR: f64 = 1e-17;

/// The acceleration level of one problem, as a formula of a state and its multipliers.
pub type Level3 = fn(&State, &[f64]) -> f64;

/// Which deviations a figure shows.
#[derive(Clone, Copy)]
pub enum Levels {
    /// d1 and d2.
    PositionVelocity,
    /// d3.
    Acceleration(Level3),
}

/// Deviations over time.
pub struct Drift {
    pub name: &'static str,
    pub title: &'static str,
    pub problem: fn() -> Problem,
    pub t_end: f64,
    pub tol: f64,
    pub levels: Levels,
    /// Which deviations the projection must keep at rounding level, and what that is in the units of the problem.
    pub rounding: Vec<(&'static str, f64)>,
    /// Which deviations must be smaller with projection than without.
    pub smaller: Vec<&'static str>,
}

/// One deviation of one run over time.
struct Curve {
    /// d1, d2, d3, or d3 at the reported multipliers.
    level: &'static str,
    /// The same in the figure.
    label: &'static str,
    projected: bool,
    points: Vec<(f64, f64)>,
}

impl Curve {
    fn largest(&self) -> f64 {
        self.points.iter().fold(0.0, |largest, point| f64::max(largest, point.1))
    }
}

impl Experiment for Drift {
    fn name(&self) -> &str {
        self.name
    }

    fn title(&self) -> &str {
        self.title
    }

    fn run(&self) -> Outcome {
        let mut curves = self.curves(false)?;
        curves.extend(self.curves(true)?);
        let largest = Sheet { stem: format!("{}-largest", self.stem()), table: summary(&curves), figure: None };
        let over_time = Sheet { stem: self.stem(), table: table(&curves), figure: Some(self.figure(&curves)) };
        Ok(Report { sheet: largest, beside: Vec::new(), more: vec![over_time], verdict: self.judge(&curves) })
    }
}

impl Drift {
    /// One run.
    fn curves(&self, projected: bool) -> Result<Vec<Curve>, Box<dyn Error>> {
        let problem = (self.problem)();
        let projection = if projected { Projection::Full } else { Projection::Off };
        let scheme = RungeKutta::radau(3)?.with_projection(projection);
        let labels = |labels: [&'static str; 2]| labels[usize::from(projected)];
        let curve = |level, label| Curve { level, label, projected, points: Vec::new() };
        let mut curves = match self.levels {
            Levels::PositionVelocity => {
                vec![curve("d1", labels(["d₁", "d₁ projected"])), curve("d2", labels(["d₂", "d₂ projected"]))]
            }
            Levels::Acceleration(_) => vec![
                curve("d3", labels(["d₃", "d₃ projected"])),
                curve("d3 reported", labels(["d₃ reported", "d₃ reported, projected"])),
            ],
        };
        let mut equations = Equations::new(&*problem.system);
        run(&problem, &scheme, Steps::ByError(self.tol), self.t_end, |step| {
            let state = step.state;
            let now = match self.levels {
                Levels::PositionVelocity => deviations(&mut equations, state)?,
                Levels::Acceleration(level) => [level(state, step.own.lambda), level(state, &state.lambda)],
            };
            for (curve, deviation) in curves.iter_mut().zip(now) {
                curve.points.push((state.t, deviation.abs()));
            }
            Ok(())
        })?;
        Ok(curves)
    }

    fn figure(&self, curves: &[Curve]) -> Figure {
        // Rounding jumps between zero and a few units: dots, where a line would be a wall.
        let series = curves.iter().enumerate().map(|(look, curve)| {
            let rounding = self.rounding.iter().any(|(level, most)| *level == curve.level && curve.largest() <= *most);
            let (stroke, floor) = if rounding { (Stroke::Dots, FLOOR) } else { (Stroke::Line, 0.0) };
            let points = curve.points.iter().map(|&(t, d)| (t, d.max(floor))).collect();
            Series { label: curve.label.to_owned(), look, stroke, points }
        });
        Figure {
            heading: self.name.to_owned(),
            title: self.title.to_owned(),
            x: Axis::linear("time t"),
            y: Axis::log("deviation (zero shown as 10⁻¹⁷)"),
            series: series.collect(),
            slopes: Vec::new(),
            marks: Vec::new(),
        }
    }

    fn judge(&self, curves: &[Curve]) -> Verdict {
        let mut tally = Tally::new(["deviation stays at rounding level", "deviations stay at rounding level"]);
        for (level, limit) in &self.rounding {
            let found = curves.iter().find(|curve| curve.projected && curve.level == *level).map(Curve::largest);
            tally.add(match found {
                Some(found) if found <= *limit => Ok(()),
                Some(found) => Err(format!("projected {level} grows to {found:.1e}, expected at most {limit:.0e}")),
                None => Err(format!("projected {level}: not measured")),
            });
        }
        let mut shown = Tally::new(["deviation is smaller with projection", "deviations are smaller with projection"]);
        for level in &self.smaller {
            let largest = |projected: bool| {
                curves.iter().find(|curve| curve.projected == projected && curve.level == *level).map(Curve::largest)
            };
            shown.add(match (largest(false), largest(true)) {
                (Some(plain), Some(projected)) if projected < plain => Ok(()),
                (plain, projected) => Err(format!("{level}: {projected:?} with and {plain:?} without projection")),
            });
        }
        Verdict { tallies: vec![tally, shown] }
    }
}

/// Largest components of g and of g_t + G q'.
fn deviations(equations: &mut Equations, state: &State) -> Result<[f64; 2], Box<dyn Error>> {
    let m = equations.dims().lambda;
    let (mut g, mut w) = (vec![0.0; m], vec![0.0; m]);
    equations.holonomic(state.t, &state.q, &mut g)?;
    let mut jacobian = vec![0.0; m * equations.tangent()];
    equations.holonomic_q(state.t, &state.q, &mut jacobian)?;
    equations.velocity(state.t, &state.q, &state.v, &jacobian, &mut w)?;
    let largest = |x: &[f64]| x.iter().fold(0.0, |largest, x| f64::max(largest, x.abs()));
    Ok([largest(&g), largest(&w)])
}

/// Steps and largest value of each curve.
fn summary(curves: &[Curve]) -> Table {
    let row = |curve: &Curve| {
        vec![cell(curve.level), cell(curve.projected), cell(curve.points.len() as u64), cell(curve.largest())]
    };
    Table {
        columns: vec![
            Column::new("level", "level", Format::Words),
            Column::new("projection", "projection", Format::Words),
            Column::new("steps", "steps", Format::Count),
            Column::new("largest", "largest", Format::Size),
        ],
        rows: curves.iter().map(row).collect(),
    }
}

/// Every point of every curve.
fn table(curves: &[Curve]) -> Table {
    let rows = curves.iter().flat_map(|curve| {
        curve.points.iter().map(|&(t, d)| vec![cell(curve.level), cell(curve.projected), cell(t), cell(d)])
    });
    Table {
        columns: vec![
            Column::new("level", "level", Format::Words),
            Column::new("projection", "projection", Format::Words),
            Column::new("t", "t", Format::Step),
            Column::new("deviation", "deviation", Format::Size),
        ],
        rows: rows.collect(),
    }
}
