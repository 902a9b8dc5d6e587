//! Where a bordered matrix and its factors are kept: dense, or only the entries of its patterns ([`Sparse`]).

use super::Bordered;
use super::softness::Softness;
use super::stages::Sparse;
use crate::checkpoint::{Archive, BadCheckpoint};
use crate::linear::{DenseSolver, Entry, LinearSolver, Pattern, Singular, Structure, keep_entries};

pub(super) enum Store<S: Entry> {
    /// Column-major.
    Dense { matrix: Vec<S>, solver: Box<DenseSolver<S>> },
    /// Values in the order of [`Structure`].
    Sparse(Box<Sparse<S>>),
}

impl<S: Entry> Store<S> {
    pub fn new(structure: &Structure) -> Self {
        let size = structure.size();
        match structure.analysis().and_then(|analysis| S::sparse_solver(&analysis.symbolic)) {
            None => Store::Dense { matrix: vec![S::default(); size * size], solver: Box::new(DenseSolver::new(size)) },
            Some(solver) => Store::Sparse(Box::new(Sparse::new(solver))),
        }
    }

    /// Entry i of the diagonal of the corner.
    pub fn corner(&self, structure: &Structure, i: usize) -> S {
        let (n, size) = (structure.top.rows(), structure.size());
        match self {
            Store::Dense { matrix, .. } => matrix[(n + i) * size + n + i],
            Store::Sparse(sparse) => {
                let corner = structure.top.len() + 2 * structure.rows.len();
                sparse.values.get(corner + i).copied().unwrap_or_default()
            }
        }
    }

    pub fn assemble(&mut self, structure: &Structure, parts: &Bordered<S>) {
        match self {
            Store::Dense { matrix, .. } => assemble_dense(structure, parts, matrix),
            Store::Sparse(sparse) => assemble_sparse(structure, parts, sparse.open(structure)),
        }
    }

    pub fn factor(&mut self, structure: &Structure) -> Result<(), Singular> {
        match self {
            Store::Dense { matrix, solver } => solver.factor(matrix),
            Store::Sparse(sparse) => sparse.factor(structure),
        }
    }

    /// Gives back what nobody will ask for.
    pub fn forget_pivots(&mut self, structure: &Structure) {
        if let Store::Sparse(sparse) = self {
            sparse.forget_pivots(structure);
        }
    }

    /// See [`Kkt::each_pivot`](super::Kkt::each_pivot).
    pub fn each_pivot(&self, show: &mut dyn FnMut(usize, f64)) -> bool {
        match self {
            Store::Dense { .. } => false,
            Store::Sparse(sparse) => sparse.first_stage().map(|solver| solver.each_pivot(show)).is_some(),
        }
    }

    pub fn solve(&mut self, structure: &Structure, rhs: &mut [S]) {
        match self {
            Store::Dense { solver, .. } => solver.solve(rhs),
            Store::Sparse(sparse) => sparse.solve(structure, rhs),
        }
    }

    pub fn solve_two(&mut self, structure: &Structure, first: &mut [S], second: &mut [S]) {
        match self {
            Store::Dense { solver, .. } => {
                solver.solve(first);
                solver.solve(second);
            }
            Store::Sparse(sparse) => sparse.solve_two(structure, first, second),
        }
    }

    pub fn fallbacks(&self) -> u64 {
        match self {
            Store::Dense { .. } => 0,
            Store::Sparse(sparse) => sparse.fallbacks,
        }
    }

    /// Keeps the matrix and its factors, if there are any.
    pub fn keep(&mut self, structure: &Structure, archive: &mut Archive, factored: bool) -> Result<(), BadCheckpoint> {
        match self {
            Store::Dense { matrix, solver } => {
                keep_entries(matrix, archive)?;
                let again = archive.is_reading() && factored;
                if again { solver.factor(matrix).map_err(|_| BadCheckpoint::Corrupt) } else { Ok(()) }
            }
            Store::Sparse(sparse) => sparse.keep(structure, archive, factored),
        }
    }
}

fn assemble_dense<S: Entry>(structure: &Structure, parts: &Bordered<S>, matrix: &mut [S]) {
    let (n, m, size) = (structure.top.rows(), structure.rows.rows(), structure.size());
    if structure.top.is_dense() && structure.rows.is_dense() && parts.corner.is_none() && structure.softness() == 0.0 {
        return assemble_full(n, size, parts, matrix);
    }
    matrix.fill(S::default());
    for (c, block) in parts.top.iter().filter(|(c, _)| c.size() != 0.0) {
        each(&structure.top, block, |i, j, x| matrix[j * size + i] += *c * x);
    }
    let (c, border) = parts.border;
    each(&structure.rows, border, |i, j, x| matrix[(n + i) * size + j] = S::from(-c * x));
    for (c, block) in parts.rows.iter().filter(|(c, _)| c.size() != 0.0) {
        each(&structure.rows, block, |i, j, x| matrix[j * size + n + i] += *c * x);
    }
    for (i, row) in parts.corner.unwrap_or_default().chunks_exact(m.max(1)).enumerate() {
        for (j, x) in row.iter().enumerate() {
            matrix[(n + j) * size + n + i] = S::from(*x);
        }
    }
    if structure.softness() > 0.0 {
        for i in n..size {
            let softness = Softness {
                structure,
                mass: parts.top,
                diagonal: |j: usize| matrix[j * size + j].size(),
                row: |k: usize, j: usize, _: usize| matrix[j * size + n + k].size(),
            };
            let corner = softness.of(i - n);
            matrix[i * size + i] += S::from(-corner);
        }
    }
}

/// The same with dense patterns and nothing in the corner: every entry is written by the first block that has it.
fn assemble_full<S: Entry>(n: usize, size: usize, parts: &Bordered<S>, matrix: &mut [S]) {
    for (terms, first) in [(parts.top, 0), (parts.rows, n)] {
        // An empty block stands for zeros.
        let mut terms = terms.iter().filter(|(c, block)| c.size() != 0.0 && !block.is_empty());
        match terms.next() {
            Some((c, block)) => by_entries(block, n, |i, j, x| matrix[j * size + first + i] = *c * x),
            None => matrix.chunks_exact_mut(size.max(1)).take(n).for_each(|column| {
                let end = if first == 0 { n } else { size };
                column[first..end].fill(S::default());
            }),
        }
        for (c, block) in terms {
            by_entries(block, n, |i, j, x| matrix[j * size + first + i] += *c * x);
        }
    }
    let (c, border) = parts.border;
    for (column, row) in matrix[n * size..].chunks_exact_mut(size.max(1)).zip(border.chunks_exact(n.max(1))) {
        let (top, corner) = column.split_at_mut(n);
        top.iter_mut().zip(row).for_each(|(out, x)| *out = S::from(-c * x));
        corner.fill(S::default());
    }
}

/// Calls `put(i, j, value)` for each entry of a row-major block with n columns.
#[inline(always)]
fn by_entries(block: &[f64], n: usize, mut put: impl FnMut(usize, usize, f64)) {
    for (i, row) in block.chunks_exact(n.max(1)).enumerate() {
        row.iter().enumerate().for_each(|(j, x)| put(i, j, *x));
    }
}

fn assemble_sparse<S: Entry>(structure: &Structure, parts: &Bordered<S>, values: &mut [S]) {
    debug_assert!(parts.corner.is_none(), "a corner in a sparse matrix");
    let (top, rest) = values.split_at_mut(structure.top.len());
    let (rows, rest) = rest.split_at_mut(structure.rows.len());
    let (border, corner) = rest.split_at_mut(structure.rows.len());
    for (values, terms) in [(&mut *top, parts.top), (&mut *rows, parts.rows)] {
        values.fill(S::default());
        for (c, block) in terms.iter().filter(|(c, _)| c.size() != 0.0) {
            for (value, x) in values.iter_mut().zip(*block) {
                *value += *c * *x;
            }
        }
    }
    if parts.border.1.is_empty() {
        border.fill(S::default());
    }
    for (value, x) in border.iter_mut().zip(parts.border.1) {
        *value = S::from(-parts.border.0 * x);
    }
    corner.fill(S::default());
    if structure.softness() > 0.0 {
        let softness = Softness {
            structure,
            mass: parts.top,
            diagonal: |j: usize| structure.top.position(j, j).map_or(0.0, |e| top[e].size()),
            row: |_: usize, _: usize, e: usize| rows[e].size(),
        };
        for (i, corner) in corner.iter_mut().enumerate() {
            *corner = S::from(-softness.of(i));
        }
    }
}

/// Calls `put(i, j, value)` for each entry of a block; for an empty one not at all.
fn each(pattern: &Pattern, values: &[f64], mut put: impl FnMut(usize, usize, f64)) {
    if pattern.is_dense() {
        by_entries(values, pattern.columns(), put);
    } else if !values.is_empty() {
        for i in 0..pattern.rows() {
            for (j, e) in pattern.row(i) {
                put(i, j, values[e]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_of_a_full_matrix_is_written() {
        let (mass, damping, row) = ([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0], [5.0, 6.0]);
        // What stood there before must not stay; empty blocks and those with a factor of zero are none.
        let assembled = |top: &[(f64, &[f64])], rows: &[(f64, &[f64])]| {
            let mut matrix = [f64::NAN; 9];
            assemble_full(2, 3, &Bordered { top, border: (2.0, &[7.0, 8.0]), rows, corner: None }, &mut matrix);
            matrix
        };
        let full =
            assembled(&[(1.0, &mass), (0.0, &damping), (0.5, &damping), (1.0, &[])], &[(1.0, &row), (2.0, &row)]);
        assert_eq!(full, [6.0, 18.0, 15.0, 12.0, 24.0, 18.0, -14.0, -16.0, 0.0]);
        let empty = assembled(&[(0.0, &mass)], &[(1.0, &[])]);
        assert_eq!(empty, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -14.0, -16.0, 0.0]);
    }
}
