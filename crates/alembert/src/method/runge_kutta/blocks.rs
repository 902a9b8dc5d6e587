//! The blocks of Newton's matrix, evaluated at one point of the step:
//!
//! ```text
//! M,   D = d/dv (-f - r),   S = d/dq (M a - f - r),   r_mu,   G,   K,   k_q,   and U_q, U_v under a general rate
//! ```

use crate::equations::Equations;
use crate::method::StepFailure;
use crate::system::{Dims, Point};

pub(in crate::method) struct Blocks {
    pub dims: Dims,
    /// Columns of derivatives with respect to q.
    pub nq: usize,
    pub mass: Vec<f64>,
    pub damping: Vec<f64>,
    /// v by q.
    pub stiffness: Vec<f64>,
    pub r_mu: Vec<f64>,
    /// G, lambda by q.
    pub g_q: Vec<f64>,
    /// W = G U_v above K, constraints by v.
    pub c_v: Vec<f64>,
    /// Zero rows for lambda above k_q, constraints by q.
    pub k_q: Vec<f64>,
    /// U_v, q by v; empty where q' = v.
    pub u_v: Vec<f64>,
    /// U_q, q by q; empty where q' = v.
    pub u_q: Vec<f64>,
    /// v by max(q, v).
    work: Vec<f64>,
}

impl Blocks {
    pub fn new(equations: &Equations) -> Self {
        let (dims, nq) = (equations.dims(), equations.tangent());
        let (n, m, nl) = (dims.v, dims.constraints(), dims.lambda);
        let general = if equations.has_general_rate() { nq } else { 0 };
        Blocks {
            dims,
            nq,
            mass: vec![0.0; n * n],
            damping: vec![0.0; n * n],
            stiffness: vec![0.0; n * nq],
            r_mu: vec![0.0; n * m],
            g_q: vec![0.0; nl * nq],
            c_v: vec![0.0; m * n],
            k_q: vec![0.0; m * nq],
            u_v: vec![0.0; general * n],
            u_q: vec![0.0; general * nq],
            work: vec![0.0; n * nq.max(n)],
        }
    }

    /// Evaluates everything at a point with acceleration `a`.
    pub fn evaluate(&mut self, equations: &mut Equations, at: Point, a: &[f64]) -> Result<(), StepFailure> {
        let Dims { v: n, lambda: nl, .. } = self.dims;
        let Point { t, q, v, .. } = at;
        equations.mass(t, q, &mut self.mass)?;
        equations.holonomic_q(t, q, &mut self.g_q)?;
        let (w_v, k_v) = self.c_v.split_at_mut(nl * n);
        equations.velocity_v(t, q, v, &self.g_q, w_v)?;
        equations.nonholonomic_v(t, q, v, k_v)?;
        equations.nonholonomic_q(t, q, v, &mut self.k_q[nl * self.nq..])?;
        equations.reaction_mu(at, w_v, k_v, &mut self.r_mu)?;
        equations.residual_q(at, a, &mut self.stiffness, &mut self.work[..n * self.nq])?;
        equations.residual_v(at, &mut self.damping, &mut self.work[..n * n])?;
        if equations.has_general_rate() {
            equations.rate_v(t, q, v, &mut self.u_v)?;
            equations.rate_q(t, q, v, &mut self.u_q)?;
        }
        Ok(())
    }
}
