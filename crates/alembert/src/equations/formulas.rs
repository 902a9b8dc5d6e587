//! A system written once, over generic numbers; every derivative follows exactly.
//!
//! The derivatives come from forward differentiation: columns in chunks of [`Dual`] numbers, the biases of the
//! constraints from one pass of [`Jet`] numbers along the motion, and the curvature terms of the standard reaction
//! `-G^T lambda - K^T psi` from nested duals.

use crate::equations::pool::{Pool, Scratch};
use crate::scalar::{Dual, Jet, Scalar};
use crate::space::advance;
use crate::system::{ConstrainedSystem, Dims, Energy, Patterns, Point, Supplied};
use point::{config, motion};

/// The functions of a system over any [`Scalar`]. Wrap it in [`Differentiated`] to integrate it.
///
/// The meaning of each function is that of its namesake in [`ConstrainedSystem`].
#[allow(unused_variables, missing_docs)] // documented at their namesakes
pub trait Formulas {
    fn dims(&self) -> Dims;
    fn mass<S: Scalar>(&self, t: S, q: &[S], mass: &mut [S]);
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]);
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {}
    fn nonholonomic<S: Scalar>(&self, t: S, q: &[S], v: &[S], k: &mut [S]) {}
    fn reaction<S: Scalar>(&self, t: S, q: &[S], v: &[S], lambda: &[S], psi: &[S], r: &mut [S]) -> Supplied {
        Supplied::No
    }
    fn rate<S: Scalar>(&self, t: S, q: &[S], v: &[S], q_dot: &mut [S]) -> Supplied {
        Supplied::No
    }
    fn rotations(&self) -> &[usize] {
        &[]
    }
    fn patterns(&self) -> Option<Patterns> {
        None
    }
    fn mass_is_constant(&self) -> bool {
        false
    }
    /// G by hand, where its evaluation in every residual matters; otherwise it is differentiated.
    fn holonomic_q(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }
    /// g_t by hand: nothing to write where g does not depend on time.
    fn holonomic_t(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }
    /// The whole residual by hand, reaction and constraints included, where common subexpressions are worth sharing.
    fn residual<S: Scalar>(
        &self,
        t: S,
        q: &[S],
        v: &[S],
        a: &[S],
        lambda: &[S],
        psi: &[S],
        r: &mut [S],
        c: &mut [S],
    ) -> Supplied {
        Supplied::No
    }
    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        None
    }
    fn coordinate_name(&self, index: usize) -> String {
        format!("q[{index}]")
    }
    fn holonomic_name(&self, row: usize) -> String {
        format!("g[{row}]")
    }
    fn nonholonomic_name(&self, row: usize) -> String {
        format!("k[{row}]")
    }
}

/// A system whose derivatives are all taken exactly from [`Formulas`].
#[derive(Debug)]
pub struct Differentiated<F> {
    formulas: F,
    /// Whether the formulas give a general rate q' = U(t,q,v).
    general: bool,
    /// Whether they give the residual as a whole.
    in_one_pass: bool,
    /// Where their matrices may be nonzero, if they say so.
    sparse: Option<Sparse>,
    pool: Pool,
}

/// Which argument varies along the columns of a derivative.
#[derive(Clone, Copy, PartialEq)]
enum Along {
    Q,
    V,
    Lambda,
    Psi,
}

/// Calls `$self.$method::<N>(args)` with a chunk size that suits `$columns`.
macro_rules! by_chunk {
    ($columns:expr, $self:ident . $method:ident ( $($arg:expr),* )) => {
        match $columns {
            0..=2 => $self.$method::<2>($($arg),*),
            3..=4 => $self.$method::<4>($($arg),*),
            _ => $self.$method::<8>($($arg),*),
        }
    };
}

mod point;
mod reaction;
mod residual;
mod sparse;

use sparse::{Block, Sparse};

impl<F: Formulas> Differentiated<F> {
    /// Wraps formulas.
    pub fn new(formulas: F) -> Self {
        let dims = formulas.dims();
        let (q, v) = (vec![0.0; dims.q], vec![0.0; dims.v]);
        let general = formulas.rate(0.0, &q, &v, &mut vec![0.0; dims.q]) == Supplied::Yes;
        let (lambda, psi) = (vec![0.0; dims.lambda], vec![0.0; dims.psi]);
        let (mut r, mut c) = (v.clone(), vec![0.0; dims.constraints()]);
        // Asked at an arbitrary point only whether the function is there; the values are thrown away.
        let in_one_pass = formulas.residual(0.0, &q, &v, &v, &lambda, &psi, &mut r, &mut c) == Supplied::Yes;
        let sparse = formulas.patterns().map(|patterns| Sparse::new(dims, patterns));
        Differentiated { formulas, general, in_one_pass, sparse, pool: Pool::default() }
    }

    /// The formulas.
    pub fn formulas(&self) -> &F {
        &self.formulas
    }

    /// Width of a derivative along `along`.
    fn columns(&self, along: Along) -> usize {
        let dims = self.formulas.dims();
        match along {
            Along::Q if self.general => dims.q,
            Along::Q | Along::V => dims.v,
            Along::Lambda => dims.lambda,
            Along::Psi => dims.psi,
        }
    }

    /// Fills the arguments of `s` from `at`; `seed(j)` is the derivative part of tangent column j.
    fn seat<S: Scalar>(&self, at: Point, along: Along, s: &mut Scratch<S>, seed: impl Fn(usize) -> S) {
        s.fit(self.formulas.dims());
        let fill = |to: &mut [S], from: &[f64], varies: bool| {
            for (j, (to, from)) in to.iter_mut().zip(from).enumerate() {
                *to = if varies { seed(j) + *from } else { S::from(*from) };
            }
        };
        if along == Along::Q && !self.general {
            fill(&mut s.q0, at.q, false);
            for (j, dx) in s.dx.iter_mut().enumerate() {
                *dx = seed(j);
            }
            advance(self.formulas.rotations(), &s.q0, &s.dx, &mut s.q);
        } else {
            fill(&mut s.q, at.q, along == Along::Q);
        }
        fill(&mut s.v, at.v, along == Along::V);
        fill(&mut s.lambda, at.lambda, along == Along::Lambda);
        fill(&mut s.psi, at.psi, along == Along::Psi);
    }

    /// The same with the unit directions from column `first` on, or from that group of columns on.
    fn seat_chunk<const N: usize>(
        &self,
        at: Point,
        along: Along,
        block: Block,
        s: &mut Scratch<Dual<N>>,
        first: usize,
    ) {
        let seed = |j: usize| match j.checked_sub(first) {
            Some(i) if i < N => Dual::variable(0.0, i),
            _ => Dual::default(),
        };
        match &self.sparse {
            None => self.seat(at, along, s, seed),
            Some(sparse) => {
                let colours = sparse.colours(block, along);
                self.seat(at, along, s, |j| seed(colours.of[j] as usize));
            }
        }
    }

    /// Passes over all columns of a block, with one direction each: columns, or groups of them.
    fn directions(&self, block: Block, along: Along) -> usize {
        self.sparse.as_ref().map_or_else(|| self.columns(along), |sparse| sparse.colours(block, along).count)
    }

    /// Columns of the derivative of `function` along `along`: the values of a block, or of its transpose along multipliers.
    fn jacobian<const N: usize>(
        &self,
        at: Point,
        along: Along,
        block: Block,
        out: &mut [f64],
        function: &dyn Fn(&Self, Dual<N>, &mut Scratch<Dual<N>>),
    ) {
        let (rows, columns) = (self.rows(block), self.columns(along));
        let transposed = matches!(along, Along::Lambda | Along::Psi);
        let rows = if transposed { self.formulas.dims().v } else { rows };
        let directions = self.directions(block, along);
        self.pool.with(|s: &mut Scratch<Dual<N>>| {
            for first in (0..directions).step_by(N) {
                self.seat_chunk(at, along, block, s, first);
                s.clear_outputs(rows);
                function(self, Dual::constant(at.t), s);
                if let Some(sparse) = &self.sparse {
                    sparse.gather(block, along, first, &s.out, out);
                    continue;
                }
                for i in 0..N.min(columns - first) {
                    for row in 0..rows {
                        let e = if transposed { (first + i) * rows + row } else { row * columns + first + i };
                        out[e] = s.out[row].d[i];
                    }
                }
            }
        });
    }

    /// Rows of a block.
    fn rows(&self, block: Block) -> usize {
        let dims = self.formulas.dims();
        match block {
            Block::Top => dims.v,
            Block::Holonomic => dims.lambda,
            Block::Nonholonomic => dims.psi,
            Block::Rate => dims.q,
        }
    }

    /// Number of values of M.
    fn mass_len(&self) -> usize {
        let n = self.formulas.dims().v;
        self.sparse.as_ref().map_or(n * n, Sparse::top_len)
    }

    /// y = M x for the values of M.
    fn multiply_mass<S: Scalar>(&self, mass: &[S], x: &[f64], y: &mut [S]) {
        if let Some(sparse) = &self.sparse {
            return sparse.multiply_top(mass, x, y);
        }
        for (row, y) in mass.chunks_exact(x.len().max(1)).zip(y) {
            *y = row.iter().zip(x).fold(S::default(), |sum, (m, x)| sum + *m * *x);
        }
    }

    fn holonomic_jacobian<const N: usize>(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.jacobian::<N>(config(t, q), Along::Q, Block::Holonomic, out, &|me, t, s| {
            me.formulas.holonomic(t, &s.q, &mut s.out);
        });
    }

    fn nonholonomic_jacobian<const N: usize>(&self, at: Point, along: Along, out: &mut [f64]) {
        self.jacobian::<N>(at, along, Block::Nonholonomic, out, &|me, t, s| {
            me.formulas.nonholonomic(t, &s.q, &s.v, &mut s.out);
        });
    }

    fn force_jacobian<const N: usize>(&self, at: Point, along: Along, out: &mut [f64]) {
        self.jacobian::<N>(at, along, Block::Top, out, &|me, t, s| {
            me.formulas.force(t, &s.q, &s.v, &mut s.out);
        });
    }

    fn rate_jacobian<const N: usize>(&self, at: Point, along: Along, out: &mut [f64]) {
        self.jacobian::<N>(at, along, Block::Rate, out, &|me, t, s| {
            let Scratch { q, v, out, .. } = s;
            let _ = me.formulas.rate(t, q, v, out);
        });
    }

    fn mass_jacobian<const N: usize>(&self, t: f64, q: &[f64], a: &[f64], out: &mut [f64]) {
        self.jacobian::<N>(config(t, q), Along::Q, Block::Top, out, &|me, t, s| {
            s.clear_mass(me.mass_len());
            let Scratch { q, mass, out, .. } = s;
            me.formulas.mass(t, q, mass);
            me.multiply_mass(mass, a, out);
        });
    }

    /// d/dq of the second-derivative-free velocity constraint g_t + G v: g with an outer direction (1, v) in (t, q).
    fn velocity_jacobian<const N: usize>(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        let dims = self.formulas.dims();
        let at = Point { v, ..config(t, q) };
        self.jacobian::<N>(at, Along::Q, Block::Holonomic, out, &|me, t, s| {
            me.pool.with(|o: &mut Scratch<Dual<1, Dual<N>>>| {
                o.fit(dims);
                let Scratch { q, v, q_dot, .. } = s;
                if me.general {
                    let _ = me.formulas.rate(t, q, v, q_dot);
                    for ((to, q), rate) in o.q.iter_mut().zip(&*q).zip(&*q_dot) {
                        *to = Dual { x: *q, d: [*rate] };
                    }
                } else {
                    for (to, q) in o.q0.iter_mut().zip(&*q) {
                        *to = Dual::constant(*q);
                    }
                    for (dx, v) in o.dx.iter_mut().zip(&*v) {
                        *dx = Dual { x: Dual::default(), d: [*v] };
                    }
                    advance(me.formulas.rotations(), &o.q0, &o.dx, &mut o.q);
                }
                o.clear_outputs(dims.lambda);
                me.formulas.holonomic(Dual { x: t, d: [Dual::from(1.0)] }, &o.q, &mut o.out);
                for (to, g) in s.out.iter_mut().zip(&o.out) {
                    *to = g.d[0];
                }
            });
        });
    }
}

impl<F: Formulas> ConstrainedSystem for Differentiated<F> {
    fn dims(&self) -> Dims {
        self.formulas.dims()
    }
    fn mass(&self, t: f64, q: &[f64], mass: &mut [f64]) {
        self.formulas.mass(t, q, mass);
    }
    fn force(&self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]) {
        self.formulas.force(t, q, v, force);
    }
    fn holonomic(&self, t: f64, q: &[f64], g: &mut [f64]) {
        self.formulas.holonomic(t, q, g);
    }
    fn nonholonomic(&self, t: f64, q: &[f64], v: &[f64], k: &mut [f64]) {
        self.formulas.nonholonomic(t, q, v, k);
    }
    fn reaction(&self, at: Point, r: &mut [f64]) -> Supplied {
        self.formulas.reaction(at.t, at.q, at.v, at.lambda, at.psi, r)
    }
    fn rotations(&self) -> &[usize] {
        self.formulas.rotations()
    }
    fn patterns(&self) -> Option<Patterns> {
        self.formulas.patterns()
    }
    fn mass_is_constant(&self) -> bool {
        self.formulas.mass_is_constant()
    }
    fn rate(&self, t: f64, q: &[f64], v: &[f64], q_dot: &mut [f64]) -> Supplied {
        self.formulas.rate(t, q, v, q_dot)
    }
    fn residual(&self, at: Point, a: &[f64], r: &mut [f64], c: &mut [f64]) -> Supplied {
        self.residual_in_one_pass(at, a, r, c)
    }
    fn residual_q(&self, at: Point, a: &[f64], out: &mut [f64]) -> Supplied {
        if !self.in_one_pass {
            return Supplied::No;
        }
        by_chunk!(self.directions(Block::Top, Along::Q), self.residual_jacobian(at, a, out));
        Supplied::Yes
    }
    fn holonomic_q(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        if self.formulas.holonomic_q(t, q, out) == Supplied::Yes {
            return Supplied::Yes;
        }
        by_chunk!(self.directions(Block::Holonomic, Along::Q), self.holonomic_jacobian(t, q, out));
        Supplied::Yes
    }
    fn holonomic_t(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        if self.formulas.holonomic_t(t, q, out) == Supplied::Yes {
            return Supplied::Yes;
        }
        self.pool.with(|s: &mut Scratch<Dual<1>>| {
            self.seat(config(t, q), Along::V, s, |_| Dual::default());
            s.clear_outputs(out.len());
            self.formulas.holonomic(Dual::variable(t, 0), &s.q, &mut s.out);
            for (to, g) in out.iter_mut().zip(&s.out) {
                *to = g.d[0];
            }
        });
        Supplied::Yes
    }
    fn holonomic_bias(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.pool.with(|s: &mut Scratch<Jet>| {
            s.fit(self.formulas.dims());
            if self.general {
                // q'' at v' = 0 is U_t + U_q U.
                self.pool.with(|u: &mut Scratch<Dual<1>>| {
                    u.fit(self.formulas.dims());
                    self.pool.with(|w: &mut Scratch<f64>| {
                        w.fit(self.formulas.dims());
                        let _ = self.formulas.rate(t, q, v, &mut w.q_dot);
                        for ((to, q), rate) in u.q.iter_mut().zip(q).zip(&w.q_dot) {
                            *to = Dual { x: *q, d: [*rate] };
                        }
                    });
                    for (to, v) in u.v.iter_mut().zip(v) {
                        *to = Dual::constant(*v);
                    }
                    let _ = self.formulas.rate(Dual::variable(t, 0), &u.q, &u.v, &mut u.q_dot);
                    for ((to, q), rate) in s.q.iter_mut().zip(q).zip(&u.q_dot) {
                        *to = Jet { x: *q, d: rate.x, dd: rate.d[0] };
                    }
                });
            } else {
                for (to, q) in s.q0.iter_mut().zip(q) {
                    *to = Jet::from(*q);
                }
                for (dx, v) in s.dx.iter_mut().zip(v) {
                    *dx = Jet { x: 0.0, d: *v, dd: 0.0 };
                }
                advance(self.formulas.rotations(), &s.q0, &s.dx, &mut s.q);
            }
            s.clear_outputs(out.len());
            self.formulas.holonomic(Jet { x: t, d: 1.0, dd: 0.0 }, &s.q, &mut s.out);
            for (to, g) in out.iter_mut().zip(&s.out) {
                *to = g.dd;
            }
        });
        Supplied::Yes
    }
    fn holonomic_velocity_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        by_chunk!(self.directions(Block::Holonomic, Along::Q), self.velocity_jacobian(t, q, v, out));
        Supplied::Yes
    }
    fn nonholonomic_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        by_chunk!(
            self.directions(Block::Nonholonomic, Along::V),
            self.nonholonomic_jacobian(motion(t, q, v), Along::V, out)
        );
        Supplied::Yes
    }
    fn nonholonomic_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        by_chunk!(
            self.directions(Block::Nonholonomic, Along::Q),
            self.nonholonomic_jacobian(motion(t, q, v), Along::Q, out)
        );
        Supplied::Yes
    }
    fn nonholonomic_bias(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.pool.with(|s: &mut Scratch<Dual<1>>| {
            let dims = self.formulas.dims();
            s.fit(dims);
            if self.general {
                self.pool.with(|w: &mut Scratch<f64>| {
                    w.fit(dims);
                    let _ = self.formulas.rate(t, q, v, &mut w.q_dot);
                    self.seat(motion(t, q, v), Along::Q, s, |i| Dual { x: 0.0, d: [w.q_dot[i]] });
                });
            } else {
                self.seat(motion(t, q, v), Along::Q, s, |i| Dual { x: 0.0, d: [v[i]] });
            }
            s.clear_outputs(out.len());
            self.formulas.nonholonomic(Dual::variable(t, 0), &s.q, &s.v, &mut s.out);
            for (to, k) in out.iter_mut().zip(&s.out) {
                *to = k.d[0];
            }
        });
        Supplied::Yes
    }
    fn mass_q(&self, t: f64, q: &[f64], a: &[f64], out: &mut [f64]) -> Supplied {
        by_chunk!(self.directions(Block::Top, Along::Q), self.mass_jacobian(t, q, a, out));
        Supplied::Yes
    }
    fn force_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        by_chunk!(self.directions(Block::Top, Along::Q), self.force_jacobian(motion(t, q, v), Along::Q, out));
        Supplied::Yes
    }
    fn force_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        by_chunk!(self.directions(Block::Top, Along::V), self.force_jacobian(motion(t, q, v), Along::V, out));
        Supplied::Yes
    }
    fn reaction_q(&self, at: Point, out: &mut [f64]) -> Supplied {
        by_chunk!(self.directions(Block::Top, Along::Q), self.reaction_jacobian(at, Along::Q, Block::Top, out));
        Supplied::Yes
    }
    fn reaction_v(&self, at: Point, out: &mut [f64]) -> Supplied {
        by_chunk!(self.directions(Block::Top, Along::V), self.reaction_jacobian(at, Along::V, Block::Top, out));
        Supplied::Yes
    }
    fn reaction_lambda(&self, at: Point, out: &mut [f64]) -> Supplied {
        let (along, block) = (Along::Lambda, Block::Holonomic);
        by_chunk!(self.directions(block, along), self.reaction_jacobian(at, along, block, out));
        Supplied::Yes
    }
    fn reaction_psi(&self, at: Point, out: &mut [f64]) -> Supplied {
        let (along, block) = (Along::Psi, Block::Nonholonomic);
        by_chunk!(self.directions(block, along), self.reaction_jacobian(at, along, block, out));
        Supplied::Yes
    }
    fn rate_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        if !self.general {
            return Supplied::No;
        }
        by_chunk!(self.directions(Block::Rate, Along::V), self.rate_jacobian(motion(t, q, v), Along::V, out));
        Supplied::Yes
    }
    fn rate_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        if !self.general {
            return Supplied::No;
        }
        by_chunk!(self.directions(Block::Rate, Along::Q), self.rate_jacobian(motion(t, q, v), Along::Q, out));
        Supplied::Yes
    }
    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        self.formulas.energy(t, q, v)
    }
    fn coordinate_name(&self, index: usize) -> String {
        self.formulas.coordinate_name(index)
    }
    fn holonomic_name(&self, row: usize) -> String {
        self.formulas.holonomic_name(row)
    }
    fn nonholonomic_name(&self, row: usize) -> String {
        self.formulas.nonholonomic_name(row)
    }
}
