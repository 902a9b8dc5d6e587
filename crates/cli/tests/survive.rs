//! Runs that are killed, interrupted, limited and locked out: what is there can be continued, and is what it would have been.
#![cfg(unix)]

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use folder::folder;
use program::alembert;
use serde_json::Value;

fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_alembert"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts")
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill").success());
}

/// All files but the manifest, by name; of summaries all but the time that it took.
fn contents(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().into_string().expect("a name");
        let mut bytes = fs::read(entry.path()).expect("a file");
        if name == "summary.json" {
            let mut told: Value = serde_json::from_slice(&bytes).expect("JSON");
            told["wall_seconds"] = Value::Null;
            bytes = told.to_string().into_bytes();
        }
        if !name.ends_with(".json") || name == "summary.json" {
            found.insert(name, bytes);
        }
    }
    found
}

/// Numbers that look random and are the same every time.
fn random(seed: &mut u64, most: u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed % most
}

#[test]
fn killed_at_any_moment_a_run_goes_on_bit_for_bit() {
    let (whole, killed) = (folder("survive-whole"), folder("survive-killed"));
    let run = ["run", "models/bouncing_pendulum.toml", "--t-end", "60", "--steps", "--plot", "--format"];
    let run = [&run[..], &["csv,npz,parquet", "--checkpoint", "50steps", "--quiet", "--out"]].concat();
    let (_, stderr, code) = alembert(&[&run[..], &[&whole.display().to_string()]].concat());
    assert_eq!(code, 0, "{stderr}");
    let expected = contents(&whole);
    assert!(expected.contains_key("result.npz") && expected.contains_key("events.csv") && expected.len() > 10);
    let path = killed.display().to_string();
    // How often is for KILLS to say; the number of the moments is fixed, what happens at them is not.
    let kills = std::env::var("KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(20);
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    let (mut resumed, mut complete) = (0, 0);
    while resumed < kills {
        let _ = fs::remove_dir_all(&killed);
        let mut child = start(&[&run[..], &[&path]].concat());
        let mut in_row = 0;
        loop {
            // Longer and longer: on a machine that is busy it must get somewhere too.
            std::thread::sleep(Duration::from_micros(random(&mut seed, 150_000 + 10_000 * in_row)));
            in_row += 1;
            signal(&child, "-KILL");
            let ended = child.wait().expect("an end");
            // Before the start there is nothing to continue; at the end there is nothing to kill.
            if !killed.join("run.checkpoint").exists() || ended.success() {
                break;
            }
            resumed += 1;
            for (name, bytes) in contents(&killed) {
                let is_marked = [".partial.", ".tmp", ".lock", ".checkpoint"].iter().any(|mark| name.contains(mark));
                assert!(is_marked || expected[&name] == bytes, "{name} is not whole");
            }
            child = start(&["run", "--resume", &path, "--checkpoint", "50steps", "--quiet"]);
        }
        if killed.join("run.checkpoint").exists() || killed.join("summary.json").exists() {
            let (_, stderr, code) = alembert(&["run", "--resume", &path, "--quiet"]);
            assert_eq!(code, 0, "{stderr}");
            let found = contents(&killed);
            assert!(found.keys().eq(expected.keys()), "{:?} instead of {:?}", found.keys(), expected.keys());
            for (name, bytes) in &expected {
                assert!(found[name] == *bytes, "{name} differs");
            }
            complete += 1;
        }
    }
    println!("{resumed} kills, {complete} runs to their end");
    assert!(complete > 0);
}

#[test]
fn two_runs_do_not_mix() {
    let out = folder("survive-locked");
    let path = out.display().to_string();
    let long = ["run", "models/double_pendulum.toml", "--t-end", "1e7", "--output-every", "10", "--out", &path];
    let mut child = start(&long);
    while !out.join("result.partial.csv").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    for second in [&["run", "models/pendulum.toml", "--out", &path][..], &["run", "--resume", &path], &["plot", &path]]
    {
        let (_, stderr, code) = alembert(second);
        let told = format!("another run is writing to folder {path} (process {})", child.id());
        assert!(code == 2 && (stderr.contains(&told) || second[0] == "plot"), "{stderr}");
    }
    // Other work in the same folder has a lock of its own.
    let (_, stderr, code) =
        alembert(&["sweep", "models/pendulum.toml", "--t-end", "1", "--set", "m=1,2", "--out", &path]);
    assert_eq!(code, 0, "{stderr}");
    signal(&child, "-KILL");
    child.wait().expect("an end");
    let (_, stderr, code) = alembert(&["run", "models/pendulum.toml", "--out", &path]);
    assert_eq!(code, 0, "a dead owner holds no lock: {stderr}");
    assert!(out.join("sweep.csv").exists() && out.join("result.csv").exists());
}

#[test]
fn limits_end_runs_that_can_be_continued() {
    let out = folder("survive-limits");
    let path = out.display().to_string();
    let whole = folder("survive-unlimited");
    let run = ["run", "models/double_pendulum.toml", "--format", "csv,parquet", "--out"];
    assert_eq!(alembert(&[&run[..], &[&whole.display().to_string()]].concat()).2, 0);
    for (option, number, name) in [("--max-steps", "50", "steps"), ("--max-rows", "40", "rows")] {
        let (_, stderr, code) = alembert(&[&run[..], &[&path, option, number]].concat());
        assert_eq!(code, 3, "{stderr}");
        assert!(stderr.contains(&format!("the limit of {number} {name} is reached\nhint: ")), "{stderr}");
        assert!(stderr.contains(&format!("to go on: alembert run --resume {path}")), "{stderr}");
        let summary: Value =
            serde_json::from_slice(&fs::read(out.join("summary.json")).expect("a summary")).expect("JSON");
        assert_eq!((&summary["outcome"], &summary["limit"]), (&Value::from("limit"), &Value::from(name)));
        assert_eq!(summary["partial"], true);
        assert!(out.join("result.partial.csv").exists() && out.join("result.partial.parquet").exists());
        let (_, stderr, code) = alembert(&["run", "--resume", &path, "--quiet"]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        assert!(contents(&out) == contents(&whole), "after the limit of {name}");
    }
    let (_, stderr, code) = alembert(&["run", "--resume", &path]);
    assert!(code == 0 && stderr.contains("is complete, there is nothing to resume"), "{stderr}");
    let long = ["run", "models/double_pendulum.toml", "--t-end", "1e7", "--output-every", "10", "--max-seconds", "0.2"];
    let (_, stderr, code) = alembert(&long);
    assert!(code == 3 && stderr.contains("the limit of 0.2 seconds is reached"), "{stderr}");
    for bad in [["--max-steps", "0"], ["--max-rows", "-1"], ["--max-seconds", "nan"], ["--checkpoint", "1"]] {
        assert_eq!(alembert(&[&["run", "models/pendulum.toml"], &bad[..]].concat()).2, 2, "{bad:?}");
    }
}

#[test]
fn dry_friction_that_is_written_naively_ends_in_words() {
    let out = folder("survive-friction");
    fs::create_dir_all(&out).expect("a folder");
    let model = out.join("friction.toml");
    for (k, force) in ["-5*sign(x')", "2*sin(3*t) - 5*sign(x')", "-sign(x)*4 - 3*sign(x')"].iter().enumerate() {
        let text = format!(
            "format = 1\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"{force}\"]\n\
             [initial]\nx = 0.3\n\"x'\" = 1\n[run]\nt_end = 10\n"
        );
        fs::write(&model, text).expect("a file");
        for method in ["radau", "bdf", "soi2", "hht"] {
            let results = out.join(format!("{k}-{method}"));
            let arguments = ["run", &model.display().to_string(), "--method", method, "--rtol", "1e-6", "--out"];
            let (_, stderr, code) = alembert(&[&arguments[..], &[&results.display().to_string()]].concat());
            assert!(code == 0 || (stderr.contains("results are partial") && stderr.contains("hint: ")), "{stderr}");
            let name = if code == 0 { "result.csv" } else { "result.partial.csv" };
            let size = fs::metadata(results.join(name)).expect("what there is").len();
            assert!(size > 50 && size < 200_000_000, "{force} with {method}: {size} bytes");
        }
    }
}

#[test]
fn signals_that_are_ignored_stay_ignored() {
    let out = folder("survive-nohup");
    let path = out.display().to_string();
    let script = format!(
        "trap '' HUP INT; exec {} run models/double_pendulum.toml --t-end 1e7 --output-every 10 --quiet --out {path}",
        env!("CARGO_BIN_EXE_alembert")
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut child = Command::new("sh").args(["-c", &script]).current_dir(root).spawn().expect("a shell");
    while !out.join("run.checkpoint").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    for ignored in ["-HUP", "-INT", "-INT"] {
        signal(&child, ignored);
        std::thread::sleep(Duration::from_millis(100));
        assert!(child.try_wait().expect("a child").is_none(), "{ignored} ended it");
    }
    signal(&child, "-TERM");
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    assert!(out.join("result.partial.csv").exists() && out.join("summary.json").exists());
    let left: Vec<String> =
        contents(&out).into_keys().filter(|name| name.contains("lock") || name.contains("tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_signal_during_the_start_ends_the_program_at_once() {
    let out = folder("survive-start");
    fs::create_dir_all(&out).expect("a folder");
    // Every mass with every other: a dense start that takes long.
    let model = out.join("dense.toml");
    let text = "format = 1\n[parameters]\nN = 1500\n[variables]\ncoordinates = [\"x[1..N]\"]\n[equations]\n\
                kinetic = \"sum(x[i]'^2 for i in 1..N)/2\"\npotential = \"sum(x[i] for i in 1..N)^4\"\n\
                holonomic = [{ name = \"all\", formula = \"sum(x[i]^2 for i in 1..N) - 1\" }]\n\
                [initial]\nx = 0.1\n[run]\nt_end = 1\n";
    fs::write(&model, text).expect("a file");
    let results = out.join("results");
    let mut child = start(&["run", &model.display().to_string(), "--out", &results.display().to_string()]);
    while !results.join(".alembert-run.lock").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    signal(&child, "-TERM");
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    let left = fs::read_dir(&results).map(|entries| entries.count()).unwrap_or(0);
    assert_eq!(left, 0, "litter");
}

#[test]
fn a_sweep_goes_on_where_it_was_killed() {
    let (whole, killed) = (folder("survive-sweep-whole"), folder("survive-sweep"));
    // Masses of zero fail.
    let sweep = ["sweep", "models/pendulum.toml", "--set", "m=0,1,2", "--set", "length=0.5:2:200", "--t-end", "2"];
    let sweep = [&sweep[..], &["--quiet", "--jobs", "2000", "--out"]].concat();
    let (_, stderr, code) = alembert(&[&sweep[..], &[&whole.display().to_string()]].concat());
    assert_eq!((code, stderr.as_str()), (1, ""));
    let expected = fs::read(whole.join("sweep.csv")).expect("a table");
    assert_eq!(expected.iter().filter(|byte| **byte == b'\n').count(), 601);
    let path = killed.display().to_string();
    let mut child = start(&[&sweep[..], &[&path]].concat());
    while !killed.join("sweep.checkpoint").exists() {
        std::thread::sleep(Duration::from_micros(200));
    }
    let (mut seed, mut kills) = (0x1234_5678_9abc_def1, 0);
    for _ in 0..40 {
        signal(&child, "-KILL");
        child.wait().expect("an end");
        if !killed.join("sweep.checkpoint").exists() {
            break;
        }
        kills += 1;
        assert!(killed.join("sweep.partial.csv").exists() || killed.join("sweep.csv").exists());
        child = start(&["sweep", "--resume", &path, "--quiet"]);
        std::thread::sleep(Duration::from_micros(5_000 + random(&mut seed, 60_000)));
    }
    let _ = child.kill();
    let _ = child.wait();
    if killed.join("sweep.checkpoint").exists() {
        let (_, stderr, code) = alembert(&["sweep", "--resume", &path, "--quiet"]);
        assert_eq!((code, stderr.as_str()), (1, ""));
    }
    assert!(kills > 0);
    assert!(fs::read(killed.join("sweep.csv")).expect("a table") == expected, "another table after {kills} kills");
    assert!(!killed.join("sweep.checkpoint").exists() && !killed.join("sweep.partial.csv").exists());
    let (_, stderr, code) = alembert(&["sweep", "--resume", &path]);
    assert!(code == 0 && stderr.contains("nothing to resume"), "{stderr}");
}

#[test]
fn a_sweep_of_other_values_is_refused_by_name() {
    let out = folder("survive-sweep-other");
    let path = out.display().to_string();
    let long = ["sweep", "models/double_pendulum.toml", "--set", "m1=1:2:50", "--t-end", "30", "--out", &path];
    let mut child = start(&long);
    while !out.join("sweep.checkpoint").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    signal(&child, "-KILL");
    child.wait().expect("an end");
    let (_, stderr, code) = alembert(&["sweep", "--resume", &path, "--set", "m1=1:3:50"]);
    assert!(code == 2 && stderr.contains("has another settings"), "{stderr}");
    let (_, stderr, code) = alembert(&["sweep", "--resume", &path, "--method", "bdf"]);
    assert!(code == 2 && stderr.contains("has another method"), "{stderr}");
    let (_, stderr, code) = alembert(&["sweep", "models/pendulum.toml", "--resume", &path]);
    assert!(code == 2 && stderr.contains("has another"), "{stderr}");
}
