//! A restored run continues bit for bit; checkpoints of something else are refused by name.

#[path = "conformance/methods.rs"]
mod methods;
#[path = "checkpoint/spoilt.rs"]
mod spoilt;

use alembert::checkpoint::BadCheckpoint;
use alembert::method::{Bdf, Factorisation, GeneralizedAlpha, HhtAlpha, RungeKutta, Scheme, VariableBdf};
use alembert::{
    Action, ConsistentState, ConstrainedSystem, Differentiated, Dims, Direction, ErrorControl, Event, FixedSteps,
    Formulas, Guess, Integrator, Scalar, State, Stats, Tolerance, consistent,
};
use alembert_problems::rope::Rope;

fn start_of(name: &str) -> (alembert_problems::Problem, ConsistentState) {
    let problem = alembert_problems::by_name(name).expect("known");
    let from = &problem.start;
    let guess =
        Guess::new(from.t, from.q.clone(), from.v.clone()).with_multipliers(from.lambda.clone(), from.psi.clone());
    let start = consistent(&*problem.system, &guess).expect("consistent");
    (problem, start)
}

/// States of some steps, with one between in each, and what they cost.
fn march(integrator: &mut Integrator, t_end: f64, steps: usize) -> (Vec<State>, Stats) {
    let mut states = Vec::new();
    for _ in 0..steps {
        let before = integrator.state().t;
        if before >= t_end {
            break;
        }
        integrator.step(t_end).expect("steps");
        let mut between = integrator.state().clone();
        integrator.interpolate(0.3 * before + 0.7 * integrator.state().t, &mut between);
        let mut consistent = between.clone();
        integrator.consistent_at(between.t, &mut consistent).expect("regular");
        states.extend([between, consistent, integrator.state().clone()]);
    }
    (states, integrator.stats())
}

/// Saves after `steps`, restores into a fresh integrator, and compares.
fn compare<'s>(name: &str, build: impl Fn() -> Integrator<'s>, t_end: f64, steps: usize) {
    let mut one = build();
    march(&mut one, t_end, steps);
    let checkpoint = one.checkpoint().expect("can be saved");
    let mut other = build();
    other.restore(&checkpoint).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(one.state(), other.state(), "{name}");
    let (expected, found) = (march(&mut one, t_end, 25), march(&mut other, t_end, 25));
    assert_eq!(expected.0, found.0, "{name} after {steps} steps");
    assert_eq!(expected.1, found.1, "{name} after {steps} steps");
}

#[test]
fn every_method_of_the_conformance_suite_continues_bit_for_bit() {
    for entry in methods::entries() {
        for name in entry.problems {
            let (problem, start) = start_of(name);
            let [h, _] = entry.ladder(name);
            for steps in [0, 1, 2, 7, 18] {
                let build = || {
                    let pattern = FixedSteps::pattern(h, &[0.7, 1.3, 1.0]).expect("positive");
                    let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
                    Integrator::new(&*problem.system, &start, &*entry.scheme, pattern, tolerance).expect("starts")
                };
                compare(&format!("{} on {name}", entry.name), build, start.t + 100.0, steps);
            }
        }
    }
}

#[test]
fn controlled_steps_continue_bit_for_bit() {
    let lazy = VariableBdf { factorisation: Factorisation::Lazy, ..VariableBdf::new() };
    let schemes: [(&str, Box<dyn Scheme>); 6] = [
        ("soi2", Box::new(GeneralizedAlpha::from_rho_infinity(0.5).expect("in range"))),
        ("hht", Box::new(HhtAlpha::new(-0.2).expect("in range"))),
        ("radau 3", Box::new(RungeKutta::radau(3).expect("in range"))),
        ("radau 5", Box::new(RungeKutta::default())),
        ("variable bdf", Box::new(VariableBdf::new())),
        ("variable bdf, lazy", Box::new(lazy)),
    ];
    for problem_name in ["rheonomic_pendulum", "andrews", "car_axis", "heavy_top", "paper5_sphere"] {
        let (problem, start) = start_of(problem_name);
        // The last has general kinematics, which alpha methods do not cover.
        let suited = if problem_name == "paper5_sphere" { 2.. } else { 0.. };
        for (name, scheme) in &schemes[suited] {
            let build = || {
                let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
                Integrator::new(&*problem.system, &start, &**scheme, ErrorControl::new(), tolerance).expect("starts")
            };
            // Many places: some memory matters only where an error is about to pass zero.
            for steps in [0, 1, 2, 3, 5, 8, 13, 17, 21, 27, 34, 40, 55] {
                compare(&format!("{name} on {problem_name}"), build, problem.t_end, steps);
            }
        }
    }
}

/// A pendulum on a rope that goes slack and catches again, with counted swings.
fn rope<'s>(taut: &'s dyn ConstrainedSystem, slack: &'s dyn ConstrainedSystem, scheme: &dyn Scheme) -> Integrator<'s> {
    let start = consistent(taut, &Guess::new(0.0, vec![0.0, -1.0], vec![6.0, 0.0])).expect("consistent");
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let mut integrator = Integrator::new(taut, &start, scheme, ErrorControl::new(), tolerance).expect("starts");
    integrator.add_mode(slack, scheme).expect("fits");
    let tension = Event::new("slack", |state| state.lambda[0]).with_direction(Direction::Falling);
    integrator.add_event(tension.in_mode(0).with_action(|_| Action::Switch(1)));
    let length = Event::new("catch", |state| state.q[0].hypot(state.q[1]) - 1.0).with_direction(Direction::Rising);
    integrator.add_event(length.in_mode(1).with_action(|_| Action::Switch(0)));
    integrator
}

#[test]
fn modes_and_pending_events_continue_bit_for_bit() {
    let taut = Differentiated::new(Rope { gravity: 9.81, taut: true });
    let slack = Differentiated::new(Rope { gravity: 9.81, taut: false });
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let schemes: [&dyn Scheme; 3] = [&RungeKutta::default(), &soi2, &VariableBdf::new()];
    for scheme in schemes {
        let mut one = rope(&taut, &slack, scheme);
        // At the very step that ends with an event, before the next one has begun.
        for events in 1..=2 {
            while one.occurrences().len() < events {
                one.step(10.0).expect("steps");
            }
            let checkpoint = one.checkpoint().expect("can be saved");
            let mut other = rope(&taut, &slack, scheme);
            other.restore(&checkpoint).expect("restored");
            assert_eq!((one.mode(), one.state()), (other.mode(), other.state()));
            let known = one.occurrences().len();
            let (expected, found) = (march(&mut one, 10.0, 300), march(&mut other, 10.0, 300));
            assert!(expected.0 == found.0 && expected.1 == found.1, "{}", scheme.name());
            assert!(events == 2 || one.occurrences().len() > known, "{}", scheme.name());
            assert_eq!(one.occurrences()[known..], *other.occurrences(), "{}", scheme.name());
            one = rope(&taut, &slack, scheme);
        }
    }
}

#[test]
fn checkpoints_of_something_else_are_refused_by_name() {
    let (problem, start) = start_of("pendulum_horizontal");
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let build = |scheme: &dyn Scheme, tolerance| {
        Integrator::new(&*problem.system, &start, scheme, ErrorControl::new(), tolerance).expect("starts")
    };
    let soi2 = |rho| GeneralizedAlpha::from_rho_infinity(rho).expect("in range");
    let mut one = build(&soi2(0.8), tolerance);
    march(&mut one, 10.0, 10);
    let good = one.checkpoint().expect("can be saved");

    let refuse = |mut other: Integrator, bytes: &[u8]| {
        let before = other.state().clone();
        let error = other.restore(bytes).expect_err("refused");
        // The refusal leaves no trace.
        assert_eq!(other.state(), &before);
        let mut again = build(&soi2(0.8), tolerance);
        if other.stats() == again.stats() && again.restore(bytes).is_err() {
            assert_eq!(march(&mut other, 10.0, 5).0.len(), 15);
        }
        error
    };
    assert_eq!(refuse(build(&soi2(0.8), tolerance), b"something else"), BadCheckpoint::Foreign);
    assert_eq!(refuse(build(&soi2(0.8), tolerance), &good[..good.len() - 9]), BadCheckpoint::Corrupt);
    assert_eq!(refuse(build(&soi2(0.8), tolerance), &good[..16]), BadCheckpoint::Corrupt);
    for place in [24, 100, good.len() / 2, good.len() - 1] {
        let mut damaged = good.clone();
        damaged[place] ^= 4;
        assert_eq!(refuse(build(&soi2(0.8), tolerance), &damaged), BadCheckpoint::Corrupt, "byte {place}");
    }
    let mut newer = good.clone();
    newer[16] = 99;
    let error = refuse(build(&soi2(0.8), tolerance), &newer);
    assert!(error.to_string().contains("version 99"), "{error}");

    let different = |other: Integrator, what: &str, values: [&str; 2]| {
        let error = refuse(other, &good).to_string();
        let expected = format!("its {what} is {}, here it is {}", values[0], values[1]);
        assert!(error.contains(&expected), "{error}");
    };
    different(build(&RungeKutta::default(), tolerance), "method", ["generalized-alpha", "Radau IIA"]);
    different(build(&soi2(0.5), tolerance), "alpha_m", ["0.33333333333333337", "0"]);
    let loose = Tolerance::new(1e-5, 1e-6).expect("in range");
    different(build(&soi2(0.8), loose), "relative tolerance", ["0.000001", "0.00001"]);
    let fixed = FixedSteps::new(0.1).expect("positive");
    let fixed = Integrator::new(&*problem.system, &start, &soi2(0.8), fixed, tolerance).expect("starts");
    different(fixed, "controller", ["error control", "fixed steps"]);
    let (andrews, start) = start_of("andrews");
    let bigger = Integrator::new(&*andrews.system, &start, &soi2(0.8), ErrorControl::new(), tolerance).expect("starts");
    different(bigger, "dimension of q", ["2", "7"]);
    let order = Bdf::new(3).expect("in range");
    let steps = || FixedSteps::new(0.1).expect("positive");
    let mut bdf = Integrator::new(&*andrews.system, &start, &order, steps(), tolerance).expect("starts");
    let saved = bdf.checkpoint().expect("can be saved");
    let order = Bdf::new(4).expect("in range");
    let mut other = Integrator::new(&*andrews.system, &start, &order, steps(), tolerance).expect("starts");
    let error = other.restore(&saved).expect_err("another order").to_string();
    assert!(error.contains("its order is 3, here it is 4"), "{error}");
}

/// A pendulum with parameters, in a wind that sets in late.
#[derive(Clone, Copy)]
struct Pendulum {
    mass: f64,
    gravity: f64,
    length: f64,
    wind: f64,
}

impl Formulas for Pendulum {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(self.mass), S::from(self.mass));
    }
    fn force<S: Scalar>(&self, t: S, _: &[S], _: &[S], force: &mut [S]) {
        force[0] = if t.value() > 20.0 { (t - 20.0) * self.wind } else { S::from(0.0) };
        force[1] = S::from(-self.mass * self.gravity);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - self.length * self.length;
    }
}

#[test]
fn checkpoints_of_a_system_with_other_parameters_are_refused() {
    let usual = Pendulum { mass: 1.3, gravity: 9.81, length: 1.0, wind: 0.0 };
    let system = Differentiated::new(usual);
    for scheme in [&RungeKutta::default() as &dyn Scheme, &VariableBdf::new()] {
        fn build<'s>(system: &'s dyn ConstrainedSystem, scheme: &dyn Scheme) -> Integrator<'s> {
            let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
            let start = consistent(system, &Guess::new(0.0, vec![1.0, 0.0], vec![0.0, 0.0])).expect("consistent");
            Integrator::new(system, &start, scheme, ErrorControl::new(), tolerance).expect("starts")
        }
        let mut one = build(&system, scheme);
        march(&mut one, 10.0, 10);
        let saved = one.checkpoint().expect("can be saved");
        build(&system, scheme).restore(&saved).expect("its own");
        for (what, other) in [
            ("force", Pendulum { gravity: 9.82, ..usual }),
            ("force", Pendulum { gravity: 9.81 * (1.0 + 1e-9), ..usual }),
            ("mass matrix", Pendulum { mass: 2.6, gravity: 4.905, ..usual }),
            ("holonomic", Pendulum { length: 1.0 + 1e-9, ..usual }),
            ("force", Pendulum { wind: 0.1, ..usual }),
        ] {
            let other = Differentiated::new(other);
            let mut integrator = build(&other, scheme);
            let before = integrator.state().clone();
            let error = integrator.restore(&saved).expect_err(what);
            let BadCheckpoint::OtherSystem { function, .. } = &error else { panic!("{error}") };
            assert_eq!(function, what);
            assert!(error.to_string().contains("a system with other parameters or formulas"), "{error}");
            assert_eq!(integrator.state(), &before);
            integrator.step(10.0).expect("as if nothing had been");
        }
    }
}
