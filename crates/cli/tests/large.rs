//! Models with many links, and with constraints too many, as a user of the commands sees them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Stdout, stderr and exit code.
fn alembert(arguments: &[&str]) -> (String, String, i32) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_alembert"))
        .args(arguments)
        .current_dir(root)
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(stdout), text(stderr), status.code().expect("an exit code"))
}

/// A folder of its own for a test, empty.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("large-{name}"));
    let _ = fs::remove_dir_all(&path);
    path
}

#[test]
fn redundant_constraints_are_accepted_where_the_model_says_so() {
    let (stdout, _, code) = alembert(&["check", "models/parallelogram.toml"]);
    assert_eq!(code, 0);
    for words in [
        "degrees of freedom: 2 (6 velocities, 4 independent constraints)",
        "constraints: rank 4 of 6 at the start, 2 redundant",
        "accepted: middle bar 1 follows from 0.5 left bar 1 + 0.5 right bar 1; the smallest multipliers are taken",
    ] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
    let (stdout, _, code) = alembert(&["check", "models/parallelogram.toml", "--json", "--set", "N=60"]);
    let told: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((code, told["good"].as_bool(), told["degrees_of_freedom"].as_u64()), (0, Some(true), Some(60)));

    let out = folder("not_accepted");
    fs::create_dir_all(&out).expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("models/parallelogram.toml")).expect("a model");
    let path = out.join("refused.toml");
    fs::write(&path, text.replace("least squares", "refused")).expect("a file");
    let (_, stderr, code) = alembert(&["run", &path.display().to_string()]);
    assert_eq!(code, 1);
    assert!(stderr.contains("middle bar 1 follows from 0.5 left bar 1"), "{stderr}");
    assert!(stderr.contains("accept it with redundant = \"least squares\" under [equations]"), "{stderr}");
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
