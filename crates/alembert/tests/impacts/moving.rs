//! Moving surfaces with exact answers: closed forms, recursions over flights, and reduced equations in 15 digits.

use alembert::{
    Differentiated, Dims, Direction, Event, EventFormula, Formulas, Guess, Outcome, RungeKutta, Scalar, State,
    Unobserved, consistent,
};

use super::common::{Steps, integrator, methods, start};

/// A mass that moves along a line in a field, on a spring if it has one.
pub struct Mass {
    pub field: f64,
    pub spring: f64,
}

impl Formulas for Mass {
    fn dims(&self) -> Dims {
        Dims { q: 1, v: 1, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        force[0] = -q[0] * self.spring + self.field;
    }
}

/// y - a sin(om t).
#[derive(Clone, Copy)]
pub struct Table {
    pub a: f64,
    pub om: f64,
}

impl EventFormula for Table {
    fn value<S: Scalar>(&self, t: S, q: &[S], _: &[S]) -> S {
        q[0] - (t * self.om).sin() * self.a
    }
}

/// The same function known in three ways.
pub fn three_ways<F: EventFormula + Copy + 'static>(
    formula: F,
    gradient: fn(&F, &State) -> (f64, Vec<f64>),
) -> Vec<(&'static str, Event<'static>)> {
    let value = move |state: &State| formula.value(state.t, &state.q, &state.v);
    vec![
        ("formula", Event::from_formula("surface", formula)),
        (
            "gradient",
            Event::new("surface", value).with_gradient(move |state, out| {
                let (t, q) = gradient(&formula, state);
                out.t = t;
                out.q.copy_from_slice(&q);
            }),
        ),
        ("differences", Event::new("surface", value)),
    ]
}

fn by_hand(table: &Table, state: &State) -> (f64, Vec<f64>) {
    (-table.a * table.om * (table.om * state.t).cos(), vec![1.0])
}

/// y - (t - 0.5).
#[derive(Clone, Copy)]
struct Wall;

impl EventFormula for Wall {
    fn value<S: Scalar>(&self, t: S, q: &[S], _: &[S]) -> S {
        q[0] - (t - 0.5)
    }
}

#[test]
fn a_wall_sends_a_body_at_rest_off_at_twice_its_speed() {
    let system = Differentiated::new(Mass { field: 0.0, spring: 0.0 });
    let start = start(&system, vec![0.0], vec![0.0]);
    for (name, scheme, steps) in methods() {
        for restitution in [1.0, 0.5, 0.0] {
            for direction in [Direction::Falling, Direction::Any] {
                for (way, event) in three_ways(Wall, |_, _| (-1.0, vec![1.0])) {
                    let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-8);
                    integrator.add_event(event.with_direction(direction).with_bounce(restitution));
                    let end = integrator.run(2.0, &mut Unobserved).unwrap_or_else(|e| panic!("{name} {way}: {e}"));
                    assert_eq!(end, Outcome::Reached);
                    let first = &integrator.occurrences()[0];
                    assert!((first.t - 0.5).abs() < 1e-14, "{name} {way}: {}", first.t);
                    assert!((first.after.v[0] - (1.0 + restitution)).abs() < 1e-12, "{name} {way}: {first:?}");
                    assert!((first.contact - (1.0 + restitution)).abs() < 1e-12, "{name} {way}");
                    let q = integrator.state().q[0];
                    // Carried along by the wall or ahead of it, never behind.
                    assert!(q > 1.5 - 1e-9 && (q - 1.5 * (1.0 + restitution)).abs() < 1e-9, "{name} {way}: {q}");
                }
            }
        }
    }
}

/// The next impact after one at (t, y, v), and the speed with which it arrives: a fine scan, then bisection.
fn next_impact(table: Table, gravity: f64, (t, y, v): (f64, f64, f64)) -> (f64, f64) {
    let gap = |s: f64| y + v * s - 0.5 * gravity * s * s - table.a * (table.om * (t + s)).sin();
    let step = 1e-4 / table.om;
    let mut high = step;
    while gap(high) > 0.0 {
        high += step;
    }
    let mut low = high - step;
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if gap(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (t + high, v - gravity * high)
}

#[test]
fn a_ball_on_a_platform_bounces_at_the_times_of_the_recursion() {
    let gravity = 9.81;
    let system = Differentiated::new(Mass { field: -gravity, spring: 0.0 });
    // The times of impacts spread: each impact multiplies the error of the one before by up to a few units.
    for (table, restitution, count, allowed) in [
        (Table { a: 0.1, om: 5.0 }, 1.0, 40, 1e-7),
        (Table { a: 0.02, om: 9.0 }, 0.9, 60, 1e-9),
        (Table { a: 0.3, om: 2.0 }, 0.97, 60, 1e-9),
    ] {
        for (way, event) in three_ways(table, by_hand) {
            let start = start(&system, vec![1.0], vec![0.0]);
            let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-12);
            integrator.add_event(event.with_direction(Direction::Falling).with_bounce(restitution));
            while integrator.occurrences().len() < count {
                integrator.step(1e3).unwrap_or_else(|e| panic!("{way}: {e}"));
            }
            let (mut now, mut worst) = ((0.0, 1.0, 0.0), 0.0_f64);
            for (n, impact) in integrator.occurrences().iter().enumerate() {
                let (t, arriving) = next_impact(table, gravity, now);
                let surface = table.a * table.om * (table.om * t).cos();
                let leaving = surface - restitution * (arriving - surface);
                worst = worst.max((impact.t - t).abs()).max((impact.after.v[0] - leaving).abs());
                assert!(worst < allowed, "{way}: impact {n} is off by {worst:e}");
                // Never turned inward.
                assert!(impact.after.v[0] >= surface, "{way}: impact {n}");
                now = (t, table.a * (table.om * t).sin(), leaving);
            }
            println!("{way} {restitution}: {worst:.1e}");
        }
    }
}

#[test]
fn a_ball_between_two_moving_walls_keeps_its_energy_balance_in_their_frame() {
    // Both walls move with the same speed: in their frame nothing but the sign of the velocity changes.
    let system = Differentiated::new(Mass { field: 0.0, spring: 0.0 });
    let start = start(&system, vec![0.3], vec![5.0]);
    let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-10);
    for (name, at) in [("left", 0.0), ("right", 1.0)] {
        // Without a direction: the side is where the ball is.
        integrator.add_event(Event::new(name, move |state| state.q[0] - at - 2.0 * state.t).with_bounce(1.0));
    }
    integrator.run(10.0, &mut Unobserved).expect("runs");
    // Three to the right within 0.7/3, then one width in 1/3.
    let times = (0..).map(|n| (0.7 + f64::from(n)) / 3.0).take_while(|t| *t < 10.0);
    let found = integrator.occurrences();
    assert_eq!(found.len(), times.clone().count());
    for (n, (impact, t)) in found.iter().zip(times).enumerate() {
        assert!((impact.t - t).abs() < 1e-12 && impact.name == ["right", "left"][n % 2], "{n}: {impact:?}");
        let speed = if n % 2 == 0 { -1.0 } else { 5.0 };
        assert!((impact.after.v[0] - speed).abs() < 1e-11, "{n}: {:?}", impact.after.v);
    }
}

#[test]
fn a_plate_is_met_at_the_times_of_fifty_digits_until_the_ball_rests_on_it() {
    let times = [
        0.10510616144606949,
        0.13755068005426063,
        0.14982147034305085,
        0.15490244606427028,
        0.15698416132866186,
        0.157826466063358,
        0.158165050517765,
        0.15830075861672488,
        0.15835508628970382,
        0.15837682450325677,
        0.15838552093402444,
        0.15838899968973105,
    ];
    let system = Differentiated::new(Mass { field: -9.81, spring: 0.0 });
    for (way, event) in three_ways(Table { a: 0.01, om: 34.0 }, by_hand) {
        let start = start(&system, vec![0.05], vec![0.0]);
        let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-10);
        integrator.add_event(event.with_direction(Direction::Falling).with_bounce(0.4));
        let error = integrator.run(0.8, &mut Unobserved).expect_err("comes to rest").to_string();
        assert!(error.contains("`surface` happens again and again") && error.contains("hint"), "{error}");
        for (impact, t) in integrator.occurrences().iter().zip(times) {
            assert!((impact.t - t).abs() < 1e-12, "{way}: {}", impact.t - t);
        }
        let rest = integrator.occurrences().last().map_or(0.0, |impact| impact.t);
        assert!((rest - 0.15839131891844374).abs() < 1e-8, "{way}: {rest}");
    }
}

/// y - a/2 (1 - cos(om t)).
#[derive(Clone, Copy)]
struct Cam;

impl EventFormula for Cam {
    fn value<S: Scalar>(&self, t: S, q: &[S], _: &[S]) -> S {
        q[0] - (-(t * 60.0).cos() + 1.0) * 0.01
    }
}

#[test]
fn a_follower_lands_on_its_cam_at_the_times_of_fifty_digits() {
    let system = Differentiated::new(Mass { field: -9.81 - 8.0, spring: 400.0 });
    let landings = [
        0.09502059774254322,
        0.10200104172914073,
        0.10404535899834697,
        0.1046575323313029,
        0.10484116875609005,
        0.10489626057779534,
    ];
    // It takes off where the cam falls away faster than the follower: gap, speed and acceleration are zero.
    let t: f64 = 0.0386782017865737;
    let guess = Guess::new(t, vec![0.01 * (1.0 - (60.0 * t).cos())], vec![0.6 * (60.0 * t).sin()]);
    let start = consistent(&system, &guess).expect("free");
    for (way, event) in three_ways(Cam, |_, state| (-0.6 * (60.0 * state.t).sin(), vec![1.0])) {
        let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-11);
        integrator.add_event(event.with_direction(Direction::Falling).with_bounce(0.3));
        let error = integrator.run(0.3, &mut Unobserved).expect_err("comes to rest").to_string();
        assert!(error.contains("`surface` happens again and again"), "{way}: {error}");
        for (impact, t) in integrator.occurrences().iter().zip(landings) {
            assert!((impact.t - t).abs() < 1e-9, "{way}: {}", impact.t - t);
        }
        let rest = integrator.occurrences().last().map_or(0.0, |impact| impact.t);
        assert!((rest - 0.10491987158489481).abs() < 1e-8, "{way}: {rest}");
    }
}

/// A pendulum of length 1 in Cartesian coordinates.
struct Pendulum;

impl Formulas for Pendulum {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-9.81);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) * 0.5;
    }
}

/// x + 0.3 - 0.1 sin(5 t).
#[derive(Clone, Copy)]
struct Swinging;

impl EventFormula for Swinging {
    fn value<S: Scalar>(&self, t: S, q: &[S], _: &[S]) -> S {
        q[0] + 0.3 - (t * 5.0).sin() * 0.1
    }
}

/// Times, angular velocities after the impact and impulses of its bounces, from its reduced equation.
const BOUNCES: [(f64, f64, f64); 4] = [
    (0.6397511009867775, 1.4898703563813809, 5.137481894281984),
    (2.096320557072488, 0.44036465278097103, 1.8620759722710807),
    (3.767346668722363, 1.5220196771147594, 2.541051230380972),
    (5.120332642796055, 1.9086201281949309, 3.6350196043648264),
];

/// Errors of the times, angular velocities and impulses of the pendulum's bounces.
fn bounce_errors(scheme: &RungeKutta, tol: f64, event: alembert::Event<'static>) -> [f64; 3] {
    let system = Differentiated::new(Pendulum);
    let start = start(&system, vec![1.2_f64.sin(), -1.2_f64.cos()], vec![0.0, 0.0]);
    let mut integrator = integrator(&system, &start, scheme, Steps::Error, tol);
    integrator.add_event(event.with_direction(Direction::Falling).with_bounce(0.7));
    integrator.run(5.2, &mut Unobserved).expect("reaches the end");
    assert_eq!(integrator.occurrences().len(), BOUNCES.len());
    let mut largest = [0.0_f64; 3];
    for (impact, (t, omega, impulse)) in integrator.occurrences().iter().zip(BOUNCES) {
        let State { q, v, .. } = &impact.after;
        let found = q[0] * v[1] - q[1] * v[0];
        let errors = [impact.t - t, found - omega, impact.contact - impulse];
        largest.iter_mut().zip(errors).for_each(|(largest, error)| *largest = largest.max(error.abs()));
    }
    largest
}

#[test]
fn a_pendulum_meets_a_moving_wall_as_its_reduced_equation_says() {
    for (way, event) in three_ways(Swinging, |_, state| (-0.5 * (5.0 * state.t).cos(), vec![1.0, 0.0])) {
        let errors = bounce_errors(&RungeKutta::default(), 1e-12, event);
        assert!(errors.iter().all(|e| *e < 1e-9), "{way}: {errors:?}");
    }
}

/// Every bounce is the start of a motion, and the next is located on its first steps. Errors grow over the bounces: the second is
/// a slow one.
#[test]
fn impacts_after_impacts_are_located_as_accurately_as_steps() {
    for (stages, tol) in [(3, 1e-4), (5, 1e-5), (5, 1e-7), (5, 1e-9), (7, 1e-10), (7, 1e-12)] {
        let scheme = RungeKutta::radau(stages).expect("in range");
        let errors = bounce_errors(&scheme, tol, alembert::Event::from_formula("wall", Swinging));
        println!("{stages} stages at {tol:e}: {errors:?}");
        assert!(errors.iter().all(|error| *error < (10.0 * tol).max(2e-12)), "{stages} stages at {tol:e}: {errors:?}");
    }
}

/// Two pendulums of length and mass 1, by their angles from the vertical.
struct Double;

impl Formulas for Double {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        let c = (q[0] - q[1]).cos();
        mass[0] = S::from(2.0);
        mass[1] = c;
        mass[2] = c;
        mass[3] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        let s = (q[0] - q[1]).sin();
        force[0] = -(s * v[1] * v[1]) - q[0].sin() * (2.0 * 9.81);
        force[1] = s * v[0] * v[0] - q[1].sin() * 9.81;
    }
}

#[test]
fn stops_of_a_double_pendulum_act_on_both_angles() {
    let expected = [
        ("upper", 0.46421062244671424, [-1.2934033047803555, -1.7517779808364446]),
        ("lower", 0.90713367300897, [-1.6130859760894762, -1.0231077871181908]),
        ("upper", 2.3411102328284534, [1.401954680653292, 0.6722589029631694]),
    ];
    let system = Differentiated::new(Double);
    let start = start(&system, vec![0.8, 0.5], vec![0.0, 0.0]);
    let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-12);
    for (name, sign) in [("upper", 1.0), ("lower", -1.0)] {
        let stop = Event::new(name, move |state| 0.5 - sign * (state.q[1] - state.q[0]));
        integrator.add_event(stop.with_direction(Direction::Falling).with_bounce(0.5));
    }
    integrator.run(3.0, &mut Unobserved).expect("runs");
    for (impact, (name, t, omega)) in integrator.occurrences().iter().zip(expected) {
        assert!(impact.name == name && (impact.t - t).abs() < 1e-10, "{name}: {}", impact.t - t);
        for (found, omega) in impact.after.v.iter().zip(omega) {
            assert!((found - omega).abs() < 1e-9, "{name}: {}", found - omega);
        }
    }
    for (found, q) in integrator.state().q.iter().zip([0.4888813922227424, 0.45980983737883513]) {
        assert!((found - q).abs() < 1e-9, "{}", found - q);
    }
}
