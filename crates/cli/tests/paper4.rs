//! Paper 4 through `alembert reproduce`: transcripts of the built program.

#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::PathBuf;

use program::alembert;
use serde_json::Value;

/// The rows of one experiment.
fn rows(experiment: &str) -> (Vec<Value>, String, i32) {
    let (stdout, stderr, code) = alembert(&["reproduce", "--json", "--experiment", experiment]);
    let parse = |line| serde_json::from_str::<Value>(line).expect("JSON");
    let rows: Vec<Value> = stdout.lines().map(parse).collect();
    assert!(rows.iter().all(|row| row["experiment"] == experiment));
    (rows, stderr, code)
}

#[test]
fn the_paper_has_its_experiments() {
    let (stdout, _, code) = alembert(&["reproduce", "--list", "--paper", "4"]);
    assert_eq!(code, 0);
    let names: Vec<&str> = stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["4/orders", "4/fig1", "4/fig2", "4/fig3", "4/tab1", "4/fig4", "4/fig5", "4/tab2"]);
}

#[test]
fn table_1_costs_less_than_the_paper_at_equal_error() {
    let (rows, stderr, code) = rows("4/tab1");
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(rows.len(), 8);
    for row in &rows {
        assert!(row["tol"].is_f64() && row["projection"].is_boolean(), "{row}");
        for count in ["evaluations", "jacobians", "steps", "forces"] {
            assert!(row[count].is_u64(), "{count}: {row}");
        }
        for variable in ["q", "v", "lambda"] {
            assert!(row["error"][variable].as_f64().is_some_and(|error| error < 1e-3), "{row}");
        }
        assert!(row["paper"]["evaluations"].is_u64() && row["paper"]["jacobians"].is_u64(), "{row}");
    }
    let tolerances: Vec<f64> = rows.iter().filter_map(|row| row["tol"].as_f64()).collect();
    assert_eq!(tolerances, [1e-6, 1e-6, 1e-8, 1e-8, 1e-10, 1e-10, 1e-12, 1e-12]);
    assert!(stderr.contains("3 of 3 evaluation counts at equal error are small enough"), "{stderr}");
}

#[test]
fn people_see_the_counts_at_equal_error() {
    let (stdout, _, code) = alembert(&["reproduce", "--experiment", "4/tab1"]);
    assert_eq!(code, 0);
    let mut lines = stdout.lines().skip_while(|line| !line.starts_with("evaluations at equal error"));
    assert_eq!(lines.next(), Some("evaluations at equal error of q, both with projection"));
    assert_eq!(lines.nth(1), Some("  error of q  evaluations  paper  ratio"));
    for error in ["1.000e-4", "1.000e-6", "1.000e-8"] {
        let line = lines.next().unwrap_or_default();
        let cells: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(cells.len(), 4, "{line}");
        assert_eq!(cells[0], error);
        assert!(cells[3].parse::<f64>().is_ok_and(|ratio| ratio <= 0.45), "{line}");
    }
}

#[test]
fn orders_are_those_of_the_theorem() {
    let (rows, stderr, code) = rows("4/orders");
    assert_eq!(code, 0, "{stderr}");
    for row in &rows {
        assert!(row["method"].is_string() && row["h"].is_f64() && row["projection"].is_boolean(), "{row}");
        assert!(row["error"]["q"].is_f64() && row["order"].is_object(), "{row}");
    }
    let finest = |method: &str, projection: bool| {
        let of = |row: &&Value| row["method"] == method && row["projection"] == projection;
        rows.iter().rfind(of).map(|row| row["order"].clone()).expect("a ladder")
    };
    for (method, stages) in [("Radau IIA 2", 2.0), ("Radau IIA 3", 3.0)] {
        let order = finest(method, true);
        let near = |name: &str, expected: f64| {
            assert!(order[name].as_f64().is_some_and(|found| (found - expected).abs() < 0.15), "{method} {order}");
        };
        near("q", 2.0 * stages - 1.0);
        near("v", 2.0 * stages - 1.0);
        near("lambda", stages - 1.0);
    }
}

#[test]
fn projected_runs_do_not_drift() {
    let (rows, stderr, code) = rows("4/fig2");
    assert_eq!(code, 0, "{stderr}");
    let largest = |level: &str, projection: bool| {
        let row = rows.iter().find(|row| row["level"] == level && row["projection"] == projection);
        row.and_then(|row| row["largest"].as_f64()).expect("a curve")
    };
    for level in ["d1", "d2"] {
        assert!(largest(level, true) < 1e-15 && largest(level, false) > 1e-13, "{level}");
    }
}

#[test]
fn curves_go_to_files_and_their_largest_values_to_the_terminal() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("paper4");
    let _ = fs::remove_dir_all(&folder);
    let path = folder.to_str().expect("UTF-8");
    let (stdout, _, code) = alembert(&["reproduce", "--experiment", "4/fig3", "--out", path]);
    assert_eq!(code, 0);
    assert_eq!(stdout.lines().count(), 11, "{stdout}");
    let csv = fs::read_to_string(folder.join("4-fig3.csv")).expect("the curves");
    assert_eq!(csv.lines().next(), Some("level,projection,t,deviation"));
    assert!(csv.lines().any(|line| line.starts_with("d3 reported,true,2.0")), "{csv}");
    let svg = fs::read_to_string(folder.join("4-fig3.svg")).expect("the figure");
    assert!(svg.contains("d₃ projected") && svg.contains("time t"));
    assert!(folder.join("4-fig3-largest.csv").exists() && !folder.join("4-fig3-largest.svg").exists());
}
