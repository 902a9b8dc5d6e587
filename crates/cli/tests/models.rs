//! What a user of the commands on model files sees: transcripts of the built program.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use folder::folder;
use program::alembert;
use serde_json::Value;

#[test]
fn the_result_goes_to_stdout_and_words_to_stderr() {
    let (stdout, stderr, code) = alembert(&["run", "models/pendulum.toml", "--t-end", "1", "--output-every", "0.25"]);
    assert_eq!(code, 0, "{stderr}");
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines[0], "t,x,y,x',y',x'',y'',lambda,angle,rod_force");
    assert_eq!(lines.len(), 1 + 5, "{stdout}");
    let last: Vec<f64> = lines[5].split(',').map(|value| value.parse().expect("a number")).collect();
    assert_eq!(last[0], 1.0);
    // The closed form of this pendulum, see the problem `pendulum_horizontal`.
    assert!((last[1] + 0.9862917511318753).abs() < 1e-7 && (last[2] + 0.16501085312554117).abs() < 1e-7, "{last:?}");
    assert!(stderr.starts_with("pendulum from the horizontal: reached t = 1\n  radau with rtol = 1e-8"), "{stderr}");
}

#[test]
fn a_folder_gets_result_summary_and_figures() {
    let out = folder("models-run");
    let path = out.display().to_string();
    let arguments =
        ["run", "models/rolling_disk.toml", "--t-end", "2", "--out", &path, "--format", "csv,npz,parquet", "--plot"];
    let (stdout, stderr, code) = alembert(&arguments);
    assert_eq!((code, stdout.as_str()), (0, ""), "{stderr}");
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(out.join("summary.json")).expect("a summary")).expect("JSON");
    assert_eq!((summary["outcome"].as_str(), summary["partial"].as_bool()), (Some("reached"), Some(false)));
    assert_eq!(summary["tolerances"], serde_json::json!({ "rtol": 1e-9, "atol": null }));
    let sizes = summary["typical_sizes"]["q"].as_object().expect("sizes by name");
    assert!(!sizes.is_empty() && sizes.values().all(|size| size.as_f64().is_some_and(|size| size > 0.0)), "{summary}");
    assert!(summary["statistics"]["attempts"].as_u64() >= summary["statistics"]["steps"].as_u64(), "{summary}");
    assert!((summary["energy"]["start"].as_f64().expect("energy") - 19.1280).abs() < 5e-5);
    assert!(summary["energy"]["largest_defect"].as_f64().is_some_and(|defect| defect < 1e-7));
    assert!(summary["largest_residuals"][0]["residual"].as_f64().is_some_and(|residual| residual < 1e-12));
    let csv = fs::read_to_string(out.join("result.csv")).expect("a result");
    assert_eq!(csv.lines().count(), 1 + 101);
    let npz = fs::read(out.join("result.npz")).expect("a result");
    assert!(npz.starts_with(b"PK\x03\x04") && npz.windows(9).any(|bytes| bytes == b"q.npy\x93NUM"));
    let parquet = fs::read(out.join("result.parquet")).expect("a result");
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1") && parquet.len() > 8 * 101 * 18);
    let steps = fs::read_to_string(out.join("steps.csv")).expect("steps");
    assert!(steps.starts_with("t,h,residual_position,residual_velocity,residual_nonholonomic,kinetic,"), "{steps}");
    let drawn = figures(&out);
    for figure in ["coordinates", "velocities", "accelerations", "reactions", "energy", "balance", "steps", "residuals"]
    {
        let found = drawn.iter().find(|(name, _)| *name == format!("{figure}.svg"));
        assert!(found.is_some_and(|(_, svg)| svg.contains("</svg>")), "{figure}");
    }
    // The same figures again, from the files alone.
    for (name, _) in &drawn {
        fs::remove_file(out.join(name)).expect("there");
    }
    let (_, stderr, code) = alembert(&["plot", &path]);
    assert_eq!(code, 0, "{stderr}");
    assert!(figures(&out) == drawn, "other figures: {stderr}");
    // Another run leaves nothing of this one.
    fs::write(out.join("notes.svg"), "somebody's own").expect("a file");
    let (_, stderr, code) = alembert(&["run", "models/pendulum.toml", "--out", &path, "--t-end", "1", "--quiet"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let names: Vec<String> = figures(&out).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["notes.svg"]);
    assert!(!out.join("result.npz").exists() && !out.join("result.parquet").exists());
}

/// Names and contents of all figures in a folder.
fn figures(folder: &Path) -> Vec<(String, String)> {
    let names = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").file_name());
    let names = names.map(|name| name.into_string().expect("a name"));
    let mut found: Vec<(String, String)> = names
        .filter(|name| name.ends_with(".svg"))
        .map(|name| (name.clone(), fs::read_to_string(folder.join(&name)).expect("a figure")))
        .collect();
    found.sort();
    found
}

#[test]
fn figures_need_a_result() {
    let out = folder("models-no-result");
    fs::create_dir_all(&out).expect("a folder");
    let (_, stderr, code) = alembert(&["plot", &out.display().to_string()]);
    assert_eq!(code, 2);
    assert!(stderr.starts_with("error: no result of a run in"), "{stderr}");
    assert!(stderr.contains("hint: run `alembert run MODEL --out"), "{stderr}");
}

/// Nobody hears the words, but the files are there.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_the_words_costs_no_result() {
    let out = folder("models-deaf");
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").expect("linux has it");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let start = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_alembert"));
        command.args(arguments).current_dir(&root);
        command
    };
    let path = out.display().to_string();
    let ended = start(&["run", "models/pendulum.toml", "--t-end", "1", "--out", &path, "--json"])
        .stderr(full())
        .stdout(full())
        .status()
        .expect("the program starts");
    assert_eq!(ended.code(), Some(1), "standard output could not be written");
    assert!(out.join("result.csv").exists() && out.join("summary.json").exists());
    for arguments in [["completions", "bash"], ["run", "models/pendulum.toml"], ["check", "models/pendulum.toml"]] {
        let ended = start(&arguments).stdout(full()).output().expect("the program starts");
        let stderr = String::from_utf8(ended.stderr).expect("UTF-8");
        assert_eq!(ended.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("error: cannot write to standard output: No space left"), "{stderr}");
    }
}

/// A limit on the size of files fails the write in its middle, as a full disk does.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_what_can_be_continued() {
    let out = folder("models-full");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = format!(
        "trap '' XFSZ; ulimit -f 32; exec {} run models/double_pendulum.toml --out {} --quiet",
        env!("CARGO_BIN_EXE_alembert"),
        out.display()
    );
    let ended = Command::new("sh").args(["-c", &script]).current_dir(root).output().expect("a shell");
    let stderr = String::from_utf8(ended.stderr).expect("UTF-8");
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    assert!(stderr.starts_with("error: cannot write "), "{stderr}");
    assert!(stderr.contains("result.partial.csv: File too large") && stderr.contains("--resume"), "{stderr}");
    assert!(!out.join("result.csv").exists() && !out.join("summary.json").exists());
    // With more room it goes on.
    let path = out.display().to_string();
    let (_, stderr, code) = alembert(&["run", "--resume", &path, "--quiet"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(out.join("result.csv").exists() && out.join("summary.json").exists());
    assert!(!out.join("result.partial.csv").exists() && !out.join("run.checkpoint").exists());
}

#[test]
fn every_example_runs_to_its_end_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = fs::read_dir(root.join("models")).expect("the models").map(|file| file.expect("a file").path());
    let models: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|kind| kind == "toml")).collect();
    assert!(models.len() >= 22, "{models:?}");
    for model in models {
        let (stdout, stderr, code) = alembert(&["run", &model.display().to_string(), "--json", "--quiet"]);
        assert_eq!((code, stderr.as_str()), (0, ""), "{model:?}");
        let summary: Value = serde_json::from_str(&stdout).expect("JSON");
        assert_eq!(
            (summary["outcome"].as_str(), &summary["t_reached"]),
            (Some("reached"), &summary["t_end"]),
            "{model:?}"
        );
    }
}

#[test]
fn events_are_in_the_summary() {
    let (stdout, stderr, code) = alembert(&["run", "models/bouncing_pendulum.toml", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let summary: Value = serde_json::from_str(&stdout).expect("JSON");
    let events = summary["events"].as_array().expect("events");
    assert!(events.len() >= 2 && events.iter().all(|event| event["name"] == "wall"), "{events:?}");
    assert!(summary["energy"]["gained_at_events"].as_f64().is_some_and(|gained| gained < -0.1), "{summary}");
}

#[test]
fn a_run_that_fails_is_partial() {
    let out = folder("models-partial");
    fs::create_dir_all(&out).expect("a folder");
    // The force has a pole at t = 1.
    let model = out.join("pole.toml");
    let text = "format = 1\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"1/(1 - t)^2\"]\n[initial]\nx = 0\n[run]\nt_end = 2\n";
    fs::write(&model, text).expect("a file");
    let (model, path) = (model.display().to_string(), out.display().to_string());
    let (_, stderr, code) = alembert(&["run", &model, "--out", &path, "--t-end", "0.5"]);
    assert!(code == 0 && out.join("result.csv").exists(), "{stderr}");
    let (_, stderr, code) = alembert(&["run", &model, "--out", &path]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("results are partial"), "{stderr}");
    assert!(!out.join("result.csv").exists() && out.join("result.partial.csv").exists());
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(out.join("summary.json")).expect("a summary")).expect("JSON");
    assert_eq!((summary["outcome"].as_str(), summary["partial"].as_bool()), (Some("failed"), Some(true)));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_there_is_and_a_kill_leaves_no_summary() {
    use std::time::Duration;
    let out = folder("models-interrupt");
    let path = out.display().to_string();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (signal, code) in [("-INT", Some(130)), ("-TERM", Some(130)), ("-KILL", None)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_alembert"))
            .args([
                "run",
                "models/double_pendulum.toml",
                "--t-end",
                "1e7",
                "--out",
                &path,
                "--quiet",
                "--output-every",
                "10",
            ])
            .current_dir(&root)
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(700));
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
        assert_eq!(child.wait().expect("an end").code(), code);
        assert!(!out.join("result.csv").exists());
        let partial = out.join("result.partial.csv").exists() && out.join("summary.json").exists();
        assert_eq!(partial, code.is_some());
    }
}

#[test]
fn an_unwritable_folder_is_refused_before_the_run() {
    let out = folder("models-unwritable");
    fs::write(&out, "a file where the folder should be").expect("a file");
    let (_, stderr, code) = alembert(&["run", "models/pendulum.toml", "--out", &out.display().to_string()]);
    assert_eq!(code, 2);
    assert!(stderr.starts_with("error: cannot write to folder"), "{stderr}");
}

#[test]
fn mistakes_have_their_place_and_code_2() {
    let (stdout, stderr, code) = alembert(&["check", "crates/model/tests/bad/unknown_name.toml"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("--> crates/model/tests/bad/unknown_name.toml:12:27"), "{stderr}");
    assert!(stderr.contains("hint: did you mean `length`?"), "{stderr}");
    let (_, stderr, code) = alembert(&["run", "models/pendulum.toml", "--set", "lenght=2"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("hint: did you mean `length`?"), "{stderr}");
    let (_, stderr, code) = alembert(&["run", "models/pendulum.toml", "--method", "radua"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("hint: did you mean `radau`?"), "{stderr}");
    let (stdout, stderr, code) = alembert(&["run", "models/pendulum.toml", "--t-end", "inf"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.starts_with("error: --t-end inf is not a time after the start at 0"), "{stderr}");
    for (option, words) in [("--output-every", "1.0e10 rows"), ("--h", "1.0e10 steps")] {
        let (_, stderr, code) = alembert(&["run", "models/pendulum.toml", option, "1e-9"]);
        assert_eq!(code, 2);
        assert!(stderr.starts_with(&format!("error: this run would have {words}, more than 2e7\nhint: ")), "{stderr}");
    }
    let (_, stderr, code) = alembert(&["run", "models/no_such.toml"]);
    assert_eq!(code, 2);
    assert!(stderr.starts_with("error: cannot read models/no_such.toml"), "{stderr}");
}

#[test]
fn check_says_what_a_model_is() {
    let (stdout, _, code) = alembert(&["check", "models/four_bar.toml"]);
    assert_eq!(code, 0);
    for words in [
        "four-bar linkage",
        "holonomic         2  loop x, loop y",
        "degrees of freedom: 1",
        "constraints: rank 2 of 2 at the start, none is redundant",
        "derivatives: ",
        "agree with differences",
    ] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
}

#[test]
fn check_counts_redundant_constraints() {
    let out = folder("models-check");
    fs::create_dir_all(&out).expect("a folder");
    let model = out.join("redundant.toml");
    let text = "format = 1\n[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nmass = [1, 1]\nforce = [0, -1]\n\
                holonomic = [{ name = \"rod\", formula = \"x^2 + y^2 - 1\" }, { name = \"copy\", formula = \"2*x^2 + 2*y^2 - 2\" }]\n\
                [initial]\nx = 1\ny = 0\n[run]\nt_end = 1\n";
    fs::write(&model, text).expect("a file");
    let (stdout, _, code) = alembert(&["check", &model.display().to_string()]);
    assert_eq!(code, 1);
    for words in [
        "degrees of freedom: 1 (2 velocities, 1 independent constraints)",
        "constraints: rank 1 of 2 at the start, 1 redundant",
        "start: none is consistent: redundant constraints: copy follows from 2 rod\nhint: ",
        "agree with differences",
    ] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
}

#[test]
fn completions_are_there_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (stdout, stderr, code) = alembert(&["completions", shell]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        assert!(["sweep", "verify", "output-every"].iter().all(|word| stdout.contains(word)), "{shell}");
    }
}

#[test]
fn check_has_an_answer_for_machines() {
    let (stdout, _, code) = alembert(&["check", "models/rolling_disk.toml", "--json"]);
    let told: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((code, told["good"].as_bool(), told["degrees_of_freedom"].as_u64()), (0, Some(true), Some(3)));
    assert_eq!(told["nonholonomic"], serde_json::json!(["rolling x", "rolling y"]));
}

#[test]
fn constraints_that_cannot_hold_are_named() {
    let out = folder("models-redundant");
    fs::create_dir_all(&out).expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let good = fs::read_to_string(root.join("models/pendulum.toml"))
        .expect("a model")
        .replace("multipliers = [\"lambda\"]\n", "");
    let good = good.replace("2*lambda*", "2*lambda1*");
    let rod = "formula = \"x^2 + y^2 - length^2\" }";
    for (more, words) in [
        (
            "{ name = \"copy\", formula = \"2*x^2 + 2*y^2 - 2*length^2\" }",
            "redundant constraints: copy follows from 2 rod",
        ),
        ("{ name = \"other\", formula = \"x^2 + y^2 - 2*length^2\" }", "contradictory constraints at position level"),
        ("{ name = \"far\", formula = \"x - 5\" }", "no position found that meets the constraints"),
    ] {
        let path = out.join("bad.toml");
        fs::write(&path, good.replace(rod, &format!("{rod}, {more}"))).expect("a file");
        let path = path.display().to_string();
        let (_, stderr, code) = alembert(&["run", &path]);
        assert_eq!(code, 1, "{stderr}");
        assert!(stderr.starts_with("error: no consistent start: ") && stderr.contains(words), "{stderr}");
        assert!(stderr.contains("rod") && stderr.contains("hint: "), "{stderr}");
        let (stdout, _, code) = alembert(&["check", &path]);
        assert!(code == 1 && stdout.contains(words), "{stdout}");
    }
}

#[test]
fn init_shows_what_was_changed() {
    let (stdout, _, code) = alembert(&["init", "models/four_bar.toml"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("changed") && stdout.contains("position level: largest residual"), "{stdout}");
    let (stdout, _, _) = alembert(&["init", "models/pendulum.toml", "--json"]);
    let start: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((start["values"]["x"].as_f64(), start["changed"].as_array().map(Vec::len)), (Some(1.0), Some(0)));
}

#[test]
fn verify_measures_orders_against_the_exact_solution() {
    let (stdout, stderr, code) = alembert(&["verify", "models/paper3.toml", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let told: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(told["reference"], "the exact solution");
    // The ladder alone sees the same errors, a little larger.
    let bar = |key: &str| told[key]["lambda"].as_f64().expect("a number");
    let ratio = bar("error_bars_of_the_ladder") / bar("error_bars");
    // Bars add a tenth, since errors are measured at some rows only.
    assert!((0.9..1.1).contains(&ratio), "{told}");
    for quantity in ["q", "v", "a", "lambda", "psi"] {
        let order = told["observed_order"][quantity].as_f64();
        // Positions and velocities are determined by two constraints alone: their errors are rounding.
        assert!(order.is_none_or(|order| (1.9..2.1).contains(&order)), "{quantity}: {told}");
    }
    assert!(told["observed_order"]["lambda"].is_f64() && told["observed_order"]["psi"].is_f64(), "{told}");
    let (stdout, _, code) = alembert(&["verify", "models/swinging_atwood.toml", "--rtol", "1e-5", "--t-end", "1"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("against a run of Radau IIA with 7 stages at tolerance 1e-13"), "{stdout}");
    assert!(stdout.contains("converges; error bars of the result: q ± "), "{stdout}");
    assert!(stdout.contains("from the ladder alone: q ± "), "{stdout}");
}

/// Rows ask for no steps: each run of the ladder takes those that its own tolerance asks for, which are far fewer.
#[test]
fn rows_do_not_limit_the_steps_of_verify() {
    let (stdout, stderr, code) = alembert(&["verify", "models/rolling_disk.toml", "--t-end", "2", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let told: Value = serde_json::from_str(&stdout).expect("JSON");
    let ladder = told["ladder"].as_array().expect("a ladder");
    let steps: Vec<u64> = ladder.iter().filter_map(|rung| rung["steps"].as_u64()).collect();
    assert!(steps.len() == 4 && steps.iter().all(|steps| (5..50).contains(steps)), "100 rows: {told}");
    assert!(ladder.iter().all(|rung| rung["error"]["q"].as_f64().is_some_and(|error| error > 0.0)), "{told}");
}

#[test]
fn verify_does_not_trust_chaos() {
    let out = folder("models-chaos");
    fs::create_dir_all(&out).expect("a folder");
    let model = out.join("chaos.toml");
    // Sixty seconds of a double pendulum: no tolerance of the ladder predicts it.
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/double_pendulum.toml"))
        .expect("a model");
    fs::write(&model, text.replace("t_end = 5.0", "t_end = 60.0").replace("rtol = 1e-9", "rtol = 1e-3"))
        .expect("a file");
    let (stdout, _, code) = alembert(&["verify", &model.display().to_string()]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("do not trust this result"), "{stdout}");
}

#[test]
fn a_sweep_is_a_table_and_shards_are_its_parts() {
    let sweep = ["sweep", "models/chaplygin_sleigh.toml", "--set", "b=0.2:0.6:3", "--set", "m=1,2", "--t-end", "1"];
    let (stdout, stderr, code) = alembert(&sweep);
    assert_eq!(code, 0, "{stderr}");
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(lines[0].starts_with("b,m,outcome,steps,energy_change,t,x,y,theta,"), "{stdout}");
    assert_eq!(lines.len(), 7);
    assert!(lines[1].starts_with("0.2,1,reached,") && lines[6].starts_with("0.6,2,reached,"), "{stdout}");
    let shard = |k: &str| alembert(&[&sweep[..], &["--shard", k]].concat()).0;
    let (first, second) = (shard("1/2"), shard("2/2"));
    let mut together: Vec<&str> = first.lines().skip(1).chain(second.lines().skip(1)).collect();
    together.sort_unstable();
    let mut whole = lines[1..].to_vec();
    whole.sort_unstable();
    assert_eq!(together, whole);
}

#[test]
fn a_sweep_goes_on_where_a_run_fails() {
    let (stdout, stderr, code) =
        alembert(&["sweep", "models/pendulum.toml", "--set", "m=0,2", "--t-end", "1", "--json", "--jobs", "1"]);
    assert_eq!((code, stderr.as_str()), (1, "2 runs, 1 failed\n"));
    let lines: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((lines[0]["parameters"]["m"].as_f64(), lines[0]["failed"].as_bool()), (Some(0.0), Some(true)));
    assert_eq!(lines[0]["outcome"], "no consistent start: motion without inertia along 1.000 y'");
    assert_eq!((lines[1]["outcome"].as_str(), lines[1]["end"]["t"].as_f64()), (Some("reached"), Some(1.0)));
}

#[cfg(unix)]
#[test]
fn an_interrupted_sweep_is_partial() {
    let out = folder("models-sweep");
    fs::create_dir_all(&out).expect("a folder");
    fs::write(out.join("sweep.csv"), "of an earlier sweep").expect("a file");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut child = Command::new(env!("CARGO_BIN_EXE_alembert"))
        .args(["sweep", "models/double_pendulum.toml", "--set", "m1=1,2", "--t-end", "1e6", "--jobs", "2", "--quiet"])
        .args(["--output-every", "10", "--force", "--out"])
        .arg(&out)
        .current_dir(root)
        .spawn()
        .expect("the program starts");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    assert!(!out.join("sweep.csv").exists() && out.join("sweep.partial.csv").exists());
}

#[test]
fn compare_takes_a_model() {
    let (stdout, stderr, code) =
        alembert(&["compare", "models/chaplygin_sleigh.toml", "--methods", "radau3", "--repeats", "1"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.starts_with("chaplygin_sleigh  Chaplygin's sleigh, to t = 5"), "{stdout}");
}

#[test]
fn new_writes_a_model_that_runs_and_nothing_over_another() {
    let out = folder("models-new");
    fs::create_dir_all(&out).expect("a folder");
    let path = out.join("mine.toml").display().to_string();
    let (_, stderr, code) = alembert(&["new", &path]);
    assert_eq!(code, 0, "{stderr}");
    let (_, stderr, code) = alembert(&["run", &path, "--json", "--quiet"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let (_, stderr, code) = alembert(&["new", &path]);
    assert_eq!(code, 2);
    assert!(stderr.contains("never overwritten"), "{stderr}");
    let path = out.join("four_bar.toml").display().to_string();
    let (_, stderr, code) = alembert(&["new", "--mechanism", &path]);
    assert_eq!(code, 0, "{stderr}");
    let (_, stderr, code) = alembert(&["run", &path, "--json", "--quiet"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
}

#[test]
fn methods_and_schema_are_printed() {
    let (stdout, _, code) = alembert(&["methods"]);
    assert!(code == 0 && stdout.starts_with("radau "), "{stdout}");
    let (stdout, _, code) = alembert(&["schema"]);
    let schema: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((code, schema["title"].as_str()), (0, Some("alembert model, format 1")));
}
