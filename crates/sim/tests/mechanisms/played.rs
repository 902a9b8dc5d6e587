//! A model of the folder with what its run gave.

use std::fs;
use std::path::{Path, PathBuf};

use alembert_model::Model;
use alembert_sim::sheet::results;
use alembert_sim::{Alone, Beside, End, Sheet, Trajectory, simulate};

/// Where the models are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/mechanisms")
}

/// The text of a model.
pub fn text(name: &str) -> String {
    fs::read_to_string(folder().join(format!("{name}.toml"))).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A model with some parameters set.
pub fn model(name: &str, settings: &[(&str, &str)]) -> Model {
    let path = folder().join(format!("{name}.toml"));
    let settings: Vec<(String, String)> = settings.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    let read = Model::parse_with(name, &text(name), &settings, &Beside::new(&path));
    read.unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// A run.
pub struct Played {
    pub model: Model,
    pub run: Trajectory,
    sheet: Sheet,
}

/// Runs a model as it is.
pub fn play(name: &str) -> Played {
    play_with(name, &[])
}

/// Runs a model with some parameters set.
pub fn play_with(name: &str, settings: &[(&str, &str)]) -> Played {
    let model = model(name, settings);
    let run = simulate(&model, &model.run, &Alone).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
    assert_eq!(run.end, End::Reached, "{name}");
    let sheet = results(&model, &run.states);
    assert!(sheet.rows.len() > 20, "{name} has only {} rows", sheet.rows.len());
    Played { model, run, sheet }
}

impl Played {
    /// A column of the result.
    pub fn column(&self, name: &str) -> Vec<f64> {
        let at = self.sheet.columns.iter().position(|column| column == name);
        let at = at.unwrap_or_else(|| panic!("no column {name} in {:?}", self.sheet.columns));
        self.sheet.rows.iter().map(|row| row[at]).collect()
    }

    /// Several columns, row by row.
    pub fn rows<const N: usize>(&self, names: [&str; N]) -> Vec<[f64; N]> {
        let columns = names.map(|name| self.column(name));
        (0..self.sheet.rows.len()).map(|row| std::array::from_fn(|column| columns[column][row])).collect()
    }

    /// When something happened.
    pub fn times_of(&self, event: &str) -> Vec<f64> {
        self.run.events.iter().filter(|happened| happened.name == event).map(|happened| happened.t).collect()
    }

    /// What the run came to.
    pub fn result(&self, name: &str) -> f64 {
        let found = self.run.results.iter().find(|outcome| outcome.name == name);
        found.unwrap_or_else(|| panic!("no result {name}")).value
    }
}

/// The largest difference of pairs.
#[derive(Default)]
pub struct Worst(f64);

impl Worst {
    /// Takes another pair.
    pub fn add(&mut self, found: f64, exact: f64) {
        let off = (found - exact).abs();
        assert!(off.is_finite(), "{found} instead of {exact}");
        self.0 = self.0.max(off);
    }

    /// It must not be above this.
    pub fn within(&self, allowed: f64, what: &str) {
        println!("{what}: off by {:.1e}, allowed {allowed:.1e}", self.0);
        assert!(self.0 <= allowed, "{what}: off by {:e}", self.0);
    }
}
