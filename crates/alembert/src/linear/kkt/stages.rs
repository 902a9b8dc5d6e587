//! A sparse matrix and its factors, by the first of three solvers that serves:
//!
//! | Stage | Solver | Pivots |
//! |---|---|---|
//! | `Static` | [`SparseFactors`] | inside small blocks of a fixed order; by far the fastest |
//! | `Pivoted` | sparse LU | the largest entry of each column |
//! | `Dense` | [`DenseSolver`], up to [`DENSE_LIMIT`] unknowns | the same, whatever the fill |
//!
//! A matrix goes to the next stage where it has no pivots, or where the first solution with new factors leaves a useless
//! residual. A residual that is only poor asks for one refinement of every solution. Each matrix begins at the first stage: the
//! next one may be good again. A matrix without pivots in the second stage is singular.

use crate::checkpoint::{Archive, BadCheckpoint, Keep};
use crate::linear::{DenseSolver, Entry, LinearSolver, Singular, SparseFactors, Structure, keep_entries};

/// Residual of a solution, relative to its terms, up to which it is as good as it gets.
const ACCURATE: f64 = 1e-10;
/// Residual beyond which one refinement will not do.
const USELESS: f64 = 1e-5;
/// Largest matrix that is made dense.
const DENSE_LIMIT: usize = 4000;

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Static,
    Pivoted,
    Dense,
}

/// What is known of the present factors.
#[derive(Clone, Copy, PartialEq)]
enum Accuracy {
    Unknown,
    Good,
    /// Solutions need one refinement.
    Fair,
}

pub(super) struct Sparse<S: Entry> {
    /// In the order of [`Structure`]. Once the first solution has shown that the factors are good, nobody needs them: their room is on
    /// the shelf, and there are none.
    pub values: Vec<S>,
    solver: Box<dyn SparseFactors<S>>,
    /// Those of the later stages, made when first needed.
    pivoted: Option<Box<dyn LinearSolver<S>>>,
    dense: Option<DenseSolver<S>>,
    stage: Stage,
    accuracy: Accuracy,
    /// Factorisations of later stages so far.
    pub fallbacks: u64,
}

impl<S: Entry> Sparse<S> {
    pub fn new(solver: Box<dyn SparseFactors<S>>) -> Self {
        Sparse {
            values: Vec::new(),
            solver,
            pivoted: None,
            dense: None,
            stage: Stage::Static,
            accuracy: Accuracy::Unknown,
            fallbacks: 0,
        }
    }

    /// Room for the values of a new matrix.
    pub fn open(&mut self, structure: &Structure) -> &mut [S] {
        if self.values.is_empty() {
            self.values = take(structure, structure.values());
        }
        &mut self.values
    }

    /// Gives the room of values back that nobody needs: no refinement, no other solver, and no corner.
    fn close(&mut self, structure: &Structure) {
        if (self.stage, self.accuracy) == (Stage::Static, Accuracy::Good) && structure.softness() == 0.0 {
            put(structure, std::mem::take(&mut self.values));
        }
    }

    /// The factors of the first stage, where those are in use.
    pub fn first_stage(&self) -> Option<&dyn SparseFactors<S>> {
        (self.stage == Stage::Static).then_some(&*self.solver)
    }

    pub fn factor(&mut self, structure: &Structure) -> Result<(), Singular> {
        (self.stage, self.accuracy) = (Stage::Static, Accuracy::Unknown);
        let symmetric = structure.analysis().is_some_and(|analysis| analysis.is_symmetric(structure, &self.values));
        if self.solver.pivots().is_empty() {
            *self.solver.pivots() = structure.shelf.take(structure.size());
        }
        match self.solver.factor(&self.values, symmetric) {
            Ok(()) => Ok(()),
            // The order may be to blame: only pivots from anywhere tell which column depends on others.
            Err(_) => self.advance(structure),
        }
    }

    /// Gives the room of what is known of pivots back.
    pub fn forget_pivots(&mut self, structure: &Structure) {
        structure.shelf.put(std::mem::take(self.solver.pivots()));
    }

    /// Factors with the solver of the next stage. Where that fails, the present factors remain.
    fn advance(&mut self, structure: &Structure) -> Result<(), Singular> {
        let size = structure.size();
        let next = match self.stage {
            Stage::Static => {
                if self.pivoted.is_none() {
                    self.pivoted = S::pivoted_solver(structure.columns());
                }
                self.pivoted.as_mut().map_or(Err(Singular { column: 0 }), |solver| solver.factor(&self.values))?;
                Stage::Pivoted
            }
            Stage::Pivoted if size <= DENSE_LIMIT => {
                let mut matrix = vec![S::default(); size * size];
                structure.each_value(|e, i, j| matrix[j * size + i] += self.values[e]);
                self.dense.get_or_insert_with(|| DenseSolver::new(size)).factor(&matrix)?;
                Stage::Dense
            }
            _ => return Err(Singular { column: 0 }),
        };
        (self.stage, self.accuracy) = (next, Accuracy::Unknown);
        self.fallbacks += 1;
        Ok(())
    }

    /// Replaces `rhs` by what the present factors make of it.
    fn apply(&mut self, rhs: &mut [S], scratch: &mut [S]) {
        match self.stage {
            Stage::Static => self.solver.solve(rhs, scratch),
            Stage::Pivoted => self.pivoted.iter_mut().for_each(|solver| solver.solve(rhs)),
            Stage::Dense => self.dense.iter_mut().for_each(|solver| solver.solve(rhs)),
        }
    }

    pub fn solve(&mut self, structure: &Structure, rhs: &mut [S]) {
        let mut scratch = take(structure, 2 * structure.size());
        self.solve_with(structure, rhs, &mut scratch);
        put(structure, scratch);
        self.close(structure);
    }

    pub fn solve_two(&mut self, structure: &Structure, first: &mut [S], second: &mut [S]) {
        if (self.stage, self.accuracy) == (Stage::Static, Accuracy::Good) {
            let mut scratch = take(structure, 2 * structure.size());
            self.solver.solve_two(first, second, &mut scratch);
            return put(structure, scratch);
        }
        self.solve(structure, first);
        self.solve(structure, second);
    }

    fn solve_with(&mut self, structure: &Structure, rhs: &mut [S], scratch: &mut [S]) {
        let (residual, given) = scratch.split_at_mut(rhs.len());
        if self.accuracy == Accuracy::Good {
            return self.apply(rhs, residual);
        }
        given.copy_from_slice(rhs);
        self.apply(rhs, residual);
        structure.multiply(&self.values, rhs, residual);
        let size = take_from(given, residual);
        if self.accuracy == Accuracy::Unknown {
            // A NaN is useless as well.
            let useful = size <= USELESS;
            if !useful && self.advance(structure).is_ok() {
                rhs.copy_from_slice(given);
                return self.solve_with(structure, rhs, scratch);
            }
            self.accuracy = if size <= ACCURATE { Accuracy::Good } else { Accuracy::Fair };
        }
        if self.accuracy == Accuracy::Fair {
            self.apply(residual, given);
            rhs.iter_mut().zip(residual).for_each(|(x, d)| *x += *d);
        }
    }

    /// Keeps the matrix, as long as it is there: equal matrices have equal factors. Afterwards the factors themselves are kept.
    pub fn keep(&mut self, structure: &Structure, archive: &mut Archive, factored: bool) -> Result<(), BadCheckpoint> {
        let mut has_values = !self.values.is_empty();
        let (mut fallbacks, mut standing) = (self.fallbacks, self.stage as u64 * 3 + self.accuracy as u64);
        has_values.keep(archive)?;
        fallbacks.keep(archive)?;
        standing.keep(archive)?;
        if has_values {
            keep_entries(self.open(structure), archive)?;
        } else {
            put(structure, std::mem::take(&mut self.values));
            self.solver.keep(archive)?;
        }
        if archive.is_reading() {
            let resumed = if factored { self.resume(structure, standing) } else { Ok(()) };
            resumed.map_err(|_| BadCheckpoint::Corrupt)?;
            self.fallbacks = fallbacks;
        }
        Ok(())
    }

    /// Brings the matrix, or the factors of the first stage, to the standing that they had.
    fn resume(&mut self, structure: &Structure, standing: u64) -> Result<(), Singular> {
        self.stage = Stage::Static;
        if !self.values.is_empty() {
            self.factor(structure)?;
        } else if standing > Accuracy::Fair as u64 {
            // Only a spoilt checkpoint asks for another stage without values.
            return Err(Singular { column: 0 });
        }
        while (self.stage as u64) < standing / 3 {
            self.advance(structure)?;
        }
        self.accuracy = match standing % 3 {
            0 => Accuracy::Unknown,
            1 => Accuracy::Good,
            _ => Accuracy::Fair,
        };
        Ok(())
    }
}

/// Room for so many numbers, from the shelf of the structure.
fn take<S: Entry>(structure: &Structure, length: usize) -> Vec<S> {
    S::shelf(structure).map_or_else(|| vec![S::default(); length], |shelf| shelf.take(length))
}

fn put<S: Entry>(structure: &Structure, vector: Vec<S>) {
    if let Some(shelf) = S::shelf(structure) {
        shelf.put(vector);
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::linear::Pattern;

    /// A tridiagonal leading block and one constraint for every fourth unknown.
    fn structure(n: usize) -> Structure {
        let top = (0..n).flat_map(|i| (i.saturating_sub(1)..(i + 2).min(n)).map(move |j| (i, j)));
        let rows = (0..n / 4).flat_map(|i| [(i, 4 * i), (i, 4 * i + 1)]);
        Structure::new(Arc::new(Pattern::from_entries(n, n, top)), Arc::new(Pattern::from_entries(n / 4, n, rows)))
    }

    #[test]
    fn every_stage_solves_and_none_follows_the_last() {
        for (n, stages) in [(80, 3), (DENSE_LIMIT, 2)] {
            let structure = structure(n);
            let symbolic = &structure.analysis().expect("sparse").symbolic;
            let mut sparse = Sparse::new(<f64 as Entry>::sparse_solver(symbolic).expect("for reals"));
            let corner = structure.values() - structure.rows.rows();
            let mut values = vec![0.0; structure.values()];
            values[..corner].iter_mut().enumerate().for_each(|(e, x)| *x = 0.1 + (e as f64).sin());
            structure.each_value(|e, i, j| values[e] += if i == j && i < n { 4.0 } else { 0.0 });
            sparse.open(&structure).copy_from_slice(&values);
            sparse.factor(&structure).expect("regular");
            let exact: Vec<f64> = (0..structure.size()).map(|i| (1.0 + i as f64).cos()).collect();
            for stage in 0..stages {
                if stage > 0 {
                    sparse.open(&structure).copy_from_slice(&values);
                    sparse.advance(&structure).expect("regular");
                }
                assert!(sparse.fallbacks == stage && sparse.stage as u64 == stage);
                for _ in 0..2 {
                    let mut x = vec![0.0; exact.len()];
                    structure.multiply(&values, &exact, &mut x);
                    sparse.solve(&structure, &mut x);
                    assert!(x.iter().zip(&exact).all(|(x, e)| (x - e).abs() < 1e-8), "stage {stage}");
                }
                assert!(sparse.accuracy == Accuracy::Good && sparse.values.is_empty() == (stage == 0));
            }
            assert!(sparse.advance(&structure).is_err() && sparse.stage as u64 == stages - 1);
        }
    }
}
