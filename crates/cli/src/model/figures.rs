//! Figures of a run: `run --plot`, and `alembert plot` from the files of an earlier one.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use alembert_model::Names;
use alembert_picture::chart::{Axis, Figure, Mark, Series, Stroke};
use alembert_sim::curves::Curves;
use alembert_sim::excerpt::Excerpt;
use alembert_sim::record::each_row;
use alembert_sim::{Sheet, summary};
use clap::Args;
use serde_json::Value;

use super::chosen;
use crate::failure::{Failure, Status};
use crate::folder;
use crate::words::say;

/// The largest number of curves in one figure: more cannot be told apart.
const MOST: usize = 7;
/// The largest number of figures of one kind: nobody looks at the curves of a thousand links.
const MOST_FIGURES: usize = 8;
/// A curve this much smaller than the largest would look like zero beside it.
const DWARFED: f64 = 300.0;

/// Options of `alembert plot`.
#[derive(Args)]
pub struct Arguments {
    /// The folder that `alembert run --out` wrote, or with --columns one of `alembert sweep --out`
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub choice: Choice,
}

/// A figure of one's own instead of all of them.
#[derive(Args, Default)]
pub struct Choice {
    /// One figure with these columns of the result, as x,y, instead of the usual ones
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// The column to draw them over; the first of the table (t) if omitted
    #[arg(long, value_name = "NAME", requires = "columns")]
    pub over: Option<String>,
    /// Draw a unit as long across as up: paths have their own shape
    #[arg(long, requires = "columns")]
    pub equal: bool,
    /// Draw a marker at each row
    #[arg(long, requires = "columns")]
    pub marked: bool,
    /// The heading of this figure; the name of the model if omitted
    #[arg(long, value_name = "WORDS", requires = "columns")]
    pub title: Option<String>,
    /// The name of this figure
    #[arg(long, value_name = "NAME", requires = "columns", default_value = "chosen", value_parser = stem)]
    pub name: String,
    /// Its height in pixels; it is 760 wide
    #[arg(long, value_name = "PIXELS", requires = "columns", default_value_t = 600, value_parser = clap::value_parser!(u32).range(240..=4000))]
    pub height: u32,
}

/// The name of a file without a path and without its ending.
fn stem(text: &str) -> Result<String, String> {
    let plain = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    if plain { Ok(text.to_owned()) } else { Err("write a name of letters, digits, `-` and `_`".to_owned()) }
}

/// Draws what is in a folder.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let refused = |message: String| {
        Failure::usage(format!("no result of a run in {}: {message}", arguments.folder.display())).with_hint(format!(
            "run `alembert run MODEL --out {}` first, with csv among its formats",
            arguments.folder.display()
        ))
    };
    let open = |stem: &str| {
        let name = format!("{stem}.csv");
        let file = File::open(arguments.folder.join(&name))
            .or_else(|_| File::open(arguments.folder.join(format!("{stem}.partial.csv"))));
        file.map_err(|error| refused(format!("{name}: {error}")))
    };
    if !arguments.folder.join("summary.json").exists() && !arguments.choice.columns.is_empty() {
        let title = Title { model: "sweep".to_owned(), run: String::new(), errors: [None; 2], events: Vec::new() };
        let read: chosen::Read =
            &|look| chosen::sweep(open("sweep")?, look).map_err(|error| refused(format!("sweep.csv: {error}")));
        return choose(arguments, "plot", &title, &Names::default(), read);
    }
    let summary = fs::read_to_string(arguments.folder.join("summary.json"))
        .map_err(|error| refused(format!("summary.json: {error}")))?;
    let summary: Value = serde_json::from_str(&summary).map_err(|error| refused(format!("summary.json: {error}")))?;
    let names =
        summary::names(&summary).ok_or_else(|| refused("summary.json does not say what the columns are".to_owned()))?;
    let said = |key: &str| summary[key].as_str().unwrap_or_default().to_owned();
    let errors = ["accelerations", "multipliers"].map(|key| summary["derived_errors"][key].as_f64());
    let mark = |event: &Value| Some(Mark { x: event["t"].as_f64()?, label: event["name"].as_str()?.to_owned() });
    let events = summary["events"].as_array().into_iter().flatten().filter_map(mark).collect();
    let run = format!("{}, {}", said("method"), said("steps_chosen"));
    let title = Title { model: said("model"), run, errors, events };
    let bad = |name: &str, error: io::Error| refused(format!("{name}: {error}"));
    if !arguments.choice.columns.is_empty() {
        let read: chosen::Read = &|look| each_row(open("result")?, look).map_err(|error| bad("result.csv", error));
        return choose(arguments, "run", &title, &names, read);
    }
    let columns = each_row(open("result")?, |_| {}).map_err(|error| bad("result.csv", error))?;
    let mut results = Curves::new(columns);
    each_row(open("result")?, |row| results.push(row)).map_err(|error| bad("result.csv", error))?;
    // Thinned as in the run, where every step was written.
    let mut excerpt = Excerpt::default();
    let columns =
        each_row(open("steps")?, |row| excerpt.push(row.to_vec())).map_err(|error| bad("steps.csv", error))?;
    let steps = Sheet { columns, rows: excerpt.rows().map(<[f64]>::to_vec).collect() };
    let folder = folder::open(&arguments.folder, "run")?;
    for path in folder.write_all(&draw(&title, &names, &results, &steps))? {
        say!("wrote {}", path.display());
    }
    Ok(Status::Agrees)
}

/// Draws the columns that are chosen.
fn choose(
    arguments: &Arguments,
    scope: &str,
    title: &Title,
    names: &Names,
    read: chosen::Read,
) -> Result<Status, Failure> {
    let figure = chosen::figure(&arguments.choice, title, names, read)?;
    let name = format!("{}.svg", arguments.choice.name);
    let path = folder::open(&arguments.folder, scope)?.write(&name, &figure)?;
    say!("wrote {}", path.display());
    Ok(Status::Agrees)
}

/// What stands above a figure.
pub struct Title {
    pub model: String,
    /// Method and steps.
    pub run: String,
    /// Estimated errors of accelerations and multipliers, the largest of the run.
    pub errors: [Option<f64>; 2],
    /// The first events.
    pub events: Vec<Mark>,
}

impl Title {
    /// The second line above a figure of this kind: what follows from q and v may be much less accurate than they are, and nothing else
    /// in the figure shows it.
    fn line(&self, stem: &str) -> String {
        let error = match stem {
            "accelerations" => self.errors[0],
            "reactions" => self.errors[1],
            _ => None,
        };
        match error.filter(|error| error.is_finite() && *error > 0.0) {
            Some(error) => format!("{}; estimated error about {error:.0e}", self.run),
            None => self.run.clone(),
        }
    }
}

/// Draws every figure that there is something for: names of files and their contents.
pub fn draw(title: &Title, names: &Names, results: &Curves, steps: &Sheet) -> Vec<(String, String)> {
    let mut figures = Vec::new();
    let reactions = [names.lambda.as_slice(), &names.psi].concat();
    for (stem, ordinate, columns) in [
        ("coordinates", "coordinates (m, rad)", &names.q),
        ("velocities", "velocities (m/s, rad/s)", &names.v),
        ("states", "states", &names.states),
        ("accelerations", "accelerations (m/s², rad/s²)", &names.a),
        ("reactions", "multipliers (reactions)", &reactions),
        ("outputs", "outputs", &names.outputs),
    ] {
        let line = title.line(stem);
        // What has a unit of its own is drawn with what has the same.
        let mut groups: Vec<(String, Vec<Curve>)> = Vec::new();
        for (unit, together) in by_unit(names, columns) {
            let curves = together.iter().filter_map(|name| Some((called(names, name), results.curve(name)?))).collect();
            let ordinate = match (unit, &together[..]) {
                (Some(unit), [one]) => format!("{} ({unit})", called(names, one)),
                (Some(unit), _) => format!("{ordinate} ({unit})"),
                (None, _) => ordinate.to_owned(),
            };
            groups.extend(self::groups(curves).into_iter().map(|curves| (ordinate.clone(), curves)));
        }
        if groups.len() > MOST_FIGURES {
            groups.truncate(MOST_FIGURES);
            let drawn: usize = groups.iter().map(|(_, curves)| curves.len()).sum();
            say!("{stem}: {drawn} of {} columns are drawn", columns.len());
        }
        for (k, (ordinate, curves)) in groups.into_iter().enumerate() {
            let file = if k == 0 { stem.to_owned() } else { format!("{stem}-{}", k + 1) };
            figures.push((file, linear(title, stem, &line, &ordinate, curves)));
        }
    }
    let energies = energies(steps);
    if !energies.is_empty() {
        figures.push(("energy".to_owned(), linear(title, "energy", &title.run, "energy (J)", energies)));
    }
    if let Some(defect) = steps.curve("defect") {
        let curves = vec![("T + U + dissipated − put in − events, less T + U at the start".to_owned(), defect)];
        let what = "energy balance";
        figures
            .push(("balance".to_owned(), linear(title, what, &title.run, "defect of the energy balance (J)", curves)));
    }
    let dots = |what: &str, label: &str, columns: &[(&str, &str)]| {
        let curves = columns.iter().filter_map(|(label, name)| Some(((*label).to_owned(), steps.curve(name)?)));
        let curves: Vec<Curve> = curves.filter(|(_, points)| points.iter().any(|(_, y)| *y > 0.0)).collect();
        (!curves.is_empty()).then(|| figure(title, what, &title.run, Axis::log(label), curves, Stroke::Dots))
    };
    let residuals = [
        ("position", "residual_position"),
        ("velocity", "residual_velocity"),
        ("nonholonomic", "residual_nonholonomic"),
    ];
    figures
        .extend(dots("step sizes", "step size (s)", &[("step size", "h")]).map(|figure| ("steps".to_owned(), figure)));
    figures.extend(
        dots("residuals of the constraints", "relative residuals", &residuals)
            .map(|figure| ("residuals".to_owned(), figure)),
    );
    figures.iter().map(|(stem, figure)| (format!("{stem}.svg"), figure.svg())).collect()
}

/// What a figure calls a column.
pub(super) fn called(names: &Names, column: &str) -> String {
    names.said_of(column).and_then(|said| said.label.clone()).unwrap_or_else(|| column.to_owned())
}

/// Columns by their units, in the order in which these first occur.
fn by_unit<'n>(names: &Names, columns: &'n [String]) -> Vec<(Option<String>, Vec<&'n String>)> {
    let units: HashMap<&str, &String> =
        names.said.iter().filter_map(|said| Some((said.column.as_str(), said.unit.as_ref()?))).collect();
    let mut found: Vec<(Option<String>, Vec<&String>)> = Vec::new();
    for column in columns {
        let unit = units.get(column.as_str()).map(|unit| (*unit).clone());
        match found.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, together)) => together.push(column),
            None => found.push((unit, vec![column])),
        }
    }
    found
}

/// Where the energy is: its two kinds and their sum, and where it went, if it went anywhere.
fn energies(steps: &Sheet) -> Vec<Curve> {
    let (Some(kinetic), Some(potential)) = (steps.curve("kinetic"), steps.curve("potential")) else {
        return Vec::new();
    };
    let sum = kinetic.iter().zip(&potential).map(|(kinetic, potential)| (kinetic.0, kinetic.1 + potential.1)).collect();
    let mut curves =
        vec![("kinetic T".to_owned(), kinetic), ("potential U".to_owned(), potential), ("T + U".to_owned(), sum)];
    for (name, label) in [("dissipated", "dissipated"), ("input", "put in"), ("events", "gained at events")] {
        let went = steps.curve(name).filter(|points| points.iter().any(|(_, y)| *y != 0.0));
        curves.extend(went.map(|points| (label.to_owned(), points)));
    }
    curves
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

fn figure(title: &Title, what: &str, line: &str, y: Axis, curves: Vec<Curve>, stroke: Stroke) -> Figure {
    let series = curves.into_iter().enumerate();
    let series = series.map(|(look, (label, points))| Series { label, look, stroke, points }).collect();
    Figure {
        heading: format!("{}: {what}", title.model),
        title: line.to_owned(),
        x: Axis::linear("time t (s)"),
        y,
        series,
        slopes: Vec::new(),
        marks: title.events.clone(),
    }
}

/// Lines over a linear axis. Very small and very large numbers are shown in units of a power of ten.
fn linear(title: &Title, what: &str, line: &str, ordinate: &str, mut curves: Vec<Curve>) -> Figure {
    let sizes = curves.iter().flat_map(|(_, points)| points).map(|(_, y)| y.abs()).filter(|y| y.is_finite());
    let largest = sizes.fold(0.0, f64::max);
    let exponent = if largest > 0.0 { largest.log10().floor() as i32 } else { 0 };
    if (-2..5).contains(&exponent) {
        return figure(title, what, line, Axis::linear(ordinate), curves, Stroke::Line);
    }
    let exponent = 3 * exponent.div_euclid(3);
    for (_, points) in &mut curves {
        for (_, y) in points {
            *y /= 10_f64.powi(exponent);
        }
    }
    figure(title, what, line, Axis::linear(&format!("{ordinate}, times 1e{exponent}")), curves, Stroke::Line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_estimated_stands_above_its_figures() {
        let title = Title {
            model: "m".into(),
            run: "radau, rtol 1e-6".into(),
            errors: [Some(3.2e-5), Some(0.0)],
            events: vec![],
        };
        assert_eq!(title.line("accelerations"), "radau, rtol 1e-6; estimated error about 3e-5");
        // Without constraints, or where nothing was estimated, nothing is said.
        assert_eq!(title.line("reactions"), "radau, rtol 1e-6");
        assert_eq!(title.line("velocities"), "radau, rtol 1e-6");
    }

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
