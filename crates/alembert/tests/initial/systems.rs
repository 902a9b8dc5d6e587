//! Systems to start, and how to compare.

use alembert::initial::{Guess, InitialError, consistent};
use alembert::{ConstrainedSystem, Dims, Formulas, Functions, Named, Scalar, Supplied};

pub fn close(x: &[f64], y: &[f64], tolerance: f64) {
    assert_eq!(x.len(), y.len());
    assert!(x.iter().zip(y).all(|(x, y)| (x - y).abs() <= tolerance), "{x:?} is not {y:?}");
}

pub fn error(system: &dyn ConstrainedSystem, guess: &Guess) -> InitialError {
    let error = consistent(system, guess).expect_err("refused");
    let text = error.to_string();
    assert!(text.starts_with(|c: char| !c.is_uppercase()) && !text.ends_with('.'), "{text}");
    assert!(text.ends_with(&format!("hint: {}", error.hint())), "{text}");
    println!("{text}");
    error
}

/// A system put together from closures; every derivative by differences.
pub fn closures(
    dims: Dims,
    mass: &[f64],
    holonomic: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static,
) -> Functions<'static> {
    let diagonal = mass.to_vec();
    Functions::new(dims)
        .mass(move |_, _, mass| diagonal.iter().enumerate().for_each(|(i, m)| mass[i * diagonal.len() + i] = *m))
        .force(move |_, _, _, force| force[dims.v - 1] = -9.81)
        .holonomic(holonomic)
        .named(Named::Coordinate, |index| ["x", "y", "z", "w"][index].into())
}

pub fn plane(lambda: usize, holonomic: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static) -> Functions<'static> {
    closures(Dims { q: 2, v: 2, lambda, psi: 0 }, &[1.0, 1.0], holonomic)
}

/// A point in the plane with a nonholonomic constraint.
pub fn rolling(nonholonomic: impl Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync + 'static) -> Functions<'static> {
    closures(Dims { q: 2, v: 2, lambda: 0, psi: 1 }, &[1.0, 1.0], |_, _, _| {}).nonholonomic(nonholonomic)
}

pub fn pendulum() -> Functions<'static> {
    plane(1, |_, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0)
}

/// A body that turns about a point, held so that its axis e3 stays vertical; q is a quaternion.
pub struct Upright;

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
    fn rotations(&self) -> &[usize] {
        &[0]
    }
}

/// A reaction as in the first test problem of paper 1.
pub struct Paper1;

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
pub struct Paper3;

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

/// q' = B v with three coordinates and two velocities, held to a moving surface.
pub struct GeneralRate;

pub const B: [[f64; 2]; 3] = [[1.0, 0.0], [0.5, 1.0], [0.0, 2.0]];

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
