//! What the documentation says about starts, step changes and stiff problems, measured.

#[path = "conformance/run.rs"]
mod run;

use std::ops::ControlFlow;

use alembert::method::{Form, Scheme, Start};
use alembert::{
    Accepted, Bdf, FixedSteps, GeneralizedAlpha, HhtAlpha, Integrator, RungeKutta, State, Stats, Tolerance,
};
use alembert_problems::two_bars::{self, Stiffness};
use alembert_problems::{Problem, by_name, spring_pendulum};
use run::{ALTERNATING, CONSTANT, errors, guess_of};

fn soi2(rho: f64) -> GeneralizedAlpha {
    GeneralizedAlpha::from_rho_infinity(rho).expect("in range")
}

/// Largest error of the method's own multipliers (and of its own a) in the first ten steps.
fn first_steps(scheme: &dyn Scheme, name: &str, h: f64) -> [f64; 2] {
    let problem = by_name(name).expect("known");
    let start = alembert::consistent(&*problem.system, &guess_of(&problem)).expect("consistent");
    let tolerance = Tolerance::new(1e-13, 1e-13).expect("in range");
    let steps = FixedSteps::new(h).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, scheme, steps, tolerance).expect("starts");
    let mut worst = [0.0_f64; 2];
    integrator
        .run(start.t + 10.0 * h, &mut |step: &Accepted| {
            let at = problem.reference_at(step.own.multiplier_time);
            let own = step.own.lambda.iter().chain(step.own.psi);
            for (x, y) in own.zip(at.lambda.iter().chain(&at.psi)) {
                worst[0] = worst[0].max((x - y).abs());
            }
            for (x, y) in step.own.a.iter().zip(&problem.reference_at(step.own.a_time).a) {
                worst[1] = worst[1].max((x - y).abs());
            }
            ControlFlow::Continue(())
        })
        .expect("runs");
    worst
}

#[test]
fn every_start_but_a0_is_second_order_from_the_first_step() {
    for problem in ["paper3", "sleigh_bowl", "rheonomic_pendulum"] {
        for (start, order) in [(Start::A0, 1.0), (Start::Jerk, 2.0), (Start::Twice, 2.0), (Start::Implicit, 2.0)] {
            let scheme = soi2(0.5).with_start(start);
            let h = 1.0 / 400.0;
            let [coarse, fine] = [h, 0.5 * h].map(|h| first_steps(&scheme, problem, h));
            for (what, coarse, fine) in [("multipliers", coarse[0], fine[0]), ("a", coarse[1], fine[1])] {
                let observed = (coarse / fine).log2();
                assert!((observed - order).abs() < 0.25, "{problem}, {start:?}: {what} has order {observed:.2}");
            }
        }
    }
}

#[test]
fn without_the_step_change_formula_free_velocities_lose_an_order() {
    // sleigh_bowl keeps two free velocity directions: q and v are then first order, against section 7 of paper 3.
    let order = |scheme: &dyn Scheme, problem: &str, i: usize| {
        let [coarse, fine] = [1.0 / 2560.0, 1.0 / 5120.0].map(|h| errors(scheme, problem, h, ALTERNATING)[i]);
        (coarse.expect("measured") / fine.expect("measured")).log2()
    };
    for rho in [0.0, 0.2] {
        let (with, without) = (soi2(rho), soi2(rho).with_step_change(false));
        for i in [0, 1] {
            assert!((order(&with, "sleigh_bowl", i) - 2.0).abs() < 0.05);
            assert!((order(&without, "sleigh_bowl", i) - 1.0).abs() < 0.15, "{}", order(&without, "sleigh_bowl", i));
        }
    }
    // HHT loses it everywhere.
    let hht = HhtAlpha::new(-0.2).expect("in range").with_step_change(false);
    let observed = order(&hht, "paper1", 0);
    assert!((observed - 1.0).abs() < 0.15, "{observed}");
}

fn stats(problem: &Problem, scheme: &dyn Scheme, h: f64, tolerance: f64) -> Stats {
    let start = alembert::consistent(&*problem.system, &guess_of(problem)).expect("consistent");
    let tolerance = Tolerance::new(tolerance, tolerance).expect("in range");
    let steps = FixedSteps::new(h).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, scheme, steps, tolerance).expect("starts");
    integrator.run(start.t + 20.0 * h, &mut alembert::Unobserved).unwrap_or_else(|e| panic!("{}: {e}", problem.name));
    integrator.stats()
}

#[test]
fn newton_converges_quickly_on_stiff_problems() {
    let none = Stiffness { kt: 0.0, ct: 0.0, kl: 0.0, cl: 0.0, kp: 0.0, cp: 0.0 };
    let cases = [
        ("torsional damper", two_bars::new(Stiffness { ct: 1e4, ..none }, 5.0)),
        ("stiff joint", two_bars::new(Stiffness { kl: 1e8, cl: 1e5, ..none }, 5.0)),
        ("damper across", two_bars::new(Stiffness { cp: 1e6, ..none }, 5.0)),
        ("everything", two_bars::new(Stiffness { kt: 1e8, ct: 1e5, kl: 1e8, cl: 1e5, kp: 1e8, cp: 1e5 }, 5.0)),
        ("hinge spring", spring_pendulum::with_hinge(spring_pendulum::Hinge { k: 3e9, c: 0.0 })),
    ];
    for (name, problem) in &cases {
        let stats = stats(problem, &soi2(0.5), 0.01, 1e-6);
        let mean = stats.iterations as f64 / stats.steps as f64;
        assert!(mean <= 4.0, "{name}: {mean} iterations a step");
    }
}

#[test]
fn the_default_start_survives_stiff_dampers_where_the_jerk_start_does_not() {
    let stiff = Stiffness { kt: 0.0, ct: 0.0, kl: 0.0, cl: 0.0, kp: 0.0, cp: 1e6 };
    let problem = two_bars::new(stiff, 5.0);
    let stats = stats(&problem, &soi2(0.5), 0.01, 1e-8);
    assert_eq!(stats.steps, 20);
    // The jerk of a start off the slow motion is that of a transient: c/m = 1e6 times the acceleration.
    let start = alembert::consistent(&*problem.system, &guess_of(&problem)).expect("consistent");
    let jerk = soi2(0.5).with_start(Start::Jerk);
    let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
    let steps = FixedSteps::new(0.01).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, &jerk, steps, tolerance).expect("starts");
    assert!(integrator.run(0.2, &mut alembert::Unobserved).is_err());
}

#[test]
fn a_linear_problem_is_factored_once() {
    let problem = by_name("oscillator").expect("known");
    let stats = stats(&problem, &soi2(0.5), 0.01, 1e-10);
    // One for each step's output, and the two of the first linearisation.
    assert!(stats.linearizations <= 2, "{stats}");
    assert!(stats.factorisations <= stats.steps + 4, "{stats}");
}

#[test]
fn radau_loses_an_order_where_the_reaction_is_nonlinear_in_lambda() {
    // Stage multipliers are wrong by h^(s-1). A linear reaction lets that cancel over the step, a square does not:
    // h^(2s-2) remains, one order less than 2s - 1.
    for (stages, order, h) in [(2, 2.0, 1.0 / 640.0), (3, 4.0, 1.0 / 80.0)] {
        let scheme = RungeKutta::radau(stages).expect("enough stages");
        for i in [0, 1] {
            let [coarse, fine] = [2.0 * h, h].map(|h| errors(&scheme, "paper1", h, CONSTANT)[i].expect("measured"));
            let observed = (coarse / fine).log2();
            assert!((observed - order).abs() < 0.1, "{stages} stages: order {observed:.2}");
        }
    }
}

#[test]
fn hht_watches_the_multipliers_of_a_nonlinear_reaction() {
    let problem = by_name("paper1").expect("known");
    let start = alembert::consistent(&*problem.system, &guess_of(&problem)).expect("consistent");
    let tolerance = Tolerance::new(1e-5, 1e-5).expect("in range");
    let hht = HhtAlpha::new(-0.2).expect("in range");
    for scheme in [hht, hht.with_b(0.3).expect("not 1/2"), hht.with_form(Form::Midpoint)] {
        let steps = FixedSteps::new(1e-3).expect("positive");
        let mut integrator = Integrator::new(&*problem.system, &start, &scheme, steps, tolerance).expect("starts");
        integrator
            .run(0.5, &mut |step: &Accepted| {
                // Newton's error in v, divided by h, is left in them.
                let exact = problem.reference_at(step.own.multiplier_time);
                let error = (step.own.lambda[0] - exact.lambda[0]).abs();
                assert!(error < 0.05, "{scheme:?} at {}: {error}", step.state.t);
                ControlFlow::Continue(())
            })
            .expect("runs");
    }
}

#[test]
fn multipliers_of_a_nonlinear_reaction_converge_where_nothing_else_moves() {
    // No velocity is free in paper 3's problem: q and v converge at once, whatever the multipliers do.
    let problem = by_name("paper3").expect("known");
    let start = alembert::consistent(&*problem.system, &guess_of(&problem)).expect("consistent");
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let steps = FixedSteps::new(6.25e-5).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, &soi2(0.8), steps, tolerance).expect("starts");
    integrator
        .run(0.2, &mut |step: &Accepted| {
            // Newton's error in v, divided by h, is left in them; unwatched they run away to 1e5 and more.
            let exact = problem.reference_at(step.state.t);
            assert!((step.own.lambda[0] - exact.lambda[0]).abs() < 0.5 && (step.own.psi[0] - exact.psi[0]).abs() < 0.5);
            ControlFlow::Continue(())
        })
        .expect("runs");
}

#[test]
fn bdf_of_order_2_damps_and_of_order_3_feeds_an_undamped_pendulum() {
    let problem = alembert_problems::pendulum::horizontal();
    let start = alembert::consistent(&*problem.system, &guess_of(&problem)).expect("consistent");
    let energy = |order: usize| {
        let scheme = Bdf::new(order).expect("in range");
        let steps = FixedSteps::new(0.05).expect("positive");
        let tolerance = Tolerance::new(1e-10, 1e-10).expect("in range");
        let mut integrator = Integrator::new(&*problem.system, &start, &scheme, steps, tolerance).expect("starts");
        let mut highest = f64::NEG_INFINITY;
        integrator
            .run(100.0, &mut |step: &Accepted| {
                let State { q, v, .. } = step.state;
                highest = highest.max(0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1]);
                ControlFlow::Continue(())
            })
            .expect("runs");
        (highest, scheme.caution())
    };
    let start = 0.5 * (start.v[0].powi(2) + start.v[1].powi(2)) + 9.81 * start.q[1];
    for order in [1, 2] {
        let (highest, caution) = energy(order);
        assert!(highest < start + 0.05 && caution.is_none(), "order {order}: {start} to {highest}, {caution:?}");
    }
    for order in [3, 4] {
        let (highest, caution) = energy(order);
        assert!(highest > start + 10.0 && caution.is_some(), "order {order}: {start} to {highest}, {caution:?}");
    }
}
