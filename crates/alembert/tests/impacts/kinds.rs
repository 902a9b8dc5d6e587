//! Impacts of bodies that turn, of systems with a general rate, and under constraints that are nonlinear in the velocities.

use alembert::{
    ConstrainedSystem, Differentiated, Dims, Direction, Event, EventFormula, Formulas, GeneralizedAlpha, RungeKutta,
    Scalar, Supplied, Unobserved, rotation,
};

use super::common::{Steps, integrator, start};

const INERTIA: [f64; 3] = [0.2, 0.5, 0.9];
const MASS: f64 = 2.0;
/// The corner that hits, in the body.
const CORNER: [f64; 3] = [0.3, -0.2, 0.4];

/// A free rigid body: place, then rotation.
struct Rigid;

impl Formulas for Rigid {
    fn dims(&self) -> Dims {
        Dims { q: 7, v: 6, lambda: 0, psi: 0 }
    }
    fn rotations(&self) -> &[usize] {
        &[3]
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        for i in 0..3 {
            mass[7 * i] = S::from(MASS);
            mass[7 * (i + 3)] = S::from(INERTIA[i]);
        }
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], v: &[S], force: &mut [S]) {
        let w = [v[3], v[4], v[5]];
        let spin = [w[0] * INERTIA[0], w[1] * INERTIA[1], w[2] * INERTIA[2]];
        force[3..].iter_mut().zip(rotation::cross(&spin, &w)).for_each(|(f, m)| *f = m);
    }
}

/// The height of the corner above a floor that rises with speed 0.7.
#[derive(Clone, Copy)]
struct Corner;

impl EventFormula for Corner {
    fn value<S: Scalar>(&self, t: S, q: &[S], _: &[S]) -> S {
        let corner = CORNER.map(S::from);
        q[2] + rotation::to_space(&[q[3], q[4], q[5], q[6]], &corner)[2] - t * 0.7
    }
}

#[test]
fn a_turning_body_hits_with_its_corner() {
    let system = Differentiated::new(Rigid);
    let start = start(&system, vec![0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0], vec![0.1, 0.2, -1.0, 1.1, -2.0, 0.7]);
    let e = 0.6;
    for exact in [true, false] {
        for radau in [true, false] {
            let event = if exact {
                Event::from_formula("floor", Corner)
            } else {
                Event::new("floor", |state| Corner.value(state.t, &state.q, &[]))
            };
            let event = event.with_direction(Direction::Falling).with_bounce(e);
            let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
            let scheme: &dyn alembert::method::Scheme = if radau { &RungeKutta::default() } else { &soi2 };
            let mut integrator = integrator(&system, &start, scheme, Steps::Error, 1e-8);
            integrator.add_event(event);
            while integrator.occurrences().is_empty() {
                integrator.step(5.0).expect("steps");
            }
            // The corner's velocity is v + R (w * r): the normal has the parts n and r * R^T n.
            let impact = &integrator.occurrences()[0];
            let (q, v) = (&impact.before.q, &impact.before.v);
            let p = [q[3], q[4], q[5], q[6]];
            let n = rotation::to_body(&p, &[0.0, 0.0, 1.0]);
            let lever = rotation::cross(&CORNER, &n);
            let u = v[2] + rotation::dot(&rotation::cross(&[v[3], v[4], v[5]], &CORNER), &n) - 0.7;
            let softness = 1.0 / MASS + (0..3).map(|i| lever[i] * lever[i] / INERTIA[i]).sum::<f64>();
            let s = -(1.0 + e) * u / softness;
            let mut expected = v.clone();
            expected[2] += s / MASS;
            (0..3).for_each(|i| expected[3 + i] += s * lever[i] / INERTIA[i]);
            for (found, expected) in impact.after.v.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-10, "exact {exact}: {found} {expected}");
            }
            assert!(u < -0.5 && (impact.contact - s).abs() < 1e-10, "exact {exact}: {u}");
        }
    }
}

/// A point in polar coordinates with velocities along and across: r' = v0, theta' = v1/r.
struct Polar;

impl Formulas for Polar {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn rate<S: Scalar>(&self, _: S, q: &[S], v: &[S], q_dot: &mut [S]) -> Supplied {
        q_dot[0] = v[0];
        q_dot[1] = v[1] / q[0];
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        force[0] = v[1] * v[1] / q[0];
        force[1] = -(v[0] * v[1]) / q[0];
        // Gravity downwards.
        let (s, c) = q[1].sin_cos();
        force[0] -= s * 9.81;
        force[1] -= c * 9.81;
    }
}

#[test]
fn a_general_rate_bounces_and_rests_like_its_cartesian_twin() {
    // A floor at height 1 + 0.2 t, in polar coordinates.
    let system = Differentiated::new(Polar);
    assert!(system.dims().q == 2);
    let (x, y) = (1.0_f64, 2.0_f64);
    let (r, theta) = (x.hypot(y), y.atan2(x));
    let velocity = [0.3_f64, 0.0];
    let (s, c) = theta.sin_cos();
    let v = vec![c * velocity[0] + s * velocity[1], -s * velocity[0] + c * velocity[1]];
    let start = start(&system, vec![r, theta], v);
    for e in [0.5, 0.0] {
        let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-11);
        let floor = Event::new("floor", |state| state.q[0] * state.q[1].sin() - 1.0 - 0.2 * state.t);
        integrator.add_event(floor.with_direction(Direction::Falling).with_bounce(e));
        let error = integrator.run(5.0, &mut Unobserved).expect_err("comes to rest").to_string();
        assert!(error.contains("`floor` happens again and again"), "{error}");
        // In the frame of the floor it falls from 1 with -0.2.
        let arrival = (0.04_f64 + 2.0 * 9.81).sqrt();
        let mut t = (arrival - 0.2) / 9.81;
        let mut speed = arrival;
        for impact in integrator.occurrences().iter().take(4) {
            let state = &impact.after;
            let (s, c) = state.q[1].sin_cos();
            let (x_dot, y_dot) = (c * state.v[0] - s * state.v[1], s * state.v[0] + c * state.v[1]);
            assert!((impact.t - t).abs() < 1e-8, "{e}: {}", impact.t - t);
            assert!((x_dot - 0.3).abs() < 1e-7 && (y_dot - 0.2 - e * speed).abs() < 1e-7, "{e}: {x_dot} {y_dot}");
            speed *= e;
            t += 2.0 * speed / 9.81;
        }
    }
}

/// A point that is driven at the speed 2 whatever its direction: nonlinear in the velocities.
struct Driven;

impl Formulas for Driven {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: 1 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-1.0);
    }
    fn nonholonomic<S: Scalar>(&self, _: S, _: &[S], v: &[S], k: &mut [S]) {
        k[0] = (v[0] * v[0] + v[1] * v[1] - 4.0) * 0.5;
    }
}

#[test]
fn a_constraint_nonlinear_in_the_velocities_holds_after_an_impact_with_the_law() {
    let system = Differentiated::new(Driven);
    let start = start(&system, vec![0.0, 0.2], vec![1.9, -(4.0_f64 - 1.9 * 1.9).sqrt()]);
    for e in [1.0, 0.6] {
        let mut integrator = integrator(&system, &start, &RungeKutta::default(), Steps::Error, 1e-10);
        let floor = Event::new("floor", |state| state.q[1] - 0.1 * state.t);
        integrator.add_event(floor.with_direction(Direction::Falling).with_bounce(e));
        while integrator.occurrences().is_empty() {
            integrator.step(5.0).expect("steps");
        }
        let impact = &integrator.occurrences()[0];
        let (u, after) = (impact.before.v[1] - 0.1, &impact.after.v);
        assert!((after[1] - 0.1 + e * u).abs() < 1e-9 && u < -0.1, "{e}: {after:?} {u}");
        assert!((after[0].hypot(after[1]) - 2.0).abs() < 1e-11 && after[0] > 0.0, "{e}: {after:?}");
    }
}
