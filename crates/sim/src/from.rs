//! `run --from DIR`: a start from the last row of an earlier result.

use std::fs::File;
use std::path::Path;

use alembert_model::Model;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::record::each_row;

/// The last row of a result, by the names of its columns and in their order; `t` is one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct LastRow(Vec<(String, f64)>);

impl LastRow {
    /// That of the result in a folder, whole or partial.
    ///
    /// # Errors
    /// If there is none.
    pub fn read(folder: &Path) -> Result<LastRow, Failure> {
        let refused = |why: String| {
            Failure::usage(format!("no result of a run in {}: {why}", folder.display()))
                .with_hint("name a folder that `alembert run MODEL --out DIR` wrote, with csv among its formats")
        };
        let file = File::open(folder.join("result.csv")).or_else(|_| File::open(folder.join("result.partial.csv")));
        let file = file.map_err(|error| refused(format!("result.csv: {error}")))?;
        let mut last: Vec<f64> = Vec::new();
        let columns = each_row(file, |row| {
            last.clear();
            last.extend_from_slice(row);
        });
        let columns = columns.map_err(|error| refused(format!("result.csv: {error}")))?;
        if last.is_empty() {
            return Err(refused("result.csv has no rows".to_owned()));
        }
        let mut row: Vec<(String, f64)> = columns.into_iter().zip(last).collect();
        row.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(LastRow(row))
    }

    fn value(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// Lets a model begin there instead of where its file says.
    ///
    /// # Errors
    /// If a coordinate or velocity has no column, or there is no time left.
    pub fn begin(&self, model: &mut Model) -> Result<(), Failure> {
        let missing = |name: &str| {
            Failure::usage(format!("the result to start from has no column `{name}`"))
                .with_hint("start from a result of the same model with all columns")
                .with_parameter(name)
        };
        let t = self.value("t").ok_or_else(|| missing("t"))?;
        let guess = &mut model.guess;
        for (names, values) in [(&model.names.q, &mut guess.q), (&model.names.v, &mut guess.v)] {
            for (name, value) in names.iter().zip(values) {
                *value = self.value(name).ok_or_else(|| missing(name))?;
            }
        }
        for (names, values) in [(&model.names.lambda, &mut guess.lambda), (&model.names.psi, &mut guess.psi)] {
            for (name, value) in names.iter().zip(values) {
                *value = self.value(name).unwrap_or(*value);
            }
        }
        guess.t = t;
        model.run.t_start = t;
        // What the file says of its own start does not concern this one.
        model.start.equilibrium = false;
        model.start.fixed_q.clear();
        model.start.fixed_v.clear();
        model.start.rough_v.clear();
        model.start.held_speeds.clear();
        model.start.given_v.fill(true);
        Ok(())
    }

    /// As it is kept with a run.
    pub fn json(&self) -> Value {
        // Text keeps all bits.
        let values = self.0.iter().map(|(name, value)| (name.clone(), json!(format!("{value:e}"))));
        values.collect::<Map<String, Value>>().into()
    }

    /// What [`json`](Self::json) wrote.
    pub fn parse(value: &Value) -> Option<LastRow> {
        let one = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.parse().ok()?));
        Some(LastRow(value.as_object()?.iter().map(one).collect::<Option<_>>()?))
    }
}
