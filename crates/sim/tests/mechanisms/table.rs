//! A ball on a table that goes to and fro: what is driven has no error that a method estimates, and a step that is long enough for the flight of the
//! ball could hold many periods of the table.

use alembert_model::Model;
use alembert_sim::{Alone, End, simulate};

const RADIUS: f64 = 0.05;
const MASS: f64 = 0.2;
const STIFFNESS: f64 = 2e5;
const DAMPING: f64 = 0.3;
const G: f64 = 9.81;
const END: f64 = 0.6;

/// From a height onto a table that moves by `by sin(w t)`.
fn model(height: f64, by: f64, w: f64, run: &str) -> Model {
    let text = format!(
        "format = 1\ndimension = 2\ngravity = [0, -{G}]\n\
         [[bodies]]\nname = \"table\"\nmass = 1\ninertia = 1\n\
         [[joints]]\nname = \"g\"\ntype = \"prismatic\"\nof = [\"ground\", \"table\"]\naxis = \"y\"\n\
         [[drivers]]\nname = \"d\"\njoint = \"g\"\ndisplacement = \"{by}*sin({w}*t)\"\n\
         [[bodies]]\nname = \"b\"\nmass = {MASS}\ninertia = 1e-3\npose = {{ at = [0, {height}] }}\n\
         [[forces]]\nname = \"c\"\ntype = \"contact\"\nof = [\"b\", \"table\"]\n\
         radius = {RADIUS}\nstiffness = {STIFFNESS}\ndamping = {DAMPING}\n\
         [run]\nt_end = {END}\n{run}\n"
    );
    Model::parse("table.toml", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// The height at the end above a table that moves by `by sin(w t)`.
fn reference(height: f64, by: f64, w: f64, steps: usize) -> f64 {
    reference_on(height, |t| [by * (w * t).sin(), by * w * (w * t).cos()], steps)
}

/// The same above a table whose height and velocity are known, by the classical method of Runge and Kutta, in so many steps.
fn reference_on(height: f64, law: impl Fn(f64) -> [f64; 2], steps: usize) -> f64 {
    let h = END / steps as f64;
    let slope = |t: f64, [y, v]: [f64; 2]| {
        let [table, rate] = law(t);
        let depth = (RADIUS - y + table).max(0.0);
        let push = STIFFNESS * depth.powf(1.5) * (1.0 + 1.5 * DAMPING * (rate - v)).max(0.0);
        [v, push / MASS - G]
    };
    let moved = |x: [f64; 2], by: f64, rate: [f64; 2]| [x[0] + by * rate[0], x[1] + by * rate[1]];
    let mut x = [height, 0.0];
    for k in 0..steps {
        let t = h * k as f64;
        let a = slope(t, x);
        let b = slope(t + 0.5 * h, moved(x, 0.5 * h, a));
        let c = slope(t + 0.5 * h, moved(x, 0.5 * h, b));
        let d = slope(t + h, moved(x, h, c));
        x = [0, 1].map(|i| x[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    x[0]
}

/// The height at the end, and what is told of the run.
fn run(model: &Model, ball: usize) -> (f64, Vec<String>) {
    let result = simulate(model, &model.run, &Alone).unwrap_or_else(|failure| panic!("{failure:?}"));
    assert_eq!(result.end, End::Reached);
    let warnings = result.warnings.iter().map(ToString::to_string).collect();
    (result.states.last().expect("a state").q[ball], warnings)
}

#[test]
fn a_ball_does_not_go_through_a_table_that_swings() {
    // The last one swings 286 times, and would be met by chance in steps of a 200th of the run.
    for (height, by, w) in [(0.06, 0.02, 37.0), (0.12, 0.005, 100.0), (0.08, 0.01, 60.0), (0.1, 0.002, 3000.0)] {
        let exact = reference(height, by, w, 1_200_000);
        let coarser = reference(height, by, w, 600_000);
        assert!((exact - coarser).abs() < 1e-6, "{exact} {coarser}");
        for steps in ["rtol = 1e-6", "rtol = 1e-8", "rtol = 1e-9", "rtol = 1e-8\nmethod = \"bdf\""] {
            if w > 1000.0 && steps != "rtol = 1e-8" {
                continue;
            }
            let (y, warnings) = run(&model(height, by, w, steps), 4);
            println!("{height} {by} {w} {steps}: {y} for {exact}");
            assert!((y - exact).abs() < 2e-5, "{height} {by} {w} {steps}: {y} for {exact}");
            assert_eq!(warnings, [""; 0], "{height} {by} {w} {steps}");
        }
    }
}

#[test]
fn a_table_on_a_crank_that_turns_evenly_is_met_as_well() {
    // The law is a straight line here; what swings is what the crank moves.
    let (r, l, w, height): (f64, f64, f64, f64) = (0.02, 0.1, 37.0, 0.2);
    let text = |steps: &str| {
        format!(
            "format = 1\ndimension = 2\ngravity = [0, -{G}]\n\
             [[bodies]]\nname = \"crank\"\nmass = 1\ninertia = 0.01\npoints = {{ A = [{r}, 0] }}\n\
             [[bodies]]\nname = \"rod\"\nmass = 1\ninertia = 0.01\npoints = {{ A = [0, 0], B = [0, {l}] }}\npose = {{ at = [{r}, 0], angle = {} }}\n\
             [[bodies]]\nname = \"table\"\nmass = 1\ninertia = 1\npose = {{ at = [0, {}] }}\n\
             [[joints]]\nname = \"O\"\ntype = \"revolute\"\nof = [\"ground\", \"crank\"]\n\
             [[joints]]\nname = \"A\"\ntype = \"revolute\"\nof = [\"crank.A\", \"rod.A\"]\n\
             [[joints]]\nname = \"B\"\ntype = \"revolute\"\nof = [\"rod.B\", \"table\"]\n\
             [[joints]]\nname = \"g\"\ntype = \"prismatic\"\nof = [\"ground\", \"table\"]\naxis = \"y\"\n\
             [[drivers]]\nname = \"d\"\njoint = \"O\"\nangle = \"{w}*t\"\n\
             [[bodies]]\nname = \"b\"\nmass = {MASS}\ninertia = 1e-3\npose = {{ at = [0, {height}] }}\n\
             [[forces]]\nname = \"c\"\ntype = \"contact\"\nof = [\"b\", \"table\"]\n\
             radius = {RADIUS}\nstiffness = {STIFFNESS}\ndamping = {DAMPING}\n[run]\nt_end = {END}\n{steps}\n",
            (r / l).asin(),
            (l * l - r * r).sqrt(),
        )
    };
    let law = |t: f64| {
        let (s, c) = (w * t).sin_cos();
        let rod = (l * l - (r * c).powi(2)).sqrt();
        [r * s + rod, r * w * c + r * r * c * s * w / rod]
    };
    let exact = reference_on(height, law, 1_200_000);
    for (steps, off) in [("rtol = 1e-6", 1e-4), ("rtol = 1e-8", 2e-6), ("rtol = 1e-10", 1e-6)] {
        let model = Model::parse("crank.toml", &text(steps), &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        let (y, warnings) = run(&model, 10);
        println!("{steps}: {y} for {exact}");
        assert!((y - exact).abs() < off, "{steps}: {y} for {exact}");
        assert_eq!(warnings, [""; 0], "{steps}");
    }
}
