//! What every method must do: one suite, one line per method in `METHODS`.
//!
//! Order of q, v, a, lambda, psi at constant and at alternating steps, on problems with and without free velocity
//! directions; constraints at rounding level after each step; no trace of a rejected attempt; restarts.

#[path = "conformance/methods.rs"]
mod methods;
#[path = "conformance/run.rs"]
mod run;

use alembert::{Equations, Tolerance};
use methods::{Entry, entries, large_ratios, problems};
use run::{ALTERNATING, CONSTANT, ELEVENTHS, Errors, NAMES, QUARTERS, errors, guess_of};

/// Slopes may differ from the theory by this much.
const SLACK: f64 = 0.1;

/// Observed orders between the last two of a ladder of steps.
fn orders(entry: &Entry, problem: &str, pattern: &[f64]) -> (Errors, Errors) {
    // Patterns of three end at the times where errors are measured with steps longer by a third.
    let ladder = entry.ladder(problem).map(|h| if pattern.len() == 3 { 4.0 / 3.0 * h } else { h });
    let [coarse, fine] = ladder.map(|h| errors(&*entry.scheme, problem, h, pattern));
    let ratio = (ladder[0] / ladder[1]).ln();
    let mut orders = [None; NAMES.len()];
    for (order, (coarse, fine)) in orders.iter_mut().zip(coarse.iter().zip(&fine)) {
        *order = coarse.zip(*fine).map(|(coarse, fine)| (coarse / fine).ln() / ratio);
    }
    (orders, fine)
}

/// Names what has another order than promised.
fn assert_orders(entries: &[Entry], patterns: &[(&str, &[f64])]) {
    let mut wrong = Vec::new();
    for entry in entries {
        for problem in problems(entry) {
            for (steps, pattern) in patterns {
                if pattern.len() > 1 && !entry.variable_steps {
                    continue;
                }
                let (orders, fine) = orders(entry, problem, pattern);
                for ((name, order), error) in NAMES.iter().zip(orders).zip(fine) {
                    // An error at rounding level has no order.
                    let Some(order) = order.filter(|_| error.is_some_and(|e| e > 1e-11)) else { continue };
                    if (order - f64::from(entry.order)).abs() > SLACK {
                        wrong.push(format!(
                            "{} on {problem}, {steps} steps: {name} has order {order:.3}, error {:.2e}",
                            entry.name,
                            error.unwrap_or(0.0)
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong orders:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn orders_are_those_of_the_theory() {
    assert_orders(&entries(), &[("constant", CONSTANT), ("alternating", ALTERNATING)]);
}

#[test]
fn orders_hold_at_ratios_that_are_allowed_on_request() {
    assert_orders(&large_ratios(), &[("1/4, 3/4", QUARTERS), ("2/11, 3/11, 6/11", ELEVENTHS)]);
}

#[test]
fn constraints_are_met_to_rounding_after_each_step() {
    for entry in entries() {
        for problem in problems(&entry) {
            for (pattern, tolerance) in [(CONSTANT, 1e-12), (ALTERNATING, 1e-12), (ALTERNATING, 1e-5)] {
                let [h, _] = entry.ladder(problem);
                let residuals = run::stats(&*entry.scheme, problem, h, pattern, tolerance).residuals;
                for (level, residual) in [
                    ("position", residuals.position),
                    ("velocity", residuals.velocity),
                    ("nonholonomic", residuals.nonholonomic),
                ] {
                    assert!(residual < 1e-11, "{} on {problem}: {level} residual {residual:e}", entry.name);
                }
            }
        }
    }
}

#[test]
fn a_rejected_attempt_leaves_no_trace() {
    for entry in entries() {
        for name in problems(&entry) {
            let problem = run::problem(name);
            let start = alembert::consistent(&*problem.system, &guess_of(&problem)).expect("consistent");
            let [h, _] = entry.ladder(name);
            let march = |disturb: bool| {
                let system = &*problem.system;
                let dense = entry.scheme.needs_dense();
                let mut equations = if dense { Equations::dense(system) } else { Equations::new(system) };
                let tolerance = Tolerance::new(1e-12, 1e-12).expect("in range");
                let mut method = entry.scheme.build(&equations, tolerance).expect("suits");
                method.expect_no_retries();
                method.restart(&mut equations, &start).expect("starts");
                for _ in 0..4 {
                    if disturb {
                        method.attempt(&mut equations, 1.7 * h).expect("converges");
                        method.attempt(&mut equations, 0.6 * h).expect("converges");
                    }
                    method.attempt(&mut equations, h).expect("converges");
                    method.accept();
                }
                method.state().clone()
            };
            let (plain, disturbed) = (march(false), march(true));
            assert_eq!(plain.t, disturbed.t);
            for (what, x, y) in [
                ("q", &plain.q, &disturbed.q),
                ("v", &plain.v, &disturbed.v),
                ("a", &plain.a, &disturbed.a),
                ("lambda", &plain.lambda, &disturbed.lambda),
                ("psi", &plain.psi, &disturbed.psi),
            ] {
                let size = x.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
                let difference = x.iter().zip(y).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
                assert!(difference < 1e-9 * size, "{} on {name}: {what} differs by {difference:e}", entry.name);
            }
        }
    }
}

#[test]
fn a_restart_repeats_the_run_bit_for_bit() {
    for entry in entries() {
        let name = entry.problems[0];
        let problem = run::problem(name);
        let start = alembert::consistent(&*problem.system, &guess_of(&problem)).expect("consistent");
        let [h, _] = entry.ladder(name);
        let mut equations = Equations::new(&*problem.system);
        let tolerance = Tolerance::new(1e-10, 1e-10).expect("in range");
        let mut method = entry.scheme.build(&equations, tolerance).expect("suits");
        method.expect_no_retries();
        let mut runs = Vec::new();
        for _ in 0..2 {
            method.restart(&mut equations, &start).expect("starts");
            for _ in 0..5 {
                method.attempt(&mut equations, h).expect("converges");
                method.accept();
            }
            runs.push(method.state().clone());
        }
        assert_eq!(runs[0], runs[1], "{}", entry.name);
    }
}
