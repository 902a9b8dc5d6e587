//! `cargo xtask iterations`: Newton iterations of SOI2 and extended HHT where stiffness and damping meet constraints.
//!
//! Mean per step over [`STEPS`] steps, at two tolerances. Every iteration counts, also those with old factors that were
//! given up; a linearisation is one evaluation of the blocks with its factorisations.

use alembert::method::{Form, Scheme, Start};
use alembert::{GeneralizedAlpha, HhtAlpha};
use alembert_problems::spring_pendulum::{Hinge, with_hinge};
use alembert_problems::two_bars::{self, Stiffness};
use alembert_problems::{Problem, paper3, rolling_disk, sleigh};

use crate::{TaskError, suite};

const STEPS: usize = 20;
const TOLERANCES: [f64; 2] = [1e-12, 1e-6];
const RHO: f64 = 0.5;
const ALPHA: f64 = -0.2;
/// Angular velocity of the bars at the start.
const SPIN: f64 = 5.0;

struct Case {
    name: String,
    problem: Problem,
    h: f64,
}

fn cases() -> Vec<Case> {
    let case = |name: &str, problem, h| Case { name: name.to_string(), problem, h };
    let mut cases = vec![
        case("paper 3", paper3::new(), 0.1),
        case("sleigh", sleigh::flat(), 0.2),
        case("sleigh in a bowl", sleigh::bowl(), 0.2),
        case("rolling disk", rolling_disk::new(), 0.3),
    ];
    for (k, phases) in [(3e6, [0.01, 1.0, 100.0]), (3e9, [0.01, 1.0, 1000.0])] {
        let hinge = Hinge { k, ..Hinge::default() };
        for phase in phases {
            // Inertia of the bar about its hinge: 4 m L^2 / 3 with m = 5, L = 2.
            let omega = (k / (80.0 / 3.0)).sqrt();
            cases.push(case(&format!("pendulum k {k:e}, h omega {phase}"), with_hinge(hinge), phase / omega));
        }
    }
    let soft = Stiffness::default();
    for (name, pairs, steps) in [
        ("bars, no springs", soft, [0.01, 0.1]),
        ("bars ct 1e4", Stiffness { ct: 1e4, ..soft }, [0.01, 0.1]),
        ("bars kl 1e8, cl 1e5", Stiffness { kl: 1e8, cl: 1e5, ..soft }, [0.01, 0.05]),
        ("bars cp 1e6", Stiffness { cp: 1e6, ..soft }, [0.01, 0.05]),
        ("bars, all k 1e8, c 1e5", Stiffness { kt: 1e8, ct: 1e5, kl: 1e8, cl: 1e5, kp: 1e8, cp: 1e5 }, [0.01, 0.05]),
    ] {
        for h in steps {
            cases.push(case(name, two_bars::new(pairs, SPIN), h));
        }
    }
    cases
}

/// Prints the table.
pub fn run(start: Start, json: bool) -> Result<(), TaskError> {
    let soi2 = GeneralizedAlpha::from_rho_infinity(RHO)?.with_start(start);
    let hht = HhtAlpha::new(ALPHA)?.with_start(start);
    if !json {
        println!("iterations / linearizations per step, mean of {STEPS} steps");
        println!(
            "start {start:?}; soi2: rho {RHO}; hht: alpha {ALPHA}, b 0, form index 2 where constraints are nonholonomic"
        );
        let [tight, loose] = TOLERANCES.map(|tolerance| format!("tolerance {tolerance:e}"));
        println!("{:<32} {:<6} {:>9} {:>18} {:>18}", "case", "scheme", "h", tight, loose);
    }
    for case in cases() {
        let dims = case.problem.system.dims();
        let hht = if dims.psi > 0 { hht.with_form(Form::Index2) } else { hht };
        let schemes: [(&str, &dyn Scheme); 2] = [("soi2", &soi2), ("hht", &hht)];
        for (name, scheme) in schemes {
            report(&case, name, scheme, json)?;
        }
    }
    Ok(())
}

fn report(case: &Case, scheme_name: &str, scheme: &dyn Scheme, json: bool) -> Result<(), TaskError> {
    let mut cells = Vec::new();
    let mut failures = Vec::new();
    for tolerance in TOLERANCES {
        match measure(case, scheme, tolerance)? {
            Outcome::Unsuited => return Ok(()),
            Outcome::Ran { iterations, linearizations } if json => println!(
                r#"{{"case":"{}","scheme":"{scheme_name}","h":{:e},"tolerance":{tolerance:e},"iterations":{iterations},"linearizations":{linearizations}}}"#,
                case.name, case.h
            ),
            Outcome::Failed { step, message } if json => println!(
                r#"{{"case":"{}","scheme":"{scheme_name}","h":{:e},"tolerance":{tolerance:e},"failed_step":{step},"message":{message:?}}}"#,
                case.name, case.h
            ),
            Outcome::Ran { iterations, linearizations } => cells.push(format!("{iterations:.1} / {linearizations:.2}")),
            Outcome::Failed { step, message } => {
                cells.push("fails".to_string());
                failures.push(format!("    at tolerance {tolerance:e}, step {step}: {message}"));
            }
        }
    }
    if !json {
        println!("{:<32} {scheme_name:<6} {:>9.2e} {:>18} {:>18}", case.name, case.h, cells[0], cells[1]);
        failures.iter().for_each(|failure| println!("{failure}"));
    }
    Ok(())
}

enum Outcome {
    Ran { iterations: f64, linearizations: f64 },
    Failed { step: usize, message: String },
    Unsuited,
}

fn measure(case: &Case, scheme: &dyn Scheme, tolerance: f64) -> Result<Outcome, TaskError> {
    let start = suite::start(&case.problem)?;
    let Some(mut integrator) = suite::integrator(&case.problem, &start, scheme, case.h, tolerance)? else {
        return Ok(Outcome::Unsuited);
    };
    let t_end = suite::horizon(&start, case.h, STEPS);
    for step in 1..=STEPS {
        if let Err(error) = integrator.step(t_end) {
            let message = error.to_string().lines().next().unwrap_or_default().to_string();
            return Ok(Outcome::Failed { step, message });
        }
    }
    let stats = integrator.stats();
    let mean = |count: u64| count as f64 / STEPS as f64;
    Ok(Outcome::Ran { iterations: mean(stats.iterations), linearizations: mean(stats.linearizations) })
}
