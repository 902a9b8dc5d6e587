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
/// A curve this much smaller than the largest would look like zero beside it.
const DWARFED: f64 = 300.0;

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
    let said = |key: &str| summary.as_ref().and_then(|summary| summary[key].as_str()).unwrap_or_default().to_owned();
    let title = Title { model: said("model"), run: format!("{}, {}", said("method"), said("steps_chosen")) };
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

/// What stands above a figure.
pub struct Title {
    pub model: String,
    /// Method and steps.
    pub run: String,
}

/// Writes every figure that there is something for.
pub fn write(
    folder: &Folder,
    title: &Title,
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
        let curves = columns.iter().filter_map(|name| Some((name.clone(), column(results, name)?))).collect();
        for (k, curves) in groups(curves).into_iter().enumerate() {
            let stem = if k == 0 { stem.to_owned() } else { format!("{stem}-{}", k + 1) };
            figures.push((stem, linear(title, ordinate, curves)));
        }
    }
    if let Some(energy) = &results.energy {
        let first = energy.first().copied().unwrap_or_default();
        let points = results.rows.iter().zip(energy).map(|(row, now)| (row[0], now - first)).collect();
        let curves = vec![("T + U less its start".to_owned(), points)];
        figures.push(("energy".to_owned(), linear(title, "change of energy (J)", curves)));
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

/// Curves that can be drawn together: of similar size, and not too many.
fn groups(mut curves: Vec<Curve>) -> Vec<Vec<Curve>> {
    let size = |curve: &Curve| curve.1.iter().map(|(_, y)| y.abs()).filter(|y| y.is_finite()).fold(0.0, f64::max);
    let mut found = Vec::new();
    while !curves.is_empty() {
        let largest = curves.iter().map(size).fold(0.0, f64::max);
        // What is zero throughout goes with the largest: a figure of its own would be empty.
        let (together, dwarfed): (Vec<Curve>, Vec<Curve>) =
            curves.into_iter().partition(|curve| size(curve) == 0.0 || size(curve) * DWARFED > largest);
        found.extend(together.chunks(MOST).map(<[Curve]>::to_vec));
        curves = dwarfed;
    }
    found
}

fn column(results: &Results, name: &str) -> Option<Vec<(f64, f64)>> {
    let index = results.columns.iter().position(|column| column == name)?;
    Some(results.rows.iter().map(|row| (row[0], row[index])).collect())
}

fn figure(title: &Title, y: Axis, curves: Vec<Curve>, stroke: Stroke) -> Figure {
    let series = curves.into_iter().enumerate();
    let series = series.map(|(look, (label, points))| Series { label, look, stroke, points }).collect();
    Figure {
        heading: title.model.clone(),
        title: title.run.clone(),
        x: Axis::linear("time t (s)"),
        y,
        series,
        slopes: Vec::new(),
    }
}

/// Lines over a linear axis. Very small and very large numbers are shown in units of a power of ten.
fn linear(title: &Title, ordinate: &str, mut curves: Vec<Curve>) -> Figure {
    let sizes = curves.iter().flat_map(|(_, points)| points).map(|(_, y)| y.abs()).filter(|y| y.is_finite());
    let largest = sizes.fold(0.0, f64::max);
    let exponent = if largest > 0.0 { largest.log10().floor() as i32 } else { 0 };
    if (-2..5).contains(&exponent) {
        return figure(title, Axis::linear(ordinate), curves, Stroke::Line);
    }
    let exponent = 3 * exponent.div_euclid(3);
    for (_, points) in &mut curves {
        for (_, y) in points {
            *y /= 10_f64.powi(exponent);
        }
    }
    figure(title, Axis::linear(&format!("{ordinate}, times 1e{exponent}")), curves, Stroke::Line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_curves_have_a_figure_of_their_own() {
        let curve = |name: &str, size: f64| (name.to_owned(), vec![(0.0, 0.0), (1.0, size)]);
        let names = |groups: Vec<Vec<Curve>>| -> Vec<String> {
            groups.iter().map(|group| group.iter().map(|(name, _)| name.as_str()).collect()).collect()
        };
        let curves = [curve("a", 1.0), curve("b", 1e-5), curve("c", 0.0), curve("d", -0.1), curve("e", 1e-6)];
        assert_eq!(names(groups(curves.to_vec())), ["acd", "be"]);
        assert_eq!(groups(vec![curve("x", 1.0); 9]).len(), 2);
        assert_eq!(groups(vec![curve("x", f64::NAN)]).len(), 1);
    }
}
