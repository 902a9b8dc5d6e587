//! `cargo xtask bench --formulas`: what forces cost that a model file says, beside the same forces in Rust with the same branches.
//!
//! First the force alone, asked through [`ConstrainedSystem::evaluate`] at the same points, in turns, many times; the best round of each
//! counts. Both must give the same numbers. Then a motion of fixed steps of SOI2, derivatives of the force included: the same steps, so that
//! the ratio is that of what a user waits for. Files are run with `smooth`, as Rust without declared switches is, and with switches, which
//! are located on the way. Last the seconds in which a chain of 1000 links is loaded, as it is and with an `if` in every link.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use alembert::{
    Answer, At, ConstrainedSystem, Dims, FixedSteps, Functions, GeneralizedAlpha, Guess, Integrator, Quantity,
    Tolerance, Unobserved, consistent,
};
use alembert_model::Model;

use crate::TaskError;

/// Copies of the law in one model.
const COPIES: usize = 10;
/// Points at which it is evaluated, so that branches change.
const POINTS: usize = 64;
const ROUNDS: usize = 400;
/// Fixed steps of a motion, and how often it is run.
const STEP: f64 = 1e-3;
const STEPS: usize = 2000;
const MOTIONS: usize = 9;
const LOADINGS: usize = 10;

/// A law as formulas and as a function.
struct Law {
    name: &'static str,
    /// Sections before `[variables]`.
    before: &'static str,
    /// The force on x[i].
    formula: &'static str,
    rust: fn(f64, f64, f64) -> f64,
    /// Its derivatives by x and v.
    slopes: fn(f64, f64, f64) -> [f64; 2],
}

const LAWS: [Law; 6] = [
    Law {
        name: "contact with if",
        before: "",
        formula: "-x[i] - if(x[i] < 0, 5e3*x[i]*sqrt(-x[i])*(1 + 0.3*x[i]'), 0)",
        rust: |_, x, v| -x - if x < 0.0 { 5e3 * x * (-x).sqrt() * (1.0 + 0.3 * v) } else { 0.0 },
        slopes: |_, x, v| {
            if x < 0.0 {
                let root = (-x).sqrt();
                [-1.0 - 7.5e3 * root * (1.0 + 0.3 * v), -1.5e3 * x * root]
            } else {
                [-1.0, 0.0]
            }
        },
    },
    Law {
        name: "saturated control",
        before: "",
        formula: "clamp(20*(sin(3*t) - x[i]) - 2*x[i]', -5, 5)",
        rust: |t, x, v| (20.0 * ((3.0 * t).sin() - x) - 2.0 * v).clamp(-5.0, 5.0),
        slopes: |t, x, v| {
            if (20.0 * ((3.0 * t).sin() - x) - 2.0 * v).abs() < 5.0 { [-20.0, -2.0] } else { [0.0, 0.0] }
        },
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
        slopes: |_, x, _| {
            if x.abs() < 0.2 {
                [-1.0, 0.0]
            } else if x > 0.0 {
                [-9.0 * (x + 0.8) * x.exp(), 0.0]
            } else {
                [4.0 * (x + 0.2) * x.sin() - 4.0 * x.cos(), 0.0]
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
        slopes: |_, _, v| {
            let v = v - 0.4;
            let (decay, tanh) = ((-v.abs() / 0.3).exp(), (v / 1e-2).tanh());
            let sign = if v < 0.0 { -1.0 } else { 1.0 };
            [-1.0, sign * decay * tanh - 3e2 * (0.2 + 0.1 * decay) * (1.0 - tanh * tanh)]
        },
    },
    Law {
        name: "linear table",
        before: "[tables.law]\nx = [-1, -0.6, -0.25, 0, 0.1, 0.3, 0.7, 1]\ny = [9, 4, 1, 0, -1, -1.5, -6, -8]\nextrapolation = \"linear\"\n",
        formula: "law(x[i]) - 0.1*x[i]'",
        rust: |_, x, v| table(x) - 0.1 * v,
        slopes: |_, x, _| {
            let k = interval(x);
            [(VALUES[k + 1] - VALUES[k]) / (KNOTS[k + 1] - KNOTS[k]), -0.1]
        },
    },
    Law {
        name: "Coulomb, smooth step",
        before: "",
        formula: "-x[i] - (2*step(x[i]' + 0.05, 0.1) - 1)*max(0, 3 - 2*x[i])",
        rust: |_, x, v| {
            let s = ((v + 0.05) / 0.1).clamp(0.0, 1.0);
            -x - (2.0 * (s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)) - 1.0) * (3.0 - 2.0 * x).max(0.0)
        },
        slopes: |_, x, v| {
            let s = ((v + 0.05) / 0.1).clamp(0.0, 1.0);
            let step = 2.0 * (s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)) - 1.0;
            let steep = 600.0 * s * s * (1.0 - s) * (1.0 - s);
            if x < 1.5 { [-1.0 + 2.0 * step, -steep * (3.0 - 2.0 * x)] } else { [-1.0, 0.0] }
        },
    },
];

const KNOTS: [f64; 8] = [-1.0, -0.6, -0.25, 0.0, 0.1, 0.3, 0.7, 1.0];
const VALUES: [f64; 8] = [9.0, 4.0, 1.0, 0.0, -1.0, -1.5, -6.0, -8.0];

fn interval(x: f64) -> usize {
    KNOTS[1..7].partition_point(|knot| *knot <= x)
}

fn table(x: f64) -> f64 {
    let k = interval(x);
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
    let dims = Dims { q: COPIES, v: COPIES, lambda: 0, psi: 0 };
    let (force, slopes) = (law.rust, law.slopes);
    let diagonal = move |which: usize| {
        move |t: f64, q: &[f64], v: &[f64], out: &mut [f64]| {
            (0..COPIES).for_each(|i| out[i * COPIES + i] = slopes(t, q[i], v[i])[which]);
        }
    };
    Functions::new(dims)
        .mass(|_, _, mass| (0..COPIES).for_each(|i| mass[i * COPIES + i] = 1.0))
        .force(move |t, q, v, out| (0..COPIES).for_each(|i| out[i] = force(t, q[i], v[i])))
        .force_q(diagonal(0))
        .force_v(diagonal(1))
}

/// Microseconds of a step, and where the motion ends.
fn moved(system: &dyn ConstrainedSystem) -> Result<(f64, Vec<f64>), TaskError> {
    let places = (0..COPIES).map(|i| 0.8 - 0.15 * i as f64).collect();
    let start = consistent(system, &Guess::new(0.0, places, vec![0.3; COPIES]))?;
    let (mut best, mut end) = (f64::INFINITY, Vec::new());
    for _ in 0..MOTIONS {
        let scheme = GeneralizedAlpha::from_rho_infinity(0.8)?;
        let tolerance = Tolerance::new(1e-8, 1e-8)?;
        let mut integrator = Integrator::new(system, &start, &scheme, FixedSteps::new(STEP)?, tolerance)?;
        let begin = Instant::now();
        integrator.run(STEP * STEPS as f64, &mut Unobserved)?;
        best = best.min(begin.elapsed().as_secs_f64() * 1e6 / STEPS as f64);
        end = integrator.state().q.clone();
    }
    Ok((best, end))
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

/// Prints the tables.
pub fn run(root: &Path, filter: &str, json: bool) -> Result<(), TaskError> {
    if !json {
        println!("one force of {COPIES} in a model, nanoseconds, and one step of SOI2 with all of them, microseconds");
        println!("of the file: a tape, with and without switches, and its ratio to Rust");
        println!(
            "{:<22} {:>9} {:>18} {:>18} {:>10} {:>18} {:>18}",
            "law", "force", "smooth", "switches", "step", "smooth", "switches"
        );
    }
    for law in LAWS.iter().filter(|law| law.name.contains(filter)) {
        let (plain, switching, rust) = (model(law, true)?, model(law, false)?, rust(law));
        let systems: [&dyn ConstrainedSystem; 3] = [&rust, &plain.system, &switching.system];
        let (forces, values) = measure(&systems);
        let motions = systems.iter().map(|system| moved(*system)).collect::<Result<Vec<_>, _>>()?;
        for (i, (_, end)) in motions.iter().enumerate() {
            // Steps that end at switches give another motion within their error.
            let allowed = if i < 2 { 1e-9 } else { 1e-2 };
            agree(law, &values[0], &values[i], 1e-12)?;
            agree(law, &motions[0].1, end, allowed)?;
        }
        let steps: Vec<f64> = motions.iter().map(|(time, _)| *time).collect();
        let all = [&forces[..], &steps].concat();
        if json {
            println!(r#"{{"law":"{}","force_ns":{forces:?},"step_us":{steps:?}}}"#, law.name);
        } else {
            let ratio = |i: usize| format!("{:.2} ({:.2})", all[i], all[i] / all[i / 3 * 3]);
            println!(
                "{:<22} {:>9.2} {:>18} {:>18} {:>10.3} {:>18} {:>18}",
                law.name,
                all[0],
                ratio(1),
                ratio(2),
                all[3],
                ratio(4),
                ratio(5)
            );
        }
    }
    let plain = "potential = \"g*sum(y[i] for i in 1..N)\"";
    let stops = "potential = \"sum(g*y[i] + if(theta[i] > 1, (theta[i] - 1)^2*exp(theta[i]), 0) for i in 1..N)\"";
    let chain = fs::read_to_string(root.join("models/chain.toml"))?;
    let (plain, stops) = (loading(&chain)?, loading(&chain.replace(plain, stops))?);
    match json {
        true => println!(r#"{{"loading_s":[{plain:.4},{stops:.4}]}}"#),
        false => println!("a chain of 1000 links is loaded in {plain:.3} s, with an if in each in {stops:.3} s"),
    }
    Ok(())
}

/// Seconds of the fastest of some loadings.
fn loading(text: &str) -> Result<f64, TaskError> {
    let settings = [("N".to_owned(), "1000".to_owned())];
    let mut best = f64::INFINITY;
    for _ in 0..LOADINGS {
        let begin = Instant::now();
        black_box(Model::parse("chain", text, &settings)).map_err(|mistakes| mistakes.to_string())?;
        best = best.min(begin.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn agree(law: &Law, one: &[f64], other: &[f64], allowed: f64) -> Result<(), TaskError> {
    let off = one.iter().zip(other).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
    let size = one.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
    if off <= allowed * size {
        Ok(())
    } else {
        Err(format!("{}: the file and Rust differ by {off:e}", law.name).into())
    }
}
