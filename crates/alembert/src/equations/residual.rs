//! The residual of the equations of motion and of the constraints, where every implicit method spends its time:
//!
//! ```text
//! r = M(t,q) a - f(t,q,v) - r(t,q,v,lambda,psi),     c = (g(t,q) ; k(t,q,v))
//! ```
//!
//! and its derivatives S = r_q and D = r_v, which steer Newton's method. A system may give them in one pass; otherwise
//! they are put together from the parts.

use super::{Equations, Layout, NotFinite, all_finite, ask};
use crate::system::{At, Dims, Point, Quantity};

/// Where the parts of a residual are put. Systems that give residuals in one pass need them where one is not finite only, so they are made when first needed.
#[derive(Default)]
pub(super) struct Parts {
    mass: Vec<f64>,
    force: Vec<f64>,
    g_q: Vec<f64>,
    w_v: Vec<f64>,
    k_v: Vec<f64>,
}

impl Parts {
    pub fn new(layout: &Layout) -> Self {
        Parts {
            mass: vec![0.0; layout.top.len()],
            force: vec![0.0; layout.top.rows()],
            g_q: vec![0.0; layout.holonomic_q.len()],
            w_v: vec![0.0; layout.holonomic.len()],
            k_v: vec![0.0; layout.nonholonomic.len()],
        }
    }
}

impl Equations<'_> {
    /// The residual: `r` = M a - f - r(lambda, psi), `c` = (g ; k). Both arrive as zeros.
    ///
    /// What is not finite is left to the caller, who looks at many residuals at once and then asks
    /// [`residual_of_parts`](Self::residual_of_parts) which function it was.
    pub fn residual(&mut self, at: Point, a: &[f64], r: &mut [f64], c: &mut [f64]) -> Result<(), NotFinite> {
        if self.residual_in_one_pass(at, a, r, c) {
            self.count_residuals(1);
            return Ok(());
        }
        self.residual_of_parts(at, a, r, c)
    }

    /// The same where the system gives it in one pass, and false where it does not. For many residuals in a row, whose
    /// caller [counts](Self::count_residuals) them together.
    #[inline]
    pub fn residual_in_one_pass(&mut self, at: Point, a: &[f64], r: &mut [f64], c: &mut [f64]) -> bool {
        if !self.supplied.has(Quantity::Residual) {
            return false;
        }
        let (g, k) = c.split_at_mut(self.dims.lambda);
        let wanted = [(Quantity::Residual, r), (Quantity::Holonomic, g), (Quantity::Nonholonomic, k)];
        self.evaluate(&At { a, ..at.into() }, wanted);
        true
    }

    /// The residual from its parts, which must be finite.
    pub fn residual_of_parts(&mut self, at: Point, a: &[f64], r: &mut [f64], c: &mut [f64]) -> Result<(), NotFinite> {
        let mut parts = std::mem::take(&mut self.parts);
        let outcome = self.collect(at, a, r, c, &mut parts);
        self.parts = parts;
        outcome
    }

    fn collect(
        &mut self,
        at: Point,
        a: &[f64],
        r: &mut [f64],
        c: &mut [f64],
        parts: &mut Parts,
    ) -> Result<(), NotFinite> {
        let Point { t, q, v, .. } = at;
        if parts.force.is_empty() {
            *parts = Parts::new(&self.layout);
        }
        let Parts { mass, force, g_q, w_v, k_v } = parts;
        self.mass(t, q, mass)?;
        self.force(t, q, v, force)?;
        let (g, k) = c.split_at_mut(self.dims.lambda);
        if self.standard_reaction {
            ask!(self, At::new(t, q, v), HolonomicQ => &mut g_q[..], Holonomic => &mut *g)?;
            self.velocity_v(t, q, v, g_q, w_v)?;
            self.nonholonomic_v(t, q, v, k_v)?;
        } else {
            self.holonomic(t, q, g)?;
        }
        self.reaction(at, w_v, k_v, r)?;
        for (r, f) in r.iter_mut().zip(force) {
            *r = -*r - *f;
        }
        self.layout.top.multiply_add(1.0, mass, a, r);
        self.nonholonomic(t, q, v, k)
    }

    /// Residuals in one pass count like their parts.
    pub fn count_residuals(&mut self, times: u64) {
        let Dims { lambda, psi, .. } = self.dims;
        let standard = self.standard_reaction;
        let count = &mut self.evaluations;
        count.add(Quantity::Mass, times);
        count.add(Quantity::Force, times);
        count.add(Quantity::Reaction, times * u64::from(!standard));
        if lambda > 0 {
            count.add(Quantity::Holonomic, times);
            count.add(Quantity::HolonomicQ, times * u64::from(standard));
            count.add(Quantity::RateV, times * u64::from(standard && self.general_rate));
        }
        if psi > 0 {
            count.add(Quantity::Nonholonomic, times);
            count.add(Quantity::NonholonomicV, times * u64::from(standard));
        }
    }

    /// S = d/dq (M a - f - r), v by tangent; `work` is as large.
    pub fn residual_q(&mut self, at: Point, a: &[f64], out: &mut [f64], work: &mut [f64]) -> Result<(), NotFinite> {
        let Point { t, q, v, .. } = at;
        if self.supplied.has(Quantity::ResidualQ) {
            out.fill(0.0);
            self.evaluate(&At { a, ..at.into() }, [(Quantity::ResidualQ, &mut *out)]);
            if all_finite(out) {
                for quantity in [Quantity::MassQ, Quantity::ForceQ, Quantity::ReactionQ] {
                    self.evaluations.add(quantity, 1);
                }
                return Ok(());
            }
        }
        self.mass_q(t, q, a, out)?;
        self.force_q(t, q, v, work)?;
        subtract(out, work);
        self.reaction_q(at, work)?;
        subtract(out, work);
        Ok(())
    }

    /// D = d/dv (-f - r), v by v; `work` is as large.
    pub fn residual_v(&mut self, at: Point, out: &mut [f64], work: &mut [f64]) -> Result<(), NotFinite> {
        out.fill(0.0);
        self.force_v(at.t, at.q, at.v, work)?;
        subtract(out, work);
        self.reaction_v(at, work)?;
        subtract(out, work);
        Ok(())
    }
}

fn subtract(a: &mut [f64], b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= b;
    }
}
