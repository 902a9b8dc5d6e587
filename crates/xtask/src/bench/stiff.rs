//! `cargo xtask bench --stiff`: SOI2 on the chain with springs and dampers in its joints, Coriolis and follower forces.

use alembert::Quantity;
use alembert::{FixedSteps, GeneralizedAlpha, Integrator, Stats, Tolerance, Unobserved};
use alembert_problems::long_chain::{self, Loads};

use super::process;
use crate::{TaskError, suite};

const TOLERANCE: f64 = 1e-6;

/// Length of the chain, step, end.
const SIZES: [(usize, f64, f64); 2] = [(10, 1e-2, 1.0), (1000, 1e-3, 0.2)];

fn cases(h: f64) -> Vec<(String, Loads)> {
    let none = Loads::default();
    let mut cases = vec![("no loads".to_owned(), none)];
    for size in [1.0, 1e2, 1e4, 1e6] {
        cases.push((format!("springs {size:e}"), Loads { stiffness: size, ..none }));
        cases.push((format!("dampers {size:e}"), Loads { damping: size, ..none }));
        cases.push((format!("springs and dampers {size:e}"), Loads { stiffness: size, damping: size, ..none }));
    }
    for turn in [0.001, 0.01, 0.1, 0.3, 1.0] {
        cases.push((format!("Coriolis, h Omega {turn}"), Loads { coriolis: turn / h, ..none }));
    }
    for size in [1.0, 1e2, 1e4] {
        cases.push((format!("follower force {size:e}"), Loads { follower: size, ..none }));
    }
    for size in [1.0, 1e3, 1e6] {
        let loads = Loads { stiffness: size, damping: size, coriolis: 0.1 / h, follower: 10.0 };
        cases.push((format!("all, springs and dampers {size:e}"), loads));
    }
    cases
}

/// Prints the table.
pub fn run(filter: &str, json: bool) -> Result<(), TaskError> {
    if !json {
        println!("SOI2, rho 0.8, Newton's tolerance {TOLERANCE:e}; counts are per step");
        println!(
            "{:>6} {:<32} {:>10} {:>10} {:>8} {:>10} {:>8} {:>9} {:>8} {:>8}",
            "bars", "loads", "iterations", "linearized", "forces", "factored", "solved", "us/step", "|g|", "|G v|"
        );
    }
    for (bars, h, t_end) in SIZES {
        for (name, loads) in cases(h).into_iter().filter(|(name, _)| format!("{bars} {name}").contains(filter)) {
            match measure(bars, loads, h, t_end) {
                Ok(row) => println!("{}", if json { row.json(bars, h, &name) } else { row.line(bars, &name) }),
                Err(error) if json => {
                    println!(r#"{{"bars":{bars},"h":{h:e},"loads":"{name}","failure":{:?}}}"#, error.to_string())
                }
                Err(error) => {
                    println!("{bars:>6} {name:<32} fails: {}", error.to_string().lines().next().unwrap_or_default())
                }
            }
        }
    }
    Ok(())
}

struct Row {
    microseconds: f64,
    stats: Stats,
}

impl Row {
    fn per_step(&self) -> [f64; 5] {
        let Stats { iterations, linearizations, factorisations, solves, evaluations, steps, .. } = self.stats;
        let counts = [iterations, linearizations, evaluations.of(Quantity::Force), factorisations, solves];
        counts.map(|count| count as f64 / steps as f64)
    }

    fn line(&self, bars: usize, name: &str) -> String {
        let [iterations, linearized, forces, factored, solved] = self.per_step();
        format!(
            "{bars:>6} {name:<32} {iterations:>10.2} {linearized:>10.3} {forces:>8.2} {factored:>10.3} {solved:>8.2} {:>9.1} {:>8.1e} {:>8.1e}",
            self.microseconds, self.stats.residuals.position, self.stats.residuals.velocity
        )
    }

    fn json(&self, bars: usize, h: f64, name: &str) -> String {
        let [iterations, linearized, forces, factored, solved] = self.per_step();
        format!(
            r#"{{"bars":{bars},"h":{h:e},"loads":"{name}","us":{:.1},"iterations":{iterations},"linearizations":{linearized},"forces":{forces},"factorisations":{factored},"solves":{solved},"position":{:e},"velocity":{:e}}}"#,
            self.microseconds, self.stats.residuals.position, self.stats.residuals.velocity
        )
    }
}

fn measure(bars: usize, loads: Loads, h: f64, t_end: f64) -> Result<Row, TaskError> {
    let problem = long_chain::new(bars, loads);
    let start = suite::start(&problem)?;
    let scheme = GeneralizedAlpha::from_rho_infinity(0.8)?;
    let (begin, mut runs, mut spent) = (process::seconds(), 0, 0.0);
    let mut stats = Stats::default();
    while spent < 0.1 {
        let tolerance = Tolerance::new(TOLERANCE, TOLERANCE)?;
        let mut integrator = Integrator::new(&*problem.system, &start, &scheme, FixedSteps::new(h)?, tolerance)?;
        integrator.run(t_end, &mut Unobserved)?;
        runs += 1;
        stats = integrator.stats();
        spent = process::seconds() - begin;
    }
    Ok(Row { microseconds: 1e6 * spent / f64::from(runs) / stats.steps as f64, stats })
}
