//! Tables in model files: values, derivatives through every derivative of a system, kinks, files, and what is wrong with them.

use alembert::{At, ConstrainedSystem, Point, Quantity, State, check_derivatives};
use alembert_model::Model;
use alembert_model::source::{Files, Source};

const TABLES: &str = r#"
[tables.road]
x = [-1, 0, 0.5, 2]
y = [0, 1, "k - 3", 2]
extrapolation = "linear"
[tables.cam]
x = ["0.25*i for i in -4..8"]
y = ["sin(0.25*i) for i in -4..8"]
kind = "spline"
[tables.valve]
x = [-1, 0.2, 0.4, 1, 2]
y = [0, 0.1, 0.9, 1, 1.5]
kind = "pchip"
extrapolation = "hold"
[tables.map]
x = [-1, 0, 1, 2]
y = [-1, 0.5, 1, 2]
z = [[0, 1, 2, 3], [1, 3, 2, 0], [2, 2, 2, 1], [0, 4, 1, 1]]
kind = "spline"
[tables.flat]
x = [-1, 2]
y = [-1, 2]
z = [[0, 3], [6, 9]]
"#;

fn model(formula: &str) -> Model {
    let text = format!(
        "format = 1\n[parameters]\nk = 3\n{TABLES}[variables]\ncoordinates = [\"x\", \"y\"]\n\
         [equations]\nmass = [\"2 + ({formula})^2\", 1]\nforce = [\"{formula}\", \"({formula})*x'\"]\n\
         holonomic = [\"y - ({formula})\"]\nnonholonomic = [\"x'*y' - ({formula})\"]\n\
         [initial]\nx = 0.3\ny = 0.6\n[outputs]\nheight = \"{formula}\"\n[run]\nt_start = 0.2\nt_end = 1\n"
    );
    Model::parse("function", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn values_and_derivatives_are_exact() {
    let linear = 1.0 - 0.3 / 0.5;
    for (formula, expected) in [
        ("road(x)", Some(linear)),
        ("road(x*t)", None),
        ("cam(x*y)", None),
        ("cam(cam(x) + t)", None),
        ("valve(x)*y", None),
        ("map(x, y*t)", None),
        ("map(y, x) + road(y)", None),
        ("flat(x, y)", Some(2.0 * 1.3 + 1.6)),
        ("valve(0.4)*x", Some(0.9 * 0.3)),
    ] {
        let model = model(formula);
        let (q, v) = ([0.3, 0.6], [0.7, -0.4]);
        if let Some(expected) = expected {
            let mut force = [0.0; 2];
            let _ = model.system.ask(Quantity::Force, &At::new(0.2, &q, &v), &mut force);
            assert!((force[0] - expected).abs() < 1e-14, "{formula}: {} {expected}", force[0]);
        }
        let at = Point { t: 0.2, q: &q, v: &v, lambda: &[1.3], psi: &[-0.8] };
        let report = check_derivatives(&model.system, at).unwrap_or_else(|error| panic!("{formula}: {error}"));
        assert!(report.is_ok(), "{formula}: {report}");
    }
}

#[test]
fn linear_tables_are_what_the_reference_says_to_the_last_bit() {
    let points = [(-1.0, 0.0), (0.0, 1.0), (0.5, 0.0), (2.0, 2.0)];
    let model = model("road(x)");
    for i in 0..2000 {
        // Places that look random, and the knots.
        let x = points.get(i).map_or(-1.0 + 3.0 * (0.5 + 0.5 * (78.233 * i as f64).sin()), |point| point.0);
        let k = (1..3).filter(|k| points[*k].0 <= x).max().unwrap_or(0);
        let ((x0, y0), (x1, y1)) = (points[k], points[k + 1]);
        let (s, rise) = ((x - x0) / (x1 - x0), y1 - y0);
        let expected = if s > 0.5 { y1 - (x1 - x) / (x1 - x0) * rise } else { y0 + s * rise };
        let mut force = [0.0; 2];
        let _ = model.system.ask(Quantity::Force, &At::new(0.2, &[x, 0.6], &[0.0; 2]), &mut force);
        // Forces are written for pieces that are held, which may round once or twice more; outputs are as in the file.
        assert!((force[0] - expected).abs() <= 4.0 * f64::EPSILON, "{x}: {} {expected}", force[0]);
        let state =
            State { t: 0.2, q: vec![x, 0.6], v: vec![0.0; 2], a: vec![0.0; 2], lambda: Vec::new(), psi: Vec::new() };
        let mut height = [0.0];
        model.outputs_into(&state, &mut height);
        assert_eq!(height[0], expected, "{x}");
    }
}

/// A mass pushed by a table of time.
fn pushed(table: &str, force: &str) -> Model {
    let text = format!(
        "format = 1\n[tables.push]\n{table}\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\n\
         force = [\"{force}\"]\n[initial]\nx = 0\n[run]\nt_end = 4\n"
    );
    Model::parse("pushed", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn kinks_of_linear_tables_are_landed_on_exactly() {
    let table = "x = [0, 0.3, 1.1, 2.7, 4]\ny = [0, 2, -1, -1, 3]";
    let times = |model: &Model, from: f64, to: f64| -> Vec<f64> {
        model.sharpness(from, to).kinks.iter().map(|(_, after)| *after).collect()
    };
    assert_eq!(times(&pushed(table, "push(t)"), 0.0, 4.0), [0.3, 1.1, 2.7]);
    // The argument may be any formula of t, and run backwards.
    let slow = times(&pushed(table, "3*push(4 - t/2)"), 0.0, 8.0);
    assert_eq!(slow.len(), 3, "{slow:?}");
    for (found, expected) in slow.iter().zip([2.6, 5.8, 7.4]) {
        assert!((found - expected).abs() < 1e-14, "{slow:?}");
    }
    // A wave of triangles: twice in each period, in all periods.
    let wave = pushed("x = [0, 0.25, 1]\ny = [0, 1, 0]\nextrapolation = \"periodic\"", "push(t)");
    assert_eq!(times(&wave, 0.0, 3.0), [0.25, 1.0, 1.25, 2.0, 2.25]);
    // Smooth tables have kinks at ends that hold only.
    let hold = "x = [0, 1, 2, 3]\ny = [0, 1, 0, 2]\nkind = \"spline\"\nextrapolation = \"hold\"";
    // An end that holds is a `min`, which has both branches at the end itself: it goes over between the neighbours of that.
    assert_eq!(pushed(hold, "push(t)").sharpness(0.0, 4.0).kinks, [(3.0_f64.next_down(), 3.0_f64.next_up())]);
    assert!(times(&pushed(&hold.replace("hold", "linear"), "push(t)"), 0.0, 4.0).is_empty());
}

#[test]
fn motion_under_a_linear_table_is_exact() {
    // Between knots the force is linear in t, so x is a cubic: x += h v + h^2 (f0/3 + f1/6), v += h (f0 + f1)/2.
    let (knots, values) = ([0.0, 0.3, 1.1, 2.7, 4.0], [0.0, 2.0, -1.0, -1.0, 3.0]);
    let (mut x, mut v) = (0.0, 0.0);
    for i in 0..4 {
        let (h, f0, f1) = (knots[i + 1] - knots[i], values[i], values[i + 1]);
        x += h * v + h * h * (f0 / 3.0 + f1 / 6.0);
        v += 0.5 * h * (f0 + f1);
    }
    let model = pushed("x = [0, 0.3, 1.1, 2.7, 4]\ny = [0, 2, -1, -1, 3]", "push(t)");
    let start = alembert::consistent(&model.system, &model.guess).expect("a start");
    let scheme = model.run.method.scheme(&model.run.steps).expect("a scheme");
    let tolerance = alembert::Tolerance::relative(1e-4).expect("a tolerance");
    let control = alembert::ErrorControl::new();
    let mut integrator = alembert::Integrator::new(&model.system, &start, &*scheme, control, tolerance).expect("fits");
    model.sharpness(0.0, 4.0).prepare(&mut integrator).expect("times");
    integrator.run(4.0, &mut alembert::Unobserved).expect("a run");
    let state = integrator.state();
    // Radau integrates cubics exactly, whatever the tolerance, if no step goes over a kink.
    assert!((state.q[0] - x).abs() < 1e-12 && (state.v[0] - v).abs() < 1e-12, "{} {x}, {} {v}", state.q[0], state.v[0]);
}

const FROM_FILE: &str = "format = 1\n[tables.road]\nfile = \"data/road.csv\"\nx = \"s\"\ny = \"z\"\n[variables]\n\
    coordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"road(x)\"]\n[initial]\nx = 0.5\n[run]\nt_end = 1\n";

fn from_file(contents: &str) -> Result<Model, String> {
    let files = Files::from([("data/road.csv".to_owned(), contents.as_bytes().to_vec())]);
    Model::parse_with("model.toml", FROM_FILE, &[], &files).map_err(|mistakes| mistakes.to_string())
}

fn force(model: &Model, x: f64) -> f64 {
    let mut force = [0.0];
    let _ = model.system.ask(Quantity::Force, &At::new(0.0, &[x], &[0.0]), &mut force);
    force[0]
}

#[test]
fn points_come_from_files_that_the_caller_gives() {
    let model = from_file("\u{feff}s,z\r\n0,1\r\n1,3\r\n").expect("a model");
    assert_eq!(force(&model, 0.25), 1.5);
    assert_eq!(model.files.keys().collect::<Vec<_>>(), ["data/road.csv"]);
    let other = from_file("s,z\n0,1\n1,3.0000000001\n").expect("a model");
    let same = from_file("s,z\n# the same\n0.0,1\n1,3\n").expect("a model");
    let number = |model: &Model| model.system.description().fingerprint;
    assert_ne!(number(&model), number(&other));
    assert_eq!(number(&model), number(&same));
    // Every quality of a table counts.
    let texts = ["kind = \"pchip\"", "extrapolation = \"hold\""];
    for text in texts {
        let text = FROM_FILE.replace("y = \"z\"", &format!("y = \"z\"\n{text}"));
        let files = Files::from([("data/road.csv".to_owned(), b"s,z\n0,1\n1,3\n".to_vec())]);
        let changed = Model::parse_with("model.toml", &text, &[], &files).expect("a model");
        assert_ne!(number(&model), number(&changed), "{text}");
    }
}

#[test]
fn surfaces_come_from_lists_of_points_in_any_order() {
    let text = FROM_FILE.replace("y = \"z\"", "y = \"w\"\nz = \"z\"").replace("road(x)", "road(x, 2)");
    let parse = |contents: &str| {
        let files = Files::from([("data/road.csv".to_owned(), contents.as_bytes().to_vec())]);
        Model::parse_with("model.toml", &text, &[], &files).map_err(|mistakes| mistakes.to_string())
    };
    let model = parse("w,s,z\n3,1,7\n1,0,0\n1,1,5\n3,0,2\n").expect("a model");
    // z = s*5 + (w - 1).
    assert!((force(&model, 0.5) - 3.5).abs() < 1e-15, "{}", force(&model, 0.5));
    let missing = parse("w,s,z\n3,1,7\n1,0,0\n1,1,5\n").expect_err("no grid");
    assert!(missing.contains("3 points are no grid of 2 by 2 knots"), "{missing}");
    let twice = parse("w,s,z\n3,1,7\n1,0,0\n1,1,5\n1,1,2\n").expect_err("twice");
    assert!(twice.contains("(1, 1) is given twice"), "{twice}");
}

#[test]
fn bad_files_are_named_with_their_places() {
    for (contents, words) in [
        ("s;z\n0;1\n1;2,5,5\n", "line 3, column 2 (`z`) of `data/road.csv` is `2,5,5`"),
        ("s,z\n0,1\n1,2,5\n", "line 3 of `data/road.csv` has 3 columns, not 2"),
        ("s,z\n0,1\n1,abc\n", "line 3, column 2 (`z`) of `data/road.csv` is `abc`"),
        ("s,y\n0,1\n1,2\n", "has no column `z`"),
        ("s,z\n0,1\n", "`x` has one point"),
        ("s,z\n", "`x` has no points"),
        ("s,z\n0,1\n1,2\n1,3\n", "`x` must increase, but 1 is followed by 1 (point 3)"),
        ("s,z\n0,1\nNaN,2\n", "is `NaN`"),
        ("", "is empty"),
    ] {
        let message = from_file(contents).expect_err(contents);
        assert!(message.contains(words) && message.contains("table `road`: "), "{contents:?}: {message}");
        assert!(message.contains("model.toml:3:8"), "the place in the model: {message}");
    }
    let message = Model::parse("model.toml", FROM_FILE, &[]).expect_err("no files").to_string();
    assert!(message.contains("`data/road.csv` cannot be read: files are not read here"), "{message}");
    let missing = Model::parse_with("model.toml", FROM_FILE, &[], &Files::new()).expect_err("missing").to_string();
    assert!(missing.contains("there is no such file"), "{missing}");
}

#[test]
fn paths_stay_in_the_folder_of_the_model() {
    /// Fails if it is asked.
    struct Never;
    impl Source for Never {
        fn read(&self, name: &str) -> Result<Vec<u8>, String> {
            panic!("asked for {name}")
        }
    }
    for path in
        ["/etc/passwd", "../road.csv", "a/../../b.csv", "C:/road.csv", "a\\\\b.csv", "", "./road.csv", "a//b.csv"]
    {
        let text = FROM_FILE.replace("data/road.csv", path);
        let message = Model::parse_with("m.toml", &text, &[], &Never).expect_err(path).to_string();
        assert!(message.contains("cannot be used"), "{path}: {message}");
    }
    /// Gives too much.
    struct Huge;
    impl Source for Huge {
        fn read(&self, _: &str) -> Result<Vec<u8>, String> {
            Ok(vec![b'0'; alembert_model::source::LARGEST + 1])
        }
    }
    let message = Model::parse_with("m.toml", FROM_FILE, &[], &Huge).expect_err("huge").to_string();
    assert!(message.contains("has more than"), "{message}");
}

#[test]
fn a_table_that_ends_says_so() {
    let text = "format = 1\n[tables.road]\nx = [0, 1]\ny = [0, 0]\n[variables]\ncoordinates = [\"x\"]\n[equations]\n\
        mass = [1]\nforce = [\"road(x)\"]\n[initial]\nx = START\n\"x'\" = 1\n[run]\nt_end = 3\n";
    let model = Model::parse("m", &text.replace("START", "0"), &[]).expect("a model");
    let mut state = (*alembert::consistent(&model.system, &model.guess).expect("a start")).clone();
    assert_eq!(model.left_table(&state), Some("the table `road` goes from 0 to 1, and its argument is 0".to_owned()));
    state.q[0] = 0.5;
    assert_eq!(model.left_table(&state), None);
    state.q[0] = 0.9999999;
    assert!(model.left_table(&state).is_some_and(|words| words.contains("0.9999999")));
    let message = Model::parse("m", &text.replace("START", "2"), &[]).expect_err("beyond").to_string();
    assert!(message.contains("the table `road` goes from 0 to 1, and its argument is 2"), "{message}");
}
