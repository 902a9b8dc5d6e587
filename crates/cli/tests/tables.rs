//! Models with files beside them, and with states: what a user of the program sees.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;

use std::fs;

use folder::folder;
use program::alembert;
use serde_json::Value;

const CART: &str = r#"
format = 1
name = "cart on a road"
[tables.road]
file = "data/road.csv"
x = "s"
y = "z"
[variables]
coordinates = ["x"]
[states]
"f'" = "road(x) - f"
[discrete]
gear = 1
[equations]
mass = [1]
force = ["gear*f"]
[initial]
x = 0
"x'" = 1
[run]
t_end = 3
rtol = 1e-6
"#;

#[test]
fn tables_come_from_the_folder_of_the_model_and_belong_to_the_run() {
    let place = folder("tables-files");
    fs::create_dir_all(place.join("data")).expect("a folder");
    let (model, road, out) = (place.join("cart.toml"), place.join("data/road.csv"), place.join("out"));
    fs::write(&model, CART).expect("a file");
    let [model, folder] = [&model, &out].map(|path| path.display().to_string());
    let (_, stderr, code) = alembert(&["check", &model]);
    assert!(code != 0 && stderr.contains("table `road`: `data/road.csv` cannot be read: "), "{stderr}");
    fs::write(&road, "s,z\n-1,0\n2,0\n5,0.5\n").expect("a file");
    let (_, stderr, code) = alembert(&["run", &model, "--out", &folder, "--max-steps", "3", "--quiet"]);
    assert_eq!(code, 3, "{stderr}");
    // With another road the run does not go on; with its own it does.
    fs::write(&road, "s,z\n-1,0\n2,0\n5,0.500001\n").expect("a file");
    let (_, stderr, code) = alembert(&["run", "--resume", &folder, "--quiet"]);
    assert!(code != 0 && stderr.contains("other parameters or formulas"), "{stderr}");
    fs::write(&road, "s,z\n-1,0\n2,0\n5,0.5\n").expect("a file");
    let (_, stderr, code) = alembert(&["run", "--resume", &folder, "--quiet"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    // States stand after velocities; neither their integrals nor their rates are columns.
    let csv = fs::read_to_string(out.join("result.csv")).expect("a result");
    assert_eq!(csv.lines().next(), Some("t,x,x',f,gear,x''"));
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(out.join("summary.json")).expect("a summary")).expect("JSON");
    assert_eq!(summary["quantities"]["states"], serde_json::json!(["f", "gear"]));
    let names: Vec<&String> = summary["typical_sizes"]["q"].as_object().expect("sizes").keys().collect();
    assert_eq!(names, ["x"]);
}

#[test]
fn a_run_that_leaves_a_table_names_it() {
    let place = folder("tables-end");
    fs::create_dir_all(place.join("data")).expect("a folder");
    let (model, out) = (place.join("cart.toml"), place.join("out"));
    fs::write(&model, CART).expect("a file");
    fs::write(place.join("data/road.csv"), "s,z\n-1,0\n2,0\n").expect("a file");
    let [model, out] = [&model, &out].map(|path| path.display().to_string());
    let (_, stderr, code) = alembert(&["run", &model, "--out", &out]);
    assert!(code != 0, "{stderr}");
    assert!(stderr.contains("the table `road` goes from -1 to 2, and its argument is 2"), "{stderr}");
    assert!(stderr.contains("hint: give the table more points, or another `extrapolation`"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_not_waited_for() {
    let place = folder("tables-pipe");
    fs::create_dir_all(place.join("data")).expect("a folder");
    let (model, road) = (place.join("cart.toml"), place.join("data/road.csv"));
    fs::write(&model, CART).expect("a file");
    let made = std::process::Command::new("mkfifo").arg(&road).status();
    assert!(made.is_ok_and(|made| made.success()), "a pipe");
    let model = model.display().to_string();
    let (_, stderr, code) = alembert(&["check", &model]);
    assert!(code != 0 && stderr.contains("it is not a plain file"), "{stderr}");
    // A link to a file is read as the file.
    fs::remove_file(&road).expect("a file");
    fs::write(place.join("elsewhere.csv"), "s,z\n-1,0\n2,0\n").expect("a file");
    std::os::unix::fs::symlink("../elsewhere.csv", &road).expect("a link");
    let (_, stderr, code) = alembert(&["check", &model]);
    assert_eq!(code, 0, "{stderr}");
}
