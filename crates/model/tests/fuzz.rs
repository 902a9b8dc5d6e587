//! Model texts and settings, spoilt at random: a model or mistakes, no panic, no hang. See `crates/fuzz`.

use std::path::Path;

use alembert::State;
use alembert_fuzz::Campaign;
use alembert_model::Model;

const WORDS: [&str; 94] = [
    "[parameters]",
    "[variables]",
    "[definitions]",
    "[tables.road]",
    "[states]",
    "[discrete]",
    "[inputs]",
    "kind = \"spline\"",
    "extrapolation = \"periodic\"",
    "file = \"road.csv\"",
    "road(",
    "map(",
    "u' = ",
    "[equations]",
    "[initial]",
    "[exact]",
    "[[events]]",
    "[outputs]",
    "[run]",
    "coordinates = ",
    "multipliers = ",
    "kinetic = ",
    "holonomic = ",
    "force = ",
    "mass = ",
    "\"",
    "'''",
    "\"\"\"",
    " for i in 1..",
    "sum(",
    "x[i]",
    "x'",
    "'",
    "..",
    "[",
    "]",
    "{",
    "}",
    "#",
    "\n",
    "sqrt(",
    "^",
    "/",
    "max(",
    "1e308",
    "\\u001b",
    "{i}",
    "t",
    "-",
    "log(",
    "[functions]",
    "\"f(u, w)\" = ",
    "if(",
    " < ",
    " == ",
    " and ",
    " or ",
    "not ",
    "der(",
    ".x",
    "[x, y, 0]",
    "cross(",
    "rotate(",
    "mod(",
    "step(",
    "f(",
    "deg",
    "²",
    "9,81",
    "floor(",
    "[start]",
    "fixed = ",
    "equilibrium = true",
    "find = ",
    "[results]",
    "{ max = ",
    "{ reaction = ",
    "at = ",
    "every = ",
    "times = ",
    "{ normal = ",
    "[scenarios.a]",
    "include = ",
    "t_eval = ",
    "R : rotation",
    "R[1..2] : rotation",
    "R*[1, x, 0]",
    "R^-1",
    ".omega",
    "\"R.omega\" = [0, 0, 1]",
    "R = [1, 0, 0, 0]",
    "rotation([0, 0, 1], ",
    "R*R",
    ".e0",
];

fn corpus(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

/// A model, if it is one, has values for what can be asked at its start.
fn look(model: &Model) {
    let guess = &model.guess;
    let (q, v) = (guess.q.clone(), guess.v.clone());
    let a = vec![0.0; v.len()];
    let state = State { t: guess.t, q, v, a, lambda: guess.lambda.clone(), psi: guess.psi.clone() };
    let mut outputs = vec![0.0; model.names.outputs.len()];
    model.outputs_into(&state, &mut outputs);
    let _ = (model.energy(&state), model.exact(guess.t), model.columns(), model.shown_names());
    if let Some(view) = &model.view {
        let mut channels = vec![0.0; view.channels()];
        view.channels_into(&state, &mut alembert_model::view::Workspace::default(), &mut channels);
    }
    for measure in &model.results {
        measure.value(&state, &mut alembert_model::measure::Room::default());
    }
    for event in &model.events {
        event.value(&state);
    }
    for find in &model.find {
        find.value(&state);
    }
}

#[test]
fn any_text_is_a_model_or_has_mistakes() {
    let mut campaign = Campaign::new("model-text", &corpus("text")).with_words(&WORDS).with_inputs(2000);
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    for name in ["pendulum", "chain", "bouncing_pendulum", "chaplygin_sleigh", "parallelogram"] {
        campaign = campaign.with(std::fs::read(models.join(format!("{name}.toml"))).expect("a model of the project"));
    }
    campaign.run(|bytes| match Model::parse("fuzz", &String::from_utf8_lossy(bytes), &[]) {
        Ok(model) => look(&model),
        Err(mistakes) => {
            let told = mistakes.to_string();
            assert!(!told.is_empty() && told.chars().all(|letter| letter == '\n' || !letter.is_control()), "{told:?}");
        }
    });
}

const PARTS: [&str; 60] = [
    "[[bodies]]",
    "[[joints]]",
    "[[drivers]]",
    "[[forces]]",
    "[view]",
    "[outputs]",
    "[parameters]",
    "dimension = 2",
    "dimension = 3",
    "gravity = [0, -9.81]",
    "redundant = \"refused\"",
    "through = true",
    "for = \"i in 1..3\"",
    "name = ",
    "mass = ",
    "inertia = ",
    "solid = ",
    "{ box = [1, 1, 1], density = 1 }",
    "centre = ",
    "pose = ",
    "{ at = [0, 0, 0] }",
    "quaternion = [1, 0, 0, 0]",
    "turn = { axis = \"x\", angle = 1 }",
    "velocity = ",
    "points = ",
    "frames = ",
    "type = \"revolute\"",
    "type = \"spherical\"",
    "type = \"prismatic\"",
    "type = \"universal\"",
    "type = \"fixed\"",
    "type = \"cylindrical\"",
    "type = \"screw\"",
    "type = \"gear\"",
    "type = \"point on curve\"",
    "type = \"rolling disk\"",
    "type = \"spring\"",
    "type = \"torsion\"",
    "type = \"bushing\"",
    "of = [\"ground\", \"slide\"]",
    "ground(0, 0, 1)",
    "link[1].right",
    "link[i-1].left",
    "axis = \"y\"",
    "axis = [0, 0, 0]",
    "start = ",
    "{ angle = 0.5, speed = 1 }",
    "friction = ",
    "law = ",
    "length'",
    "angle",
    "hook.force.x",
    "rail.displacement'",
    "1e308",
    "1e-300",
    "-1",
    "0",
    "\"",
    "stiffness = ",
    "joint = ",
];

#[test]
fn any_mechanism_is_one_or_has_mistakes() {
    let mut campaign = Campaign::new("mechanism-text", &corpus("mechanisms")).with_words(&PARTS).with_inputs(1000);
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/mechanisms");
    for name in ["bricard", "differential", "four_bar", "governor", "rolling_coin", "stewart"] {
        campaign = campaign.with(std::fs::read(models.join(format!("{name}.toml"))).expect("a model of the project"));
    }
    campaign.run(|bytes| match Model::parse("fuzz", &String::from_utf8_lossy(bytes), &[]) {
        Ok(model) => {
            look(&model);
            let _ = model.system.mechanism().map(|mechanism| mechanism.diagnose().to_string());
        }
        Err(mistakes) => {
            let told = mistakes.to_string();
            assert!(!told.is_empty() && told.chars().all(|letter| letter == '\n' || !letter.is_control()), "{told:?}");
        }
    });
}

#[test]
fn any_setting_is_taken_or_refused() {
    let text = std::fs::read_to_string(corpus("text").join("everything.toml")).expect("in the corpus");
    let campaign =
        Campaign::new("settings", &corpus("settings")).with_words(&["m", "[1]", "=", "pi", "N", "1e308", "[", "]"]);
    campaign.run(|bytes| {
        let setting = String::from_utf8_lossy(bytes);
        let (name, value) = setting.split_once('=').unwrap_or((&setting, ""));
        let set = [(name.trim().to_owned(), value.trim().to_owned())];
        match Model::parse("fuzz", &text, &set) {
            Ok(model) => look(&model),
            Err(mistakes) => assert!(!mistakes.list().is_empty()),
        }
    });
}
