//! Bodies that turn many times: states between steps go round as often as the body does.
//!
//! A body with J = (1, 2, 3) turns about its third axis under a constant torque: angle = w t + b t^2/2, exactly.

use std::ops::ControlFlow;

use alembert::method::Scheme;
use alembert::rotation::{exp, inverse, log, product};
use alembert::{
    Accepted, Advised, Bdf, Dims, ErrorControl, FixedSteps, Functions, GeneralizedAlpha, Guess, HhtAlpha, Integrator,
    RungeKutta, State, Tolerance, VariableBdf, consistent, solve,
};

const INERTIA: [f64; 3] = [1.0, 2.0, 3.0];

fn rotor(torque: f64) -> Functions<'static> {
    Functions::new(Dims { q: 4, v: 3, lambda: 0, psi: 0 })
        .describe(|description| description.rotations = vec![0])
        .mass(|_, _, mass| (0..3).for_each(|i| mass[4 * i] = INERTIA[i]))
        .force(move |_, _, w, f| {
            let l = [0, 1, 2].map(|i| INERTIA[i] * w[i]);
            f[0] = l[1] * w[2] - l[2] * w[1];
            f[1] = l[2] * w[0] - l[0] * w[2];
            f[2] = l[0] * w[1] - l[1] * w[0] + torque;
        })
}

fn guess(w: f64) -> Guess {
    Guess::new(0.0, vec![1.0, 0.0, 0.0, 0.0], vec![0.0, 0.0, w])
}

/// How far an attitude is from the exact one.
fn error(state: &State, w: f64, b: f64) -> f64 {
    let angle = state.t * (w + 0.5 * b * state.t);
    let exact = exp(&[0.0, 0.0, angle]);
    let p = &state.q;
    let apart = log(&product(&inverse(&exact), &[p[0], p[1], p[2], p[3]]));
    apart.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn methods() -> Vec<(&'static str, Box<dyn Scheme>)> {
    vec![
        ("soi2", Box::new(GeneralizedAlpha::from_rho_infinity(0.6).expect("in range"))),
        ("hht", Box::new(HhtAlpha::new(-0.1).expect("in range"))),
        ("radau", Box::new(RungeKutta::default())),
        ("radau 3", Box::new(RungeKutta::radau(3).expect("enough stages"))),
        ("bdf", Box::new(VariableBdf::new())),
    ]
}

#[test]
fn states_between_steps_go_round_as_often_as_the_body() {
    for (name, scheme) in methods() {
        // As fast as it stays, slowing down through rest, and becoming faster from rest.
        for (w, b) in [(40.0, 0.0), (40.0, -12.0), (0.0, 30.0), (-3e3, 0.0)] {
            let system = rotor(INERTIA[2] * b);
            let start = consistent(&system, &guess(w)).expect("consistent");
            let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
            let mut integrator =
                Integrator::new(&system, &start, &*scheme, ErrorControl::new(), tolerance).expect("starts");
            let mut out = State::clone(&start);
            let (mut worst, mut longest) = ([0.0_f64; 2], 0.0_f64);
            integrator
                .run(3.0, &mut |step: &Accepted| {
                    for share in [0.11, 0.37, 0.5, 0.83] {
                        step.interpolate(step.state.t - share * step.h, &mut out);
                        worst[0] = worst[0].max(error(&out, w, b));
                    }
                    longest = longest.max(step.h * step.state.v[2].abs());
                    ControlFlow::Continue(())
                })
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let solution =
                Integrator::new(&system, &start, &*scheme, ErrorControl::new(), tolerance).expect("starts").solve(3.0);
            for k in 0..=1000 {
                let state = solution.at(3.0 * f64::from(k) / 1000.0).expect("inside");
                worst[1] = worst[1].max(error(&state, w, b));
            }
            println!(
                "{name} at w = {w}, b = {b}: {worst:?}, {longest:.2} rad in a step, {} steps",
                solution.steps().len()
            );
            // What angles of thousands of radians are rounded to; a turn that was lost would be up to pi.
            let limit = 1e-8;
            assert!(worst[0] < limit && worst[1] < limit, "{name} at w = {w}, b = {b}: {worst:?}");
        }
    }
}

#[test]
fn prescribed_steps_of_more_than_half_a_turn_are_refused() {
    let system = rotor(0.0);
    let fixed: Vec<(&str, Box<dyn Scheme>)> =
        methods().into_iter().chain([("bdf 2", Box::new(Bdf::new(2).expect("in range")) as Box<dyn Scheme>)]).collect();
    for (name, scheme) in fixed.iter().filter(|(name, _)| *name != "bdf") {
        let run = |h: f64| {
            let start = consistent(&system, &guess(40.0)).expect("consistent");
            let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
            let steps = FixedSteps::new(h).expect("positive");
            Integrator::new(&system, &start, &**scheme, steps, tolerance).expect("starts").solve(2.0)
        };
        let good = run(0.05);
        assert!(good.is_whole(), "{name}: {:?}", good.outcome());
        for k in 0..=200 {
            let state = good.at(f64::from(k) / 100.0).expect("inside");
            assert!(error(&state, 40.0, 0.0) < 1e-6, "{name} at {}: {}", state.t, error(&state, 40.0, 0.0));
        }
        let refused = run(0.1).whole().expect_err("turns by 4 rad");
        let (message, hint) = (refused.to_string(), refused.hint().unwrap_or_default());
        assert!(message.contains("4.0 rad") && hint.contains("7.9e-2"), "{name}: {message} {hint}");
    }
}

#[test]
fn one_call_is_right_between_steps() {
    let system = rotor(0.0);
    let solution =
        solve(&system, &guess(100.0), 0.0..20.0, Tolerance::relative(1e-6).expect("in range")).expect("runs");
    for k in 0..=500 {
        let state = solution.at(f64::from(k) * 0.04).expect("inside");
        assert!(error(&state, 100.0, 0.0) < 1e-3, "at {}: {}", state.t, error(&state, 100.0, 0.0));
    }
}
