//! What the tests of model files share.

// Each test uses its own part.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;

use alembert::{ErrorControl, Integrator, State, Tolerance, Unobserved, consistent};
use alembert_model::Model;
use alembert_model::run::Steps;
use alembert_model::source::Source;

/// The folder of the example models.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// An example model with overridden parameters.
pub fn load(name: &str, settings: &[(&str, &str)]) -> Model {
    let path = folder().join(format!("{name}.toml"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Model::parse_with(name, &text, &settings, &Beside).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// The files beside the example models.
pub struct Beside;

impl Source for Beside {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        fs::read(folder().join(name)).map_err(|error| error.to_string())
    }
}

/// The state at `t` by Radau at a tolerance.
pub fn run_to(model: &Model, t: f64, tolerance: f64) -> State {
    let start = consistent(&model.system, &model.guess).unwrap_or_else(|error| panic!("{}: {error}", model.name));
    let steps = Steps::ByError { rtol: tolerance, atol: Some(tolerance) };
    let method = alembert_model::run::MethodChoice::new("radau", &Default::default()).expect("in the table");
    let scheme = method.scheme(&steps).expect("a scheme");
    let tolerance = Tolerance::new(tolerance, tolerance).expect("a tolerance");
    let mut integrator = Integrator::new(&model.system, &start, &*scheme, ErrorControl::new(), tolerance)
        .unwrap_or_else(|error| panic!("{}: {error}", model.name));
    for event in &model.events {
        integrator.add_event(event.watcher());
    }
    integrator.run(t, &mut Unobserved).unwrap_or_else(|error| panic!("{}: {error}", model.name));
    integrator.state().clone()
}
