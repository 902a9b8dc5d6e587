//! Figures of a run: `run --plot`, and `alembert plot` from the files of an earlier one.

use std::fs;
use std::path::PathBuf;

use alembert_model::Names;
use clap::Args;

use super::result::Results;
use super::simulate::Step;
use crate::failure::{Failure, Status};
use crate::folder::Folder;
use crate::plot::{Axis, Figure, Series, Stroke};

/// Most curves in one figure: more cannot be told apart.
const MOST: usize = 7;

/// Options of `alembert plot`.
#[derive(Args)]
pub struct Arguments {
    /// The folder that `alembert run --out` wrote
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Draws the columns of a result.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let read = |name: &str| fs::read_to_string(arguments.folder.join(name));
    let text = read("result.csv").or_else(|_| read("result.partial.csv")).map_err(|error| {
        let failure = Failure::usage(format!("no result in {}: {error}", arguments.folder.display()));
        failure.with_hint(format!("run `alembert run MODEL --out {}` first", arguments.folder.display()))
    })?;
    let results = Results::parse(&text)
        .ok_or_else(|| Failure::usage(format!("cannot read the result in {}", arguments.folder.display())))?;
    let summary = read("summary.json").ok().and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let title = summary.and_then(|summary| Some(summary["model"].as_str()?.to_owned())).unwrap_or_default();
    // Without the model the primes of a name tell what it is.
    let of = |primes: usize| {
        let count = |name: &String| name.len() - name.trim_end_matches('\'').len() == primes;
        results.columns.iter().skip(1).filter(|name| count(name)).cloned().collect::<Vec<_>>()
    };
    let names = Names { q: of(0), v: of(1), a: of(2), ..Names::default() };
    let folder = Folder::open(&arguments.folder)?;
    for path in write(&folder, &title, &names, &results, &[])? {
        eprintln!("wrote {}", path.display());
    }
    Ok(Status::Agrees)
}

/// Writes every figure that there is something for.
pub fn write(
    folder: &Folder,
    title: &str,
    names: &Names,
    results: &Results,
    steps: &[Step],
) -> Result<Vec<PathBuf>, Failure> {
    let mut figures = Vec::new();
    let reactions = [names.lambda.as_slice(), &names.psi].concat();
    for (stem, ordinate, columns) in [
        ("coordinates", "coordinates (m, rad)", &names.q),
        ("velocities", "velocities (m/s, rad/s)", &names.v),
        ("accelerations", "accelerations (m/s², rad/s²)", &names.a),
        ("reactions", "multipliers (reactions)", &reactions),
        ("outputs", "outputs", &names.outputs),
    ] {
        for (k, group) in columns.chunks(MOST).enumerate() {
            let stem = if k == 0 { stem.to_owned() } else { format!("{stem}-{}", k + 1) };
            let curves: Vec<Curve> =
                group.iter().filter_map(|name| Some((name.clone(), column(results, name)?))).collect();
            figures.push((stem, figure(title, Axis::linear(ordinate), curves, Stroke::Line)));
        }
    }
    if let Some(energy) = &results.energy {
        let first = energy.first().copied().unwrap_or_default();
        let points = results.rows.iter().zip(energy).map(|(row, now)| (row[0], now - first)).collect();
        let curves = vec![("T + U less its start".to_owned(), points)];
        figures.push(("energy".to_owned(), figure(title, Axis::linear("change of energy (J)"), curves, Stroke::Line)));
    }
    if !steps.is_empty() {
        let points = |value: fn(&Step) -> f64| steps.iter().map(|step| (step.t, value(step))).collect::<Vec<_>>();
        let curves = vec![("step size".to_owned(), points(|step| step.h))];
        figures.push(("steps".to_owned(), figure(title, Axis::log("step size (s)"), curves, Stroke::Dots)));
        let curves = vec![
            ("position".to_owned(), points(|step| step.residuals.position)),
            ("velocity".to_owned(), points(|step| step.residuals.velocity)),
            ("nonholonomic".to_owned(), points(|step| step.residuals.nonholonomic)),
        ];
        let curves: Vec<Curve> =
            curves.into_iter().filter(|(_, points)| points.iter().any(|(_, y)| *y > 0.0)).collect();
        if !curves.is_empty() {
            figures
                .push(("residuals".to_owned(), figure(title, Axis::log("relative residuals"), curves, Stroke::Dots)));
        }
    }
    figures.iter().map(|(stem, figure)| folder.write_svg(stem, figure)).collect()
}

type Curve = (String, Vec<(f64, f64)>);

fn column(results: &Results, name: &str) -> Option<Vec<(f64, f64)>> {
    let index = results.columns.iter().position(|column| column == name)?;
    Some(results.rows.iter().map(|row| (row[0], row[index])).collect())
}

fn figure(title: &str, y: Axis, curves: Vec<Curve>, stroke: Stroke) -> Figure {
    let series = curves.into_iter().enumerate();
    let series = series.map(|(look, (label, points))| Series { label, look, stroke, points }).collect();
    Figure {
        heading: title.to_owned(),
        title: String::new(),
        x: Axis::linear("time t (s)"),
        y,
        series,
        slopes: Vec::new(),
    }
}
