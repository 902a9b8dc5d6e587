//! No heap allocation per step, for every method on every problem it fits.

#[path = "common/counting.rs"]
mod counting;
#[path = "conformance/methods.rs"]
mod methods;

use alembert::{Equations, Guess, Tolerance};
use counting::allocations;

/// Long enough to meet every branch: new steps, old and fresh factors.
const WARM_UP: usize = 20;
const COUNTED: usize = 60;

#[test]
fn steps_do_not_allocate() {
    for entry in methods::entries() {
        for name in entry.problems {
            let problem = alembert_problems::by_name(name).expect("known");
            let from = &problem.start;
            let guess = Guess::new(from.t, from.q.clone(), from.v.clone())
                .with_multipliers(from.lambda.clone(), from.psi.clone());
            let start = alembert::consistent(&*problem.system, &guess).expect("consistent");
            let mut equations = Equations::new(&*problem.system);
            let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
            let mut method = entry.scheme.build(&equations, tolerance).expect("suits");
            method.expect_no_retries();
            method.restart(&mut equations, &start).expect("starts");
            let [h, _] = entry.ladder(name);
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
            assert_eq!(allocations() - before, 0, "{} on {name}: allocations in {COUNTED} steps", entry.name);
        }
    }
    assert!(allocations() > 0, "the counter counts");
}
