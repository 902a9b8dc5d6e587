//! Consistent starts: what is repaired, to what accuracy, and (in the modules) what is refused by which name.

#![allow(clippy::unwrap_used)] // a test fails by panicking

#[path = "initial/chains.rs"]
mod chains;
#[path = "initial/meanings.rs"]
mod meanings;
#[path = "initial/random.rs"]
mod random;
#[path = "initial/refusals.rs"]
mod refusals;
#[path = "initial/systems.rs"]
mod systems;

use alembert::initial::{Guess, Metric, Options, consistent, consistent_with};
use alembert::{Differentiated, Dims, Formulas, Scalar};
use systems::*;

#[test]
fn the_pendulum_lands_on_the_closest_point() {
    // Inside, near, far, and farther than the radius of curvature, where plain Gauss-Newton swings for ever.
    for guess in [[0.1, -0.2], [0.6, -0.9], [2.0, 1.0], [-30.0, 7.0]] {
        let start = Guess::new(0.0, guess.to_vec(), vec![1.0, 0.5]);
        let (state, report) = consistent_with(&pendulum(), &start, &Options::default()).unwrap();
        let r = f64::hypot(guess[0], guess[1]);
        let radial = [guess[0] / r, guess[1] / r];
        // The direction is as good as G, here by differences.
        close(&state.q, &radial, 1e-11);
        let along = radial[0] * 1.0 + radial[1] * 0.5;
        close(&state.v, &[1.0 - along * radial[0], 0.5 - along * radial[1]], 1e-11);
        assert!(report.positions.residual_after < 5e-16, "{report:?}");
        assert!(report.positions.residual_before > 0.1 && report.positions.iterations > 0);
        assert!((report.positions.moved - (r - 1.0).abs()).abs() < 1e-12);
        // Centripetal acceleration, and the equation of motion.
        let speed: f64 = state.v.iter().map(|v| v * v).sum();
        let inward = state.a[0] * state.q[0] + state.a[1] * state.q[1];
        // A difference of differences.
        assert!((inward + speed).abs() < 1e-8, "{inward} {speed}");
        let lambda = state.lambda[0];
        close(&state.a, &[-2.0 * state.q[0] * lambda, -9.81 - 2.0 * state.q[1] * lambda], 1e-10);
    }
}

#[test]
fn a_rotation_is_repaired_on_its_group() {
    // Tilted by 0.8 about a horizontal axis: the shortest way back is the same rotation.
    let system = Differentiated::new(Upright);
    let (sin, cos) = 0.4_f64.sin_cos();
    let tilted = vec![cos, 0.6 * sin, 0.8 * sin, 0.0];
    let start = Guess::new(0.0, tilted.clone(), vec![0.3, -0.2, 2.0]);
    let options = Options { metric: Metric::Identity, ..Options::default() };
    let (state, report) = consistent_with(&system, &start, &options).unwrap();
    assert!(report.positions.residual_after < 1e-15, "{report:?}");
    let norm: f64 = state.q.iter().map(|q| q * q).sum();
    assert!((norm - 1.0).abs() < 1e-15);
    let cosine: f64 = state.q.iter().zip(&tilted).map(|(a, b)| a * b).sum();
    assert!((cosine - cos).abs() < 1e-14, "{cosine} {cos}");
    close(&state.v, &[0.0, 0.0, 2.0], 1e-14);
    close(&state.a, &[0.0, 0.0, 0.5], 1e-14);
}

#[test]
fn with_exact_derivatives_the_closest_point_is_exact() {
    struct Circle;
    impl Formulas for Circle {
        fn dims(&self) -> Dims {
            Dims { q: 2, v: 2, lambda: 1, psi: 0 }
        }
        fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
            (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
        }
        fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
        fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
            g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
        }
    }
    for guess in [[0.1, -0.2], [0.6, -0.9], [2.0, 1.0], [-30.0, 7.0]] {
        let state = consistent(&Differentiated::new(Circle), &Guess::new(0.0, guess.to_vec(), vec![0.0; 2])).unwrap();
        let r = f64::hypot(guess[0], guess[1]);
        close(&state.q, &[guess[0] / r, guess[1] / r], 4e-16);
    }
}

#[test]
fn weights_decide_what_is_closest() {
    // The closest point p of the circle in diag(w): w (p - q0) is parallel to p.
    for weights in [[1.0, 100.0], [40.0, 0.5]] {
        let (x, y) = (1.7, -1.1);
        let options = Options { metric: Metric::Weights(weights.to_vec()), ..Options::default() };
        let start = Guess::new(0.0, vec![x, y], vec![0.0; 2]);
        let (state, report) = consistent_with(&pendulum(), &start, &options).unwrap();
        let cross = weights[0] * (state.q[0] - x) * state.q[1] - weights[1] * (state.q[1] - y) * state.q[0];
        assert!(cross.abs() < 1e-11 * weights[0].max(weights[1]), "{cross}");
        assert_eq!(report.velocities.metric, Metric::Weights(weights.to_vec()));
        // And not only stationary: no point of the circle is closer.
        let distance = |p: [f64; 2]| weights[0] * (p[0] - x).powi(2) + weights[1] * (p[1] - y).powi(2);
        let found = distance([state.q[0], state.q[1]]);
        for i in 0..360 {
            let angle = f64::from(i).to_radians();
            assert!(distance([angle.cos(), angle.sin()]) >= found - 1e-12);
        }
    }
}

#[test]
fn the_mass_is_the_default_metric() {
    let dims = Dims { q: 2, v: 2, lambda: 1, psi: 0 };
    let system = closures(dims, &[1.0, 3.0], |_, q, g| g[0] = q[0] + q[1] - 4.0);
    let start = Guess::new(0.0, vec![0.0; 2], vec![4.0, 0.0]);
    let (state, report) = consistent_with(&system, &start, &Options::default()).unwrap();
    close(&state.q, &[3.0, 1.0], 1e-11);
    close(&state.v, &[1.0, -1.0], 1e-11);
    assert_eq!(report.positions.metric, Metric::Mass);
}

#[test]
fn a_fixed_coordinate_stays() {
    let options = Options { fixed_q: vec![0], fixed_v: vec![1], ..Options::default() };
    let start = Guess::new(0.0, vec![0.6, -1.3], vec![5.0, 0.75]);
    let (state, _) = consistent_with(&pendulum(), &start, &options).unwrap();
    assert_eq!(state.q[0], 0.6);
    close(&state.q, &[0.6, -0.8], 1e-15);
    assert_eq!(state.v[1], 0.75);
    close(&state.v, &[1.0, 0.75], 1e-11);
}

#[test]
fn a_moving_pivot_moves_the_pendulum() {
    // Pivot at (sin t, 0): the velocity relative to it is normal to the rod.
    let system = plane(1, |t, q, g| g[0] = (q[0] - t.sin()).powi(2) + q[1] * q[1] - 1.0);
    let t = 0.4_f64;
    let state = consistent(&system, &Guess::new(t, vec![1.0, -0.9], vec![0.0; 2])).unwrap();
    let rod = [state.q[0] - t.sin(), state.q[1]];
    let relative = [state.v[0] - t.cos(), state.v[1]];
    assert!((rod[0] * relative[0] + rod[1] * relative[1]).abs() < 1e-11);
    // From rest the correction is along the rod only.
    assert!((rod[0] * state.v[1] - rod[1] * state.v[0]).abs() < 1e-11);
    let a = [state.a[0] + t.sin(), state.a[1]];
    let curvature = rod[0] * a[0] + rod[1] * a[1] + relative[0].powi(2) + relative[1].powi(2);
    assert!(curvature.abs() < 1e-8, "{curvature}");
}

#[test]
fn a_skate_loses_its_sideways_velocity() {
    // A skate at (x, y) with heading z, which does not slip sideways.
    let skate = closures(Dims { q: 3, v: 3, lambda: 0, psi: 1 }, &[2.0, 2.0, 0.5], |_, _, _| {})
        .nonholonomic(|_, q, v, k| k[0] = v[0] * q[2].sin() - v[1] * q[2].cos());
    let (sin, cos) = 0.7_f64.sin_cos();
    let start = Guess::new(0.0, vec![1.0, 2.0, 0.7], vec![1.0, -0.5, 3.0]);
    let (state, report) = consistent_with(&skate, &start, &Options::default()).unwrap();
    let forward = cos - 0.5 * sin;
    close(&state.v, &[forward * cos, forward * sin, 3.0], 1e-11);
    assert!(report.velocities.residual_after < 1e-15);
    // k' = 0: the sideways acceleration turns the velocity.
    close(&[state.a[1] * cos - state.a[0] * sin], &[3.0 * forward], 1e-10);
}

#[test]
fn a_reaction_nonlinear_in_its_multiplier_is_solved() {
    // The bias of y1^2 y2 at z = (1, -2) is -6: 2 a1 + a2 = 6 with a = (lambda, 3 + lambda^2) gives 1 or -3.
    let system = Differentiated::new(Paper1);
    let start = Guess::new(0.0, vec![1.0, 1.0], vec![1.0, -2.0]);
    let state = consistent(&system, &start.clone().with_multipliers(vec![0.8], vec![])).unwrap();
    close(&state.lambda, &[1.0], 1e-14);
    close(&state.a, &[1.0, 4.0], 1e-14);
    let other = consistent(&system, &start.clone().with_multipliers(vec![-4.0], vec![])).unwrap();
    close(&other.lambda, &[-3.0], 1e-14);
    close(&consistent(&system, &start).unwrap().lambda, &[1.0], 1e-14);
}

#[test]
fn two_multipliers_singular_at_zero_are_found_from_other_starts() {
    let system = Differentiated::new(Paper3);
    let exact = Guess::new(0.0, vec![1.0, 1.0], vec![1.0, -2.0]);
    for start in [exact.clone(), exact.with_multipliers(vec![1.0], vec![1.0])] {
        let (state, report) = consistent_with(&system, &start, &Options::default()).unwrap();
        assert!(report.motion_residual < 1e-15, "{report:?}");
        close(&[state.a[0], state.a[1], state.lambda[0], state.psi[0]], &[1.0, 4.0, 1.0, 1.0], 1e-13);
    }
    let off = Guess::new(0.0, vec![1.01, 0.97], vec![0.98, -2.1]).with_multipliers(vec![1.2], vec![0.8]);
    let (_, report) = consistent_with(&system, &off, &Options::default()).unwrap();
    assert!(report.positions.residual_after < 1e-15 && report.velocities.residual_after < 1e-15, "{report:?}");
    assert!(report.motion_residual < 1e-15, "{report:?}");
}

#[test]
fn a_massless_coordinate_held_by_a_constraint_works() {
    let dims = Dims { q: 3, v: 3, lambda: 1, psi: 0 };
    let system = closures(dims, &[1.0, 0.0, 2.0], |_, q, g| g[0] = q[1] - q[0] * q[0] + q[2]);
    let start = Guess::new(0.0, vec![1.0, 0.5, 0.0], vec![2.0, 0.0, 0.0]);
    let (state, report) = consistent_with(&system, &start, &Options::default()).unwrap();
    assert_eq!(report.positions.metric, Metric::Identity);
    // The massless row says lambda = 0: free fall.
    close(&[state.a[0], state.a[2], state.lambda[0]], &[0.0, -9.81 / 2.0, 0.0], 1e-9);
}

#[test]
fn a_general_rate_is_repaired_through_its_derivative() {
    let system = Differentiated::new(GeneralRate);
    let start = Guess::new(0.3, vec![1.0, 0.2, -0.7], vec![0.4, -0.6]);
    let (state, report) = consistent_with(&system, &start, &Options::default()).unwrap();
    assert_eq!((&report.positions.metric, &report.velocities.metric), (&Metric::Identity, &Metric::Mass));
    assert!(report.positions.residual_after < 1e-15 && report.velocities.residual_after < 1e-15, "{report:?}");
    let (q, v, a) = (&state.q, &state.v, &state.a);
    // Closest in q: the displacement is parallel to the gradient.
    let gradient = [2.0 * q[0], 1.0, q[2]];
    let d: Vec<f64> = q.iter().zip(&start.q).map(|(q, q0)| q - q0).collect();
    close(&[d[0] * gradient[1] - d[1] * gradient[0], d[1] * gradient[2] - d[2] * gradient[1]], &[0.0; 2], 1e-14);
    let rate = |v: &[f64]| B.map(|row| row[0] * v[0] + row[1] * v[1]);
    let dot = |x: [f64; 3]| x.iter().zip(&gradient).map(|(x, g)| x * g).sum::<f64>();
    assert!((dot(rate(v)) - 1.0).abs() < 1e-14);
    let q_dot = rate(v);
    assert!((dot(rate(a)) + 2.0 * q_dot[0].powi(2) + q_dot[2].powi(2)).abs() < 1e-14);
    // Virtual work: M a - f is along W^T = (G B)^T.
    let w: Vec<f64> = (0..2).map(|j| (0..3).map(|i| gradient[i] * B[i][j]).sum()).collect();
    let rest = [2.0 * a[0] + 0.5 * a[1] + q[0], 0.5 * a[0] + a[1] + v[1]];
    close(&rest, &[-w[0] * state.lambda[0], -w[1] * state.lambda[0]], 1e-14);
}

#[test]
fn sizes_do_not_matter() {
    for size in [1e-9, 1.0, 1e9] {
        let system = plane(1, move |_, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - size * size);
        let start = Guess::new(0.0, vec![1.2 * size, -1.6 * size], vec![size, 0.0]);
        let state = consistent(&system, &start).unwrap();
        close(&state.q, &[0.6 * size, -0.8 * size], 1e-11 * size);
    }
}
