//! What a run came to, in tables: results, statistics, parameters, residuals, the start.

use alembert_picture::page::{Cell, ColumnHead, Section};
use serde_json::Value;

/// A table of two columns.
fn pairs(id: &str, title: &str, note: &str, names: [&str; 2], rows: Vec<[Cell; 2]>) -> Option<Section> {
    let columns = names.map(|name| ColumnHead { name: name.to_owned(), unit: String::new() }).to_vec();
    let rows: Vec<Vec<Cell>> = rows.into_iter().map(Vec::from).collect();
    let [id, title, note] = [id, title, note].map(str::to_owned);
    (!rows.is_empty()).then_some(Section::Table { id, title, note, columns, rows })
}

/// A value of JSON in a table.
fn cell(value: &Value) -> Cell {
    match value {
        Value::Number(number) => number.as_f64().map_or(Cell::Nothing, Cell::Number),
        Value::String(text) => Cell::Text(text.clone()),
        Value::Bool(flag) => Cell::from(if *flag { "yes" } else { "no" }),
        _ => Cell::Nothing,
    }
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn words(key: &str) -> String {
    key.replace('_', " ")
}

/// The tables of a summary, in the order of a page.
pub fn tables(summary: &Value) -> Vec<Section> {
    let named = |value: &Value| -> Vec<[Cell; 2]> {
        entries(value).map(|(name, value)| [Cell::Text(name.clone()), cell(value)]).collect()
    };
    let results = entries(&summary["results"]).map(|(name, value)| {
        // A result is a number, or an object with a value and its time.
        [Cell::Text(name.clone()), if value.is_object() { cell(&value["value"]) } else { cell(value) }]
    });
    let counts = &summary["statistics"];
    let mut statistics: Vec<[Cell; 2]> = Vec::new();
    for (name, value) in entries(counts).filter(|(_, value)| value.is_number()) {
        statistics.push([Cell::Text(words(name)), cell(value)]);
    }
    for (name, value) in entries(&counts["evaluations"]) {
        statistics.push([Cell::Text(format!("evaluations: {}", words(name))), cell(value)]);
    }
    statistics.push([Cell::from("seconds"), cell(&summary["wall_seconds"])]);
    let residuals = summary["largest_residuals"].as_array().into_iter().flatten().map(|largest| {
        vec![cell(&largest["level"]), cell(&largest["constraint"]), cell(&largest["residual"]), cell(&largest["t"])]
    });
    let residuals: Vec<Vec<Cell>> = residuals.collect();
    let heads =
        ["level", "constraint", "residual", "t"].map(|name| ColumnHead { name: name.to_owned(), unit: String::new() });
    let residuals = (!residuals.is_empty()).then(|| Section::Table {
        id: "residuals".to_owned(),
        title: "Largest violations of constraints".to_owned(),
        note: "Rounding is all that should be left.".to_owned(),
        columns: heads.to_vec(),
        rows: residuals,
    });
    [
        pairs("results", "Results", "", ["name", "value"], results.collect()),
        pairs("parameters", "Parameters", "", ["name", "value"], named(&summary["parameters"])),
        pairs("found", "Found at the start", "", ["name", "value"], named(&summary["found"])),
        residuals,
        pairs("energy-balance", "Energy balance", "", ["flow", "energy"], named(&summary["energy"])),
        pairs("statistics", "Statistics", "", ["what", "count"], statistics),
    ]
    .into_iter()
    .flatten()
    .collect()
}
