//! CPU time, on request: `cargo test --release --test runge_kutta -- --ignored --nocapture time`.

use std::time::Instant;

use alembert::{ErrorControl, Integrator, RungeKutta, Tolerance, Unobserved};

use crate::common::{problem, start};

fn time(name: &str, t_end: f64) {
    let p = problem(name);
    let start = start(&p);
    for tol in [1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12] {
        let run = || {
            let tolerance = Tolerance::new(tol, tol).expect("in range");
            let (scheme, control) = (RungeKutta::default(), ErrorControl::new());
            let mut integrator = Integrator::new(&*p.system, &start, &scheme, control, tolerance).expect("a start");
            let clock = Instant::now();
            integrator.run(t_end, &mut Unobserved).expect("succeeds");
            clock.elapsed().as_secs_f64()
        };
        let best = (0..100).map(|_| run()).fold(f64::INFINITY, f64::min);
        println!("{name} to {t_end} at {tol:e}: {:.3} ms", 1e3 * best);
    }
}

#[test]
#[ignore = "measures time"]
fn time_andrews() {
    time("andrews", 0.03);
}

#[test]
#[ignore = "measures time"]
fn time_pendulum() {
    time("pendulum", 100.0);
}
