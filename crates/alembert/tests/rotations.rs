//! Rotations in the alpha methods.

use std::ops::ControlFlow;

use alembert::method::Scheme;
use alembert::{Accepted, FixedSteps, GeneralizedAlpha, Guess, HhtAlpha, Integrator, State, Stats, Tolerance, consistent};
use alembert_problems::{Problem, free_body, heavy_top, spatial_pendulum};

const CONSTANT: &[f64] = &[1.0];
const ALTERNATING: &[f64] = &[2.0 / 3.0, 4.0 / 3.0];

fn run(
    scheme: &dyn Scheme,
    problem: &Problem,
    h: f64,
    t_end: f64,
    pattern: &[f64],
    tolerance: f64,
    mut look: impl FnMut(&State),
) -> Stats {
    let s = &problem.start;
    let guess = Guess::new(s.t, s.q.clone(), s.v.clone());
    let start = consistent(&*problem.system, &guess).expect("consistent");
    let steps = FixedSteps::pattern(h, pattern).expect("positive");
    let tolerance = Tolerance::new(tolerance, tolerance).expect("in range");
    let mut integrator = Integrator::new(&*problem.system, &start, scheme, steps, tolerance).expect("starts");
    integrator
        .run(t_end, &mut |step: &Accepted| {
            look(step.state);
            ControlFlow::Continue(())
        })
        .unwrap_or_else(|e| panic!("{} on {}: {e}", scheme.name(), problem.name));
    integrator.stats()
}

#[test]
fn probe() {
    for (name, problem, n) in [("top", heavy_top::new(), 800.0), ("tumbling", heavy_top::tumbling(), 400.0), ("free", free_body::new(), 200.0), ("pendulum", spatial_pendulum::new(), 300.0)] {
        for rho in [0.0, 0.5, 0.9, 1.0] {
            let soi2 = GeneralizedAlpha::from_rho_infinity(rho).expect("in range");
            let hht = HhtAlpha::new(-0.3 * (1.0 - rho)).expect("in range");
            for (m, scheme) in [("soi2", &soi2 as &dyn Scheme), ("hht", &hht)] {
                for pattern in [CONSTANT, ALTERNATING] {
                    let mut all = Vec::new();
                    let mut its = 0.0;
                    for k in [1.0, 2.0] {
                        let h = problem.t_end / n / k;
                        let mut e = [0.0_f64; 4];
                        let mut first = 0.0;
                        let mut i = 0;
                        let stats = run(scheme, &problem, h, problem.t_end, pattern, 1e-12, |s| {
                            i += 1;
                            if i == 2 || (s.t / problem.t_end * 4.0).fract() < 1e-6 {
                                let exact = problem.reference_at(s.t);
                                let d = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
                                if i == 2 { first = d(&s.lambda, &exact.lambda); return; }
                                for (e, d) in e.iter_mut().zip([d(&s.q, &exact.q), d(&s.v, &exact.v), d(&s.a, &exact.a), d(&s.lambda, &exact.lambda)]) { *e = e.max(d); }
                            }
                        });
                        its = stats.iterations as f64 / stats.steps as f64;
                        all.push((e, first));
                    }
                    let o: Vec<String> = (0..4).map(|i| format!("{:.1e} {:.2}", all[1].0[i], (all[0].0[i] / all[1].0[i]).log2())).collect();
                    println!("{name} {m} {rho} {}: {} first {:.1e} {:.2}, its {its:.2}", pattern.len(), o.join(", "), all[1].1, (all[0].1 / all[1].1).log2());
                }
            }
        }
    }
}
