//! Where an event or an input changes the motion there are two states at one time.

use alembert::method::Scheme;
use alembert::{
    Action, Direction, ErrorControl, Event, GeneralizedAlpha, HhtAlpha, Integrator, Outcome, Plan, RungeKutta,
    VariableBdf, consistent, solve,
};

use super::{ball, from, tolerance};

/// Height and velocity of a ball that is dropped from 5 and bounces with 0.8, after t seconds; and the times of its bounces.
fn bouncing(t: f64) -> (f64, f64) {
    let (mut begin, mut speed) = (0.0, 0.0);
    let mut height = 5.0;
    let mut next = 1.0;
    while t >= next {
        (begin, height) = (next, 0.0);
        speed = 0.8 * if speed == 0.0 { 10.0 } else { speed };
        next += 2.0 * speed / 10.0;
    }
    let s = t - begin;
    (height + speed * s - 5.0 * s * s, speed - 10.0 * s)
}

fn floor<'e>() -> Event<'e> {
    Event::new("floor", |state| state.q[0]).with_direction(Direction::Falling).with_bounce(0.8)
}

#[test]
fn both_sides_of_impacts_and_what_lies_between_them() {
    let system = ball();
    let schemes: Vec<(Plan, f64)> = vec![
        (Plan::new(tolerance(1e-8)), 1e-7),
        (Plan::new(tolerance(1e-6)).with_method(VariableBdf::new()), 1e-5),
        (Plan::new(tolerance(1e-6)).with_method(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")), 1e-5),
        (Plan::new(tolerance(1e-6)).with_method(HhtAlpha::new(-0.1).expect("in range")), 1e-5),
    ];
    for (plan, allowed) in schemes {
        let solution = solve(&system, &from(5.0), 0.0..4.5, plan.with_event(floor())).expect("starts");
        let solution = solution.whole().expect("whole");
        // Impacts at 1, 2.6, 3.88 and so on, with 10, 8, 6.4 m/s.
        assert_eq!(solution.events().len(), 3);
        for (event, (t, speed)) in solution.events().iter().zip([(1.0, 10.0), (2.6, 8.0), (3.88, 6.4)]) {
            assert!((event.t - t).abs() < allowed, "{} instead of {t}", event.t);
            let (before, after) = (solution.before(event.t).expect("inside"), solution.at(event.t).expect("inside"));
            assert!((before.v[0] + speed).abs() < 10.0 * allowed, "{} before", before.v[0]);
            assert!((after.v[0] - 0.8 * speed).abs() < 10.0 * allowed, "{} after", after.v[0]);
            assert_eq!((&before, &after), (&event.before, &event.after));
        }
        for k in 0..=450 {
            let t = f64::from(k) * 0.01;
            let (height, speed) = bouncing(t);
            let near = solution.events().iter().any(|event| (event.t - t).abs() < 1e-3);
            let state = solution.at(t).expect("inside");
            assert!((state.q[0] - height).abs() < 10.0 * allowed, "height {} at {t}, exactly {height}", state.q[0]);
            assert!(near || (state.v[0] - speed).abs() < 10.0 * allowed, "{} at {t}, exactly {speed}", state.v[0]);
            assert!((state.a[0] + 10.0).abs() < 1e-9);
            if !near {
                assert_eq!(solution.before(t).expect("inside"), state, "one side at {t}");
            }
        }
    }
}

#[test]
fn an_event_that_stops_is_a_whole_end() {
    let system = ball();
    let plan = Plan::new(tolerance(1e-9)).with_event(Event::new("floor", |state| state.q[0]));
    let solution = solve(&system, &from(5.0), 0.0..9.0, plan).expect("starts");
    assert_eq!(solution.outcome(), &Ok(Outcome::Event(0)));
    assert!(solution.is_whole() && (solution.range().end() - 1.0).abs() < 1e-8);
    let end = *solution.range().end();
    assert_eq!(solution.at(end).expect("the end"), *solution.last());
    let words = solution.at(2.0).expect_err("beyond the end").to_string();
    assert!(words.contains("t = 2") && words.contains("hint: "), "{words}");
}

/// Between two modes: gravity is switched off when the ball has fallen for a metre.
#[test]
fn modes_and_jumps_of_the_input() {
    let (falling, floating) = (ball(), super::ends::driven(|_| 0.0));
    let start = consistent(&falling, &from(5.0)).expect("consistent");
    let radau = RungeKutta::radau(5).expect("in range");
    let scheme: &dyn Scheme = &radau;
    let mut integrator =
        Integrator::new(&falling, &start, scheme, ErrorControl::new(), tolerance(1e-9)).expect("starts");
    let mode = integrator.add_mode(&floating, scheme).expect("fits");
    integrator.add_event(Event::new("off", |state| state.q[0] - 4.0).with_action(move |_| Action::Switch(mode)));
    let solution = integrator.solve(2.0).whole().expect("whole");
    let (t, v) = (0.2_f64.sqrt(), -10.0 * 0.2_f64.sqrt());
    let event = &solution.events()[0];
    assert!((event.t - t).abs() < 1e-9);
    assert_eq!(solution.before(event.t).expect("inside").a, [-10.0]);
    assert!(solution.at(event.t).expect("inside").a[0].abs() < 1e-12);
    for s in [0.1, 0.3, 0.7, 1.1, 1.9] {
        let height = if s < t { 5.0 - 5.0 * s * s } else { 4.0 + v * (s - t) };
        assert!((solution.at(s).expect("inside").q[0] - height).abs() < 1e-8);
    }

    // A force that jumps at t = 1.
    let jumping = super::ends::driven(|t| if t < 1.0 { 0.0 } else { 3.0 });
    let start = consistent(&jumping, &from(0.0)).expect("consistent");
    let mut integrator =
        Integrator::new(&jumping, &start, scheme, ErrorControl::new(), tolerance(1e-9)).expect("starts");
    integrator.jump_at(&[1.0]).expect("a number");
    let solution = integrator.solve(2.0).whole().expect("whole");
    assert_eq!(solution.at(1.0).expect("inside").a, [3.0]);
    assert_eq!(solution.before(1.0).expect("inside").a, [0.0]);
    assert!((solution.at(1.5).expect("inside").q[0] - 0.375).abs() < 1e-9);
}
