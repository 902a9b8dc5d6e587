//! Starts: fixed values, what was moved, equilibrium, parameters that are found, the last row of a result.

use alembert::verdict::Concern;
use alembert_model::Model;
use alembert_sim::find::solved;
use alembert_sim::from::LastRow;
use alembert_sim::sheet;
use alembert_sim::start::start;
use alembert_sim::{Alone, simulate};

use super::{CRANK, PENDULUM, SPRING, model, model_with, oscillator, run};

#[test]
fn a_crank_starts_at_its_angle_and_speed() {
    for (phi, w) in [(0.7_f64, 10.0), (3.0, -2.0), (-1.2, 0.5)] {
        let model = model_with(CRANK, &[("phi0", &phi.to_string()), ("w", &w.to_string())]);
        let (state, begun) = start(&model).unwrap_or_else(|failure| panic!("{failure}"));
        let (r, l) = (0.3, 1.0_f64);
        let (x, y) = (r * phi.cos(), r * phi.sin());
        let reach = (l * l - y * y).sqrt();
        let s_dot = -w * y - y * w * x / reach;
        for (found, exact) in state.q.iter().chain(&state.v).zip([phi, x, y, x + reach, w, -w * y, w * x, s_dot]) {
            assert!((found - exact).abs() < 1e-12, "{found} {exact}");
        }
        // What was moved is told by name; fixed values and velocities that were not given are not.
        let names: Vec<&str> = begun.moves.iter().map(|moved| moved.name.as_str()).collect();
        assert_eq!(names, ["x", "y", "s"]);
        assert!(begun.follows);
        let warnings = begun.warnings();
        assert!(warnings.iter().all(|warning| warning.concern == Concern::Start && warning.limit == 0.01));
    }
}

#[test]
fn fixing_too_much_names_what_is_fixed() {
    let model = model(&CRANK.replace(r#"fixed = ["phi", "phi'"]"#, r#"fixed = ["phi", "x"]"#));
    let failure = start(&model).expect_err("x does not fit phi");
    let words = failure.to_string();
    assert!(words.contains("fixing the position of phi, x leaves"), "{words}");
    assert!(words.contains("out of `fixed` under [start]"), "{words}");
}

/// n pendulums side by side, each given a little off its circle.
fn pendulums(n: usize, x: f64) -> String {
    format!(
        "format = 1\n[parameters]\nn = {n}\n[variables]\ncoordinates = [\"x[1..n]\", \"y[1..n]\"]\n[equations]\n\
         kinetic = \"sum((x[i]'^2 + y[i]'^2)/2 for i in 1..n)\"\npotential = \"sum(9.81*y[i] for i in 1..n)\"\n\
         holonomic = [\"x[i]^2 + y[i]^2 - 1 for i in 1..n\"]\n[initial]\nx = {x}\ny = 0\n[run]\nt_end = 1\n"
    )
}

#[test]
fn warnings_of_a_start_do_not_depend_on_the_number_of_copies() {
    for n in [1, 3, 200] {
        // 0.5 % off is told, 2 % off is a warning.
        let (_, near) = start(&model(&pendulums(n, 1.005))).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(near.moves.len(), n);
        assert!(near.warnings().is_empty(), "{n}: {}", near.warnings()[0]);
        let (_, far) = start(&model(&pendulums(n, 1.02))).unwrap_or_else(|failure| panic!("{failure}"));
        let words: Vec<String> = far.warnings().iter().map(ToString::to_string).collect();
        assert_eq!(words.len(), n.min(5));
        assert!(words[0].starts_with("the given value of x[1] was moved by 2.0e-2 of its size"), "{}", words[0]);
        assert_eq!(far.lines().len(), if n > 10 { 11 } else { n });
    }
    let (_, on) = start(&model(&pendulums(4, 1.0))).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(on.moves.is_empty() && on.lines().is_empty());
}

#[test]
fn a_run_from_equilibrium_stays_there() {
    let model = model(SPRING);
    let (state, begun) = start(&model).unwrap_or_else(|failure| panic!("{failure}"));
    let length = 1.0 + 2.0 * 9.81 / 50.0;
    assert!(state.q[0].abs() < 1e-9 && (state.q[1] + length).abs() < 1e-10, "{:?}", state.q);
    assert!(
        begun.lines()[0].contains("static equilibrium") && begun.lines()[0].contains("stable"),
        "{:?}",
        begun.lines()
    );
    assert!(begun.warnings().is_empty(), "a guess may be rough");
    let last = run(&model).states.last().expect("rows").clone();
    assert!(last.q[0].abs() < 1e-7 && (last.q[1] + length).abs() < 1e-7, "{:?}", last.q);
}

fn found(text: &str) -> Result<Model, String> {
    let make = |settings: &[(String, String)]| {
        Model::parse("m", text, settings).map_err(|mistakes| alembert_sim::Failure::mistakes(mistakes.to_string()))
    };
    solved(&[], make).map_err(|failure| failure.to_string())
}

#[test]
fn a_parameter_is_found_from_the_start() {
    // The slider stands at 1.1 when the crank is at 0.7: l follows from the triangle.
    let text = CRANK.replace("[start]\n", "[start]\nfind = { l = \"s = 1.1\" }\n");
    let model = found(&text).unwrap_or_else(|words| panic!("{words}"));
    let (x, y) = (0.3 * 0.7_f64.cos(), 0.3 * 0.7_f64.sin());
    let exact = ((1.1 - x).powi(2) + y * y).sqrt();
    assert!((model.found[0].1 - exact).abs() < 1e-10, "{} {exact}", model.found[0].1);
    let (state, _) = start(&model).unwrap_or_else(|failure| panic!("{failure}"));
    assert!((state.q[3] - 1.1).abs() < 1e-10);
    // Two at once, one of them by a force: the spring that carries m = 2 at y = -1.25 with an acceleration of zero.
    let text = SPRING.replace("equilibrium = true", "find = { k = \"y''\", l0 = \"k*(-y - l0) - 40*(l0 - 0.5)\" }");
    let text = text.replace("x = 0.9", "x = 0").replace("y = 0.5", "y = -1.25");
    let model = found(&text).unwrap_or_else(|words| panic!("{words}"));
    let [(_, k), (_, l0)] = &model.found[..] else { panic!("{:?}", model.found) };
    let exact = 0.5 + 2.0 * 9.81 / 40.0;
    assert!((l0 - exact).abs() < 1e-9 && (k - 2.0 * 9.81 / (1.25 - exact)).abs() < 1e-7, "{k} {l0}");
}

#[test]
fn what_cannot_be_found_is_refused() {
    let with = |find: &str| {
        found(&CRANK.replace("[start]\n", &format!("[start]\nfind = {{ {find} }}\n"))).expect_err("nothing to find")
    };
    let words = with("w = \"s - 1.1\"");
    assert!(words.contains("`s - 1.1` does not depend on it at the start"), "{words}");
    let words = with("l = \"(s - 1.1)^2 + 1\"");
    assert!(words.contains("no values found for which") && words.contains("hint:"), "{words}");
    let words = with("l = \"s - 1.1\", r = \"2*s - 2.2\"");
    assert!(words.contains("do not determine them"), "{words}");
}

#[test]
fn a_result_goes_on_from_its_last_row() {
    let folder = std::env::temp_dir().join(format!("alembert-from-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let first = model(&oscillator("", ""));
    let table = sheet::results(&first, &run(&first).states);
    let mut text = Vec::new();
    table.write_csv(&mut text).expect("memory takes it");
    std::fs::write(folder.join("result.csv"), text).expect("a writable folder");
    let row = LastRow::read(&folder).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(LastRow::parse(&row.json()).as_ref(), Some(&row));
    let mut second = model(&oscillator("", "").replace("t_end = 2", "t_end = 5"));
    row.begin(&mut second).unwrap_or_else(|failure| panic!("{failure}"));
    let trajectory = run(&second);
    assert_eq!(trajectory.states[0].t, 2.0);
    let last = trajectory.states.last().expect("rows");
    assert!((last.t - 5.0).abs() < 1e-12 && (last.q[0] - 15.0_f64.sin()).abs() < 1e-6, "{last:?}");
    let mut other = model(PENDULUM);
    let words = row.begin(&mut other).expect_err("another model").to_string();
    assert!(words.contains("has no column `y`"), "{words}");
    std::fs::remove_dir_all(&folder).expect("it was there");
}

#[test]
fn the_frequency_of_an_equilibrium_is_exact_where_derivatives_are() {
    use alembert::equilibrium::Stability;
    // Ordinary, tiny, stiff and soft.
    for (m, k, l0) in [(2.0, 50.0, 1.0), (1e-9, 1e-3, 1e-6), (1.0, 1e9, 1.0), (1.0, 0.02, 1.0)] {
        let text = SPRING.replace("x = 0.9", "x = \"0.9*l0\"").replace("y = 0.5", "y = \"0.5*l0\"");
        let settings = [("m", m), ("k", k), ("l0", l0)].map(|(name, value)| (name, format!("{value:e}")));
        let model = model_with(&text, &settings.each_ref().map(|(name, value)| (*name, value.as_str())));
        let (state, begun) = start(&model).unwrap_or_else(|failure| panic!("{failure}"));
        let length: f64 = l0 + m * 9.81 / k;
        assert!(
            (state.q[1] + length).abs() < 1e-10 * length && state.q[0].abs() < 1e-9 * length,
            "{m} {k}: {:?}",
            state.q
        );
        let Some(Stability::Stable { frequency }) = begun.rest.map(|rest| rest.stability) else { panic!("{m} {k}") };
        let expected = (9.81 / length).min(k / m).sqrt();
        // What rounding of the stiffer spring leaves of the softer one.
        let good = 1e-9 + 1e-14 * (k / m) / (9.81 / length);
        assert!((frequency / expected - 1.0).abs() < good, "{m} {k}: {frequency} {expected}");
    }
}

/// A flat parallelogram that moves: there is no method for which its motion is determined.
const FLAT: &str = r#"
format = 1
dimension = 2
[[bodies]]
name = "left"
mass = 1
inertia = 0.1
points = { end = [1, 0] }
[[bodies]]
name = "right"
mass = 1
inertia = 0.1
points = { end = [1, 0] }
pose = { at = [3, 0] }
[[bodies]]
name = "coupler"
mass = 1
inertia = 1
points = { end = [3, 0] }
pose = { at = [1, 0] }
[[joints]]
name = "A"
type = "revolute"
of = ["ground", "left"]
start = { angle = 0, speed = 2 }
[[joints]]
name = "B"
type = "revolute"
of = ["left.end", "coupler"]
[[joints]]
name = "C"
type = "revolute"
of = ["coupler.end", "right.end"]
[[joints]]
name = "D"
type = "revolute"
of = ["ground(3, 0)", "right"]
[run]
t_end = 0.1
"#;

#[test]
fn a_start_in_a_dead_point_is_refused_in_words() {
    for method in ["radau", "soi2", "bdf"] {
        let text = format!("{FLAT}method = \"{method}\"\n");
        let model = model(&text);
        let Err(failure) = simulate(&model, &model.run, &Alone) else { panic!("{method}: it runs") };
        let words = "the start is a singular configuration at t = 0.000000: the constraints of `A`, `B`, `C`, `D`";
        assert!(failure.message.starts_with(words), "{method}: {failure}");
        assert!(failure.hint.is_some_and(|hint| hint.contains("begin beside it")), "{method}");
        // Beside it the same model runs.
        run(&super::model(&text.replace("angle = 0,", "angle = 0.01,")));
    }
}
