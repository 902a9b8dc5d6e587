//! `solve`: states between the steps against exact ones, both sides of events, and motions that do not come to their end.

#[path = "solution/accuracy.rs"]
mod accuracy;
#[path = "solution/ends.rs"]
mod ends;
#[path = "solution/sides.rs"]
mod sides;

use alembert::{Differentiated, Dims, Formulas, Guess, Scalar, Tolerance};

fn tolerance(tol: f64) -> Tolerance {
    Tolerance::new(tol, tol).expect("in range")
}

/// A ball that falls, y'' = -10.
struct Ball;

impl Formulas for Ball {
    fn dims(&self) -> Dims {
        Dims { q: 1, v: 1, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[0] = S::from(-10.0);
    }
}

fn ball() -> Differentiated<Ball> {
    Differentiated::new(Ball)
}

/// From a height, at rest.
fn from(height: f64) -> Guess {
    Guess::new(0.0, vec![height], vec![0.0])
}
