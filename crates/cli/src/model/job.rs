//! What a run was asked for, as it is kept in its folder: to continue it takes no more than the folder.

use std::path::PathBuf;

use alembert_model::Model;
use alembert_model::nearest::nearest;
use alembert_sim::from::LastRow;
use clap::ValueEnum;
use serde_json::{Value, json};

use super::run::Format;
use super::{Integration, parse, setting};
use crate::failure::Failure;

/// A model file with its text, parameters, how to integrate, and files.
pub struct Job {
    pub model: PathBuf,
    pub text: String,
    /// Arguments of `--set`.
    pub settings: Vec<String>,
    pub integration: Integration,
    pub formats: Vec<Format>,
    pub plot: bool,
    pub steps: bool,
    /// Where to start from instead of what the file says.
    pub from: Option<LastRow>,
    /// Columns of the result; all if empty.
    pub columns: Vec<String>,
}

impl Job {
    /// Compiles the model.
    pub fn load(&self) -> Result<Model, Failure> {
        let settings: Vec<(String, String)> = self.settings.iter().map(|set| setting(set)).collect::<Result<_, _>>()?;
        let mut model = parse(&self.model, &self.text, &settings)?;
        if let Some(from) = &self.from {
            from.begin(&mut model)?;
        }
        if !self.columns.is_empty() {
            let mut shown = Vec::new();
            for name in &self.columns {
                let chosen = model.names.chosen(name.trim()).ok_or_else(|| unknown(&model, name))?;
                shown.extend(chosen);
            }
            model.show(Some(shown));
        }
        Ok(model)
    }

    pub fn json(&self) -> Value {
        let Integration { method, rtol, atol, h, t_end, output_every } = &self.integration;
        let formats: Vec<String> = self.formats.iter().map(|format| name(*format)).collect();
        json!({
            "model": self.model.to_string_lossy(),
            "text": self.text,
            "settings": self.settings,
            "method": method,
            "rtol": rtol,
            "atol": atol,
            "h": h,
            "t_end": t_end,
            "output_every": output_every,
            "formats": formats,
            "plot": self.plot,
            "steps": self.steps,
            "from": self.from.as_ref().map(LastRow::json),
            "columns": self.columns,
        })
    }

    /// What [`json`](Self::json) wrote.
    pub fn read(value: &Value) -> Result<Job, Failure> {
        let words = |key: &str| value[key].as_str().map(str::to_owned);
        let list = |key: &str| -> Option<Vec<String>> {
            value[key].as_array()?.iter().map(|entry| entry.as_str().map(str::to_owned)).collect()
        };
        let read = || {
            let formats =
                list("formats")?.iter().map(|name| Format::from_str(name, false).ok()).collect::<Option<_>>()?;
            Some(Job {
                model: words("model")?.into(),
                text: words("text")?,
                settings: list("settings")?,
                integration: Integration {
                    method: words("method"),
                    rtol: value["rtol"].as_f64(),
                    atol: value["atol"].as_f64(),
                    h: value["h"].as_f64(),
                    t_end: value["t_end"].as_f64(),
                    output_every: value["output_every"].as_f64(),
                },
                formats,
                plot: value["plot"].as_bool()?,
                steps: value["steps"].as_bool()?,
                from: LastRow::parse(&value["from"]),
                columns: list("columns").unwrap_or_default(),
            })
        };
        read().ok_or_else(|| Failure::usage("the checkpoint does not say what the run was asked for".to_owned()))
    }
}

fn unknown(model: &Model, name: &str) -> Failure {
    let columns = model.names.columns();
    let near = nearest(name, columns.iter().map(String::as_str)).map(|near| format!("did you mean `{near}`?"));
    let hint = near.unwrap_or_else(|| {
        format!("the columns are {}", columns.iter().take(12).cloned().collect::<Vec<_>>().join(", "))
    });
    Failure::usage(format!("unknown column `{name}`")).with_hint(hint)
}

fn name(format: Format) -> String {
    format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
