//! Which columns each row of a matrix depends on, found in passes that look at many columns at once.
//!
//! Columns are taken together in blocks, first all of them in one. Each block is then split into [`PARTS`], and a pass tells
//! for every row on which of the parts it depends, until a part is one column. Blocks that no row has in common share the
//! bits of a pass: for chains and lattices the number of passes grows with the logarithm of the number of columns. Memory
//! is that of the entries found.

use super::trace::Trace;
use crate::equations::layout::Colours;
use crate::linear::Pattern;

/// Parts that a block is split into.
const PARTS: usize = 8;
/// Groups of blocks that a pass can tell apart.
const GROUPS: usize = 7;
/// The bit of all that varies without being looked at: zero at this point, it need not be zero at another.
pub(super) const VARIES: u64 = 1 << (PARTS * GROUPS);

/// The pattern of a matrix. `pass` gives each row the bits of what it depends on, those of column j being `bits(j)`.
pub(super) fn search(
    rows: usize,
    columns: usize,
    mut pass: impl FnMut(&dyn Fn(usize) -> u64, &mut [Trace]),
) -> Pattern {
    let mut width = 1;
    while width < columns {
        width *= PARTS;
    }
    let mut found =
        Pattern::from_entries(rows, columns.div_ceil(width), (0..rows).map(|i| (i, 0)).filter(|_| columns > 0));
    let mut out = vec![Trace::default(); rows];
    loop {
        // A single column is looked at as well: nothing says yet that rows depend on it.
        let part = (width / PARTS).max(1);
        let colours = Colours::of_columns(&found);
        let mut entries = Vec::with_capacity(2 * found.len());
        for first in (0..colours.count).step_by(GROUPS) {
            let group = |block: usize| (colours.of[block] as usize).checked_sub(first).filter(|group| *group < GROUPS);
            let bits = |j: usize| match group(j / width) {
                Some(group) => 1 << (group * PARTS + j % width / part),
                None => VARIES,
            };
            out.fill(Trace::default());
            pass(&bits, &mut out);
            for (i, out) in out.iter().enumerate() {
                for (block, _) in found.row(i) {
                    let Some(group) = group(block) else { continue };
                    let parts = (0..PARTS).filter(|part| out.on & 1 << (group * PARTS + part) != 0);
                    entries.extend(parts.map(|k| (i, block * (width / part) + k)));
                }
            }
        }
        found = Pattern::from_entries(rows, columns.div_ceil(part), entries);
        if part == 1 {
            return found;
        }
        width = part;
    }
}
