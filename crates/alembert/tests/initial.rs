//! Consistent starts: what is repaired, to what accuracy, and what is refused by which name.

use alembert::initial::{Guess, InitialError, Level, Metric, Options, consistent, consistent_with};
use alembert::{ConstrainedSystem, Differentiated, Dims, Formulas, Point, Scalar, Supplied};

fn close(x: &[f64], y: &[f64], tolerance: f64) {
    assert_eq!(x.len(), y.len());
    assert!(x.iter().zip(y).all(|(x, y)| (x - y).abs() <= tolerance), "{x:?} is not {y:?}");
}

fn error(system: &dyn ConstrainedSystem, guess: &Guess) -> InitialError {
    let error = consistent(system, guess).expect_err("refused");
    let text = error.to_string();
    assert!(text.starts_with(|c: char| !c.is_uppercase()) && !text.ends_with('.'), "{text}");
    assert!(text.ends_with(&format!("hint: {}", error.hint())), "{text}");
    println!("{text}");
    error
}

type Function = Box<dyn Fn(f64, &[f64], &mut [f64])>;
type Motion = Box<dyn Fn(f64, &[f64], &[f64], &mut [f64])>;

/// A system put together from closures; every derivative by differences.
struct Closures {
    dims: Dims,
    mass: Vec<f64>,
    holonomic: Function,
    nonholonomic: Motion,
}

impl Closures {
    fn new(dims: Dims, mass: &[f64], holonomic: impl Fn(f64, &[f64], &mut [f64]) + 'static) -> Self {
        Closures { dims, mass: mass.to_vec(), holonomic: Box::new(holonomic), nonholonomic: Box::new(|_, _, _, _| {}) }
    }
}

impl ConstrainedSystem for Closures {
    fn dims(&self) -> Dims {
        self.dims
    }
    fn mass(&self, _: f64, _: &[f64], mass: &mut [f64]) {
        for (i, m) in self.mass.iter().enumerate() {
            mass[i * self.mass.len() + i] = *m;
        }
    }
    fn force(&self, _: f64, _: &[f64], _: &[f64], force: &mut [f64]) {
        force[self.dims.v - 1] = -9.81;
    }
    fn holonomic(&self, t: f64, q: &[f64], g: &mut [f64]) {
        (self.holonomic)(t, q, g);
    }
    fn nonholonomic(&self, t: f64, q: &[f64], v: &[f64], k: &mut [f64]) {
        (self.nonholonomic)(t, q, v, k);
    }
    fn coordinate_name(&self, index: usize) -> String {
        ["x", "y", "z", "w"][index].into()
    }
}

fn plane(lambda: usize, holonomic: impl Fn(f64, &[f64], &mut [f64]) + 'static) -> Closures {
    Closures::new(Dims { q: 2, v: 2, lambda, psi: 0 }, &[1.0, 1.0], holonomic)
}

fn pendulum() -> Closures {
    plane(1, |_, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0)
}

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

/// A body that turns about a point, held so that its axis e3 stays vertical; q is a quaternion.
struct Upright;

impl Formulas for Upright {
    fn dims(&self) -> Dims {
        Dims { q: 4, v: 3, lambda: 2, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[4], mass[8]) = (S::from(1.0), S::from(2.0), S::from(3.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], w: &[S], f: &mut [S]) {
        (f[0], f[1], f[2]) = (-(w[1] * w[2]), w[0] * w[2] * 2.0, -(w[0] * w[1]) + 1.5);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = (q[1] * q[3] + q[0] * q[2]) * 2.0;
        g[1] = (q[2] * q[3] - q[0] * q[1]) * 2.0;
    }
    fn advance<S: Scalar>(&self, p: &[S], dx: &[S], q: &mut [S]) {
        // p exp(dx / 2), by series: smooth through zero, and increments are short.
        let square = (dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2]) * 0.25;
        let (mut sine, mut cosine) = (S::from(1.0), S::from(1.0));
        for k in (1..12).rev() {
            let k = f64::from(k);
            cosine = -(square * cosine) / (2.0 * k * (2.0 * k - 1.0)) + 1.0;
            sine = -(square * sine) / (2.0 * k * (2.0 * k + 1.0)) + 1.0;
        }
        let e = [cosine, dx[0] * sine * 0.5, dx[1] * sine * 0.5, dx[2] * sine * 0.5];
        q[0] = p[0] * e[0] - p[1] * e[1] - p[2] * e[2] - p[3] * e[3];
        q[1] = p[0] * e[1] + p[1] * e[0] + p[2] * e[3] - p[3] * e[2];
        q[2] = p[0] * e[2] - p[1] * e[3] + p[2] * e[0] + p[3] * e[1];
        q[3] = p[0] * e[3] + p[1] * e[2] - p[2] * e[1] + p[3] * e[0];
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
    let system = Closures::new(dims, &[1.0, 3.0], |_, q, g| g[0] = q[0] + q[1] - 4.0);
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
fn fixing_too_much_names_the_fixed_and_the_constraints() {
    let start = Guess::new(0.0, vec![2.0, -1.3], vec![0.0; 2]);
    for fixed_q in [vec![0], vec![0, 1]] {
        let options = Options { fixed_q, ..Options::default() };
        match consistent_with(&pendulum(), &start, &options) {
            Err(InitialError::FixedTooMuch { level: Level::Position, fixed, rows }) => {
                assert_eq!((fixed[0].as_str(), rows[0].name.as_str()), ("x", "g[0]"));
            }
            other => panic!("{other:?}"),
        }
    }
    // Fixing everything is fine where nothing has to move.
    let met = Guess::new(0.0, vec![1.0, 0.0], vec![0.0, 2.0]);
    let options = Options { fixed_q: vec![0, 1], fixed_v: vec![0, 1], ..Options::default() };
    let (state, _) = consistent_with(&pendulum(), &met, &options).unwrap();
    assert_eq!((&state.q, &state.v), (&met.q, &met.v));
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
    let mut skate = Closures::new(Dims { q: 3, v: 3, lambda: 0, psi: 1 }, &[2.0, 2.0, 0.5], |_, _, _| {});
    skate.nonholonomic = Box::new(|_, q, v, k| k[0] = v[0] * q[2].sin() - v[1] * q[2].cos());
    let (sin, cos) = 0.7_f64.sin_cos();
    let start = Guess::new(0.0, vec![1.0, 2.0, 0.7], vec![1.0, -0.5, 3.0]);
    let (state, report) = consistent_with(&skate, &start, &Options::default()).unwrap();
    let forward = cos - 0.5 * sin;
    close(&state.v, &[forward * cos, forward * sin, 3.0], 1e-11);
    assert!(report.velocities.residual_after < 1e-15);
    // k' = 0: the sideways acceleration turns the velocity.
    close(&[state.a[1] * cos - state.a[0] * sin], &[3.0 * forward], 1e-10);
}

/// A reaction as in the first test problem of paper 1.
struct Paper1;

impl Formulas for Paper1 {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], f: &mut [S]) {
        // So that y'' = (e^t, 4 e^-2t) at t = 0 with lambda = 1.
        f[1] = S::from(3.0);
    }
    fn holonomic<S: Scalar>(&self, _: S, y: &[S], g: &mut [S]) {
        g[0] = y[0] * y[0] * y[1] - 1.0;
    }
    fn reaction<S: Scalar>(&self, t: S, y: &[S], _: &[S], lambda: &[S], _: &[S], r: &mut [S]) -> Supplied {
        r[0] = t.exp() * y[0] * lambda[0];
        r[1] = y[1] * lambda[0] * lambda[0];
        Supplied::Yes
    }
}

/// The test problem of paper 3, with y = (e^t, e^-2t), lambda = e^-t, psi = e^t.
struct Paper3;

impl Formulas for Paper3 {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 1 }
    }
    fn mass<S: Scalar>(&self, t: S, y: &[S], m: &mut [S]) {
        m[0] = y[0];
        m[1] = y[1] - (t * -2.0).exp();
        m[2] = (y[0] - t.exp()).sin();
        m[3] = y[0] * y[1];
    }
    fn force<S: Scalar>(&self, t: S, y: &[S], z: &[S], f: &mut [S]) {
        f[0] = t.exp() * (y[0] * z[1] + y[1] * z[0] * 2.0) - 2.0;
        f[1] = (-t).exp() * (y[1] * z[1] * 0.5 - y[0] * z[0] * y[1] * z[1] * 2.0) + (t * 3.0).exp();
    }
    fn holonomic<S: Scalar>(&self, _: S, y: &[S], g: &mut [S]) {
        g[0] = y[0] * y[0] * y[1] - 1.0;
    }
    fn nonholonomic<S: Scalar>(&self, _: S, y: &[S], z: &[S], k: &mut [S]) {
        k[0] = y[0] * z[0] * z[1] + 2.0;
    }
    fn reaction<S: Scalar>(&self, t: S, y: &[S], z: &[S], lambda: &[S], psi: &[S], r: &mut [S]) -> Supplied {
        r[0] = (t * 2.0).exp() * y[0] * lambda[0] - y[0] * z[1] * psi[0];
        r[1] = (-t).exp() * y[1] * lambda[0] * lambda[0] - y[0] * y[1] * z[0] * psi[0].powi(3);
        Supplied::Yes
    }
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
fn an_impossible_nonlinear_reaction_is_refused() {
    struct OneSided;
    impl ConstrainedSystem for OneSided {
        fn dims(&self) -> Dims {
            Dims { q: 1, v: 1, lambda: 1, psi: 0 }
        }
        fn mass(&self, _: f64, _: &[f64], mass: &mut [f64]) {
            mass[0] = 1.0;
        }
        fn force(&self, _: f64, _: &[f64], _: &[f64], force: &mut [f64]) {
            force[0] = 1.0;
        }
        fn holonomic(&self, _: f64, q: &[f64], g: &mut [f64]) {
            g[0] = q[0];
        }
        fn reaction(&self, at: Point, r: &mut [f64]) -> Supplied {
            // Pushes with the force, so that nothing can hold the body.
            r[0] = at.lambda[0] * at.lambda[0];
            Supplied::Yes
        }
    }
    match error(&OneSided, &Guess::new(0.0, vec![0.0], vec![0.0])) {
        InitialError::MultipliersNotFound { starts, .. } => assert!(starts > 1),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_duplicated_constraint_is_redundant_and_both_are_named() {
    let system = plane(2, |_, q, g| {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
        g[1] = -3.0 * g[0];
    });
    match error(&system, &Guess::new(0.0, vec![0.5, 0.6], vec![1.0, 0.0])) {
        InitialError::Redundant { rows } => {
            assert_eq!((rows.len(), rows[0].on.len()), (1, 1));
            let (other, coefficient) = &rows[0].on[0];
            let mut names = [rows[0].row.as_str(), other.as_str()];
            let expected = if names[0] == "g[1]" { -3.0 } else { -1.0 / 3.0 };
            assert!((coefficient - expected).abs() < 1e-9, "{coefficient}");
            names.sort_unstable();
            assert_eq!(names, ["g[0]", "g[1]"]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_nonholonomic_row_can_depend_on_a_holonomic_one() {
    let mut system = plane(1, |_, q, g| g[0] = q[0] - 1.0);
    system.dims.psi = 1;
    system.nonholonomic = Box::new(|_, _, v, k| k[0] = 2.0 * v[0]);
    let start = Guess::new(0.0, vec![0.5, 0.6], vec![1.0, 0.0]);
    match error(&system, &start) {
        InitialError::Redundant { rows } => assert_eq!(rows.len(), 1),
        other => panic!("{other:?}"),
    }
    system.nonholonomic = Box::new(|_, _, v, k| k[0] = 2.0 * v[0] - 1.0);
    match error(&system, &start) {
        InitialError::Contradictory { level: Level::Velocity, rows } => {
            assert_eq!(rows.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["g[0]", "k[0]"]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn contradictory_constraints_are_named_with_their_residuals() {
    let system = plane(3, |_, q, g| (g[0], g[1], g[2]) = (q[0], q[1] - 2.0, q[0] - 1.0));
    match error(&system, &Guess::new(0.0, vec![0.3, 0.0], vec![0.0; 2])) {
        InitialError::Contradictory { level: Level::Position, rows } => {
            assert_eq!(rows.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["g[0]", "g[2]"]);
            assert!((rows[0].residual - rows[1].residual - 1.0).abs() < 1e-12);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn constraints_that_do_not_meet_are_unreachable() {
    let system = plane(2, |_, q, g| (g[0], g[1]) = (q[0] * q[0] + q[1] * q[1] - 1.0, q[0] - 2.0));
    for guess in [vec![0.5, 0.6], vec![3.0, -2.0], vec![1.0, 0.0]] {
        match error(&system, &Guess::new(0.0, guess, vec![0.0; 2])) {
            InitialError::Unreachable { level: Level::Position, rows, closest } => {
                assert_eq!(rows.len(), 2);
                assert!(rows.iter().all(|row| row.residual.abs() > 0.01), "{rows:?}");
                assert!(closest[1].abs() < 0.1 && closest[0] > 1.0 && closest[0] < 2.0, "{closest:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_four_bar_closes_if_its_bars_are_long_enough() {
    // Joints (x, y) and (z, w) between pivots at 0 and (4, 0); the coupler has length 1.
    let four_bar = |crank: f64, rocker: f64| {
        Closures::new(Dims { q: 4, v: 4, lambda: 3, psi: 0 }, &[1.0; 4], move |_, q, g| {
            g[0] = q[0] * q[0] + q[1] * q[1] - crank * crank;
            g[1] = (q[2] - q[0]).powi(2) + (q[3] - q[1]).powi(2) - 1.0;
            g[2] = (q[2] - 4.0).powi(2) + q[3] * q[3] - rocker * rocker;
        })
    };
    let start = Guess::new(0.0, vec![1.0, 1.0, 2.0, 1.5], vec![0.0, 1.0, 0.0, 0.0]);
    let (_, report) = consistent_with(&four_bar(2.0, 2.0), &start, &Options::default()).unwrap();
    assert!(report.positions.residual_after < 2e-15, "{report:?}");
    match error(&four_bar(1.0, 1.0), &start) {
        InitialError::Unreachable { level: Level::Position, rows, .. } => assert_eq!(rows.len(), 3),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_massless_free_coordinate_is_named() {
    let dims = Dims { q: 3, v: 3, lambda: 1, psi: 0 };
    let start = Guess::new(0.0, vec![0.0; 3], vec![0.0; 3]);
    let free = Closures::new(dims, &[1.0, 0.0, 2.0], |_, q, g| g[0] = q[0] + q[2]);
    match error(&free, &start) {
        InitialError::MasslessDirection { coordinates } => assert_eq!(coordinates, [("y".to_string(), 1.0)]),
        other => panic!("{other:?}"),
    }
    let pair = Closures::new(dims, &[1.0, 0.0, 0.0], |_, q, g| g[0] = q[1] + 2.0 * q[2]);
    match error(&pair, &start) {
        InitialError::MasslessDirection { coordinates } => {
            assert_eq!(coordinates[0], ("y".to_string(), 1.0));
            assert_eq!(coordinates[1].0, "z");
            assert!((coordinates[1].1 + 0.5).abs() < 1e-10);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_massless_coordinate_held_by_a_constraint_works() {
    let dims = Dims { q: 3, v: 3, lambda: 1, psi: 0 };
    let system = Closures::new(dims, &[1.0, 0.0, 2.0], |_, q, g| g[0] = q[1] - q[0] * q[0] + q[2]);
    let start = Guess::new(0.0, vec![1.0, 0.5, 0.0], vec![2.0, 0.0, 0.0]);
    let (state, report) = consistent_with(&system, &start, &Options::default()).unwrap();
    assert_eq!(report.positions.metric, Metric::Identity);
    // The massless row says lambda = 0: free fall.
    close(&[state.a[0], state.a[2], state.lambda[0]], &[0.0, -9.81 / 2.0, 0.0], 1e-9);
}

#[test]
fn wrong_lengths_and_entries_are_located() {
    let good = || Guess::new(0.0, vec![1.0, 0.0], vec![0.0, 1.0]);
    let wrong = |vector, expected, actual| InitialError::WrongLength { vector, expected, actual };
    assert_eq!(error(&pendulum(), &Guess { q: vec![1.0], ..good() }), wrong("q", 2, 1));
    assert_eq!(error(&pendulum(), &Guess { v: vec![1.0; 3], ..good() }), wrong("v", 2, 3));
    assert_eq!(error(&pendulum(), &good().with_multipliers(vec![1.0; 2], vec![])), wrong("lambda", 1, 2));
    assert_eq!(error(&pendulum(), &good().with_multipliers(vec![], vec![1.0])), wrong("psi", 0, 1));
    match error(&pendulum(), &Guess { v: vec![0.0, f64::NAN], ..good() }) {
        InitialError::BadEntry { vector: "v", entry: 1, value } => assert!(value.is_nan()),
        other => panic!("{other:?}"),
    }
    let late = error(&pendulum(), &Guess { t: f64::INFINITY, ..good() });
    assert!(matches!(late, InitialError::BadEntry { vector: "t", .. }));
    let refuse = |options: Options| consistent_with(&pendulum(), &good(), &options).expect_err("refused");
    let negative = refuse(Options { metric: Metric::Weights(vec![1.0, -1.0]), ..Options::default() });
    assert!(matches!(negative, InitialError::BadEntry { vector: "weights", entry: 1, .. }));
    let options = Options { metric: Metric::Weights(vec![1.0]), ..Options::default() };
    assert_eq!(refuse(options), wrong("weights", 2, 1));
    let options = Options { fixed_v: vec![2], ..Options::default() };
    assert_eq!(refuse(options), InitialError::NoSuchCoordinate { vector: "fixed_v", index: 2, count: 2 });
}

#[test]
fn a_function_that_is_not_finite_is_named() {
    let system = plane(1, |_, q, g| g[0] = q[0].sqrt() - 1.0);
    match error(&system, &Guess::new(0.5, vec![-1.0, 0.0], vec![0.0; 2])) {
        InitialError::Function(e) => assert_eq!((e.function.name(), e.entry, e.t), ("holonomic", 0, 0.5)),
        other => panic!("{other:?}"),
    }
    // On the way NaN only means a shorter step: the full Newton step from 9 to sqrt(x) = 0.5 leaves the domain.
    let system = plane(1, |_, q, g| g[0] = q[0].sqrt() - 0.5);
    let state = consistent(&system, &Guess::new(0.0, vec![9.0, 0.0], vec![0.0; 2])).unwrap();
    close(&state.q, &[0.25, 0.0], 1e-15);
}

/// q' = B v with three coordinates and two velocities, held to a moving surface.
struct GeneralRate;

const B: [[f64; 2]; 3] = [[1.0, 0.0], [0.5, 1.0], [0.0, 2.0]];

impl Formulas for GeneralRate {
    fn dims(&self) -> Dims {
        Dims { q: 3, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        for (to, m) in mass.iter_mut().zip([2.0, 0.5, 0.5, 1.0]) {
            *to = S::from(m);
        }
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], f: &mut [S]) {
        (f[0], f[1]) = (-q[0], -v[1]);
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] + q[2] * q[2] * 0.5 - t - 2.0;
    }
    fn rate<S: Scalar>(&self, _: S, _: &[S], v: &[S], q_dot: &mut [S]) -> Supplied {
        for (q_dot, row) in q_dot.iter_mut().zip(B) {
            *q_dot = v[0] * row[0] + v[1] * row[1];
        }
        Supplied::Yes
    }
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

/// A random system: M = B(q)^T B(q) + 1, smooth constraints with random coefficients, the last row perhaps repeated.
struct Random {
    n: usize,
    lambda: usize,
    psi: usize,
    repeat: bool,
    c: Vec<f64>,
}

impl Random {
    fn at(&self, i: usize) -> f64 {
        self.c[i % self.c.len()]
    }
}

impl Formulas for Random {
    fn dims(&self) -> Dims {
        Dims { q: self.n, v: self.n, lambda: self.lambda, psi: self.psi }
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        let n = self.n;
        let b: Vec<S> = (0..n * n).map(|i| (q[i % n] * self.at(i)).sin() + self.at(i + 7)).collect();
        for i in 0..n {
            for j in 0..n {
                mass[i * n + j] = (0..n).fold(S::from(f64::from(i == j)), |sum, k| sum + b[k * n + i] * b[k * n + j]);
            }
        }
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], f: &mut [S]) {
        for i in 0..self.n {
            f[i] = q[i] * self.at(i) - v[i] + t;
        }
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        for i in 0..self.lambda {
            let row = if self.repeat && i + 1 == self.lambda { 0 } else { i };
            g[i] = t * self.at(row) + self.at(row + 3) * 0.3;
            for j in 0..self.n {
                let k = row * self.n + j;
                g[i] += q[j] * self.at(k + 11) + (q[j] * self.at(k + 5)).sin() * 0.3;
            }
        }
    }
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
        for i in 0..self.psi {
            k[i] = S::from(self.at(i + 1));
            for j in 0..self.n {
                let l = i * self.n + j;
                k[i] += v[j] * ((q[j] * self.at(l)).cos() + self.at(l + 17)) + v[j] * v[j] * v[j] * 0.02;
            }
        }
    }
}

/// xorshift64, uniform in (-1, 1).
struct Xorshift(u64);

impl Xorshift {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    fn below(&mut self, n: usize) -> usize {
        ((self.next() + 1.0) * 0.5 * n as f64) as usize
    }
    fn vector(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| size * self.next()).collect()
    }
}

#[test]
fn random_systems_are_repaired_to_rounding_or_refused_by_name() {
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    let (mut repaired, mut redundant, mut refused) = (0, 0, 0);
    let mut worst = [0.0_f64; 4];
    for _ in 0..400 {
        let n = 2 + random.below(6);
        let lambda = random.below(n);
        let psi = random.below(n - lambda);
        let repeat = lambda >= 2 && random.below(4) == 0;
        let system = Differentiated::new(Random { n, lambda, psi, repeat, c: random.vector(97, 1.0) });
        let start = Guess::new(random.next(), random.vector(n, 2.0), random.vector(n, 2.0));
        match consistent_with(&system, &start, &Options::default()) {
            Ok((state, report)) => {
                assert!(!repeat, "a repeated row was not found");
                repaired += 1;
                let normal = not_normal(&system, &start.q, &state.q, lambda);
                let levels =
                    [report.positions.residual_after, report.velocities.residual_after, report.motion_residual];
                for (worst, level) in worst.iter_mut().zip(levels.into_iter().chain([normal])) {
                    *worst = worst.max(level);
                }
                assert!(state.a.iter().chain(&state.lambda).chain(&state.psi).all(|x| x.is_finite()));
            }
            Err(InitialError::Redundant { rows }) => {
                assert!(repeat && rows.len() == 1, "{rows:?}");
                redundant += 1;
            }
            Err(InitialError::Unreachable { rows, closest, .. }) => {
                assert!(!rows.is_empty() && rows.iter().all(|row| row.residual.abs() > 1e-8), "{rows:?}");
                assert_eq!(closest.len(), n);
                refused += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    println!("{repaired} repaired, {redundant} redundant, {refused} refused; worst {worst:?}");
    assert!(repaired > 250 && redundant > 20 && refused < 40, "{repaired} {redundant} {refused}");
    assert!(worst[0] < 1e-13 && worst[1] < 1e-13 && worst[2] < 1e-14, "{worst:?}");
}

/// How far M(q0) (q - q0) is from the span of the constraint gradients at q, relative to its size: zero at the closest
/// point in the metric of the mass.
fn not_normal(system: &dyn ConstrainedSystem, q0: &[f64], q: &[f64], rows: usize) -> f64 {
    let n = q.len();
    let (mut mass, mut g_q) = (vec![0.0; n * n], vec![0.0; rows * n]);
    system.mass(0.0, q0, &mut mass);
    if rows > 0 {
        let _ = system.holonomic_q(0.0, q, &mut g_q);
    }
    let mut rest: Vec<f64> = (0..n).map(|i| (0..n).map(|j| mass[i * n + j] * (q[j] - q0[j])).sum()).collect();
    let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let size = length(&rest);
    let remove = |x: &mut [f64], b: &[f64]| {
        let dot: f64 = x.iter().zip(b).map(|(x, b)| x * b).sum();
        x.iter_mut().zip(b).for_each(|(x, b)| *x -= dot * b);
    };
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for row in g_q.chunks_exact(n) {
        let mut row = row.to_vec();
        for _ in 0..2 {
            basis.iter().for_each(|b| remove(&mut row, b));
        }
        let size = length(&row);
        row.iter_mut().for_each(|x| *x /= size);
        basis.push(row);
    }
    for _ in 0..2 {
        basis.iter().for_each(|b| remove(&mut rest, b));
    }
    if size == 0.0 { 0.0 } else { length(&rest) / size }
}
