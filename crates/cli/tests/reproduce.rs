//! What a user of `alembert reproduce` sees: transcripts of the built program.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;

use std::fs;

use folder::folder;
use program::alembert;
use serde_json::Value;

#[test]
fn a_table_and_its_verdict() {
    let (stdout, stderr, code) = alembert(&["reproduce", "--experiment", "3/fig1"]);
    assert_eq!(
        stdout,
        "\
3/fig1  SOI2, rho 0.2, steps 2h/3, 4h/3 with (15), (16), previous-step mass

          h  steps         q  order         v  order         a  order    lambda  order       psi  order
  1.0000e-1     10  1.974e-2         2.002e-2         4.566e-2         3.046e-3         8.366e-4
  5.0000e-2     20  4.645e-3   2.09  4.712e-3   2.09  1.140e-2   2.00  9.956e-4   1.61  2.443e-4   1.78
  2.5000e-2     40  1.132e-3   2.04  1.148e-3   2.04  2.863e-3   1.99  2.806e-4   1.83  6.472e-5   1.92
  1.2500e-2     80  2.797e-4   2.02  2.838e-4   2.02  7.186e-4   1.99  7.431e-5   1.92  1.658e-5   1.96
  6.2500e-3    160  6.954e-5   2.01  7.055e-5   2.01  1.801e-4   2.00  1.911e-5   1.96  4.193e-6   1.98
  3.1250e-3    320  1.734e-5   2.00  1.759e-5   2.00  4.507e-5   2.00  4.844e-6   1.98  1.054e-6   1.99
  1.5625e-3    640  4.328e-6   2.00  4.392e-6   2.00  1.127e-5   2.00  1.220e-6   1.99  2.641e-7   2.00

10 of 10 errors agree to 3 digits, 5 of 5 orders are as expected

1 of 1 experiments agree (15 numbers compared)
"
    );
    assert_eq!(stderr, "running 3/fig1 (1 of 1)\n");
    assert_eq!(code, 0);
}

#[test]
fn every_json_line_has_the_same_members() {
    let (stdout, stderr, code) =
        alembert(&["reproduce", "--json", "--experiment", "1/fig5.1", "--experiment", "3/fig1"]);
    assert_eq!(code, 0);
    assert_eq!(stdout.lines().count(), 6 + 7);
    for line in stdout.lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        assert!(row["h"].is_f64() && row["steps"].is_u64(), "{line}");
        for group in ["error", "order"] {
            let members: Vec<&String> = row[group].as_object().expect("an object").keys().collect();
            assert_eq!(members.len(), 5, "{line}");
            for variable in ["q", "v", "a", "lambda", "psi"] {
                let value = &row[group][variable];
                assert!(value.is_f64() || value.is_null(), "{line}");
            }
        }
        let is_first = row["h"] == 0.1;
        assert_eq!(row["order"]["q"].is_null(), is_first, "the first row has no order: {line}");
        assert_eq!(row["error"]["psi"].is_null(), row["experiment"] == "1/fig5.1", "{line}");
    }
    assert!(stderr.contains("3/fig1: 10 of 10 errors agree to 3 digits, 5 of 5 orders are as expected"), "{stderr}");
    assert!(stderr.ends_with("2 of 2 experiments agree (28 numbers compared)\n"), "{stderr}");
}

#[test]
fn files_are_whole_and_full_of_digits() {
    let folder = folder("files");
    let path = folder.to_str().expect("UTF-8");
    let (json, _, _) = alembert(&["reproduce", "--experiment", "3/fig1", "--json"]);
    let (_, _, code) = alembert(&["reproduce", "--experiment", "3/fig1", "--out", path]);
    assert_eq!(code, 0);
    let mut names: Vec<String> = fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names.retain(|name| name != ".alembert-tables.json");
    assert_eq!(names, ["3-fig1.csv", "3-fig1.svg"], "and no temporary file");

    let csv = fs::read_to_string(folder.join("3-fig1.csv")).expect("the table");
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("h,steps,error_q,order_q,error_v,order_v,error_a,order_a,error_lambda,order_lambda,error_psi,order_psi")
    );
    for (line, json) in lines.zip(json.lines()) {
        let row: Value = serde_json::from_str(json).expect("JSON");
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), 12);
        assert_eq!(cells[2].parse::<f64>().ok(), row["error"]["q"].as_f64(), "the same bits in both");
        assert_eq!(cells[2].chars().filter(char::is_ascii_digit).count(), 17 + 1, "17 digits and an exponent");
    }
    let svg = fs::read_to_string(folder.join("3-fig1.svg")).expect("the figure");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    for words in ["3/fig1", "step size h", "error at t = 1 (2-norm)", "λ", "ψ"] {
        assert!(svg.contains(words), "{words}");
    }
}

#[test]
fn a_name_with_a_slip_is_told_the_right_one() {
    let (stdout, stderr, code) = alembert(&["reproduce", "--experiment", "3/fgi1"]);
    assert_eq!((stdout.as_str(), code), ("", 2));
    assert!(
        stderr.starts_with(
            "error: unknown experiment `3/fgi1`\nhint: did you mean `3/fig1`? the experiments are 1/fig5.1, "
        ),
        "{stderr}"
    );
}

#[test]
fn a_paper_that_is_not_there() {
    let (stdout, stderr, code) = alembert(&["reproduce", "--paper", "7"]);
    assert_eq!((stdout.as_str(), code), ("", 2));
    assert_eq!(stderr, "error: there are no experiments of paper 7\nhint: the papers are 1, 2, 3, 4, 5\n");
}

#[test]
fn a_name_of_another_paper() {
    let (_, stderr, code) = alembert(&["reproduce", "--paper", "1", "--experiment", "3/fig1"]);
    assert_eq!(code, 2);
    assert_eq!(stderr, "error: experiment `3/fig1` is not of paper 1\nhint: leave out --paper, or --experiment\n");
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_work() {
    let folder = folder("refused");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("file");
    fs::write(&file, "not a folder").expect("a file");
    let below = file.join("out");
    let (stdout, stderr, code) = alembert(&["reproduce", "--out", below.to_str().expect("UTF-8")]);
    assert_eq!((stdout.as_str(), code), ("", 2));
    assert!(stderr.starts_with(&format!("error: cannot write to folder {}: ", below.display())), "{stderr}");
    assert!(stderr.contains("\nhint: "), "{stderr}");
    assert!(!stderr.contains("running"), "{stderr}");
}

#[test]
fn a_paper_lists_its_experiments() {
    let (stdout, _, code) = alembert(&["reproduce", "--list", "--paper", "2"]);
    assert_eq!(code, 0);
    let names: Vec<&str> = stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["2/fig7.1", "2/fig7.2"]);
}

#[test]
fn help_names_every_option() {
    let (stdout, stderr, code) = alembert(&["reproduce", "--help"]);
    assert_eq!((stderr.as_str(), code), ("", 0));
    assert_eq!(
        stdout,
        "\
Run the papers' experiments again and compare every number with the expected one

Usage: alembert reproduce [OPTIONS]

Options:
      --paper <N>          Only the experiments of this paper
      --experiment <NAME>  Only this experiment, as 1/fig5.1 (may be repeated)
      --out <DIR>          Write a table (CSV) and a plot (SVG) of each experiment to this folder
      --json               Print one JSON object for each row, and nothing else, to standard output
      --list               List the experiments instead of running them
  -q, --quiet              No words on standard error but errors
  -h, --help               Print help
"
    );
}

#[test]
fn an_unknown_option_or_no_command_is_bad_usage() {
    assert_eq!(alembert(&["reproduce", "--papers"]).2, 2);
    assert_eq!(alembert(&["reproduce", "--paper", "one"]).2, 2);
    assert_eq!(alembert(&[]).2, 2);
}
