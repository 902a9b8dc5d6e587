//! BDF with kinematics q' = U(t,q,v) that depend on t and q, and no allocation in variable-order steps.
//!
//! ```text
//! s = 1 + t,  q' = s v + 0.3 (q1, -q0),  v' = 0.3/s^2 (q1, -q0) + lambda q,  0 = q.q - 1
//! q = (sin s^2, cos s^2),  v = (2 - 0.3/s) (q1, -q0),  lambda = -(4 s - 0.6)
//! ```

use crate::counting::allocations;
use alembert::method::{Bdf, BdfStart, Formulation, Scheme, VariableBdf};
use alembert::{
    ConsistentState, Differentiated, Dims, Equations, ErrorControl, FixedSteps, Formulas, Guess, Integrator, Scalar,
    Supplied, Tolerance, Unobserved, consistent,
};

struct Spun;

impl Formulas for Spun {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn rate<S: Scalar>(&self, t: S, q: &[S], v: &[S], q_dot: &mut [S]) -> Supplied {
        let s = t + 1.0;
        q_dot[0] = s * v[0] + q[1] * 0.3;
        q_dot[1] = s * v[1] - q[0] * 0.3;
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], _: &[S], force: &mut [S]) {
        let s = t + 1.0;
        let push = S::from(0.3) / (s * s);
        force[0] = push * q[1];
        force[1] = -push * q[0];
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    }
    fn reaction<S: Scalar>(&self, _: S, q: &[S], _: &[S], lambda: &[S], _: &[S], r: &mut [S]) -> Supplied {
        r[0] = q[0] * lambda[0];
        r[1] = q[1] * lambda[0];
        Supplied::Yes
    }
}

/// q, v, lambda.
fn exact(t: f64) -> ([f64; 2], [f64; 2], f64) {
    let s = 1.0 + t;
    let (sin, cos) = (s * s).sin_cos();
    let c = 2.0 - 0.3 / s;
    ([sin, cos], [c * cos, -c * sin], -(4.0 * s - 0.6))
}

fn start(system: &Differentiated<Spun>) -> ConsistentState {
    let (q, v, _) = exact(0.0);
    consistent(system, &Guess::new(0.0, q.to_vec(), v.to_vec())).expect("consistent")
}

/// Errors of q, v, lambda after each step.
fn errors(scheme: &dyn Scheme, steps: &[f64]) -> Vec<[f64; 3]> {
    let system = Differentiated::new(Spun);
    let tolerance = Tolerance::new(1e-13, 1e-13).expect("in range");
    let pattern = FixedSteps::pattern(1.0, steps).expect("positive");
    let mut integrator = Integrator::new(&system, &start(&system), scheme, pattern, tolerance).expect("starts");
    let distance = |x: &[f64], y: &[f64]| x.iter().zip(y).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
    let measured = steps.iter().map(|_| {
        let state = integrator.step(1e9).expect("converges").state;
        let (q, v, lambda) = exact(state.t);
        [distance(&state.q, &q), distance(&state.v, &v), (state.lambda[0] - lambda).abs()]
    });
    measured.collect()
}

#[test]
fn every_quantity_has_the_order_at_alternating_steps() {
    for k in 1..=5 {
        let worst = |pairs: usize| {
            let h = 0.5 / (3 * pairs) as f64;
            let steps: Vec<f64> = (0..2 * pairs).map(|i| (1 + i % 2) as f64 * h).collect();
            let all = errors(&Bdf::new(k).expect("in range"), &steps);
            all.iter().fold([0.0_f64; 3], |max, e| std::array::from_fn(|i| max[i].max(e[i])))
        };
        let pairs = [200, 100, 50, 40, 32][k - 1];
        let (coarse, fine) = (worst(pairs), worst(2 * pairs));
        for (i, what) in ["q", "v", "lambda"].iter().enumerate() {
            let order = (coarse[i] / fine[i]).log2();
            assert!((order - k as f64).abs() < 0.3, "order {k}: {what} has {order:.2}, error {:.1e}", fine[i]);
        }
    }
}

#[test]
fn the_first_multiplier_from_each_start() {
    let euler = |start| Bdf::implicit_euler().with_formulation(Formulation::Index3).with_start(start);
    for (scheme, expected) in [
        (euler(BdfStart::Exact), 0.0),
        (euler(BdfStart::Paper), 1.0),
        (euler(BdfStart::Consistent), 1.0),
        (Bdf::implicit_euler(), 1.0),
    ] {
        let [coarse, fine] = [0.002, 0.001].map(|h| errors(&scheme, &[h])[0][2]);
        let order = (coarse / fine).log2();
        assert!((order - expected).abs() < 0.2, "{scheme:?}: {order:.2}, error {fine:.1e}");
    }
}

#[test]
fn error_control_follows_the_tolerance() {
    let system = Differentiated::new(Spun);
    for tol in [1e-4, 1e-6, 1e-8] {
        let tolerance = Tolerance::new(tol, tol).expect("in range");
        let mut integrator =
            Integrator::new(&system, &start(&system), &VariableBdf::new(), ErrorControl::new(), tolerance)
                .expect("starts");
        integrator.run(1.0, &mut Unobserved).expect("reaches the end");
        let (q, _, lambda) = exact(1.0);
        let state = integrator.state();
        let error = (state.q[0] - q[0]).abs().max((state.q[1] - q[1]).abs());
        assert!(error < 100.0 * tol, "{tol:e}: q {error:e}");
        assert!((state.lambda[0] - lambda).abs() < 1e4 * tol, "{tol:e}: lambda {:e}", state.lambda[0] - lambda);
    }
}

#[test]
fn variable_steps_do_not_allocate() {
    let problem = alembert_problems::by_name("andrews").expect("known");
    let spun = Differentiated::new(Spun);
    let from = &problem.start;
    let andrews =
        consistent(&*problem.system, &Guess::new(from.t, from.q.clone(), from.v.clone())).expect("consistent");
    for (system, start, h) in
        [(&spun as &dyn alembert::ConstrainedSystem, start(&spun), 1e-3), (&*problem.system, andrews, 1e-5)]
    {
        let mut equations = Equations::new(system);
        let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
        let mut method = VariableBdf::new().build(&equations, tolerance).expect("suits");
        method.restart(&mut equations, &start).expect("starts");
        let mut march = |count: usize| {
            for i in 0..count {
                let h = if i % 2 == 0 { 0.8 * h } else { 1.2 * h };
                method.attempt(&mut equations, h).expect("converges");
                method.accept();
            }
        };
        march(20);
        let before = allocations();
        march(60);
        assert_eq!(allocations() - before, 0);
    }
    assert!(allocations() > 0, "the counter counts");
}
