//! Variable-step, variable-order BDF.

use alembert::Quantity;
use alembert::controller::{StepController, Verdict};
use alembert::method::{Factorisation, Method, Scheme, VariableBdf};
use alembert::{Equations, ErrorControl, Guess, Integrator, State, Stats, Tolerance, Unobserved};
use alembert_problems::two_bars::{self, Stiffness};
use alembert_problems::{Problem, by_name, chain};

fn run(scheme: VariableBdf, problem: &Problem, t_end: f64, tolerance: Tolerance) -> (State, Stats) {
    let from = &problem.start;
    let guess =
        Guess::new(from.t, from.q.clone(), from.v.clone()).with_multipliers(from.lambda.clone(), from.psi.clone());
    let start = alembert::consistent(&*problem.system, &guess).expect("consistent");
    let mut integrator =
        Integrator::new(&*problem.system, &start, &scheme, ErrorControl::new().per_step(), tolerance).expect("starts");
    integrator.run(t_end, &mut Unobserved).expect("reaches the end");
    (integrator.state().clone(), integrator.stats())
}

/// The integrator's loop, for a method that is restarted on the way.
fn march(
    method: &mut dyn Method,
    equations: &mut Equations,
    control: &mut dyn StepController,
    t_end: f64,
    mut look: impl FnMut(&State),
) {
    while t_end - method.state().t > 1e-12 {
        let t = method.state().t;
        let mut h = control.propose(t, t_end - t);
        while let Verdict::Reject { h: shorter } = control.judge(h, &method.attempt(equations, h).expect("converges")) {
            h = shorter;
        }
        method.accept();
        look(method.state());
    }
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |max, (x, y)| max.max((x - y).abs()))
}

fn forces(stats: &Stats) -> u64 {
    stats.evaluations.of(Quantity::Force)
}

fn same(tol: f64) -> Tolerance {
    Tolerance::new(tol, tol).expect("in range")
}

fn with(factorisation: Factorisation) -> VariableBdf {
    VariableBdf::new().with_factorisation(factorisation)
}

#[test]
fn a_step_takes_one_force_with_fresh_factors_and_few_factorisations_with_lazy_ones() {
    // Problem, end, factor of the velocity tolerance, tolerance, and at most so many steps and lazy factorisations.
    for (name, t_end, factor, tol, steps, lazy) in [
        ("andrews", 0.03, 1000.0, 1e-4, 120, 60),
        ("andrews", 0.03, 1000.0, 1e-6, 240, 70),
        ("andrews", 0.03, 1000.0, 1e-8, 500, 80),
        ("car_axis", 3.0, 1.0, 1e-4, 450, 25),
        ("car_axis", 3.0, 1.0, 1e-6, 950, 25),
        ("pendulum_horizontal", 100.0, 1.0, 1e-6, 6500, 1000),
        ("pendulum", 20.0, 1.0, 1e-8, 820, 80),
    ] {
        let problem = by_name(name).expect("known");
        let tolerance = Tolerance { rtol: tol, atol_q: tol, atol_v: factor * tol };
        let (_, stats) = run(with(Factorisation::Fresh), &problem, t_end, tolerance);
        let attempts = stats.steps + stats.rejected;
        assert!(stats.steps <= steps && stats.failed == 0, "{name} {tol:e}: {stats}");
        // Beside one a step: two of the start, where contraction is measured again, and samples of the errors of accelerations: every
        // 16th step, some of the first, and where accelerations have doubled.
        let most = attempts + attempts / 5 + 8 + attempts / 16 + 12;
        assert!(forces(&stats) <= most && stats.factorisations <= most, "{name} {tol:e}: {stats}");
        let (_, stats) = run(with(Factorisation::Lazy), &problem, t_end, tolerance);
        let attempts = stats.steps + stats.rejected;
        assert!(stats.steps <= steps && stats.failed == 0, "{name} {tol:e}, lazy: {stats}");
        // A sample takes up to two factorisations.
        assert!(
            forces(&stats) <= 3 * attempts && stats.factorisations <= lazy + attempts / 8 + 12,
            "{name} {tol:e}, lazy: {stats}"
        );
    }
}

#[test]
fn stiff_springs_and_dampers_cost_no_failures() {
    let none = Stiffness::default();
    for (name, problem) in [
        ("torsional damper", two_bars::new(Stiffness { ct: 1e4, ..none }, 5.0)),
        ("stiff joint", two_bars::new(Stiffness { kl: 1e8, cl: 1e5, ..none }, 5.0)),
        ("damper across", two_bars::new(Stiffness { cp: 1e6, ..none }, 5.0)),
        ("everything", two_bars::new(Stiffness { kt: 1e8, ct: 1e5, kl: 1e8, cl: 1e5, kp: 1e8, cp: 1e5 }, 5.0)),
    ] {
        let guess = Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone());
        let start = alembert::consistent(&*problem.system, &guess).expect("consistent");
        let radau = alembert::RungeKutta::default();
        let mut reference =
            Integrator::new(&*problem.system, &start, &radau, ErrorControl::new(), same(1e-9)).expect("starts");
        reference.run(1.0, &mut Unobserved).expect("reaches the end");
        for policy in [Factorisation::Fresh, Factorisation::Lazy] {
            let (end, stats) = run(with(policy), &problem, 1.0, same(1e-5));
            let error = distance(&end.q, &reference.state().q);
            assert!(error < 1e-3, "{name}, {policy:?}: {error:e} {stats}");
            assert!(stats.failed == 0 && stats.steps < 200, "{name}, {policy:?}: {stats}");
            assert!(stats.residuals.position.max(stats.residuals.velocity) < 1e-14, "{name}, {policy:?}: {stats}");
        }
    }
}

#[test]
fn a_restart_after_a_blow_forgets_the_history() {
    // The velocity is reversed at t = 3: the pendulum goes back where it came from, with the same reactions.
    let problem = by_name("pendulum").expect("known");
    let turn = 3.0;
    let mut equations = Equations::new(&*problem.system);
    let mut method = VariableBdf::new().build(&equations, same(1e-7)).expect("suits");
    let guess = Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone());
    let start = alembert::consistent(&*problem.system, &guess).expect("consistent");
    method.restart(&mut equations, &start).expect("starts");
    let mut control = ErrorControl::new().with_first_step(1e-3).expect("positive");
    march(&mut *method, &mut equations, &mut control, turn, |_| {});
    let mut reversed = method.state().clone();
    reversed.v.iter_mut().for_each(|v| *v = -*v);
    method.restart(&mut equations, &reversed).expect("starts");
    let mut control = ErrorControl::new().with_first_step(1e-3).expect("positive");
    let mut steps = 0;
    march(&mut *method, &mut equations, &mut control, 2.0 * turn, |state| {
        let mut exact = problem.reference_at(2.0 * turn - state.t);
        exact.v.iter_mut().for_each(|v| *v = -*v);
        steps += 1;
        for (what, x, y) in
            [("q", &state.q, &exact.q), ("v", &state.v, &exact.v), ("lambda", &state.lambda, &exact.lambda)]
        {
            let error = distance(x, y);
            assert!(error < 2e-5, "{what} at t = {}: {error:e}", state.t);
        }
    });
    assert!(steps < 120, "{steps}");
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
            let alembert::Residuals { position, velocity, nonholonomic } = stats.residuals;
            assert!(position.max(velocity).max(nonholonomic) < 1e-13, "{name}, {policy:?}: {stats}");
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
    // 25 and 50 unknowns: a chain long enough for factorisations to dominate, and one that is not.
    for (bars, lazy) in [(5, false), (10, true)] {
        let problem = chain::planar(bars, chain::Joints::default());
        let [fresh, by_cost] = [with(Factorisation::Fresh), VariableBdf::new()]
            .map(|scheme| run(scheme, &problem, 0.2, same(1e-6)).1.factorisations);
        assert_eq!(by_cost < fresh * 2 / 3, lazy, "{bars} bars: {by_cost} of {fresh}");
        assert_eq!(by_cost == fresh, !lazy, "{bars} bars: {by_cost} of {fresh}");
    }
}

#[test]
fn bad_orders_are_refused() {
    for order in [0, 6] {
        assert!(VariableBdf::new().with_max_order(order).is_err());
    }
    assert!(VariableBdf::new().with_max_order(3).is_ok());
}
