//! Finding crossings: order, pairs, directions, starts at a root.

use std::f64::consts::PI;
use std::sync::Mutex;

use alembert::{Action, Differentiated, Dims, Direction, Event, Formulas, Outcome, Scalar, Unobserved};

use super::common::{Steps, integrator, methods, start};

/// q'' = -q: sine and cosine.
struct Oscillator;

impl Formulas for Oscillator {
    fn dims(&self) -> Dims {
        Dims { q: 1, v: 1, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        force[0] = -q[0];
    }
}

#[test]
fn several_events_of_a_step_come_in_order() {
    let system = Differentiated::new(Oscillator);
    let start = start(&system, vec![0.0], vec![1.0]);
    for (name, scheme, _) in methods() {
        let seen = Mutex::new(Vec::new());
        let mut integrator = integrator(&system, &start, &*scheme, Steps::Fixed(0.5), 1e-8);
        // Added in another order than they happen, all in the first step of 0.5.
        for level in [0.3, 0.1, 0.4, 0.2] {
            let seen = &seen;
            integrator.add_event(Event::new(format!("{level}"), move |state| state.q[0] - level).with_action(
                move |state| {
                    seen.lock().expect("not poisoned").push((level, state.t));
                    Action::Continue
                },
            ));
        }
        integrator.run(1.0, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
        let seen = seen.lock().expect("not poisoned");
        let levels: Vec<f64> = seen.iter().map(|(level, _)| *level).collect();
        assert_eq!(levels, [0.1, 0.2, 0.3, 0.4], "{name}");
        assert!(seen.windows(2).all(|pair| pair[0].1 < pair[1].1), "{name}: {seen:?}");
        assert!(integrator.occurrences().iter().all(|occurrence| occurrence.rising), "{name}");
    }
}

#[test]
fn both_crossings_of_a_pair_within_a_step_are_found() {
    let system = Differentiated::new(Oscillator);
    let start = start(&system, vec![0.0], vec![1.0]);
    // The top of the sine stands out by 1e-4, 1e-6, 1e-8 above the level: for 0.03, 0.003, 0.0003 time units in steps of 0.4.
    for excess in [1e-4, 1e-6, 1e-8_f64] {
        for stages in [5, 7] {
            let scheme = alembert::RungeKutta::radau(stages).expect("in range");
            let mut integrator = integrator(&system, &start, &scheme, Steps::Fixed(0.4), 1e-12);
            let level = Event::new("level", |state| state.q[0] - (1.0 - excess)).with_action(|_| Action::Continue);
            integrator.add_event(level);
            integrator.run(16.0, &mut Unobserved).expect("runs");
            let half = (1.0 - excess).acos();
            let times: Vec<f64> = integrator.occurrences().iter().map(|occurrence| occurrence.t).collect();
            let exact: Vec<f64> =
                (0..3).map(|k| PI * (0.5 + 2.0 * f64::from(k))).flat_map(|top| [top - half, top + half]).collect();
            assert_eq!(times.len(), exact.len(), "{excess:e} {stages}: {times:?}");
            for (t, exact) in times.iter().zip(&exact) {
                // At a top an error in q of d moves the crossing by d/half.
                assert!((t - exact).abs() < 1e-10 / half, "{excess:e} {stages}: {}", t - exact);
            }
        }
    }
}

#[test]
fn a_top_below_the_level_is_no_crossing() {
    let system = Differentiated::new(Oscillator);
    let start = start(&system, vec![0.0], vec![1.0]);
    let scheme = alembert::RungeKutta::default();
    let mut integrator = integrator(&system, &start, &scheme, Steps::Fixed(0.4), 1e-12);
    integrator.add_event(Event::new("level", |state| state.q[0] - (1.0 + 1e-8)));
    assert_eq!(integrator.run(16.0, &mut Unobserved), Ok(Outcome::Reached));
}

#[test]
fn directions_count_and_a_run_goes_on_after_a_stop() {
    let system = Differentiated::new(Oscillator);
    let start = start(&system, vec![0.0], vec![1.0]);
    for (name, scheme, steps) in methods() {
        for (direction, phase, period) in
            [(Direction::Rising, 2.0 * PI, 2.0 * PI), (Direction::Falling, PI, 2.0 * PI), (Direction::Any, PI, PI)]
        {
            let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-8);
            // The start is a root; leaving it is not a crossing.
            let zero = integrator.add_event(Event::new("zero", |state| state.q[0]).with_direction(direction));
            for n in 0..2 {
                let outcome = integrator.run(20.0, &mut Unobserved);
                assert_eq!(outcome, Ok(Outcome::Event(zero)), "{name}");
                let exact = phase + f64::from(n) * period;
                let error = (integrator.state().t - exact).abs();
                assert!(error < 3e-3, "{name} {direction:?}: {error:e}");
                assert!(integrator.state().q[0].abs() < 1e-14, "{name}");
            }
        }
    }
}

#[test]
fn events_of_one_instant_happen_together() {
    let system = Differentiated::new(Oscillator);
    let start = start(&system, vec![1.0], vec![0.0]);
    for (name, scheme, steps) in methods() {
        let order = Mutex::new(Vec::new());
        let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-8);
        for factor in [1.0, -3.0] {
            let order = &order;
            integrator.add_event(Event::new("zero", move |state| factor * state.q[0]).with_action(move |state| {
                order.lock().expect("not poisoned").push(factor);
                state.v[0] *= 2.0;
                Action::Restart
            }));
        }
        integrator.run(2.0, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(*order.lock().expect("not poisoned"), [1.0, -3.0], "{name}");
        let [first, second] = integrator.occurrences() else { panic!("{name}: not two events") };
        assert_eq!(first.t, second.t, "{name}");
        assert!((first.after.v[0] / first.before.v[0] - 4.0).abs() < 1e-12, "{name}");
    }
}

#[test]
fn the_last_step_can_still_be_interpolated_after_an_event() {
    let system = Differentiated::new(Oscillator);
    let start = start(&system, vec![1.0], vec![0.0]);
    let scheme = alembert::RungeKutta::default();
    let mut integrator = integrator(&system, &start, &scheme, Steps::Error, 1e-10);
    integrator.add_event(Event::new("zero", |state| state.q[0]).with_action(|state| {
        state.v[0] = 0.0;
        Action::Restart
    }));
    let (mut t, mut out) = (0.0, integrator.state().clone());
    while integrator.occurrences().is_empty() {
        t = integrator.state().t;
        integrator.step(2.0).expect("steps");
    }
    let end = integrator.state().t;
    assert!((end - 0.5 * PI).abs() < 1e-9 && integrator.state().v == [0.0]);
    for k in 0..=4 {
        let t = t + (end - t) * f64::from(k) / 4.0;
        integrator.interpolate(t, &mut out);
        assert!((out.q[0] - t.cos()).abs() < 1e-8 && (out.v[0] + t.sin()).abs() < 1e-6, "{t}: {out:?}");
    }
}

/// A pendulum that is let go horizontally passes the vertical after a quarter of its period, which is the
/// arithmetic-geometric mean in closed form.
#[test]
fn a_pendulum_passes_the_vertical_after_a_quarter_of_its_period() {
    let mut mean = (1.0_f64, (0.25 * PI).cos());
    while (mean.0 - mean.1).abs() > 1e-15 {
        mean = (0.5 * (mean.0 + mean.1), (mean.0 * mean.1).sqrt());
    }
    let quarter = 0.5 * PI / (9.81_f64.sqrt() * mean.0);
    let force = alembert_problems::kinked_pendulum::Force::Switched { c: 0.0, at: 100.0 };
    let problem = alembert_problems::kinked_pendulum::new(force);
    let start = start(&*problem.system, problem.start.q.clone(), problem.start.v.clone());
    for (stages, tol) in [(3, 1e-3), (3, 1e-4), (5, 1e-6), (5, 1e-8), (5, 1e-9), (7, 1e-10), (7, 1e-12)] {
        let scheme = alembert::RungeKutta::radau(stages).expect("in range");
        // The first passage, and after it the third: three quarters and five quarters.
        let mut integrator = integrator(&*problem.system, &start, &scheme, Steps::Error, tol);
        integrator.add_event(Event::new("vertical", |state| state.q[0]));
        for passage in [1.0, 3.0, 5.0] {
            integrator.run(10.0, &mut Unobserved).expect("stops");
            let error = (integrator.state().t - passage * quarter).abs();
            println!("{stages} stages at {tol:e}: passage {passage} is off by {error:.1e}");
            assert!(error < (10.0 * tol).max(1e-13), "{stages} stages at {tol:e}: {passage} is off by {error:e}");
        }
    }
}
