//! Tables of a run as tracks of a page: the rows of the result, and what belongs to its steps.
//!
//! Long tables are read through an [`Excerpt`], so that memory is bounded, and thinned to what a page shows without losing an extreme.

use std::fs::File;
use std::io;
use std::path::Path;

use alembert_model::Names;
use alembert_picture::page::{Blocks, Column, MOST_ROWS, Signal, Track, decimate};
use serde_json::Value;

use super::units::unit;
use crate::excerpt::Excerpt;
use crate::record::each_row;
use crate::sheet::Sheet;

/// Numbers that a table may have in memory.
const ROOM: usize = 1 << 24;
/// Signals of a page: nobody looks through more, and those of a thousand bodies would take a gigabyte.
pub const MOST_SIGNALS: usize = 600;
/// Numbers of a track on a page.
const MOST_NUMBERS: usize = 1 << 22;

/// The file of a table, whole or partial.
fn open(folder: &Path, stem: &str) -> io::Result<File> {
    File::open(folder.join(format!("{stem}.csv"))).or_else(|_| File::open(folder.join(format!("{stem}.partial.csv"))))
}

/// The table of a folder with all of its rows.
pub fn read_whole(folder: &Path, stem: &str) -> io::Result<Sheet> {
    let mut rows = Vec::new();
    let columns = each_row(open(folder, stem)?, |row| rows.push(row.to_vec()))?;
    Ok(Sheet { columns, rows })
}

/// The table of a folder, thinned where it is long.
pub fn read(folder: &Path, stem: &str) -> io::Result<Sheet> {
    let file = open(folder, stem)?;
    let mut excerpt: Option<Excerpt> = None;
    let columns = each_row(file, |row| {
        let room = || Excerpt::with_room((ROOM / row.len().max(1)).clamp(2048, 4 * MOST_ROWS));
        excerpt.get_or_insert_with(room).push(row.to_vec());
    })?;
    let rows = excerpt.map_or_else(Vec::new, |excerpt| excerpt.rows().map(<[f64]>::to_vec).collect());
    Ok(Sheet { columns, rows })
}

/// What a column is drawn with.
fn group(names: &Names, column: &str) -> &'static str {
    let named = |list: &[String]| list.iter().any(|name| name == column);
    let reaction = column.split('.').skip(1).any(|part| part == "force" || part == "torque");
    match () {
        () if named(&names.q) => "coordinates",
        () if named(&names.v) => "velocities",
        () if named(&names.states) => "states",
        () if named(&names.a) => "accelerations",
        () if named(&names.lambda) || named(&names.psi) => "multipliers",
        () if reaction => "reactions",
        () => "outputs",
    }
}

/// Groups in the order in which they are left out where a page would be too large, the last first.
const WORTH: [&str; 7] =
    ["outputs", "coordinates", "reactions", "states", "velocities", "multipliers", "accelerations"];

/// The result of a run.
pub fn rows(run: &str, sheet: &Sheet, names: &Names, mechanism: bool, events: &[f64], blocks: &mut Blocks) -> Track {
    let mut chosen: Vec<(usize, &'static str)> =
        sheet.columns.iter().enumerate().skip(1).map(|(k, column)| (k, group(names, column))).collect();
    let worth = |group: &str| WORTH.iter().position(|known| *known == group);
    chosen.sort_by_key(|(k, group)| (worth(group), *k));
    chosen.truncate(MOST_SIGNALS);
    chosen.sort_unstable();
    let said = |column: &str| names.said.iter().find(|said| said.column == column);
    let signals = chosen.iter().map(|(k, group)| {
        let name = &sheet.columns[*k];
        Signal {
            name: name.clone(),
            label: said(name).and_then(|said| said.label.clone()).unwrap_or_default(),
            unit: unit(names, name, mechanism),
            group: (*group).to_owned(),
            offset: 0.0,
        }
    });
    let signals = signals.collect();
    let columns: Vec<Vec<f64>> = chosen.iter().map(|(k, _)| sheet.rows.iter().map(|row| row[*k]).collect()).collect();
    packed((run, "rows", "Result"), &times(sheet), &columns, signals, events, blocks)
}

fn times(sheet: &Sheet) -> Vec<f64> {
    sheet.rows.iter().map(|row| row[0]).collect()
}

/// What belongs to the steps of a run.
pub fn steps(run: &str, sheet: &Sheet, summary: &Value, events: &[f64], blocks: &mut Blocks) -> Track {
    let known = [
        ("h", "step size", "s", "steps"),
        ("residual_position", "residual of positions", "", "residuals"),
        ("residual_velocity", "residual of velocities", "", "residuals"),
        ("residual_nonholonomic", "residual of nonholonomic constraints", "", "residuals"),
        ("kinetic", "kinetic energy", "J", "energy"),
        ("potential", "potential energy", "J", "energy"),
        ("dissipated", "dissipated", "J", "energy"),
        ("input", "put in", "J", "energy"),
        ("defect", "error of the balance", "J", "balance"),
    ];
    let values = |name: &str| -> Option<Vec<f64>> {
        let k = sheet.columns.iter().position(|column| column == name)?;
        Some(sheet.rows.iter().map(|row| row[k]).collect())
    };
    let mut columns = Vec::new();
    let mut signals = Vec::new();
    let mut push = |name: &str, label: &str, unit: &str, group: &str, values: Vec<f64>| {
        let [name, label, unit, group] = [name, label, unit, group].map(str::to_owned);
        signals.push(Signal { name, label, unit, group, offset: 0.0 });
        columns.push(values);
    };
    for (name, label, unit, group) in known {
        // Columns of zeros say that there is no such thing.
        let empty = |values: &[f64]| group != "steps" && values.iter().all(|value| *value == 0.0);
        if let Some(values) = values(name).filter(|values| !empty(values)) {
            push(name, label, unit, group, values);
        }
    }
    if let (Some(kinetic), Some(potential)) = (values("kinetic"), values("potential")) {
        let total = kinetic.iter().zip(&potential).map(|(kinetic, potential)| kinetic + potential).collect();
        push("total", "kinetic and potential", "J", "energy", total);
    }
    let whose = if summary["partial"] == true { "Steps (partial)" } else { "Steps" };
    packed((run, "steps", whose), &times(sheet), &columns, signals, events, blocks)
}

fn packed(
    (run, name, title): (&str, &str, &str),
    t: &[f64],
    columns: &[Vec<f64>],
    mut signals: Vec<Signal>,
    events: &[f64],
    blocks: &mut Blocks,
) -> Track {
    let most = (MOST_NUMBERS / columns.len().max(1)).clamp(2000, MOST_ROWS);
    let all: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let kept = decimate(t, &all, events, most);
    let pick = |values: &[f64]| -> Vec<f64> { kept.iter().map(|k| values[*k]).collect() };
    let (t, columns): (Vec<f64>, Vec<Vec<f64>>) = (pick(t), columns.iter().map(|values| pick(values)).collect());
    let columns: Vec<Column> = columns.iter().map(|values| Column::new(values)).collect();
    for (signal, column) in signals.iter_mut().zip(&columns) {
        signal.offset = column.offset;
    }
    let block = blocks.push(&t, &columns);
    let [run, name, title] = [run, name, title].map(str::to_owned);
    Track { run, name, title, n: t.len(), t_unit: "s".to_owned(), signals, block }
}
