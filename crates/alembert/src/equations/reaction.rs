//! The reaction r(t,q,v,lambda,psi): the system's own, or the standard one from W and K at hand,
//!
//! ```text
//! r = -W^T lambda - K^T psi,      W = d/dv (g_t + G q')
//! ```

use super::{Equations, NotFinite};
use crate::system::{Point, Quantity};

impl Equations<'_> {
    /// r, from W = d/dv (g_t + G q') and K where the reaction is the standard one.
    pub fn reaction(&mut self, at: Point, w_v: &[f64], k_v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        if self.standard_reaction {
            out.fill(0.0);
            return self.add_reaction(at, w_v, k_v, out);
        }
        self.value(Quantity::Reaction, &at.into(), out)
    }

    /// Adds r to `out`.
    pub fn add_reaction(&mut self, at: Point, w_v: &[f64], k_v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        if self.standard_reaction {
            self.layout.holonomic.multiply_transposed_add(-1.0, w_v, at.lambda, out);
            self.layout.nonholonomic.multiply_transposed_add(-1.0, k_v, at.psi, out);
            return Ok(());
        }
        let mut r = self.take_buffer(out.len());
        let outcome = self.reaction(at, w_v, k_v, &mut r);
        out.iter_mut().zip(&r).for_each(|(out, r)| *out += r);
        self.give_buffer(r);
        outcome
    }

    /// w = c (g_t + G q') where `w` holds g_t, and adds the reactions of two sets of multipliers at the same point: one sweep over G where the
    /// reaction is the standard one.
    pub fn velocity_and_reactions(
        &mut self,
        [at, other]: [Point; 2],
        w_v: &[f64],
        k_v: &[f64],
        (c, w): (f64, &mut [f64]),
        [out, out_other]: [&mut [f64]; 2],
    ) -> Result<(), NotFinite> {
        if !self.standard_reaction || self.general_rate || self.layout.holonomic.is_dense() {
            self.add_turning(at.t, at.q, at.v, w_v, w)?;
            w.iter_mut().for_each(|w| *w *= c);
            self.add_reaction(at, w_v, k_v, out)?;
            return self.add_reaction(other, w_v, k_v, out_other);
        }
        self.layout.holonomic.multiply_both_ways(c, w_v, at.v, w, [at.lambda, other.lambda], [out, out_other]);
        self.layout.nonholonomic.multiply_transposed_add(-1.0, k_v, at.psi, out);
        self.layout.nonholonomic.multiply_transposed_add(-1.0, k_v, other.psi, out_other);
        Ok(())
    }
}
