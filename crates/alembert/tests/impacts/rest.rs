//! Bodies that come to rest on surfaces, or start there: chattering is told by name on moving surfaces as on fixed ones.

use alembert::integrator::{EventFailure, IntegrateError};
use alembert::{Differentiated, Direction, Event, EventFormula, Scalar, Unobserved};

use super::common::{Steps, integrator, methods, start};
use super::moving::Mass;

/// y - (v t + a t^2/2 + b sin(om t)).
#[derive(Clone, Copy)]
struct Platform {
    v: f64,
    a: f64,
    b: f64,
    om: f64,
}

impl EventFormula for Platform {
    fn value<S: Scalar>(&self, t: S, q: &[S], _: &[S]) -> S {
        q[0] - t * self.v - t * t * (0.5 * self.a) - (t * self.om).sin() * self.b
    }
}

const PLATFORMS: [(&str, Platform); 6] = [
    ("fixed", Platform { v: 0.0, a: 0.0, b: 0.0, om: 0.0 }),
    ("rising", Platform { v: 3.0, a: 0.0, b: 0.0, om: 0.0 }),
    ("sinking", Platform { v: -3.0, a: 0.0, b: 0.0, om: 0.0 }),
    ("accelerating", Platform { v: 0.0, a: 4.0, b: 0.0, om: 0.0 }),
    ("falling behind", Platform { v: 0.0, a: -5.0, b: 0.0, om: 0.0 }),
    // It never accelerates downwards by more than gravity: what rests on it stays on it.
    ("oscillating", Platform { v: 0.0, a: 0.0, b: 0.01, om: 12.0 }),
];

/// Where a ball dropped from 1 with restitution e comes to rest on a platform with constant velocity and acceleration: in
/// its frame it falls with gravity + a from the height 1 with the velocity -v, and flies e^n times the first arrival.
fn rest_time(platform: Platform, e: f64) -> f64 {
    let g = 9.81 + platform.a;
    let arrival = (platform.v.powi(2) + 2.0 * g).sqrt();
    (arrival - platform.v) / g + 2.0 * arrival / g * e / (1.0 - e)
}

#[test]
fn balls_that_come_to_rest_chatter_by_name_on_every_platform() {
    let system = Differentiated::new(Mass { field: -9.81, spring: 0.0 });
    let start = start(&system, vec![1.0], vec![0.0]);
    for (name, scheme, steps) in methods() {
        for (kind, platform) in PLATFORMS {
            for restitution in [0.0, 0.1, 0.5, 0.7] {
                for exact in [true, false] {
                    let told = format!("{name}, {kind}, e = {restitution}, exact: {exact}");
                    let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-8);
                    let event = if exact {
                        Event::from_formula("table", platform)
                    } else {
                        Event::new("table", |state| platform.value(state.t, &state.q, &[]))
                    };
                    integrator.add_event(event.with_direction(Direction::Falling).with_bounce(restitution));
                    let outcome = integrator.run(20.0, &mut Unobserved);
                    let depth = platform.value(integrator.state().t, &integrator.state().q, &[]);
                    let Err(IntegrateError::Chattering { t, name: event }) = outcome else {
                        panic!("{told}: {outcome:?}, {} impacts, depth {depth}", integrator.occurrences().len())
                    };
                    assert_eq!(event, "table");
                    // It has not gone through: the last impact is on the surface.
                    let last = integrator.occurrences().last().expect("impacts");
                    assert!(platform.value(last.t, &last.after.q, &[]).abs() < 1e-9, "{told}: {last:?}");
                    if platform.b == 0.0 {
                        let rest = rest_time(platform, restitution);
                        assert!((t - rest).abs() < 2e-4, "{told}: {t} instead of {rest}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_motion_may_start_on_a_surface() {
    let system = Differentiated::new(Mass { field: -9.81, spring: 0.0 });
    let run = |v: f64, direction: Direction, formula: fn(f64, f64) -> f64| {
        let start = start(&system, vec![0.0], vec![v]);
        let scheme = alembert::RungeKutta::default();
        let mut integrator = integrator(&system, &start, &scheme, Steps::Error, 1e-8);
        let event = Event::new("floor", move |state| formula(state.t, state.q[0]));
        integrator.add_event(event.with_direction(direction).with_bounce(1.0));
        let outcome = integrator.run(0.3, &mut Unobserved);
        (outcome, integrator.occurrences().to_vec(), integrator.state().clone())
    };
    // Into the floor: an impact at once. Upwards: none. On a floor that rises faster than the body: an impact.
    let (outcome, impacts, state) = run(-2.0, Direction::Falling, |_, y| y);
    assert!(outcome.is_ok() && impacts.len() == 1 && impacts[0].t == 0.0 && impacts[0].after.v == [2.0], "{impacts:?}");
    assert!((state.q[0] - (0.6 - 0.5 * 9.81 * 0.09)).abs() < 1e-12);
    let (outcome, impacts, _) = run(2.0, Direction::Falling, |_, y| y);
    assert!(outcome.is_ok() && impacts.is_empty(), "{impacts:?}");
    let (outcome, impacts, _) = run(2.0, Direction::Rising, |t, y| 3.0 * t - y);
    assert!(outcome.is_ok() && impacts.len() == 2 && (impacts[0].after.v[0] - 4.0).abs() < 1e-12, "{impacts:?}");
    assert!((impacts[1].t - 2.0 / 9.81).abs() < 1e-12 && (impacts[1].after.v[0] - 4.0).abs() < 1e-12, "{impacts:?}");
    // At rest under gravity: it cannot fall through, whatever the restitution.
    let (outcome, impacts, _) = run(0.0, Direction::Falling, |_, y| y);
    assert!(matches!(outcome, Err(IntegrateError::Chattering { t: 0.0, .. })), "{outcome:?} {impacts:?}");
    // On a floor that sinks faster it is free.
    let (outcome, impacts, _) = run(0.0, Direction::Falling, |t, y| y + 6.0 * t * t);
    assert!(outcome.is_ok() && impacts.is_empty(), "{outcome:?} {impacts:?}");
    // At rest on a surface with two sides nobody knows on which one it is.
    let (outcome, ..) = run(0.0, Direction::Any, |_, y| y);
    let Err(IntegrateError::Event { failure: EventFailure::NoSide, ref name, .. }) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(name, "floor");
}

#[test]
fn short_flights_that_do_not_become_shorter_are_not_chattering() {
    // A ball in a slit of a micrometre, in steps that were of seconds before it came there.
    let system = Differentiated::new(Mass { field: 0.0, spring: 0.0 });
    let start = start(&system, vec![0.0], vec![1.0]);
    let scheme = alembert::RungeKutta::default();
    let mut integrator = integrator(&system, &start, &scheme, Steps::Error, 1e-6);
    let slit = 1e-6;
    for (name, at, direction) in [("left", 0.0, Direction::Falling), ("right", slit, Direction::Rising)] {
        let wall = Event::new(name, move |state| state.q[0] - 10.0 - at).with_direction(direction);
        integrator.add_event(wall.with_bounce(1.0));
    }
    let outcome = integrator.run(10.0 + 99.5 * slit, &mut Unobserved);
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(integrator.occurrences().len(), 99);
}
