//! What a run on a chain costs: `cargo run --release --example chain_cost -- soi2 1000 1e-6 1 x`.
use alembert::method::Scheme;
use alembert::{
    ErrorControl, FixedSteps, GeneralizedAlpha, Guess, Integrator, RungeKutta, Tolerance, Unobserved, VariableBdf,
    consistent,
};
use alembert_problems::long_chain::{self, Loads};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let method = args.next().unwrap_or_default();
    let n: usize = args.next().map_or(Ok(1000), |n| n.parse())?;
    let tol: f64 = args.next().map_or(Ok(1e-6), |n| n.parse())?;
    let t_end: f64 = args.next().map_or(Ok(1.0), |n| n.parse())?;
    let problem = long_chain::new(n, Loads::default());
    let state = consistent(&*problem.system, &Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone()))?;
    let (scheme, control): (Box<dyn Scheme>, bool) = match method.as_str() {
        "radau" => (Box::new(RungeKutta::default()), true),
        "bdf" => (Box::new(VariableBdf::default()), true),
        _ => (Box::new(GeneralizedAlpha::from_rho_infinity(0.8)?), false),
    };
    let tolerance = Tolerance::new(tol, tol)?;
    let start = cpu_time();
    let mut integrator = if control {
        Integrator::new(&*problem.system, &state, &*scheme, ErrorControl::new(), tolerance)?
    } else {
        Integrator::new(&*problem.system, &state, &*scheme, FixedSteps::new(1e-3)?, tolerance)?
    };
    integrator.run(t_end, &mut Unobserved)?;
    let time = cpu_time() - start;
    let stats = integrator.stats();
    println!("{method} {n} {tol:e}: {:.1} ms, {:.1} us a step; {stats}", time * 1e3, time * 1e6 / stats.steps as f64);
    if args.next().is_some() {
        let exact = problem.reference_at(t_end);
        let error = |a: &[f64], b: &[f64]| {
            let places = a.iter().zip(b).enumerate().filter(|(i, _)| i % 3 < 2);
            places.fold(0.0_f64, |m, (_, (a, b))| m.max((a - b).abs()))
        };
        let end = integrator.state();
        println!("x, y {:.2e} rates {:.2e}", error(&end.q, &exact.q), error(&end.v, &exact.v));
    }
    Ok(())
}

/// Seconds that this process has run, from the kernel.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}
