//! Step one under a general rate q' = U(t, q, v) that does not reach every direction: the closest configuration with
//! g(t, q) = 0 that the kinematics lead to.
//!
//! A quaternion written by hand, p' = p w/2, keeps its length for ever: q moves on a leaf of all configurations, and the model
//! means the leaf of the guess. A displacement that leaves it would shrink what the quaternion turns. So q moves along the flow
//!
//! ```text
//! dq/ds = U_v(t, q, v) w,   s from 0 to 1      q1 = q0 + ds U_v(t, (q0 + q1)/2, v) w    for each part ds of it
//! ```
//!
//! and w is what is sought; g has the derivative G U_v in it. The implicit midpoint rule keeps quadratic invariants to rounding:
//! lengths of quaternions and all entries of R^T R. What is least is the kinetic energy of w.
//!
//! Constraints that the kinematics keep by themselves (G U_v = 0: the length of the quaternion, written down) say which leaf
//! it is. Where the guess is not on it, q is moved there first, in all directions; how far is told in
//! [`Report::beyond_kinematics`](super::Report::beyond_kinematics). So is the displacement of a guess that can be repaired in
//! no other way. Where U_v is the same everywhere, the leaves are parallel planes. Changing to another one then distorts nothing, and the
//! closest point is looked for in all directions. The same holds where the caller fixes or weighs coordinates.

use std::sync::Arc;

use super::projection::{Surface, length};
use crate::equations::{Equations, NotFinite};
use crate::linear::Pattern;
use crate::linear::rank::RowRank;
use crate::newton::{Criterion, Levels, Pass, STILL, repeat};
use crate::system::Dims;

/// Parts of the unit time, so that the fixed-point iteration contracts: one for each such share of the size of q.
const PART: f64 = 0.1;
const MOST_PARTS: f64 = 1000.0;
const MIDPOINT_LIMIT: usize = 60;
/// Singular values of U_v, and changes of U_v, below this count as zero.
const NONE: f64 = 1e-10;
/// A row of G U_v below this share of its terms is zero.
const ZERO: f64 = 1e-11;

/// g as a function of a flow along velocities.
pub(super) struct Leaf<'a, 's> {
    pub equations: &'a mut Equations<'s>,
    pub t: f64,
    /// The velocity at which U_v is taken.
    pub v: &'a [f64],
}

impl Leaf<'_, '_> {
    /// One part of the flow; None where it cannot be evaluated.
    fn portion(&mut self, q: &mut [f64], w: &[f64], u_v: &mut [f64]) -> Option<()> {
        let n = w.len();
        let start = q.to_vec();
        // It contracts to rounding, where it stands still or goes to and fro.
        repeat(&Criterion::ORDINARY, Pass { limit: MIDPOINT_LIMIT, slow: STILL }, || {
            let middle: Vec<f64> = start.iter().zip(&*q).map(|(a, b)| 0.5 * (a + b)).collect();
            self.equations.rate_v(self.t, &middle, self.v, u_v).ok().ok_or(())?;
            let mut change = 0.0_f64;
            for ((q, start), row) in q.iter_mut().zip(&start).zip(u_v.chunks_exact(n)) {
                let moved = start + row.iter().zip(w).map(|(u, w)| u * w).sum::<f64>();
                change = change.max((moved - *q).abs());
                *q = moved;
            }
            Ok::<_, ()>((change, Levels::default()))
        })
        .ok()?;
        Some(())
    }
}

impl Surface for Leaf<'_, '_> {
    fn rows(&self) -> usize {
        self.equations.dims().lambda
    }
    fn columns(&self) -> usize {
        self.equations.dims().v
    }
    fn pattern(&self) -> Arc<Pattern> {
        Arc::new(Pattern::dense(self.rows(), self.columns()))
    }
    fn residual(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        self.equations.holonomic(self.t, q, out)
    }
    fn jacobian(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        let mut g_q = vec![0.0; self.rows() * self.equations.tangent()];
        self.equations.holonomic_q(self.t, q, &mut g_q)?;
        self.equations.velocity_v(self.t, q, self.v, &g_q, out)
    }
    fn floor(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        let columns = self.equations.tangent();
        let mut g_q = vec![0.0; self.rows() * columns];
        self.equations.holonomic_q(self.t, q, &mut g_q)?;
        let reach = q.iter().fold(1.0_f64, |max, q| max.max(q.abs()));
        for (out, row) in out.iter_mut().zip(g_q.chunks_exact(columns.max(1))) {
            *out = reach * row.iter().map(|g| g.abs()).sum::<f64>();
        }
        Ok(())
    }
    fn advance(&mut self, q: &[f64], w: &[f64], out: &mut [f64]) {
        let mut u_v = vec![0.0; q.len() * w.len()];
        out.copy_from_slice(q);
        let flow = (|| {
            self.equations.rate_v(self.t, q, self.v, &mut u_v).ok()?;
            let moved = u_v.chunks_exact(w.len().max(1)).map(|row| row.iter().zip(w).map(|(u, w)| u * w).sum::<f64>());
            let moved = moved.fold(0.0_f64, |max, x| max.max(x.abs()));
            let reach = q.iter().fold(f64::MIN_POSITIVE, |max, q| max.max(q.abs()));
            let parts = (moved / (PART * reach)).ceil().clamp(1.0, MOST_PARTS);
            let w: Vec<f64> = w.iter().map(|w| w / parts).collect();
            (0..parts as usize).try_for_each(|_| self.portion(out, &w, &mut u_v))
        })();
        if flow.is_none() {
            // The constraints refuse it, and the step is shortened.
            out.fill(f64::NAN);
        }
    }
}

/// Some of the holonomic constraints as a function of q.
pub(super) struct Part<'a, 's> {
    pub equations: &'a mut Equations<'s>,
    pub t: f64,
    pub rows: &'a [usize],
}

impl Surface for Part<'_, '_> {
    fn rows(&self) -> usize {
        self.rows.len()
    }
    fn columns(&self) -> usize {
        self.equations.tangent()
    }
    fn pattern(&self) -> Arc<Pattern> {
        Arc::new(Pattern::dense(self.rows(), self.columns()))
    }
    fn residual(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        let mut g = vec![0.0; self.equations.dims().lambda];
        self.equations.holonomic(self.t, q, &mut g)?;
        out.iter_mut().zip(self.rows).for_each(|(out, i)| *out = g[*i]);
        Ok(())
    }
    fn jacobian(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        let columns = self.columns();
        let mut g_q = vec![0.0; self.equations.dims().lambda * columns];
        self.equations.holonomic_q(self.t, q, &mut g_q)?;
        for (out, i) in out.chunks_exact_mut(columns.max(1)).zip(self.rows) {
            out.copy_from_slice(&g_q[i * columns..][..columns]);
        }
        Ok(())
    }
    fn advance(&mut self, q: &[f64], dx: &[f64], out: &mut [f64]) {
        self.equations.advance(q, dx, out);
    }
}

/// A neighbour of q without symmetry.
fn neighbour(q: &[f64]) -> Vec<f64> {
    let reach = q.iter().fold(1.0_f64, |max, q| max.max(q.abs()));
    q.iter().enumerate().map(|(j, q)| q + 1e-2 * reach * (1.0 + 1.7 * j as f64).sin()).collect()
}

/// Whether q must be kept on its leaf: there are directions that q' does not reach, and they turn with q.
pub(super) fn is_bent(equations: &mut Equations, t: f64, q: &[f64], v: &[f64]) -> Result<bool, NotFinite> {
    let Dims { q: nq, v: nv, .. } = equations.dims();
    if !equations.has_general_rate() || nq == 0 || nv == 0 {
        return Ok(false);
    }
    let (mut here, mut there) = (vec![0.0; nq * nv], vec![0.0; nq * nv]);
    equations.rate_v(t, q, v, &mut here)?;
    if equations.rate_v(t, &neighbour(q), v, &mut there).is_err() {
        return Ok(false);
    }
    let size = here.iter().chain(&there).fold(0.0_f64, |max, u| max.max(u.abs()));
    let turns = here.iter().zip(&there).any(|(a, b)| (a - b).abs() > 1e-8 * size);
    Ok(turns && RowRank::new(&here, nv, NONE).rank() < nq)
}

/// The length of the part of a displacement that q' does not reach at q.
pub(super) fn beyond(equations: &mut Equations, t: f64, q: &[f64], v: &[f64], d: &[f64]) -> Result<f64, NotFinite> {
    let Dims { q: nq, v: nv, .. } = equations.dims();
    if !equations.has_general_rate() || nq == 0 {
        return Ok(0.0);
    }
    let mut u_v = vec![0.0; nq * nv];
    equations.rate_v(t, q, v, &mut u_v)?;
    let transposed: Vec<f64> =
        (0..nv).flat_map(|j| (0..nq).map(move |i| (i, j))).map(|(i, j)| u_v[i * nv + j]).collect();
    let rest = length(&RowRank::new(&transposed, nq, NONE).tangential(d));
    Ok(if rest > NONE * length(d) { rest } else { 0.0 })
}

/// The holonomic constraints that the kinematics keep by themselves at q and near it: G U_v = 0, although G is not.
pub(super) fn invariants(equations: &mut Equations, t: f64, q: &[f64], v: &[f64]) -> Result<Vec<usize>, NotFinite> {
    let Dims { q: nq, v: nv, lambda, .. } = equations.dims();
    if !equations.has_general_rate() || lambda == 0 {
        return Ok(Vec::new());
    }
    let mut kept = vec![true; lambda];
    for q in [q.to_vec(), neighbour(q)] {
        let (mut g_q, mut u_v, mut w_v) = (vec![0.0; lambda * nq], vec![0.0; nq * nv], vec![0.0; lambda * nv]);
        equations.holonomic_q(t, &q, &mut g_q)?;
        equations.rate_v(t, &q, v, &mut u_v)?;
        equations.velocity_v(t, &q, v, &g_q, &mut w_v)?;
        let rate = u_v.iter().fold(0.0_f64, |max, u| max.max(u.abs()));
        for (i, kept) in kept.iter_mut().enumerate() {
            let terms = rate * g_q[i * nq..][..nq].iter().map(|g| g.abs()).sum::<f64>();
            *kept &= terms > 0.0 && length(&w_v[i * nv..][..nv]) <= ZERO * terms;
        }
    }
    Ok((0..lambda).filter(|i| kept[*i]).collect())
}
