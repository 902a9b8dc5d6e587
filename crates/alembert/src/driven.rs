//! What constraints move, along a step: no error estimate sees it.
//!
//! Estimates leave out what constraints forbid, and the place of a driven body is not free to err: the end of any step is right. A step that
//! is long enough for what is free may then hold a whole period of a table that swings, and between its ends nothing is right, neither rows nor
//! what switches and events are sampled from. So where there are any, a polynomial through the step is compared with the constraints:
//!
//! ```text
//! x(0), x(1), x'(0), x'(1)                       increments over the step: a cubic, order 4
//! and x'(theta_1), x'(theta_2) of states on the constraints, from the cubics of x and v:  degree 5, order 6, see `between`
//! defect = max_i |g_i(t, q0 o x) - r_i| / sum_j |G_ij| w_j,     w_j the tolerance of the number j, r_i what the ends leave
//! ```
//!
//! Only rows count that depend on time, or share bodies with such rows: in a crank that turns evenly the law is a straight line, and what bends is the
//! way of its pin. The defect is one of the errors of a step: at most 1 is accepted, and the next step follows it.
//!
//! The cubic costs a few evaluations of g and G. Where it is good enough for a step that is longer by all that the method allows, nothing else is
//! looked at; so short steps of low order cost no more.

use crate::between::{Weights, fill, place, rate};
use crate::equations::Equations;
use crate::integrator::mode::{Room, tools};
use crate::linear::Pattern;
use crate::method::{ErrorEstimate, Projection, StepFailure};
use crate::state::State;
use crate::system::{At, Dims, Quantity};
use crate::tolerance::Tolerance;

/// Where a step is looked at. Places without a common measure: a law that swings several times in a step may be zero at places that have one.
const LOOKS: [f64; 3] = [0.211_324_865_405_187_1, 0.471_404_520_791_031_7, 0.816_496_580_927_726];
/// Inner places of the better polynomial.
const INNER: usize = 2;
/// The powers of h with which both defects grow.
const ORDERS: [f64; 2] = [4.0, 6.0];
/// A row is zero to this many roundings of its terms.
const ROUNDINGS: f64 = 16.0;

/// Looks at steps of systems that constraints move; nothing but its first look costs anything for others.
pub(crate) struct Driven {
    /// The rows that move something, and those that share bodies with them.
    rows: Vec<bool>,
    /// The numbers that these rows move.
    moved: Vec<bool>,
    g: Vec<f64>,
    g_q: Vec<f64>,
    /// How far both ends are off the constraints, which redundant rows that contradict each other always are.
    left: [Vec<f64>; 2],
    /// The change over the step, slopes at all places, and what is between.
    change: Vec<f64>,
    slopes: Vec<f64>,
    inner: Vec<f64>,
    increments: Vec<f64>,
    state: State,
}

impl Driven {
    /// For a system of which nothing is known yet. Nearly no system needs more room.
    pub fn new() -> Self {
        Driven {
            rows: Vec::new(),
            moved: Vec::new(),
            g: Vec::new(),
            g_q: Vec::new(),
            left: Default::default(),
            change: Vec::new(),
            slopes: Vec::new(),
            inner: Vec::new(),
            increments: Vec::new(),
            state: State::zero(Dims::default()),
        }
    }

    /// Counts what constraints do in a step from one state to another among its errors.
    pub fn judge(
        &mut self,
        equations: &mut Equations,
        room: &mut Room,
        tolerance: &Tolerance,
        ends: [&State; 2],
        error: &mut ErrorEstimate,
    ) {
        let plain = ends.iter().all(|end| end.q.len() == equations.dims().q);
        let constrained = plain && equations.dims().lambda > 0;
        if !constrained || !self.look_for_drives(equations, ends).unwrap_or(false) {
            return;
        }
        let longer = error.ratio.1.min(error.limit).max(1.0);
        let (defect, order) = match self.cubic(equations, tolerance, ends) {
            Ok(defect) if defect * longer.powf(ORDERS[0]) <= 1.0 => return,
            // What cannot be evaluated between the ends is not known there; a shorter step may be.
            _ => (self.quintic(equations, room, tolerance, ends).unwrap_or(f64::INFINITY), ORDERS[1]),
        };
        // The norm behaves like h^(1/exponent).
        error.norm = error.norm.max(defect.powf(1.0 / (order * error.exponent)));
    }

    /// Rows that depend on time at one of the ends; false if there are none. What steps before have shown does not count, so that a run that is taken
    /// up again goes on as it would have.
    fn look_for_drives(&mut self, equations: &mut Equations, ends: [&State; 2]) -> Result<bool, StepFailure> {
        let nl = equations.dims().lambda;
        self.g.resize(nl, 0.0);
        self.rows.clear();
        for end in ends {
            equations.holonomic_t(end.t, &end.q, &mut self.g)?;
            if self.rows.is_empty() && self.g.iter().any(|g_t| *g_t != 0.0) {
                self.rows.resize(nl, false);
            }
            self.rows.iter_mut().zip(&self.g).for_each(|(row, g_t)| *row |= *g_t != 0.0);
        }
        if self.rows.is_empty() {
            return Ok(false);
        }
        let (tangent, dims) = (equations.tangent(), equations.dims());
        self.moved.clear();
        self.moved.resize(tangent, false);
        self.g_q.resize(equations.layout().holonomic_q.len(), 0.0);
        self.left.iter_mut().for_each(|left| left.resize(nl, 0.0));
        self.change.resize(tangent, 0.0);
        self.increments.resize(tangent, 0.0);
        self.slopes.resize((INNER + 2) * tangent, 0.0);
        self.inner.resize(INNER * tangent, 0.0);
        self.state.fit(dims);
        Ok(true)
    }

    /// The defect of the cubic through both ends.
    fn cubic(
        &mut self,
        equations: &mut Equations,
        tolerance: &Tolerance,
        ends: [&State; 2],
    ) -> Result<f64, StepFailure> {
        let [from, to] = ends;
        let n = self.change.len();
        equations.space().difference(&from.q, &to.q, &mut self.change);
        for (left, end) in self.left.iter_mut().zip(ends) {
            equations.holonomic(end.t, &end.q, left)?;
        }
        self.increments.fill(0.0);
        rate(equations, from, &self.increments, &mut self.slopes[..n])?;
        rate(equations, to, &self.change, &mut self.slopes[n..2 * n])?;
        self.defect(equations, tolerance, ends, 0)
    }

    /// The defect of the polynomial that also has slopes of states on the constraints; after [`cubic`](Self::cubic).
    fn quintic(
        &mut self,
        equations: &mut Equations,
        room: &mut Room,
        tolerance: &Tolerance,
        [from, to]: [&State; 2],
    ) -> Result<f64, StepFailure> {
        let (n, h) = (self.change.len(), to.t - from.t);
        self.slopes.copy_within(n..2 * n, (INNER + 1) * n);
        let mut inner = std::mem::take(&mut self.inner);
        for (j, slope) in inner.chunks_exact_mut(n).enumerate() {
            let s = place(INNER, j + 1);
            let [low, high] = [&self.slopes[..n], &self.slopes[(INNER + 1) * n..]];
            for k in 0..n {
                self.increments[k] = cubic(s, h, self.change[k], [low[k], high[k]]);
            }
            for (k, v) in self.state.v.iter_mut().enumerate() {
                *v = cubic(s, h, to.v[k] - from.v[k], [from.a[k], to.a[k]]);
            }
            fill(equations, [from, to], s, &self.increments, &mut self.state);
            self.state.t = from.t + s * h;
            let (projector, level) = tools(room, equations);
            projector.project(equations, level, &mut self.state, Projection::Full, h)?;
            equations.space().difference(&from.q, &self.state.q, &mut self.increments);
            rate(equations, &self.state, &self.increments, slope)?;
        }
        self.slopes[n..(INNER + 1) * n].copy_from_slice(&inner);
        self.inner = inner;
        self.defect(equations, tolerance, [from, to], INNER)
    }

    /// How far the polynomial with so many inner places is off the constraints, in units of the tolerance.
    fn defect(
        &mut self,
        equations: &mut Equations,
        tolerance: &Tolerance,
        [from, to]: [&State; 2],
        inner: usize,
    ) -> Result<f64, StepFailure> {
        let h = to.t - from.t;
        let pattern = equations.layout().holonomic_q.clone();
        let mut most = 0.0_f64;
        for s in LOOKS {
            let slopes = &self.slopes[..(inner + 2) * self.change.len()];
            Weights::at(inner, s).apply(h, &self.change, slopes, &mut self.increments);
            self.state.v.fill(0.0);
            fill(equations, [from, to], s, &self.increments, &mut self.state);
            self.state.t = from.t + s * h;
            let wanted = [(Quantity::Holonomic, &mut self.g[..]), (Quantity::HolonomicQ, &mut self.g_q[..])];
            equations.ask(&At::new(self.state.t, &self.state.q, &self.state.v), wanted)?;
            self.spread(&pattern);
            let (space, sizes) = (equations.space(), equations.typical());
            // A radian weighs as much as a number of size 1.
            space.coordinates(&self.state.q, 1.0, &mut self.increments);
            for (x, size) in self.increments.iter_mut().zip(&sizes.q) {
                *x = x.abs() + size;
            }
            let Tolerance { rtol, atol_q, .. } = *tolerance;
            for (i, g) in self.g.iter().enumerate().filter(|(i, _)| self.rows[*i]) {
                let (mut weight, mut terms) = (0.0, 0.0);
                // What a row does not know may be as large as it likes.
                for (j, position) in pattern.row(i).filter(|(_, position)| self.g_q[*position] != 0.0) {
                    let (slope, size) = (self.g_q[position].abs(), self.increments[j]);
                    weight += slope * (atol_q + rtol * size);
                    terms += slope * size;
                }
                let g = g - (self.left[0][i] + s * (self.left[1][i] - self.left[0][i]));
                let off = (g.abs() - ROUNDINGS * f64::EPSILON * terms).max(0.0);
                if off > 0.0 {
                    most = most.max(off / weight);
                }
            }
        }
        Ok(most)
    }

    /// Rows that share numbers with those that are driven move as these do.
    fn spread(&mut self, pattern: &Pattern) {
        loop {
            let mut grown = false;
            for i in 0..self.rows.len() {
                let enters = |(j, position): (usize, usize)| self.g_q[position] != 0.0 && self.moved[j];
                if !self.rows[i] && !pattern.row(i).any(enters) {
                    continue;
                }
                grown |= !self.rows[i];
                self.rows[i] = true;
                for (j, position) in pattern.row(i) {
                    let new = self.g_q[position] != 0.0 && !self.moved[j];
                    (self.moved[j], grown) = (self.moved[j] || new, grown || new);
                }
            }
            if !grown {
                return;
            }
        }
    }
}

/// The cubic from 0 to `change` with these slopes at its ends, at a share of h.
fn cubic(s: f64, h: f64, change: f64, [low, high]: [f64; 2]) -> f64 {
    let rest = 1.0 - s;
    s * s * (3.0 - 2.0 * s) * change + h * s * rest * (rest * low - s * high)
}
