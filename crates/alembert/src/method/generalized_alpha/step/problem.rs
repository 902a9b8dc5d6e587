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
//! w0 is w at x = 0. S = -(f+r)_q leaves out M_q a, because M is frozen in the step; D = -(f+r)_v. The terms that are dropped are of
//! the size of mu - mu~ and v - v~. Y keeps stiff dampers from spoiling the convergence; it is skipped where D = 0.
//! Without holonomic constraints both halves are the same and only the position half is solved.

use std::ops::Range;

use super::blocks::{Evaluated, Iterate, Known};
use super::{Coefficients, Halves, StepData};
use crate::equations::{Equations, ask};
use crate::method::{StepFailure, linearization_price};
use crate::newton::{Factors, Levels, NonlinearProblem, Policy};
use crate::system::{At, Dims, Point};
use crate::tolerance::Tolerance;

/// Changes of constraint forces below this share of the forces do not matter for the motion, nor for the next prediction.
const SETTLED: f64 = 0.5;
/// Changes of multipliers below this share of the largest may be rounding.
const BESIDE: f64 = 1e-7;
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
        let sizes = self.equations.typical();
        let (in_q, in_v) = (sizes.mean_q(squares[0], n), sizes.mean_v(squares[1], n));
        let in_q = if space.is_flat() {
            in_q
        } else {
            space.norm(self.tolerance, &at.tilde[..n], &at.q, self.equations.typical())
        };
        [coefficients.beta * *h * *h * in_q, coefficients.gamma * *h * in_v]
    }

    /// Corrects a~ and a, if their squares are wanted, and puts q1, v~, v1 there.
    fn move_by(&mut self, mut squares: Option<&mut [f64; 2]>) {
        let Halves { coefficients, h, iterate, at, known_of, filtered, .. } = &mut *self.halves;
        let Coefficients { beta, gamma, .. } = *coefficients;
        let h = *h;
        let Iterate { a_tilde, a, .. } = iterate;
        let Evaluated { dx, q, v_tilde, v, tilde, plain, .. } = at;
        let (space, sizes, from) = (self.equations.space(), self.equations.typical(), &self.data.now.q);
        let (v0, a_al) = (&self.data.now.v, self.data.a_al);
        // h v0 + h^2 ((1/2-beta) a_al + beta a~), and v0 + h ((1-gamma) a_al + gamma a).
        let shifted = |to: &mut [f64], i: Range<usize>, a: &[f64]| {
            for ((to, a), (v0, a_al)) in to.iter_mut().zip(a).zip(v0[i.clone()].iter().zip(&a_al[i])) {
                *to = h * (v0 + h * (0.5 - beta) * a_al) + h * h * beta * a;
            }
        };
        let moved = |to: &mut [f64], i: Range<usize>, a: &[f64]| {
            for ((to, a), (v0, a_al)) in to.iter_mut().zip(a).zip(v0[i.clone()].iter().zip(&a_al[i])) {
                *to = v0 + h * (1.0 - gamma) * a_al + h * gamma * a;
            }
        };
        for i in pieces(a.len()) {
            let (a_tilde, a) = (&mut a_tilde[i.clone()], &mut a[i.clone()]);
            if squares.is_some() {
                add(a_tilde, &tilde[i.clone()]);
                add(a, &plain[i.clone()]);
            }
            // Without rotations and without an error estimate nobody reads dx afterwards, so that one piece of it serves for all pieces.
            let dx = &mut dx[if *filtered || !space.is_flat() { i.clone() } else { 0..i.len() }];
            shifted(dx, i.clone(), a_tilde);
            moved(&mut v[i.clone()], i.clone(), a);
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
        let all = 0..v_tilde.len();
        moved(v_tilde, all, a_tilde);
        if !space.is_flat() {
            space.advance(from, dx, q);
        }
        *known_of = Known::Place;
    }

    /// -(R~ ; c~) and -(R ; c) at the iterate.
    pub(super) fn evaluate(&mut self) -> Result<(), StepFailure> {
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
}

impl NonlinearProblem for AlphaProblem<'_, '_> {
    type Failure = StepFailure;

    fn rewind(&mut self) -> Result<(), StepFailure> {
        self.halves.predict(self.data);
        Ok(())
    }

    fn linearize(&mut self) -> Result<(), StepFailure> {
        // Residuals first: where a function cannot be evaluated, it is the function that is named, not its derivative.
        self.evaluate()?;
        self.halves.evaluate_blocks(self.equations, self.data)?;
        self.halves.factor_anew()
    }

    fn iterate(&mut self) -> Result<f64, StepFailure> {
        self.evaluate()?;
        self.halves.correct();
        self.measure()
    }

    fn levels(&self, factors: Factors) -> Levels {
        Policy::step_levels(self.halves.rounding, factors)
    }

    fn price(&self) -> usize {
        linearization_price(self.halves.dims.v)
    }
}

impl AlphaProblem<'_, '_> {
    /// Moves the iterate by the correction and returns its size.
    fn measure(&mut self) -> Result<f64, StepFailure> {
        let [in_q, in_v] = self.correct();
        Ok(in_q.max(in_v).max(self.unseen()))
    }

    /// What the last change of the multipliers would do to v in a step. Where constraints hold q and v, it is seen by none of the above:
    /// without a look at it a reaction that is nonlinear in the multipliers would stay wrong, and with old factors those of a hinge that has turned
    /// far since would grow without limit, from step to step. Of the standard reaction only changes count that are large beside the forces.
    fn unseen(&mut self) -> f64 {
        let Halves { coefficients, h, dims, layout, at, blocks, iterate, .. } = &mut *self.halves;
        let (n, by) = (dims.v, coefficients.gamma * *h);
        let dmu = &at.plain[n..];
        if dmu.is_empty() {
            return 0.0;
        }
        // Where each multiplier changes little beside itself, so do the forces.
        let least = BESIDE * iterate.mu.iter().fold(0.0_f64, |most, mu| if mu.abs() > most { mu.abs() } else { most });
        let little = |(d, mu): (&f64, &f64)| d.abs() <= SETTLED * mu.abs() + least;
        if blocks.r_mu.is_empty() && dmu.iter().zip(&iterate.mu).all(little) {
            return 0.0;
        }
        // Between factorisations there is room on the shelf.
        let shelf = &layout.structure.shelf;
        let mut room = shelf.take(2 * n);
        let (_, border) = blocks.border();
        let settled =
            blocks.r_mu.is_empty() && layout.rows.share_transposed(border, [dmu, &iterate.mu], &mut room) < SETTLED;
        let mut size = 0.0;
        if !settled {
            let x = &mut room[..n];
            x.fill(0.0);
            layout.rows.multiply_transposed_add(by, border, dmu, x);
            for (i, x) in x.iter_mut().enumerate() {
                let mass = layout.top.position(i, i).map_or(0.0, |e| blocks.mass[e].abs());
                // A force on what has no mass is balanced by constraints at once, and makes no velocity of its own.
                *x = if mass > 0.0 { *x / mass } else { 0.0 };
            }
            size = self.tolerance.norm_v(x, &at.v, self.equations.typical());
        }
        shelf.put(room);
        size
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
