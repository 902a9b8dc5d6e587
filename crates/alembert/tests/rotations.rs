//! Bodies that turn: heavy top, free body, spatial pendulum. Orders on them are in `conformance.rs`.

use std::ops::ControlFlow;

use alembert::initial::InitialError;
use alembert::method::{Scheme, Start};
use alembert::rotation::{inverse, log, product, to_space};
use alembert::{
    Accepted, Dims, ErrorControl, FixedSteps, Functions, GeneralizedAlpha, Guess, HhtAlpha, Integrator, RungeKutta,
    State, Stats, Tolerance, VariableBdf, consistent,
};
use alembert_problems::{Problem, free_body, heavy_top, spatial_pendulum};

fn soi2(rho: f64) -> GeneralizedAlpha {
    GeneralizedAlpha::from_rho_infinity(rho).expect("in range")
}

fn guess(problem: &Problem) -> Guess {
    Guess::new(problem.start.t, problem.start.q.clone(), problem.start.v.clone())
}

fn tolerance(x: f64) -> Tolerance {
    Tolerance::new(x, x).expect("in range")
}

/// Fixed steps; `look` sees each.
fn run(
    scheme: &dyn Scheme,
    problem: &Problem,
    h: f64,
    t_end: f64,
    accuracy: f64,
    mut look: impl FnMut(&Accepted),
) -> Stats {
    let start = consistent(&*problem.system, &guess(problem)).expect("consistent");
    let steps = FixedSteps::new(h).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, scheme, steps, tolerance(accuracy)).expect("starts");
    integrator
        .run(t_end, &mut |step: &Accepted| {
            look(step);
            ControlFlow::Continue(())
        })
        .unwrap_or_else(|e| panic!("{} on {}: {e}", scheme.name(), problem.name));
    integrator.stats()
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn reactions_of_the_top_are_second_order_from_the_first_step() {
    let top = heavy_top::new();
    let worst = |start: Start, h: f64| {
        let mut worst = 0.0_f64;
        run(&soi2(0.5).with_start(start), &top, h, 10.0 * h, 1e-13, |step| {
            let exact = top.reference_at(step.own.multiplier_time);
            worst = worst.max(distance(step.own.lambda, &exact.lambda));
        });
        worst
    };
    for (start, order) in [(Start::A0, 1.0), (Start::Twice, 2.0), (Start::Jerk, 2.0)] {
        let (coarse, fine) = (worst(start, 1.25e-4), worst(start, 6.25e-5));
        let observed = (coarse / fine).log2();
        assert!((observed - order).abs() < 0.15, "{start:?}: {coarse:e} {fine:e}, order {observed}");
    }
}

#[test]
fn an_undamped_method_does_not_slow_a_free_body() {
    let body = free_body::new();
    let (energy, momentum) = (free_body::energy(&body.start.v), free_body::momentum(&body.start.q, &body.start.v));
    let schemes: [(&str, &dyn Scheme); 2] =
        [("rho 1", &soi2(1.0)), ("alpha 0", &HhtAlpha::new(0.0).expect("in range"))];
    for (name, scheme) in schemes {
        let mut early = [0.0_f64; 2];
        let mut late = [0.0_f64; 2];
        run(scheme, &body, 0.05, 400.0, 1e-12, |step| {
            let State { t, q, v, .. } = step.state;
            let errors = [(free_body::energy(v) - energy).abs(), distance(&free_body::momentum(q, v), &momentum)];
            let worst = if *t < 50.0 { &mut early } else { &mut late };
            for (worst, error) in worst.iter_mut().zip(errors) {
                *worst = worst.max(error);
            }
        });
        println!("{name}: energy, momentum {early:?} until 50, {late:?} until 400");
        for (early, late) in early.iter().zip(late) {
            assert!(late < 1.1 * early, "{name}: {early:e} until 50, {late:e} until 400");
            assert!(late < 1e-2, "{name}: {late:e}");
        }
    }
    // A damped one does.
    let mut last = 0.0;
    run(&soi2(0.5), &body, 0.05, 400.0, 1e-12, |step| last = free_body::energy(&step.state.v) - energy);
    assert!(last < -2e-3, "{last}");
}

#[test]
fn the_spatial_pendulum_goes_through_the_angles_of_its_planar_twin() {
    let (spatial, planar) = (spatial_pendulum::new(), spatial_pendulum::planar());
    let schemes: [&dyn Scheme; 4] = [
        &soi2(0.6),
        &soi2(0.0).with_start(Start::A0),
        &HhtAlpha::new(-0.2).expect("in range"),
        &HhtAlpha::new(-0.2).and_then(|hht| hht.with_b(0.3)).expect("in range"),
    ];
    for scheme in schemes {
        let mut twin = Vec::new();
        run(scheme, &planar, 0.05, 3.0, 1e-13, |step| {
            let State { q, v, lambda, .. } = step.state;
            twin.push((q[2] - planar.start.q[2], v[2], distance(lambda, &[0.0; 2])));
        });
        let p0 = &spatial.start.q[3..];
        let p0 = inverse(&[p0[0], p0[1], p0[2], p0[3]]);
        let mut twin = twin.into_iter();
        run(scheme, &spatial, 0.05, 3.0, 1e-13, |step| {
            let State { q, v, lambda, .. } = step.state;
            let (angle, spin, reaction) = twin.next().expect("as many steps");
            let turned = product(&p0, &[q[3], q[4], q[5], q[6]]);
            let expected = (0.5 * angle).cos();
            assert!((turned[0] - expected).abs() < 1e-9, "{}: {} {expected}", scheme.name(), turned[0]);
            assert!((distance(&v[3..], &[0.0; 3]) - spin.abs()).abs() < 1e-9, "{}", scheme.name());
            assert!((distance(lambda, &[0.0; 3]) - reaction).abs() < 1e-7, "{}", scheme.name());
        });
    }
}

#[test]
fn newton_converges_at_half_a_revolution_a_step() {
    let top = heavy_top::new();
    let hht = HhtAlpha::new(-0.1).expect("in range");
    for (h, limit) in [(0.004, 6.0), (0.01, 9.0), (0.02, 12.0)] {
        for scheme in [&soi2(0.5) as &dyn Scheme, &hht] {
            let stats = run(scheme, &top, h, 0.2, 1e-8, |_| {});
            let mean = stats.iterations as f64 / stats.steps as f64;
            println!(
                "{}: h w = {:.1}: {mean} iterations, {} linearizations",
                scheme.name(),
                150.0 * h,
                stats.linearizations
            );
            assert!(mean <= limit, "{}: h = {h}: {mean} iterations a step", scheme.name());
        }
    }
}

#[test]
fn dense_output_turns_with_the_body() {
    let radau = RungeKutta::radau(3).expect("enough stages");
    let cases: [(&str, &dyn Scheme, f64, [f64; 2]); 4] = [
        ("soi2", &soi2(0.6), 1.0 / 6400.0, [2.0, 2.0]),
        ("hht", &HhtAlpha::new(-0.1).expect("in range"), 1.0 / 6400.0, [2.0, 2.0]),
        ("radau", &radau, 1.0 / 800.0, [4.0, 3.5]),
        ("bdf 3", &alembert::Bdf::new(3).expect("in range"), 1.0 / 6400.0, [2.9, 2.8]),
    ];
    let top = heavy_top::new();
    for (name, scheme, h, orders) in cases {
        let errors = |h: f64| {
            let start = consistent(&*top.system, &guess(&top)).expect("consistent");
            let steps = FixedSteps::new(h).expect("positive");
            let mut integrator =
                Integrator::new(&*top.system, &start, scheme, steps, tolerance(1e-12)).expect("starts");
            let mut out = State::clone(&start);
            let mut worst = [0.0_f64; 2];
            for _ in 0..(0.05 / h).round() as usize {
                let t = integrator.state().t;
                integrator.step(0.2).expect("runs");
                if t < 0.03 {
                    continue;
                }
                integrator.interpolate(t + 0.37 * h, &mut out);
                let exact = top.reference_at(out.t);
                worst[0] = worst[0].max(distance(&out.q, &exact.q));
                worst[1] = worst[1].max(distance(&out.v, &exact.v));
                let unit: f64 = out.q[3..].iter().map(|p| p * p).sum();
                assert!((unit - 1.0).abs() < 1e-13, "{name}: {unit}");
            }
            let residuals = integrator.consistent_at(integrator.state().t - 0.4 * h, &mut out).expect("projects");
            assert!(residuals.position.max(residuals.velocity) < 1e-12, "{name}: {residuals:?}");
            worst
        };
        let (coarse, fine) = (errors(h), errors(0.5 * h));
        println!("{name}: {coarse:?} {fine:?}");
        for (order, (coarse, fine)) in orders.iter().zip(coarse.iter().zip(fine)) {
            assert!((coarse / fine).log2() > order - 0.15, "{name}: {coarse:e} {fine:e}");
        }
    }
}

#[test]
fn the_error_follows_the_tolerance() {
    let cases: [(&str, &dyn Scheme, i32, f64); 4] = [
        ("soi2", &soi2(0.6), 6, 2.0 / 3.0),
        ("hht", &HhtAlpha::new(-0.1).expect("in range"), 6, 2.0 / 3.0),
        ("radau", &RungeKutta::default(), 10, 0.8),
        ("bdf", &VariableBdf::new(), 8, 0.7),
    ];
    for problem in [heavy_top::new(), heavy_top::tumbling(), free_body::new(), spatial_pendulum::new()] {
        // At one time alone an error may happen to pass through zero.
        let exact: Vec<State> = (1..=8).map(|k| problem.reference_at(problem.t_end * f64::from(k) / 8.0)).collect();
        for (name, scheme, finest, slope) in cases {
            let errors: Vec<f64> = (3..=finest)
                .map(|digits| {
                    let tol = 10f64.powi(-digits);
                    let start = consistent(&*problem.system, &guess(&problem)).expect("consistent");
                    let mut integrator =
                        Integrator::new(&*problem.system, &start, scheme, ErrorControl::new(), tolerance(tol))
                            .expect("starts");
                    let mut error = 0.0_f64;
                    for exact in &exact {
                        integrator
                            .run(exact.t, &mut alembert::Unobserved)
                            .unwrap_or_else(|e| panic!("{name} on {} at {tol:e}: {e}", problem.name));
                        error = error.max(distance(&integrator.state().q, &exact.q));
                    }
                    let stats = integrator.stats();
                    println!(
                        "{name} on {} at {tol:e}: error {error:.1e}, {} steps, {} rejected, {} failed, {:.1} iterations",
                        problem.name,
                        stats.steps,
                        stats.rejected,
                        stats.failed,
                        stats.iterations as f64 / stats.steps as f64
                    );
                    assert!(stats.residuals.position.max(stats.residuals.velocity) < 1e-11, "{name}: {stats}");
                    error
                })
                .collect();
            let fall = (errors[0] / errors[errors.len() - 1]).log10() / f64::from(finest - 3);
            assert!(fall > slope - 0.1, "{name} on {}: {errors:?}, slope {fall}", problem.name);
        }
    }
}

/// The spatial pendulum without derivatives.
fn bare() -> Functions<'static> {
    Functions::new(Dims { q: 7, v: 6, lambda: 3, psi: 0 })
        .describe(|description| description.rotations = vec![3])
        .mass(|_, _, mass| {
            for (i, m) in [2.0, 2.0, 2.0, 0.3, 0.3, 0.1].into_iter().enumerate() {
                mass[7 * i] = m;
            }
        })
        .force(|_, _, v, f| {
            f[2] = -2.0 * 9.81;
            (f[3], f[4]) = (0.2 * v[4] * v[5], -0.2 * v[3] * v[5]);
        })
        .holonomic(|_, q, g| {
            let centre = to_space(&[q[3], q[4], q[5], q[6]], &[0.0, 0.0, -0.8]);
            (0..3).for_each(|i| g[i] = q[i] - centre[i]);
        })
}

#[test]
fn derivatives_need_not_be_supplied() {
    let exact = spatial_pendulum::new();
    let bare = Problem { system: Box::new(bare()), ..spatial_pendulum::new() };
    let schemes: [&dyn Scheme; 4] = [
        &soi2(0.6),
        &HhtAlpha::new(-0.1).expect("in range"),
        &RungeKutta::default(),
        &alembert::Bdf::new(2).expect("2"),
    ];
    for scheme in schemes {
        let mut ends = Vec::new();
        for problem in [&exact, &bare] {
            run(scheme, problem, 0.02, 0.4, 1e-10, |step| {
                if step.state.t > 0.39 {
                    ends.push(step.state.clone());
                }
            });
        }
        let n = ends.len() / 2;
        assert!(distance(&ends[n - 1].q, &ends[2 * n - 1].q) < 1e-8, "{}", scheme.name());
        assert!(distance(&ends[n - 1].lambda, &ends[2 * n - 1].lambda) < 1e-5, "{}", scheme.name());
    }
}

#[test]
fn starts_get_unit_quaternions_or_a_refusal() {
    let top = heavy_top::new();
    let mut long = guess(&top);
    long.q[3] = 1.7;
    let state = consistent(&*top.system, &long).expect("consistent");
    assert!(log(&[state.q[3], state.q[4], state.q[5], state.q[6]]).iter().all(|x| x.abs() < 1e-12));
    let mut none = guess(&top);
    none.q[3] = 0.0;
    let error = consistent(&*top.system, &none).expect_err("no direction");
    assert!(matches!(error, InitialError::NoDirection { entry: 3 }), "{error}");

    let misfit = Functions::new(Dims { q: 4, v: 4, lambda: 0, psi: 0 })
        .describe(|description| description.rotations = vec![1])
        .mass(|_, _, mass| (0..4).for_each(|i| mass[5 * i] = 1.0));
    let error = consistent(&misfit, &Guess::new(0.0, vec![1.0; 4], vec![0.0; 4])).expect_err("does not fit");
    assert!(matches!(error, InitialError::Space(_)) && error.to_string().contains("hint"), "{error}");
}
