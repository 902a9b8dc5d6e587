//! The report of `verify`: error bars and doubts first, then how errors shrink with finer steps.

use alembert_picture::page::{
    Cell, ChartAxis, ColumnHead, Curve, CurveStyle, Document, Level, Point, Section, State, Verdict,
};
use serde_json::Value;

use super::{PROGRAM, Page};

/// Quantities in the order of the page.
const QUANTITIES: [(&str, &str); 5] = [
    ("q", "coordinates"),
    ("v", "velocities"),
    ("a", "accelerations"),
    ("lambda", "multipliers"),
    ("psi", "nonholonomic multipliers"),
];

/// Of what `Certificate::json` says.
pub fn report_certificate(found: &Value) -> Page {
    let texts = |key: &str| -> Vec<String> {
        let listed = found[key].as_array().into_iter().flatten();
        listed.filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let said = |key: &str| found[key].as_str().unwrap_or_default();
    let trusted = found["trusted"] == true;
    let mut points: Vec<Point> = texts("doubts").into_iter().map(|text| Point { level: Level::Doubt, text }).collect();
    for (key, name) in QUANTITIES {
        if let Some(bar) = found["error_bars"][key].as_f64() {
            let level = if found["certified"][key] == true { Level::Good } else { Level::Doubt };
            points.push(Point { level, text: format!("{name} are right to {bar:.1e}") });
        }
    }
    points.extend(texts("notes").into_iter().map(|text| Point { level: Level::Note, text }));
    points.push(Point { level: Level::Note, text: format!("errors are measured against {}", said("reference")) });
    let headline = match trusted {
        true => format!("The result of {} can be trusted within its error bars", said("method")),
        false => format!("The result of {} is not certified", said("method")),
    };
    let state = if trusted { State::Good } else { State::Doubt };
    let mut page =
        Page::new(Document::new(&format!("{}: verified", said("model")), PROGRAM, Verdict { state, headline, points }));
    page.document.sections = vec![convergence(found), ladder(found)];
    page
}

fn rungs(found: &Value) -> impl Iterator<Item = &Value> {
    found["ladder"].as_array().into_iter().flatten()
}

/// Errors over the work that they took.
fn convergence(found: &Value) -> Section {
    let series = QUANTITIES.iter().filter_map(|(key, name)| {
        let points: Vec<(f64, f64)> = rungs(found)
            .filter_map(|rung| {
                Some((rung["steps"].as_f64()?, rung["error"][key].as_f64().filter(|error| *error > 0.0)?))
            })
            .collect();
        let (x, y) = points.into_iter().unzip::<f64, f64, Vec<f64>, Vec<f64>>();
        let order = found["observed_order"][key].as_f64();
        let order = order.map_or(String::new(), |order| format!(", order {order:.1}"));
        (!x.is_empty()).then(|| Curve { name: format!("{name}{order}"), x, y, style: CurveStyle::LinePoints })
    });
    let axis = |label: &str| ChartAxis { label: label.to_owned(), unit: String::new(), log: true };
    Section::Chart {
        id: "convergence".to_owned(),
        title: "How errors shrink with the number of steps".to_owned(),
        note: "The largest errors at the rows of the result.".to_owned(),
        x: axis("steps"),
        y: axis("error"),
        series: series.collect(),
    }
}

fn ladder(found: &Value) -> Section {
    let head = |name: &str| ColumnHead { name: name.to_owned(), unit: String::new() };
    let errors = QUANTITIES.iter().map(|(_, name)| head(&format!("error of {name}")));
    let number = |value: &Value| value.as_f64().map_or(Cell::Nothing, Cell::Number);
    let row = |rung: &Value| {
        let result = if rung["is_result"] == true { " (the result)" } else { "" };
        let steps = Cell::Text(format!("{}{result}", rung["steps_chosen"].as_str().unwrap_or_default()));
        let errors = QUANTITIES.iter().map(|(key, _)| number(&rung["error"][key]));
        [steps, number(&rung["steps"])].into_iter().chain(errors).collect()
    };
    Section::Table {
        id: "ladder".to_owned(),
        title: "The ladder of runs".to_owned(),
        note: String::new(),
        columns: [head("steps chosen by"), head("steps")].into_iter().chain(errors).collect(),
        rows: rungs(found).map(row).collect(),
    }
}
