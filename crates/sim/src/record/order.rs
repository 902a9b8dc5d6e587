//! What shall be recorded: a model, a run, files, limits; and what it has to be like for a checkpoint to fit.

use alembert_model::run::{NEWTON_TOLERANCE, Run, Steps};
use alembert_model::{Model, Names, Said};
use serde_json::{Value, json};

use super::bytes::checksum;
use super::saved::CHECKPOINT;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::limits::Limits;
use crate::sheet;
use crate::sink::Head;

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated text.
    Csv,
    /// NumPy's archive.
    Npz,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// How names of files end.
    pub fn ending(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Npz => "npz",
            Format::Parquet => "parquet",
        }
    }
}

/// When everything is saved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pauses {
    /// After so many seconds.
    Seconds(f64),
    /// After so many steps.
    Steps(u64),
}

/// What shall be recorded.
pub struct Order<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its text.
    pub text: &'a str,
    /// The run.
    pub run: &'a Run,
    /// Files of the result.
    pub formats: &'a [Format],
    /// Whether `steps.csv` has every step.
    pub every_step: bool,
    /// Whether curves are drawn.
    pub draws: bool,
    /// What it may come to.
    pub limits: Limits,
    /// When everything is saved.
    pub pauses: Pauses,
    /// What the caller needs to give the same order again.
    pub words: Value,
}

/// What a stream is called until it is whole.
pub fn partial(name: &str) -> String {
    match name.split_once('.') {
        Some((stem, kind)) => format!("{stem}.partial.{kind}"),
        None => format!("{name}.partial"),
    }
}

/// Rows as bare numbers.
pub const SPOOL: &str = "result.spool";

impl Order<'_> {
    /// Whether there are rows as bare numbers: archives are made of them, and curves where there is no text.
    pub fn has_spool(&self) -> bool {
        self.formats.contains(&Format::Npz) || (self.draws && !self.formats.contains(&Format::Csv))
    }

    /// Whether there may be events: passages through singular configurations are some.
    pub fn has_events(&self) -> bool {
        !self.model.events.is_empty() || self.model.through
    }

    /// Files that get their last name at the end.
    pub fn streams(&self) -> impl Iterator<Item = String> {
        let direct = [Format::Csv, Format::Parquet].into_iter().filter(|format| self.formats.contains(format));
        let steps = self.every_step.then(|| "steps.csv".to_owned());
        let events = self.has_events().then(|| "events.csv".to_owned());
        direct.map(|format| format!("result.{}", format.ending())).chain(steps).chain(events)
    }

    /// Files that are there while it runs.
    pub fn growing(&self) -> Vec<String> {
        let mut names: Vec<String> = self.streams().map(|name| partial(&name)).collect();
        if self.has_spool() {
            names.push(partial(SPOOL));
        }
        names.push(CHECKPOINT.to_owned());
        names
    }

    /// All files that may be written, under all their names; of figures those that look like one in the folder.
    pub fn planned(&self, folder: &Folder) -> Result<Vec<String>, Failure> {
        let mut names: Vec<String> = self.formats.iter().map(|format| format!("result.{}", format.ending())).collect();
        names.extend(self.streams());
        names.push("steps.csv".to_owned());
        names.extend(names.clone().iter().map(|name| partial(name)));
        names.extend(self.growing());
        names.push("summary.json".to_owned());
        if self.draws {
            names.extend(folder.names()?.into_iter().filter(|name| super::finish::is_figure(name)));
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Whether rows have an energy beside them.
    pub fn energies(&self) -> bool {
        self.formats.contains(&Format::Npz) && sheet::has_energy(self.model)
    }

    /// What the table of rows is.
    pub fn head(&self) -> Head {
        let tolerances = match self.run.steps {
            Steps::ByError { rtol, atol } => {
                format!("rtol {rtol:e}{}", atol.map(|atol| format!(", atol {atol:e}")).unwrap_or_default())
            }
            Steps::Fixed { .. } => format!("newton {NEWTON_TOLERANCE:e}"),
        };
        let facts = [
            ("model", self.model.name.clone()),
            ("program", concat!("alembert ", env!("CARGO_PKG_VERSION")).to_owned()),
            ("method", self.run.method.name().to_owned()),
            ("steps", self.run.steps.to_string()),
            ("tolerances", tolerances),
            ("units", "SI: m, kg, s, rad, N".to_owned()),
            ("column_units", said(&self.model.names, |said| said.unit.as_ref())),
            ("column_labels", said(&self.model.names, |said| said.label.as_ref())),
            ("parameters", json!(self.model.parameters).to_string()),
        ];
        Head {
            columns: sheet::columns(self.model),
            beside: if self.energies() { vec!["energy".to_owned()] } else { Vec::new() },
            facts: facts.into_iter().map(|(key, value)| (format!("alembert.{key}"), value)).collect(),
        }
    }

    /// What has to be the same for a checkpoint to fit, by name and in the order in which differences are told.
    pub fn identity(&self) -> Vec<(String, String)> {
        let run = self.run;
        let mut found = vec![("version of alembert".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
        let parameters = self.model.parameters.iter();
        found.extend(parameters.map(|(name, value)| (format!("parameter {name}"), value.to_string())));
        for (what, value) in [
            ("method", run.method.name().to_owned()),
            ("choice of the method's parameters", format!("{:?}", run.method.parameters())),
            ("choice of steps", run.steps.to_string()),
            ("start time", run.t_start.to_string()),
            ("end time", run.t_end.to_string()),
            ("distance of rows", run.output_every.map_or("every step".to_owned(), |every| every.to_string())),
            ("list of times of rows", format!("{:?}", run.t_eval)),
            ("tolerances of variables", format!("{:?} {:?}", run.atols, run.scales)),
            ("shortest step", run.h_min.map_or("any".to_owned(), |shortest| shortest.to_string())),
            ("longest step", run.h_max.map_or("any".to_owned(), |longest| longest.to_string())),
            ("list of times to land on", format!("{:?}", run.land_on)),
            ("list of jumps", format!("{:?}", run.jumps_at)),
            ("list of columns", sheet::columns(self.model).join(", ")),
            ("list of files", self.growing().join(", ")),
            ("model text", format!("that of checksum {:016x}", checksum(self.text.as_bytes()))),
        ] {
            found.push((what.to_owned(), value));
        }
        found
    }

    /// The order as it is in a checkpoint.
    pub fn job(&self) -> Value {
        json!({ "identity": self.identity(), "words": self.words })
    }
}

/// Units or labels of columns, as JSON.
fn said(names: &Names, part: fn(&Said) -> Option<&String>) -> String {
    let found = names.said.iter().filter_map(|said| Some((said.column.as_str(), part(said)?.as_str())));
    json!(found.collect::<std::collections::BTreeMap<&str, &str>>()).to_string()
}
