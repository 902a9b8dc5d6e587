//! Step two: the closest velocity with g_t + G q' = 0 and k(t, q, v) = 0, at the configuration found.
//!
//! The first rows are linear in v where q' = v; k may be nonlinear, as may the first rows under a general rate. Their
//! derivative is C = (W ; K) with W = G U_v.

use std::sync::Arc;

use super::projection::Surface;
use crate::equations::{Equations, NotFinite};
use crate::linear::Pattern;

/// (g_t + G q' ; k) as a function of v.
pub(super) struct Velocities<'a, 's> {
    pub equations: &'a mut Equations<'s>,
    pub t: f64,
    pub q: &'a [f64],
    g_q: Vec<f64>,
}

impl<'a, 's> Velocities<'a, 's> {
    pub fn new(equations: &'a mut Equations<'s>, t: f64, q: &'a [f64]) -> Result<Self, NotFinite> {
        let mut g_q = vec![0.0; equations.layout().holonomic_q.len()];
        equations.holonomic_q(t, q, &mut g_q)?;
        Ok(Velocities { equations, t, q, g_q })
    }
}

impl Surface for Velocities<'_, '_> {
    fn rows(&self) -> usize {
        self.equations.dims().constraints()
    }
    fn columns(&self) -> usize {
        self.equations.dims().v
    }
    fn pattern(&self) -> Arc<Pattern> {
        self.equations.layout().rows.clone()
    }
    fn residual(&mut self, v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        let (holonomic, nonholonomic) = out.split_at_mut(self.equations.dims().lambda);
        self.equations.velocity(self.t, self.q, v, &self.g_q, holonomic)?;
        self.equations.nonholonomic(self.t, self.q, v, nonholonomic)
    }
    fn jacobian(&mut self, v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        let (holonomic, nonholonomic) = out.split_at_mut(self.equations.layout().holonomic.len());
        self.equations.velocity_v(self.t, self.q, v, &self.g_q, holonomic)?;
        self.equations.nonholonomic_v(self.t, self.q, v, nonholonomic)
    }
    fn advance(&mut self, v: &[f64], dx: &[f64], out: &mut [f64]) {
        for ((out, v), dx) in out.iter_mut().zip(v).zip(dx) {
            *out = v + dx;
        }
    }
    fn floor(&mut self, v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        // A row that the kinematics meet by themselves has no derivative, but rounds like G q'.
        if self.equations.has_general_rate() {
            let pattern = self.equations.layout().holonomic_q.clone();
            let mut rate = vec![0.0; pattern.columns()];
            self.equations.rate(self.t, self.q, v, &mut rate)?;
            let fastest = rate.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
            for (i, out) in out.iter_mut().take(pattern.rows()).enumerate() {
                *out = fastest * pattern.row(i).map(|(_, e)| self.g_q[e].abs()).sum::<f64>();
            }
        }
        Ok(())
    }
}
