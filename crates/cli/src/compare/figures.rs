//! A comparison as work-precision diagrams.

use alembert::Quantity;
use alembert_picture::chart::{Axis, Figure, Series, Stroke};
use alembert_problems::Problem;
use alembert_sim::compare::sheet::reached;
use alembert_sim::compare::{Reached, Run, methods};

/// Error of q against time and against evaluations, with the names of their files.
pub fn figures(problem: &Problem, runs: &[Run]) -> Vec<(&'static str, Figure)> {
    let diagram = |ordinate: &str, cost: fn(&Reached) -> f64| Figure {
        heading: problem.name.to_owned(),
        title: format!("{}, t = {}", problem.title, problem.t_end),
        x: Axis::log("error of q at the end (2-norm)"),
        y: Axis::log(ordinate),
        series: curves(runs, cost),
        slopes: Vec::new(),
        marks: Vec::new(),
    };
    vec![
        ("time", diagram("time (ms)", |reached| 1e3 * reached.time)),
        (
            "evaluations",
            diagram("evaluations of the force", |reached| reached.stats.evaluations.of(Quantity::Force) as f64),
        ),
    ]
}

/// A curve for each method that reached the end at all.
fn curves(runs: &[Run], cost: fn(&Reached) -> f64) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for run in runs {
        let point = reached(run).and_then(|reached| Some((reached.errors[0]?, cost(reached))));
        let Some(point) = point else { continue };
        // A method looks the same whichever others are compared with it.
        let look = methods().iter().position(|method| method.name == run.method).unwrap_or_default();
        match series.iter_mut().find(|series| series.look == look) {
            Some(series) => series.points.push(point),
            None => {
                series.push(Series { label: run.label.to_owned(), look, stroke: Stroke::Marked, points: vec![point] })
            }
        }
    }
    series
}
