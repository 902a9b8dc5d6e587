//! Two index-3 systems with closed forms (numerically consistent initial values, paper 5, section 5).
//!
//! Problem 5.1, on the unit circle, from t = 0:
//!
//! ```text
//! x'' = 2 y + x lambda,   y'' = -2 x + y lambda,   0 = x^2 + y^2 - 1
//! x = sin (1+t)^2,  y = cos (1+t)^2,  lambda = -4 (1+t)^2
//! ```
//!
//! Problem 5.2, with general kinematics p' = U(t,v) and a reaction that is not -(R_p U_v)^T times the multipliers,
//! from t = 1:
//!
//! ```text
//! p' = (2u, v, w - 1),   q' = F + G (lambda, beta),   0 = x^2 + y^2 + z^2 - 1,   0 = z - 1/2
//! F = (-y, 2x + y sin t^2 - 4 y t^2, 4 z t^2 + sin(t^2)/2),   G^T = | x  0  2z |
//!                                                                   | 0  2y  1 |
//! p = (sqrt3/2 cos t^2, sqrt3/2 sin t^2, 1/2),   q = (-sqrt3/2 t sin t^2, sqrt3 t cos t^2, 1),
//! lambda = -2 t^2,   beta = -sin(t^2)/2
//! ```
//!
//! The paper prints 4 y t in F2, which its solution does not satisfy; 4 y t^2 is right. It gives no end times. 5.1
//! runs for one time unit here; 5.2 must stop before t = sqrt(3 pi/4) = 1.53499, where det(R_p U_q G) = 3 cos 2t^2
//! vanishes and the multipliers are no longer determined.

use alembert::{Differentiated, Dims, Formulas, Scalar, State, Supplied};

use crate::problem::{Problem, Reference, Start};

struct Circle;

impl Formulas for Circle {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        force[0] = q[1] * 2.0;
        force[1] = -q[0] * 2.0;
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

fn on_circle(t: f64) -> State {
    let phase = (1.0 + t) * (1.0 + t);
    let ((sin, cos), rate) = (phase.sin_cos(), 2.0 * (1.0 + t));
    State {
        t,
        q: vec![sin, cos],
        v: vec![rate * cos, -rate * sin],
        a: vec![2.0 * cos - rate * rate * sin, -2.0 * sin - rate * rate * cos],
        lambda: vec![-rate * rate],
        psi: vec![],
    }
}

struct Sphere;

impl Formulas for Sphere {
    fn dims(&self) -> Dims {
        Dims { q: 3, v: 3, lambda: 2, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (0..3).for_each(|i| mass[4 * i] = S::from(1.0));
    }
    fn rate<S: Scalar>(&self, _: S, _: &[S], v: &[S], q_dot: &mut [S]) -> Supplied {
        q_dot[0] = v[0] * 2.0;
        q_dot[1] = v[1];
        q_dot[2] = v[2] - 1.0;
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], _: &[S], force: &mut [S]) {
        let square = t * t;
        let sin = square.sin();
        force[0] = -q[1];
        force[1] = q[0] * 2.0 + q[1] * sin - q[1] * square * 4.0;
        force[2] = q[2] * square * 4.0 + sin * 0.5;
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1.0;
        g[1] = q[2] - 0.5;
    }
    fn reaction<S: Scalar>(&self, _: S, q: &[S], _: &[S], mu: &[S], _: &[S], r: &mut [S]) -> Supplied {
        r[0] = q[0] * mu[0];
        r[1] = q[1] * mu[1] * 2.0;
        r[2] = q[2] * mu[0] * 2.0 + mu[1];
        Supplied::Yes
    }
}

fn on_sphere(t: f64) -> State {
    let (sin, cos) = (t * t).sin_cos();
    let root = 3.0_f64.sqrt();
    State {
        t,
        q: vec![0.5 * root * cos, 0.5 * root * sin, 0.5],
        v: vec![-0.5 * root * t * sin, root * t * cos, 1.0],
        a: vec![-0.5 * root * (sin + 2.0 * t * t * cos), root * (cos - 2.0 * t * t * sin), 0.0],
        lambda: vec![-2.0 * t * t, -0.5 * sin],
        psi: vec![],
    }
}

fn problem(
    name: &'static str,
    title: &'static str,
    system: Box<dyn alembert::ConstrainedSystem>,
    (t0, t_end): (f64, f64),
    solution: fn(f64) -> State,
) -> Problem {
    let State { t, q, v, lambda, psi, .. } = solution(t0);
    Problem {
        name,
        title,
        system,
        start: Start { t, q, v, lambda, psi },
        t_end,
        reference: Reference::Exact(Box::new(solution)),
        energy: None,
    }
}

/// Problem 5.1 on [0, 1].
pub fn circle() -> Problem {
    problem(
        "paper5_circle",
        "forced motion on a circle (paper 5, 5.1)",
        Box::new(Differentiated::new(Circle)),
        (0.0, 1.0),
        on_circle,
    )
}

/// Problem 5.2 on [1, 1.4], corrected.
pub fn sphere() -> Problem {
    let title = "general kinematics on a sphere (paper 5, 5.2, corrected)";
    problem("paper5_sphere", title, Box::new(Differentiated::new(Sphere)), (1.0, 1.4), on_sphere)
}
