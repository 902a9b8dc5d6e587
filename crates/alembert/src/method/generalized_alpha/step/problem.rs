//! The equations of one SOI2 step, solved in two halves with matrices of size n + m.
//!
//! With x = da~, w = da - da~, nu = dmu - dmu~ the difference of the two halves of (14) contains neither stiffness nor
//! damping, so Newton's method splits:
//!
//! ```text
//! difference   [M  -r_mu; C] (w ; nu/c_m) = ( -(R - R~)/c_m ; c~ - c - (E x ; 0) )
//! position     [A  -r_mu; (G T ; K + (beta h/gamma) k_q T)] (x ; dmu~) = ( -R~ - gamma h D w0 ; -c~ )
//!
//! E = (beta h/gamma) Gamma T - G (T - I),   T the tangent of the increment of q: I without rotations
//! A = c_m M + gamma h D + beta h^2 (S T - D Y),   Y = (gamma/(beta h)) N E,   [M -r_mu; C] (N ; .) = (0 ; I ; 0)
//! c_m = (1-am)/(1-af),   c~ = (g/(beta h^2) ; k(v~)/(gamma h)),   c = ((g_t + G v1)/(gamma h) ; k(v1)/(gamma h))
//! ```
//!
//! w0 is w at x = 0. S = -(f+r)_q leaves out M_q a, because M is frozen in the step; D = -(f+r)_v. What is dropped is of
//! the size of mu - mu~ and v - v~. Y keeps stiff dampers from spoiling the convergence; it is skipped where D = 0.
//! Without holonomic constraints both halves are the same and only the position half is solved.

use super::{Blocks, Coefficients, Halves, Known, Rung};
use crate::equations::Equations;
use crate::linear::Bordered;
use crate::method::matrix::negate_sum;
use crate::method::{StepFailure, linearization_price};
use crate::newton::NonlinearProblem;
use crate::state::State;
use crate::stats::Residuals;
use crate::system::{Dims, Point};
use crate::tolerance::{Tolerance, largest};

/// Relative residuals of the constraints that are left alone, and iterations to get there at most.
const SETTLED: f64 = 8e-12;
const SETTLE_LIMIT: usize = 6;
/// Contraction of these residuals beyond which factors are renewed.
const SLOW: f64 = 0.1;

/// A step bound to its equations.
pub(in crate::method) struct Problem<'a, 's> {
    pub(super) halves: &'a mut Halves,
    pub(super) equations: &'a mut Equations<'s>,
    pub(super) now: &'a State,
    pub(super) tolerance: &'a Tolerance,
}

impl Problem<'_, '_> {
    /// q1, v~, v1 of the iterate.
    fn place(&mut self) {
        let Halves { coefficients, h, iterate, dx_known, v_known, at, known_of, .. } = &mut *self.halves;
        let Coefficients { beta, gamma, .. } = *coefficients;
        let (by_q, by_v) = (*h * *h * beta, *h * gamma);
        let moved = |to: &mut [f64], known: &[f64], c: f64, a: &[f64]| {
            to.iter_mut().zip(known.iter().zip(a)).for_each(|(to, (known, a))| *to = known + c * a);
        };
        moved(&mut at.dx, dx_known, by_q, &iterate.a_tilde);
        moved(&mut at.v_tilde, v_known, by_v, &iterate.a_tilde);
        moved(&mut at.v, v_known, by_v, &iterate.a);
        self.equations.advance(&self.now.q, &at.dx, &mut at.q);
        *known_of = Known::Place;
    }

    /// Forces and constraints at the iterate.
    fn evaluate_constraints(&mut self) -> Result<(), StepFailure> {
        if self.halves.known_of >= Known::Constraints {
            return Ok(());
        }
        if self.halves.known_of < Known::Place {
            self.place();
        }
        let Halves { coefficients, dims, layout, split, h, at, known_of, .. } = &mut *self.halves;
        let (nl, holonomic) = (dims.lambda, layout.holonomic.len());
        let (t, h, gamma, beta) = (self.now.t + *h, *h, coefficients.gamma, coefficients.beta);
        let equations = &mut *self.equations;
        let (g, k_tilde) = at.constraint_tilde.split_at_mut(nl);
        let (w_v, k_v) = at.c_v.split_at_mut(holonomic);
        equations.force(t, &at.q, &at.v, &mut at.force)?;
        equations.holonomic_and_q(t, &at.q, g, w_v)?;
        equations.nonholonomic_v(t, &at.q, &at.v, k_v)?;
        equations.nonholonomic(t, &at.q, &at.v_tilde, k_tilde)?;
        let scale = |c: &mut [f64], by: f64| c.iter_mut().for_each(|c| *c *= by);
        scale(g, 1.0 / (beta * h * h));
        scale(k_tilde, 1.0 / (gamma * h));
        if *split {
            let (w, k) = at.constraint.split_at_mut(nl);
            equations.velocity(t, &at.q, &at.v, w_v, w)?;
            equations.nonholonomic(t, &at.q, &at.v, k)?;
            scale(&mut at.constraint, 1.0 / (gamma * h));
        }
        *known_of = Known::Constraints;
        Ok(())
    }

    /// Residuals of both halves at the iterate.
    fn evaluate(&mut self) -> Result<(), StepFailure> {
        self.evaluate_constraints()?;
        if self.halves.known_of == Known::Residuals {
            return Ok(());
        }
        let Halves { c_m, dims, layout, split, h, iterate, known, at, blocks, known_of, .. } = &mut *self.halves;
        let (t, nl) = (self.now.t + *h, dims.lambda);
        let (w_v, k_v) = at.c_v.split_at(layout.holonomic.len());
        let equations = &mut *self.equations;
        let mut half = |mu: &[f64], a: &[f64], residual: &mut [f64]| -> Result<(), StepFailure> {
            let (lambda, psi) = mu.split_at(nl);
            let point = Point { t, q: &at.q, v: &at.v, lambda, psi };
            equations.reaction(point, w_v, k_v, residual)?;
            for (r, (known, force)) in residual.iter_mut().zip(known.iter().zip(&at.force)) {
                *r = known - force - *r;
            }
            layout.top.multiply_add(*c_m, &blocks.mass, a, residual);
            Ok(())
        };
        half(&iterate.mu_tilde, &iterate.a_tilde, &mut at.residual_tilde)?;
        if *split {
            half(&iterate.mu, &iterate.a, &mut at.residual)?;
        }
        *known_of = Known::Residuals;
        Ok(())
    }

    /// Solves the difference half for the position correction in `x`; w and nu/c_m are left in `rhs`.
    fn difference_half(&mut self, with_x: bool) {
        let Halves { coefficients, c_m, dims, layout, h, at, blocks, rhs, x, difference, .. } = &mut *self.halves;
        let n = dims.v;
        for i in 0..n {
            rhs[i] = -(at.residual[i] - at.residual_tilde[i]) / *c_m;
        }
        for (i, rhs) in rhs[n..].iter_mut().enumerate() {
            *rhs = at.constraint_tilde[i] - at.constraint[i];
        }
        if with_x {
            let factor = coefficients.beta * *h / coefficients.gamma;
            layout.holonomic.multiply_add(-factor, &blocks.velocity_q, x, &mut rhs[n..]);
            if !blocks.turn.is_empty() {
                layout.rows.multiply_add(*h, &blocks.turn, x, &mut rhs[n..]);
            }
        }
        difference.solve(rhs);
    }

    /// D Y; the difference half's factors must be there.
    fn couple_damping(&mut self) {
        let Halves { coefficients, dims, blocks, rhs, difference, .. } = &mut *self.halves;
        let Dims { v: n, lambda: nl, .. } = *dims;
        let Blocks { damping, damping_y, velocity_q, turn, work, .. } = blocks;
        let ratio = coefficients.gamma / coefficients.beta;
        work.fill(0.0);
        for i in 0..nl {
            rhs.fill(0.0);
            rhs[n + i] = 1.0;
            difference.solve(rhs);
            let gamma_row = &velocity_q[i * n..(i + 1) * n];
            for (y_row, normal) in work.chunks_exact_mut(n).zip(&*rhs) {
                for (y, gamma) in y_row.iter_mut().zip(gamma_row) {
                    *y += normal * gamma;
                }
                for (y, turn) in y_row.iter_mut().zip(turn.chunks_exact(n).nth(i).unwrap_or_default()) {
                    *y -= ratio * normal * turn;
                }
            }
        }
        for (d_row, out) in damping.chunks_exact(n).zip(damping_y.chunks_exact_mut(n)) {
            out.fill(0.0);
            for (d, y_row) in d_row.iter().zip(work.chunks_exact(n)).filter(|(d, _)| **d != 0.0) {
                for (out, y) in out.iter_mut().zip(y_row) {
                    *out += d * y;
                }
            }
        }
    }
}

impl NonlinearProblem for Problem<'_, '_> {
    type Failure = StepFailure;

    fn rewind(&mut self) {
        let Halves { iterate, predictor, known_of, .. } = &mut *self.halves;
        iterate.assign(predictor);
        *known_of = Known::Nothing;
    }

    fn linearize(&mut self) -> Result<(), StepFailure> {
        // Residuals first: where a function cannot be evaluated, it is the function that is named, not its derivative.
        self.evaluate()?;
        {
            let Halves { dims, layout, h, iterate, at, blocks, .. } = &mut *self.halves;
            let (nl, holonomic) = (dims.lambda, layout.holonomic.len());
            let t = self.now.t + *h;
            let (lambda, psi) = iterate.mu.split_at(nl);
            let point = Point { t, q: &at.q, v: &at.v, lambda, psi };
            let equations = &mut *self.equations;
            blocks.c_v.copy_from_slice(&at.c_v);
            equations.nonholonomic_q(t, &at.q, &at.v, &mut blocks.rows_q[holonomic..])?;
            let (w_v, k_v) = blocks.c_v.split_at(holonomic);
            equations.reaction_mu(point, w_v, k_v, &mut blocks.r_mu)?;
            equations.force_q(t, &at.q, &at.v, &mut blocks.stiffness)?;
            equations.reaction_q(point, &mut blocks.work)?;
            negate_sum(&mut blocks.stiffness, &blocks.work);
            equations.force_v(t, &at.q, &at.v, &mut blocks.damping)?;
            equations.reaction_v(point, &mut blocks.work)?;
            negate_sum(&mut blocks.damping, &blocks.work);
            blocks.damped = blocks.damping.iter().any(|d| *d != 0.0);
            let space = equations.space();
            space.turn_columns(&at.dx, &mut blocks.stiffness);
            space.turn_columns(&at.dx, &mut blocks.rows_q);
            if !space.is_flat() {
                // The turn grows with h: per unit of h it serves other steps as well.
                blocks.turn[..holonomic].copy_from_slice(&at.c_v[..holonomic]);
                space.turn_columns(&at.dx, &mut blocks.turn[..holonomic]);
                for (turn, g_q) in blocks.turn[..holonomic].iter_mut().zip(&at.c_v) {
                    *turn = (*turn - g_q) / *h;
                }
            }
        }
        if self.halves.split {
            self.halves.choose_rung();
            let Halves { h, at, blocks, difference, ladder, .. } = &mut *self.halves;
            let pair = ladder.rung() == Rung::Two;
            self.equations.velocity_q(self.now.t + *h, &at.q, &at.v, &mut blocks.velocity_q)?;
            self.equations.space().turn_columns(&at.dx, &mut blocks.velocity_q);
            if pair {
                difference.factor(Bordered {
                    top: &[(1.0, &blocks.mass)],
                    border: &blocks.r_mu,
                    rows: &[(1.0, &blocks.c_v)],
                    corner: None,
                })?;
            }
            if blocks.damped && !blocks.damping_y.is_empty() {
                self.couple_damping();
            }
        }
        self.halves.factor_position()
    }

    fn iterate(&mut self) -> Result<f64, StepFailure> {
        self.evaluate()?;
        if self.halves.split && self.halves.ladder.rung() != Rung::Two {
            self.both_halves();
        } else {
            self.in_turn();
        }
        self.measure()
    }

    fn rounding(&self) -> f64 {
        self.halves.rounding
    }

    fn price(&self) -> usize {
        linearization_price(self.halves.dims.v)
    }
}

impl Problem<'_, '_> {
    /// Corrects both halves with one matrix: that of the position half for both, or the doubled one. Leaves da~ in `rhs`,
    /// da and dmu in `other`.
    fn both_halves(&mut self) {
        let Halves { ladder, position, doubled, rhs, other, at, iterate, .. } = &mut *self.halves;
        let n = at.v.len();
        let negate = |to: &mut [f64], x: &[f64]| to.iter_mut().zip(x).for_each(|(to, x)| *to = -x);
        let fill = |rhs: &mut [f64], r: &[f64], c: &[f64]| {
            let (motion, constraints) = rhs.split_at_mut(r.len());
            negate(motion, r);
            negate(constraints, c);
        };
        fill(rhs, &at.residual_tilde, &at.constraint_tilde);
        fill(other, &at.residual, &at.constraint);
        match doubled {
            Some(doubled) if ladder.rung() == Rung::Doubled => {
                other.iter_mut().zip(&*rhs).for_each(|(other, rhs)| *other -= rhs);
                doubled.solve(rhs, other);
                other.iter_mut().zip(&*rhs).for_each(|(other, rhs)| *other += rhs);
            }
            _ => position.solve_two(rhs, other),
        }
        let add = |to: &mut [f64], d: &[f64]| to.iter_mut().zip(d).for_each(|(to, d)| *to += d);
        add(&mut iterate.a_tilde, &rhs[..n]);
        add(&mut iterate.mu_tilde, &rhs[n..]);
        add(&mut iterate.mu, &other[n..]);
    }

    /// Corrects the position half, and the difference with the factors of its own. Leaves the same.
    fn in_turn(&mut self) {
        let n = self.halves.dims.v;
        let Coefficients { gamma, .. } = self.halves.coefficients;
        let h = self.halves.h;
        let split = self.halves.split;
        let damped = split && self.halves.blocks.damped;
        if damped {
            self.difference_half(false);
            let Halves { layout, rhs, other, blocks, .. } = &mut *self.halves;
            layout.top.multiply(&blocks.damping, &rhs[..n], &mut other[..n]);
        }
        {
            let Halves { position, rhs, other, x, at, iterate, .. } = &mut *self.halves;
            for i in 0..n {
                rhs[i] = -at.residual_tilde[i] - if damped { gamma * h * other[i] } else { 0.0 };
            }
            for (rhs, c) in rhs[n..].iter_mut().zip(&at.constraint_tilde) {
                *rhs = -c;
            }
            position.solve(rhs);
            x.copy_from_slice(&rhs[..n]);
            for (a, x) in iterate.a_tilde.iter_mut().zip(&*x) {
                *a += x;
            }
            other.copy_from_slice(rhs);
            for ((tilde, mu), d) in iterate.mu_tilde.iter_mut().zip(&mut iterate.mu).zip(&rhs[n..]) {
                *tilde += d;
                *mu += d;
            }
        }
        if split {
            self.difference_half(true);
            let Halves { c_m, rhs, other, x, iterate, .. } = &mut *self.halves;
            let (change, dmu) = other.split_at_mut(n);
            for (change, w) in change.iter_mut().zip(&*rhs) {
                *change += w;
            }
            for ((mu, d), nu) in iterate.mu.iter_mut().zip(dmu).zip(&rhs[n..]) {
                *mu += *c_m * nu;
                *d += *c_m * nu;
            }
            rhs[..n].copy_from_slice(x);
        }
    }

    /// Moves the iterate by the correction and returns its size.
    fn measure(&mut self) -> Result<f64, StepFailure> {
        let Coefficients { beta, gamma, .. } = self.halves.coefficients;
        let h = self.halves.h;
        let Halves { iterate, other, .. } = &mut *self.halves;
        for (a, d) in iterate.a.iter_mut().zip(&*other) {
            *a += d;
        }
        self.place();
        let Halves { layout, rhs, other, x, at, blocks, .. } = &mut *self.halves;
        let (change, dmu) = other.split_at(x.len());
        let by_q = beta * h * h * self.equations.space().norm(self.tolerance, &rhs[..x.len()], &at.q);
        let mut size = by_q.max(gamma * h * self.tolerance.norm_v(change, &at.v));
        if !self.equations.has_standard_reaction() && !dmu.is_empty() {
            // Where constraints hold q and v, a reaction nonlinear in the multipliers is seen by none of the above: what its
            // change would do to v in a step.
            x.fill(0.0);
            layout.rows.multiply_transposed_add(gamma * h, &blocks.r_mu, dmu, x);
            for (i, x) in x.iter_mut().enumerate() {
                let mass = layout.top.position(i, i).map_or(0.0, |e| blocks.mass[e].abs());
                *x /= mass.max(f64::MIN_POSITIVE);
            }
            size = size.max(self.tolerance.norm_v(x, &at.v));
        }
        Ok(size)
    }

    /// Iterates on until the constraints are met to rounding, or gain no more, and says how well they are. Factors that
    /// are too old for some joint, which the norm of the whole does not show, are renewed once.
    pub fn settle(&mut self) -> Result<(Residuals, usize), StepFailure> {
        let Coefficients { beta, gamma, .. } = self.halves.coefficients;
        let mut before = f64::INFINITY;
        let mut renewed = 0;
        for pass in 0.. {
            self.evaluate_constraints()?;
            let Halves { dims, h, at, .. } = &*self.halves;
            let (length, speed) = (1.0 + largest(&at.q), 1.0 + largest(&at.v));
            let (g, _) = at.constraint_tilde.split_at(dims.lambda);
            let (w, k) = at.constraint.split_at(dims.lambda);
            // The velocity level was divided by gamma h, the position level by beta h^2.
            let residuals = Residuals {
                position: beta * h * h * largest(g) / length,
                velocity: gamma * h * largest(w) / speed,
                nonholonomic: gamma * h * largest(k) / speed,
            };
            let size = residuals.position.max(residuals.velocity).max(residuals.nonholonomic);
            let slow = size > SLOW * before;
            if size <= SETTLED || (slow && renewed > 0) || pass == SETTLE_LIMIT {
                return Ok((residuals, renewed));
            }
            if slow {
                renewed += 1;
                self.linearize()?;
            }
            before = size;
            self.iterate()?;
        }
        unreachable!("the loop ends at its limit")
    }
}
