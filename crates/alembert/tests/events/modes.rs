//! Constraints that come and go: a rope, a clutch.

use alembert::method::{Form, Scheme};
use alembert::{Action, Bdf, Differentiated, Direction, Event, HhtAlpha, Unobserved};
use alembert_problems::clutch::Clutch;
use alembert_problems::rope::{Rope, push};

use super::common::{Steps, integrator, methods, start};

const TAUT: usize = 0;
const SLACK: usize = 1;

#[test]
fn a_rope_goes_slack_and_catches_again() {
    let (gravity, u) = (9.81, 6.0);
    let exact = push(gravity, u);
    let taut = Differentiated::new(Rope { gravity, taut: true });
    let slack = Differentiated::new(Rope { gravity, taut: false });
    let start = start(&taut, vec![0.0, -1.0], vec![u, 0.0]);
    for (name, scheme, steps) in methods() {
        let mut integrator = integrator(&taut, &start, &*scheme, steps, 1e-8);
        assert_eq!(integrator.add_mode(&slack, &*scheme), Ok(SLACK));
        let tension = Event::new("slack", |state| state.lambda[0]).with_direction(Direction::Falling);
        integrator.add_event(tension.in_mode(TAUT).with_action(|_| Action::Switch(SLACK)));
        let length = Event::new("catch", |state| state.q[0].hypot(state.q[1]) - 1.0).with_direction(Direction::Rising);
        integrator.add_event(length.in_mode(SLACK).with_action(|_| Action::Switch(TAUT)));
        integrator.run(exact.catch + 0.2, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
        let occurrences = integrator.occurrences();
        let (slacks, catches) = (&occurrences[0], &occurrences[1]);
        assert_eq!((slacks.name.as_str(), catches.name.as_str()), ("slack", "catch"), "{name}");
        assert_eq!((slacks.modes, catches.modes), ((TAUT, SLACK), (SLACK, TAUT)), "{name}");
        let (errors, limit) = ([slacks.t - exact.slack, catches.t - exact.catch], accuracy(name));
        println!("{name}: {errors:?}");
        assert!(errors.iter().all(|error| error.abs() < limit), "{name}: {errors:?}");
        // Slack, there is no multiplier; caught, the radial velocity is gone, and the rope's impulse took it.
        assert!(slacks.after.lambda.is_empty() && slacks.before.lambda[0].abs() < 1e-12, "{name}: {slacks:?}");
        let (q, v) = (&catches.after.q, &catches.after.v);
        assert!((q[0] * v[0] + q[1] * v[1]).abs() < 1e-14, "{name}");
        let radial = exact.q[0] * exact.v[0] + exact.q[1] * exact.v[1];
        let along = [exact.v[0] - radial * exact.q[0], exact.v[1] - radial * exact.q[1]];
        // v+ = v - 2 q p.
        assert!((catches.impulse[0] - 0.5 * radial).abs() < 30.0 * limit, "{name}: {:?}", catches.impulse);
        assert!(v.iter().zip(along).all(|(v, exact)| (v - exact).abs() < 60.0 * limit), "{name}: {v:?} {along:?}");
    }
}

/// What to expect of times at tolerance 1e-8 (h = 0.01 for fixed steps).
fn accuracy(name: &str) -> f64 {
    match name {
        "radau 5" | "radau 3" => 1e-8,
        "variable bdf" | "bdf 4, fixed" | "radau 2, fixed" => 1e-4,
        _ => 1e-2,
    }
}

#[test]
fn a_clutch_locks_and_slips_at_the_exact_times() {
    let clutch = Clutch::default();
    let slipping = Differentiated::new(clutch);
    let locked = Differentiated::new(Clutch { locked: true, ..clutch });
    let start = start(&slipping, vec![0.0, 0.0], vec![clutch.speed, 0.0]);
    let index2 = HhtAlpha::new(-0.1).expect("in range").with_form(Form::Index2);
    for (name, scheme, steps) in methods() {
        let scheme: Box<dyn Scheme> = if name.starts_with("hht") { Box::new(index2) } else { scheme };
        let mut integrator = integrator(&slipping, &start, &*scheme, steps, 1e-8);
        integrator.add_mode(&locked, &*scheme).expect("fits");
        let same = Event::new("lock", |state| state.v[0] - state.v[1]).with_direction(Direction::Falling);
        integrator.add_event(same.in_mode(0).with_action(|_| Action::Switch(1)));
        let overload = Event::new("slip", |state| clutch.capacity - state.psi[0]).with_direction(Direction::Falling);
        integrator.add_event(overload.in_mode(1).with_action(|_| Action::Switch(0)));
        integrator.run(clutch.slip_time() + 0.5, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
        let times: Vec<f64> = integrator.occurrences().iter().map(|occurrence| occurrence.t).collect();
        assert_eq!(times.len(), 2, "{name}: {times:?}");
        let errors = [times[0] - clutch.lock_time(), times[1] - clutch.slip_time()];
        println!("{name}: {errors:?}");
        // The engine's torque is linear in time: methods of order 2 are exact but for the first steps.
        assert!(errors[1].abs() < 1e-12, "{name}: {errors:?}");
        assert!(errors[0].abs() < 1e-5, "{name}: {errors:?}");
    }
}

#[test]
fn modes_have_the_same_coordinates() {
    let taut = Differentiated::new(Rope { gravity: 9.81, taut: true });
    let start = start(&taut, vec![0.0, -1.0], vec![1.0, 0.0]);
    let scheme = Bdf::new(2).expect("in range");
    let other = alembert_problems::by_name("andrews").expect("known");
    let mut integrator = integrator(&taut, &start, &scheme, Steps::Fixed(0.1), 1e-8);
    let error = integrator.add_mode(&*other.system, &scheme).expect_err("other coordinates");
    assert!(error.to_string().contains("hint: modes differ in their constraints"), "{error}");
}
