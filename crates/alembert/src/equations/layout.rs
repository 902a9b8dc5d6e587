//! Where the blocks of a system may be nonzero, and which columns can be differentiated together.

use std::sync::Arc;

use crate::linear::{Pattern, SolverChoice, Structure};
use crate::system::{Dims, Patterns, Redundancy};

/// Softness of matrices whose constraint rows may be dependent. Solutions are wrong by this share and need one refinement;
/// what constraints contradict each other by, rounding at best, appears in the multipliers divided by it.
const SOFTNESS: f64 = 1e-8;

/// Velocities from which on a system with patterns is large: what costs a factorisation is then done without where that
/// is possible.
pub(crate) const LARGE: usize = 150;

/// Patterns of the blocks as methods see them. Without a general rate the tangent is v, and patterns ending in `_q` are
/// the same as those without.
#[derive(Clone, Debug)]
pub struct Layout {
    /// v by v: M, D.
    pub top: Arc<Pattern>,
    /// Constraints by v: C = (W ; K), and the transpose of r_mu.
    pub rows: Arc<Pattern>,
    /// The holonomic ones of the rows, and the others.
    pub holonomic: Arc<Pattern>,
    /// psi by v.
    pub nonholonomic: Arc<Pattern>,
    /// v by tangent: S.
    pub top_q: Arc<Pattern>,
    /// lambda by tangent: G, Gamma.
    pub holonomic_q: Arc<Pattern>,
    /// psi by tangent: k_q.
    pub nonholonomic_q: Arc<Pattern>,
    /// Constraints by tangent.
    pub rows_q: Arc<Pattern>,
    /// Of bordered matrices with `top` and `rows`.
    pub(crate) structure: Arc<Structure>,
}

impl Layout {
    /// All entries; `tangent` columns for derivatives with respect to q.
    pub(crate) fn dense(dims: Dims, tangent: usize) -> Self {
        let dense = |rows, columns| Arc::new(Pattern::dense(rows, columns));
        let (top, rows) = (dense(dims.v, dims.v), dense(dims.constraints(), dims.v));
        Layout {
            structure: Arc::new(Structure::new(top.clone(), rows.clone())),
            top,
            rows,
            holonomic: dense(dims.lambda, dims.v),
            nonholonomic: dense(dims.psi, dims.v),
            top_q: dense(dims.v, tangent),
            holonomic_q: dense(dims.lambda, tangent),
            nonholonomic_q: dense(dims.psi, tangent),
            rows_q: dense(dims.constraints(), tangent),
        }
    }

    /// The entries of patterns; they must fit.
    pub(crate) fn sparse(dims: Dims, patterns: Patterns) -> Self {
        let Patterns { top, rows } = patterns;
        let holonomic = if dims.psi == 0 { rows.clone() } else { Arc::new(rows.part(0..dims.lambda)) };
        let nonholonomic = Arc::new(rows.part(dims.lambda..dims.constraints()));
        Layout {
            structure: Arc::new(Structure::new(top.clone(), rows.clone())),
            top_q: top.clone(),
            top,
            rows_q: rows.clone(),
            rows,
            holonomic_q: holonomic.clone(),
            holonomic,
            nonholonomic_q: nonholonomic.clone(),
            nonholonomic,
        }
    }

    /// The same with matrices for constraints of which some may follow from others, or for a solver that is asked for.
    pub(crate) fn suited_to(self, redundancy: Redundancy, choice: SolverChoice) -> Self {
        let softness = match redundancy {
            Redundancy::Refused => 0.0,
            Redundancy::LeastSquares => SOFTNESS,
        };
        let structure = Structure::new(self.top.clone(), self.rows.clone()).softened(softness).solved_by(choice);
        Layout { structure: Arc::new(structure), ..self }
    }

    /// Whether constraints may follow from others.
    pub fn is_softened(&self) -> bool {
        self.structure.softness() > 0.0
    }

    /// Whether it is that of a system with these patterns, sizes and wishes.
    pub(crate) fn fits(&self, dims: Dims, patterns: &Patterns, redundancy: Redundancy, choice: SolverChoice) -> bool {
        self.holonomic.rows() == dims.lambda
            && self.top == patterns.top
            && self.rows == patterns.rows
            && self.is_softened() == (redundancy == Redundancy::LeastSquares)
            && self.structure.choice() == choice
    }

    /// Whether it is that of a large system.
    pub(crate) fn is_large(&self) -> bool {
        !self.is_dense() && self.top.rows() >= LARGE
    }

    /// Whether the bordered matrix goes to the sparse solver.
    pub fn is_sparse(&self) -> bool {
        self.structure.is_sparse()
    }

    /// Whether every entry of every block is there.
    pub fn is_dense(&self) -> bool {
        self.top.is_dense() && self.rows.is_dense()
    }
}

/// Columns (or rows) of a pattern in groups that share no row (or column): a group can be differentiated in one go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colours {
    /// Group of each column.
    pub of: Vec<u32>,
    /// Number of groups.
    pub count: usize,
}

impl Colours {
    /// Groups of columns, first fit.
    pub fn of_columns(pattern: &Pattern) -> Self {
        Self::grouped(pattern.columns(), &pattern.transposed_lists(), pattern)
    }

    /// Groups of rows, first fit.
    pub fn of_rows(pattern: &Pattern) -> Self {
        let transposed = pattern.transposed();
        Self::grouped(pattern.rows(), &transposed.transposed_lists(), &transposed)
    }

    /// `lists[j]`: the rows of column j.
    fn grouped(columns: usize, lists: &[Vec<u32>], pattern: &Pattern) -> Self {
        if pattern.is_dense() {
            return Colours { of: (0..columns as u32).collect(), count: columns };
        }
        const NONE: u32 = u32::MAX;
        let mut of = vec![NONE; columns];
        let mut last_seen: Vec<u32> = Vec::new();
        for j in 0..columns {
            for &i in &lists[j] {
                for (other, _) in pattern.row(i as usize) {
                    if of[other] != NONE {
                        last_seen[of[other] as usize] = j as u32;
                    }
                }
            }
            let free = last_seen.iter().position(|seen| *seen != j as u32).unwrap_or(last_seen.len());
            if free == last_seen.len() {
                last_seen.push(NONE);
            }
            of[j] = free as u32;
        }
        Colours { of, count: last_seen.len() }
    }
}

/// The groups of all patterns, made when first needed.
#[derive(Debug, Default)]
pub(crate) struct Palette {
    /// By pattern, and by rows or columns. A pattern is known by its place in memory, so it is kept.
    made: Vec<(Arc<Pattern>, bool, Arc<Colours>)>,
    /// Patterns that no layout has.
    dense: Vec<Arc<Pattern>>,
}

impl Palette {
    /// Groups of the columns of a pattern, or of its rows.
    pub fn colours(&mut self, pattern: &Arc<Pattern>, by_rows: bool) -> Arc<Colours> {
        let known = |(other, rows, _): &&(Arc<Pattern>, bool, _)| Arc::ptr_eq(other, pattern) && *rows == by_rows;
        if let Some((_, _, colours)) = self.made.iter().find(known) {
            return colours.clone();
        }
        let colours = Arc::new(if by_rows { Colours::of_rows(pattern) } else { Colours::of_columns(pattern) });
        self.made.push((pattern.clone(), by_rows, colours.clone()));
        colours
    }

    /// A pattern with all entries, the same one each time.
    pub fn dense(&mut self, rows: usize, columns: usize) -> Arc<Pattern> {
        let fits = |pattern: &&Arc<Pattern>| (pattern.rows(), pattern.columns()) == (rows, columns);
        if let Some(known) = self.dense.iter().find(fits) {
            return known.clone();
        }
        let pattern = Arc::new(Pattern::dense(rows, columns));
        self.dense.push(pattern.clone());
        pattern
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_a_group_share_no_row() {
        // A chain: row i has columns i, i+1, i+2.
        let pattern = Pattern::from_entries(40, 42, (0..40).flat_map(|i| (0..3).map(move |k| (i, i + k))));
        for (colours, pattern) in
            [(Colours::of_columns(&pattern), pattern.clone()), (Colours::of_rows(&pattern), pattern.transposed())]
        {
            assert_eq!(colours.count, 3);
            for i in 0..pattern.rows() {
                let mut seen: Vec<u32> = pattern.row(i).map(|(j, _)| colours.of[j]).collect();
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen.len(), pattern.row(i).count());
            }
        }
        assert_eq!(Colours::of_columns(&Pattern::dense(2, 3)).count, 3);
    }
}
