//! Jumps are not crossings unless the event says so; what is steep, rough or slow but continuous is.

use std::f64::consts::PI;

use alembert::integrator::{EventFailure, IntegrateError};
use alembert::{Action, Differentiated, Event, RungeKutta, State, Unobserved};

use super::common::{Steps, integrator, methods, start};
use super::moving::Mass;

/// A function of the state.
type Value = fn(&State) -> f64;

/// Times at which a function of x = sin t, x' = cos t is said to cross zero until t = 9.
fn crossings(value: fn(&State) -> f64, jumps: bool, method: usize) -> Vec<f64> {
    let system = Differentiated::new(Mass { field: 0.0, spring: 1.0 });
    let start = start(&system, vec![0.0], vec![1.0]);
    let (_, scheme, steps) = methods().swap_remove(method);
    let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-8);
    let event = Event::new("event", value).with_action(|_| Action::Continue);
    integrator.add_event(if jumps { event.with_jumps() } else { event });
    integrator.run(9.0, &mut Unobserved).expect("runs");
    integrator.occurrences().iter().map(|occurrence| occurrence.t).collect()
}

fn agree(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 2e-2), "{found:?} {expected:?}");
}

#[test]
fn jumps_are_not_crossings_unless_asked_for() {
    for method in 0..methods().len() {
        // The angle of (cos, sin) passes through zero at 2 pi and jumps at pi and 3 pi.
        let angle = |state: &State| state.q[0].atan2(state.v[0]);
        agree(&crossings(angle, false, method), &[2.0 * PI]);
        agree(&crossings(angle, true, method), &[PI, 2.0 * PI]);
        // sign, floor, a pole, a jump on top of a slope, a jump from a value to zero.
        let jumps: [(Value, &[f64]); 5] = [
            (|state| state.v[0].signum(), &[0.5 * PI, 1.5 * PI, 2.5 * PI]),
            (|state| (3.0 * state.v[0]).floor() + 0.5, &[0.5 * PI, 1.5 * PI, 2.5 * PI]),
            (|state| state.v[0].recip(), &[0.5 * PI, 1.5 * PI, 2.5 * PI]),
            (|state| state.v[0] + 1e-3_f64.copysign(state.v[0]), &[0.5 * PI, 1.5 * PI, 2.5 * PI]),
            (|state| if state.t < 4.0 { -1.0 } else { 0.0 }, &[4.0]),
        ];
        for (value, times) in jumps {
            agree(&crossings(value, false, method), &[]);
            agree(&crossings(value, true, method), times);
        }
    }
}

#[test]
fn what_is_continuous_is_a_crossing_however_steep_rough_or_slow() {
    for method in 0..methods().len() {
        let functions: [fn(&State) -> f64; 8] = [
            |state| (1e9 * state.v[0]).tanh(),
            |state| (1e12 * state.v[0]).atan(),
            |state| (1e10 * state.v[0]).clamp(-1.0, 1.0),
            |state| state.v[0].cbrt(),
            |state| state.v[0].abs().sqrt().copysign(state.v[0]),
            |state| 1e-12 * state.v[0],
            |state| (state.v[0] + 1e5) - 1e5,
            |state| state.v[0].powi(3),
        ];
        for value in functions {
            agree(&crossings(value, false, method), &[0.5 * PI, 1.5 * PI, 2.5 * PI]);
        }
    }
}

#[test]
fn slow_crossings_among_large_numbers_are_found() {
    // x = 1 + s (t - 1/3) with speeds down to a thousand roundings a step.
    let system = Differentiated::new(Mass { field: 0.0, spring: 0.0 });
    for speed in [1e-6, 1e-8, 1e-10, 1e-11] {
        for h in [1.0, 0.01] {
            let start = start(&system, vec![1.0 - speed / 3.0], vec![speed]);
            let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Fixed(h), 1e-10);
            integrator.add_event(Event::new("slow", |state| state.q[0] - 1.0).with_action(|_| Action::Continue));
            integrator.run(1.0, &mut Unobserved).expect("runs");
            assert_eq!(integrator.occurrences().len(), 1, "{speed:e} {h}");
            let error = (integrator.occurrences()[0].t - 1.0 / 3.0).abs();
            assert!(error < 1e-12 + 1e-14 / speed, "{speed:e} {h}: {error:e}");
        }
    }
}

#[test]
fn nothing_bounces_off_a_jump() {
    let system = Differentiated::new(Mass { field: 0.0, spring: 0.0 });
    let start = start(&system, vec![0.0], vec![1.0]);
    let run = |jumps: bool| {
        let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-8);
        let event = Event::new("step", |state| state.q[0] - if state.t < 0.7 { 2.0 } else { 0.1 }).with_bounce(1.0);
        integrator.add_event(if jumps { event.with_jumps() } else { event });
        integrator.run(1.0, &mut Unobserved)
    };
    assert!(run(false).is_ok());
    let error = run(true).expect_err("cannot bounce");
    let IntegrateError::Event { name, failure: EventFailure::Jump, .. } = &error else { panic!("{error}") };
    assert_eq!(name, "step");
}
