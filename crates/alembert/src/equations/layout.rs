//! Where the blocks of a system may be nonzero, and which columns can be differentiated together.

use std::sync::Arc;

use crate::linear::{Pattern, SolverChoice, Structure};
use crate::space::Space;
use crate::system::{Dims, Patterns, Quantity, Redundancy};
use crate::turns;

/// Softness of matrices whose constraint rows may be dependent. Solutions are wrong by this share and need one refinement;
/// what constraints contradict each other by, rounding at best, appears in the multipliers divided by it.
const SOFTNESS: f64 = 1e-8;

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
    /// Tangent by v: U_v under a general rate, and blocks of rotations in a chart. Without either it is empty.
    pub rate: Arc<Pattern>,
    /// Tangent by tangent: U_q.
    pub rate_q: Arc<Pattern>,
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
            rate: dense(0, dims.v),
            rate_q: dense(0, tangent),
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
            rate: Arc::new(Pattern::dense(0, dims.v)),
            rate_q: Arc::new(Pattern::dense(0, dims.v)),
        }
    }

    /// The same with the kinematics of a system: a general rate has all entries, rotations have their blocks.
    pub(super) fn moving(self, dims: Dims, space: &Space, general_rate: bool) -> Self {
        if general_rate {
            let (rate, rate_q) = (Pattern::dense(dims.q, dims.v), Pattern::dense(dims.q, dims.q));
            return Layout { rate: Arc::new(rate), rate_q: Arc::new(rate_q), ..self };
        }
        if space.is_flat() {
            return self;
        }
        let rate = turns::pattern(space, dims.v);
        // Bodies that nothing but constraints couples have the same entries in M.
        let rate = if rate == *self.top { self.top.clone() } else { Arc::new(rate) };
        Layout { rate_q: rate.clone(), rate, ..self }
    }

    /// The pattern of a quantity that is a matrix; stored by rows of constraints for derivatives by multipliers.
    pub(super) fn of(&self, quantity: Quantity) -> Option<&Arc<Pattern>> {
        use Quantity::*;
        match quantity {
            HolonomicQ | HolonomicVelocityQ => Some(&self.holonomic_q),
            NonholonomicQ => Some(&self.nonholonomic_q),
            NonholonomicV | ReactionPsi => Some(&self.nonholonomic),
            ReactionLambda => Some(&self.holonomic),
            Mass | ForceV | ReactionV => Some(&self.top),
            MassQ | ForceQ | ReactionQ | ResidualQ => Some(&self.top_q),
            RateV => Some(&self.rate),
            RateQ => Some(&self.rate_q),
            _ => None,
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

    /// Whether the bordered matrix goes to the sparse solver.
    pub fn is_sparse(&self) -> bool {
        self.structure.is_sparse()
    }

    /// Entries of the factors of the bordered matrix, and the operations that a factorisation takes; none where it is dense.
    pub fn cost(&self) -> Option<(usize, f64)> {
        self.structure.cost()
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
