//! What all bordered matrices with the same patterns share: where their entries stand, and in which order a sparse
//! factorisation eliminates them.

use std::sync::{Arc, OnceLock};

use super::sparse::{Symbolic, bordered_order};
use super::{Columns, Entry, Pattern, Shelf};

/// Unknowns from which on patterns are made use of: below, dense loops are as fast.
const SPARSE_FROM: usize = 40;
/// Share of all entries up to which they are.
const SPARSE_UP_TO: f64 = 0.3;

/// How the matrices of a system with [`patterns`](crate::Description::patterns) are kept and factored. Without patterns,
/// where these have every entry, and for methods that need dense matrices, they are dense whatever is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolverChoice {
    /// Sparse from 40 unknowns on, up to 30 % of all entries.
    #[default]
    Automatic,
    /// All entries, LU with partial pivoting.
    Dense,
    /// The entries of the patterns only, however few unknowns there are.
    Sparse,
}

impl SolverChoice {
    /// Whether a bordered matrix with so many unknowns and multipliers, and so many entries that are not zero, is kept sparse. That
    /// decides about speed and memory, not about results.
    pub fn is_sparse(self, unknowns: usize, entries: usize) -> bool {
        match self {
            SolverChoice::Dense => false,
            SolverChoice::Sparse => true,
            SolverChoice::Automatic => {
                unknowns >= SPARSE_FROM && (entries as f64) < SPARSE_UP_TO * (unknowns as f64).powi(2)
            }
        }
    }
}

/// The patterns of the blocks of a bordered matrix.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Of the leading block.
    pub top: Arc<Pattern>,
    /// Of the constraint rows, and of the transpose of the border.
    pub rows: Arc<Pattern>,
    /// See [`softened`](Self::softened).
    softness: f64,
    choice: SolverChoice,
    analysis: OnceLock<Analysis>,
    /// For matrices that the analysis does not serve; made when first needed.
    columns: OnceLock<Arc<Columns>>,
    /// The constraint rows by columns, where unknowns without mass ask for them.
    transposed: OnceLock<Transposed>,
    /// Room for matrices of this structure, and for whoever works beside them.
    pub(crate) shelf: Shelf<f64>,
    pub(super) complex_shelf: Shelf<faer::c64>,
}

/// Values are those of the leading block, the rows, the border and the diagonal of the corner, in turn.
#[derive(Clone, Debug)]
pub(super) struct Analysis {
    pub symbolic: Arc<Symbolic>,
    /// Pairs of positions of entries of the leading block that mirror each other at the diagonal.
    mirrored: Vec<(u32, u32)>,
    /// Entries of the leading block without a mirror image.
    single: Vec<u32>,
}

/// Where each column of the constraint rows has its entries.
#[derive(Clone, Debug)]
struct Transposed {
    starts: Vec<usize>,
    /// Rows, and positions of their entries.
    entries: Vec<(usize, usize)>,
}

impl Structure {
    /// From the patterns of the leading block (n by n) and of the constraint rows (m by n).
    pub fn new(top: Arc<Pattern>, rows: Arc<Pattern>) -> Self {
        Structure {
            top,
            rows,
            softness: 0.0,
            choice: SolverChoice::Automatic,
            analysis: OnceLock::new(),
            columns: OnceLock::new(),
            transposed: OnceLock::new(),
            shelf: Shelf::default(),
            complex_shelf: Shelf::default(),
        }
    }

    /// The same for matrices whose constraint rows may be dependent: the diagonal of the corner gets `-softness` times the
    /// size of C A^-1 B there. Solutions with consistent right-hand sides are wrong by that share, which refinement
    /// removes; of the multipliers that do the same, the smallest come out.
    pub fn softened(self, softness: f64) -> Self {
        // Columns know whether the corner is empty.
        Structure { softness, columns: OnceLock::new(), ..self }
    }

    /// See [`softened`](Self::softened).
    pub fn softness(&self) -> f64 {
        self.softness
    }

    /// The same with another choice of the solver.
    pub fn solved_by(self, choice: SolverChoice) -> Self {
        Structure { choice, ..self }
    }

    /// See [`solved_by`](Self::solved_by).
    pub fn choice(&self) -> SolverChoice {
        self.choice
    }

    /// Unknowns and multipliers.
    pub fn size(&self) -> usize {
        self.top.rows() + self.rows.rows()
    }

    /// About how many solves one factorisation costs.
    pub fn factorisation_cost(&self) -> f64 {
        match self.analysis() {
            None => self.size() as f64 / 3.0,
            Some(Analysis { symbolic, .. }) => symbolic.operations() / (2 * symbolic.fill()).max(1) as f64,
        }
    }

    /// Entries of the factors of a sparse matrix, and the operations that a factorisation takes; none for dense ones.
    pub fn cost(&self) -> Option<(usize, f64)> {
        self.analysis().map(|Analysis { symbolic, .. }| (symbolic.fill(), symbolic.operations()))
    }

    /// Number of values of a sparse matrix.
    pub(super) fn values(&self) -> usize {
        self.top.len() + 2 * self.rows.len() + self.rows.rows()
    }

    /// Whether only the entries of the patterns are kept: by choice, or because the matrix is large and sparse enough for
    /// an analysis to pay.
    pub fn is_sparse(&self) -> bool {
        let full = self.top.is_dense() && self.rows.is_dense();
        !full && self.choice.is_sparse(self.size(), self.top.len() + 2 * self.rows.len())
    }

    /// Makes the analysis of a sparse matrix, so that copies share it.
    pub(crate) fn prepare(&self) {
        let _ = self.analysis();
    }

    /// The analysis of a sparse matrix.
    pub(super) fn analysis(&self) -> Option<&Analysis> {
        self.is_sparse().then(|| self.analysis.get_or_init(|| self.analyse()))
    }

    /// The columns of a sparse matrix, in an order for any pivots.
    pub(super) fn columns(&self) -> &Arc<Columns> {
        self.columns.get_or_init(|| {
            // Where the corner is empty its diagonal is no part of the matrix: it would only fill the factors.
            let end = if self.softness > 0.0 { self.values() } else { self.values() - self.rows.rows() };
            let visit = |put: &mut dyn FnMut(usize, usize, usize)| {
                self.each_value(|e, i, j| {
                    if e < end {
                        put(e, i, j);
                    }
                });
            };
            Arc::new(Columns::new(self.size(), self.values(), visit))
        })
    }

    /// The constraint rows that have an entry in a column, with its position.
    pub(super) fn rows_of(&self, column: usize) -> impl Iterator<Item = (usize, usize)> {
        let Transposed { starts, entries } = self.transposed.get_or_init(|| {
            let mut all: Vec<(usize, usize, usize)> =
                (0..self.rows.rows()).flat_map(|i| self.rows.row(i).map(move |(j, e)| (j, i, e))).collect();
            all.sort_unstable();
            let starts = (0..=self.rows.columns()).map(|j| all.partition_point(|(other, ..)| *other < j)).collect();
            Transposed { starts, entries: all.into_iter().map(|(_, i, e)| (i, e)).collect() }
        });
        entries[starts[column]..starts[column + 1]].iter().copied()
    }

    fn analyse(&self) -> Analysis {
        let (n, m) = (self.top.rows(), self.rows.rows());
        let order = bordered_order(&self.top, &self.rows);
        let mut entries: Vec<(u32, u32)> = Vec::with_capacity(self.values());
        let (mut mirrored, mut single) = (Vec::new(), Vec::new());
        for i in 0..n {
            for (j, e) in self.top.row(i) {
                entries.push((i as u32, j as u32));
                match self.top.position(j, i) {
                    Some(mirror) if j > i => mirrored.push((e as u32, mirror as u32)),
                    None => single.push(e as u32),
                    _ => {}
                }
            }
        }
        let rows = || (0..m).flat_map(|i| self.rows.row(i).map(move |(j, _)| ((n + i) as u32, j as u32)));
        entries.extend(rows());
        entries.extend(rows().map(|(i, j)| (j, i)));
        entries.extend((n as u32..(n + m) as u32).map(|i| (i, i)));
        Analysis { symbolic: Arc::new(Symbolic::new(n + m, &entries, &order)), mirrored, single }
    }

    /// y = A x for the values of a sparse matrix.
    pub(super) fn multiply<S: Entry>(&self, values: &[S], x: &[S], y: &mut [S]) {
        let (n, top, rows) = (self.top.rows(), self.top.len(), self.rows.len());
        let (border, corner) = values[top + rows..].split_at(rows);
        for i in 0..n {
            y[i] = self.top.row(i).fold(S::default(), |sum, (j, e)| sum + values[e] * x[j]);
        }
        for i in 0..self.rows.rows() {
            y[n + i] = corner[i] * x[n + i];
            for (j, e) in self.rows.row(i) {
                y[n + i] += values[top + e] * x[j];
                y[j] += border[e] * x[n + i];
            }
        }
    }
}

impl Structure {
    /// Calls `visit(position, row, column)` for every value of a sparse matrix.
    pub(super) fn each_value(&self, mut visit: impl FnMut(usize, usize, usize)) {
        let (n, top, rows) = (self.top.rows(), self.top.len(), self.rows.len());
        for i in 0..n {
            self.top.row(i).for_each(|(j, e)| visit(e, i, j));
        }
        for i in 0..self.rows.rows() {
            for (j, e) in self.rows.row(i) {
                visit(top + e, n + i, j);
                visit(top + rows + e, j, n + i);
            }
            visit(top + 2 * rows + i, n + i, n + i);
        }
    }
}

impl Analysis {
    /// Whether the values are those of a symmetric matrix, up to rounding.
    pub fn is_symmetric<S: Entry>(&self, structure: &Structure, values: &[S]) -> bool {
        let same = |a: S, b: S| (a - b).size() <= SYMMETRIC * (a.size() + b.size());
        let (top, rows) = (structure.top.len(), structure.rows.len());
        let (lower, upper) = values[top..top + 2 * rows].split_at(rows);
        lower.iter().zip(upper).all(|(a, b)| same(*a, *b))
            && self.mirrored.iter().all(|&(a, b)| same(values[a as usize], values[b as usize]))
            && self.single.iter().all(|e| values[*e as usize].size() == 0.0)
    }
}

/// Entries may differ by this much of their size and pass for the same.
const SYMMETRIC: f64 = 1e-14;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_matrix_is_never_sparse() {
        let full = |rows| Arc::new(Pattern::dense(rows, 50));
        assert!(!Structure::new(full(50), full(3)).solved_by(SolverChoice::Sparse).is_sparse());
    }
}
