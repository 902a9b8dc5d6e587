//! No heap allocation per step, for every method on every problem it fits, and on a large one with patterns.

#[path = "conformance/methods.rs"]
mod methods;
#[path = "redundant/train.rs"]
mod train;

use crate::counting::allocations;
use alembert::method::{Output, Scheme};
use alembert::{Bdf, ConstrainedSystem, Equations, GeneralizedAlpha, Guess, Redundancy, RungeKutta, Tolerance};
use alembert_problems::Problem;
use alembert_problems::ball_chain::{self, Design, Posture};
use alembert_problems::long_chain::{self, Loads};
use train::Train;

/// Long enough to meet every branch: new steps, old and fresh factors.
const WARM_UP: usize = 20;
const COUNTED: usize = 60;

/// Allocations in steps of length about h, after some to warm up.
fn allocations_in_steps(scheme: &dyn Scheme, problem: &Problem, h: f64) -> u64 {
    let from = &problem.start;
    let guess =
        Guess::new(from.t, from.q.clone(), from.v.clone()).with_multipliers(from.lambda.clone(), from.psi.clone());
    allocations_in_steps_from(scheme, &*problem.system, &guess, h)
}

/// The same for a system and a guess of its start.
fn allocations_in_steps_from(scheme: &dyn Scheme, system: &dyn ConstrainedSystem, guess: &Guess, h: f64) -> u64 {
    let start = alembert::consistent(system, guess).expect("consistent");
    let mut equations = Equations::new(system);
    let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
    let mut method = scheme.build(&equations, tolerance).expect("suits");
    method.expect_no_retries();
    method.restart(&mut equations, &start).expect("starts");
    let mut steps = |count: usize| {
        for i in 0..count {
            let h = if i % 2 == 0 { 0.7 * h } else { 1.3 * h };
            method.attempt(&mut equations, h).expect("converges");
            method.accept();
        }
    };
    steps(WARM_UP);
    let before = allocations();
    steps(COUNTED);
    allocations() - before
}

#[test]
fn steps_do_not_allocate() {
    for entry in methods::entries() {
        for name in entry.problems {
            let problem = alembert_problems::by_name(name).expect("known");
            let [h, _] = entry.ladder(name);
            let count = allocations_in_steps(&*entry.scheme, &problem, h);
            assert_eq!(count, 0, "{} on {name}: allocations in {COUNTED} steps", entry.name);
        }
    }
    assert!(allocations() > 0, "the counter counts");
}

#[test]
fn steps_with_sparse_matrices_do_not_allocate() {
    let problem = long_chain::new(200, Loads { stiffness: 10.0, damping: 1.0, ..Loads::default() });
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let schemes: [(&str, &dyn Scheme); 4] = [
        ("soi2", &soi2),
        ("soi2, consistent output", &soi2.with_output(Output::Consistent)),
        ("radau", &RungeKutta::default()),
        ("bdf", &Bdf::new(3).expect("in range")),
    ];
    let turning = ball_chain::new(Design::hanging(60), Posture::Bent(1.0));
    for (name, scheme) in schemes {
        assert_eq!(allocations_in_steps(scheme, &problem, 1e-3), 0, "{name}: allocations in {COUNTED} steps");
        assert_eq!(allocations_in_steps(scheme, &turning, 1e-3), 0, "{name}, turning: allocations in {COUNTED} steps");
    }
}

#[test]
fn steps_with_redundant_constraints_do_not_allocate() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let schemes: [(&str, &dyn Scheme); 3] =
        [("soi2", &soi2), ("radau", &RungeKutta::default()), ("bdf", &Bdf::new(3).expect("in range"))];
    for (beams, sparse) in [(2, false), (60, true)] {
        let train = Train::new(beams, 3, Redundancy::LeastSquares);
        let system = if sparse { train.sparse() } else { train }.system();
        for (name, scheme) in schemes {
            let count = allocations_in_steps_from(scheme, &system, &Train::guess(beams), 1e-3);
            assert_eq!(count, 0, "{name}, {beams} beams: allocations in {COUNTED} steps");
        }
    }
}
