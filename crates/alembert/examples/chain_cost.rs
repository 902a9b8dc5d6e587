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
    let start = Instant::now();
    integrator.run(t_end, &mut Unobserved)?;
    let time = start.elapsed();
    let stats = integrator.stats();
    println!("{:.1} us a step; {stats}", time.as_secs_f64() * 1e6 / stats.steps as f64);
    if n <= 2000 {
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
