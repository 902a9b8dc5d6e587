//! Where a bordered matrix and its factors are kept: dense, or only the entries of its patterns.
//!
//! A sparse matrix is factored without exchanges beyond small blocks. What that does to accuracy is seen in the first
//! solution with new factors: its residual decides whether solutions are refined, or the matrix is handed to a solver
//! with full pivoting by columns ([`Fallback`]).

use super::Bordered;
use crate::linear::{DenseSolver, Entry, LinearSolver, Pattern, Singular, SparseFactors, Structure};

/// Residual of a solution, relative to its terms, up to which it is as good as it gets.
const ACCURATE: f64 = 1e-10;
/// Residual beyond which one refinement will not do.
const USELESS: f64 = 1e-5;

pub(super) enum Store<S: Entry> {
    /// Column-major.
    Dense { matrix: Vec<S>, solver: Box<DenseSolver<S>> },
    /// Values in the order of [`Structure`].
    Sparse(Box<Sparse<S>>),
}

pub(super) struct Sparse<S: Entry> {
    values: Vec<S>,
    solver: Box<dyn SparseFactors<S>>,
    /// For matrices that cannot be factored in the given order; made when first needed.
    fallback: Option<DenseSolver<S>>,
    fallbacks: u64,
    accuracy: Accuracy,
    /// Room for two vectors.
    scratch: Vec<S>,
}

/// What is known of the present factors.
#[derive(Clone, Copy, PartialEq)]
enum Accuracy {
    Unknown,
    Good,
    /// Solutions need one refinement.
    Fair,
    /// The factors are the fallback's.
    Replaced,
}

impl<S: Entry> Store<S> {
    pub fn new(structure: &Structure) -> Self {
        let size = structure.size();
        match structure.analysis().and_then(|analysis| S::sparse_solver(&analysis.symbolic)) {
            None => Store::Dense { matrix: vec![S::default(); size * size], solver: Box::new(DenseSolver::new(size)) },
            Some(solver) => Store::Sparse(Box::new(Sparse {
                values: vec![S::default(); structure.values()],
                solver,
                fallback: None,
                fallbacks: 0,
                accuracy: Accuracy::Unknown,
                scratch: vec![S::default(); 2 * size],
            })),
        }
    }

    /// The numbers that make the matrix.
    pub fn matrix(&mut self) -> &mut Vec<S> {
        match self {
            Store::Dense { matrix, .. } => matrix,
            Store::Sparse(sparse) => &mut sparse.values,
        }
    }

    pub fn assemble(&mut self, structure: &Structure, parts: &Bordered<S>) {
        match self {
            Store::Dense { matrix, .. } => assemble_dense(structure, parts, matrix),
            Store::Sparse(sparse) => assemble_sparse(structure, parts, &mut sparse.values),
        }
    }

    pub fn factor(&mut self, structure: &Structure) -> Result<(), Singular> {
        match self {
            Store::Dense { matrix, solver } => solver.factor(matrix),
            Store::Sparse(sparse) => sparse.factor(structure),
        }
    }

    pub fn smallest_pivot(&self) -> f64 {
        match self {
            Store::Dense { solver, .. } => solver.smallest_pivot(),
            Store::Sparse(sparse) => match (&sparse.fallback, sparse.accuracy) {
                (Some(fallback), Accuracy::Replaced) => fallback.smallest_pivot(),
                _ => sparse.solver.smallest_pivot(),
            },
        }
    }

    /// See [`Kkt::weak`](super::Kkt::weak).
    pub fn weak(&self, limit: f64) -> Vec<usize> {
        match self {
            Store::Sparse(sparse) if sparse.accuracy != Accuracy::Replaced => sparse.solver.weak(limit),
            _ => Vec::new(),
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
            Store::Sparse(sparse) if sparse.accuracy == Accuracy::Good => {
                sparse.solver.solve_two(first, second, &mut sparse.scratch);
            }
            _ => {
                self.solve(structure, first);
                self.solve(structure, second);
            }
        }
    }

    /// See [`Kkt::turns_with_border`](super::Kkt::turns_with_border).
    pub fn turns_with_border(&mut self, structure: &Structure, border: &[f64]) -> Option<usize> {
        let (Store::Sparse(sparse), Some(analysis)) = (self, structure.analysis()) else { return None };
        let (first, count) = (structure.top.len() + structure.rows.len(), structure.rows.len());
        let own: Vec<S> = sparse.values[first..first + count].to_vec();
        for (value, x) in sparse.values[first..].iter_mut().zip(border) {
            *value = S::from(-*x);
        }
        let mut probe = S::sparse_solver(&analysis.symbolic)?;
        let probed = probe.factor(&sparse.values, false);
        sparse.values[first..first + count].copy_from_slice(&own);
        // A matrix without pivots says nothing.
        probed.ok()?;
        (probe.determinant_sign() != sparse.solver.determinant_sign()).then(|| probe.weakest())
    }

    pub fn fallbacks(&self) -> u64 {
        match self {
            Store::Dense { .. } => 0,
            Store::Sparse(sparse) => sparse.fallbacks,
        }
    }

    /// Restores the count; a dense matrix has none.
    pub fn set_fallbacks(&mut self, fallbacks: u64) {
        if let Store::Sparse(sparse) = self {
            sparse.fallbacks = fallbacks;
        }
    }
}

impl<S: Entry> Sparse<S> {
    fn factor(&mut self, structure: &Structure) -> Result<(), Singular> {
        self.accuracy = Accuracy::Unknown;
        let symmetric = structure.analysis().is_some_and(|analysis| analysis.is_symmetric(structure, &self.values));
        match self.solver.factor(&self.values, symmetric) {
            Ok(()) => Ok(()),
            Err(singular) => self.fall_back(structure).map_err(|_| singular),
        }
    }

    /// Factors with pivots from everywhere.
    fn fall_back(&mut self, structure: &Structure) -> Result<(), Singular> {
        let size = structure.size();
        if size > FALLBACK_LIMIT {
            return Err(Singular { column: 0 });
        }
        let mut matrix = vec![S::default(); size * size];
        structure.each_value(|e, i, j| matrix[j * size + i] += self.values[e]);
        let fallback = self.fallback.get_or_insert_with(|| DenseSolver::new(size));
        fallback.factor(&matrix)?;
        self.fallbacks += 1;
        self.accuracy = Accuracy::Replaced;
        Ok(())
    }

    fn solve(&mut self, structure: &Structure, rhs: &mut [S]) {
        let (residual, given) = self.scratch.split_at_mut(rhs.len());
        match self.accuracy {
            Accuracy::Good => self.solver.solve(rhs, residual),
            Accuracy::Replaced => self.fallback.iter_mut().for_each(|fallback| fallback.solve(rhs)),
            Accuracy::Unknown | Accuracy::Fair => {
                given.copy_from_slice(rhs);
                self.solver.solve(rhs, residual);
                structure.multiply(&self.values, rhs, residual);
                let size = take_from(given, residual);
                if self.accuracy == Accuracy::Unknown {
                    // A NaN is useless, too.
                    let useful = size <= USELESS;
                    if !useful && self.fall_back(structure).is_ok() {
                        rhs.copy_from_slice(&self.scratch[rhs.len()..]);
                        return self.solve(structure, rhs);
                    }
                    self.accuracy = if size <= ACCURATE { Accuracy::Good } else { Accuracy::Fair };
                }
                if self.accuracy == Accuracy::Fair {
                    let (residual, free) = self.scratch.split_at_mut(rhs.len());
                    self.solver.solve(residual, free);
                    for (x, d) in rhs.iter_mut().zip(residual) {
                        *x += *d;
                    }
                }
            }
        }
    }
}

/// b - A x from A x, and its largest entry relative to the largest of both.
fn take_from<S: Entry>(b: &[S], product: &mut [S]) -> f64 {
    let (mut largest, mut terms) = (0.0_f64, f64::MIN_POSITIVE);
    for (r, b) in product.iter_mut().zip(b) {
        terms = terms.max(b.size()).max(r.size());
        *r = *b - *r;
        largest = if r.size() <= largest { largest } else { r.size() };
    }
    largest / terms
}

/// Largest matrix that is made dense where its sparse order fails.
const FALLBACK_LIMIT: usize = 4000;

/// Entry i of the diagonal of the corner of a softened matrix: -softness C_ij^2 / |A_jj|, summed over j. `top` and `rows` give
/// entries.
fn softened<S: Entry>(
    structure: &Structure,
    i: usize,
    top: impl Fn(usize) -> S,
    rows: impl Fn(usize, usize) -> S,
) -> S {
    let parts = structure.rows.row(i).map(|(j, e)| (rows(j, e).size(), top(j).size()));
    let size: f64 = parts.map(|(c, a)| if a > 0.0 { c * c / a } else { 0.0 }).sum();
    S::from(-structure.softness() * if size > 0.0 { size } else { 1.0 })
}

fn assemble_dense<S: Entry>(structure: &Structure, parts: &Bordered<S>, matrix: &mut [S]) {
    let (n, m, size) = (structure.top.rows(), structure.rows.rows(), structure.size());
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
            let corner = softened(structure, i - n, |j| matrix[j * size + j], |j, _| matrix[j * size + i]);
            matrix[i * size + i] += corner;
        }
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
    for (value, x) in border.iter_mut().zip(parts.border.1) {
        *value = S::from(-parts.border.0 * x);
    }
    corner.fill(S::default());
    if structure.softness() > 0.0 {
        let diagonal = |j: usize| structure.top.position(j, j).map_or(S::default(), |e| top[e]);
        for (i, corner) in corner.iter_mut().enumerate() {
            *corner = softened(structure, i, diagonal, |_, e| rows[e]);
        }
    }
}

/// Calls `put(i, j, value)` for each entry of a block; for an empty one not at all.
fn each(pattern: &Pattern, values: &[f64], mut put: impl FnMut(usize, usize, f64)) {
    if pattern.is_dense() {
        for (i, row) in values.chunks_exact(pattern.columns().max(1)).enumerate() {
            for (j, x) in row.iter().enumerate() {
                put(i, j, *x);
            }
        }
    } else if !values.is_empty() {
        for i in 0..pattern.rows() {
            for (j, e) in pattern.row(i) {
                put(i, j, values[e]);
            }
        }
    }
}
