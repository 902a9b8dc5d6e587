//! Step one: the closest configuration with g(t, q) = 0.

use std::sync::Arc;

use super::projection::Surface;
use crate::equations::{Equations, NotFinite};
use crate::linear::Pattern;

/// g as a function of q.
pub(super) struct Positions<'a, 's> {
    pub equations: &'a mut Equations<'s>,
    pub t: f64,
}

impl Surface for Positions<'_, '_> {
    fn rows(&self) -> usize {
        self.equations.dims().lambda
    }
    fn columns(&self) -> usize {
        self.equations.tangent()
    }
    fn pattern(&self) -> Arc<Pattern> {
        self.equations.layout().holonomic_q.clone()
    }
    fn residual(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        self.equations.holonomic(self.t, q, out)
    }
    fn jacobian(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        self.equations.holonomic_q(self.t, q, out)
    }
    fn advance(&mut self, q: &[f64], dx: &[f64], out: &mut [f64]) {
        self.equations.advance(q, dx, out);
    }
}
