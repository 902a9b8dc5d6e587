//! The report of a sweep: results over the parameters, as curves, as maps of colours, and as lines through parallel axes.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use alembert_picture::page::{
    Cell, ChartAxis, ColumnHead, Curve, CurveStyle, Document, Level, Point, Section, State, Values, Verdict,
};

use super::{PROGRAM, Page};
use crate::failure::Failure;
use crate::sheet;

/// Results that are drawn, rows that are listed, and lines through parallel axes: more nobody looks at.
const DRAWN: usize = 12;
/// Results of two parameters, each a map and a family of curves.
const MAPPED: usize = 5;
const LISTED: usize = 500;
const LINES: usize = 2000;
/// Curves of one chart.
const FAMILY: usize = 12;

/// A table of runs: parameters, how each ended, and results.
struct Runs {
    parameters: Vec<String>,
    results: Vec<String>,
    /// By run: parameters, outcome, results.
    rows: Vec<(Vec<f64>, String, Vec<f64>)>,
    warnings: usize,
}

impl Runs {
    fn read(folder: &Path) -> Result<Runs, String> {
        let name = ["sweep.csv", "sweep.partial.csv"].into_iter().find(|name| folder.join(name).exists());
        let file =
            File::open(folder.join(name.unwrap_or("sweep.csv"))).map_err(|error| format!("sweep.csv: {error}"))?;
        let mut lines = BufReader::new(file).lines();
        let first = lines.next().and_then(Result::ok).unwrap_or_default();
        let columns = sheet::names(&first);
        let bad = || "sweep.csv is not the table of a sweep".to_owned();
        let outcome = columns.iter().position(|column| column == "outcome").ok_or_else(bad)?;
        let counted = columns.last().is_some_and(|column| column == "warnings");
        let last = columns.len() - usize::from(counted);
        let mut runs = Runs {
            parameters: columns[..outcome].to_vec(),
            results: columns[outcome + 1..last.max(outcome + 1)].to_vec(),
            rows: Vec::new(),
            warnings: 0,
        };
        for line in lines {
            let cells = sheet::names(&line.map_err(|error| error.to_string())?);
            if cells.len() != columns.len() {
                return Err(bad());
            }
            let numbers = |cells: &[String]| cells.iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
            runs.warnings += usize::from(counted && cells[last] != "0");
            runs.rows.push((numbers(&cells[..outcome]), cells[outcome].clone(), numbers(&cells[outcome + 1..last])));
        }
        Ok(runs)
    }

    fn parameter(&self, k: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row.0[k]).collect()
    }

    fn result(&self, k: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row.2[k]).collect()
    }

    /// Results that are not the same in all runs, by their place.
    fn varying(&self) -> Vec<usize> {
        let varies = |k: &usize| {
            let mut values = self.rows.iter().map(|row| row.2[*k]).filter(|value| value.is_finite());
            values.next().is_some_and(|first| values.any(|value| value != first))
        };
        // What the model gives a name comes first, then what its parts have at the end, then rates, then the work.
        let rank = |name: &str| match name {
            "steps" | "energy_change" => 3,
            _ if name.ends_with('\'') => 2,
            _ => usize::from(name.contains('.')),
        };
        let mut found: Vec<usize> = (0..self.results.len()).filter(varies).collect();
        found.sort_by_key(|k| rank(&self.results[*k]));
        found.truncate(if self.parameters.len() == 1 { DRAWN } else { MAPPED });
        found
    }
}

/// The report of the sweep in a folder.
///
/// # Errors
/// If there is none.
pub fn report_sweep(folder: &Path) -> Result<Page, Failure> {
    let refused = |why: String| {
        Failure::usage(format!("no sweep in {}: {why}", folder.display()))
            .with_hint("name a folder that `alembert sweep MODEL --set … --out DIR` wrote")
    };
    let runs = Runs::read(folder).map_err(refused)?;
    let mut page = Page::new(Document::new("Sweep", PROGRAM, verdict(&runs)));
    let varying = runs.varying();
    let sections = &mut page.document.sections;
    match runs.parameters.len() {
        1 => sections.extend(varying.iter().map(|k| over_one(&runs, *k))),
        2 => {
            sections.extend(varying.iter().filter_map(|k| heat(&runs, *k)));
            sections.extend(varying.iter().map(|k| family(&runs, *k)));
        }
        _ => {}
    }
    sections.extend(parallel(&runs, &varying));
    sections.push(table(&runs));
    Ok(page)
}

fn verdict(runs: &Runs) -> Verdict {
    let whole = |outcome: &str| outcome == "reached" || outcome == "event";
    let failed = runs.rows.iter().filter(|row| !whole(&row.1)).count();
    let (count, doubted) = (runs.rows.len(), runs.warnings);
    let mut points = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for (_, outcome, _) in runs.rows.iter().filter(|row| !whole(&row.1)) {
        if !seen.contains(&outcome.as_str()) && seen.len() < 10 {
            seen.push(outcome);
            let same = runs.rows.iter().filter(|row| row.1 == *outcome).count();
            points.push(Point { level: Level::Bad, text: format!("{same} of {count} runs: {outcome}") });
        }
    }
    if doubted > 0 {
        let text = format!("{doubted} of {count} runs have warnings; `alembert run` with their parameters says which");
        points.push(Point { level: Level::Doubt, text });
    }
    let state = if failed + doubted == 0 { State::Good } else { State::Doubt };
    let headline = match failed {
        0 => format!("{count} runs over {}", runs.parameters.join(", ")),
        _ => format!("{count} runs over {}, {failed} of them without a whole result", runs.parameters.join(", ")),
    };
    Verdict { state, headline, points }
}

fn axis(label: &str) -> ChartAxis {
    ChartAxis { label: label.to_owned(), unit: String::new(), log: false }
}

fn values(label: &str, values: Vec<f64>) -> Values {
    Values { label: label.to_owned(), unit: String::new(), values }
}

fn over_one(runs: &Runs, k: usize) -> Section {
    let name = runs.results[k].clone();
    let (x, y) = (runs.parameter(0), runs.result(k));
    Section::Chart {
        id: format!("over-{k}"),
        title: format!("{name} over {}", runs.parameters[0]),
        note: String::new(),
        x: axis(&runs.parameters[0]),
        y: axis(&name),
        series: vec![Curve { name, x, y, style: CurveStyle::LinePoints }],
    }
}

/// The values of a parameter, each once and in order.
fn places(runs: &Runs, k: usize) -> Vec<f64> {
    let mut places = runs.parameter(k);
    places.retain(|value| value.is_finite());
    places.sort_unstable_by(f64::total_cmp);
    places.dedup();
    places
}

fn heat(runs: &Runs, k: usize) -> Option<Section> {
    let (x, y) = (places(runs, 0), places(runs, 1));
    if x.len() < 2 || y.len() < 2 {
        return None;
    }
    let mut z = vec![f64::NAN; x.len() * y.len()];
    for (parameters, _, results) in &runs.rows {
        let place = |places: &[f64], value: f64| places.iter().position(|known| *known == value);
        if let (Some(i), Some(j)) = (place(&x, parameters[0]), place(&y, parameters[1])) {
            z[j * x.len() + i] = results[k];
        }
    }
    let name = &runs.results[k];
    Some(Section::Heat {
        id: format!("map-{k}"),
        title: format!("{name} over {} and {}", runs.parameters[0], runs.parameters[1]),
        note: "Runs without a result are left empty.".to_owned(),
        x: values(&runs.parameters[0], x),
        y: values(&runs.parameters[1], y),
        z: values(name, z),
    })
}

fn family(runs: &Runs, k: usize) -> Section {
    let name = &runs.results[k];
    let all = places(runs, 1);
    let stride = all.len().div_ceil(FAMILY).max(1);
    let series = all.iter().step_by(stride).map(|value| {
        let mut points: Vec<(f64, f64)> =
            runs.rows.iter().filter(|row| row.0[1] == *value).map(|row| (row.0[0], row.2[k])).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (x, y) = points.into_iter().unzip();
        Curve { name: format!("{} = {value}", runs.parameters[1]), x, y, style: CurveStyle::LinePoints }
    });
    Section::Chart {
        id: format!("family-{k}"),
        title: format!("{name} over {}, for values of {}", runs.parameters[0], runs.parameters[1]),
        note: String::new(),
        x: axis(&runs.parameters[0]),
        y: axis(name),
        series: series.collect(),
    }
}

fn parallel(runs: &Runs, varying: &[usize]) -> Option<Section> {
    if runs.parameters.len() + varying.len() < 2 || runs.rows.len() > LINES {
        return None;
    }
    let parameters = (0..runs.parameters.len()).map(|k| values(&runs.parameters[k], runs.parameter(k)));
    let results = varying.iter().take(6).map(|k| values(&runs.results[*k], runs.result(*k)));
    let axes: Vec<Values> = parameters.chain(results).collect();
    Some(Section::Parallel {
        id: "parallel".to_owned(),
        title: "Every run as a line".to_owned(),
        note: "Colours follow the last axis.".to_owned(),
        color: axes.len() - 1,
        axes,
    })
}

fn table(runs: &Runs) -> Section {
    let names = runs.parameters.iter().cloned().chain(["outcome".to_owned()]).chain(runs.results.iter().cloned());
    let row = |(parameters, outcome, results): &(Vec<f64>, String, Vec<f64>)| {
        let number = |value: &f64| if value.is_finite() { Cell::Number(*value) } else { Cell::Nothing };
        let cells = parameters.iter().map(number).chain([Cell::Text(outcome.clone())]);
        cells.chain(results.iter().map(number)).collect()
    };
    let left = runs.rows.len().saturating_sub(LISTED);
    Section::Table {
        id: "runs".to_owned(),
        title: "Runs".to_owned(),
        note: if left > 0 { format!("{left} more are in sweep.csv.") } else { String::new() },
        columns: names.map(|name| ColumnHead { name, unit: String::new() }).collect(),
        rows: runs.rows.iter().take(LISTED).map(row).collect(),
    }
}
