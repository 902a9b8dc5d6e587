//! A ball on a table that goes to and fro: what is driven has no error that would bound a step, and a step that is long enough for the flight of the
//! ball may hold a whole period of the table.

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

/// The height at the end by the classical method of Runge and Kutta, in so many steps.
fn reference(height: f64, by: f64, w: f64, steps: usize) -> f64 {
    let h = END / steps as f64;
    let slope = |t: f64, [y, v]: [f64; 2]| {
        let (s, c) = (w * t).sin_cos();
        let depth = (RADIUS - y + by * s).max(0.0);
        let push = STIFFNESS * depth.powf(1.5) * (1.0 + 1.5 * DAMPING * (by * w * c - v)).max(0.0);
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

#[test]
fn a_ball_does_not_go_through_a_table_that_swings() {
    for (height, by, w) in [(0.06, 0.02, 37.0), (0.12, 0.005, 100.0), (0.08, 0.01, 60.0)] {
        let exact = reference(height, by, w, 600_000);
        let coarser = reference(height, by, w, 300_000);
        assert!((exact - coarser).abs() < 1e-7, "{exact} {coarser}");
        for run in ["rtol = 1e-6", "rtol = 1e-8", "rtol = 1e-9", "rtol = 1e-8\nmethod = \"bdf\""] {
            let model = model(height, by, w, run);
            let result = simulate(&model, &model.run, &Alone).unwrap_or_else(|failure| panic!("{failure:?}"));
            assert_eq!(result.end, End::Reached);
            let y = result.states.last().expect("a state").q[4];
            println!("{height} {by} {w} {run}: {y} for {exact}");
            assert!((y - exact).abs() < 2e-5, "{height} {by} {w} {run}: {y} for {exact}");
        }
    }
}
