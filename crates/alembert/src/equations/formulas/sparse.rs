//! Formulas with patterns: columns that share no row are differentiated together, and only entries are kept.

use std::sync::Arc;

use super::Along;
use crate::equations::layout::Colours;
use crate::linear::Pattern;
use crate::scalar::{Dual, Scalar};
use crate::system::{Dims, Patterns};

/// Which matrix a derivative belongs to.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Block {
    /// v by v.
    Top,
    /// lambda by v.
    Holonomic,
    /// psi by v.
    Nonholonomic,
    /// q by v or q; dense.
    Rate,
}

/// A pattern with its groups of columns and of rows.
#[derive(Debug)]
struct Grouped {
    pattern: Arc<Pattern>,
    columns: Colours,
    rows: Colours,
}

impl Grouped {
    fn new(pattern: Arc<Pattern>) -> Self {
        Grouped { columns: Colours::of_columns(&pattern), rows: Colours::of_rows(&pattern), pattern }
    }
}

#[derive(Debug)]
pub(super) struct Sparse {
    top: Grouped,
    holonomic: Grouped,
    nonholonomic: Grouped,
}

impl Sparse {
    pub fn new(dims: Dims, patterns: Patterns) -> Self {
        let Patterns { top, rows } = patterns;
        Sparse {
            top: Grouped::new(top),
            holonomic: Grouped::new(Arc::new(rows.part(0..dims.lambda))),
            nonholonomic: Grouped::new(Arc::new(rows.part(dims.lambda..dims.constraints()))),
        }
    }

    fn of(&self, block: Block) -> &Grouped {
        match block {
            Block::Top | Block::Rate => &self.top,
            Block::Holonomic => &self.holonomic,
            Block::Nonholonomic => &self.nonholonomic,
        }
    }

    /// Groups of what varies along `along`: columns of a block, rows for multipliers.
    pub fn colours(&self, block: Block, along: Along) -> &Colours {
        match along {
            Along::Q | Along::V => &self.of(block).columns,
            Along::Lambda | Along::Psi => &self.of(block).rows,
        }
    }

    pub fn top_len(&self) -> usize {
        self.top.pattern.len()
    }

    /// The pattern of M, and its columns that share no row.
    pub fn top(&self) -> (&Pattern, &Colours) {
        (&self.top.pattern, &self.top.columns)
    }

    pub fn multiply_top<S: Scalar>(&self, values: &[S], x: &[f64], y: &mut [S]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = self.top.pattern.row(i).fold(S::default(), |sum, (j, e)| sum + values[e] * x[j]);
        }
    }

    /// Takes the entries of the groups from `first` on out of a pass.
    pub fn gather<const N: usize>(&self, block: Block, along: Along, first: usize, pass: &[Dual<N>], out: &mut [f64]) {
        let pattern = &self.of(block).pattern;
        let colours = self.colours(block, along);
        let transposed = matches!(along, Along::Lambda | Along::Psi);
        for i in 0..pattern.rows() {
            for (j, e) in pattern.row(i) {
                let (row, column) = if transposed { (j, i) } else { (i, j) };
                match (colours.of[column] as usize).checked_sub(first) {
                    Some(direction) if direction < N => out[e] = pass[row].d[direction],
                    _ => {}
                }
            }
        }
    }

    /// Column, direction and row of each entry in the groups from `first` on, `width` of them.
    pub fn entries(
        &self,
        block: Block,
        first: usize,
        width: usize,
    ) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let Grouped { pattern, columns, .. } = self.of(block);
        (0..pattern.rows()).flat_map(move |row| {
            pattern.row(row).filter_map(move |(j, _)| match (columns.of[j] as usize).checked_sub(first) {
                Some(direction) if direction < width => Some((j, direction, row)),
                _ => None,
            })
        })
    }

    /// r += C^T mu for the entries of a pass.
    pub fn add_transposed<const N: usize>(
        &self,
        block: Block,
        first: usize,
        pass: &[Dual<N>],
        mu: &[f64],
        r: &mut [f64],
    ) {
        for (j, direction, row) in self.entries(block, first, N) {
            r[j] += pass[row].d[direction] * mu[row];
        }
    }
}
