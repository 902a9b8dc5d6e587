//! A figure of chosen columns, and what outputs and results take from each other.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;
#[path = "common/rows.rs"]
mod rows;

use std::fs;

use folder::folder;
use program::alembert;
use rows::Rows;

/// The circle x = cos t, y = sin t, as a constraint; the rod pulls with the force 1.
const CIRCLE: &str = "format = 1\n[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nmass = [1, 1]\nforce = [0, 0]\n\
                      holonomic = [{ name = \"rod\", formula = \"x^2 + y^2 - 1\" }]\n[initial]\nx = 1\ny = 0\n\"y'\" = 1\n\
                      [outputs]\npull = { reaction = \"rod\", at = [\"x\", \"y\"], unit = \"N\", label = \"pull of the rod\" }\n\
                      inward = \"-(x*pull_x + y*pull_y)\"\ntwice = { formula = \"2*inward\", unit = \"N\" }\n\
                      [results]\nmost = { max = \"pull\" }\nsum = { integral = \"pull\" }\nend = { value = \"pull\" }\n\
                      own = { mean = \"pull\", unit = \"lb\", label = \"mine\" }\nplain = { rms = \"2*pull\" }\n\
                      [run]\nt_end = 6\noutput_every = 0.1\n";

fn model(name: &str, text: &str) -> (String, String) {
    let out = folder(name);
    fs::create_dir_all(&out).expect("a folder");
    let model = out.join("model.toml");
    fs::write(&model, text).expect("a file");
    (model.display().to_string(), out.join("out").display().to_string())
}

#[test]
fn outputs_use_those_above_them() {
    let (model, _) = model("chosen-outputs", CIRCLE);
    let (stdout, stderr, code) = alembert(&["run", &model, "--quiet"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let rows = Rows::read(&stdout);
    for t in rows.times() {
        for (name, exact) in [("pull", 1.0), ("pull_x", -t.cos()), ("inward", 1.0), ("twice", 2.0)] {
            assert!((rows.at(t, name) - exact).abs() < 1e-5, "{name} at {t}: {}", rows.at(t, name));
        }
    }
    // Not those below.
    let turned = CIRCLE.replace("twice = ", "first = \"late\"\nlate = \"t\"\ntwice = ");
    let (model, _) = self::model("chosen-late", &turned);
    let (_, stderr, code) = alembert(&["check", &model]);
    assert!(code == 2 && stderr.contains("unknown name `late`"), "{stderr}");
}

#[test]
fn a_result_of_an_output_has_its_unit_and_label() {
    let (model, _) = model("chosen-results", CIRCLE);
    let (stdout, stderr, code) = alembert(&["run", &model, "--quiet", "--json"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let summary: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    let said = |name: &str| {
        let result = &summary["results"][name];
        (result["unit"].as_str().map(str::to_owned), result["label"].as_str().map(str::to_owned))
    };
    let expected = |unit: &str, label: &str| (Some(unit.to_owned()), Some(label.to_owned()));
    assert_eq!(said("most"), expected("N", "largest pull of the rod"));
    assert_eq!(said("sum"), expected("N s", "integral of pull of the rod"));
    assert_eq!(said("end"), expected("N", "pull of the rod"));
    assert_eq!(said("own"), expected("lb", "mine"));
    assert_eq!(said("plain"), (None, None));
}

#[test]
fn a_figure_shows_the_columns_that_are_asked_for() {
    let (model, out) = model("chosen-figure", CIRCLE);
    let (_, stderr, code) = alembert(&["run", &model, "--quiet", "--out", &out]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let path = ["plot", &out, "--columns", "y", "--over", "x", "--equal", "--name", "path", "--height", "480"];
    let (_, stderr, code) = alembert(&path);
    assert_eq!(code, 0, "{stderr}");
    let svg = fs::read_to_string(format!("{out}/path.svg")).expect("a figure");
    assert!(svg.starts_with("<svg width=\"760\" height=\"480\""), "{svg}");
    // A unit is as long across as up: the circle is one.
    let curve = svg.split("<path d=\"").find(|path| path.contains("#0072b2") && path.matches(' ').count() > 30);
    let numbers = curve.and_then(|path| path.split('"').next()).expect("a curve").replace(['M', 'L'], " ");
    let numbers: Vec<f64> = numbers.split_whitespace().map(|number| number.parse().expect("a number")).collect();
    let points: Vec<[f64; 2]> = numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    let span = |i: usize| {
        let values = points.iter().map(|point| point[i]);
        values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
    };
    assert!((span(0) - span(1)).abs() < 0.01 * span(0), "{} {}", span(0), span(1));
    let (_, _, code) = alembert(&["plot", &out, "--columns", "pull,twice", "--quiet"]);
    let svg = fs::read_to_string(format!("{out}/chosen.svg")).expect("a figure");
    assert!(code == 0 && svg.contains("pull of the rod") && svg.contains("pull, twice (N)"), "{svg}");
    for (bad, words) in [("pul", "did you mean `pull`?"), ("wheelbarrow", "its columns are t, x, y")] {
        let (_, stderr, code) = alembert(&["plot", &out, "--columns", bad]);
        assert!(code == 2 && stderr.contains("has no column") && stderr.contains(words), "{stderr}");
    }
    let (_, stderr, code) = alembert(&["plot", &out, "--columns", "x", "--name", "../x"]);
    assert!(code == 2 && stderr.contains("letters, digits"), "{stderr}");
}

#[test]
fn a_sweep_can_be_drawn() {
    let text = CIRCLE
        .replace("[variables]", "[parameters]\nspeed = 1\n[variables]")
        .replace("\"y'\" = 1", "\"y'\" = \"speed\"");
    let (model, out) = model("chosen-sweep", &text);
    let (_, stderr, code) = alembert(&["sweep", &model, "--set", "speed=1:3:5", "--out", &out, "--quiet"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let (_, stderr, code) = alembert(&["plot", &out, "--columns", "most", "--marked", "--title", "five speeds"]);
    assert_eq!(code, 0, "{stderr}");
    let svg = fs::read_to_string(format!("{out}/chosen.svg")).expect("a figure");
    assert!(svg.contains("five speeds") && svg.contains("speed") && svg.contains("most"), "{svg}");
    // The sweep can go on beside its figure.
    let (_, stderr, code) = alembert(&["sweep", "--resume", &out]);
    assert_eq!(code, 0, "{stderr}");
}

/// States are no degrees of freedom, and their integrals are no velocities.
#[test]
fn explain_tells_states_from_velocities() {
    let text = "format = 1\n[variables]\ncoordinates = [\"x\"]\n[states]\n\"w'\" = \"abs(x') - w\"\n[equations]\nmass = [1]\nforce = [\"-w\"]\n\
                [initial]\nx = 2\n\"x'\" = 3\nw = 4\n[run]\nt_end = 1\n";
    let (model, _) = model("chosen-explain", text);
    let (stdout, stderr, code) = alembert(&["explain", &model]);
    assert_eq!(code, 0, "{stderr}");
    for words in ["1 degree of freedom at the start", "  x = 2\n  x' = 3\n  w = 4\n", "`abs(x')` in the rate of `w`"] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
}
