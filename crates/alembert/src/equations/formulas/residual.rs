//! The residual in one pass, and its derivative with respect to q.

use super::{Along, Block, Differentiated, Formulas};
use crate::equations::pool::Scratch;
use crate::scalar::Dual;
use crate::system::{Point, Supplied};

impl<F: Formulas> Differentiated<F> {
    /// The formulas' own residual, or its parts without a detour over the trait. Where G is differentiated, g comes with
    /// it.
    pub(super) fn residual_in_one_pass(&self, at: Point, a: &[f64], r: &mut [f64], c: &mut [f64]) -> Supplied {
        let Point { t, q, v, lambda, psi } = at;
        if self.in_one_pass {
            return self.formulas.residual(t, q, v, a, lambda, psi, r, c);
        }
        if self.general {
            return Supplied::No;
        }
        let n = v.len();
        let (g, k) = c.split_at_mut(lambda.len());
        if self.formulas.reaction(t, q, v, lambda, psi, r) == Supplied::Yes {
            r.iter_mut().for_each(|r| *r = -*r);
            self.formulas.holonomic(t, q, g);
            self.formulas.nonholonomic(t, q, v, k);
        } else {
            if !lambda.is_empty() {
                let directions = self.directions(Block::Holonomic, Along::Q);
                by_chunk!(directions, self.add_transposed(at, Along::Q, lambda, r, g));
            }
            if !psi.is_empty() {
                let directions = self.directions(Block::Nonholonomic, Along::V);
                by_chunk!(directions, self.add_transposed(at, Along::V, psi, r, k));
            }
        }
        self.pool.with(|s: &mut Scratch<f64>| {
            s.fit(self.formulas.dims());
            s.clear_mass(self.mass_len());
            s.clear_outputs(n);
            let Scratch { mass, out, dx: inertia, .. } = s;
            self.formulas.mass(t, q, mass);
            self.formulas.force(t, q, v, out);
            self.multiply_mass(mass, a, inertia);
            for ((r, f), inertia) in r.iter_mut().zip(out).zip(inertia) {
                *r += *inertia - *f;
            }
        });
        Supplied::Yes
    }

    /// Adds G^T lambda (along q) or K^T psi (along v) to `r`; g or k itself goes to `c`.
    fn add_transposed<const N: usize>(&self, at: Point, along: Along, mu: &[f64], r: &mut [f64], c: &mut [f64]) {
        let block = if along == Along::V { Block::Nonholonomic } else { Block::Holonomic };
        self.pool.with(|s: &mut Scratch<Dual<N>>| {
            for first in (0..self.directions(block, along)).step_by(N) {
                self.seat_chunk(at, along, block, s, first);
                s.clear_outputs(mu.len());
                let t = Dual::constant(at.t);
                match along {
                    Along::V => self.formulas.nonholonomic(t, &s.q, &s.v, &mut s.out),
                    _ => self.formulas.holonomic(t, &s.q, &mut s.out),
                }
                if let Some(sparse) = &self.sparse {
                    sparse.add_transposed(block, first, &s.out, mu, r);
                    continue;
                }
                for (x, mu) in s.out.iter().zip(mu) {
                    r[first..].iter_mut().zip(&x.d).for_each(|(r, d)| *r += d * mu);
                }
            }
            c.iter_mut().zip(&s.out).for_each(|(c, x)| *c = x.x);
        });
    }

    /// The derivative of the formulas' own residual with respect to q.
    pub(super) fn residual_jacobian<const N: usize>(&self, at: Point, a: &[f64], out: &mut [f64]) {
        self.jacobian::<N>(at, Along::Q, Block::Top, out, &|me, t, s| {
            for (to, a) in s.a.iter_mut().zip(a) {
                *to = Dual::constant(*a);
            }
            s.c.fill(Dual::default());
            let Scratch { q, v, a, lambda, psi, out, c, .. } = s;
            let _ = me.formulas.residual(t, q, v, a, lambda, psi, out, c);
        });
    }
}
