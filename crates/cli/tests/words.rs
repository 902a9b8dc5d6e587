//! `alembert fmt`, `alembert explain`, and what `check --json` says of files with mistakes, as a user sees them.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use folder::folder;
use program::alembert;
use serde_json::Value;

const ROUGH: &str = "format=1\nname=\"p\"\n[run]\nt_end=1\n[variables]\ncoordinates=[\"x\"] # one\n[equations]\nkinetic=\"x'^2/2\"\n[initial]\nx=1\n";
const SMOOTH: &str = "format = 1\nname = \"p\"\n\n[variables]\ncoordinates = [\"x\"]  # one\n\n[equations]\nkinetic = \"x'^2/2\"\n\n[initial]\nx = 1\n\n[run]\nt_end = 1\n";

/// An empty folder.
fn fresh(name: &str) -> std::path::PathBuf {
    let path = folder(name);
    fs::create_dir_all(&path).expect("a folder");
    path
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn files_are_formatted_in_place() {
    let here = fresh("fmt-in-place");
    let (rough, smooth) = (here.join("rough.toml"), here.join("smooth.toml"));
    fs::write(&rough, ROUGH).expect("a file");
    fs::write(&smooth, SMOOTH).expect("a file");
    let (stdout, stderr, code) = alembert(&["fmt", "--check", &shown(&rough), &shown(&smooth)]);
    assert_eq!((stdout, stderr, code), (format!("{}\n", shown(&rough)), String::new(), 1));
    assert_eq!(fs::read_to_string(&rough).expect("a file"), ROUGH);
    let (stdout, stderr, code) = alembert(&["fmt", &shown(&rough), &shown(&smooth)]);
    assert_eq!((stdout, stderr, code), (String::new(), format!("formatted {}\n", shown(&rough)), 0));
    assert_eq!(fs::read_to_string(&rough).expect("a file"), SMOOTH);
    let (stdout, stderr, code) = alembert(&["fmt", "--check", &shown(&rough), &shown(&smooth)]);
    assert_eq!((stdout, stderr, code), (String::new(), String::new(), 0));
    // Nothing else is left in the folder.
    assert_eq!(fs::read_dir(&here).expect("a folder").count(), 2);
}

#[test]
fn mistakes_are_told_and_the_file_stays() {
    let here = fresh("fmt-mistakes");
    let (bad, rough) = (here.join("bad.toml"), here.join("rough.toml"));
    let text = ROUGH.replace("x'^2/2", "x'^2/y");
    fs::write(&bad, &text).expect("a file");
    fs::write(&rough, ROUGH).expect("a file");
    let (stdout, stderr, code) = alembert(&["fmt", &shown(&bad), &shown(&rough), &shown(&here.join("none.toml"))]);
    assert_eq!((stdout.as_str(), code), ("", 2));
    assert!(stderr.contains("unknown name `y`") && stderr.contains("cannot read"), "{stderr}");
    assert_eq!(fs::read_to_string(&bad).expect("a file"), text);
    // The others are formatted all the same.
    assert_eq!(fs::read_to_string(&rough).expect("a file"), SMOOTH);
    fs::write(&bad, b"format = 1 # \xff").expect("a file");
    let (_, stderr, code) = alembert(&["fmt", &shown(&bad)]);
    assert!(code == 2 && stderr.contains("is not UTF-8\nhint: "), "{stderr}");
}

#[test]
fn standard_input_goes_to_standard_output() {
    let pipe = |arguments: &[&str], text: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_alembert"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
        let done = child.wait_with_output().expect("it ends");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (text(done.stdout), text(done.stderr), done.status.code())
    };
    assert_eq!(pipe(&["fmt", "-"], ROUGH), (SMOOTH.to_owned(), String::new(), Some(0)));
    assert_eq!(pipe(&["fmt", "-"], SMOOTH), (SMOOTH.to_owned(), String::new(), Some(0)));
    assert_eq!(pipe(&["fmt", "--check", "-"], ROUGH), ("standard input\n".to_owned(), String::new(), Some(1)));
    let (stdout, stderr, code) = pipe(&["fmt", "-"], "format = 2");
    assert!(stdout.is_empty() && code == Some(2) && stderr.contains("this program reads format 1 only"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let here = fresh("fmt-links");
    let (file, link) = (here.join("file.toml"), here.join("link.toml"));
    fs::write(&file, ROUGH).expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink("file.toml", &link).expect("a link");
    let (_, stderr, code) = alembert(&["fmt", &shown(&link)]);
    assert_eq!(code, 0, "{stderr}");
    assert!(fs::symlink_metadata(&link).expect("a link").file_type().is_symlink());
    assert_eq!(fs::read_to_string(&file).expect("a file"), SMOOTH);
    assert_eq!(fs::metadata(&file).expect("a file").mode() & 0o777, 0o640);
    // One file with two names, and one that must not be written, stay as they are.
    fs::write(&file, ROUGH).expect("a file");
    fs::hard_link(&file, here.join("other.toml")).expect("a name");
    let (_, stderr, code) = alembert(&["fmt", &shown(&file)]);
    assert!(code == 1 && stderr.contains("is one file with several names\nhint: "), "{stderr}");
    fs::remove_file(here.join("other.toml")).expect("there");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o440)).expect("permissions");
    let (_, stderr, code) = alembert(&["fmt", &shown(&file)]);
    assert!(code == 1 && stderr.contains("it is read-only"), "{stderr}");
    assert_eq!(fs::read_to_string(&file).expect("a file"), ROUGH);
}

#[test]
fn a_new_model_has_the_layout_and_names_its_schema() {
    let here = fresh("fmt-new");
    for (name, kind) in [("new.toml", &[][..]), ("mechanism.toml", &["--mechanism"])] {
        let path = here.join(name);
        assert_eq!(alembert(&[&["new"], kind, &[shown(&path).as_str()]].concat()).2, 0);
        let text = fs::read_to_string(&path).expect("a file");
        assert!(text.starts_with("#:schema model-1.schema.json\n"), "{text}");
        let (stdout, stderr, code) = alembert(&["fmt", "--check", &shown(&path)]);
        assert_eq!((stdout.as_str(), stderr.as_str(), code), ("", "", 0));
    }
}

/// The line that editors look for leads to the schema.
#[test]
fn models_name_their_schema() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    for file in fs::read_dir(&models).expect("the models") {
        let path = file.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = fs::read_to_string(&path).expect("a model");
            let schema = text.lines().next().and_then(|line| line.strip_prefix("#:schema ")).expect("the line");
            assert!(models.join(schema).is_file() && text.matches("#:schema").count() == 1, "{}", shown(&path));
        }
    }
}

#[test]
fn a_pendulum_is_explained() {
    let (stdout, stderr, code) = alembert(&["explain", "models/bouncing_pendulum.toml", "--set", "m=2"]);
    assert_eq!((stderr.as_str(), code), ("", 0));
    let expected = "bouncing pendulum
2 coordinates: x, y
2 velocities: x', y'
1 degree of freedom at the start

parameters, which are numbers in the formulas below
  m = 2
  g = 9.81
  length = 1
  wall = -0.2

equations of motion, masses by accelerations = forces with reactions
  x': 2*x'' = -2*x*lambda
  y': 2*y'' = -19.62 - 2*y*lambda

1 holonomic constraint, each with its rates
  rod, with the multiplier lambda
    0 = x^2 + y^2 - 1
    0 = 2*x*x' + 2*y*y'
    0 = ";
    assert!(stdout.starts_with(expected), "{stdout}");
    let rest = [
        "events\n  wall: x - wall = 0 (falling), then it bounces with restitution 0.8\n",
        "\nstart at t = 0\n  x = 0.9\n  y = -0.4358898943540673\n  x' = 0\n  y' = 0\n  on the constraints as given\n",
        "\nrun to t = 4 with radau, rtol = 1e-8\n",
    ];
    assert!(rest.iter().all(|part| stdout.contains(part)), "{stdout}");
}

#[test]
fn what_will_be_moved_and_where_steps_end_is_said() {
    let here = fresh("explain-switch");
    let path = here.join("model.toml");
    let text = "format = 1\n[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nmass = [1, 1]\nforce = [\"-abs(x)\", 0]\nholonomic = [\"x - y\"]\n[initial]\nx = 1\ny = 3\n[run]\nt_end = 1\n";
    fs::write(&path, text).expect("a file");
    let (stdout, stderr, code) = alembert(&["explain", &shown(&path)]);
    assert_eq!((stderr.as_str(), code), ("", 0));
    assert!(stdout.contains("1 switch, at which steps end\n  `abs(x)` in the force on `x'`\n"), "{stdout}");
    assert!(stdout.contains("  moved onto the constraints\n    x: 1 becomes 2\n    y: 3 becomes 2\n"), "{stdout}");
    let (stdout, _, code) = alembert(&["explain", &shown(&path), "--json"]);
    let said: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(code, 0);
    assert_eq!(said["equations"][0]["right"], "-abs(x) - lambda1");
    assert!((said["start"]["moved"][1]["now"].as_f64().expect("a number") - 2.0).abs() < 1e-14, "{said}");
    assert_eq!(said["degrees_of_freedom"], 1);
    assert_eq!(said["holonomic"][0]["acceleration"], "x'' - y''");
}

#[test]
fn of_a_large_model_the_first_rows_are_shown() {
    let (stdout, _, code) = alembert(&["explain", "models/chain.toml", "--set", "N=40"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("120 coordinates: x[1], x[2],") && stdout.lines().count() < 150, "{stdout}");
    assert!(
        stdout.contains("  … and 108 more, see --all\n") && stdout.contains("  … and 68 more, see --all\n"),
        "{stdout}"
    );
    let (_, stderr, code) = alembert(&["explain", "models/none.toml"]);
    assert!(code == 2 && stderr.contains("cannot read models/none.toml"), "{stderr}");
}

#[test]
fn mistakes_are_told_to_machines_with_their_places() {
    let here = fresh("check-json");
    let bad = here.join("bad.toml");
    fs::write(&bad, SMOOTH.replace("x'^2/2", "x'^2/2 + z").replace("t_end = 1", "t_end = 0")).expect("a file");
    let (stdout, stderr, code) = alembert(&["check", &shown(&bad), "--json"]);
    let told: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((code, told["good"].as_bool()), (2, Some(false)), "{stderr}");
    let mistakes = told["mistakes"].as_array().expect("a list");
    let places: Vec<u64> = mistakes.iter().filter_map(|mistake| mistake["line"].as_u64()).collect();
    assert_eq!(places, [8, 14], "{stdout}");
    assert!(mistakes[0]["message"].as_str().is_some_and(|words| words.contains("`z`")), "{stdout}");
    assert!(stderr.contains("2 mistakes in"), "{stderr}");
    // What cannot be read has no place.
    let (stdout, _, code) = alembert(&["check", &shown(&here.join("absent.toml")), "--json"]);
    let told: Value = serde_json::from_str(&stdout).expect("JSON");
    assert!(code != 0 && told["mistakes"][0]["line"].is_null(), "{stdout}");
    assert!(told["mistakes"][0]["message"].as_str().is_some_and(|words| words.contains("absent.toml")), "{stdout}");
}
