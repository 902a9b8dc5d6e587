//! The residual in one pass, and its derivative with respect to q.

use super::{Along, Block, Differentiated, Formulas};
use crate::equations::pool::{Pool, Scratch};
use crate::scalar::Dual;
use crate::system::{Answer, At, Held, Quantity, Supplied, Workspace};

impl<F: Formulas> Differentiated<F> {
    /// r = M a - f - r(lambda, psi) from its parts, with g and k where they are wanted. Where G is differentiated, g comes with
    /// it.
    pub(super) fn residual(
        &self,
        at: &At,
        pool: &mut Pool,
        r: &mut [f64],
        g: Option<&mut [f64]>,
        k: Option<&mut [f64]>,
    ) {
        let At { t, q, v, a, lambda, psi, .. } = *at;
        if !self.description.has_standard_reaction() {
            let _ = self.formulas.reaction(t, q, v, lambda, psi, r);
            r.iter_mut().for_each(|r| *r = -*r);
            if let Some(g) = g {
                self.formulas.holonomic(t, q, g);
            }
            if let Some(k) = k {
                self.formulas.nonholonomic(t, q, v, k);
            }
        } else {
            if !lambda.is_empty() {
                let directions = self.directions(Block::Holonomic, Along::Q);
                by_chunk!(directions, self.add_transposed(at, Along::Q, pool, r, g));
            }
            if !psi.is_empty() {
                let directions = self.directions(Block::Nonholonomic, Along::V);
                by_chunk!(directions, self.add_transposed(at, Along::V, pool, r, k));
            }
        }
        pool.with(|s: &mut Scratch<f64>, _| {
            s.fit(self.description.dims);
            s.clear_outputs(v.len());
            let Scratch { out, dx: inertia, mass, a: lifted, .. } = s;
            self.formulas.force_on(Held(at.held), t, q, v, out);
            self.inertia(t, q, a, (mass, lifted), inertia);
            for ((r, f), inertia) in r.iter_mut().zip(out).zip(inertia) {
                *r += *inertia - *f;
            }
        });
    }

    /// The residual as a whole, with g and k where they are wanted; its constraints are one vector (g ; k).
    pub(super) fn own_residual(&self, at: &At, answer: &mut Answer, workspace: &mut Workspace) {
        let At { t, q, v, a, lambda, psi, .. } = *at;
        let Some(r) = answer.take(Quantity::Residual) else { return };
        let (g, k) = (answer.take(Quantity::Holonomic), answer.take(Quantity::Nonholonomic));
        let residual = |r: &mut [f64], c: &mut [f64]| {
            let _ = self.formulas.residual(t, q, v, a, lambda, psi, r, c);
        };
        match (g, k) {
            (Some(g), _) if psi.is_empty() => residual(r, g),
            (_, Some(k)) if lambda.is_empty() => residual(r, k),
            _ if lambda.is_empty() && psi.is_empty() => residual(r, &mut []),
            (g, k) => workspace.buffers(Pool::default).with(|s: &mut Scratch<f64>, _| {
                s.fit(self.description.dims);
                s.c.fill(0.0);
                residual(r, &mut s.c);
                let (of_g, of_k) = s.c.split_at(lambda.len());
                for (to, from) in [(g, of_g), (k, of_k)] {
                    if let Some(to) = to {
                        to.copy_from_slice(from);
                    }
                }
            }),
        }
    }

    /// Adds G^T lambda (along q) or K^T psi (along v) to `r`; g or k itself goes to `c`.
    fn add_transposed<const N: usize>(
        &self,
        at: &At,
        along: Along,
        pool: &mut Pool,
        r: &mut [f64],
        c: Option<&mut [f64]>,
    ) {
        let (block, mu) = if along == Along::V { (Block::Nonholonomic, at.psi) } else { (Block::Holonomic, at.lambda) };
        pool.with(|s: &mut Scratch<Dual<N>>, _| {
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
            if let Some(c) = c {
                c.iter_mut().zip(&s.out).for_each(|(c, x)| *c = x.x);
            }
        });
    }

    /// The derivative of the formulas' own residual with respect to q.
    pub(super) fn residual_jacobian<const N: usize>(&self, at: &At, pool: &mut Pool, out: &mut [f64]) {
        self.jacobian::<N>((at, Along::Q, Block::Top), pool, out, None, &|me, t, s, _| {
            for (to, a) in s.a.iter_mut().zip(at.a) {
                *to = Dual::constant(*a);
            }
            s.c.fill(Dual::default());
            let Scratch { q, v, a, lambda, psi, out, c, .. } = s;
            let _: Supplied = me.formulas.residual(t, q, v, a, lambda, psi, out, c);
        });
    }
}
