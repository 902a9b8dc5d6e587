//! Mechanism files that come to singular configurations: they stop there in words, or pass by momentum.
//!
//! The N-four-bar (IFToMM A02) has an exact motion: all cranks stay parallel at one angle, see `models/mechanisms/n_four_bar.toml`.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;
#[path = "common/rows.rs"]
mod rows;

use std::fs;
use std::path::{Path, PathBuf};

use folder::folder;
use program::alembert;
use rows::Rows;
use serde_json::Value;

const MODEL: &str = "models/mechanisms/n_four_bar.toml";

/// The first time at which cranks are flat for N = 2, from the reduction to one angle in elliptic integrals.
const FIRST: f64 = 0.714_355_529_292_960_5;

/// The model with something replaced, in a folder of its own.
fn changed(name: &str, changes: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut text = fs::read_to_string(root.join(MODEL)).expect("the model");
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let here = folder(name);
    fs::create_dir_all(&here).expect("a folder");
    fs::write(here.join("model.toml"), text).expect("a file");
    here
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// x and y of the end of the first crank at whole multiples of a fortieth of a second, by classical Runge-Kutta steps.
fn exact(until: f64) -> Vec<[f64; 2]> {
    let rate = |[phi, speed]: [f64; 2]| [speed, -9.81 * 3.5 / 3.0 * phi.cos()];
    let h = 1.0 / 8000.0;
    let mut x = [std::f64::consts::FRAC_PI_2, -1.0];
    let mut out = vec![[0.0, 1.0]];
    for at in 1..=(until / h).round() as usize {
        let moved = |s: f64, k: [f64; 2]| [x[0] + s * k[0], x[1] + s * k[1]];
        let k1 = rate(x);
        let k2 = rate(moved(0.5 * h, k1));
        let k3 = rate(moved(0.5 * h, k2));
        let k4 = rate(moved(h, k3));
        x = [0, 1].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        if at % 200 == 0 {
            out.push([x[0].cos(), x[0].sin()]);
        }
    }
    out
}

#[test]
fn a_run_stops_at_a_singular_configuration_in_words() {
    let here = changed("through-stops", &[("through = true\n", "")]);
    let out = here.join("out");
    let (_, stderr, code) = alembert(&["run", &shown(&here.join("model.toml")), "--out", &shown(&out)]);
    assert_eq!(code, 1, "{stderr}");
    let place = stderr.find("singular configuration at t = 0.71435").unwrap_or_else(|| panic!("{stderr}"));
    let told = &stderr[place..];
    assert!(told.contains("the constraints of `foot[0]`, `foot[1]`"), "{stderr}");
    assert!(told.contains("become dependent") && told.contains("the motion is not determined\nhint: "), "{stderr}");
    assert!(told.contains("hint: `through = true` at the top of the file lets it pass by momentum"), "{stderr}");
    let summary: Value = serde_json::from_str(&text(&out.join("summary.json"))).expect("JSON");
    assert_eq!(summary["failure"]["parameter"], "foot[0]");
    let reached = summary["t_reached"].as_f64().expect("a time");
    assert!(reached > 0.6 && reached < FIRST, "{reached}");
}

#[test]
fn singular_configurations_are_passed_by_momentum() {
    let out = folder("through-passes");
    let (_, stderr, code) = alembert(&["run", MODEL, "--plot", "--out", &shown(&out)]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("passed 10 singular configurations"), "{stderr}");
    let result = Rows::read(&text(&out.join("result.csv")));
    // Every row is there once, those inside of passages too.
    assert_eq!(result.times().count(), 401);
    let mut off = 0.0_f64;
    for (k, [x, y]) in exact(10.0).into_iter().enumerate() {
        let t = 0.025 * k as f64;
        off = off.max((result.at(t, "x") - x).abs()).max((result.at(t, "y") - y).abs());
    }
    println!("off by {off:e}");
    assert!(off < 1e-6, "{off:e}");
    // The known end, to twenty digits elsewhere.
    let [x, y] = ["x", "y"].map(|name| result.at(10.0, name));
    assert!((x - 0.328_458_111_540_815_4).abs() < 1e-6 && (y - 0.944_518_538_178_601).abs() < 1e-6, "{x} {y}");
    let events = text(&out.join("events.csv"));
    let passages: Vec<&str> =
        events.lines().filter(|line| line.contains(",passed a singular configuration,")).collect();
    assert_eq!(passages.len(), 10, "{events}");
    let first: f64 = passages[0].split(',').next().and_then(|t| t.parse().ok()).expect("a time");
    assert!((first - FIRST).abs() < 1e-8, "{first}");
    let summary: Value = serde_json::from_str(&text(&out.join("summary.json"))).expect("JSON");
    assert_eq!((&summary["passages"], &summary["outcome"]), (&Value::from(10), &Value::from("reached")));
}

#[test]
fn every_method_passes() {
    // At a looser tolerance each; a relative error of the speed below makes 900 times that in 10 s.
    for (method, rtol, passes, limit) in
        [("soi2", "1e-6", 10, 1e-4), ("hht", "1e-5", 10, 3e-3), ("bdf", "1e-8", 10, 3e-6), ("radau", "1e-8", 10, 3e-6)]
    {
        let here = changed(
            &format!("through-{method}"),
            &[("rtol = 1e-11", &format!("method = \"{method}\"\nrtol = {rtol}"))],
        );
        let out = here.join("out");
        let (_, stderr, code) = alembert(&["run", &shown(&here.join("model.toml")), "--out", &shown(&out)]);
        assert_eq!(code, 0, "{method}: {stderr}");
        assert!(stderr.contains(&format!("passed {passes} singular configurations")), "{method}: {stderr}");
        let result = Rows::read(&text(&out.join("result.csv")));
        let mut off = 0.0_f64;
        for (k, [x, y]) in exact(10.0).into_iter().enumerate() {
            let t = 0.025 * k as f64;
            off = off.max((result.at(t, "x") - x).abs()).max((result.at(t, "y") - y).abs());
        }
        println!("{method} at {rtol}: off by {off:e}");
        assert!(off < limit, "{method}: {off:e}");
    }
}

#[test]
fn a_run_that_is_resumed_passes_in_the_same_way() {
    let (whole, parts) = (folder("through-whole"), folder("through-parts"));
    let run = ["run", MODEL, "--t-end", "3", "--quiet", "--out"];
    let (_, stderr, code) = alembert(&[&run[..], &[&shown(&whole)]].concat());
    assert_eq!(code, 0, "{stderr}");
    let steps = serde_json::from_str::<Value>(&text(&whole.join("summary.json"))).expect("JSON")["statistics"]["steps"]
        .as_u64()
        .expect("a number");
    for share in [5, 3, 2] {
        let most = (steps / share).to_string();
        let path = shown(&parts);
        let (_, stderr, code) = alembert(&[&run[..], &[&path, "--force", "--max-steps", &most]].concat());
        assert_eq!(code, 3, "{stderr}");
        let (_, stderr, code) = alembert(&["run", "--resume", &path, "--quiet"]);
        assert_eq!(code, 0, "{stderr}");
        for name in ["result.csv", "events.csv"] {
            assert!(text(&parts.join(name)) == text(&whole.join(name)), "{name} after {most} of {steps} steps");
        }
    }
}

#[test]
fn events_and_results_go_through() {
    let more = |action: &str| {
        format!(
            "[[events]]\nname = \"flat\"\nformula = \"crank[0].head.y\"\naction = \"{action}\"\n\n[results]\n\
             flats = {{ count = \"flat\" }}\nwhen = {{ event = \"flat\", value = \"t\", which = 1 }}\n\
             right = {{ max = \"crank[0].head.x\", to = 1 }}\n\n[run]\n"
        )
    };
    let here = changed("through-notes", &[("[run]\n", &more("continue")), ("t_end = 10", "t_end = 2")]);
    let out = here.join("out");
    let (_, stderr, code) = alembert(&["run", &shown(&here.join("model.toml")), "--out", &shown(&out)]);
    assert_eq!(code, 0, "{stderr}");
    let results = &serde_json::from_str::<Value>(&text(&out.join("summary.json"))).expect("JSON")["results"];
    let value = |name: &str| results[name]["value"].as_f64().unwrap_or_else(|| panic!("{name}: {results}"));
    // The crank is flat in the middle of passages: there its end is farthest to the right.
    assert_eq!(value("flats"), 2.0);
    assert!((value("when") - FIRST).abs() < 1e-7, "{results}");
    assert!((value("right") - 1.0).abs() < 1e-8, "{results}");

    let here = changed("through-ends", &[("[run]\n", &more("stop"))]);
    let (_, stderr, code) = alembert(&["run", &shown(&here.join("model.toml"))]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("event `flat` happens in the passage through a singular configuration"), "{stderr}");
}

#[test]
fn the_end_may_lie_in_a_passage_and_the_start_not_too_near() {
    let out = folder("through-end");
    let (_, stderr, code) = alembert(&["run", MODEL, "--t-end", "0.7145", "--out", &shown(&out)]);
    assert_eq!(code, 0, "{stderr}");
    let result = Rows::read(&text(&out.join("result.csv")));
    let t = result.times().last().expect("rows");
    assert_eq!(t, 0.7145);
    assert!((result.at(t, "x") - 1.0).abs() < 1e-6 && result.at(t, "y").abs() < 1e-3);

    // Cranks that begin at 1e-5 rad from flat: rounding decides there how they go on.
    let here = changed(
        "through-soon",
        &[
            (
                "pose = { at = [\"i\", 0.5], angle = \"pi/2\" }\nvelocity = { at = [0.5, 0], angular = -1 }",
                "pose = { at = [\"i + cos(1e-5)/2\", \"sin(1e-5)/2\"], angle = 1e-5 }\n\
                 velocity = { at = [\"sin(1e-5)/2\", \"-cos(1e-5)/2\"], angular = -1 }",
            ),
            (
                "pose = { at = [\"i - 1/2\", 1] }\nvelocity = { at = [1, 0] }",
                "pose = { at = [\"i - 1/2 + cos(1e-5)\", \"sin(1e-5)\"] }\n\
                 velocity = { at = [\"sin(1e-5)\", \"-cos(1e-5)\"] }",
            ),
        ],
    );
    let (_, stderr, code) = alembert(&["run", &shown(&here.join("model.toml"))]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("too soon after a start") && stderr.contains("hint: start farther away"), "{stderr}");
}
