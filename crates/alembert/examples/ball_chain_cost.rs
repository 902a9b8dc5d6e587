//! What a step of a chain of links on balls costs, by the number of links.
//!
//! ```text
//! cargo run --release -p alembert --example ball_chain_cost [links ...]
//! ```

use std::error::Error;
use std::time::Instant;

use alembert::method::{Coupling, Output, Scheme};
use alembert::{
    Bdf, Equations, FixedSteps, GeneralizedAlpha, Guess, Integrator, RungeKutta, Tolerance, Unobserved, consistent,
};
use alembert_problems::ball_chain::{self, Design, Posture};

const H: f64 = 1e-3;

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<usize> = std::env::args().skip(1).map(|links| links.parse()).collect::<Result<_, _>>()?;
    let sizes = if given.is_empty() { vec![10, 100, 1000, 10_000] } else { given };
    println!("links  method                 ms/step  iterations  factorisations  start s  position  velocity");
    for links in sizes {
        let problem = ball_chain::new(Design::hanging(links), Posture::Bent(1.0));
        let layout = Equations::new(&*problem.system).layout().clone();
        if let Some((fill, operations)) = layout.cost() {
            println!(
                "{links:5}  {:.0} entries of factors and {:.0} operations a link",
                fill as f64 / links as f64,
                operations / links as f64
            );
        }
        let begin = Instant::now();
        let start = consistent(&*problem.system, &Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone()))?;
        let preparing = begin.elapsed().as_secs_f64();
        let steps = (100_000 / links).clamp(20, 1000);
        let soi2 = GeneralizedAlpha::from_rho_infinity(0.9)?;
        let schemes: [(&str, &dyn Scheme); 5] = [
            ("soi2, own output", &soi2.with_output(Output::Own)),
            ("soi2, consistent", &soi2.with_output(Output::Consistent)),
            ("soi2, two matrices", &soi2.with_output(Output::Own).with_coupling(Coupling::TwoMatrices)),
            ("radau, 5 stages", &RungeKutta::default()),
            ("bdf 2", &Bdf::new(2)?),
        ];
        for (name, scheme) in schemes {
            let tolerance = Tolerance::new(1e-6, 1e-6)?;
            let mut integrator = Integrator::new(&*problem.system, &start, scheme, FixedSteps::new(H)?, tolerance)?;
            integrator.run(5.0 * H, &mut Unobserved)?;
            let (begin, before) = (Instant::now(), integrator.stats());
            integrator.run(H * (5 + steps) as f64, &mut Unobserved)?;
            let elapsed = begin.elapsed().as_secs_f64();
            let stats = integrator.stats();
            let each = |now: u64, before: u64| (now - before) as f64 / steps as f64;
            println!(
                "{links:5}  {name:20}  {:8.3}  {:10.2}  {:14.2}  {preparing:7.2}  {:8.1e}  {:8.1e}",
                1e3 * elapsed / steps as f64,
                each(stats.iterations, before.iterations),
                each(stats.factorisations, before.factorisations),
                stats.residuals.position,
                stats.residuals.velocity,
            );
        }
    }
    Ok(())
}
