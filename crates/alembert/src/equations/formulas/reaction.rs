//! The standard reaction over any numbers, and the derivatives of a reaction.

use super::{Along, Block, Differentiated, Formulas, Sparse};
use crate::equations::pool::{Pool, Scratch};
use crate::scalar::{Dual, Scalar};
use crate::space::advance;
use crate::system::{At, Supplied};

/// Chunk of the outer duals in nested differentiation.
const OUTER: usize = 4;

impl<F: Formulas> Differentiated<F> {
    /// The standard reaction -(G U_v)^T lambda - K^T psi at the arguments seated in `s`, into `s.out`.
    fn standard_reaction<S: Scalar>(&self, t: S, s: &mut Scratch<S>, pool: &mut Pool) {
        let dims = self.description.dims;
        s.clear_outputs(dims.v);
        if let Some(sparse) = &self.sparse {
            return self.grouped_reaction(sparse, t, s, pool);
        }
        pool.with(|o: &mut Scratch<Dual<OUTER, S>>, _| {
            o.fit(dims);
            let lift = |to: &mut [Dual<OUTER, S>], from: &[S]| {
                for (to, from) in to.iter_mut().zip(from) {
                    *to = Dual::constant(*from);
                }
            };
            let t = Dual::constant(t);
            for first in (0..dims.v).step_by(OUTER) {
                let seeds = first..dims.v.min(first + OUTER);
                // Virtual displacement: q moves along U_v e_j (along v itself where q' = v), v stays.
                lift(&mut o.q, &s.q);
                lift(&mut o.v, &s.v);
                if dims.lambda > 0 {
                    for (j, dx) in o.dx.iter_mut().enumerate() {
                        *dx =
                            if seeds.contains(&j) { Dual::variable(S::default(), j - first) } else { Dual::default() };
                    }
                    if self.general {
                        for j in seeds.clone() {
                            o.v[j].d[j - first] = S::from(1.0);
                        }
                        let _ = self.formulas.rate(t, &o.q, &o.v, &mut o.q_dot);
                        lift(&mut o.v, &s.v);
                        for (q, rate) in o.q.iter_mut().zip(&o.q_dot) {
                            q.d = rate.d;
                        }
                    } else {
                        lift(&mut o.q0, &s.q);
                        advance(&self.description.rotations, &o.q0, &o.dx, &mut o.q);
                    }
                    o.clear_outputs(dims.lambda);
                    self.formulas.holonomic(t, &o.q, &mut o.out);
                    for j in seeds.clone() {
                        for (g, lambda) in o.out.iter().zip(&s.lambda) {
                            s.out[j] -= g.d[j - first] * *lambda;
                        }
                    }
                }
                if dims.psi > 0 {
                    lift(&mut o.q, &s.q);
                    for j in seeds.clone() {
                        o.v[j].d[j - first] = S::from(1.0);
                    }
                    o.clear_outputs(dims.psi);
                    self.formulas.nonholonomic(t, &o.q, &o.v, &mut o.out);
                    for j in seeds {
                        for (k, psi) in o.out.iter().zip(&s.psi) {
                            s.out[j] -= k.d[j - first] * *psi;
                        }
                    }
                }
            }
        });
    }

    /// The same with columns that share no constraint moved together.
    fn grouped_reaction<S: Scalar>(&self, sparse: &Sparse, t: S, s: &mut Scratch<S>, pool: &mut Pool) {
        pool.with(|o: &mut Scratch<Dual<OUTER, S>>, _| {
            o.fit(self.description.dims);
            let t = Dual::constant(t);
            for block in [Block::Holonomic, Block::Nonholonomic] {
                let by_q = block == Block::Holonomic;
                let rows = self.rows(block);
                let colours = sparse.colours(block, if by_q { Along::Q } else { Along::V });
                for first in (0..if rows > 0 { colours.count } else { 0 }).step_by(OUTER) {
                    let seed = |to: &mut [Dual<OUTER, S>]| {
                        for (to, colour) in to.iter_mut().zip(&colours.of) {
                            match (*colour as usize).checked_sub(first) {
                                Some(i) if i < OUTER => to.d[i] = S::from(1.0),
                                _ => {}
                            }
                        }
                    };
                    let lift = |to: &mut [Dual<OUTER, S>], from: &[S]| {
                        to.iter_mut().zip(from).for_each(|(to, from)| *to = Dual::constant(*from));
                    };
                    lift(&mut o.v, &s.v);
                    o.clear_outputs(rows);
                    if by_q {
                        lift(&mut o.q0, &s.q);
                        o.dx.fill(Dual::default());
                        seed(&mut o.dx);
                        advance(&self.description.rotations, &o.q0, &o.dx, &mut o.q);
                        self.formulas.holonomic(t, &o.q, &mut o.out);
                    } else {
                        lift(&mut o.q, &s.q);
                        seed(&mut o.v);
                        self.formulas.nonholonomic(t, &o.q, &o.v, &mut o.out);
                    }
                    let mu = if by_q { &s.lambda } else { &s.psi };
                    for (j, i, row) in sparse.entries(block, first, OUTER) {
                        s.out[j] -= o.out[row].d[i] * mu[row];
                    }
                }
            }
        });
    }

    pub(super) fn reaction_jacobian<const N: usize>(
        &self,
        what: (&At, Along, Block),
        pool: &mut Pool,
        out: &mut [f64],
    ) {
        self.jacobian::<N>(what, pool, out, None, &|me, t, s, pool| {
            let Scratch { q, v, lambda, psi, out, .. } = s;
            if me.formulas.reaction(t, q, v, lambda, psi, out) == Supplied::No {
                me.standard_reaction(t, s, pool);
            }
        });
    }
}
