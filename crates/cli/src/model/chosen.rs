//! A figure of columns that somebody has chosen: `alembert plot DIR --columns x,y`, over the time or over another column.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use alembert_model::Names;
use alembert_picture::chart::{Axis, Figure, Format, Series, Stroke};

use super::figures::{Choice, Title, called};
use crate::failure::Failure;

/// Points of a curve; of longer results every second, fourth, … row is drawn.
const MOST: usize = 1 << 14;

/// The rows of some columns, thinned.
struct Rows {
    rows: Vec<Vec<f64>>,
    stride: usize,
    seen: usize,
}

impl Rows {
    fn push(&mut self, row: Vec<f64>) {
        if self.seen.is_multiple_of(self.stride) {
            if self.rows.len() == MOST {
                let mut keep = false;
                self.rows.retain(|_| {
                    keep = !keep;
                    keep
                });
                self.stride *= 2;
            }
            self.rows.push(row);
        }
        self.seen += 1;
    }
}

/// Who gives the rows of a table, and then the names of its columns.
pub(super) type Read<'a> = &'a dyn Fn(&mut dyn FnMut(&[f64])) -> Result<Vec<String>, Failure>;

/// The figure of a choice from the rows of a table, over its first column if nothing else is said, as SVG.
pub(super) fn figure(choice: &Choice, title: &Title, names: &Names, read: Read) -> Result<String, Failure> {
    let columns = read(&mut |_| {})?;
    let over = choice.over.as_ref().or(columns.first()).cloned().unwrap_or_default();
    let find = |name: &str| {
        columns.iter().position(|column| column == name).ok_or_else(|| {
            let known = alembert_model::nearest::nearest(name, columns.iter().map(String::as_str));
            let failure = Failure::usage(format!("the result has no column `{name}`"));
            match known {
                Some(near) => failure.with_hint(format!("did you mean `{near}`?")),
                None => failure.with_hint(format!("its columns are {}", columns.join(", "))),
            }
        })
    };
    let across = find(&over)?;
    let wanted: Vec<usize> = choice.columns.iter().map(|name| find(name)).collect::<Result<_, Failure>>()?;
    let mut rows = Rows { rows: Vec::new(), stride: 1, seen: 0 };
    read(&mut |row| rows.push([across].iter().chain(&wanted).map(|k| row[*k]).collect()))?;
    let series = wanted.iter().enumerate().map(|(look, k)| Series {
        label: called(names, &columns[*k]),
        look,
        stroke: if choice.marked { Stroke::Marked } else { Stroke::Line },
        points: rows.rows.iter().map(|row| (row[0], row[look + 1])).collect(),
    });
    let drawn: Vec<String> = choice.columns.iter().map(|column| called(names, column)).collect();
    let drawn =
        if over == "t" { drawn.join(", ") } else { format!("{} over {}", drawn.join(", "), called(names, &over)) };
    let heading = choice.title.clone().unwrap_or_else(|| format!("{}: {drawn}", title.model));
    let figure = Figure {
        heading,
        title: title.run.clone(),
        x: Axis::linear(&axis(names, &[&over])),
        y: Axis::linear(&axis(names, &choice.columns.iter().map(String::as_str).collect::<Vec<&str>>())),
        series: series.collect(),
        slopes: Vec::new(),
        // Over anything but time an event is no place on the axis.
        marks: if over == "t" { title.events.clone() } else { Vec::new() },
    };
    Ok(figure.formatted(Format { height: choice.height, equal: choice.equal }))
}

/// The rows of the table of a sweep, of which some columns are words; what is no number is NaN, and is not drawn.
pub(super) fn sweep(file: File, look: &mut dyn FnMut(&[f64])) -> io::Result<Vec<String>> {
    let mut lines = BufReader::new(file).lines();
    let columns = alembert_sim::sheet::names(&lines.next().unwrap_or_else(|| Ok(String::new()))?);
    for line in lines {
        let row: Vec<f64> =
            alembert_sim::sheet::names(&line?).iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
        if row.len() == columns.len() {
            look(&row);
        }
    }
    Ok(columns)
}

/// What stands beside an axis: the name of its only column, and the unit that all of its columns have.
fn axis(names: &Names, columns: &[&str]) -> String {
    if columns == ["t"] {
        return "time t (s)".to_owned();
    }
    let unit = |column: &str| names.said_of(column).and_then(|said| said.unit.clone());
    let first = columns.first().and_then(|column| unit(column));
    let common = first.filter(|first| columns.iter().all(|column| unit(column).as_ref() == Some(first)));
    let words = match columns {
        [one] => called(names, one),
        _ => columns.join(", "),
    };
    match common {
        Some(unit) => format!("{words} ({unit})"),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_results_are_thinned_evenly() {
        let mut rows = Rows { rows: Vec::new(), stride: 1, seen: 0 };
        (0..100_000).for_each(|k| rows.push(vec![f64::from(k)]));
        assert!(rows.rows.len() <= MOST && rows.rows.len() > MOST / 4, "{}", rows.rows.len());
        let steps: Vec<f64> = rows.rows.windows(2).map(|pair| pair[1][0] - pair[0][0]).collect();
        assert!(steps.iter().all(|step| *step == steps[0]), "{steps:?}");
        assert_eq!(rows.rows[0][0], 0.0);
    }
}
