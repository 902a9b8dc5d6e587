//! Several surfaces in one instant.

use alembert::integrator::{EventFailure, IntegrateError};
use alembert::{Differentiated, Dims, Direction, Event, Formulas, Integrator, RungeKutta, Scalar, Unobserved};

use super::common::{Steps, integrator, start};

/// A point in the plane without forces, with two masses.
struct Point([f64; 2]);

impl Formulas for Point {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(self.0[0]);
        mass[3] = S::from(self.0[1]);
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
}

fn wall<'e>(name: &str, angle: f64, speed: f64, restitution: f64) -> Event<'e> {
    let (s, c) = angle.sin_cos();
    let event = Event::new(name, move |state| s * state.q[0] + c * state.q[1] - speed * (state.t - 1.0));
    event.with_direction(Direction::Falling).with_bounce(restitution)
}

fn run<'s>(
    system: &'s Differentiated<Point>,
    v: [f64; 2],
    walls: Vec<Event<'s>>,
) -> (Result<(), IntegrateError>, Integrator<'s>) {
    // Every wall passes through the origin at t = 1, and so does the point.
    let start = start(system, vec![-v[0], -v[1]], v.to_vec());
    let mut integrator = integrator(system, &start, &RungeKutta::default(), Steps::Error, 1e-10);
    for wall in walls {
        integrator.add_event(wall);
    }
    let outcome = integrator.run(2.0, &mut Unobserved).map(|_| ());
    (outcome, integrator)
}

#[test]
fn a_corner_is_left_by_the_law_of_both_walls() {
    let system = Differentiated::new(Point([1.0, 1.0]));
    // A right angle turns the velocity round; with restitution each component has its own.
    let walls = |e: [f64; 2]| vec![wall("side", 0.5 * std::f64::consts::PI, 0.0, e[0]), wall("floor", 0.0, 0.0, e[1])];
    let (outcome, integrator) = run(&system, [-1.0, -2.0], walls([1.0, 0.5]));
    assert!(outcome.is_ok(), "{outcome:?}");
    let v = &integrator.state().v;
    assert!((v[0] - 1.0).abs() < 1e-12 && (v[1] - 1.0).abs() < 1e-12, "{v:?}");
    assert_eq!(integrator.occurrences().len(), 2);
}

#[test]
fn an_acute_corner_is_left_after_several_reflections_with_nothing_closing() {
    let system = Differentiated::new(Point([1.0, 3.0]));
    for (opening, restitution) in [(0.7, 1.0), (0.3, 1.0), (0.7, 0.5), (0.2, 0.8), (1.2, 0.0), (0.4, 0.3)] {
        for speeds in [[0.0, 0.0], [0.3, 0.1], [-0.2, 0.4]] {
            // Normals that differ by pi - opening: the wedge between them has that angle.
            let half = 0.5 * (std::f64::consts::PI - opening);
            let walls = vec![wall("left", half, speeds[0], restitution), wall("right", -half, speeds[1], restitution)];
            let (outcome, integrator) = run(&system, [0.1, -1.0], walls);
            let told = format!("{opening} {restitution} {speeds:?}");
            // Without restitution it stays in the corner, and says so.
            if let Err(error) = &outcome {
                assert!(restitution == 0.0 && matches!(error, IntegrateError::Chattering { .. }), "{told}: {error}");
                continue;
            }
            for (angle, speed) in [(half, speeds[0]), (-half, speeds[1])] {
                let (s, c) = angle.sin_cos();
                let state = integrator.state();
                let closing = s * state.v[0] + c * state.v[1] - speed;
                let gap = s * state.q[0] + c * state.q[1] - speed * (state.t - 1.0);
                assert!(closing > -1e-9 && gap > -1e-9, "{told}: {closing:e} {gap:e}");
            }
            if speeds == [0.0, 0.0] {
                let energy = |v: &[f64]| 0.5 * (v[0] * v[0] + 3.0 * v[1] * v[1]);
                let (before, after) = (energy(&[0.1, -1.0]), energy(&integrator.state().v));
                let lost = before - after;
                assert!(if restitution == 1.0 { lost.abs() < 1e-11 } else { lost > 0.0 }, "{told}: {lost:e}");
            }
        }
    }
}

#[test]
fn a_body_that_slides_along_a_wall_is_not_pushed_through_it() {
    // It slides along x = 0, which it touches, and meets a slope that throws it against that wall.
    let system = Differentiated::new(Point([1.0, 1.0]));
    let start = start(&system, vec![0.0, 1.0], vec![0.0, -1.0]);
    for order in [[0, 1], [1, 0]] {
        let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-10);
        for which in order {
            integrator.add_event(match which {
                0 => Event::new("wall", |state| state.q[0]).with_direction(Direction::Falling).with_bounce(1.0),
                _ => Event::new("slope", |state| state.q[1] - 0.5 * state.q[0])
                    .with_direction(Direction::Falling)
                    .with_bounce(1.0),
            });
        }
        integrator.run(3.0, &mut Unobserved).expect("runs");
        let names: Vec<&str> = integrator.occurrences().iter().map(|impact| impact.name.as_str()).collect();
        assert!(names.contains(&"slope"), "{names:?}");
        let state = integrator.state();
        assert!(state.q[0] > -1e-9 && state.q[1] - 0.5 * state.q[0] > 0.0, "{state:?}");
        let speed = state.v[0].hypot(state.v[1]);
        assert!((speed - 1.0).abs() < 1e-12, "{speed}");
    }
    // The same against the other side: the slope throws it into the wall at the very instant.
    let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-10);
    integrator.add_event(Event::new("wall", |state| state.q[0]).with_direction(Direction::Falling).with_bounce(1.0));
    let slope = Event::new("slope", |state| state.q[1] + 0.5 * state.q[0]);
    integrator.add_event(slope.with_direction(Direction::Falling).with_bounce(1.0));
    integrator.run(3.0, &mut Unobserved).expect("runs");
    let state = integrator.state();
    assert!(state.q[0] > -1e-9 && (state.v[0].hypot(state.v[1]) - 1.0).abs() < 1e-12, "{state:?}");
}

#[test]
fn a_vice_that_closes_is_an_error_by_name() {
    let system = Differentiated::new(Point([1.0, 1.0]));
    for restitution in [1.0, 0.5, 0.0] {
        // Both jaws arrive at the point in the same instant.
        let jaws = |speed: f64| {
            [("lower", 0.0), ("upper", std::f64::consts::PI)]
                .map(|(name, angle)| wall(name, angle, speed, restitution))
                .into()
        };
        let (outcome, squeezed) = run(&system, [0.0, 0.0], jaws(1.0));
        let Err(IntegrateError::Event { t, name, failure: EventFailure::StillClosing { speed } }) = &outcome else {
            panic!("{restitution}: {outcome:?} {:?}", squeezed.state())
        };
        assert!((t - 1.0).abs() < 1e-12 && ["lower", "upper"].contains(&name.as_str()) && *speed > 0.1, "{outcome:?}");
        // One after the other: the point is thrown to and fro ever faster, until no time is left.
        let start = start(&system, vec![0.0, 0.3], vec![0.0, 0.0]);
        let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-8);
        let jaws: Vec<Event> = jaws(1.0);
        for jaw in jaws {
            integrator.add_event(jaw);
        }
        let outcome = integrator.run(2.0, &mut Unobserved);
        let Err(error) = outcome else { panic!("{restitution}: {:?}", integrator.state()) };
        assert!(error.to_string().contains("event `"), "{restitution}: {error}");
        // The state is that of the instant, between the jaws.
        let state = integrator.state();
        assert!(state.t <= 1.0 + 1e-9 && state.q[1].abs() <= 1.0 - state.t + 1e-9, "{restitution}: {state:?}");
    }
}
