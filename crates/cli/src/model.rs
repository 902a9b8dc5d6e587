//! The commands that work on model files. What they share: which file, which parameters, how to integrate.

pub mod check;
mod chosen;
pub mod explain;
pub mod figures;
pub mod format;
pub mod init;
pub mod job;
pub mod methods;
pub mod progress;
pub mod report;
pub mod run;
pub mod starter;
pub mod sweep;
pub mod table;
pub mod verify;

use std::fs;
use std::path::{Path, PathBuf};

use alembert::catalogue;
use alembert_model::run::{Run, SCENARIO};
use alembert_model::{Mistake, Model};
use alembert_problems::Problem;
use clap::Args;
use serde_json::{Value, json};

use alembert_sim::compare::problem;
use alembert_sim::find::solved;
use alembert_sim::{Beside, Failure, Wishes};

/// A model file and its parameters.
#[derive(Args, Clone)]
pub struct Source {
    /// The model file, as models/pendulum.toml
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Another value of a parameter, as m=2.5 (may be repeated)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// A scenario of the file
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
}

/// Settings with the choice of a scenario, which is one.
pub fn with_scenario(settings: &[String], scenario: Option<&String>) -> Vec<String> {
    settings.iter().cloned().chain(scenario.map(|name| format!("{SCENARIO}={name}"))).collect()
}

/// How to integrate, where the file says otherwise.
#[derive(Args, Clone)]
pub struct Integration {
    #[arg(long, value_name = "NAME", help = format!("Another method than the file's: {}", catalogue::names().join(", ")))]
    pub method: Option<String>,
    /// Choose steps so that errors meet this relative (and absolute) tolerance
    #[arg(long, value_name = "TOL", conflicts_with = "h")]
    pub rtol: Option<f64>,
    /// Absolute tolerance, with --rtol
    #[arg(long, value_name = "TOL", requires = "rtol")]
    pub atol: Option<f64>,
    /// Fixed steps of this size
    #[arg(long, value_name = "H")]
    pub h: Option<f64>,
    /// Another end time
    #[arg(long, value_name = "T")]
    pub t_end: Option<f64>,
    /// Distance of the rows of the result
    #[arg(long, value_name = "DT")]
    pub output_every: Option<f64>,
}

/// A `--set` argument in two parts.
pub fn setting(argument: &str) -> Result<(String, String), Failure> {
    let parts = argument.split_once('=').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
    parts.ok_or_else(|| {
        Failure::usage(format!("cannot read --set {argument}"))
            .with_hint("write --set NAME=VALUE, as --set m=2.5".to_owned())
    })
}

/// Reads the text of a model file.
pub fn read(path: &Path) -> Result<String, Failure> {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|error| {
        let failure = Failure::usage(format!("cannot read {}: {error}", path.display()));
        failure.with_hint("name a model file; `alembert new` writes one to start from".to_owned())
    })
}

impl Source {
    /// Compiles the file.
    pub fn load(&self) -> Result<Model, Failure> {
        let settings = with_scenario(&self.settings, self.scenario.as_ref());
        let settings: Vec<(String, String)> = settings.iter().map(|set| setting(set)).collect::<Result<_, _>>()?;
        parse(&self.model, &read(&self.model)?, &settings)
    }

    /// What is wrong with a file that was refused, for machines: each mistake of the file with its place, or what else there is to say.
    pub fn mistakes(&self, failure: &Failure) -> Value {
        let settings = with_scenario(&self.settings, self.scenario.as_ref());
        let settings: Result<Vec<(String, String)>, _> = settings.iter().map(|set| setting(set)).collect();
        let (Ok(settings), Ok(text)) = (settings, read(&self.model)) else { return alone(failure) };
        let name = self.model.display().to_string();
        let Err(mistakes) = Model::parse_with(&name, &text, &settings, &Beside::new(&self.model)) else {
            return alone(failure);
        };
        let one = |mistake: &Mistake| {
            let place = mistake.span.map(|span| mistakes.position(span));
            let (line, column) = (place.map(|place| place.0), place.map(|place| place.1));
            json!({ "message": mistake.message, "hint": mistake.hint, "line": line, "column": column })
        };
        mistakes.list().iter().map(one).collect::<Vec<_>>().into()
    }
}

/// A failure without a place.
fn alone(failure: &Failure) -> Value {
    json!([{ "message": failure.message, "hint": failure.hint, "line": null, "column": null }])
}

/// Compiles a file that was read; what it names is beside it.
pub fn parse(path: &Path, text: &str, settings: &[(String, String)]) -> Result<Model, Failure> {
    let (name, beside) = (path.display().to_string(), Beside::new(path));
    solved(settings, |settings| {
        Model::parse_with(&name, text, settings, &beside).map_err(|mistakes| Failure::mistakes(mistakes.to_string()))
    })
}

/// A model as a problem to compare methods on.
pub fn as_problem(path: &Path, settings: &[String]) -> Result<Problem, Failure> {
    let model = Source { model: path.to_owned(), settings: settings.to_vec(), scenario: None }.load()?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    problem(model, &stem)
}

impl Integration {
    /// What is said here, and where nothing is, what was said before.
    pub fn or(self, earlier: &Integration) -> Integration {
        let chosen = self.rtol.is_some() || self.h.is_some();
        let steps = if chosen { &self } else { earlier };
        Integration {
            rtol: steps.rtol,
            atol: steps.atol,
            h: steps.h,
            method: self.method.or_else(|| earlier.method.clone()),
            t_end: self.t_end.or(earlier.t_end),
            output_every: self.output_every.or(earlier.output_every),
        }
    }

    /// What the file says, changed as the command line says, if it does not come to more than a run may.
    pub fn apply(&self, run: &Run) -> Result<Run, Failure> {
        self.wishes().apply(run)
    }

    /// What the file says, changed as the command line says.
    pub fn adjusted(&self, run: &Run) -> Result<Run, Failure> {
        self.wishes().adjusted(run)
    }

    fn wishes(&self) -> Wishes {
        let Integration { method, rtol, atol, h, t_end, output_every } = self.clone();
        Wishes { method, rtol, atol, h, t_end, output_every, prefix: "--", ..Wishes::default() }
    }
}
