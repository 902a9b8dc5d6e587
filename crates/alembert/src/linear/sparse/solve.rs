//! Solution with the factors: up the tree `x_later -= B D^-1 x`, `x = D^-1 x`; down the tree `x -= D^-1 C x_later`.

use crate::linear::Entry;

use super::symbolic::{Front, Panel};
use super::{SparseSolver, kernel, with_width};

impl<S: Entry> SparseSolver<S> {
    /// Replaces `rhs` by the solution.
    pub fn solve(&mut self, rhs: &mut [S]) {
        let mut x = std::mem::take(&mut self.single);
        for (x, &k) in x.iter_mut().zip(&self.symbolic.order) {
            x[0] = rhs[k as usize];
        }
        self.substitute(&mut x);
        for (x, &k) in x.iter().zip(&self.symbolic.order) {
            rhs[k as usize] = x[0];
        }
        self.single = x;
    }

    /// Replaces two right-hand sides by their solutions; the factors are read once for both.
    pub fn solve_two(&mut self, first: &mut [S], second: &mut [S]) {
        let mut x = std::mem::take(&mut self.double);
        for (x, &k) in x.iter_mut().zip(&self.symbolic.order) {
            *x = [first[k as usize], second[k as usize]];
        }
        self.substitute(&mut x);
        for (x, &k) in x.iter().zip(&self.symbolic.order) {
            [first[k as usize], second[k as usize]] = *x;
        }
        self.double = x;
    }

    fn substitute<const R: usize>(&self, x: &mut [[S; R]]) {
        let symbolic = &*self.symbolic;
        for front in &symbolic.fronts {
            let rows = &symbolic.rows[front.rows.clone()];
            let lower = &self.lower[front.lower.clone()];
            for panel in front.panels() {
                let numbers = &lower[panel.lower..][..(front.size() - panel.start) * panel.width];
                with_width!(panel.width, W => up::<S, W, R>(front, panel, numbers, rows, x));
            }
        }
        for front in symbolic.fronts.iter().rev() {
            let rows = &symbolic.rows[front.rows.clone()];
            for panel in front.panels().rev() {
                let count = (front.size() - panel.start - panel.width) * panel.width;
                let numbers = if self.symmetric {
                    &self.lower[front.lower.start + panel.lower + panel.width * panel.width..][..count]
                } else {
                    &self.upper[front.upper.start + panel.upper..][..count]
                };
                with_width!(panel.width, W => down::<S, W, R>(front, panel, numbers, rows, x));
            }
        }
    }
}

#[inline(always)]
fn up<S: Entry, const W: usize, const R: usize>(
    front: &Front,
    panel: Panel,
    numbers: &[S],
    rows: &[u32],
    x: &mut [[S; R]],
) {
    let (block, below) = kernel::rows::<S, W>(numbers).split_at(W);
    let (own, rest) = x[front.first + panel.start..].split_at_mut(W);
    let mut old = [[S::default(); R]; W];
    old.copy_from_slice(own);
    for (own, row) in own.iter_mut().zip(block) {
        *own = product(row, &old);
    }
    let (inner, outer) = below.split_at(front.width - panel.start - W);
    for (x, row) in rest.iter_mut().zip(inner) {
        subtract(x, product(row, &old));
    }
    for (&k, row) in rows.iter().zip(outer) {
        subtract(&mut x[k as usize], product(row, &old));
    }
}

#[inline(always)]
fn down<S: Entry, const W: usize, const R: usize>(
    front: &Front,
    panel: Panel,
    numbers: &[S],
    rows: &[u32],
    x: &mut [[S; R]],
) {
    let at = front.first + panel.start;
    let mut sum = [[S::default(); R]; W];
    sum.copy_from_slice(&x[at..at + W]);
    let (inner, outer) = kernel::rows::<S, W>(numbers).split_at(front.width - panel.start - W);
    let known = x[at + W..].iter().zip(inner).chain(rows.iter().map(|&k| &x[k as usize]).zip(outer));
    for (x, row) in known {
        for (sum, factor) in sum.iter_mut().zip(row) {
            for (s, x) in sum.iter_mut().zip(x) {
                *s -= *factor * *x;
            }
        }
    }
    x[at..at + W].copy_from_slice(&sum);
}

#[inline(always)]
fn product<S: Entry, const W: usize, const R: usize>(row: &[S; W], x: &[[S; R]; W]) -> [S; R] {
    let mut sum = [S::default(); R];
    for (a, x) in row.iter().zip(x) {
        for (s, x) in sum.iter_mut().zip(x) {
            *s += *a * *x;
        }
    }
    sum
}

#[inline(always)]
fn subtract<S: Entry, const R: usize>(x: &mut [S; R], y: [S; R]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x -= y;
    }
}
