//! Any system in other units: q' = s q by coordinate, t' = tau t, energies times epsilon, constraints times sigma.
//!
//! ```text
//! M' = epsilon tau^2 M/(s_i s_j),   f' = epsilon f/s,   g' = sigma g,   lambda' = epsilon lambda/sigma
//! ```

use alembert::{Differentiated, Dims, Formulas, Guess, Scalar, State};

#[derive(Clone)]
pub struct Units {
    pub s: Vec<f64>,
    pub tau: f64,
    pub epsilon: f64,
    pub sigma: f64,
}

impl Units {
    /// Lengths, times and masses in other units; `powers` says in which power a coordinate has the length.
    pub fn new(powers: &[i32], length: f64, time: f64, mass: f64) -> Self {
        let s = powers.iter().map(|power| length.powi(*power)).collect();
        Units { s, tau: time, epsilon: mass * length * length / (time * time), sigma: length * length }
    }

    pub fn q(&self, q: &[f64]) -> Vec<f64> {
        q.iter().zip(&self.s).map(|(q, s)| q * s).collect()
    }

    pub fn v(&self, v: &[f64]) -> Vec<f64> {
        v.iter().zip(&self.s).map(|(v, s)| v * s / self.tau).collect()
    }

    /// A state in the units of the inner system.
    pub fn back(&self, state: &State) -> State {
        let scaled = |x: &[f64], power: i32| {
            x.iter().zip(&self.s).map(|(x, s)| x / s * self.tau.powi(power)).collect::<Vec<f64>>()
        };
        State {
            t: state.t / self.tau,
            q: scaled(&state.q, 0),
            v: scaled(&state.v, 1),
            a: scaled(&state.a, 2),
            lambda: state.lambda.iter().map(|x| x * self.sigma / self.epsilon).collect(),
            psi: state.psi.clone(),
        }
    }

    pub fn system<F: Formulas + Sync + Send>(&self, inner: F) -> Differentiated<InUnits<F>> {
        Differentiated::new(InUnits { inner, units: self.clone() })
    }

    pub fn guess(&self, q: &[f64], v: &[f64]) -> Guess {
        Guess::new(0.0, self.q(q), self.v(v))
    }
}

pub struct InUnits<F> {
    inner: F,
    units: Units,
}

impl<F: Formulas> InUnits<F> {
    fn inside<S: Scalar>(&self, x: &[S], tau: f64) -> Vec<S> {
        x.iter().zip(&self.units.s).map(|(x, s)| *x * (tau / s)).collect()
    }
}

impl<F: Formulas> Formulas for InUnits<F> {
    fn dims(&self) -> Dims {
        self.inner.dims()
    }
    fn mass<S: Scalar>(&self, t: S, q: &[S], mass: &mut [S]) {
        let Units { s, tau, epsilon, .. } = &self.units;
        self.inner.mass(t * (1.0 / tau), &self.inside(q, 1.0), mass);
        for (e, mass) in mass.iter_mut().enumerate() {
            *mass = *mass * (epsilon * tau * tau / (s[e / s.len()] * s[e % s.len()]));
        }
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]) {
        let Units { s, tau, epsilon, .. } = &self.units;
        self.inner.force(t * (1.0 / tau), &self.inside(q, 1.0), &self.inside(v, *tau), force);
        force.iter_mut().zip(s).for_each(|(f, s)| *f = *f * (epsilon / s));
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        self.inner.holonomic(t * (1.0 / self.units.tau), &self.inside(q, 1.0), g);
        g.iter_mut().for_each(|g| *g = *g * self.units.sigma);
    }
}
