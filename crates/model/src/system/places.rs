//! Where the entries of matrices are written: row by row, or only those of patterns.

use alembert::Pattern;
use alembert::{Description, Patterns, SolverChoice};

use crate::graph::Node;
use crate::tape::Layout;

/// Row, column and value of the entries of a matrix; all others are constantly zero.
pub(super) type Entries = Vec<(usize, usize, Node)>;

/// Which pattern a matrix has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// v by v.
    Top,
    /// lambda by v.
    Holonomic,
    /// psi by v.
    Nonholonomic,
    /// None, whatever the others have.
    Dense,
}

/// Patterns and the holonomic and nonholonomic parts of their rows, where they pay.
pub(super) struct Places(Option<(Patterns, Pattern, Pattern)>);

impl Places {
    /// From all matrices of each block.
    pub fn new(
        layout: Layout,
        (choice, rotations): (SolverChoice, &[usize]),
        beneath: Option<&Description>,
        top: &[&Entries],
        holonomic: &[&Entries],
        nonholonomic: &[&Entries],
    ) -> Places {
        let (n, nl) = (layout.v, layout.lambda);
        let m = nl + layout.psi;
        // A single matrix with too many entries decides it, before lists of all of them are made.
        let most = top.iter().chain(holonomic).chain(nonholonomic).map(|entries| entries.len()).max().unwrap_or(0);
        if beneath.is_none() && !choice.is_sparse(n + m, most) {
            return Places(None);
        }
        let all = |matrices: &[&Entries], first: usize| -> Vec<(usize, usize)> {
            matrices.iter().flat_map(|entries| entries.iter().map(|&(i, j, _)| (first + i, j))).collect()
        };
        // Matrices are eliminated as if they were symmetric, so each entry brings its mirror image.
        let top = all(top, 0).into_iter().flat_map(|(i, j)| [(i, j), (j, i)]).chain((0..n).map(|i| (i, i)));
        let rows = all(holonomic, 0).into_iter().chain(all(nonholonomic, nl));
        // A mechanism has patterns at every size, and the union of both is all that is needed.
        let own = beneath.and_then(|own| own.patterns.as_ref().map(|patterns| (own.dims.lambda, patterns)));
        let more = |pattern: &Pattern| -> Vec<(usize, usize)> {
            (0..pattern.rows()).flat_map(|i| pattern.row(i).map(move |(j, _)| (i, j))).collect()
        };
        let own_top = own.map(|(_, patterns)| more(&patterns.top)).unwrap_or_default();
        let own_rows = own.map(|(lambda, patterns)| (lambda, more(&patterns.rows))).unwrap_or_default();
        let below = |i: usize| if i < own_rows.0 { i } else { i - own_rows.0 + nl };
        let own_rows = own_rows.1.iter().map(|(i, j)| (below(*i), *j)).collect::<Vec<_>>();
        let (top, rows) = (top.chain(own_top), rows.chain(own_rows));
        let patterns = Patterns::of(Pattern::from_entries(n, n, top), Pattern::from_entries(m, n, rows));
        let patterns = if rotations.is_empty() { patterns } else { patterns.closed(rotations) };
        if beneath.is_none() && !choice.is_sparse(n + m, patterns.top.len() + 2 * patterns.rows.len()) {
            return Places(None);
        }
        let (above, below) = (patterns.rows.part(0..nl), patterns.rows.part(nl..m));
        Places(Some((patterns, above, below)))
    }

    /// The patterns, where they are made use of.
    pub fn patterns(self) -> Option<Patterns> {
        self.0.map(|(patterns, _, _)| patterns)
    }

    /// How many numbers a block has, which is `dense` without patterns.
    pub fn len(&self, block: Block, dense: usize) -> usize {
        self.pattern(block).map_or(dense, Pattern::len)
    }

    fn pattern(&self, block: Block) -> Option<&Pattern> {
        self.0.as_ref().and_then(|(patterns, holonomic, nonholonomic)| match block {
            Block::Top => Some(&*patterns.top),
            Block::Holonomic => Some(holonomic),
            Block::Nonholonomic => Some(nonholonomic),
            Block::Dense => None,
        })
    }

    /// Where entry (i, j) is written; without patterns a row has `columns` entries.
    pub fn of(&self, block: Block, i: usize, j: usize, columns: usize) -> usize {
        // Every entry is one of its pattern, which is made of all matrices of the block.
        self.pattern(block).and_then(|pattern| pattern.position(i, j)).unwrap_or(i * columns + j)
    }
}
