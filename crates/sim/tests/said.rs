//! What a file says of its start, its run, its outputs and its results, against exact answers.

use std::f64::consts::{FRAC_PI_2, PI};

use alembert::verdict::Concern;
use alembert_model::Model;
use alembert_sim::find::solved;
use alembert_sim::from::LastRow;
use alembert_sim::start::start;
use alembert_sim::{Alone, End, Trajectory, sheet, simulate};

fn model(text: &str) -> Model {
    model_with(text, &[])
}

fn model_with(text: &str, settings: &[(&str, &str)]) -> Model {
    let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Model::parse("model.toml", text, &settings).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn run(model: &Model) -> Trajectory {
    let trajectory = simulate(model, &model.run, &Alone).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(matches!(trajectory.end, End::Reached | End::Event(_)), "{:?}", trajectory.end);
    trajectory
}

fn result(trajectory: &Trajectory, name: &str) -> (f64, Option<f64>) {
    let found = trajectory.results.iter().find(|outcome| outcome.name == name).expect("a result of this name");
    (found.value, found.t)
}

const CRANK: &str = r#"
format = 1
name = "slider-crank"
[parameters]
r = 0.3
l = 1.0
phi0 = 0.7
w = 10
[variables]
coordinates = ["phi", "x", "y", "s"]
[equations]
kinetic = "(0.1*phi'^2 + 2*x'^2 + 2*y'^2 + 0.5*s'^2)/2"
holonomic = [
  { name = "pin x", formula = "x - r*cos(phi)" },
  { name = "pin y", formula = "y - r*sin(phi)" },
  { name = "rod", formula = "(s - x)^2 + y^2 - l^2" },
]
[initial]
phi = "phi0"
x = 0.2
y = 0.1
s = 1.1
"phi'" = "w"
[start]
fixed = ["phi", "phi'"]
[run]
t_end = 0.1
"#;

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
    let failure = start(&model).err().expect("x does not fit phi");
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

const SPRING: &str = r#"
format = 1
[parameters]
m = 2
k = 50
l0 = 1
[variables]
coordinates = ["x", "y"]
[definitions]
d = "sqrt(x^2 + y^2)"
[equations]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "k*(d - l0)^2/2 + 9.81*m*y"
[initial]
x = 0.9
y = 0.5
[start]
equilibrium = true
[run]
t_end = 2
"#;

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

/// x = sin(w t): everything about it is known.
fn oscillator(results: &str, more: &str) -> String {
    format!(
        "format = 1\n[parameters]\nw = 3\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"-w^2*x\"]\n\
         [initial]\nx = 0\n\"x'\" = \"w\"\n[outputs]\nE = {{ formula = \"(x'^2 + w^2*x^2)/2\", unit = \"J\", label = \"energy\" }}\n\
         [results]\n{results}\n[run]\nt_end = 2\nrtol = 1e-8\n{more}\n"
    )
}

const KNOWN: &str = r#"
top = { max = "x", unit = "m", label = "amplitude" }
low = { min = "x" }
fast = { max = "abs(x'')" }
mean = { mean = "x" }
rms = { rms = "x" }
area = { integral = "x^2" }
part = { integral = "x", from = 0.25, to = "pi/w" }
late = { max = "x", from = 1 }
there = { value = "x", at = 0.5 }
end = { value = "x'" }
energy = { max = "E" }
"#;

fn check_known(trajectory: &Trajectory, tolerance: f64) {
    let (w, t) = (3.0_f64, 2.0_f64);
    let close = |name: &str, exact: f64| {
        let (found, _) = result(trajectory, name);
        assert!((found - exact).abs() < tolerance, "{name}: {found}, exactly {exact}");
    };
    close("top", 1.0);
    close("low", -1.0);
    close("fast", 9.0);
    close("mean", (1.0 - (w * t).cos()) / (w * t));
    let squares = t / 2.0 - (2.0 * w * t).sin() / (4.0 * w);
    close("rms", (squares / t).sqrt());
    close("area", squares);
    close("part", ((0.25 * w).cos() + 1.0) / w);
    // The second maximum is after t = 2: from 1 on the largest value is at the end, or at t = 1.
    close("late", (w * 1.0).sin().max((w * t).sin()));
    close("there", (0.5 * w).sin());
    close("end", w * (w * t).cos());
    close("energy", 4.5);
    let (_, at) = result(trajectory, "top");
    assert!((at.expect("a time") - FRAC_PI_2 / w).abs() < 1e-4, "{at:?}");
}

#[test]
fn results_of_a_sine_are_exact_however_few_rows_there_are() {
    for more in
        ["", "output_every = 2", "output_every = 0.7", "t_eval = [0.1, 1.9]", "method = \"bdf\"\noutput_every = 2"]
    {
        let trajectory = run(&model(&oscillator(KNOWN, more)));
        check_known(&trajectory, if more.contains("bdf") { 1e-5 } else { 1e-6 });
    }
    // The tolerance decides, not the number of steps.
    let coarse = oscillator(KNOWN, "").replace("rtol = 1e-8", "rtol = 1e-4\nstages = 7");
    check_known(&run(&model(&coarse)), 1e-3);
}

#[test]
fn units_and_labels_are_where_results_are() {
    let model = model(&oscillator(KNOWN, ""));
    let trajectory = run(&model);
    let told =
        alembert_sim::summary::json(&model, &model.run, &trajectory, &sheet::results(&model, &trajectory.states));
    assert_eq!(told["units"]["E"], "J");
    assert_eq!(told["labels"]["E"], "energy");
    assert_eq!(told["results"]["top"]["unit"], "m");
    assert!((told["results"]["top"]["value"].as_f64().expect("a number") - 1.0).abs() < 1e-6);
    let words = trajectory.results[0].words();
    assert!(
        words.starts_with("amplitude = 1 m at t = 0.5236") || words.starts_with("amplitude = 1 m at t = 0.5235"),
        "{words}"
    );
}

#[test]
fn results_go_into_sweeps() {
    use alembert_sim::sweep::{columns, grid, sweep};
    let text = oscillator("top = { max = \"x\" }\nfast = { max = \"x'\" }", "");
    let axes = vec![("w".to_owned(), vec!["2".to_owned(), "5".to_owned()])];
    let points = grid(&axes).expect("a grid");
    let make = |point: &alembert_sim::sweep::Point| {
        let model = Model::parse("m", &text, point).expect("good");
        let run = model.run.clone();
        Ok((model, run))
    };
    let rows = sweep(&points, 1, make, &Alone);
    for (row, w) in rows.iter().zip([2.0, 5.0]) {
        let row = row.as_ref().expect("a row");
        let value = |name: &str| row.values[row.columns.iter().position(|column| column == name).expect("a column")];
        assert!((value("top") - 1.0).abs() < 1e-6 && (value("fast") - w).abs() < 1e-6);
        assert_eq!(row.columns, columns(&model(&text)));
        assert_eq!(row.columns.len(), row.values.len());
    }
}

const PENDULUM: &str = r#"
format = 1
[parameters]
m = 3
l = 2
[variables]
coordinates = ["x", "y"]
[equations]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "9.81*m*y"
holonomic = [{ name = "rod", formula = "x^2 + y^2 - l^2" }]
[initial]
x = "l"
y = 0
[outputs]
F = { reaction = "rod", at = ["x", "y"], unit = "N", label = "rod force" }
along = { reaction = ["rod"], at = ["y"] }
[results]
pull = { max = "F" }
[run]
t_end = 2
rtol = 1e-8
columns = ["y", "F", "F_x", "F_y", "along"]
"#;

#[test]
fn a_rod_pulls_with_its_force_at_its_end() {
    let model = model(PENDULUM);
    let trajectory = run(&model);
    let table = sheet::results(&model, &trajectory.states);
    assert_eq!(table.columns, ["t", "y", "F_x", "F_y", "F", "along"]);
    for (row, state) in table.rows.iter().zip(&trajectory.states) {
        // From rest at the height of the pivot: m v^2 = -2 m g y, so that the rod pulls with 3 m g (-y)/l, towards the pivot.
        let (x, y) = (state.q[0], state.q[1]);
        let force = 3.0 * 9.81 * 3.0 * (-y) / 2.0;
        let [_, _, fx, fy, f, along] = row[..] else { panic!("{row:?}") };
        assert!((f - force.abs()).abs() < 1e-4, "{f} {force}");
        assert!((fx + force * x / 2.0).abs() < 1e-4 && (fy + force * y / 2.0).abs() < 1e-4, "{fx} {fy}");
        assert_eq!(fy, along);
    }
    let (pull, _) = result(&trajectory, "pull");
    assert!((pull - 3.0 * 9.81 * 3.0).abs() < 1e-4, "{pull}");
}

#[test]
fn a_reaction_of_ones_own_and_of_rolling_is_split_by_its_multipliers() {
    // A block on a plane that is held by mu with a formula of its own, and another by a rod: only what is named counts.
    let text = r#"
format = 1
[variables]
coordinates = ["x", "y"]
multipliers = ["N", "H"]
[equations]
mass = [2, 2]
force = ["3", "-20"]
holonomic = [{ name = "floor", formula = "y" }, { name = "wall", formula = "x" }]
reaction = ["H", "N"]
[initial]
x = 0
y = 0
[outputs]
floor = { reaction = "floor", at = ["x", "y"] }
wall = { reaction = "wall", at = ["x"] }
[run]
t_end = 1
"#;
    let model = model(text);
    let table = sheet::results(&model, &run(&model).states);
    let last = table.rows.last().expect("rows");
    let value = |name: &str| last[table.columns.iter().position(|column| column == name).expect("a column")];
    assert!((value("floor_y") - 20.0).abs() < 1e-9 && value("floor_x") == 0.0 && (value("floor") - 20.0).abs() < 1e-9);
    assert!((value("wall") + 3.0).abs() < 1e-9);
}

const BALL: &str = r#"
format = 1
[variables]
coordinates = ["y"]
[equations]
mass = [1]
force = ["-10"]
[initial]
y = 5
[[events]]
name = "floor"
formula = "y"
direction = "falling"
action = "bounce"
restitution = 0.5
[results]
first = { value = "y'", event = "floor" }
second = { value = "t", event = "floor", which = 2 }
hits = { count = "floor" }
early = { count = "floor", to = 1.5 }
path = { integral = "abs(y')" }
high = { max = "y", from = 1.2 }
[run]
t_end = 2.4
rtol = 1e-8
"#;

#[test]
fn values_at_events_and_across_them_are_exact() {
    // It falls for 1 s, hits with 10, goes up with 5 to 1.25 and is back at t = 2, up with 2.5 until the end.
    let trajectory = run(&model(BALL));
    let close = |name: &str, exact: f64| {
        let (found, _) = result(&trajectory, name);
        assert!((found - exact).abs() < 1e-6, "{name}: {found}, exactly {exact}");
    };
    close("first", -10.0);
    close("second", 2.0);
    close("hits", 2.0);
    close("early", 1.0);
    let after = 2.5 * 2.5 / 20.0;
    close("path", 5.0 + 2.0 * 1.25 + after + 0.5 * 10.0 * 0.15 * 0.15);
    close("high", 1.25);
}

#[test]
fn events_happen_at_their_times_and_as_often_as_they_may() {
    let text = |event: &str| {
        format!(
            "format = 1\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"0\"]\n[initial]\nx = 0\n\
             [[events]]\nname = \"kick\"\n{event}\naction = \"set\"\nset = {{ \"x'\" = \"x' + 1\" }}\n[run]\nt_end = 1\n"
        )
    };
    for (event, times) in [
        ("at = \"0.5\"", vec![0.5]),
        ("at = [0.75, \"1/4\", 0.5]", vec![0.25, 0.5, 0.75]),
        ("every = \"0.1\"", (1..=9).map(|k| 0.1 * f64::from(k)).collect()),
        ("every = 0.1\ntimes = 3", vec![0.1, 0.2, 0.3]),
        ("every = 0.1\nonce = true", vec![0.1]),
        ("at = [1e-3, 2e-3, 0.999]", vec![1e-3, 2e-3, 0.999]),
    ] {
        let trajectory = run(&model(&text(event)));
        let found: Vec<f64> = trajectory.events.iter().map(|event| event.t).filter(|t| *t < 0.9995).collect();
        assert_eq!(found.len(), times.len(), "{event}: {found:?}");
        for (found, exact) in found.iter().zip(&times) {
            assert!((found - exact).abs() < 1e-14, "{event}: {found} {exact}");
        }
        // Each kick adds 1: the way is the sum of the times that are left.
        let last = trajectory.states.last().expect("rows");
        let way: f64 = times.iter().map(|t| 1.0 - t).sum();
        assert!((last.q[0] - way).abs() < 1e-9, "{event}: {} {way}", last.q[0]);
    }
}

#[test]
fn an_event_of_the_motion_happens_as_often_as_it_may() {
    let text = oscillator("n = { count = \"up\" }", "t_start = 0").replace("t_end = 2", "t_end = 20")
        + "[[events]]\nname = \"up\"\nformula = \"x\"\ndirection = \"rising\"\naction = \"continue\"\ntimes = 4\n";
    assert_eq!(result(&run(&model(&text)), "n").0, 4.0);
}

#[test]
fn rows_are_at_the_times_that_are_asked_for() {
    let times = [0.013, 0.5, 0.5 + 1e-9, 1.25];
    let text = oscillator("", &format!("t_eval = {times:?}"));
    let trajectory = run(&model(&text));
    let found: Vec<f64> = trajectory.states.iter().map(|state| state.t).collect();
    let expected: Vec<f64> = [0.0].into_iter().chain(times).chain([2.0]).collect();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (state, t) in trajectory.states.iter().zip(expected) {
        assert!((state.t - t).abs() < 1e-14 && (state.q[0] - (3.0 * t).sin()).abs() < 1e-7, "{t}");
    }
}

#[test]
fn tolerances_and_sizes_of_variables_are_kept() {
    // Two oscillators of very different size, not coupled: the small one is as accurate as its own tolerance.
    let text = |more: &str| {
        format!(
            "format = 1\n[variables]\ncoordinates = [\"x\", \"z\"]\n[equations]\nmass = [1, 1]\nforce = [\"-x\", \"-100*z\"]\n\
             [initial]\nx = 1\nz = 1e-6\n[run]\nt_end = 10\nrtol = 1e-6\n{more}\n"
        )
    };
    let error = |more: &str| {
        let trajectory = run(&model(&text(more)));
        let last = trajectory.states.last().expect("rows").clone();
        (last.q[1] - 1e-6 * (10.0 * last.t).cos()).abs() / 1e-6
    };
    let scaled = error("scale = { z = 1e-6, \"z'\" = 1e-5 }");
    assert!(scaled < 1e-4, "{scaled}");
    let absolute = error("atol = { z = 1e-12, \"z'\" = 1e-11 }");
    assert!(absolute < 1e-4, "{absolute}");
    let loose = error("atol = { z = 1, \"z'\" = 10, x = 1e-2, \"x'\" = 1e-2 }");
    assert!(loose > 100.0 * absolute, "{loose} {absolute}");
}

#[test]
fn the_shortest_step_is_a_limit() {
    let text = oscillator("", "h_min = 0.5").replace("rtol = 1e-8", "rtol = 1e-12\nstages = 2");
    let trajectory = simulate(&model(&text), &model(&text).run, &Alone).expect("a beginning");
    assert!(matches!(trajectory.end, End::Failed(_)), "{:?}", trajectory.end);
    let steps = run(&model(&oscillator("", "h_min = 1e-9"))).steps;
    assert!(steps.iter().all(|step| step.h > 1e-9));
}

#[test]
fn a_constant_has_its_own_mean() {
    let text = oscillator("p = { mean = \"pi\" }\nq = { rms = \"-pi\" }\nr = { max = \"pi\" }", "");
    let trajectory = run(&model(&text));
    for name in ["p", "q", "r"] {
        assert!((result(&trajectory, name).0 - PI).abs() < 1e-14, "{name}");
    }
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
    let text = CRANK.replace("[start]\n", "[start]\nfind = { l = \"s - 1.1\" }\n");
    let model = found(&text).unwrap_or_else(|words| panic!("{words}"));
    let (x, y) = (0.3 * 0.7_f64.cos(), 0.3 * 0.7_f64.sin());
    let exact = ((1.1 - x).powi(2) + y * y).sqrt();
    assert!((model.found[0].1 - exact).abs() < 1e-10, "{} {exact}", model.found[0].1);
    let (state, _) = start(&model).unwrap_or_else(|failure| panic!("{failure}"));
    assert!((state.q[3] - 1.1).abs() < 1e-10);
    // Two at once, one of them by a force: the spring that carries m = 2 at y = -1.25 with an acceleration of zero.
    let text = SPRING.replace("equilibrium = true", "find = { k = \"y''\", l0 = \"k*(1.25 - l0) - 10*(l0 - 1)\" }");
    let text = text.replace("x = 0.9", "x = 0").replace("y = 0.5", "y = -1.25");
    let model = found(&text).unwrap_or_else(|words| panic!("{words}"));
    let [(_, k), (_, l0)] = &model.found[..] else { panic!("{:?}", model.found) };
    assert!(
        (k * (1.25 - l0) - 2.0 * 9.81).abs() < 1e-8 && (k * (1.25 - l0) - 10.0 * (l0 - 1.0)).abs() < 1e-8,
        "{k} {l0}"
    );
}

#[test]
fn what_cannot_be_found_is_refused() {
    let with = |find: &str| {
        found(&CRANK.replace("[start]\n", &format!("[start]\nfind = {{ {find} }}\n"))).err().expect("nothing to find")
    };
    let words = with("w = \"s - 1.1\"");
    assert!(words.contains("`s - 1.1` does not depend on it at the start"), "{words}");
    let words = with("l = \"(s - 1.1)^2 + 1\"");
    assert!(words.contains("no values found for which") && words.contains("hint:"), "{words}");
    let words = with("l = \"s - 1.1\", r = \"2*s - 2.2\"");
    assert!(words.contains("do not determine them"), "{words}");
}

#[test]
fn random_parameters_follow_from_their_seed() {
    let text = "format = 1\n[parameters]\nm = { normal = [2, 0.5] }\nk = { uniform = [\"m0\", 3] }\nm0 = 1\n[variables]\n\
                coordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"0\"]\n[initial]\nx = \"3*m + k\"\n[run]\nt_end = 1\nseed = 4\n";
    let value = |settings: &[(&str, &str)]| model_with(text, settings).guess.q[0];
    assert_eq!(value(&[]), value(&[("seed", "4")]));
    assert_ne!(value(&[]), value(&[("seed", "5")]));
    assert_eq!(value(&[("m", "2"), ("k", "1")]), 7.0);
    // The mean of a linear function is that of the means, within four standard errors.
    let n = 2000;
    let mean = (0..n).map(|seed| value(&[("seed", &seed.to_string())])).sum::<f64>() / f64::from(n);
    let deviation = (9.0 * 0.25 + 4.0 / 12.0_f64).sqrt();
    assert!((mean - 8.0).abs() < 4.0 * deviation / f64::from(n).sqrt(), "{mean}");
}

#[test]
fn scenarios_take_the_place_of_what_the_file_says() {
    let text = oscillator("", "")
        + "[scenarios.fast]\nt_end = 1\nparameters = { w = 7 }\ninitial = { x = 0.5 }\n[scenarios.long]\nt_end = 9\n";
    let with = |name: &str| model_with(&text, &[("[scenario]", name)]);
    let fast = with("fast");
    assert_eq!((fast.run.t_end, fast.guess.q[0], fast.guess.v[0]), (1.0, 0.5, 7.0));
    assert_eq!(fast.scenario.as_deref(), Some("fast"));
    let long = with("long");
    assert_eq!((long.run.t_end, long.guess.q[0], long.guess.v[0]), (9.0, 0.0, 3.0));
    assert_eq!(model(&text).run.t_end, 2.0);
    // Settings win over scenarios.
    assert_eq!(model_with(&text, &[("[scenario]", "fast"), ("w", "5")]).guess.v[0], 5.0);
    let bad = Model::parse("m", &text, &[("[scenario]".to_owned(), "slow".to_owned())]).expect_err("no such scenario");
    assert!(bad.to_string().contains("the scenarios are fast, long"), "{bad}");
}

#[test]
fn parameters_are_included() {
    use alembert_model::source::Files;
    let text = oscillator("", "")
        .replace("format = 1", "format = 1\ninclude = [\"a.toml\", \"data/b.toml\"]")
        .replace("x = 0\n", "x = \"u + v[2]\"\n");
    let files = |a: &str, b: &str| Files::from([("a.toml".to_owned(), a.into()), ("data/b.toml".to_owned(), b.into())]);
    let read = |files: &Files| Model::parse_with("m", &text, &[], files);
    let model = read(&files("[parameters]\nw = 100\nu = 1\n", "[parameters]\nu = \"2*w\"\nv = [5, 6]\n"))
        .unwrap_or_else(|e| panic!("{e}"));
    // The file's own w = 3 wins, and of the two u the later one.
    assert_eq!((model.guess.q[0], model.guess.v[0]), (12.0, 3.0));
    for (a, b, words) in [
        ("[parameters]\nu = 1", "[run]\nt_end = 1", "it has `run`"),
        ("u 1", "[parameters]\nv = [1, 2]\nu = 1", "cannot include `a.toml`: it is not TOML"),
        ("", "[parameters]\nv = [1, 2]\nu = \"nothing\"", "unknown name `nothing`"),
    ] {
        let error = read(&files(a, b)).expect_err("bad").to_string();
        assert!(error.contains(words), "{error}");
    }
    let error = Model::parse("m", &text, &[]).expect_err("no files").to_string();
    assert!(error.contains("cannot include `a.toml`: files are not read here"), "{error}");
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
