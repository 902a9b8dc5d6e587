//! Error against tolerance.

use alembert::method::Scheme;
use alembert::{ErrorControl, GeneralizedAlpha, HhtAlpha, Integrator, State, Stats, Unobserved};
use alembert_problems::Problem;

use super::picture::Curve;
use super::{RHO, errors, problems, references, start, tolerance_of};
use crate::TaskError;

/// One controlled run: the largest error of q and v at the times of `exact`, and what it cost.
pub fn controlled(
    scheme: &dyn Scheme,
    problem: &Problem,
    exact: &[State],
    tol: f64,
) -> Result<([f64; 2], Stats), TaskError> {
    let start = start(problem)?;
    let tolerance = tolerance_of(tol, exact)?;
    let mut integrator = Integrator::new(&*problem.system, &start, scheme, ErrorControl::new().per_step(), tolerance)?;
    let mut worst = [0.0_f64; 2];
    for exact in exact {
        integrator.run(exact.t, &mut Unobserved)?;
        let error = errors(integrator.state(), exact);
        (0..2).for_each(|i| worst[i] = worst[i].max(error[i]));
    }
    Ok((worst, integrator.stats()))
}

/// The table; its SOI2 part as curves.
pub fn run() -> Result<Vec<Curve>, TaskError> {
    println!("error against tolerance, relative to 1 + |x|; e* = error / tol^(2/3)");
    let mut curves = Vec::new();
    println!(
        "{:<18} {:<5} {:>6} {:>9} {:>9} {:>8} {:>8} {:>6} {:>9} {:>7} {:>10} {:>11}",
        "problem",
        "",
        "tol",
        "error q",
        "error v",
        "e* of q",
        "steps",
        "rej %",
        "failed",
        "iter",
        "lin/step",
        "solves/step"
    );
    let soi2 = GeneralizedAlpha::from_rho_infinity(RHO)?;
    let hht = HhtAlpha::new(-0.1)?;
    for problem in problems() {
        let exact = references(&problem);
        let mut schemes: Vec<(&str, &dyn Scheme)> = vec![("soi2", &soi2)];
        if problem.system.dims().psi == 0 {
            schemes.push(("hht", &hht));
        }
        for (name, scheme) in schemes {
            let mut points = Vec::new();
            for digits in 3..=7 {
                let tol = 10f64.powi(-digits);
                let row = format!("{:<18} {name:<5} {tol:>6.0e}", problem.name);
                match controlled(scheme, &problem, &exact, tol) {
                    Ok((error, stats)) => {
                        points.push((tol, error[0]));
                        let per = |count: u64| count as f64 / stats.steps as f64;
                        println!(
                            "{row} {:>9.1e} {:>9.1e} {:>8.2} {:>8} {:>6.1} {:>9} {:>7.1} {:>10.2} {:>11.1}",
                            error[0],
                            error[1],
                            error[0] / tol.powf(2.0 / 3.0),
                            stats.steps,
                            100.0 * per(stats.rejected),
                            stats.failed,
                            per(stats.iterations),
                            per(stats.linearizations),
                            per(stats.solves)
                        );
                    }
                    Err(error) => println!("{row} {error}"),
                }
            }
            if name == "soi2" {
                curves.push(Curve { name: problem.name.to_string(), points });
            }
        }
    }
    Ok(curves)
}
