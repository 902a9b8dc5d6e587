//! Estimated against true local error, on step sequences that no controller has smoothed.

use alembert::method::Scheme;
use alembert::{Equations, GeneralizedAlpha, HhtAlpha, Tolerance};
use alembert_problems::{Problem, andrews, free_body, heavy_top, paper1, rolling_disk, sleigh, spring_pendulum};

use super::local::true_error;
use super::start;
use crate::TaskError;

const STEPS: usize = 40;

/// Ratios of a sequence of steps.
#[derive(Clone, Copy)]
enum Sequence {
    Constant,
    Alternating,
    Random,
}

/// Estimate / true error of each step.
fn ratios(scheme: &dyn Scheme, problem: &Problem, h: f64, sequence: Sequence) -> Result<Vec<f64>, TaskError> {
    let start = start(problem)?;
    let tolerance = Tolerance::new(1e-6, 1e-6)?;
    let mut equations = Equations::new(&*problem.system);
    let mut method = scheme.build(&equations, tolerance)?;
    method.restart(&mut equations, &start)?;
    let mut seed = 88_172_645_463_325_252_u64;
    let mut length = h;
    let mut ratios = Vec::with_capacity(STEPS);
    for step in 0..STEPS {
        length = match sequence {
            Sequence::Constant => h,
            Sequence::Alternating => [h / 1.5, h / 0.75][step % 2],
            Sequence::Random => {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let uniform = (seed >> 11) as f64 / (1_u64 << 53) as f64;
                // Ratios from 1/2 to 2, drawn back to h.
                (length * 4f64.powf(uniform - 0.5)).clamp(h / 3.0, 3.0 * h)
            }
        };
        let from = method.state().clone();
        let attempt = method.attempt(&mut equations, length)?;
        method.accept();
        let estimated = attempt.error.ok_or("an alpha method estimates its error")?.norm;
        ratios.push(estimated / true_error(&*problem.system, &tolerance, &from, method.state())?);
    }
    Ok(ratios)
}

pub fn run() -> Result<(), TaskError> {
    println!(
        "\nestimated / true local error, {STEPS} steps each constant, alternating 1:2 and random (ratios 1/2 to 2)"
    );
    println!("{:<18} {:<14} {:>12} {:>8} {:>8} {:>8}", "problem", "method", "in [0.5, 2]", "least", "median", "most");
    let cases = [
        (spring_pendulum::new(), 0.01),
        (sleigh::bowl(), 0.02),
        (andrews::new(), 1e-4),
        (rolling_disk::new(), 0.05),
        (paper1::new(), 0.02),
        (free_body::new(), 0.05),
        (heavy_top::tumbling(), 0.01),
        (heavy_top::new(), 1e-3),
    ];
    for (problem, h) in &cases {
        let rhos = [0.0, 0.2, 0.5, 0.8, 1.0];
        let mut schemes: Vec<(String, Box<dyn Scheme>)> = Vec::new();
        for rho in rhos {
            schemes.push((format!("soi2 rho {rho}"), Box::new(GeneralizedAlpha::from_rho_infinity(rho)?)));
        }
        if problem.system.dims().psi == 0 {
            for alpha in [-0.3, -0.1, 0.0] {
                schemes.push((format!("hht {alpha}"), Box::new(HhtAlpha::new(alpha)?)));
            }
        }
        for (name, scheme) in &schemes {
            let mut all = Vec::new();
            for sequence in [Sequence::Constant, Sequence::Alternating, Sequence::Random] {
                all.extend(ratios(&**scheme, problem, *h, sequence)?);
            }
            all.sort_by(f64::total_cmp);
            let inside = all.iter().filter(|x| (0.5..=2.0).contains(*x)).count() as f64 / all.len() as f64;
            println!(
                "{:<18} {name:<14} {:>10.1} % {:>8.2} {:>8.2} {:>8.2}",
                problem.name,
                100.0 * inside,
                all[0],
                all[all.len() / 2],
                all[all.len() - 1]
            );
        }
    }
    Ok(())
}
