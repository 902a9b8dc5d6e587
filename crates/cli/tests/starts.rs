//! What a user sees of starts that are refused, or repaired with a word: transcripts of the built program.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::PathBuf;

use folder::folder;
use program::alembert;

const PLANE: &str = "format = 1\nname = \"m\"\n[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\n";

/// Writes a model.
fn write(name: &str, text: &str) -> PathBuf {
    let folder = folder(&format!("starts-{name}"));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("model.toml");
    fs::write(&path, text).expect("a writable folder");
    path
}

/// Runs a model; standard error and exit code.
fn run(name: &str, text: &str) -> (String, i32) {
    let path = write(name, text);
    let (_, stderr, code) = alembert(&["run", &path.display().to_string()]);
    (stderr, code)
}

fn plane(name: &str, equations: &str, initial: &str) -> (String, i32) {
    run(name, &format!("{PLANE}{equations}\n[initial]\n{initial}\n[run]\nt_end = 2\n"))
}

#[test]
fn a_contradiction_of_redundant_constraints_stops_the_run_with_names_and_time() {
    let (stderr, code) = plane(
        "contradiction",
        "mass = [1, 1]\nforce = [\"0\", \"0\"]\nredundant = \"least squares\"\nholonomic = [{ name = \"ramp\", formula = \"x - t^3\" }, { name = \"stop\", formula = \"x\" }]",
        "x = 0\ny = 0",
    );
    assert_ne!(code, 0, "{stderr}");
    assert!(stderr.contains("the constraints contradict each other from here on"), "{stderr}");
    assert!(stderr.contains("ramp") && stderr.contains("stop") && stderr.contains("t = 0.000"), "{stderr}");
    assert!(stderr.contains("hint: redundant constraints are accepted as long as they agree"), "{stderr}");
    assert!(!stderr.contains("least squares"), "a hint suggests what is set: {stderr}");
}

#[test]
fn nearly_redundant_bars_run_and_are_told() {
    let (stderr, code) = plane(
        "nearly",
        "mass = [1, 1]\nforce = [\"0\", \"-9.81\"]\nredundant = \"least squares\"\nholonomic = [\"sqrt(x^2 + y^2) - 1\", \"sqrt(x^2 + y^2) - 1 - 1e-9\"]",
        "x = 1\ny = 0",
    );
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("1 redundant constraints accepted, which agree to 5.0e-10 at the start"), "{stderr}");
}

#[test]
fn starts_are_refused_with_words() {
    let motion = "mass = [1, 1]\nforce = [\"0\", \"-9.81\"]\n";
    let rod = |formula: &str| format!("{motion}holonomic = [{{ name = \"rod\", formula = \"{formula}\" }}]");
    for (name, equations, message, hint) in [
        ("pivot", rod("x^2 + y^2 - 1"), "the derivative of rod vanishes at the start", "start elsewhere"),
        (
            "root",
            rod("sqrt(x^2 + y^2) - 1"),
            "the derivative of rod with respect to x is not a finite number",
            "start elsewhere",
        ),
        ("point", rod("x^2 + y^2"), "the derivative of rod vanishes", "another form"),
        (
            "mass",
            "mass = [1, -2]\nforce = [\"0\", \"0\"]".to_owned(),
            "negative mass -2.000e0 along 1.000 y'",
            "indefinite_mass = true under [equations]",
        ),
        (
            "free",
            format!("{motion}nonholonomic = [{{ name = \"rod\", formula = \"x^2 + y^2 - 1\" }}]"),
            "constraint `rod` does not depend on velocities",
            "write it under holonomic",
        ),
        (
            "twice",
            format!("{motion}holonomic = [\"x\", \"2*x\"]"),
            "holonomic 2 follows from 2 holonomic 1",
            "redundant = \"least squares\"",
        ),
    ] {
        let (stderr, code) = plane(name, &equations, "x = 0\ny = 0");
        assert_ne!(code, 0, "{name}: {stderr}");
        assert!(stderr.contains(message), "{name}: {stderr}");
        assert!(stderr.split("hint: ").nth(1).is_some_and(|told| told.contains(hint)), "{name}: {stderr}");
    }
}

#[test]
fn a_quaternion_by_hand_keeps_its_length() {
    let model = |norm: &str, p0: &str| {
        format!(
            "format = 1\nname = \"m\"\n[variables]\ncoordinates = [\"x\", \"y\", \"c\", \"s\"]\nvelocities = [\"vx\", \"vy\", \"w\"]\n[equations]\nmass = [1, 1, 1]\nforce = [\"0\", \"-9.81\", \"0\"]\nvelocities = [\"vx\", \"vy\", \"-s*w\", \"c*w\"]\nholonomic = [\"x - 0.5*c\", \"y - 0.5*s\"{norm}\n[initial]\nx = 0.45\ny = 0.1\nc = {p0}\ns = 0\n[outputs]\narm = \"sqrt(x^2 + y^2)\"\n[run]\nt_end = 1\n"
        )
    };
    let path = write("kept", &model("]", "1"));
    let (stdout, stderr, code) = alembert(&["run", &path.display().to_string(), "--output-every", "1"]);
    assert_eq!(code, 0, "{stderr}");
    for line in stdout.lines().skip(1) {
        let arm: f64 = line.rsplit(',').next().and_then(|arm| arm.parse().ok()).expect("a number");
        assert!((arm - 0.5).abs() < 1e-6, "{arm}");
    }
    assert!(!stderr.contains("do not reach"), "{stderr}");
    let norm = ", { name = \"norm\", formula = \"c^2 + s^2 - 1\" }]";
    let (stderr, code) = run("norm", &model(norm, "1"));
    assert_ne!(code, 0);
    assert!(stderr.contains("norm follows from the kinematics") && stderr.contains("hint: remove it"), "{stderr}");
    // A guess that is no unit has to change its length: told with a number.
    let (stderr, code) = run("long", &model(&format!("{norm}\nredundant = \"least squares\""), "1.2"));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("the start was moved by 2.00e-1 in directions that the rates"), "{stderr}");
}
