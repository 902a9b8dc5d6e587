//! Forces with kinks, jumps, stops and steep transitions: errors must stay near the tolerance although the estimate of a step
//! that is not smooth is of a lower order. Without the test of smoothness these runs are off by 30 to 200 000 tolerances.

use alembert::{ErrorControl, Guess, Integrator, RungeKutta, Tolerance, Unobserved, consistent};
use alembert_problems::kinked_pendulum::{self, Force};
use alembert_problems::{Problem, by_name};

/// The largest error of q and v at two times, over tol (1 + size).
fn ratio(problem: &Problem, stages: usize, tol: f64) -> f64 {
    let at = &problem.start;
    let guess = Guess::new(at.t, at.q.clone(), at.v.clone()).with_multipliers(at.lambda.clone(), at.psi.clone());
    let start = consistent(&*problem.system, &guess).expect("consistent");
    let scheme = RungeKutta::radau(stages).expect("odd");
    let tolerance = Tolerance::new(tol, tol).expect("in range");
    let mut integrator =
        Integrator::new(&*problem.system, &start, &scheme, ErrorControl::new(), tolerance).expect("starts");
    let mut worst = 0.0_f64;
    for part in [0.5, 1.0] {
        let exact = problem.reference_at(part * problem.t_end);
        integrator.run(exact.t, &mut Unobserved).unwrap_or_else(|e| panic!("{} at {tol:e}: {e}", problem.title));
        let state = integrator.state();
        for (x, y) in [(&state.q, &exact.q), (&state.v, &exact.v)] {
            let size = y.iter().fold(1.0, |max: f64, y| max.max(1.0 + y.abs()));
            worst = x.iter().zip(y).fold(worst, |max, (x, y)| max.max((x - y).abs() / (size * tol)));
        }
    }
    worst
}

#[test]
fn errors_stay_near_the_tolerance_where_forces_are_not_smooth() {
    let forces = [
        Force::Kink { k: 20.0, d: -0.2 },
        Force::Kink { k: 50.0, d: 0.55 },
        Force::Jump { c: 2.0, d: 0.1 },
        Force::Jump { c: -3.0, d: 0.4 },
        Force::Stop { k: 1e4, d: -0.3 },
        Force::Stop { k: 1e6, d: 0.1 },
        Force::Steep { c: 3.0, d: 0.2, width: 1e-3 },
        Force::Switched { c: 5.0, at: 1.234 },
    ];
    let mut ratios = Vec::new();
    for force in forces {
        let problem = kinked_pendulum::new(force);
        for (stages, tol) in [(5, 1e-6), (5, 1e-8), (7, 1e-10)] {
            let ratio = ratio(&problem, stages, tol);
            assert!(ratio < 2000.0, "{force:?} at {tol:e}: {ratio:.0} tolerances");
            ratios.push(ratio);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let [median, nine] = [0.5, 0.9].map(|share| ratios[((ratios.len() - 1) as f64 * share) as usize]);
    assert!(median < 30.0 && nine < 200.0, "median {median}, nine of ten {nine}");
}

#[test]
fn rounding_is_no_kink() {
    // Its forces cancel heavily: at 1e-10 stage accelerations are rounding in short steps, and look rough at any length. The last digit of
    // a step moves the error of a run by a factor of a hundred, from 5e2 to 5e4 tolerances: the middle one of several runs is looked at.
    let problem = by_name("wheelset").expect("known");
    let mut ratios = [2.5e-10, 1.6e-10, 1.3e-10, 1e-10, 6e-11].map(|tol| ratio(&problem, 7, tol));
    ratios.sort_by(f64::total_cmp);
    assert!(ratios[2] < 1e4 && ratios[4] < 1e6, "{ratios:?}");
}
