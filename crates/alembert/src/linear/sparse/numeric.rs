//! Factorisation: each front is assembled from values and its children's updates, then eliminated panel by panel.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, MatMut, MatRef, Par};

use super::Field;
use crate::linear::Singular;

use super::kernel::{self, Pivots};
use super::symbolic::{Front, PANEL, Panel, RIGHT, Symbolic};
use super::{SparseSolver, with_width};

/// From this many rows and columns on the blocked product is faster than plain loops.
const BLOCKED: usize = 24;

impl<S: Field> SparseSolver<S> {
    /// Factors the matrix with these values, in the order of the entries the analysis was made from. For a `symmetric`
    /// (not Hermitian) matrix the upper one of each pair of equal values is not used, and half the factors are made.
    ///
    /// # Errors
    /// If the matrix is numerically singular: the column is that of an unknown which those eliminated before it leave
    /// without a pivot. The solver then holds no factors.
    ///
    /// # Panics
    /// If there are not as many values as entries.
    pub fn factor(&mut self, values: &[S], symmetric: bool) -> Result<(), Singular> {
        assert_eq!(values.len(), self.symbolic.places.len(), "one value for each entry");
        if !symmetric {
            self.upper.resize(self.symbolic.right(), S::default());
        }
        self.symmetric = symmetric;
        self.assemble(values);
        let symbolic = &*self.symbolic;
        self.shares.clear();
        self.shares.resize(symbolic.size, 0.0);
        let mut pivots = Pivots { sums: &mut self.shares, noise: self.noise };
        for front in symbolic.fronts.iter() {
            let first = &symbolic.panels[front.panels.start as usize];
            let lower = &mut self.lower[first.lower as usize..];
            let upper = if symmetric { &mut [][..] } else { &mut self.upper[first.upper as usize..] };
            let [even, odd] = &mut self.stacks;
            let (own, others) = if front.even { (even, odd) } else { (odd, even) };
            let update = &mut own[front.update as usize..][..front.later().pow(2)];
            update.fill(S::default());
            for &child in &symbolic.children[front.children.range()] {
                let child = symbolic.fronts.get(child as usize);
                let added = &others[child.update as usize..][..child.later().pow(2)];
                let relative = &symbolic.relative[child.rows.range()];
                extend_lower(symbolic, &front, added, relative, lower, update, symmetric);
                if !symmetric {
                    extend_upper(symbolic, &front, added, relative, lower, upper);
                }
            }
            let (mut lower, mut upper) = (lower, upper);
            for panel in &symbolic.panels[front.panels.range()] {
                let w = panel.width as usize;
                let below = panel.below() * w;
                let (this, right);
                (this, lower) = lower.split_at_mut(w * w + below);
                (right, upper) = upper.split_at_mut(if symmetric { 0 } else { below });
                let right = (!symmetric).then_some(right);
                let later = panel.later(&symbolic.rows);
                let work = &mut self.work[..below];
                let eliminated = with_width!(w, W => {
                    kernel::eliminate::<S, W>(panel, this, right, work, &mut pivots, later, update)
                });
                eliminated.map_err(|k| Singular { column: symbolic.order[k] as usize })?;
                let this = &this[w * w..];
                let inner = panel.inner as usize;
                if inner > 0 {
                    update_panels(panel, front.panel as usize, this, work, lower, upper);
                }
                if later.len() > kernel::FEW {
                    let rest = Product { rows: &this[inner * w..], columns: &work[inner * w..], width: w };
                    rest.subtract_from(update, symmetric, &mut self.turned);
                }
            }
        }
        Ok(())
    }

    /// Puts the values into panels and right of them.
    fn assemble(&mut self, values: &[S]) {
        self.lower.fill(S::default());
        if self.symmetric {
            for (&place, x) in self.symbolic.places.iter().zip(values).filter(|(place, _)| **place < RIGHT) {
                self.lower[place as usize] = *x;
            }
            return;
        }
        self.upper.fill(S::default());
        for (&place, x) in self.symbolic.places.iter().zip(values) {
            match place.checked_sub(RIGHT) {
                None => self.lower[place as usize] = *x,
                Some(right) => self.upper[right as usize] = *x,
            }
        }
    }
}

/// Adds a child's update on and below the diagonal; right of it too where the parent's own update is whole.
#[inline(always)]
fn extend_lower<S: Field>(
    symbolic: &Symbolic,
    front: &Front,
    added: &[S],
    relative: &[u32],
    lower: &mut [S],
    update: &mut [S],
    symmetric: bool,
) {
    let (count, later, width) = (relative.len(), front.later(), front.width as usize);
    let begin = symbolic.panels[front.panels.start as usize].lower;
    let mut first = 0;
    while first < count && (relative[first] as usize) < width {
        let panel = &symbolic.panels[front.panel_of(relative[first] as usize)];
        let (start, w) = ((panel.first - front.first) as usize, panel.width as usize);
        let numbers = &mut lower[(panel.lower - begin) as usize..];
        let last = first + relative[first..].iter().take_while(|&&k| (k as usize) < start + w).count();
        for i in first..count {
            let row = &mut numbers[(relative[i] as usize - start) * w..][..w];
            let columns = first..last.min(i + 1);
            for (x, &k) in added[i * count..][columns.clone()].iter().zip(&relative[columns]) {
                row[k as usize - start] += *x;
            }
        }
        first = last;
    }
    for i in first..count {
        let row = &mut update[(relative[i] as usize - width) * later..][..later];
        let columns = first..if symmetric { i + 1 } else { count };
        for (x, &k) in added[i * count..][columns.clone()].iter().zip(&relative[columns]) {
            row[k as usize - width] += *x;
        }
    }
}

/// Adds what a child's update has above the diagonal of the parent's own rows.
fn extend_upper<S: Field>(
    symbolic: &Symbolic,
    front: &Front,
    added: &[S],
    relative: &[u32],
    lower: &mut [S],
    upper: &mut [S],
) {
    let count = relative.len();
    let begin = &symbolic.panels[front.panels.start as usize];
    for i in (0..count).take_while(|&i| relative[i] < front.width) {
        let panel = &symbolic.panels[front.panel_of(relative[i] as usize)];
        let (start, w) = ((panel.first - front.first) as usize, panel.width as usize);
        let row = relative[i] as usize - start;
        let own = &mut lower[(panel.lower - begin.lower) as usize + row * w..][..w];
        let right = &mut upper[(panel.upper - begin.upper) as usize..];
        for (x, &k) in added[i * count..][i + 1..count].iter().zip(&relative[i + 1..]) {
            match (k as usize - start).checked_sub(w) {
                None => own[k as usize - start] += *x,
                Some(below) => right[below * w + row] += *x,
            }
        }
    }
}

/// Takes what a panel's elimination adds to the later panels of its front, `full` columns wide but for the last.
fn update_panels<S: Field>(
    panel: &Panel,
    full: usize,
    below: &[S],
    factors: &[S],
    mut later: &mut [S],
    mut right: &mut [S],
) {
    let (w, inner) = (panel.width as usize, panel.inner as usize);
    let mut start = 0;
    while start < inner {
        let width = full.min(inner - start);
        let own = start * w..(start + width) * w;
        let (this, rest) = later.split_at_mut((panel.below() - start) * width);
        Product { rows: &below[own.start..], columns: &factors[own.clone()], width: w }.subtract_rectangular(this);
        later = rest;
        if !right.is_empty() {
            let (this, rest) = right.split_at_mut((panel.below() - start - width) * width);
            Product { rows: &factors[own.end..], columns: &below[own], width: w }.subtract_rectangular(this);
            right = rest;
        }
        start += width;
    }
}

/// A product of rows with transposed rows, all of the same width.
struct Product<'a, S> {
    rows: &'a [S],
    columns: &'a [S],
    width: usize,
}

impl<S: Field> Product<'_, S> {
    /// From a square matrix; if `half`, on and below its diagonal only.
    #[inline(always)]
    fn subtract_from(&self, target: &mut [S], half: bool, turned: &mut [S]) {
        let w = self.width;
        let n = self.columns.len() / w;
        if n >= BLOCKED {
            let rows = MatRef::from_row_major_slice(self.rows, n, w);
            let columns = MatRef::from_row_major_slice(self.columns, n, w).transpose();
            let target = MatMut::from_row_major_slice_mut(target, n, n);
            if half {
                let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
                triangular_matmul(target, lower, Accum::Add, rows, whole, columns, whole, S::from(-1.0), Par::Seq);
            } else {
                matmul(target, Accum::Add, rows, columns, S::from(-1.0), Par::Seq);
            }
        } else {
            let turned = &mut turned[..n * w];
            for (j, column) in self.columns.chunks_exact(w).enumerate() {
                for (k, x) in column.iter().enumerate() {
                    turned[k * n + j] = *x;
                }
            }
            for (i, (row, target)) in self.rows.chunks_exact(w).zip(target.chunks_exact_mut(n)).enumerate() {
                let count = if half { i + 1 } else { n };
                subtract_columns(&mut target[..count], row, turned, n);
            }
        }
    }

    fn subtract_rectangular(&self, target: &mut [S]) {
        let w = self.width;
        let (m, n) = (self.rows.len() / w, self.columns.len() / w);
        let rows = MatRef::from_row_major_slice(self.rows, m, w);
        let columns = MatRef::from_row_major_slice(self.columns, n, w).transpose();
        matmul(MatMut::from_row_major_slice_mut(target, m, n), Accum::Add, rows, columns, S::from(-1.0), Par::Seq);
    }
}

/// Four columns at a time, so that the target is loaded and stored a quarter as often.
#[inline(always)]
fn subtract_columns<S: Field>(target: &mut [S], row: &[S], columns: &[S], stride: usize) {
    let count = target.len();
    let (fours, rest) = row.as_chunks::<4>();
    let mut columns = columns.chunks_exact(stride);
    let mut next = || &columns.next().unwrap_or(&[])[..count];
    for x in fours {
        let c = [next(), next(), next(), next()];
        for j in 0..count {
            target[j] -= x[0] * c[0][j] + x[1] * c[1][j] + (x[2] * c[2][j] + x[3] * c[3][j]);
        }
    }
    for x in rest {
        for (t, c) in target.iter_mut().zip(next()) {
            *t -= *x * *c;
        }
    }
}

/// Numbers of scratch a factorisation needs: the factors of one panel.
pub(super) fn scratch(symbolic: &Symbolic) -> usize {
    symbolic.largest_front() * PANEL
}
