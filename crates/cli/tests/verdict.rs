//! What a run and a check say of a result: warnings, strictness, kinks.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::PathBuf;

use folder::folder;
use program::alembert;
use serde_json::Value;

/// A model in a folder of its own.
fn written(name: &str, text: &str) -> (PathBuf, String) {
    let out = folder(name);
    fs::create_dir_all(&out).expect("a folder");
    let path = out.join("model.toml");
    fs::write(&path, format!("format = 1\n{text}")).expect("a file");
    let path = path.display().to_string();
    (out, path)
}

const PENDULUM: &str = "[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
    potential = \"9.81*y\"\nholonomic = [{ name = \"rod\", formula = \"x^2 + y^2 - 1\" }]\n[initial]\nx = 1\ny = 0\n[run]\n";

#[test]
fn warnings_are_told_and_strict_takes_them_for_failures() {
    // Order 3 at fixed steps is not stable: the pendulum gains energy from nowhere.
    let (out, model) =
        written("trust-strict", &format!("{PENDULUM}t_end = 60\nmethod = \"bdf\"\norder = 3\nh = 0.05\n"));
    let results = out.join("results");
    let path = results.display().to_string();
    let (_, stderr, code) = alembert(&["run", &model, "--out", &path, "--quiet"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("warning: the energy balance, with a defect of "), "{stderr}");
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(results.join("summary.json")).expect("a summary")).expect("JSON");
    let found = summary["warnings"].as_array().expect("a list");
    let energy = found.iter().find(|warning| warning["kind"] == "energy").expect("a warning");
    assert!(energy["value"].as_f64() > Some(0.5) && energy["limit"].as_f64() == Some(0.01), "{energy}");
    let method = found.iter().find(|warning| warning["kind"] == "method").expect("order 3 is told as well");
    assert_eq!((method["value"].as_f64(), method["limit"].as_f64()), (Some(3.0), Some(2.0)), "{method}");
    assert!(stderr.contains(energy["message"].as_str().expect("words")), "{stderr}");
    // Strictly: code 1, and the results all the same.
    let (_, stderr, code) = alembert(&["run", &model, "--out", &path, "--strict"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(results.join("result.csv").exists() && results.join("summary.json").exists());
    // A good run has none.
    let (stdout, stderr, code) =
        alembert(&["run", &model, "--method", "radau", "--rtol", "1e-8", "--json", "--strict"]);
    let summary: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((code, &summary["warnings"]), (0, &serde_json::json!([])), "{stderr}");
    // Sweeps count them.
    let (stdout, stderr, code) = alembert(&["sweep", &model, "--strict"]);
    assert_eq!((code, stderr.as_str()), (1, "1 runs, 0 failed, 1 with warnings\n"));
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(lines[0].ends_with(",warnings") && lines[1].ends_with(",2"), "{stdout}");
    assert_eq!(alembert(&["sweep", &model]).2, 0);
}

#[test]
fn check_stands_kinks_and_large_angles_and_names_variables() {
    let bodies = "[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nmass = [1, 1]\n";
    for (name, text) in [
        ("contact", "force = [0, \"1e4*max(0, -y)^2 - 9.81\"]\n[initial]\nx = 0\ny = 0\n"),
        ("penalty", "force = [0, \"1e6*max(0, -y) - 2*abs(y')\"]\n[initial]\nx = 0\ny = 0\n"),
        ("angle", "force = [\"-9.81*sin(x)\", \"cos(x)*x'\"]\n[initial]\nx = 1000\ny = 0\n"),
        ("turned", "force = [0, -1]\nholonomic = [\"y - 0.3*cos(x)\"]\n[initial]\nx = 1000\ny = \"0.3*cos(1000)\"\n"),
        ("root", "force = [\"-sqrt(x)\", 0]\n[initial]\nx = 1e-9\ny = 0\n"),
        (
            "fast",
            "force = [\"sin(5e3*x)\", 0]\nholonomic = [\"y - 0.1*sin(2e3*t)\"]\n[initial]\nx = 0\ny = 0\n\"y'\" = 200\n",
        ),
    ] {
        let (_, model) = written(&format!("trust-check-{name}"), &format!("{bodies}{text}[run]\nt_end = 1\n"));
        let (stdout, stderr, code) = alembert(&["check", &model]);
        assert_eq!(code, 0, "{name}: {stdout}{stderr}");
        assert!(stdout.contains("agree with differences"), "{name}: {stdout}");
    }
}

#[test]
fn a_quiet_run_that_ends_early_says_only_why() {
    let (_, stderr, code) = alembert(&["run", "models/pendulum.toml", "--max-steps", "3", "--quiet"]);
    assert_eq!(code, 3);
    let lines: Vec<&str> = stderr.lines().collect();
    let [outcome, limit, hint] = lines[..] else { panic!("{stderr}") };
    assert!(
        outcome.ends_with("results are partial") && limit.contains("3 steps") && hint.starts_with("hint: "),
        "{stderr}"
    );
}
