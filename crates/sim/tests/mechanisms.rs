//! The mechanisms in models/mechanisms, run as they are, against closed forms and references that share nothing with the library.

#[path = "mechanisms/cranks.rs"]
mod cranks;
#[path = "mechanisms/gears.rs"]
mod gears;
#[path = "mechanisms/hanging.rs"]
mod hanging;
#[path = "mechanisms/linkages.rs"]
mod linkages;
#[path = "mechanisms/played.rs"]
mod played;
#[path = "mechanisms/power.rs"]
mod power;
#[path = "mechanisms/references.rs"]
mod references;
#[path = "mechanisms/rolling.rs"]
mod rolling;
#[path = "mechanisms/straight.rs"]
mod straight;
#[path = "mechanisms/table.rs"]
mod table;
#[path = "mechanisms/told.rs"]
mod told;
#[path = "mechanisms/vehicles.rs"]
mod vehicles;

use std::fs;

use alembert_model::formatted;
use alembert_sim::check::check;
use alembert_sim::{Alone, End, simulate};

/// Every model of the folder; each has a test of its own in one of the modules.
const MODELS: [&str; 25] = [
    "bicycle",
    "bricard",
    "cam",
    "chain",
    "differential",
    "double_wishbone",
    "four_bar",
    "governor",
    "gyroscope",
    "hooke_chain",
    "n_four_bar",
    "pantograph",
    "peaucellier",
    "planetary",
    "quarter_car",
    "robot_arm",
    "rolling_coin",
    "shaper",
    "slider_crank",
    "slider_crank_spatial",
    "stewart",
    "tippe_top",
    "toggle_press",
    "walking_leg",
    "whitworth",
];

/// A new file has to be named here, and in the list of models for people.
#[test]
fn every_file_is_known() {
    let files = fs::read_dir(played::folder()).expect("the folder").map(|file| file.expect("a file").path());
    let toml = files.filter(|path| path.extension().is_some_and(|kind| kind == "toml"));
    let mut names: Vec<String> =
        toml.map(|path| path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned()).collect();
    names.sort();
    assert_eq!(names, MODELS, "a model without a test, or a test without a model");
    let list = fs::read_to_string(played::folder().join("../README.md")).expect("a list");
    let mechanisms = ["cranks", "gears", "linkages", "references", "rolling", "vehicles"];
    let tests = mechanisms.map(|name| format!("tests/mechanisms/{name}.rs"));
    // Passing singular configurations is tested through the program.
    let tests = tests.into_iter().chain(["../cli/tests/through.rs".to_owned()]);
    let read = |file: String| fs::read_to_string(format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))).expect("a test");
    let tests: String = tests.map(read).collect();
    for name in MODELS {
        assert!(list.contains(&format!("(mechanisms/{name}.toml)")), "{name} is not in models/README.md");
        let played = [format!("\"{name}\""), format!("{name}.toml")].iter().any(|words| tests.contains(words));
        assert!(played, "no test plays {name}");
        let text = played::text(name);
        assert!(text.starts_with("#:schema ../schema/model-1.schema.json\n# "), "{name} has no schema or no comment");
        let laid = formatted(&text).unwrap_or_else(|| panic!("{name} is no TOML"));
        assert_eq!(laid, text, "{name} is not formatted");
    }
}

/// Nothing to complain about, neither before the run nor after it.
#[test]
fn every_model_runs_to_its_end_without_a_warning() {
    for name in MODELS {
        let model = played::model(name, &[]);
        let findings = check(&model);
        assert!(findings.good && model.notes.is_empty(), "{name}: {}", findings.words);
        let run = simulate(&model, &model.run, &Alone).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        assert_eq!(run.end, End::Reached, "{name}");
        assert!(run.warnings.is_empty(), "{name}: {:?}", run.warnings);
    }
}
