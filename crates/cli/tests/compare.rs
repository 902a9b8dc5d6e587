//! What a user of `alembert compare` sees: transcripts of the built program.

#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::PathBuf;

use program::alembert;
use serde_json::Value;

#[test]
fn a_run_is_a_row() {
    let (stdout, stderr, code) = alembert(&["compare", "sleigh", "--methods", "radau5", "--repeats", "1"]);
    assert_eq!(code, 0);
    assert_eq!(stderr, "running radau5 on sleigh (1 of 1)\n");
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines[0], "sleigh  Chaplygin sleigh on the flat (nonholonomic, M(q)), to t = 5");
    assert_eq!(lines[1], "errors at the end against extrapolation of the index-1 form at tolerance 1e-14");
    let headings: Vec<&str> = lines[3].split_whitespace().collect();
    assert_eq!(
        headings,
        ["method", "tol", "ms", "steps", "rejected", "evaluations", "jacobians", "factored", "q", "v", "psi"]
    );
    assert_eq!(lines.len(), 4 + 10, "{stdout}");
    assert!(lines[4..].iter().all(|line| line.starts_with("  radau5  ")), "{stdout}");
}

#[test]
fn every_json_line_is_a_run() {
    let (stdout, _, code) =
        alembert(&["compare", "sleigh_bowl", "--methods", "radau3,alpha", "--repeats", "1", "--json"]);
    assert_eq!(code, 0);
    assert_eq!(stdout.lines().count(), 10 + 7);
    for line in stdout.lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(row["problem"], "sleigh_bowl");
        let adaptive = row["method"] == "radau3";
        assert_eq!((row["tol"].is_f64(), row["h"].is_f64()), (adaptive, !adaptive), "{line}");
        assert!(row["milliseconds"].as_f64().is_some_and(|time| time > 0.0), "{line}");
        assert!(row["evaluations"].is_u64() && row["jacobians"].is_u64() && row["factorisations"].is_u64(), "{line}");
        for variable in ["q", "v", "lambda", "psi"] {
            assert!(row["error"][variable].is_f64(), "{line}");
        }
        assert!(row["residual"]["position"].as_f64().is_some_and(|residual| residual < 1e-12), "{line}");
        assert!(row["failure"].is_null(), "{line}");
    }
    // Of order 2: sixteen times the steps, 256 times the accuracy.
    let errors: Vec<f64> = stdout
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|row| row["method"] == "alpha")
        .filter_map(|row| row["error"]["q"].as_f64())
        .collect();
    let ratio = errors[0] / errors[4];
    assert!((200.0..320.0).contains(&ratio), "{errors:?}");
}

#[test]
fn a_method_that_does_not_suit_is_shown_as_failed() {
    let (stdout, _, code) = alembert(&["compare", "sleigh", "--methods", "radau5,hht", "--repeats", "1"]);
    assert_eq!(code, 0, "the other method works");
    assert!(stdout.lines().any(|line| line.starts_with("  hht") && line.ends_with("failed")), "{stdout}");
    assert!(
        stdout.contains(
            "\nhht failed: hht-alpha cannot integrate this system: it has nonholonomic constraints\n  hint: "
        ),
        "{stdout}"
    );
    let (stdout, _, code) = alembert(&["compare", "sleigh", "--methods", "hht", "--json"]);
    assert_eq!(code, 1, "nobody reached the end");
    let row: Value = serde_json::from_str(stdout.trim_end()).expect("one line of JSON");
    assert!(row["failure"].as_str().is_some_and(|message| message.contains("nonholonomic")), "{row}");
    assert!(row["error"]["q"].is_null() && row["steps"].is_null(), "{row}");
}

#[test]
fn a_run_that_fails_on_the_way_keeps_its_row() {
    let (stdout, _, code) =
        alembert(&["compare", "pendulum_horizontal", "--methods", "hht", "--repeats", "1", "--json"]);
    assert_eq!(code, 0);
    let rows: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows.len(), 7);
    assert!(rows[0]["failure"].as_str().is_some_and(|message| message.contains("did not converge")), "{}", rows[0]);
    assert!(rows[6]["failure"].is_null());
}

#[test]
fn files_are_a_table_and_two_diagrams() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compare");
    let _ = fs::remove_dir_all(&folder);
    let path = folder.to_str().expect("UTF-8");
    let arguments = ["compare", "paper2", "--methods", "radau3,radau5,alpha", "--repeats", "1", "--out", path];
    assert_eq!(alembert(&arguments).2, 0);
    let mut names: Vec<String> = fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names.retain(|name| name != ".alembert-tables.json");
    assert_eq!(names, ["compare-paper2-evaluations.svg", "compare-paper2-time.svg", "compare-paper2.csv"]);
    let csv = fs::read_to_string(folder.join("compare-paper2.csv")).expect("the table");
    assert!(csv.starts_with("method,tol,h,milliseconds,steps,rejected,evaluations,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 10 + 10 + 7);
    let svg = fs::read_to_string(folder.join("compare-paper2-time.svg")).expect("the diagram");
    for words in ["time (ms)", "error of q at the end", "Radau 3", "Radau 5", "gen.-α"] {
        assert!(svg.contains(words), "{words}");
    }
}

#[test]
fn names_with_a_slip_are_told_the_right_ones() {
    let (stdout, stderr, code) = alembert(&["compare", "andrew"]);
    assert_eq!((stdout.as_str(), code), ("", 2));
    assert!(
        stderr.starts_with(
            "error: unknown problem `andrew`\nhint: did you mean `andrews`? the problems are oscillator, "
        ),
        "{stderr}"
    );
    let (stdout, stderr, code) = alembert(&["compare", "andrews", "--methods", "radau5,radua3"]);
    assert_eq!((stdout.as_str(), code), ("", 2));
    assert_eq!(
        stderr,
        "error: unknown method `radua3`\n\
         hint: did you mean `radau3`? the methods are radau3, radau5, radau7, bdf, alpha, hht\n"
    );
    assert_eq!(alembert(&["compare"]).2, 2);
    assert_eq!(alembert(&["compare", "andrews", "--repeats", "0"]).2, 2);
}

fn model(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compare-models");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(name);
    fs::write(&file, format!("format = 1\nname = 'a model'\n{text}")).expect("a file");
    file.display().to_string()
}

/// The motion ends at t = 1, where no y = t is left on the circle: the reference ends there, too.
#[test]
fn a_reference_that_cannot_advance_is_an_error() {
    for (name, constraints) in [
        ("meets-its-end.toml", "holonomic = ['x^2 + y^2 - 1', 'y - t']"),
        ("meets-its-end-faster.toml", "holonomic = ['x^2 + y^2 - 1', 'y - t - t^2']"),
    ] {
        let text = format!(
            "[variables]\ncoordinates = ['x', 'y']\n[equations]\nmass = ['1', '1']\nforce = ['0', '0']\n{constraints}\n\
             [initial]\nx = 1\ny = 0\n\"y'\" = 1\n[run]\nt_end = 2\n"
        );
        let (stdout, stderr, code) = alembert(&["compare", &model(name, &text), "--repeats", "1"]);
        assert_eq!((stdout.as_str(), code), ("", 1), "{stderr}");
        assert!(stderr.contains("its reference, extrapolation of the index-1 form"), "{stderr}");
        assert!(stderr.contains("does not reach the end"), "{stderr}");
    }
}

#[test]
fn a_reference_that_is_worse_than_the_runs_is_refused() {
    let text = |frequency: f64| {
        format!(
            "[variables]\ncoordinates = ['x']\n[equations]\nmass = ['1']\nforce = ['-4*x']\n[initial]\nx = 1\n\
             [exact]\nx = 'cos({frequency}*t)'\n[run]\nt_end = 3\n"
        )
    };
    for methods in ["radau5,bdf", "alpha"] {
        let run = |name: &str, frequency: f64| {
            alembert(&["compare", &model(name, &text(frequency)), "--methods", methods, "--repeats", "1"])
        };
        let (stdout, stderr, code) = run("right.toml", 2.0);
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.contains("\nerrors at the end against known values at the end\n"), "{stdout}");
        let (stdout, stderr, code) = run("wrong.toml", 2.001);
        assert_eq!((stdout.as_str(), code), ("", 1), "{stderr}");
        assert!(stderr.contains("is worse than the runs: "), "{stderr}");
        assert!(stderr.contains("hint: check the formulas under [exact]"), "{stderr}");
    }
}
