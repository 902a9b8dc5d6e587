//! A system whose derivatives are hidden, so that they are made by differences.

use crate::linear::SolverChoice;
use crate::system::{ConstrainedSystem, Dims, Patterns, Point, Supplied};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Keep {
    Values,
    /// Also G, g_t, K and U_v: second derivatives are then differences of first ones.
    FirstDerivatives,
}

/// A system with its derivatives hidden.
pub(super) struct Masked<'s> {
    pub system: &'s dyn ConstrainedSystem,
    pub keep: Keep,
}

impl Masked<'_> {
    fn first(&self, derivative: impl FnOnce() -> Supplied) -> Supplied {
        match self.keep {
            Keep::Values => Supplied::No,
            Keep::FirstDerivatives => derivative(),
        }
    }
}

impl ConstrainedSystem for Masked<'_> {
    fn dims(&self) -> Dims {
        self.system.dims()
    }
    fn mass(&self, t: f64, q: &[f64], mass: &mut [f64]) {
        self.system.mass(t, q, mass);
    }
    fn force(&self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]) {
        self.system.force(t, q, v, force);
    }
    fn holonomic(&self, t: f64, q: &[f64], g: &mut [f64]) {
        self.system.holonomic(t, q, g);
    }
    fn nonholonomic(&self, t: f64, q: &[f64], v: &[f64], k: &mut [f64]) {
        self.system.nonholonomic(t, q, v, k);
    }
    fn reaction(&self, at: Point, r: &mut [f64]) -> Supplied {
        self.system.reaction(at, r)
    }
    fn rotations(&self) -> &[usize] {
        self.system.rotations()
    }
    fn patterns(&self) -> Option<Patterns> {
        self.system.patterns()
    }
    fn linear_solver(&self) -> SolverChoice {
        self.system.linear_solver()
    }
    fn rate(&self, t: f64, q: &[f64], v: &[f64], q_dot: &mut [f64]) -> Supplied {
        self.system.rate(t, q, v, q_dot)
    }
    fn holonomic_q(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        self.first(|| self.system.holonomic_q(t, q, out))
    }
    fn holonomic_t(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        self.first(|| self.system.holonomic_t(t, q, out))
    }
    fn nonholonomic_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.first(|| self.system.nonholonomic_v(t, q, v, out))
    }
    fn rate_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.first(|| self.system.rate_v(t, q, v, out))
    }
}
