//! Variable-order BDF from 1e-3 to 1e-9, one tolerance for everything: no failures, errors that follow, constraints at rounding.

use alembert::method::{Factorisation, VariableBdf};
use alembert::{ErrorControl, Guess, Integrator, State, Stats, Tolerance};
use alembert_problems::{Problem, by_name};

const DECADES: std::ops::RangeInclusive<i32> = 3..=9;

/// The exact motion at `count` equal intervals: at a single time an error may happen to pass through zero.
fn samples(problem: &Problem, count: usize) -> Vec<State> {
    let (from, length) = (problem.start.t, problem.t_end - problem.start.t);
    (1..=count).map(|i| problem.reference_at(from + length * i as f64 / count as f64)).collect()
}

/// Largest errors of q, v, lambda at the samples.
fn run(
    problem: &Problem,
    exact: &[State],
    factorisation: Factorisation,
    control: ErrorControl,
    tol: f64,
) -> ([f64; 3], Stats) {
    let guess = Guess::new(problem.start.t, problem.start.q.clone(), problem.start.v.clone());
    let start = alembert::consistent(&*problem.system, &guess).expect("consistent");
    let scheme = VariableBdf::new().with_factorisation(factorisation);
    let tolerance = Tolerance::new(tol, tol).expect("in range");
    let mut integrator = Integrator::new(&*problem.system, &start, &scheme, control, tolerance).expect("starts");
    let (mut errors, mut at) = ([0.0_f64; 3], State::clone(&start));
    for exact in exact {
        while integrator.state().t < exact.t - 1e-12 {
            integrator.step(problem.t_end).unwrap_or_else(|e| panic!("{} at {tol:e}: {e}", problem.name));
        }
        integrator.interpolate(exact.t, &mut at);
        for (error, (x, y)) in
            errors.iter_mut().zip([(&at.q, &exact.q), (&at.v, &exact.v), (&at.lambda, &exact.lambda)])
        {
            *error = x.iter().zip(y).fold(*error, |max, (x, y)| max.max((x - y).abs()));
        }
    }
    (errors, integrator.stats())
}

/// Largest distance of points (digits, log10 error) from their line of least squares.
fn bend(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x0, y0) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / count, y + p.1 / count));
    let slope = points.iter().map(|(x, y)| (x - x0) * (y - y0)).sum::<f64>()
        / points.iter().map(|(x, _)| (x - x0).powi(2)).sum::<f64>();
    points.iter().fold(0.0, |max, (x, y)| max.max((y - y0 - slope * (x - x0)).abs()))
}

#[test]
fn errors_fall_steadily_and_constraints_are_met_to_rounding() {
    for name in ["andrews", "car_axis", "pendulum"] {
        let problem = by_name(name).expect("known");
        let exact = samples(&problem, 12);
        for policy in [Factorisation::Fresh, Factorisation::Lazy] {
            let mut found: Vec<[f64; 3]> = Vec::new();
            for digits in DECADES {
                let tol = 10f64.powi(-digits);
                // The tolerance of a step, so that the tightest one is not near rounding.
                let (errors, stats) = run(&problem, &exact, policy, ErrorControl::new().per_step(), tol);
                let residuals = stats.residuals;
                assert!(
                    residuals.position < 1e-14 && residuals.velocity < 1e-14,
                    "{name}, {policy:?}, {tol:e}: {stats}"
                );
                assert_eq!(stats.failed, 0, "{name}, {policy:?}, {tol:e}: {stats}");
                found.push(errors);
            }
            for (i, what) in ["q", "v", "lambda"].iter().enumerate() {
                for pair in found.windows(2) {
                    let fall = pair[0][i] / pair[1][i];
                    assert!(fall > 10.0 / 3.0, "{name}, {policy:?}: {what} falls by {fall:.2}: {found:?}");
                }
                // A power of the tolerance, within a factor 3. Steps at 1e-3 are too long to belong to it.
                let line: Vec<(f64, f64)> = DECADES
                    .zip(&found)
                    .skip(1)
                    .map(|(digits, errors)| (f64::from(digits), errors[i].log10()))
                    .collect();
                let bend = bend(&line);
                assert!(bend < 3f64.log10(), "{name}, {policy:?}: {what} off by {:.2}: {found:?}", 10f64.powf(bend));
            }
        }
    }
}

#[test]
fn a_slider_crank_with_a_vibrating_rod_runs_at_every_tolerance() {
    let problem = by_name("slider_crank").expect("known");
    let exact = samples(&problem, 2);
    for digits in DECADES {
        let tol = 10f64.powi(-digits);
        let ([q, ..], stats) = run(&problem, &exact, Factorisation::Fresh, ErrorControl::new(), tol);
        assert!(q < 10.0 * tol, "{tol:e}: {q:e} {stats}");
        assert!(stats.residuals.position < 1e-14 && stats.residuals.velocity < 1e-14, "{tol:e}: {stats}");
    }
}

#[test]
fn errors_are_of_the_size_of_the_tolerance() {
    for name in ["andrews", "car_axis", "pendulum"] {
        let problem = by_name(name).expect("known");
        let exact = samples(&problem, 12);
        for policy in [Factorisation::Fresh, Factorisation::Lazy] {
            for digits in 3..=8 {
                let tol = 10f64.powi(-digits);
                let ([q, ..], stats) = run(&problem, &exact, policy, ErrorControl::new(), tol);
                assert!(q < 10.0 * tol, "{name}, {policy:?}, {tol:e}: {q:e} {stats}");
            }
        }
    }
}
