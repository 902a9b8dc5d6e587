//! `cargo xtask instructions --motions`: instructions of whole motions, and what they bring: steps and errors at the end.
//!
//! A run from the consistent start, made twice in one process less made once: what is computed once in a program cancels, what
//! every run needs (buffers, a first step) does not.

use alembert::{
    ConsistentState, ErrorControl, GeneralizedAlpha, Integrator, RungeKutta, Tolerance, Unobserved, VariableBdf,
};
use alembert_problems::chain::{self, Joints};
use alembert_problems::long_chain::{self, Loads};
use alembert_problems::{Problem, andrews, car_axis, pendulum, rolling_disk, wheelset};

use super::counted;
use crate::{TaskError, suite};

/// A motion by name, how it is made and where it ends.
struct Motion {
    name: &'static str,
    make: fn() -> Problem,
    t_end: f64,
    methods: &'static [&'static str],
}

const DEFAULT: &[&str] = &["radau5"];
const ALL: &[&str] = &["radau5", "bdf", "soi2"];

const MOTIONS: [Motion; 7] = [
    Motion { name: "andrews", make: andrews::new, t_end: 0.03, methods: ALL },
    Motion { name: "pendulum", make: pendulum::horizontal, t_end: 100.0, methods: DEFAULT },
    Motion { name: "double-pendulum", make: || chain::planar(2, Joints::default()), t_end: 5.0, methods: DEFAULT },
    Motion { name: "chain-10", make: || long_chain::new(10, Loads::default()), t_end: 1.0, methods: DEFAULT },
    Motion { name: "car-axis", make: car_axis::new, t_end: 3.0, methods: DEFAULT },
    Motion { name: "rolling-disk", make: rolling_disk::new, t_end: 10.0, methods: DEFAULT },
    // Its reference between the published ends is slow: all ten seconds.
    Motion { name: "wheelset", make: wheelset::new, t_end: 10.0, methods: DEFAULT },
];
const TOLERANCES: [&str; 2] = ["1e-5", "1e-8"];

/// Prints the table.
pub fn run(filter: &str, json: bool) -> Result<(), TaskError> {
    if !json {
        println!("| motion | method | tol | thousands of instructions | steps | a step | error of q | of v |");
        println!("|---|---|---|---|---|---|---|---|");
    }
    for Motion { name, make, t_end, methods } in &MOTIONS {
        let wanted = |method: &&&str| format!("{name} {method}").contains(filter);
        if !methods.iter().any(|method| wanted(&method)) {
            continue;
        }
        let problem = make();
        let exact = problem.reference_at(*t_end);
        for method in methods.iter().filter(wanted) {
            for tolerance in TOLERANCES {
                let cost = |repeats| counted(&["motion", name, method, tolerance, repeats]);
                let instructions = cost("2")? - cost("1")?;
                let mut integrator = integrator(&problem, &suite::start(&problem)?, method, tolerance)?;
                integrator.run(*t_end, &mut Unobserved)?;
                let (state, steps) = (integrator.state(), integrator.stats().steps);
                let (q, v) = (error(&state.q, &exact.q), error(&state.v, &exact.v));
                let (whole, each) = (instructions * 1e-3, instructions * 1e-3 / steps as f64);
                if json {
                    println!(
                        r#"{{"motion":"{name}","method":"{method}","tol":{tolerance},"instructions":{instructions:.0},"steps":{steps},"error_q":{q:e},"error_v":{v:e}}}"#
                    );
                } else {
                    println!(
                        "| {name} | {method} | {tolerance} | {whole:.0} | {steps} | {each:.1} | {q:.1e} | {v:.1e} |"
                    );
                }
            }
        }
    }
    Ok(())
}

/// The largest error relative to one more than the size.
fn error(x: &[f64], exact: &[f64]) -> f64 {
    x.iter().zip(exact).map(|(x, y)| (x - y).abs() / (1.0 + y.abs())).fold(0.0, f64::max)
}

fn integrator<'s>(
    problem: &'s Problem,
    start: &ConsistentState,
    method: &str,
    tolerance: &str,
) -> Result<Integrator<'s>, TaskError> {
    let tolerance: f64 = tolerance.parse()?;
    let (system, tolerance) = (&*problem.system, Tolerance::new(tolerance, tolerance)?);
    let control = ErrorControl::default();
    Ok(match method {
        "radau5" => Integrator::new(system, start, &RungeKutta::default(), control, tolerance)?,
        "bdf" => Integrator::new(system, start, &VariableBdf::new(), control, tolerance)?,
        "soi2" => Integrator::new(system, start, &GeneralizedAlpha::from_rho_infinity(0.8)?, control, tolerance)?,
        _ => return Err(format!("there is no method `{method}`").into()),
    })
}

/// The same motion several times, in this process.
pub fn repeat(name: &str, method: &str, tolerance: &str, repeats: &str) -> Result<(), TaskError> {
    let motion = MOTIONS.iter().find(|motion| motion.name == name).ok_or("there is no such motion")?;
    let problem = (motion.make)();
    let start = suite::start(&problem)?;
    for _ in 0..repeats.parse()? {
        integrator(&problem, &start, method, tolerance)?.run(motion.t_end, &mut Unobserved)?;
    }
    Ok(())
}
