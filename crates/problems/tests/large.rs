//! The problems with patterns, at sizes where a whole matrix would still fit: starts, references, energies, names.

use alembert::initial::InitialError;
use alembert::{
    At, FixedSteps, GeneralizedAlpha, Guess, Integrator, Point, Quantity, State, Tolerance, Unobserved, consistent,
};
use alembert_problems::ball_chain::{self, Design, Posture};
use alembert_problems::long_chain::{self, Loads};
use alembert_problems::{Problem, four_bar_train, lattice, parallelogram_train};

fn problems() -> Vec<Problem> {
    let loads = Loads { stiffness: 20.0, damping: 0.5, coriolis: 0.0, follower: 3.0 };
    vec![
        lattice::new(1),
        lattice::new(6),
        four_bar_train::new(7),
        parallelogram_train::new(5, None),
        parallelogram_train::new(5, Some(2)),
        long_chain::new(6, loads),
        ball_chain::new(Design::hanging(5), Posture::Bent(1.0)),
        ball_chain::new(Design::free(4), Posture::Bent(1.0)),
    ]
}

fn largest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().fold(0.0, |most, x| if x.is_nan() { x } else { most.max(x.abs()) })
}

/// M a - f + G^T lambda, g and G v at a state.
fn residuals(problem: &Problem, s: &State) -> [f64; 3] {
    let (system, patterns) = (&*problem.system, problem.system.description().patterns.as_ref().expect("patterns"));
    let mut mass = vec![0.0; patterns.top.len()];
    let mut g_q = vec![0.0; patterns.rows.len()];
    let (mut f, mut r) = (vec![0.0; s.v.len()], vec![0.0; s.v.len()]);
    let (mut g, mut rate) = (vec![0.0; s.lambda.len()], vec![0.0; s.lambda.len()]);
    let _ = system.ask(Quantity::Mass, &At::new(s.t, &s.q, &[]), &mut mass);
    let _ = system.ask(Quantity::Force, &At::new(s.t, &s.q, &s.v), &mut f);
    let _ = system.ask(Quantity::Holonomic, &At::new(s.t, &s.q, &[]), &mut g);
    let _ = system.ask(Quantity::HolonomicQ, &At::new(s.t, &s.q, &[]), &mut g_q);
    patterns.top.multiply(&mass, &s.a, &mut r);
    patterns.rows.multiply_transposed_add(1.0, &g_q, &s.lambda, &mut r);
    patterns.rows.multiply(&g_q, &s.v, &mut rate);
    [largest(r.iter().zip(&f).map(|(r, f)| r - f)), largest(g), largest(rate)]
}

#[test]
fn references_satisfy_the_equations() {
    for problem in problems() {
        for t in [0.0, 0.3] {
            let state = problem.reference_at(t);
            let [motion, position, velocity] = residuals(&problem, &state);
            let name = problem.name;
            assert!(
                motion < 1e-9 && position < 1e-12 && velocity < 1e-12,
                "{name} {motion:e} {position:e} {velocity:e}"
            );
            if t == 0.0 {
                assert_eq!((&state.q, &state.v), (&problem.start.q, &problem.start.v));
            }
        }
    }
}

#[test]
fn energy_is_conserved() {
    for problem in problems() {
        let Some(energy) = &problem.energy else { continue };
        let [start, end] = [0.0, 0.4].map(|t| problem.reference_at(t)).map(|s| energy(s.t, &s.q, &s.v));
        assert!((end - start).abs() < 1e-11 * (1.0 + start.abs()), "{}: {start} {end}", problem.name);
    }
}

#[test]
fn derivatives_agree_with_differences() {
    for problem in problems() {
        let shift =
            |x: &[f64]| -> Vec<f64> { x.iter().enumerate().map(|(i, x)| x + 0.1 * (1.7 * i as f64).sin()).collect() };
        let (mut q, v, lambda) = (shift(&problem.start.q), shift(&problem.start.v), shift(&problem.start.lambda));
        for (k, first) in problem.system.description().rotations.iter().enumerate() {
            let turn = &mut q[first + k..first + k + 4];
            let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
            turn.iter_mut().for_each(|x| *x /= length);
        }
        let at = Point { t: 0.1, q: &q, v: &v, lambda: &lambda, psi: &[] };
        let report = alembert::check_derivatives(&*problem.system, at).expect("finite");
        assert!(report.mismatches.is_empty(), "{}:\n{report}", problem.name);
    }
}

/// The steps reach the sizes that the sparse solver is made for.
#[test]
fn steps_follow_the_references() {
    let scheme = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    for problem in [lattice::new(12), four_bar_train::new(40), parallelogram_train::new(60, None)] {
        let guess = Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone());
        let start = consistent(&*problem.system, &guess).expect("consistent");
        let steps = FixedSteps::new(2e-3).expect("positive");
        let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
        let mut integrator = Integrator::new(&*problem.system, &start, &scheme, steps, tolerance).expect("suited");
        integrator.run(0.3, &mut Unobserved).expect("the end");
        let (end, exact) = (integrator.state(), problem.reference_at(0.3));
        let error = |x: &[f64], y: &[f64]| largest(x.iter().zip(y).map(|(x, y)| x - y));
        let [q, v] = [error(&end.q, &exact.q), error(&end.v, &exact.v)];
        assert!(q < 3e-5 && v < 1e-3, "{}: q {q:e}, v {v:e}", problem.name);
        let worst = integrator.stats().residuals;
        assert!(worst.position < 1e-11 && worst.velocity < 1e-11, "{}: {worst:?}", problem.name);
    }
}

#[test]
fn the_leg_too_many_is_named() {
    for platforms in [4, 60] {
        let problem = parallelogram_train::new(platforms, Some(2));
        let guess = Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone());
        let error = consistent(&*problem.system, &guess).expect_err("redundant");
        assert!(matches!(error, InitialError::Redundant { .. }), "{error}");
        let message = error.to_string();
        assert!(
            ["left", "right", "top"].iter().all(|leg| message.contains(&format!("{leg} leg of platform 2"))),
            "{message}"
        );
    }
}
