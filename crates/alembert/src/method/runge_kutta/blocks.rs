//! The blocks of Newton's matrix, evaluated at one point of the step:
//!
//! ```text
//! M,   D = d/dv (-f - r),   S = d/dq (M a - f - r),   r_mu,   G,   K,   k_q,   and U_q, U_v under a general rate
//! ```

use crate::checkpoint::{Archive, BadCheckpoint, Keep};
use crate::equations::{Equations, Layout};
use crate::linear::Pattern;
use crate::method::StepFailure;
use crate::system::{Dims, Point};
use crate::turns::Turns;

pub(in crate::method) struct Blocks {
    pub dims: Dims,
    pub layout: Layout,
    /// Columns of derivatives with respect to q.
    pub nq: usize,
    pub mass: Vec<f64>,
    pub damping: Vec<f64>,
    /// v by q.
    pub stiffness: Vec<f64>,
    /// Transposed, constraints by v.
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
    /// Room for blocks of rotations, where the rates are those of a chart.
    pub turns: Option<Turns>,
    /// As large as the larger of damping and stiffness.
    work: Vec<f64>,
}

impl Keep for Blocks {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let Blocks { mass, damping, stiffness, r_mu, g_q, c_v, k_q, u_v, u_q, .. } = self;
        for block in [mass, damping, stiffness, r_mu, g_q, c_v, k_q, u_v, u_q] {
            block.keep(archive)?;
        }
        Ok(())
    }
}

impl Blocks {
    pub fn new(equations: &Equations) -> Self {
        let (dims, nq, layout) = (equations.dims(), equations.tangent(), equations.layout().clone());
        let general = |pattern: &Pattern| if equations.has_general_rate() { pattern.len() } else { 0 };
        Blocks {
            dims,
            nq,
            mass: vec![0.0; layout.top.len()],
            damping: vec![0.0; layout.top.len()],
            stiffness: vec![0.0; layout.top_q.len()],
            r_mu: vec![0.0; layout.rows.len()],
            g_q: vec![0.0; layout.holonomic_q.len()],
            c_v: vec![0.0; layout.rows.len()],
            k_q: vec![0.0; layout.rows_q.len()],
            u_v: vec![0.0; general(&layout.rate)],
            u_q: vec![0.0; general(&layout.rate_q)],
            turns: equations.turns(),
            work: vec![0.0; layout.top.len().max(layout.top_q.len())],
            layout,
        }
    }

    /// Evaluates everything at a point with acceleration `a`.
    pub fn evaluate(&mut self, equations: &mut Equations, at: Point, a: &[f64]) -> Result<(), StepFailure> {
        let Layout { holonomic, top, top_q, holonomic_q, .. } = &self.layout;
        let Point { t, q, v, .. } = at;
        equations.mass(t, q, &mut self.mass)?;
        equations.holonomic_q(t, q, &mut self.g_q)?;
        let (w_v, k_v) = self.c_v.split_at_mut(holonomic.len());
        equations.velocity_v(t, q, v, &self.g_q, w_v)?;
        equations.nonholonomic_v(t, q, v, k_v)?;
        equations.nonholonomic_q(t, q, v, &mut self.k_q[holonomic_q.len()..])?;
        equations.reaction_mu(at, w_v, k_v, &mut self.r_mu)?;
        equations.residual_q(at, a, &mut self.stiffness, &mut self.work[..top_q.len()])?;
        equations.residual_v(at, &mut self.damping, &mut self.work[..top.len()])?;
        if equations.has_general_rate() {
            equations.rate_v(t, q, v, &mut self.u_v)?;
            equations.rate_q(t, q, v, &mut self.u_q)?;
        }
        Ok(())
    }
}
