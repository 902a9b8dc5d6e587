//! A skate on a slope whose edge is held twice, the second time with another factor.

use alembert::{Differentiated, Dims, Formulas, Guess, Redundancy, Scalar};

#[derive(Clone, Debug)]
pub struct Skate {
    factors: &'static [f64],
    redundancy: Redundancy,
}

impl Skate {
    pub fn system(factors: &'static [f64], redundancy: Redundancy) -> Differentiated<Skate> {
        Differentiated::new(Skate { factors, redundancy })
    }

    pub fn guess() -> Guess {
        Guess::new(0.0, vec![0.0, 0.0, 0.4], vec![0.4_f64.cos(), 0.4_f64.sin(), 1.5])
    }
}

impl Formulas for Skate {
    fn dims(&self) -> Dims {
        Dims { q: 3, v: 3, lambda: 0, psi: self.factors.len() }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[4], mass[8]) = (S::from(1.0), S::from(1.0), S::from(0.2));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[0] = S::from(2.0);
    }
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
        let (sin, cos) = q[2].sin_cos();
        for (k, factor) in k.iter_mut().zip(self.factors) {
            *k = (sin * v[0] - cos * v[1]) * *factor;
        }
    }
    fn redundancy(&self) -> Redundancy {
        self.redundancy
    }
}
