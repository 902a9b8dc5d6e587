//! What a user of `alembert verify` sees: transcripts of the built program on models with known answers.

#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::PathBuf;

use program::alembert;
use serde_json::Value;

/// Verifies a model; its JSON and exit code.
fn verify(name: &str, text: &str, more: &[&str]) -> (Value, i32) {
    let file = model(name, text);
    let (stdout, stderr, code) = alembert(&[&["verify", &file, "--json"], more].concat());
    (serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}")), code)
}

fn model(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("verify");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(name);
    fs::write(&file, format!("format = 1\nname = 'a model'\n{text}")).expect("a file");
    file.display().to_string()
}

fn doubts(told: &Value) -> String {
    told["doubts"].as_array().expect("doubts").iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
}

const PENDULUM: &str = "[variables]\ncoordinates = ['x', 'y']\n[equations]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
    potential = '9.81*y'\nholonomic = ['x^2 + y^2 - 1']\n[initial]\nx = 1\ny = 0\n";

/// The row "rtol = 1e-9" is the run of that name, with its steps: not one that also ends at parts of the way between rows.
#[test]
fn every_row_is_the_run_it_names() {
    for run in [
        "[run]\nt_end = 2\nrtol = 1e-6\noutput_every = 0.05\n",
        "[run]\nt_end = 2\nrtol = 1e-6\n",
        "[run]\nt_end = 2\nh = 0.02\n",
    ] {
        let text = format!("{PENDULUM}{run}");
        let (told, code) = verify("rows.toml", &text, &[]);
        assert_eq!(code, 0, "{told}");
        let file = model("rows.toml", &text);
        for rung in told["ladder"].as_array().expect("a ladder") {
            let chosen = rung["steps_chosen"].as_str().expect("words").split(", ").next().expect("a value");
            let (option, value) = chosen.split_once(" = ").expect("a value");
            let option = format!("--{option}");
            let (stdout, _, _) = alembert(&["run", &file, &option, value, "--json"]);
            let summary: Value = serde_json::from_str(&stdout).expect("JSON");
            assert_eq!(rung["steps"], summary["statistics"]["steps"], "{chosen}: {summary}");
        }
    }
}

/// An error of 200 tolerances has a right bar, and is not certified: the long way of a phase.
#[test]
fn errors_beyond_a_hundred_tolerances_are_not_certified() {
    let text = "[variables]\ncoordinates = ['x']\n[equations]\nmass = ['1']\nforce = ['-100*x']\n[initial]\nx = 1\n\
                [run]\nt_end = 600\nmethod = 'bdf'\nrtol = 1e-6\noutput_every = 0.5\n";
    let (told, code) = verify("phase.toml", text, &[]);
    let file = model("phase.toml", text);
    let (csv, _, _) = alembert(&["run", &file, "--quiet"]);
    let rows =
        csv.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().expect("a number")).collect::<Vec<f64>>());
    let error = rows.map(|row| (row[1] - (10.0 * row[0]).cos()).abs()).fold(0.0, f64::max);
    assert!(error > 200e-6, "the case is too easy: {error:e}");
    let bar = told["error_bars"]["q"].as_f64().expect("a bar");
    assert!(error <= bar && bar < 1.5 * error, "{error:e} {bar:e}");
    assert_eq!(code, 1);
    assert!(doubts(&told).contains("tolerances"), "{told}");
    let until = told["trusted_until"].as_f64().expect("a time");
    assert!((1.0..599.0).contains(&until), "{told}");
}

/// At the edge of rounding the ladder goes up; nothing fails.
#[test]
fn the_finest_tolerances_are_verified_too() {
    for (rtol, result) in [("1e-11", 1), ("1e-12", 2), ("1e-13", 3)] {
        let (told, code) =
            verify("fine.toml", &format!("{PENDULUM}[run]\nt_end = 1\nrtol = 1e-6\n"), &["--rtol", rtol]);
        let ladder = told["ladder"].as_array().expect("a ladder");
        assert_eq!(ladder.len(), 4, "{told}");
        assert_eq!(ladder.iter().position(|rung| rung["is_result"] == true), Some(result), "{told}");
        assert_eq!(code, 0, "{told}");
    }
}

/// Order 9: one halving of the step and errors are rounding.
#[test]
fn radau_with_fixed_steps_at_rounding_is_no_alarm() {
    for (h, t_end) in [("0.1", "5"), ("0.05", "5"), ("0.02", "5"), ("0.01", "2")] {
        let (told, code) = verify("fixed.toml", &format!("{PENDULUM}[run]\nt_end = {t_end}\nh = {h}\n"), &[]);
        assert_eq!(code, 0, "h = {h}: {told}");
    }
}

#[test]
fn a_wrong_exact_solution_is_told_from_wrong_runs() {
    let text = |x: &str| {
        format!(
            "[variables]\ncoordinates = ['x', 'y']\n[equations]\nmass = ['1', '1']\nforce = ['-4*x', '-y']\n\
             [initial]\nx = 1\ny = 1\n[exact]\nx = '{x}'\ny = 'cos(t)'\n[run]\nt_end = 3\nrtol = 1e-7\noutput_every = 0.1\n"
        )
    };
    let (told, code) = verify("right.toml", &text("cos(2*t)"), &[]);
    assert_eq!((code, told["reference"].as_str()), (0, Some("the exact solution")), "{told}");
    let (told, code) = verify("wrong.toml", &text("cos(2*t) + 1e-4*t"), &[]);
    assert_eq!(code, 1, "{told}");
    let words = doubts(&told);
    assert!(
        words.starts_with("the runs converge, but not to [exact]: check its formulas for x (off by 3.0e-4)"),
        "{words}"
    );
    assert!(!words.contains("y (") && !words.contains("; "), "{words}");
    // The bars are those of the runs, which are right.
    assert!(told["error_bars"]["q"].as_f64().expect("a bar") < 1e-5, "{told}");
}

/// A pulse between the steps of all runs: x = 2e-3 (t - 1.2345) after it, and nothing without it.
#[test]
fn a_pulse_that_all_runs_miss_is_not_certified() {
    for (method, steps) in [
        ("radau", "rtol = 1e-6"),
        ("bdf", "rtol = 1e-6"),
        ("soi2", "rtol = 1e-5"),
        ("radau", "rtol = 1e-4"),
        ("radau", "h = 0.02"),
    ] {
        let pulse = |of: &str, rest: &str| {
            format!(
                "[variables]\ncoordinates = ['x', 'y']\n[equations]\nmass = ['0.5', '1']\n\
                 force = ['10*max(0, 1 - abs({of} - 1.2345)/1e-4)', '0']\n[initial]\nx = 0\ny = 0\n\"y'\" = 1\n\
                 [run]\nt_end = 5\nmethod = '{method}'\n{steps}\noutput_every = 0.1\n{rest}"
            )
        };
        // As a function of a coordinate, which is t here, nobody knows of it beforehand.
        let (told, code) = verify("pulse.toml", &pulse("y", "smooth = true"), &[]);
        assert_eq!(code, 1, "{method} {steps}: {told}");
        let bar = told["error_bars"]["q"].as_f64().expect("a bar");
        assert!((0.007..0.01).contains(&bar), "{method} {steps}: {told}");
        // Its switches are met, whatever the steps are.
        let (told, code) = verify("pulse.toml", &pulse("y", ""), &[]);
        let bar = told["error_bars"]["q"].as_f64().expect("a bar");
        assert!(code == 0 && bar < 1e-6, "{method} {steps}: {told}");
        // As one of t it is landed on, unless steps are prescribed.
        let (told, code) = verify("pulse.toml", &pulse("t", ""), &[]);
        let bar = told["error_bars"]["q"].as_f64().expect("a bar");
        if steps.starts_with('h') {
            assert!(code == 1 && bar > 0.007, "{method} {steps}: {told}");
        } else {
            assert!(code == 0 && bar < 1e-3, "{method} {steps}: {told}");
        }
    }
}

/// Three bounces of a ball, each half as fast as the one before.
#[test]
fn impacts_are_verified_with_their_times() {
    let text = "[variables]\ncoordinates = ['y']\n[equations]\nmass = ['2']\nforce = ['-19.62']\n[initial]\ny = 1\n\
                [[events]]\nname = 'floor'\nformula = 'y'\ndirection = 'falling'\naction = 'bounce'\nrestitution = 0.5\n\
                [run]\nt_end = 1.2\nrtol = 1e-8\noutput_every = 0.05\n";
    let (told, code) = verify("ball.toml", text, &[]);
    assert_eq!(code, 0, "{told}");
    assert!(told["error_bar_of_event_times"].as_f64().is_some_and(|bar| bar < 1e-9), "{told}");
}

/// x = t until the force jumps at x = 1, in the very instant of a row: accelerations and multipliers of some runs are those before, of others those
/// after, and all are right.
#[test]
fn accelerations_are_not_compared_across_a_jump_at_a_row() {
    let model = |force: &str| {
        format!(
            "[variables]\ncoordinates = ['x', 'y']\n[equations]\nmass = ['1', '1']\nforce = ['-1 - {force}', '3*{force}']\n\
             holonomic = ['y']\n[initial]\nx = 0\ny = 0\n\"x'\" = 1\n[run]\nt_end = 1.75\nrtol = 1e-6\natol = 1e-6\noutput_every = 0.25\n"
        )
    };
    for method in ["radau", "bdf", "soi2"] {
        let (told, code) = verify("jump_at_a_row.toml", &model("sign(x - 1)"), &["--method", method]);
        assert_eq!(code, 0, "{method}: {told}");
        // They are compared at the other rows.
        for quantity in ["q", "v", "a", "lambda"] {
            assert!(
                told["error_bars"][quantity].as_f64().is_some_and(|bar| bar < 1e-5),
                "{method}, {quantity}: {told}"
            );
        }
    }
    // A force that is as wrong everywhere is still seen: the same without a jump, against a wrong formula.
    let wrong = format!("{}[exact]\nx = 't'\ny = '0'\n", model("0*x"));
    let (told, code) = verify("no_jump.toml", &wrong, &[]);
    assert_ne!(code, 0, "{told}");
}
