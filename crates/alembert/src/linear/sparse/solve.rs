//! Solution with the factors: up the tree `x_later -= B D^-1 x`, `x = D^-1 x`; down the tree `x -= D^-1 C x_later`.

use super::Field;

use super::symbolic::Panel;
use super::{SparseSolver, kernel, with_width};

impl<S: Field> SparseSolver<S> {
    /// Replaces `rhs` by the solution. Needs as many numbers of scratch.
    pub fn solve(&self, rhs: &mut [S], scratch: &mut [S]) {
        let x: &mut [[S; 1]] = scratch[..rhs.len()].as_chunks_mut().0;
        for (x, &k) in x.iter_mut().zip(&self.symbolic.order) {
            x[0] = rhs[k as usize];
        }
        self.substitute(x, |k, [x]| rhs[k] = x);
    }

    /// Replaces two right-hand sides by their solutions; the factors are read once for both. Needs as many numbers of
    /// scratch.
    pub fn solve_two(&self, first: &mut [S], second: &mut [S], scratch: &mut [S]) {
        let x: &mut [[S; 2]] = scratch[..2 * first.len()].as_chunks_mut().0;
        for (x, &k) in x.iter_mut().zip(&self.symbolic.order) {
            *x = [first[k as usize], second[k as usize]];
        }
        self.substitute(x, |k, x| [first[k], second[k]] = x);
    }

    /// Solves with right-hand sides in the order of elimination, and hands out each unknown as soon as it is found.
    fn substitute<const R: usize>(&self, x: &mut [[S; R]], mut put: impl FnMut(usize, [S; R])) {
        let symbolic = &*self.symbolic;
        for panel in &symbolic.panels {
            let w = panel.width as usize;
            let numbers = &self.lower[panel.lower as usize..][..(w + panel.below()) * w];
            with_width!(w, W => up::<S, W, R>(panel, numbers, panel.later(&symbolic.rows), x));
        }
        for panel in symbolic.panels.iter().rev() {
            let w = panel.width as usize;
            let numbers = if self.symmetric {
                &self.lower[panel.lower as usize + w * w..][..panel.below() * w]
            } else {
                &self.upper[panel.upper as usize..][..panel.below() * w]
            };
            with_width!(w, W => down::<S, W, R>(panel, numbers, panel.later(&symbolic.rows), x));
            let own = panel.first as usize..panel.first as usize + w;
            for (x, &k) in x[own.clone()].iter().zip(&symbolic.order[own]) {
                put(k as usize, *x);
            }
        }
    }
}

#[inline(always)]
fn up<S: Field, const W: usize, const R: usize>(panel: &Panel, numbers: &[S], rows: &[u32], x: &mut [[S; R]]) {
    let (block, below) = kernel::rows::<S, W>(numbers).split_at(W);
    let (own, rest) = x[panel.first as usize..].split_at_mut(W);
    let mut old = [[S::default(); R]; W];
    let mut new = old;
    for ((old, x), row) in old.iter_mut().zip(&*own).zip(block) {
        *old = *x;
        for (new, a) in new.iter_mut().zip(row) {
            for (new, x) in new.iter_mut().zip(x) {
                *new += *a * *x;
            }
        }
    }
    for (own, new) in own.iter_mut().zip(&new) {
        *own = *new;
    }
    let (inner, outer) = below.split_at(panel.inner as usize);
    for (x, row) in rest.iter_mut().zip(inner) {
        subtract(x, product(row, &old));
    }
    for (&k, row) in rows.iter().zip(outer) {
        subtract(&mut x[k as usize], product(row, &old));
    }
}

#[inline(always)]
fn down<S: Field, const W: usize, const R: usize>(panel: &Panel, numbers: &[S], rows: &[u32], x: &mut [[S; R]]) {
    let at = panel.first as usize;
    let mut sum = [[S::default(); R]; W];
    for (sum, x) in sum.iter_mut().zip(&x[at..at + W]) {
        *sum = *x;
    }
    let (inner, outer) = kernel::rows::<S, W>(numbers).split_at(panel.inner as usize);
    let mut add = |x: &[S; R], row: &[S; W]| {
        for (sum, factor) in sum.iter_mut().zip(row) {
            for (s, x) in sum.iter_mut().zip(x) {
                *s -= *factor * *x;
            }
        }
    };
    for (x, row) in x[at + W..].iter().zip(inner) {
        add(x, row);
    }
    for (&k, row) in rows.iter().zip(outer) {
        add(&x[k as usize], row);
    }
    for (x, sum) in x[at..at + W].iter_mut().zip(&sum) {
        *x = *sum;
    }
}

#[inline(always)]
fn product<S: Field, const W: usize, const R: usize>(row: &[S; W], x: &[[S; R]; W]) -> [S; R] {
    let mut sum = [S::default(); R];
    for (a, x) in row.iter().zip(x) {
        for (s, x) in sum.iter_mut().zip(x) {
            *s += *a * *x;
        }
    }
    sum
}

#[inline(always)]
fn subtract<S: Field, const R: usize>(x: &mut [S; R], y: [S; R]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x -= y;
    }
}
