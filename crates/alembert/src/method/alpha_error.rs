//! The local error of an alpha step, from consistent accelerations A at its ends.
//!
//! ```text
//! e_q = dx - h v0 - h^2 (A0/3 + A1/6) - h^3/12 w0 * A0                (the last term for rotations)
//! e_v = v1 - v0 - h (A0 + A1)/2 + h^3/6 [ (A1 - A0)/h - (A0 - A_before)/h_before ] / (h + h_before)
//! e_v = v1 - v0 - h A0 - h^2/2 j0 - h/3 (A1 - A0 - h j0)              in the first step, with the jerk j0
//! ```
//!
//! The quadratures that are subtracted are exact to h^4 along the flow through (q0, v0), so e is the true local error to
//! leading order, whatever the parameters, the step sequence, the start or the mass matrix did. The literature's constant
//! beta - 1/(6 (1 + alpha)) holds only for a step that starts from an exact a_0.
//!
//! Then e is filtered with the step's own matrix, so that stiff modes, which the method damps, do not govern the step size:
//!
//! ```text
//! [c_m M + gamma h D + beta h^2 S   -r_mu; C] (e ; .) = ( c_m M e ; low ),   low = (0 ; K e_q) for q, -C_q e_q for v
//! ```
//!
//! Where this alone makes a step acceptable, it must have been stiff before, see [`onset`](super::onset).
//!
//! A plain projection (low = 0) would be wrong: nonholonomic constraints do not bind q, and G dv = -(G v)_q dq is as large
//! as dv.

use super::onset::Onset;
use super::{ErrorEstimate, Law, StepFailure};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::{Equations, Layout};
use crate::linear::Kkt;
use crate::state::State;
use crate::system::Dims;
use crate::tolerance::Tolerance;

/// The error aimed at: with 0.8 instead one step in twelve is rejected.
const TARGET: f64 = 0.4;

/// A rise of the error density from step to step is expected to continue, up to this factor.
const STEEPEST: f64 = 4.0;
/// A step is refused if the filter of its start leaves an error of more than this many tolerances of a step. Hundreds of other steps
/// share the tolerance of the result with it.
const ALARM: f64 = 10.0;
/// Accepted steps whose errors are remembered.
const MEMORY: usize = 2;

/// A step, seen from outside.
pub(super) struct Motion<'a> {
    pub h: f64,
    /// The increment of q.
    pub dx: &'a [f64],
    pub from: &'a State,
    pub to: &'a State,
    /// What is known of the acceleration besides A0 and A1.
    pub past: Past<'a>,
}

pub(super) enum Past<'a> {
    /// A one step back, and the length of that step.
    Before(&'a [f64], f64),
    /// The jerk at the start.
    Jerk(&'a [f64]),
}

/// Blocks of the step's matrix.
pub(super) struct Filter<'a> {
    /// Factors of [c_m M + gamma h D + beta h^2 S, -r_mu; C].
    matrix: &'a mut Kkt,
    layout: &'a Layout,
    /// sqrt(beta/c_m): the matrix is about that of M + l D + l^2 S with l = h times this.
    length: f64,
    c_m: f64,
    mass: &'a [f64],
    /// Gamma and k_q: d/dq of the velocity constraints.
    velocity_q: &'a [f64],
    nonholonomic_q: &'a [f64],
    nonholonomic_v: &'a [f64],
}

impl<'a> Filter<'a> {
    /// From the factors, c_m and beta, M, the rows C, Gamma and k_q.
    pub fn new(
        matrix: &'a mut Kkt,
        layout: &'a Layout,
        (c_m, beta): (f64, f64),
        mass: &'a [f64],
        c_v: &'a [f64],
        velocity_q: &'a [f64],
        nonholonomic_q: &'a [f64],
    ) -> Self {
        let length = (beta / c_m).sqrt();
        Filter {
            matrix,
            layout,
            length,
            c_m,
            mass,
            velocity_q,
            nonholonomic_q,
            nonholonomic_v: &c_v[velocity_q.len()..],
        }
    }
}

/// Buffers of the estimate.
pub(super) struct LocalError {
    dims: Dims,
    e_q: Vec<f64>,
    e_v: Vec<f64>,
    rhs: Vec<f64>,
    /// e_q and e_v before they are filtered.
    raw_q: Vec<f64>,
    raw_v: Vec<f64>,
    pub onset: Onset,
    /// norm/h^3 of the attempt, and of the last accepted steps, latest first.
    density: f64,
    recent: [f64; MEMORY],
}

impl Keep for LocalError {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let [last, before] = &mut self.recent;
        keep!(archive; *last, *before, self.onset)
    }
}

impl LocalError {
    pub fn new(equations: &Equations) -> Self {
        let dims = equations.dims();
        LocalError {
            dims,
            e_q: vec![0.0; dims.v],
            e_v: vec![0.0; dims.v],
            rhs: vec![0.0; dims.v + dims.constraints()],
            raw_q: vec![0.0; dims.v],
            raw_v: vec![0.0; dims.v],
            onset: Onset::new(equations, ALARM),
            density: 0.0,
            recent: [0.0; MEMORY],
        }
    }

    /// (e_q, e_v) of the last estimate, filtered.
    pub fn vectors(&self) -> (&[f64], &[f64]) {
        (&self.e_q, &self.e_v)
    }

    /// Forgets the past.
    pub fn restart(&mut self) {
        self.recent = [0.0; MEMORY];
        self.onset.restart();
    }

    /// The attempt has been accepted.
    pub fn accept(&mut self) {
        self.recent.rotate_right(1);
        self.recent[0] = self.density;
        self.onset.accept();
    }

    /// The largest h_next/h after an attempt with this norm. The error of an oscillation passes through zero, which is no reason for
    /// longer steps; and a density that has risen is taken to rise again.
    fn limit(&self, norm: f64) -> f64 {
        let allowed = |rise: f64| (TARGET / (norm * rise)).cbrt();
        let past = self.recent.iter().fold(self.density, |max, density| max.max(*density));
        let rise = (self.density / self.recent[0]).clamp(1.0, STEEPEST);
        let growth = allowed(past / self.density).max(1.0);
        if self.recent[0] > 0.0 { growth.min(allowed(rise).max(0.5)) } else { growth }
    }

    /// The estimate, in units of the tolerance.
    ///
    /// # Errors
    /// If the system cannot be evaluated at the start of the step.
    pub fn estimate(
        &mut self,
        equations: &mut Equations,
        motion: &Motion,
        filter: Filter,
        tolerance: &Tolerance,
    ) -> Result<ErrorEstimate, StepFailure> {
        self.raw(motion);
        let Motion { h, from, .. } = *motion;
        equations.space().subtract_commutator(h * h * h / 12.0, &from.v, &from.a, &mut self.e_q);
        self.raw_q.copy_from_slice(&self.e_q);
        self.raw_v.copy_from_slice(&self.e_v);
        let length = filter.length * h;
        self.filter(filter);
        let LocalError { e_q, e_v, raw_q, raw_v, onset, .. } = self;
        let measure = |equations: &Equations, e_q: &[f64], e_v: &[f64]| norm(equations, tolerance, motion, e_q, e_v);
        let norms = [measure(equations, raw_q, raw_v), measure(equations, e_q, e_v)];
        let norm = onset.norm(norms, equations, (from, length), |onset, equations| {
            onset.damp(raw_q);
            onset.damp(raw_v);
            measure(equations, raw_q, raw_v)
        })?;
        self.density = norm / (h * h * h);
        Ok(ErrorEstimate {
            norm,
            exponent: 1.0 / 3.0,
            law: Law::ProportionalIntegral { target: TARGET },
            // Growth beyond 2 is not only bold: with stiff modes alternating ratios of 2.6 are unstable at rho 0.
            ratio: (0.2, 2.0),
            keep: 1.0,
            limit: self.limit(norm),
        })
    }

    fn raw(&mut self, motion: &Motion) {
        let Motion { h, dx, from, to, ref past } = *motion;
        for i in 0..self.dims.v {
            let (a0, a1) = (from.a[i], to.a[i]);
            let dv = to.v[i] - from.v[i];
            self.e_q[i] = dx[i] - h * from.v[i] - h * h * (a0 / 3.0 + a1 / 6.0);
            self.e_v[i] = match past {
                Past::Before(before, h_before) => {
                    let bend = ((a1 - a0) / h - (a0 - before[i]) / h_before) / (h + h_before);
                    dv - 0.5 * h * (a0 + a1) + h * h * h / 6.0 * bend
                }
                Past::Jerk(jerk) => {
                    let j = jerk[i];
                    dv - h * a0 - 0.5 * h * h * j - h / 3.0 * (a1 - a0 - h * j)
                }
            };
        }
    }

    fn filter(&mut self, filter: Filter) {
        let Dims { v: n, lambda: nl, .. } = self.dims;
        let LocalError { e_q, e_v, rhs, .. } = self;
        let Filter { matrix, layout, c_m, mass, velocity_q, nonholonomic_q, nonholonomic_v, .. } = filter;
        let mut solve = |e: &[f64], rhs: &mut [f64]| {
            layout.top.multiply(mass, e, &mut rhs[..n]);
            rhs[..n].iter_mut().for_each(|x| *x *= c_m);
            matrix.solve(rhs);
        };
        rhs[n..n + nl].fill(0.0);
        layout.nonholonomic.multiply(nonholonomic_v, e_q, &mut rhs[n + nl..]);
        solve(e_q, rhs);
        e_q.copy_from_slice(&rhs[..n]);
        layout.holonomic.multiply(velocity_q, e_q, &mut rhs[n..n + nl]);
        layout.nonholonomic.multiply(nonholonomic_q, e_q, &mut rhs[n + nl..]);
        rhs[n..].iter_mut().for_each(|x| *x = -*x);
        solve(e_v, rhs);
        e_v.copy_from_slice(&rhs[..n]);
    }
}

/// The norm of changes of q and v in a step, relative to the larger of both ends.
fn norm(equations: &Equations, tolerance: &Tolerance, motion: &Motion, e_q: &[f64], e_v: &[f64]) -> f64 {
    let Motion { from, to, .. } = motion;
    let (space, sizes) = (equations.space(), equations.typical());
    let norm_q = |q: &[f64]| space.norm(tolerance, e_q, q, sizes);
    let norm_v = |v: &[f64]| tolerance.norm_v(e_v, v, sizes);
    let norm_q = norm_q(&from.q).min(norm_q(&to.q));
    let norm_v = norm_v(&from.v).min(norm_v(&to.v));
    norm_q.max(norm_v).max(f64::MIN_POSITIVE)
}
