//! The largest error of a run falls with the tolerance like a power of it.
//!
//! Errors at one end time say little: they pass through zero. Here q and v are looked at after every step, beside the
//! reference of the problem, which is carried along.

use std::ops::ControlFlow;

use alembert::{Accepted, ErrorControl, Integrator, RungeKutta, State, Tolerance};
use alembert_problems::problem::Start;
use alembert_problems::reference::integrate;
use alembert_problems::{Problem, Reference};

use super::common::{problem, start};

/// Largest error of a component of q or v at any step, relative to one more than its size.
fn largest_error(p: &Problem, tol: f64) -> f64 {
    let tolerance = Tolerance::new(tol, tol).expect("in range");
    let scheme = RungeKutta::default();
    let mut integrator =
        Integrator::new(&*p.system, &start(p), &scheme, ErrorControl::new(), tolerance).expect("a start");
    let (mut largest, mut at) = (0.0_f64, p.start.clone());
    let mut watch = |step: &Accepted| {
        let exact = follow(p, &mut at, step.state.t);
        for (x, y) in step.state.q.iter().zip(&exact.q).chain(step.state.v.iter().zip(&exact.v)) {
            largest = largest.max((x - y).abs() / (1.0 + y.abs()));
        }
        ControlFlow::Continue(())
    };
    integrator.run(p.t_end, &mut watch).unwrap_or_else(|e| panic!("{} at {tol:e}: {e}", p.name));
    largest
}

/// The reference at `t`, integrated from where it was asked for last.
fn follow(p: &Problem, at: &mut Start, t: f64) -> State {
    let settings = match &p.reference {
        Reference::Exact(solution) | Reference::Reduced(solution) => return solution(t),
        Reference::Integrated(settings) => *settings,
        Reference::EndValue { between, .. } => *between,
    };
    let state = integrate(&*p.system, at, t, settings).expect("a reference");
    let State { t, q, v, lambda, psi, .. } = state.clone();
    *at = Start { t, q, v, lambda, psi };
    state
}

/// The line of least squares through (x, y), and the largest distance from it.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / count, sum.1 + point.1 / count));
    let product: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let square: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let slope = product / square;
    let scatter = points.iter().fold(0.0_f64, |max, point| max.max((point.1 - y - slope * (point.0 - x)).abs()));
    (slope, scatter)
}

#[test]
fn largest_errors_are_a_power_of_the_tolerance_within_a_factor_three() {
    for name in ["andrews", "car_axis", "chain"] {
        let p = problem(name);
        let points: Vec<(f64, f64)> =
            (3..=11).map(|digits| (-f64::from(digits), largest_error(&p, 10f64.powi(-digits)).log10())).collect();
        let (slope, scatter) = line(&points);
        println!("{name}: {points:.2?}, slope {slope:.2}, within a factor {:.1}", 10f64.powf(scatter));
        assert!(scatter < 3f64.log10(), "{name}: within a factor {:.1} of a line", 10f64.powf(scatter));
        assert!(slope > 0.7, "{name}: slope {slope:.2}");
    }
}
