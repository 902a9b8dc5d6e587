//! `cargo xtask bench --formulas`: what forces cost that a model file says, beside the same forces in Rust with the same branches.
//!
//! Both are asked through [`ConstrainedSystem::evaluate`] at the same points along a motion, in turns, many times; the best round of each
//! counts, and their ratio is shown. Both must give the same numbers. Files are asked as they are (values decide about branches) and on
//! held branches, as along a motion, where they have switches.

use std::hint::black_box;
use std::time::Instant;

use alembert::{Answer, At, ConstrainedSystem, Dims, Functions, Quantity};
use alembert_model::Model;

use crate::TaskError;

/// Copies of the law in one model.
const COPIES: usize = 10;
/// Points at which it is evaluated, so that branches change.
const POINTS: usize = 64;
const ROUNDS: usize = 400;

/// A law as formulas and as a function.
struct Law {
    name: &'static str,
    /// Sections before `[variables]`.
    before: &'static str,
    /// The force on x[i].
    formula: &'static str,
    rust: fn(f64, f64, f64) -> f64,
}

const LAWS: [Law; 6] = [
    Law {
        name: "contact with if",
        before: "",
        formula: "-x[i] - if(x[i] < 0, 5e3*x[i]*sqrt(-x[i])*(1 + 0.3*x[i]'), 0)",
        rust: |_, x, v| -x - if x < 0.0 { 5e3 * x * (-x).sqrt() * (1.0 + 0.3 * v) } else { 0.0 },
    },
    Law {
        name: "saturated control",
        before: "",
        formula: "clamp(20*(sin(3*t) - x[i]) - 2*x[i]', -5, 5)",
        rust: |t, x, v| (20.0 * ((3.0 * t).sin() - x) - 2.0 * v).clamp(-5.0, 5.0),
    },
    Law {
        name: "three branches",
        before: "",
        formula: "if(abs(x[i]) < 0.2, -x[i], if(x[i] > 0, -0.2 - 9*(x[i] - 0.2)*exp(x[i]), 0.2 - 4*(x[i] + 0.2)*cos(x[i])))",
        rust: |_, x, _| {
            if x.abs() < 0.2 {
                -x
            } else if x > 0.0 {
                -0.2 - 9.0 * (x - 0.2) * x.exp()
            } else {
                0.2 - 4.0 * (x + 0.2) * x.cos()
            }
        },
    },
    Law {
        name: "own function",
        before: "[functions]\n\"friction(v, n)\" = \"n*(0.2 + 0.1*exp(-abs(v)/0.3))*tanh(v/1e-2)\"\n",
        formula: "-x[i] - friction(x[i]' - 0.4, 3)",
        rust: |_, x, v| {
            let v = v - 0.4;
            -x - 3.0 * (0.2 + 0.1 * (-v.abs() / 0.3).exp()) * (v / 1e-2).tanh()
        },
    },
    Law {
        name: "linear table",
        before: "[tables.law]\nx = [-1, -0.6, -0.25, 0, 0.1, 0.3, 0.7, 1]\ny = [9, 4, 1, 0, -1, -1.5, -6, -8]\nextrapolation = \"linear\"\n",
        formula: "law(x[i]) - 0.1*x[i]'",
        rust: |_, x, v| table(x) - 0.1 * v,
    },
    Law {
        name: "Coulomb, smooth step",
        before: "",
        formula: "-x[i] - (2*step(x[i]' + 0.05, 0.1) - 1)*max(0, 3 - 2*x[i])",
        rust: |_, x, v| {
            let s = ((v + 0.05) / 0.1).clamp(0.0, 1.0);
            -x - (2.0 * (s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)) - 1.0) * (3.0 - 2.0 * x).max(0.0)
        },
    },
];

const KNOTS: [f64; 8] = [-1.0, -0.6, -0.25, 0.0, 0.1, 0.3, 0.7, 1.0];
const VALUES: [f64; 8] = [9.0, 4.0, 1.0, 0.0, -1.0, -1.5, -6.0, -8.0];

fn table(x: f64) -> f64 {
    let k = KNOTS[1..7].partition_point(|knot| *knot <= x);
    VALUES[k] + (x - KNOTS[k]) / (KNOTS[k + 1] - KNOTS[k]) * (VALUES[k + 1] - VALUES[k])
}

fn model(law: &Law, smooth: bool) -> Result<Model, TaskError> {
    let text = format!(
        "format = 1\n{}[variables]\ncoordinates = [\"x[1..{COPIES}]\"]\n[equations]\nmass = [\"1 for i in 1..{COPIES}\"]\n\
         force = [\"{} for i in 1..{COPIES}\"]\nsolver = \"dense\"\n[initial]\nx = 0.1\n[run]\nt_end = 1\nsmooth = {smooth}\n",
        law.before, law.formula
    );
    Model::parse(law.name, &text, &[]).map_err(|mistakes| mistakes.to_string().into())
}

fn rust(law: &Law) -> Functions<'static> {
    let (dims, force) = (Dims { q: COPIES, v: COPIES, lambda: 0, psi: 0 }, law.rust);
    Functions::new(dims).mass(|_, _, mass| (0..COPIES).for_each(|i| mass[i * COPIES + i] = 1.0)).force(
        move |t, q, v, out| {
            for ((out, x), v) in out.iter_mut().zip(q).zip(v) {
                *out = force(t, *x, *v);
            }
        },
    )
}

/// Places and velocities, on both sides of everything.
fn points() -> Vec<(f64, Vec<f64>, Vec<f64>)> {
    let point = |k: usize| {
        let wave = |i: usize, by: f64| (0.37 * k as f64 + by * i as f64).sin();
        let places = (0..COPIES).map(|i| 0.9 * wave(i, 1.7)).collect();
        (0.02 * k as f64, places, (0..COPIES).map(|i| 1.3 * wave(i, 2.3)).collect())
    };
    (0..POINTS).map(point).collect()
}

/// Nanoseconds of one force of one copy in each system, and the values of the last point. The systems take turns.
fn measure(systems: &[&dyn ConstrainedSystem]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let points = points();
    let mut workspaces: Vec<_> = systems.iter().map(|system| system.workspace()).collect();
    let mut best = vec![f64::INFINITY; systems.len()];
    let mut values = vec![vec![0.0; POINTS * COPIES]; systems.len()];
    for _ in 0..ROUNDS {
        for (s, system) in systems.iter().enumerate() {
            let begin = Instant::now();
            for ((t, q, v), out) in points.iter().zip(values[s].chunks_mut(COPIES)) {
                out.fill(0.0);
                let mut wanted = [(Quantity::Force, &mut *out)];
                let at = At::new(*t, black_box(q), black_box(v));
                system.evaluate(&at, &mut Answer::new(&mut wanted), &mut workspaces[s]);
                black_box(&out);
            }
            best[s] = best[s].min(begin.elapsed().as_secs_f64() * 1e9 / (POINTS * COPIES) as f64);
        }
    }
    (best, values)
}

/// Prints the table.
pub fn run(filter: &str, json: bool) -> Result<(), TaskError> {
    if !json {
        println!("nanoseconds of one force of {COPIES} in a model, the best of {ROUNDS} rounds of {POINTS} points");
        println!("{:<22} {:>8} {:>12} {:>8} {:>16} {:>8}", "law", "Rust", "file", "ratio", "with switches", "ratio");
    }
    for law in LAWS.iter().filter(|law| law.name.contains(filter)) {
        let (plain, switching, rust) = (model(law, true)?, model(law, false)?, rust(law));
        let (times, values) = measure(&[&rust, &plain.system, &switching.system]);
        for other in &values[1..] {
            let off = values[0].iter().zip(other).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
            if off > 1e-12 * values[0].iter().fold(1.0_f64, |max, x| max.max(x.abs())) {
                return Err(format!("{}: the file and Rust differ by {off:e}", law.name).into());
            }
        }
        let [rust, plain, switching] = times[..] else { continue };
        if json {
            println!(r#"{{"law":"{}","rust":{rust:.2},"file":{plain:.2},"with_switches":{switching:.2}}}"#, law.name);
        } else {
            println!(
                "{:<22} {rust:>8.1} {plain:>12.1} {:>8.2} {switching:>16.1} {:>8.2}",
                law.name,
                plain / rust,
                switching / rust
            );
        }
    }
    Ok(())
}
