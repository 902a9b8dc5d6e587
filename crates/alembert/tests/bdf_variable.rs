//! Variable-step, variable-order BDF.

use alembert::equations::Function;
use alembert::method::{Factorisation, VariableBdf};
use alembert::{ErrorControl, Guess, Integrator, State, Stats, Tolerance, Unobserved};
use alembert_problems::{Problem, by_name};

fn run(scheme: VariableBdf, problem: &Problem, t_end: f64, tolerance: Tolerance) -> (State, Stats) {
    let from = &problem.start;
    let guess =
        Guess::new(from.t, from.q.clone(), from.v.clone()).with_multipliers(from.lambda.clone(), from.psi.clone());
    let start = alembert::consistent(&*problem.system, &guess).expect("consistent");
    let mut integrator =
        Integrator::new(&*problem.system, &start, &scheme, ErrorControl::new(), tolerance).expect("starts");
    integrator.run(t_end, &mut Unobserved).expect("reaches the end");
    (integrator.state().clone(), integrator.stats())
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |max, (x, y)| max.max((x - y).abs()))
}

fn forces(stats: &Stats) -> u64 {
    stats.evaluations.of(Function::Force)
}

fn same(tol: f64) -> Tolerance {
    Tolerance::new(tol, tol).expect("in range")
}

fn with(factorisation: Factorisation) -> VariableBdf {
    VariableBdf::new().with_factorisation(factorisation)
}

#[test]
fn work_is_that_of_the_note() {
    // Problem, end, factor of the velocity tolerance, tolerance, and at most so many steps and forces.
    for (name, t_end, factor, tol, steps, f) in [
        ("andrews", 0.03, 1000.0, 1e-4, 125, 150),
        ("andrews", 0.03, 1000.0, 1e-6, 250, 270),
        ("andrews", 0.03, 1000.0, 1e-8, 530, 560),
        ("car_axis", 3.0, 1.0, 1e-4, 480, 490),
        ("car_axis", 3.0, 1.0, 1e-6, 1000, 1010),
        ("pendulum_horizontal", 100.0, 1.0, 1e-6, 6700, 6800),
        ("pendulum", 20.0, 1.0, 1e-8, 850, 870),
    ] {
        let problem = by_name(name).expect("known");
        let tolerance = Tolerance { rtol: tol, atol_q: tol, atol_v: factor * tol };
        let (_, stats) = run(with(Factorisation::Fresh), &problem, t_end, tolerance);
        assert!(stats.steps <= steps && forces(&stats) <= f, "{name} {tol:e}: {stats}");
        let (_, stats) = run(with(Factorisation::Lazy), &problem, t_end, tolerance);
        assert!(stats.steps <= steps && forces(&stats) <= 4 * f, "{name} {tol:e}, lazy: {stats}");
        assert!(stats.factorisations < steps / 2 || name == "andrews", "{name} {tol:e}, lazy: {stats}");
    }
}

#[test]
fn errors_follow_the_tolerance_and_constraints_are_met_to_rounding() {
    for (name, t_end, factor) in [("andrews", 0.03, 1000.0), ("car_axis", 3.0, 1.0), ("pendulum", 20.0, 1.0)] {
        let problem = by_name(name).expect("known");
        let exact = problem.reference_at(t_end);
        let mut ends = Vec::new();
        for tol in [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9] {
            let tolerance = Tolerance { rtol: tol, atol_q: tol, atol_v: factor * tol };
            let (end, stats) = run(with(Factorisation::Fresh), &problem, t_end, tolerance);
            let error = distance(&end.q, &exact.q);
            assert!(error < 2e3 * tol, "{name} {tol:e}: {error:e}");
            ends.push(error);
            let residuals = stats.residuals;
            assert!(residuals.position < 1e-14 && residuals.velocity < 1e-14, "{name} {tol:e}: {stats}");
        }
        // Two tolerances apart, because an end error may pass through zero.
        for pair in ends.windows(3) {
            assert!(pair[2] < pair[0] || pair[2] < pair[1], "{name}: {ends:?}");
        }
        assert!(ends[5] < 1e-3 * ends[0], "{name}: {ends:?}");
    }
}

#[test]
fn general_kinematics_nonholonomic_and_nonlinear_reactions() {
    for name in ["paper5_sphere", "paper5_circle", "paper1", "paper2", "paper3", "sleigh", "sleigh_bowl", "oscillator"]
    {
        let problem = by_name(name).expect("known");
        let t_end = problem.start.t + (problem.t_end - problem.start.t).min(1.0);
        let exact = problem.reference_at(t_end);
        for policy in [Factorisation::Fresh, Factorisation::Lazy] {
            let (end, stats) = run(with(policy), &problem, t_end, same(1e-7));
            for (what, x, y, most) in [
                ("q", &end.q, &exact.q, 2e-4),
                ("v", &end.v, &exact.v, 1e-3),
                ("lambda", &end.lambda, &exact.lambda, 2e-3),
                ("psi", &end.psi, &exact.psi, 2e-3),
            ] {
                let error = distance(x, y) / y.iter().fold(1.0_f64, |max, y| max.max(y.abs()));
                assert!(error < most, "{name}, {policy:?}: {what} {error:e}\n{stats}");
            }
        }
    }
}

#[test]
fn the_first_multiplier_is_right() {
    for (name, factor) in [("andrews", 1000.0), ("car_axis", 1.0), ("paper5_circle", 1.0)] {
        let problem = by_name(name).expect("known");
        let from = &problem.start;
        let guess = Guess::new(from.t, from.q.clone(), from.v.clone());
        let start = alembert::consistent(&*problem.system, &guess).expect("consistent");
        let tolerance = Tolerance { rtol: 1e-6, atol_q: 1e-6, atol_v: factor * 1e-6 };
        let mut integrator =
            Integrator::new(&*problem.system, &start, &VariableBdf::new(), ErrorControl::new(), tolerance)
                .expect("starts");
        let first = integrator.step(1.0).expect("converges").state.clone();
        let exact = problem.reference_at(first.t);
        let error = distance(&first.lambda, &exact.lambda) / distance(&exact.lambda, &vec![0.0; exact.lambda.len()]);
        assert!(error < 1e-5, "{name}: {error:e}");
    }
}

#[test]
fn dense_output_is_as_good_as_the_steps() {
    let problem = by_name("pendulum").expect("known");
    let guess = Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone());
    let start = alembert::consistent(&*problem.system, &guess).expect("consistent");
    let mut integrator =
        Integrator::new(&*problem.system, &start, &VariableBdf::new(), ErrorControl::new(), same(1e-8))
            .expect("starts");
    let mut between = State::clone(&start);
    let (mut at_steps, mut inside) = (0.0_f64, 0.0_f64);
    for _ in 0..200 {
        let (t, h) = {
            let step = integrator.step(20.0).expect("converges");
            (step.state.t, step.h)
        };
        at_steps = at_steps.max(distance(&integrator.state().q, &problem.reference_at(t).q));
        for part in [0.0, 0.3, 0.7, 1.0] {
            let t = t - part * h;
            integrator.interpolate(t, &mut between);
            let exact = problem.reference_at(t);
            inside = inside.max(distance(&between.q, &exact.q));
        }
    }
    assert!(inside < 2.0 * at_steps + 1e-8, "{inside:e} {at_steps:e}");
}

#[test]
fn large_systems_choose_lazily() {
    // A chain long enough for factorisations to dominate.
    let problem = by_name("chain").expect("known");
    let size = problem.system.dims();
    let (_, fresh) = run(with(Factorisation::Fresh), &problem, 0.2, same(1e-6));
    let (_, by_cost) = run(VariableBdf::new(), &problem, 0.2, same(1e-6));
    if size.v + size.constraints() >= 40 {
        assert!(by_cost.factorisations < fresh.factorisations / 2, "{by_cost}");
    } else {
        assert_eq!(by_cost.factorisations, fresh.factorisations);
    }
}

#[test]
fn bad_orders_are_refused() {
    for order in [0, 6] {
        assert!(VariableBdf::new().with_max_order(order).is_err());
    }
    assert!(VariableBdf::new().with_max_order(3).is_ok());
}
