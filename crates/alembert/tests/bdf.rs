//! BDF: the tables of paper 5, and multipliers of full order from the first step on any grid.

use alembert::method::{Bdf, BdfStart, Formulation, Scheme};
use alembert::{FixedSteps, Guess, Integrator, State, Tolerance};
use alembert_problems::{Problem, by_name};

fn march(scheme: &dyn Scheme, problem: &Problem, steps: &[f64], mut look: impl FnMut(&State)) {
    let from = &problem.start;
    let guess =
        Guess::new(from.t, from.q.clone(), from.v.clone()).with_multipliers(from.lambda.clone(), from.psi.clone());
    let start = alembert::consistent(&*problem.system, &guess).expect("consistent");
    let tolerance = Tolerance::new(1e-13, 1e-13).expect("in range");
    let pattern = FixedSteps::pattern(1.0, steps).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, scheme, pattern, tolerance).expect("starts");
    for _ in steps {
        look(integrator.step(1e9).expect("converges").state);
    }
}

fn bdf(order: usize) -> Bdf {
    Bdf::new(order).expect("in range")
}

fn index3(order: usize, start: BdfStart) -> Bdf {
    bdf(order).with_formulation(Formulation::Index3).with_start(start)
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |max, (x, y)| max.max((x - y).abs()))
}

/// Largest errors of q, v, lambda over the run.
fn errors(scheme: &dyn Scheme, problem: &Problem, steps: &[f64]) -> [f64; 3] {
    let mut worst = [0.0_f64; 3];
    march(scheme, problem, steps, |s| {
        let exact = problem.reference_at(s.t);
        for (worst, (x, y)) in worst.iter_mut().zip([(&s.q, &exact.q), (&s.v, &exact.v), (&s.lambda, &exact.lambda)]) {
            *worst = worst.max(distance(x, y));
        }
    });
    worst
}

#[derive(Clone, Copy, Debug)]
enum Grid {
    Equal,
    Alternating,
    Random,
}

/// Steps over `length` whose mean is about h.
fn grid(kind: Grid, length: f64, count: usize) -> Vec<f64> {
    let mut seed = 12345_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let steps: Vec<f64> = (0..count)
        .map(|i| match kind {
            Grid::Equal => 1.0,
            Grid::Alternating => (1 + i % 2) as f64,
            // Neighbours differ by a factor between 1/2 and 2.
            Grid::Random => 2.0_f64.powf(random()),
        })
        .collect();
    let sum: f64 = steps.iter().sum();
    steps.iter().map(|h| h * length / sum).collect()
}

#[test]
fn probe() {
    for name in ["paper5_circle", "paper5_sphere", "paper1", "pendulum"] {
        let problem = by_name(name).expect("known");
        let length = match name {
            "paper5_circle" => 0.5,
            "paper5_sphere" => 0.4,
            "andrews" => 0.002,
            _ => 1.0,
        };
        for kind in [Grid::Equal, Grid::Alternating, Grid::Random] {
            for k in 1..=6 {
                if k == 6 && !matches!(kind, Grid::Equal) {
                    continue;
                }
                let count = match k {
                    1..=2 => 200,
                    3 => 100,
                    _ => 64,
                };
                let e: Vec<_> =
                    [1, 2].iter().map(|f| errors(&bdf(k), &problem, &grid(kind, length, count * f))).collect();
                let o: Vec<_> =
                    (0..3).map(|i| format!("{:.2} ({:.1e})", (e[0][i] / e[1][i]).log2(), e[1][i])).collect();
                println!("{name} {kind:?} {k}: {o:?}");
            }
        }
    }
}
