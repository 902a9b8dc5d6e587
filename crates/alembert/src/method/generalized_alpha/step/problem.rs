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

use std::ops::Range;

use super::{Blocks, Coefficients, Evaluated, Halves, Iterate, Known, Rung, StepData};
use crate::equations::{Equations, ask};
use crate::linear::Bordered;
use crate::method::matrix::negate_sum;
use crate::method::{StepFailure, linearization_price};
use crate::newton::NonlinearProblem;
use crate::stats::Residuals;
use crate::system::{At, Dims, Point};
use crate::tolerance::{Tolerance, largest};

/// Relative residuals of the constraints that are left alone, and iterations to get there at most.
const SETTLED: f64 = 8e-12;
const SETTLE_LIMIT: usize = 6;
/// Contraction of these residuals beyond which factors are renewed.
const SLOW: f64 = 0.1;

/// Numbers of several vectors that fit into the nearest cache.
const PIECE: usize = 256;

/// A step bound to its equations.
pub(in crate::method) struct AlphaProblem<'a, 's> {
    pub(super) halves: &'a mut Halves,
    pub(super) equations: &'a mut Equations<'s>,
    pub(super) data: &'a StepData<'a>,
    pub(super) tolerance: &'a Tolerance,
}

impl AlphaProblem<'_, '_> {
    /// q1, v~, v1 of the iterate.
    fn place(&mut self) {
        self.move_by(None);
    }

    /// Moves the iterate by the corrections, and returns their sizes in q and v.
    fn correct(&mut self) -> [f64; 2] {
        let n = self.halves.dims.v;
        let mut squares = [0.0; 2];
        self.move_by(Some(&mut squares));
        let Halves { coefficients, h, iterate, at, .. } = &mut *self.halves;
        add(&mut iterate.mu_tilde, &at.tilde[n..]);
        add(&mut iterate.mu, &at.plain[n..]);
        let space = self.equations.space();
        let [in_q, in_v] = squares.map(|sum| (sum / n.max(1) as f64).sqrt());
        let in_q = if space.is_flat() {
            in_q
        } else {
            space.norm(self.tolerance, &at.tilde[..n], &at.q, self.equations.typical())
        };
        [coefficients.beta * *h * *h * in_q, coefficients.gamma * *h * in_v]
    }

    /// Corrects a~ and a, if their squares are wanted, and puts q1, v~, v1 there.
    fn move_by(&mut self, mut squares: Option<&mut [f64; 2]>) {
        let Halves { coefficients, h, iterate, dx_known, v_known, at, known_of, filtered, .. } = &mut *self.halves;
        let Coefficients { beta, gamma, .. } = *coefficients;
        let (by_q, by_v) = (*h * *h * beta, *h * gamma);
        let Iterate { a_tilde, a, .. } = iterate;
        let Evaluated { dx, q, v_tilde, v, tilde, plain, .. } = at;
        let moved = |to: &mut [f64], known: &[f64], c: f64, a: &[f64]| {
            to.iter_mut().zip(known.iter().zip(a)).for_each(|(to, (known, a))| *to = known + c * a);
        };
        let (space, sizes, from) = (self.equations.space(), self.equations.typical(), &self.data.now.q);
        for i in pieces(a.len()) {
            let (a_tilde, a) = (&mut a_tilde[i.clone()], &mut a[i.clone()]);
            if squares.is_some() {
                add(a_tilde, &tilde[i.clone()]);
                add(a, &plain[i.clone()]);
            }
            // Where nobody asks for dx, a piece of it does.
            let dx = &mut dx[if *filtered || !space.is_flat() { i.clone() } else { 0..i.len() }];
            moved(dx, &dx_known[i.clone()], by_q, a_tilde);
            moved(&mut v[i.clone()], &v_known[i.clone()], by_v, a);
            if space.is_flat() {
                space.advance(&from[i.clone()], dx, &mut q[i.clone()]);
            }
            if let Some([in_q, in_v]) = &mut squares {
                *in_v += self.tolerance.squares_v(&plain[i.clone()], &v[i.clone()], &sizes.v[i.clone()]);
                if space.is_flat() {
                    *in_q += self.tolerance.squares_q(&tilde[i.clone()], &q[i.clone()], &sizes.q[i]);
                }
            }
        }
        moved(v_tilde, v_known, by_v, a_tilde);
        if !space.is_flat() {
            space.advance(from, dx, q);
        }
        *known_of = Known::Place;
    }

    /// -(R~ ; c~) and -(R ; c) at the iterate.
    fn evaluate(&mut self) -> Result<(), StepFailure> {
        if self.halves.known_of == Known::Residuals {
            return Ok(());
        }
        if self.halves.known_of < Known::Place {
            self.place();
        }
        let Halves { coefficients, c_m, dims, layout, split, h, iterate, known, at, blocks, known_of, .. } =
            &mut *self.halves;
        let Dims { v: n, lambda: nl, .. } = *dims;
        let (t, h, gamma, beta) = (self.data.now.t + *h, *h, coefficients.gamma, coefficients.beta);
        let equations = &mut *self.equations;
        let Iterate { a_tilde, a, mu_tilde, mu } = iterate;
        let Evaluated { q, v, v_tilde, c_v, tilde, plain, .. } = at;
        let (r_tilde, c_tilde) = tilde.split_at_mut(n);
        let (r, c) = plain.split_at_mut(n);
        let (g, k_tilde) = c_tilde.split_at_mut(nl);
        let (w, k) = c.split_at_mut(nl);
        let (w_v, k_v) = c_v.split_at_mut(layout.holonomic.len());
        // The velocity level is wanted only where there are two halves.
        let (g_t, k_plain): (&mut [f64], &mut [f64]) = if *split { (&mut *w, &mut *k) } else { Default::default() };
        ask!(
            equations,
            At::new(t, q, v),
            Force => &mut *r,
            Holonomic => &mut *g,
            HolonomicQ => &mut *w_v,
            NonholonomicV => &mut *k_v,
            HolonomicT => g_t,
            Nonholonomic => k_plain,
        )?;
        equations.nonholonomic(t, q, v_tilde, k_tilde)?;
        if *split {
            layout.top.subtract_and_add_products(known, -*c_m, &blocks.mass, [a_tilde, a], [r_tilde, r]);
        } else {
            subtract(r, known);
            r_tilde.copy_from_slice(r);
            layout.top.multiply_add(-*c_m, &blocks.mass, a_tilde, r_tilde);
        }
        let (lambda, psi) = mu_tilde.split_at(nl);
        let at_tilde = Point { t, q, v, lambda, psi };
        let scale = |c: &mut [f64], by: f64| c.iter_mut().for_each(|c| *c *= by);
        scale(g, -1.0 / (beta * h * h));
        scale(k_tilde, -1.0 / (gamma * h));
        if *split {
            let (lambda, psi) = mu.split_at(nl);
            let at_plain = Point { lambda, psi, ..at_tilde };
            let scaled = (-1.0 / (gamma * h), w);
            equations.velocity_and_reactions([at_tilde, at_plain], w_v, k_v, scaled, [r_tilde, r])?;
            scale(k, -1.0 / (gamma * h));
        } else {
            equations.add_reaction(at_tilde, w_v, k_v, r_tilde)?;
        }
        *known_of = Known::Residuals;
        Ok(())
    }

    /// D Y; the difference half's factors must be there.
    fn couple_damping(&mut self) {
        let Halves { coefficients, dims, blocks, scratch, difference, .. } = &mut *self.halves;
        let Dims { v: n, lambda: nl, .. } = *dims;
        let rhs = room(scratch, n + dims.constraints());
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

impl NonlinearProblem for AlphaProblem<'_, '_> {
    type Failure = StepFailure;

    fn rewind(&mut self) {
        self.halves.predict(self.data);
    }

    fn linearize(&mut self) -> Result<(), StepFailure> {
        // Residuals first: where a function cannot be evaluated, it is the function that is named, not its derivative.
        self.evaluate()?;
        {
            let Halves { dims, layout, h, iterate, at, blocks, .. } = &mut *self.halves;
            let (nl, holonomic) = (dims.lambda, layout.holonomic.len());
            let t = self.data.now.t + *h;
            let (lambda, psi) = iterate.mu.split_at(nl);
            let point = Point { t, q: &at.q, v: &at.v, lambda, psi };
            let equations = &mut *self.equations;
            blocks.c_v.copy_from_slice(&at.c_v);
            if let Some(k_q) = blocks.rows_q.get_mut(holonomic..) {
                equations.nonholonomic_q(t, &at.q, &at.v, k_q)?;
            }
            if !blocks.r_mu.is_empty() {
                let (w_v, k_v) = blocks.c_v.split_at(holonomic);
                equations.reaction_mu(point, w_v, k_v, &mut blocks.r_mu)?;
            }
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
            let Halves { h, at, blocks, difference, ladder, layout, filtered, .. } = &mut *self.halves;
            let rung = ladder.rung();
            if rung != Rung::One || *filtered {
                blocks.velocity_q.resize(layout.holonomic.len(), 0.0);
                self.equations.velocity_q(self.data.now.t + *h, &at.q, &at.v, &mut blocks.velocity_q)?;
                self.equations.space().turn_columns(&at.dx, &mut blocks.velocity_q);
            }
            if rung == Rung::Two {
                difference.factor(Bordered {
                    top: &[(1.0, &blocks.mass)],
                    border: blocks.border(),
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

impl AlphaProblem<'_, '_> {
    /// Corrects both halves with one matrix: that of the position half for both, or the doubled one.
    fn both_halves(&mut self) {
        let Halves { ladder, position, doubled, at, .. } = &mut *self.halves;
        let Evaluated { tilde, plain, .. } = at;
        match doubled {
            Some(doubled) if ladder.rung() == Rung::Doubled => {
                subtract(plain, tilde);
                doubled.solve(tilde, plain);
                add(plain, tilde);
            }
            _ => position.solve_two(tilde, plain),
        }
    }

    /// Corrects the position half, and the difference with the factors of its own.
    fn in_turn(&mut self) {
        let Halves { coefficients, c_m, dims, layout, split, h, at, blocks, scratch, position, difference, .. } =
            &mut *self.halves;
        let Coefficients { beta, gamma, .. } = *coefficients;
        let (n, h) = (dims.v, *h);
        let Evaluated { tilde, plain, .. } = at;
        if !*split {
            position.solve(tilde);
            return plain.copy_from_slice(tilde);
        }
        // From here on `plain` is the right-hand side of the difference half.
        subtract(plain, tilde);
        plain[..n].iter_mut().for_each(|r| *r /= *c_m);
        if blocks.damped {
            let w = room(scratch, plain.len());
            w.copy_from_slice(plain);
            difference.solve(w);
            layout.top.multiply_add(-gamma * h, &blocks.damping, &w[..n], &mut tilde[..n]);
        }
        position.solve(tilde);
        let (x, c) = (&tilde[..n], &mut plain[n..]);
        layout.holonomic.multiply_add(-beta * h / gamma, &blocks.velocity_q, x, c);
        if !blocks.turn.is_empty() {
            layout.rows.multiply_add(h, &blocks.turn, x, c);
        }
        difference.solve(plain);
        plain[n..].iter_mut().for_each(|nu| *nu *= *c_m);
        add(plain, tilde);
    }

    /// Moves the iterate by the correction and returns its size.
    fn measure(&mut self) -> Result<f64, StepFailure> {
        let [in_q, in_v] = self.correct();
        let mut size = in_q.max(in_v);
        let Halves { coefficients, h, dims, layout, at, blocks, scratch, .. } = &mut *self.halves;
        let (n, gamma, h) = (dims.v, coefficients.gamma, *h);
        let dmu = &at.plain[n..];
        if !self.equations.has_standard_reaction() && !dmu.is_empty() {
            // Where constraints hold q and v, a reaction nonlinear in the multipliers is seen by none of the above: what its
            // change would do to v in a step.
            let x = &mut room(scratch, n + dmu.len())[..n];
            x.fill(0.0);
            layout.rows.multiply_transposed_add(gamma * h, &blocks.r_mu, dmu, x);
            for (i, x) in x.iter_mut().enumerate() {
                let mass = layout.top.position(i, i).map_or(0.0, |e| blocks.mass[e].abs());
                *x /= mass.max(f64::MIN_POSITIVE);
            }
            size = size.max(self.tolerance.norm_v(x, &at.v, self.equations.typical()));
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
            self.evaluate()?;
            let Halves { dims, h, at, layout, .. } = &*self.halves;
            let (typical, (w_v, k_v)) = (self.equations.typical(), at.c_v.split_at(layout.holonomic.len()));
            let (length, speed) = typical.units();
            let (length, speed) = (length + largest(&at.q), speed + largest(&at.v));
            let g = &at.tilde[dims.v..][..dims.lambda];
            let (w, k) = at.plain[dims.v..].split_at(dims.lambda);
            // The velocity level was divided by gamma h, the position level by beta h^2.
            let residuals = Residuals {
                position: beta * h * h * typical.beside(length, g, &layout.holonomic, w_v),
                velocity: gamma * h * typical.beside(speed, w, &layout.holonomic, w_v),
                nonholonomic: gamma * h * typical.beside(speed, k, &layout.nonholonomic, k_v),
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

/// Ranges of 0..n that are worked on one after the other, so that several loops find their numbers in the cache.
fn pieces(n: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n).step_by(PIECE).map(move |first| first..(first + PIECE).min(n))
}

fn add(to: &mut [f64], d: &[f64]) {
    to.iter_mut().zip(d).for_each(|(to, d)| *to += d);
}

fn subtract(from: &mut [f64], d: &[f64]) {
    from.iter_mut().zip(d).for_each(|(from, d)| *from -= d);
}

/// Room for `len` numbers, taken when first needed.
fn room(scratch: &mut Vec<f64>, len: usize) -> &mut [f64] {
    scratch.resize(len, 0.0);
    scratch
}
