//! The bordered matrix, the only linear system of the library:
//!
//! ```text
//! | sum of c X   -B |   n rows      X: mass, damping, stiffness and what a method adds
//! | sum of c C    Z |   m rows      B: how multipliers act, C: constraint rows, Z: usually absent
//! ```
//!
//! Methods name coefficients and blocks; assembly and factorisation happen here and nowhere else. A new
//! step size combines the same blocks anew, it does not evaluate them.

mod softness;
mod stages;
mod store;

use std::sync::Arc;

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};

use super::{Entry, LinearWork, Pattern, Singular, Structure};
use store::Store;

/// A coefficient and the values of a block.
pub type Term<'a, S = f64> = (S, &'a [f64]);

/// What a bordered matrix is made of: values of the patterns of the [`Kkt`]. An empty block stands for zeros.
#[derive(Clone, Copy, Debug)]
pub struct Bordered<'a, S = f64> {
    /// Terms of the leading n by n block, that of the mass first: where constraint rows may be dependent, its diagonal says which
    /// unknowns have none.
    pub top: &'a [Term<'a, S>],
    /// The transpose of B, m by n; it enters with a minus sign.
    pub border: Term<'a>,
    /// Terms of the m by n constraint rows.
    pub rows: &'a [Term<'a, S>],
    /// Z, m by m and dense, where there is one; not for sparse matrices.
    pub corner: Option<&'a [f64]>,
}

/// Holds one bordered matrix and its factors.
pub struct Kkt<S: Entry = f64> {
    structure: Arc<Structure>,
    /// Made when first needed: a method may have matrices that it rarely uses.
    store: Option<Store<S>>,
    factored: bool,
    /// Whether someone may ask for pivots.
    shows_pivots: bool,
    /// Factorisations so far.
    pub factorisations: u64,
    /// Solves so far.
    pub solves: u64,
}

impl<S: Entry> Keep for Kkt<S> {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let mut exists = self.store.is_some();
        keep!(archive; exists, self.factored, self.factorisations, self.solves)?;
        if !exists {
            self.store = None;
            return Ok(());
        }
        let store = self.store.get_or_insert_with(|| Store::new(&self.structure));
        store.keep(&self.structure, archive, self.factored)
    }
}

impl<S: Entry> Kkt<S> {
    /// Room for `n` unknowns and `m` multipliers, all entries of all blocks.
    pub fn dense(n: usize, m: usize) -> Self {
        Self::new(&Arc::new(Structure::new(Arc::new(Pattern::dense(n, n)), Arc::new(Pattern::dense(m, n)))))
    }

    /// Room for blocks with the patterns of a structure.
    pub fn new(structure: &Arc<Structure>) -> Self {
        let structure = structure.clone();
        Kkt { store: None, structure, factored: false, shows_pivots: true, factorisations: 0, solves: 0 }
    }

    /// The same where nobody asks for pivots, unless constraint rows may be dependent.
    pub fn without_pivots(self) -> Self {
        Kkt { shows_pivots: self.is_softened(), ..self }
    }

    /// Whether there are factors to solve with.
    pub fn is_factored(&self) -> bool {
        self.factored
    }

    /// Assembles and factors.
    ///
    /// # Errors
    /// If the matrix is singular.
    pub fn factor(&mut self, parts: Bordered<S>) -> Result<(), Singular> {
        let store = self.store.get_or_insert_with(|| Store::new(&self.structure));
        store.assemble(&self.structure, &parts);
        self.factorisations += 1;
        self.factored = false;
        let factored = store.factor(&self.structure);
        if !self.shows_pivots {
            store.forget_pivots(&self.structure);
        }
        self.factored = factored.is_ok();
        factored
    }

    /// Unknowns and multipliers of a sparse matrix whose pivots are weak: see [`SparseFactors::weak`](super::SparseFactors::weak).
    pub(crate) fn weak(&self, limit: f64) -> Vec<usize> {
        let mut weak = Vec::new();
        self.each_pivot(&mut |unknown, share| {
            if share <= limit {
                weak.push(unknown);
            }
        });
        weak
    }

    /// Shows every unknown and multiplier of a sparse matrix with its pivot; whether these are known.
    pub(crate) fn each_pivot(&self, show: &mut dyn FnMut(usize, f64)) -> bool {
        self.store.as_ref().is_some_and(|store| store.each_pivot(show))
    }

    /// Replaces the right-hand side (n + m entries) by the solution; without factors, which only a spoilt checkpoint can ask for, by
    /// NaN, which no iteration accepts.
    pub fn solve(&mut self, rhs: &mut [S]) {
        self.solves += 1;
        match &mut self.store {
            Some(store) if self.factored => store.solve(&self.structure, rhs),
            _ => rhs.fill(S::from(f64::NAN)),
        }
    }

    /// The same for two right-hand sides.
    pub fn solve_two(&mut self, first: &mut [S], second: &mut [S]) {
        self.solves += 2;
        match &mut self.store {
            Some(store) if self.factored => store.solve_two(&self.structure, first, second),
            _ => [first, second].into_iter().for_each(|rhs| rhs.fill(S::from(f64::NAN))),
        }
    }

    /// Entry i of the diagonal of the corner.
    pub(crate) fn corner(&self, i: usize) -> S {
        self.store.as_ref().map_or_else(S::default, |store| store.corner(&self.structure, i))
    }

    /// Whether only the entries of patterns are kept.
    #[cfg(test)]
    pub fn is_sparse(&self) -> bool {
        self.structure.is_sparse()
    }

    /// Whether constraint rows may be dependent, see [`Structure::softened`].
    pub fn is_softened(&self) -> bool {
        self.structure.softness() > 0.0
    }

    /// How often a matrix without pivots in its sparse order had to be factored by another solver: sparse LU with pivots from
    /// anywhere, or dense LU where that did not do either.
    pub fn fallbacks(&self) -> u64 {
        self.store.as_ref().map_or(0, Store::fallbacks)
    }

    /// What it has cost so far.
    pub fn work(&self) -> LinearWork {
        LinearWork { factorisations: self.factorisations, solves: self.solves, fallbacks: self.fallbacks() }
    }
}

#[cfg(test)]
mod tests;
