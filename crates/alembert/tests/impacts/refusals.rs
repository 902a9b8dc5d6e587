//! What cannot bounce says so with the event's name.

use alembert::integrator::{EventFailure, IntegrateError};
use alembert::{Action, Differentiated, Dims, Direction, Event, Formulas, RungeKutta, Scalar, State, Unobserved};

use super::common::{Steps, integrator, methods, start};
use super::moving::Mass;

/// A function of the state.
type Value = fn(&State) -> f64;

/// How a body at x = 1 that moves towards zero with speed 1 ends.
fn fails(event: Event) -> (String, EventFailure) {
    let system = Differentiated::new(Mass { field: 0.0, spring: 0.0 });
    let start = start(&system, vec![1.0], vec![-1.0]);
    let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-8);
    integrator.add_event(event);
    let error = integrator.run(3.0, &mut Unobserved).expect_err("refused");
    let text = error.to_string();
    let IntegrateError::Event { name, failure, .. } = error else { panic!("{text}") };
    assert!(text.starts_with(&format!("event `{name}` at t = ")) && text.contains("\nhint: "), "{text}");
    (text, failure)
}

#[test]
fn a_function_of_more_than_t_and_q_is_no_surface() {
    let functions: [(Value, &str); 3] = [
        (|state| state.q[0] + 1e-9 * (state.v[0] + 1.0), "velocities"),
        (|state| state.q[0] + 1e-9 * state.a[0], "accelerations"),
        (|state| state.q[0] + state.v.iter().sum::<f64>().min(0.0) + 1.0, "velocities"),
    ];
    for (value, what) in functions {
        let (text, failure) = fails(Event::new("wall", value).with_bounce(1.0));
        assert_eq!(failure, EventFailure::NotASurface(what), "{text}");
    }
}

#[test]
fn a_function_of_time_alone_has_no_normal() {
    let (_, failure) = fails(Event::new("clock", |state| 0.5 - state.t).with_bounce(1.0));
    assert_eq!(failure, EventFailure::NoNormal);
}

#[test]
fn wrong_gradients_are_found_out() {
    let wall = |t: f64, q: f64| {
        let event = Event::new("wall", |state| state.q[0] - 0.1 * state.t).with_bounce(1.0);
        event.with_gradient(move |_, out| {
            out.t = t;
            out.q[0] = q;
        })
    };
    for (t, q) in [(0.0, 1.0), (0.1, 1.0), (-0.1, -1.0), (-0.1, 1.001), (-0.2, 0.9)] {
        let (text, failure) = fails(wall(t, q));
        assert!(matches!(failure, EventFailure::WrongGradient { .. }), "{t} {q}: {text}");
    }
    let (_, failure) = fails(wall(f64::NAN, 1.0));
    assert_eq!(failure, EventFailure::NoNormal);
}

#[test]
fn differences_that_are_not_good_enough_are_refused_with_a_hint() {
    // Noise of a millionth: no distance is short enough for the slope and long enough for the noise.
    let noisy = |state: &State| {
        let x = state.q[0] - 0.3;
        let noise = (x.to_bits().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) as f64 / (1_u64 << 53) as f64;
        x.tanh() + 0.01 * (100.0 * x).sin() + 1e-6 * (noise - 0.5)
    };
    let (text, failure) = fails(Event::new("noisy", noisy).with_bounce(1.0));
    assert!(matches!(failure, EventFailure::Rough { .. }) && text.contains("hint: supply them"), "{text}");
    let root = |state: &State| (state.q[0] - 0.3).abs().sqrt().copysign(state.q[0] - 0.3);
    let (text, failure) = fails(Event::new("root", root).with_bounce(1.0));
    assert!(matches!(failure, EventFailure::Rough { .. }) && text.contains("Event::from_formula"), "{text}");
}

/// x' = -1 by a constraint.
struct Pushed;

impl Formulas for Pushed {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * 0.6 + q[1] * 0.8 - 1.0 + t;
    }
}

#[test]
fn a_body_that_a_constraint_drives_into_a_surface_stops_the_run() {
    let system = Differentiated::new(Pushed);
    let start = start(&system, vec![0.6, 0.8], vec![-0.6, -0.8]);
    for (name, scheme, steps) in methods() {
        for slope in [0.0, 1e-9] {
            let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-8);
            let wall = Event::new("wall", |state| 0.6 * state.q[0] + (0.8 + slope) * state.q[1]);
            integrator.add_event(wall.with_direction(Direction::Falling).with_bounce(0.5));
            let outcome = integrator.run(2.0, &mut Unobserved);
            if slope > 0.0 {
                // It can give way along the wall, at a price: the law holds or the run ends.
                if outcome.is_ok() {
                    let impact = &integrator.occurrences()[0];
                    let u = |v: &[f64]| 0.6 * v[0] + (0.8 + slope) * v[1];
                    assert!((u(&impact.after.v) + 0.5 * u(&impact.before.v)).abs() < 1e-6, "{name}: {impact:?}");
                }
                continue;
            }
            let Err(IntegrateError::Event { t, name: event, failure: EventFailure::StillClosing { speed } }) = &outcome
            else {
                panic!("{name}: {outcome:?}")
            };
            assert!(event == "wall" && (t - 1.0).abs() < 1e-9 && (speed - 1.0).abs() < 1e-9, "{name}: {outcome:?}");
        }
    }
}

#[test]
fn an_action_that_leaves_no_number_is_named_with_what_it_set() {
    let event = |change: fn(&mut State)| {
        Event::new("kick", |state| state.q[0] - 0.5).with_action(move |state| {
            change(state);
            Action::Restart
        })
    };
    let (text, _) = fails(event(|state| state.v[0] = f64::NAN));
    assert!(text.contains("event `kick` at t = 0.") && text.contains("sets a velocity (at q[0]) to NaN"), "{text}");
    let (text, _) = fails(event(|state| state.v[0] = 1.0 / (state.q[0] - state.q[0])));
    assert!(text.contains("sets a velocity (at q[0]) to inf"), "{text}");
    let (text, failure) = fails(event(|state| state.q[0] = f64::NEG_INFINITY));
    assert!(text.contains("sets a coordinate (at q[0]) to -inf"), "{text}");
    assert!(matches!(failure, EventFailure::NotFinite { value: f64::NEG_INFINITY, .. }));
}
