//! What a step of SOI2 costs on a chain: `cargo run --release --example chain_cost -- 1000`.
use alembert::{FixedSteps, GeneralizedAlpha, Guess, Integrator, Tolerance, Unobserved, consistent};
use alembert_problems::long_chain::{self, Loads};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let n: usize = args.next().map_or(Ok(1000), |n| n.parse())?;
    let tol: f64 = args.next().map_or(Ok(1e-6), |n| n.parse())?;
    let t_end: f64 = args.next().map_or(Ok(1.0), |n| n.parse())?;
    let problem = long_chain::new(n, Loads::default());
    let start = Instant::now();
    let state = consistent(&*problem.system, &Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone()))?;
    println!("start {:?}", start.elapsed());
    let scheme = GeneralizedAlpha::from_rho_infinity(0.8)?;
    let mut integrator =
        Integrator::new(&*problem.system, &state, &scheme, FixedSteps::new(1e-3)?, Tolerance::new(tol, tol)?)?;
    let start = cpu_time();
    let mut count = 0;
    integrator.run(t_end, &mut |step: &alembert::Accepted| {
        count += 1;
        if std::env::var("SHOW").is_ok() && (count < 12 || count % 100 == 0) {
            println!(
                "{count} iterations {} linearizations {} residuals {:?}",
                step.attempt.iterations, step.attempt.linearizations, step.attempt.residuals
            );
        }
        std::ops::ControlFlow::Continue(())
    })?;
    let time = cpu_time() - start;
    let stats = integrator.stats();
    println!("{:.1} us a step; {stats}", time * 1e6 / stats.steps as f64);
    if args.next().is_some() {
        let exact = problem.reference_at(t_end);
        let error = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        let end = integrator.state();
        println!(
            "q {:.2e} v {:.2e} lambda {:.2e}",
            error(&end.q, &exact.q),
            error(&end.v, &exact.v),
            error(&end.lambda, &exact.lambda)
        );
    }
    Ok(())
}

/// Seconds that this process has run, from the kernel.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}
