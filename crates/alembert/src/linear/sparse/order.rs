//! In which order to eliminate the unknowns of a bordered matrix
//!
//! ```text
//! | A  -B |   n coordinates
//! | C   Z |   m multipliers
//! ```
//!
//! Coordinates are ordered by approximate minimum degree on the graph that joins two coordinates with a common entry
//! of A or a common constraint row; each multiplier follows the last of its coordinates. Every leading part of the
//! matrix then holds whole constraint rows: for a positive definite A and independent rows it is regular, so
//! elimination needs no exchanges. Constraints are eliminated early, and neighbours in space stay neighbours in the factors.

use std::collections::HashMap;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use crate::linear::Pattern;

/// A constraint row of more bodies than this does not join them: it would fill the graph, while in the factors it is a
/// single row anyway.
const WIDE: usize = 32;

/// Elimination order of a bordered matrix from the patterns of its parts: `top` n by n, `rows` m by n. The `k`-th
/// unknown eliminated is `order[k]`; multipliers are counted from n on.
pub fn bordered_order(top: &Pattern, rows: &Pattern) -> Vec<usize> {
    let (n, m) = (top.rows(), rows.rows());
    let neighbours = Lists::gather(n, |put| {
        for i in 0..n {
            put(i, i);
            for (j, _) in top.row(i).filter(|(j, _)| *j != i) {
                put(i, j);
                put(j, i);
            }
        }
    })
    .sorted();
    let row_lists = Lists::gather(m, |put| (0..m).for_each(|i| rows.row(i).for_each(|(j, _)| put(i, j))));
    let constraints = Lists::gather(n, |put| (0..m).for_each(|i| rows.row(i).for_each(|(j, _)| put(j, i))));

    // Coordinates with the same neighbours and constraints, like those of a body, are one node of the graph.
    let mut groups: HashMap<(&[u32], &[u32]), u32> = HashMap::with_capacity(n);
    let mut group = Vec::with_capacity(n);
    let mut members: Vec<Vec<u32>> = Vec::new();
    for i in 0..n {
        let next = groups.len() as u32;
        let g = *groups.entry((neighbours.list(i), constraints.list(i))).or_insert(next);
        if g == next {
            members.push(Vec::new());
        }
        members[g as usize].push(i as u32);
        group.push(g);
    }

    let bodies: Vec<Vec<u32>> =
        (0..m).map(|row| distinct(row_lists.list(row).iter().map(|&j| group[j as usize]))).collect();
    let mut starts = vec![0];
    let mut adjacent = Vec::new();
    let mut seen = vec![u32::MAX; members.len()];
    for (g, of_group) in members.iter().enumerate() {
        let representative = of_group[0] as usize;
        let direct = neighbours.list(representative).iter().map(|&j| group[j as usize]);
        let narrow = constraints.list(representative).iter().map(|&row| &bodies[row as usize]);
        let joined = narrow.filter(|bodies| bodies.len() <= WIDE).flatten().copied();
        // One triangle is enough: the order is that of the symmetrised pattern.
        for other in direct.chain(joined).filter(|&other| (other as usize) < g) {
            if seen[other as usize] != g as u32 {
                seen[other as usize] = g as u32;
                adjacent.push(other);
            }
        }
        starts.push(adjacent.len() as u32);
    }
    let sequence = minimum_degree(&starts, &adjacent);

    let mut remaining: Vec<usize> = (0..m).map(|row| row_lists.list(row).len()).collect();
    let mut order = Vec::with_capacity(n + m);
    for &g in &sequence {
        for &i in &members[g as usize] {
            order.push(i as usize);
            for &row in constraints.list(i as usize) {
                remaining[row as usize] -= 1;
                if remaining[row as usize] == 0 {
                    order.push(n + row as usize);
                }
            }
        }
    }
    order.extend((0..m).filter(|&row| row_lists.list(row).is_empty()).map(|row| n + row));
    order
}

fn distinct(items: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut items: Vec<u32> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// Approximate minimum degree on a graph given by its upper triangle in columns.
fn minimum_degree(starts: &[u32], adjacent: &[u32]) -> Vec<u32> {
    let n = starts.len() - 1;
    let graph = SymbolicSparseColMatRef::new_unsorted_checked(n, n, starts, None, adjacent);
    let (mut sequence, mut inverse) = (vec![0; n], vec![0; n]);
    let mut scratch = MemBuffer::new(amd::order_maybe_unsorted_scratch::<u32>(n, adjacent.len()));
    let stack = MemStack::new(&mut scratch);
    match amd::order_maybe_unsorted(&mut sequence, &mut inverse, graph, Default::default(), stack) {
        Ok(_) => sequence,
        // Only a graph with more edges than a u32 can count: any order is a valid one.
        Err(_) => (0..n as u32).collect(),
    }
}

/// Lists of numbers, one after the other.
pub(super) struct Lists {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    /// What `visit` puts into each of `count` lists, in the order it does; it is called twice and must repeat itself.
    pub fn gather(count: usize, visit: impl Fn(&mut dyn FnMut(usize, usize))) -> Self {
        let mut starts = vec![0; count + 1];
        visit(&mut |list, _| starts[list + 1] += 1);
        for k in 0..count {
            starts[k + 1] += starts[k];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[count]];
        visit(&mut |list, item| {
            items[next[list]] = item as u32;
            next[list] += 1;
        });
        Lists { starts, items }
    }

    /// Each list increasing and without repetitions.
    fn sorted(mut self) -> Self {
        let (mut starts, mut items) = (vec![0], Vec::with_capacity(self.items.len()));
        for ends in self.starts.windows(2) {
            let list = &mut self.items[ends[0]..ends[1]];
            list.sort_unstable();
            items.extend(list.iter().enumerate().filter(|&(k, x)| k == 0 || list[k - 1] != *x).map(|(_, x)| *x));
            starts.push(items.len());
        }
        Lists { starts, items }
    }

    pub fn list(&self, k: usize) -> &[u32] {
        &self.items[self.starts[k]..self.starts[k + 1]]
    }
}
