//! Models with many links, and with constraints too many, as a user of the commands sees them.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::Path;

use folder::folder;
use program::alembert;
use serde_json::Value;

/// The train of parallelograms with another word for its redundant constraints.
fn train(name: &str, redundant: &str) -> String {
    let out = folder(&format!("large-{name}"));
    fs::create_dir_all(&out).expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("models/parallelogram.toml")).expect("a model");
    let path = out.join("train.toml");
    let line = "redundant = \"least squares\"\n";
    assert!(text.contains(line));
    fs::write(&path, text.replace(line, redundant)).expect("a file");
    path.display().to_string()
}

#[test]
fn check_says_which_redundant_constraints_are_accepted() {
    let (stdout, _, code) = alembert(&["check", "models/parallelogram.toml"]);
    assert_eq!(code, 0);
    for words in [
        "degrees of freedom: 2 (6 velocities, 4 independent constraints)",
        "constraints: rank 4 of 6 at the start, 2 redundant",
        "accepted: middle bar 1 follows from 0.5 left bar 1 + 0.5 right bar 1; the smallest multipliers are taken",
        "accepted: middle bar 2 follows from 0.5 left bar 2 + 0.5 right bar 2; the smallest multipliers are taken",
    ] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
    // With sparse matrices.
    let long = ["check", "models/parallelogram.toml", "--set", "N=110"];
    let (stdout, _, code) = alembert(&long);
    assert_eq!(code, 0);
    assert!(stdout.contains("rank 220 of 330 at the start, 110 redundant"), "{stdout}");
    assert!(stdout.contains("accepted: 100 more, see --json"), "{stdout}");
    let (stdout, _, code) = alembert(&[&long[..], &["--json"]].concat());
    let told: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((code, told["good"].as_bool(), told["degrees_of_freedom"].as_u64()), (0, Some(true), Some(110)));
    let redundant = told["redundant"].as_array().expect("a list");
    assert_eq!(redundant.len(), 110);
    assert_eq!(redundant[109]["constraint"], "middle bar 110");
    assert_eq!(redundant[109]["follows_from"][1]["constraint"], "right bar 110");
}

#[test]
fn redundant_constraints_that_are_not_accepted_are_all_named() {
    for (name, redundant) in [("silent", ""), ("refused", "redundant = \"refused\"\n")] {
        let path = train(name, redundant);
        for n in ["N=2", "N=110"] {
            let (stdout, _, code) = alembert(&["check", &path, "--set", n]);
            assert_eq!(code, 1);
            let (_, stderr, code) = alembert(&["run", &path, "--set", n]);
            assert_eq!(code, 1);
            let (json, _, _) = alembert(&["check", &path, "--set", n, "--json"]);
            let json: Value = serde_json::from_str(&json).expect("JSON");
            let all = json["redundant"].as_array().expect("a list").len();
            assert_eq!(format!("N={all}"), n);
            for text in [&stdout, &stderr] {
                let count: usize = n[2..].parse().expect("a number");
                for i in 1..=count.min(20) {
                    let words = format!("middle bar {i} follows from 0.5 left bar {i} + 0.5 right bar {i}");
                    assert!(text.contains(&words), "{words}: {text}");
                }
                assert_eq!(text.contains("; and 90 more"), count == 110, "{text}");
                let hint = "hint: remove the constraint that follows from the others, or accept it with redundant = \"least squares\"";
                assert!(text.contains(hint), "{text}");
            }
        }
    }
}

#[test]
fn an_unknown_word_for_redundant_constraints_is_told_from_the_known_ones() {
    let (_, stderr, code) = alembert(&["check", &train("unknown", "redundant = \"smallest\"\n")]);
    assert_eq!(code, 2);
    assert!(stderr.contains("error: unknown redundant \"smallest\""), "{stderr}");
    assert!(stderr.contains("hint: it may be refused, least squares"), "{stderr}");
}

#[test]
fn a_train_with_redundant_constraints_runs_with_every_method_but_hht() {
    let out = folder("large-methods").display().to_string();
    let run = ["run", "models/parallelogram.toml", "--json", "--t-end", "0.1", "--output-every", "0.05", "--out", &out];
    for n in ["N=2", "N=200"] {
        for steps in [
            ["--method", "soi2", "--h", "5e-3"],
            ["--method", "radau", "--rtol", "1e-6"],
            ["--method", "bdf", "--rtol", "1e-6"],
        ] {
            let (stdout, stderr, code) = alembert(&[&run[..], &["--set", n], &steps].concat());
            let told: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
            assert_eq!((code, told["outcome"].as_str()), (0, Some("reached")), "{n} {steps:?}");
            assert_eq!(told["statistics"]["fallbacks"].as_u64(), Some(0), "{n} {steps:?}");
        }
    }
    let (_, stderr, code) = alembert(&[&run[..], &["--method", "hht", "--h", "1e-2"]].concat());
    assert_ne!(code, 0);
    assert!(stderr.contains("its constraints may be redundant"), "{stderr}");
}

#[test]
fn a_long_chain_runs_with_sparse_matrices() {
    let run = ["run", "models/chain.toml", "--set", "N=1000", "--json", "--output-every", "0.01", "--t-end", "0.01"];
    for steps in [["--method", "soi2", "--h", "1e-3"], ["--method", "radau", "--rtol", "1e-6"]] {
        let (stdout, _, code) = alembert(&[&run[..], &steps].concat());
        let told: Value = serde_json::from_str(&stdout).expect("JSON");
        assert_eq!((code, told["outcome"].as_str()), (0, Some("reached")));
        assert_eq!(told["statistics"]["fallbacks"].as_u64(), Some(0));
    }
}
