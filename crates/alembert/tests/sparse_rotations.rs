//! Patterns and rotations together: chains of links on balls, sparse against dense, small and large.

#[path = "common/forms.rs"]
mod forms;
#[path = "common/linkage.rs"]
mod linkage;

use std::ops::ControlFlow;

use alembert::initial::InitialError;
use alembert::integrator::{IntegrateError, Obstacle};
use alembert::method::{Coupling, Output, Scheme, StepFailure};
use alembert::{
    Accepted, Bdf, ConstrainedSystem, Differentiated, Equations, ErrorControl, FixedSteps, Formulas, GeneralizedAlpha,
    Guess, HhtAlpha, Integrator, Pattern, Patterns, Point, Redundancy, RungeKutta, State, Tolerance, Unobserved,
    VariableBdf, check_derivatives, consistent,
};
use alembert_problems::Problem;
use alembert_problems::ball_chain::{self, BallChain, Design, Posture, momentum};
use forms::Form;

fn soi2() -> GeneralizedAlpha {
    GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")
}

fn tolerance(x: f64) -> Tolerance {
    Tolerance::new(x, x).expect("in range")
}

fn guess(problem: &Problem) -> Guess {
    Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone())
}

/// Largest difference, relative to the largest number.
fn apart(x: &[f64], y: &[f64]) -> f64 {
    let largest = |x: &[f64]| x.iter().fold(0.0_f64, |most, x| if x.is_nan() { *x } else { most.max(x.abs()) });
    let differences: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    largest(&differences) / (1.0 + largest(y))
}

/// The states of a run at prescribed steps of alternating length.
fn march(system: &dyn ConstrainedSystem, guess: &Guess, scheme: &dyn Scheme, h: f64, steps: usize) -> Vec<State> {
    let start = consistent(system, guess).expect("consistent");
    let prescribed = FixedSteps::pattern(h, &[0.8, 1.2]).expect("positive");
    let mut integrator = Integrator::new(system, &start, scheme, prescribed, tolerance(1e-13)).expect("suits");
    let mut states = Vec::new();
    integrator
        .run(h * steps as f64, &mut |step: &Accepted| {
            states.push(step.state.clone());
            ControlFlow::Continue(())
        })
        .unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
    states
}

fn schemes() -> Vec<(&'static str, Box<dyn Scheme>)> {
    let soi2 = soi2();
    vec![
        ("soi2", Box::new(soi2)),
        ("soi2, one matrix", Box::new(soi2.with_coupling(Coupling::OneMatrix))),
        ("soi2, two matrices", Box::new(soi2.with_coupling(Coupling::TwoMatrices))),
        ("soi2, doubled", Box::new(soi2.with_coupling(Coupling::Doubled))),
        ("soi2, own output", Box::new(soi2.with_output(Output::Own))),
        ("trapezoidal", Box::new(GeneralizedAlpha::from_newmark(0.25, 0.5).expect("in range"))),
        ("hht", Box::new(HhtAlpha::new(-0.1).expect("in range"))),
        ("radau 2", Box::new(RungeKutta::radau(2).expect("stages"))),
        ("radau 5", Box::new(RungeKutta::radau(5).expect("stages"))),
        ("bdf 1", Box::new(Bdf::new(1).expect("order"))),
        ("bdf 3", Box::new(Bdf::new(3).expect("order"))),
        ("variable bdf", Box::new(VariableBdf::new())),
    ]
}

#[test]
fn derivatives_of_the_chain_are_right_dense_and_sparse() {
    // 300 velocities and fewer are checked against dense differences, more against those of the patterns.
    for (design, posture) in [
        (Design::hanging(4), Posture::Bent(1.0)),
        (Design::free(3), Posture::Bent(0.7)),
        (Design::hanging(60), Posture::Bent(1.3)),
    ] {
        let problem = ball_chain::new(design, posture);
        let lambda: Vec<f64> = (0..problem.start.lambda.len()).map(|i| 1.0 + (0.3 * i as f64).sin()).collect();
        let at = Point { t: 0.0, q: &problem.start.q, v: &problem.start.v, lambda: &lambda, psi: &[] };
        let report = check_derivatives(&*problem.system, at).expect("finite");
        assert!(report.is_ok() && report.checked.len() >= 8, "{report}");
    }
}

#[test]
fn every_method_moves_the_chain_sparse_and_dense_alike() {
    for design in [Design::hanging(6), Design::free(5)] {
        let problem = ball_chain::new(design, Posture::Bent(2.0));
        let dense = Form::dense(Box::new(BallChain::new(design)));
        assert!(Equations::new(&*problem.system).layout().is_sparse());
        assert!(!Equations::new(&dense).layout().is_sparse());
        for (name, scheme) in schemes() {
            // The couplings are ways to solve the same equations, and there is one where all matrices are dense.
            let coupled = ["soi2, one matrix", "soi2, two matrices", "soi2, doubled"].contains(&name);
            let one = march(&*problem.system, &guess(&problem), &*scheme, 5e-3, 40);
            let plain: &dyn Scheme = if coupled { &soi2() } else { &*scheme };
            let other = march(&dense, &guess(&problem), plain, 5e-3, 40);
            assert_eq!(one.len(), other.len(), "{name}");
            for (x, y) in one.iter().zip(&other) {
                for (what, x, y) in
                    [("q", &x.q, &y.q), ("v", &x.v, &y.v), ("a", &x.a, &y.a), ("lambda", &x.lambda, &y.lambda)]
                {
                    let apart = apart(x, y);
                    assert!(apart < 1e-9, "{name}, {design:?}: {what} {apart:e} apart");
                }
            }
        }
    }
}

/// All that the sparse form must keep: a run is resumed bit for bit, and the inside of steps is as accurate as their ends.
#[test]
fn checkpoints_and_the_inside_of_steps() {
    let problem = ball_chain::new(Design::hanging(30), Posture::Bent(1.0));
    let start = consistent(&*problem.system, &guess(&problem)).expect("consistent");
    let radau = RungeKutta::default();
    let schemes: [(&str, &dyn Scheme); 4] =
        [("soi2", &soi2()), ("radau", &radau), ("bdf 2", &Bdf::new(2).expect("order")), ("bdf", &VariableBdf::new())];
    for (name, scheme) in schemes {
        let build = || {
            if name == "bdf 2" {
                let steps = FixedSteps::new(1e-3).expect("positive");
                return Integrator::new(&*problem.system, &start, scheme, steps, tolerance(1e-9)).expect("suits");
            }
            Integrator::new(&*problem.system, &start, scheme, ErrorControl::new(), tolerance(1e-7)).expect("suits")
        };
        let mut one = build();
        assert!(one.is_sparse());
        for _ in 0..6 {
            one.step(5.0).expect("steps");
        }
        let mut other = build();
        other.restore(&one.checkpoint().expect("can be saved")).expect("the same run");
        for _ in 0..4 {
            let before = one.state().t;
            one.step(5.0).expect("steps");
            other.step(5.0).expect("steps");
            assert_eq!(one.state(), other.state(), "{name}");
            let mut inside = one.state().clone();
            one.interpolate(0.4 * before + 0.6 * one.state().t, &mut inside);
            let exact = problem.reference_at(inside.t);
            let at_end = apart(&one.state().q, &problem.reference_at(one.state().t).q);
            let between = apart(&inside.q, &exact.q);
            assert!(
                between < 1e-6 + 5.0 * at_end && at_end < 1e-4,
                "{name}: {between:e} inside, {at_end:e} at the end"
            );
        }
    }
}

/// A wrong block of a matrix changes nothing but the iterations: with fast turns each way to couple the halves takes its own.
#[test]
fn each_coupling_takes_its_iterations() {
    let mut linkage = linkage::Linkage::chain(10);
    linkage.damping = 2.0;
    let problem = ball_chain::new(Design::hanging(10), Posture::Bent(6.0));
    let system = Differentiated::new(linkage.detected(&problem.start.q));
    let start = consistent(&system, &guess(&problem)).expect("consistent");
    let run = |scheme: &dyn Scheme, h: f64| {
        let steps = FixedSteps::new(h).expect("positive");
        let mut integrator = Integrator::new(&system, &start, scheme, steps, tolerance(1e-9)).expect("suits");
        integrator.run(0.2, &mut Unobserved).unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
        assert!(integrator.is_sparse());
        (integrator.state().clone(), integrator.stats().iterations, integrator.stats().linearizations)
    };
    let soi2 = soi2();
    let reference = run(&soi2.with_coupling(Coupling::Doubled), 5e-3).0;
    // 245 and 246; 266 and 270 without T, 263 where it is left out of the doubled matrix.
    for coupling in [Coupling::Doubled, Coupling::TwoMatrices, Coupling::Automatic] {
        let (state, iterations, linearizations) = run(&soi2.with_coupling(coupling), 5e-3);
        println!("{coupling:?}: {iterations} and {linearizations}");
        assert!(apart(&state.q, &reference.q) < 1e-8, "{coupling:?}");
        assert!(iterations <= 255, "{coupling:?}: {iterations}");
    }
    // 176 and 111; 259 and 84, 275 and 98 with Y = I; 233 and 75, 252 and 81 with Z = I.
    let (radau, bdf, variable) = (RungeKutta::default(), Bdf::new(3).expect("order"), VariableBdf::new());
    for (scheme, most) in [(&radau as &dyn Scheme, [182, 115]), (&bdf, [266, 88]), (&variable, [242, 78])] {
        for (h, most) in [5e-3, 2e-2].into_iter().zip(most) {
            let (_, iterations, linearizations) = run(scheme, h);
            println!("{}, h = {h}: {iterations} and {linearizations}", scheme.name());
            assert!(iterations <= most, "{}, h = {h}: {iterations}", scheme.name());
        }
    }
}

#[test]
fn patterns_of_formulas_with_rotations_are_found() {
    let problem = ball_chain::new(Design::hanging(9), Posture::Bent(1.0));
    let linkage = linkage::Linkage::chain(9).detected(&problem.start.q);
    assert_eq!(linkage.patterns(), problem.system.description().patterns, "those stated by hand");
    // Dampers couple the rotations of neighbours, and nothing else.
    let mut damped = linkage::Linkage::chain(9);
    damped.damping = 1.0;
    let damped = damped.detected(&problem.start.q);
    let Patterns { top, .. } = damped.patterns().expect("found");
    assert_eq!(top.len(), 9 * 3 + 9 * 9 + 2 * 8 * 9);
    assert!(top.position(3, 9).is_some() && top.position(0, 3).is_none() && top.position(3, 15).is_none());
    // The curvature of a hinge couples the rotations of its two bodies, without any force.
    let mut hinged = linkage::Linkage::chain(9);
    hinged.joints.iter_mut().skip(1).step_by(2).for_each(|joint| joint.hinge = true);
    let hinged = hinged.detected(&problem.start.q);
    let Patterns { top, .. } = hinged.patterns().expect("found");
    assert_eq!(top.len(), 9 * 3 + 9 * 9 + 2 * 4 * 9);
    assert!(top.position(3, 9).is_some() && top.position(9, 15).is_none() && top.position(0, 3).is_none());
    // Every entry that differences find is in the patterns.
    for system in [Differentiated::new(damped), Differentiated::new(hinged)] {
        let lambda: Vec<f64> = (0..system.dims().lambda).map(|i| 1.5 + (i as f64).sin()).collect();
        let at = Point { t: 0.0, q: &problem.start.q, v: &problem.start.v, lambda: &lambda, psi: &[] };
        let report = check_derivatives(&system, at).expect("finite");
        assert!(report.is_ok() && report.checked.len() >= 8, "{report}");
    }
}

#[test]
fn a_pattern_with_a_part_of_a_rotation_is_refused() {
    let problem = ball_chain::new(Design::hanging(3), Posture::Bent(1.0));
    let mut description = problem.system.description().clone();
    let Some(Patterns { top, rows }) = description.patterns.clone() else { panic!("patterns") };
    let entries = (0..rows.rows()).flat_map(|i| rows.row(i).map(move |(j, _)| (i, j)));
    let open = Pattern::from_entries(rows.rows(), rows.columns(), entries.filter(|place| *place != (4, 10)));
    let open = Patterns { top, rows: std::sync::Arc::new(open) };
    assert_eq!(open.closed(&description.rotations).rows, rows, "closing adds it");
    description.patterns = Some(open);
    struct Open(alembert::Description);
    impl ConstrainedSystem for Open {
        fn description(&self) -> &alembert::Description {
            &self.0
        }
        fn evaluate(&self, _: &alembert::At, _: &mut alembert::Answer, _: &mut alembert::Workspace) {}
    }
    let error = consistent(&Open(description), &guess(&problem)).expect_err("open");
    assert!(matches!(error, InitialError::OpenPattern { matrix: "rows", row: 4, column: 9 }), "{error}");
    assert!(error.to_string().contains("closed"), "{error}");
}

const LINKS: usize = 1000;

/// A few steps of a thousand links, against the reference in the rotations of the links.
#[test]
fn a_thousand_links_move_as_they_should() {
    let problem = ball_chain::new(Design::hanging(LINKS), Posture::Bent(1.0));
    let start = consistent(&*problem.system, &guess(&problem)).expect("consistent");
    let t = 0.01;
    let exact = problem.reference_at(t);
    let fixed = || FixedSteps::new(1e-3).expect("positive");
    let soi2 = soi2();
    // Second order at h = 1e-3; the others choose their steps. Relative to the length of the chain.
    let schemes: [(&str, &dyn Scheme, bool, [f64; 3]); 6] = [
        ("soi2", &soi2, false, [1e-10, 1e-6, 5e-5]),
        ("soi2, consistent output", &soi2.with_output(Output::Consistent), false, [1e-10, 1e-6, 1e-6]),
        ("radau", &RungeKutta::default(), true, [1e-12, 1e-8, 1e-8]),
        ("radau 3", &RungeKutta::radau(3).expect("stages"), true, [1e-12, 1e-8, 1e-8]),
        ("bdf", &VariableBdf::new(), true, [1e-12, 1e-8, 1e-7]),
        ("bdf 2", &Bdf::new(2).expect("order"), false, [5e-10, 5e-6, 2e-4]),
    ];
    for (name, scheme, controlled, limits) in schemes {
        let system = &*problem.system;
        let mut integrator = if controlled {
            Integrator::new(system, &start, scheme, ErrorControl::new(), tolerance(1e-7))
        } else {
            Integrator::new(system, &start, scheme, fixed(), tolerance(1e-7))
        }
        .expect("suits");
        assert!(integrator.is_sparse());
        integrator.run(t, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (stats, end) = (integrator.stats(), integrator.state());
        assert!(stats.residuals.position.max(stats.residuals.velocity) < 1e-11, "{name}: {:?}", stats.residuals);
        let errors = [apart(&end.q, &exact.q), apart(&end.v, &exact.v), apart(&end.lambda, &exact.lambda)];
        println!("{name}: {errors:?}, {} steps, {} fallbacks", stats.steps, stats.fallbacks);
        assert!(errors.iter().zip(limits).all(|(error, limit)| *error < limit), "{name}: {errors:?}");
        assert_eq!(stats.fallbacks, 0, "{name}");
    }
}

#[test]
fn hht_says_that_its_matrices_are_dense() {
    let problem = ball_chain::new(Design::hanging(LINKS), Posture::Bent(1.0));
    let start = consistent(&*problem.system, &guess(&problem)).expect("consistent");
    let (hht, steps) = (HhtAlpha::new(-0.1).expect("in range"), FixedSteps::new(1e-3).expect("positive"));
    let error = Integrator::new(&*problem.system, &start, &hht, steps, tolerance(1e-6)).err().expect("too large");
    let message = error.to_string();
    assert!(message.contains("hht-alpha") && message.contains("entries") && message.contains("hint"), "{message}");
}

#[test]
fn momentum_of_a_thousand_free_links_stays() {
    let problem = ball_chain::new(Design::free(LINKS), Posture::Bent(1.0));
    let start = consistent(&*problem.system, &guess(&problem)).expect("consistent");
    let before = momentum(&start.q, &start.v);
    let energy = problem.energy.as_ref().expect("known");
    let initial = energy(0.0, &start.q, &start.v);
    for scheme in [&RungeKutta::default() as &dyn Scheme, &VariableBdf::new()] {
        let mut integrator =
            Integrator::new(&*problem.system, &start, scheme, ErrorControl::new(), tolerance(1e-8)).expect("suits");
        integrator.run(0.02, &mut Unobserved).expect("runs");
        let State { q, v, .. } = integrator.state();
        let (apart, gained) = (apart(&momentum(q, v), &before), energy(0.0, q, v) / initial - 1.0);
        println!("{}: momentum {apart:e}, energy {gained:e}", scheme.name());
        assert!(apart < 1e-7 && gained.abs() < 1e-6, "{}: momentum {apart:e}, energy {gained:e}", scheme.name());
    }
}

/// Entries of factors and operations for each link do not depend on the length.
#[test]
fn costs_grow_in_proportion_to_the_length() {
    let cost = |links: usize| {
        let system = BallChain::new(Design::hanging(links));
        let equations = Equations::new(&system);
        let layout = equations.layout();
        let (fill, operations) = layout.cost().expect("sparse");
        let entries = layout.top.len() + layout.rows.len() + layout.rate.len();
        [fill as f64, operations, entries as f64].map(|count| count / links as f64)
    };
    let (short, long) = (cost(100), cost(2000));
    println!("{short:?} {long:?}");
    for (short, long) in short.iter().zip(&long) {
        assert!((0.9..1.1).contains(&(long / short)), "{short:?} {long:?}");
    }
    // Three and nine numbers of a link, eight of each of three rows, nine of a turn.
    assert!(long[2] <= 12.0 + 24.0 + 12.0, "{long:?}");
}

#[test]
fn a_ball_that_is_there_twice_is_named_or_accepted() {
    let single = ball_chain::new(Design::hanging(LINKS), Posture::Bent(1.0));
    let refused = ball_chain::new(Design::hanging(LINKS).with_doubled(500, Redundancy::Refused), Posture::Bent(1.0));
    let error = consistent(&*refused.system, &guess(&refused)).expect_err("redundant");
    let InitialError::Redundant { rows } = &error else { panic!("{error}") };
    assert_eq!(rows.len(), 3, "{error}");
    for axis in ["x", "y", "z"] {
        let message = error.to_string();
        assert!(message.contains(&format!("ball 500, {axis}")), "{message}");
        assert!(message.contains(&format!("ball 500 again, {axis}")), "{message}");
    }
    let design = Design::hanging(LINKS).with_doubled(500, Redundancy::LeastSquares);
    let accepted = ball_chain::new(design, Posture::Bent(1.0));
    let soi2 = soi2();
    for scheme in [&soi2 as &dyn Scheme, &RungeKutta::radau(3).expect("stages"), &Bdf::new(2).expect("order")] {
        let run = |problem: &Problem, scheme: &dyn Scheme| {
            let start = consistent(&*problem.system, &guess(problem)).expect("consistent");
            let steps = FixedSteps::new(1e-3).expect("positive");
            let mut integrator =
                Integrator::new(&*problem.system, &start, scheme, steps, tolerance(1e-10)).expect("suits");
            integrator.run(5e-3, &mut Unobserved).unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
            assert!(integrator.is_sparse());
            integrator.state().clone()
        };
        // Without redundant joints large systems may give the method's own multipliers.
        let alone = soi2.with_output(Output::Consistent);
        let plain = if scheme.name() == soi2.name() { &alone as &dyn Scheme } else { scheme };
        let (one, both) = (run(&single, plain), run(&accepted, scheme));
        assert!(apart(&both.q, &one.q) < 1e-11 && apart(&both.v, &one.v) < 1e-9, "{}", scheme.name());
        // The two balls share the load evenly.
        let n = one.lambda.len();
        for axis in 0..3 {
            let (first, again, whole) = (both.lambda[1500 + axis], both.lambda[n + axis], one.lambda[1500 + axis]);
            let size = 1.0 + whole.abs();
            assert!((first - again).abs() < 1e-6 * size, "{}: {first} {again}", scheme.name());
            assert!((first + again - whole).abs() < 1e-4 * size, "{}: {first} {again} {whole}", scheme.name());
        }
    }
}

/// Five hundred cranks in line at once: 499 loops become dependent in one instant.
#[test]
fn the_dead_point_of_a_locomotive_is_not_passed() {
    let soi2 = soi2().with_output(Output::Consistent);
    let schemes: [&dyn Scheme; 3] = [&soi2, &RungeKutta::radau(3).expect("stages"), &VariableBdf::new()];
    for (cranks, angle, h) in [(3, 0.3, None), (3, 0.3, Some(0.04)), (500, 0.02, Some(6e-3))] {
        let guess = linkage::Linkage::locomotive_guess(cranks, angle);
        let system = Differentiated::new(linkage::Linkage::locomotive(cranks).detected(&guess.q));
        let start = consistent(&system, &guess).expect("consistent");
        for scheme in schemes {
            let mut integrator = match h {
                Some(h) => {
                    let steps = FixedSteps::new(h).expect("positive");
                    Integrator::new(&system, &start, scheme, steps, tolerance(1e-6))
                }
                None => Integrator::new(&system, &start, scheme, ErrorControl::new(), tolerance(1e-6)),
            }
            .expect("starts");
            assert!(integrator.is_sparse());
            let what = format!("{} on {cranks} cranks, {h:?}", scheme.name());
            let error = integrator.run(2.0 * angle, &mut Unobserved).err().unwrap_or_else(|| panic!("{what}: passed"));
            println!("{what}: {error}");
            let (t, failure, blame) = match &error {
                IntegrateError::StepTooSmall { t, cause: Obstacle::Failure(failure), blame, .. } => {
                    (*t, failure, blame)
                }
                IntegrateError::Step { t, failure, blame, .. } => (*t, failure, blame),
                other => panic!("{what}: {other}"),
            };
            assert!((t - angle).abs() <= h.unwrap_or(5e-3) + 1e-9, "{what}: {t}");
            // Close enough to the point Newton's method may give up before a step can cross it.
            if matches!(failure, StepFailure::Crossing { .. }) {
                let name = blame.as_deref().expect("named");
                assert!(name.contains("ball") || name.contains("hinge"), "{what}: {name}");
            }
            // Every crank turns at its constant rate up to there, but for the errors of second order of long steps.
            let (State { t, q, .. }, error) = (integrator.state(), h.map_or(1e-5, |h| 0.1 * h * h));
            for crank in q.chunks_exact(14) {
                let turned = 2.0 * crank[6].atan2(crank[3]);
                assert!((turned - (angle - t)).abs() < error, "{what}: {turned}");
            }
        }
    }
}
