//! Impacts: a bead on a wire with exact times, a pendulum against a wall with times by quadrature.

use alembert::integrator::IntegrateError;
use alembert::{Action, Differentiated, Direction, Event, Outcome, RungeKutta, Unobserved};
use alembert_problems::bead::Bead;
use alembert_problems::rope::{Rope, swing_time, turning_time};

use super::common::{Steps, integrator, methods, start};

#[test]
fn bounce_times_of_a_bead_are_exact_with_every_method() {
    let bead = Bead::default();
    let system = Differentiated::new(bead);
    let start = start(&system, bead.start(), vec![0.0, 0.0]);
    for (name, scheme, steps) in methods() {
        let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-8);
        let event = Event::new("plate", |state| bead.gap(state)).with_direction(Direction::Falling).with_bounce(0.8);
        integrator.add_event(event);
        let outcome = integrator.run(3.0, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(outcome, Outcome::Reached);
        let expected = (0..).take_while(|n| bead.bounce_time(*n) < 3.0).count();
        assert_eq!(integrator.occurrences().len(), expected, "{name}");
        let mut worst = 0.0;
        for (n, occurrence) in (0..).zip(integrator.occurrences()) {
            let error = (occurrence.t - bead.bounce_time(n)).abs();
            assert!(error < 1e-9, "{name}: bounce {n} is off by {error:e}");
            worst = error.max(worst);
            // The wire takes its share: velocities stay along it, and the speed is that of restitution.
            let (before, after) = (&occurrence.before, &occurrence.after);
            assert_eq!(before.q.len(), after.q.len());
            let (c, s) = (bead.angle.cos(), bead.angle.sin());
            let normal = after.v[0] * s - after.v[1] * c;
            assert!(normal.abs() < 1e-14, "{name}: off the wire by {normal:e}");
            let speeds = [before, after].map(|state| state.v[0] * c + state.v[1] * s);
            assert!((speeds[1] + 0.8 * speeds[0]).abs() < 1e-10, "{name}: {speeds:?}");
            // The impulse along the wire is the change of momentum.
            assert!((occurrence.contact - (speeds[1] - speeds[0])).abs() < 1e-10, "{name}");
        }
        println!("{name}: {worst:.1e}");
    }
}

/// Bounce times of a pendulum that falls from the horizontal onto a wall at `angle` beyond the lowest point.
fn wall_times(gravity: f64, angle: f64, restitution: f64, count: usize) -> Vec<f64> {
    let quarter = std::f64::consts::FRAC_PI_2;
    let u = (2.0 * gravity).sqrt();
    let mut times = vec![turning_time(gravity, quarter, 0.0) + swing_time(gravity, u, 0.0, angle)];
    let mut speed = (u * u - 2.0 * gravity * (1.0 - angle.cos())).sqrt();
    for n in 1..count {
        speed *= restitution;
        // Down to the lowest point, up to the turning point, and back the same way.
        let u = (speed * speed + 2.0 * gravity * (1.0 - angle.cos())).sqrt();
        let top = (1.0 - u * u / (2.0 * gravity)).acos();
        times.push(times[n - 1] + 2.0 * (swing_time(gravity, u, 0.0, angle) + turning_time(gravity, top, 0.0)));
    }
    times
}

#[test]
fn a_pendulum_bounces_off_a_wall_at_the_times_of_quadrature() {
    let (gravity, angle, restitution) = (9.81, 0.3_f64, 0.7);
    let system = Differentiated::new(Rope { gravity, taut: true });
    let start = start(&system, vec![-1.0, 0.0], vec![0.0, 0.0]);
    let exact = wall_times(gravity, angle, restitution, 4);
    let run = |name: &str, scheme: &dyn alembert::method::Scheme, steps, tolerance: f64| {
        let mut integrator = integrator(&system, &start, scheme, steps, tolerance);
        let wall = Event::new("wall", |state| angle.sin() - state.q[0]).with_direction(Direction::Falling);
        integrator.add_event(wall.with_bounce(restitution));
        integrator.run(exact[3] + 0.1, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
        let times: Vec<f64> = integrator.occurrences().iter().map(|occurrence| occurrence.t).collect();
        assert_eq!(times.len(), 4, "{name}: {times:?}");
        let error = times.iter().zip(&exact).map(|(t, exact)| (t - exact).abs()).fold(0.0, f64::max);
        // Velocities after the impact meet the constraint to rounding.
        for occurrence in integrator.occurrences() {
            let (q, v) = (&occurrence.after.q, &occurrence.after.v);
            assert!((q[0] * v[0] + q[1] * v[1]).abs() < 1e-14, "{name}");
        }
        error
    };
    for (name, scheme, steps) in methods() {
        let error = run(name, &*scheme, steps, 1e-8);
        println!("{name}: {error:.1e}");
        let Steps::Fixed(h) = steps else {
            let limit = match name {
                "radau 5" => 1e-8,
                "radau 3" | "variable bdf" => 1e-6,
                _ => 1e-5,
            };
            assert!(error < limit, "{name}: {error:e}");
            continue;
        };
        // Bounce after bounce the times keep the order of the method.
        let [coarse, fine] = [0.5, 0.25].map(|part| run(name, &*scheme, Steps::Fixed(part * h), 1e-12));
        let order = (coarse / fine).log2();
        println!("{name}: {fine:.1e} {order:.2}");
        let expected = match name {
            "bdf 4, fixed" => 4.0,
            "radau 2, fixed" => 3.0,
            _ => 2.0,
        };
        assert!((order - expected).abs() < 0.3, "{name}: order {order}");
    }
}

#[test]
fn an_event_may_change_velocities_itself() {
    let bead = Bead::default();
    let system = Differentiated::new(bead);
    let start = start(&system, bead.start(), vec![0.0, 0.0]);
    for (name, scheme, steps) in methods() {
        let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-8);
        let plate = Event::new("plate", |state| bead.gap(state)).with_direction(Direction::Falling);
        // Upwards, not along the wire: the wire's share is its impulse.
        integrator.add_event(plate.with_action(|state| {
            state.v.copy_from_slice(&[0.0, 2.0]);
            Action::Restart
        }));
        integrator.run(bead.bounce_time(0) + 0.01, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
        let occurrence = &integrator.occurrences()[0];
        let (c, s) = (bead.angle.cos(), bead.angle.sin());
        for (got, want) in occurrence.after.v.iter().zip([2.0 * s * c, 2.0 * s * s]) {
            assert!((got - want).abs() < 1e-14, "{name}: {got} {want}");
        }
        // v+ = v - G^T p with G = (s, -c).
        assert!((occurrence.impulse[0] + 2.0 * c).abs() < 1e-14, "{name}: {:?}", occurrence.impulse);
    }
}

#[test]
fn a_bead_that_comes_to_rest_chatters_by_name() {
    for restitution in [0.5, 0.0] {
        let bead = Bead { restitution, ..Bead::default() };
        let system = Differentiated::new(bead);
        let start = start(&system, bead.start(), vec![0.0, 0.0]);
        for (name, scheme, steps) in methods() {
            let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-8);
            let plate = Event::new("plate", |state| bead.gap(state)).with_direction(Direction::Falling);
            integrator.add_event(plate.with_bounce(restitution));
            let Err(error) = integrator.run(10.0, &mut Unobserved) else {
                panic!("{name} {restitution}: falls through: {:?}", integrator.occurrences())
            };
            let IntegrateError::Chattering { t, name: event } = &error else { panic!("{name}: {error}") };
            assert_eq!(event, "plate");
            assert!((t - bead.rest_time()).abs() < 1e-6, "{name}: {t} {}", bead.rest_time());
            // What was computed so far is there.
            assert!(integrator.occurrences().len() >= 10 && bead.gap(integrator.state()).abs() < 1e-9);
        }
    }
}

#[test]
fn a_surface_may_move() {
    // A plate that rises with speed 1: in its frame the bead falls with its own speed plus one.
    let bead = Bead::default();
    let system = Differentiated::new(bead);
    let start = start(&system, bead.start(), vec![0.0, 0.0]);
    let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-10);
    let plate = Event::new("plate", |state| bead.gap(state) - state.t).with_direction(Direction::Falling);
    integrator.add_event(plate.with_bounce(1.0));
    integrator.run(0.5, &mut Unobserved).expect("runs");
    let occurrence = &integrator.occurrences()[0];
    let a = bead.gravity * bead.angle.sin();
    let t = (-1.0 + (1.0 + 2.0 * a * bead.distance).sqrt()) / a;
    assert!((occurrence.t - t).abs() < 1e-12, "{}", occurrence.t - t);
    let speed = occurrence.after.v[0].hypot(occurrence.after.v[1]);
    assert!((speed - (a * t + 2.0)).abs() < 1e-9, "{speed}");
}

#[test]
fn no_more_events_are_kept_than_asked_for_and_all_are_shown_and_counted() {
    #[derive(Default)]
    struct Log(Vec<f64>);
    impl alembert::Observer for Log {
        fn on_step(&mut self, step: &mut alembert::Accepted) -> std::ops::ControlFlow<()> {
            self.0.extend(step.events.iter().map(|event| event.t));
            std::ops::ControlFlow::Continue(())
        }
    }
    let bead = Bead::default();
    let system = Differentiated::new(bead);
    let start = start(&system, bead.start(), vec![0.0, 0.0]);
    for most in [0, 1, 2, 100] {
        let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-8);
        integrator.add_event(
            Event::new("plate", |state| bead.gap(state)).with_direction(Direction::Falling).with_bounce(0.8),
        );
        integrator.keep_events(most);
        let mut log = Log::default();
        integrator.run(3.0, &mut log).expect("reaches the end");
        let expected = (0..).take_while(|n| bead.bounce_time(*n) < 3.0).count();
        assert!(expected > 2 && log.0.len() == expected && integrator.summary().events == expected);
        assert!(integrator.occurrences().len() <= most.max(1).min(expected), "{most}");
        assert!(integrator.occurrences().iter().zip(&log.0).all(|(kept, t)| kept.t == *t));
    }
}
