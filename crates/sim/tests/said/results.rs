//! Outputs and results of motions that are known exactly.

use std::f64::consts::{FRAC_PI_2, PI};

use alembert_model::Model;
use alembert_sim::{Alone, Trajectory, sheet};

use super::{PENDULUM, model, oscillator, result, run};

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
fn a_constant_has_its_own_mean() {
    let text = oscillator("p = { mean = \"pi\" }\nq = { rms = \"-pi\" }\nr = { max = \"pi\" }", "");
    let trajectory = run(&model(&text));
    for name in ["p", "q", "r"] {
        assert!((result(&trajectory, name).0 - PI).abs() < 1e-14, "{name}");
    }
}
