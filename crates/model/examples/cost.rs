//! What formulas cost beside Rust written by hand: nanoseconds for one evaluation of the residual (M a - f - r, g, k), of its
//! derivative in q, and of G.
//!
//! ```sh
//! cargo run --release -p alembert-model --example cost
//! ```

use std::hint::black_box;
use std::time::{Duration, Instant};

use alembert::{ConstrainedSystem, Equations, Point};
use alembert_model::Model;
use alembert_problems::by_name;

const PAIRS: [(&str, &str, &str); 6] = [
    ("pendulum_paper4", "pendulum", include_str!("../../../models/pendulum_paper4.toml")),
    ("paper3", "paper3", include_str!("../../../models/paper3.toml")),
    ("rolling_disk", "rolling_disk", include_str!("../../../models/rolling_disk.toml")),
    ("car_axis", "car_axis", include_str!("../../../models/car_axis.toml")),
    ("andrews", "andrews", include_str!("../../../models/andrews.toml")),
    ("slider_crank_flexible", "slider_crank", include_str!("../../../models/slider_crank_flexible.toml")),
];

/// Nanoseconds of the fastest of some batches.
fn time(mut call: impl FnMut()) -> f64 {
    let batch = 2000;
    let mut best = Duration::MAX;
    for _ in 0..50 {
        let clock = Instant::now();
        (0..batch).for_each(|_| call());
        best = best.min(clock.elapsed());
    }
    best.as_nanos() as f64 / f64::from(batch)
}

fn cost(system: &dyn ConstrainedSystem, at: Point) -> [f64; 3] {
    let mut equations = Equations::new(system);
    let (dims, n) = (system.dims(), equations.tangent());
    let a = vec![0.3; dims.v];
    let (mut r, mut c) = (vec![0.0; dims.v], vec![0.0; dims.constraints()]);
    let residual = time(|| {
        r.fill(0.0);
        let _ = black_box(equations.residual(black_box(at), &a, &mut r, &mut c));
    });
    let (mut s, mut work) = (vec![0.0; dims.v * n], vec![0.0; dims.v * n]);
    let stiffness = time(|| {
        let _ = black_box(equations.residual_q(black_box(at), &a, &mut s, &mut work));
    });
    let mut g = vec![0.0; dims.lambda * n];
    let jacobian = time(|| {
        let _ = black_box(equations.holonomic_q(at.t, black_box(at.q), &mut g));
    });
    [residual, stiffness, jacobian]
}

fn main() {
    println!("{:22}  {:>30}  {:>30}  {:>30}", "", "residual (ns)", "residual_q (ns)", "g_q (ns)");
    println!("{:22}  {}", "model", "   file      Rust      ratio    ".repeat(3));
    for (file, name, text) in PAIRS {
        let (Ok(model), Some(problem)) = (Model::parse(file, text, &[]), by_name(name)) else { continue };
        let start = &problem.start;
        let v: Vec<f64> = start.v.iter().map(|v| v + 0.1).collect();
        let at = Point { t: start.t, q: &start.q, v: &v, lambda: &start.lambda, psi: &start.psi };
        let (mine, theirs) = (cost(&model.system, at), cost(&*problem.system, at));
        print!("{file:22}");
        for (mine, theirs) in mine.iter().zip(theirs) {
            print!("  {mine:9.1} {theirs:9.1} {:9.2} ", mine / theirs);
        }
        println!();
    }
}
