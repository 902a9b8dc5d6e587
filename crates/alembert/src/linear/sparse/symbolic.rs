//! Everything about a factorisation that depends on where the entries are and not on what they are.
//!
//! A front of `w` unknowns coupled with `r` later ones is eliminated in panels of at most [`PANEL`] columns. A panel
//! stores its columns row by row, from its own rows down to the last of the front:
//!
//! ```text
//! panel 0      panel 1          | D |  w by w, becomes the inverse of D
//! | D . |                       | B |  becomes B D^-1
//! | B . |      | D . |
//! | B . |      | B . |          and for unsymmetric matrices the transpose of the rows C right of D,
//! | B . |      | B . |          which becomes the transpose of D^-1 C
//! ```
//!
//! What a front leaves for later unknowns, an `r` by `r` update matrix, lives on one of two stacks, by turns from
//! generation to generation: a front takes its children's updates off one stack while it builds its own on the other.

use std::ops::Range;

use super::order::Lists;
use super::tree::{self, Tree};

/// Most columns eliminated at once.
pub(super) const PANEL: usize = 16;

/// A value and the place it is added to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub value: u32,
    pub place: u32,
}

/// A small dense matrix of the elimination.
#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    /// First unknown eliminated here.
    pub first: usize,
    /// Number of unknowns eliminated here.
    pub width: usize,
    /// Columns of each panel but the last, which may have fewer.
    pub panel: usize,
    /// Which of [`Symbolic::rows`] are the later unknowns.
    pub rows: Range<usize>,
    /// Where the panels are stored.
    pub lower: Range<usize>,
    /// Where the transposed rows of unsymmetric matrices are stored.
    pub upper: Range<usize>,
    /// Which of the two stacks the update is on.
    pub stack: usize,
    /// Where the update starts on its stack.
    pub update: usize,
    /// Which of [`Symbolic::children`].
    pub children: Range<usize>,
    /// Which slots of each [map](Symbolic::maps).
    pub slots: [Range<usize>; 3],
}

/// One of the panels of a front: columns `start..start + width` of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel {
    pub start: usize,
    pub width: usize,
    /// Where its numbers start among the front's, below and right of the diagonal.
    pub lower: usize,
    pub upper: usize,
}

impl Front {
    /// Number of later unknowns.
    pub fn later(&self) -> usize {
        self.rows.len()
    }

    /// Rows of the whole front.
    pub fn size(&self) -> usize {
        self.width + self.rows.len()
    }

    /// Panel number `p`.
    pub fn panel(&self, p: usize) -> Panel {
        let (full, size) = (self.panel, self.size());
        let start = p * full;
        // Panel q has `full` columns of size - q full numbers below and size - (q + 1) full right of the diagonal.
        let before = start * size;
        Panel {
            start,
            width: full.min(self.width - start),
            lower: before - full * full * (p * p.saturating_sub(1) / 2),
            upper: before - full * full * (p * (p + 1) / 2),
        }
    }

    /// All panels.
    pub fn panels(&self) -> impl DoubleEndedIterator<Item = Panel> + '_ {
        (0..self.width.div_ceil(self.panel)).map(|p| self.panel(p))
    }

    /// Which panel a column belongs to.
    pub fn panel_of(&self, column: usize) -> Panel {
        self.panel(column / self.panel)
    }

    /// Place of an entry of the front's columns, or of the blocks on its diagonal.
    fn lower_place(&self, row: usize, column: usize) -> usize {
        let panel = self.panel_of(column);
        panel.lower + (row - panel.start) * panel.width + column - panel.start
    }

    /// Place of an entry right of the blocks on the diagonal.
    fn upper_place(&self, row: usize, column: usize) -> usize {
        let panel = self.panel_of(row);
        panel.upper + (column - panel.start - panel.width) * panel.width + row - panel.start
    }
}

/// Elimination tree, fronts and assembly map; shared by all matrices with these entries.
#[derive(Debug)]
pub struct Symbolic {
    pub(super) size: usize,
    /// Number of values.
    pub(super) values: usize,
    /// Unknown eliminated `k`-th.
    pub(super) order: Vec<u32>,
    /// Children before parents.
    pub(super) fronts: Vec<Front>,
    pub(super) children: Vec<u32>,
    /// Later unknowns of each front, increasing.
    pub(super) rows: Vec<u32>,
    /// The same unknowns, as rows of the parent's front.
    pub(super) relative: Vec<u32>,
    /// Where values go: those of one triangle of a symmetric matrix, and for unsymmetric ones those in panels and right of
    /// them.
    pub(super) maps: [Vec<Slot>; 3],
    /// Most numbers on each stack.
    pub(super) stacks: [usize; 2],
}

impl Symbolic {
    /// Analyses a matrix from the row and column of each of its values, none twice, and the order of elimination.
    ///
    /// # Panics
    /// If `order` is not a permutation of the unknowns, or if there are more numbers than a `u32` can count.
    pub fn new(size: usize, entries: &[(u32, u32)], order: &[usize]) -> Self {
        assert_eq!(order.len(), size, "the order must name every unknown");
        let place = inverse(order.iter().copied(), size);
        let sorted = |&(i, j): &(u32, u32)| {
            let (i, j) = (place[i as usize], place[j as usize]);
            (i.min(j) as usize, i.max(j) as usize)
        };
        let earlier = Lists::gather(size, |put| {
            entries.iter().map(sorted).filter(|(low, high)| low < high).for_each(|(low, high)| put(high, low));
        });
        let tree = Tree::new(&earlier, size);
        let order: Vec<u32> = tree.sequence.iter().map(|&k| order[k as usize] as u32).collect();
        let mut symbolic = Symbolic {
            size,
            values: entries.len(),
            order,
            fronts: Vec::with_capacity(tree.widths.len()),
            children: Vec::with_capacity(tree.widths.len()),
            rows: Vec::new(),
            relative: Vec::new(),
            maps: Default::default(),
            stacks: [0; 2],
        };
        symbolic.build_fronts(entries, &tree);
        symbolic
    }

    fn build_fronts(&mut self, entries: &[(u32, u32)], tree: &Tree) {
        let place = inverse(self.order.iter().map(|&k| k as usize), self.size);
        let at = |&(i, j): &(u32, u32)| (place[i as usize] as usize, place[j as usize] as usize);
        let count = tree.widths.len();
        let front_of: Vec<u32> =
            tree.widths.iter().enumerate().flat_map(|(f, &w)| std::iter::repeat_n(f as u32, w as usize)).collect();
        // Values belong to the front that eliminates the first of their two unknowns.
        let owned = Lists::gather(count, |put| {
            for (value, entry) in entries.iter().enumerate() {
                let (i, j) = at(entry);
                put(front_of[i.min(j)] as usize, value);
            }
        });
        let children = Lists::gather(count, |put| {
            tree.parents.iter().enumerate().filter(|(f, p)| *f != **p as usize).for_each(|(f, p)| put(*p as usize, f));
        });
        let mut stacks = vec![0; count];
        for f in (0..count).rev() {
            let parent = tree.parents[f] as usize;
            stacks[f] = if parent == f { 0 } else { 1 - stacks[parent] };
        }
        let mut local = vec![u32::MAX; self.size];
        let mut seen = vec![u32::MAX; self.size];
        let (mut first, mut lower, mut upper, mut top) = (0, 0, 0, [0; 2]);
        for f in 0..count {
            let width = tree.widths[f] as usize;
            let rows =
                self.later_rows(f as u32, first + width, owned.list(f), children.list(f), entries, &at, &mut seen);
            let mut front = Front {
                first,
                width,
                panel: width.div_ceil(width.div_ceil(PANEL)),
                rows,
                stack: stacks[f],
                update: top[stacks[f]],
                ..Front::default()
            };
            let (size, later) = (front.size(), front.later());
            let last = front.panel_of(width - 1);
            front.lower = lower..lower + last.lower + (size - last.start) * last.width;
            front.upper = upper..upper + last.upper + later * last.width;
            (lower, upper) = (front.lower.end, front.upper.end);
            assert!(lower.max(upper) < u32::MAX as usize, "factors of {lower} numbers are too large");

            for k in 0..width {
                local[first + k] = k as u32;
            }
            for (k, &row) in self.rows[front.rows.clone()].iter().enumerate() {
                local[row as usize] = (width + k) as u32;
            }
            let start = self.children.len();
            for &child in children.list(f) {
                self.children.push(child);
                for k in self.fronts[child as usize].rows.clone() {
                    self.relative[k] = local[self.rows[k] as usize];
                }
            }
            front.children = start..self.children.len();
            self.map_values(&mut front, owned.list(f), |value| {
                let (i, j) = at(&entries[value as usize]);
                (local[i] as usize, local[j] as usize)
            });

            top[front.stack] += later * later;
            for stack in 0..2 {
                self.stacks[stack] = self.stacks[stack].max(top[stack]);
            }
            for &child in children.list(f) {
                top[1 - front.stack] -= self.fronts[child as usize].later().pow(2);
            }
            first += width;
            self.fronts.push(front);
        }
    }

    /// Later unknowns of a front: those of its values and of its children.
    fn later_rows(
        &mut self,
        f: u32,
        end: usize,
        owned: &[u32],
        children: &[u32],
        entries: &[(u32, u32)],
        at: &impl Fn(&(u32, u32)) -> (usize, usize),
        seen: &mut [u32],
    ) -> Range<usize> {
        let start = self.rows.len();
        let mut put = |rows: &mut Vec<u32>, row: u32| {
            if row as usize >= end && seen[row as usize] != f {
                seen[row as usize] = f;
                rows.push(row);
            }
        };
        for &value in owned {
            let (i, j) = at(&entries[value as usize]);
            put(&mut self.rows, i.max(j) as u32);
        }
        for &child in children {
            for k in self.fronts[child as usize].rows.clone() {
                let row = self.rows[k];
                put(&mut self.rows, row);
            }
        }
        self.rows[start..].sort_unstable();
        self.relative.resize(self.rows.len(), 0);
        start..self.rows.len()
    }

    fn map_values(&mut self, front: &mut Front, owned: &[u32], local: impl Fn(u32) -> (usize, usize)) {
        let starts = [0, 1, 2].map(|k: usize| self.maps[k].len());
        let [symmetric, panels, right] = &mut self.maps;
        for &value in owned {
            let (row, column) = local(value);
            if column < front.width && (row >= column || front.panel_of(column).start <= row) {
                let place = front.lower_place(row, column) as u32;
                panels.push(Slot { value, place });
                if row >= column {
                    symmetric.push(Slot { value, place });
                }
            } else {
                right.push(Slot { value, place: front.upper_place(row, column) as u32 });
            }
        }
        // A pair given on the other side of the diagonal only is read there.
        let below = symmetric.len();
        symmetric[starts[0]..].sort_unstable_by_key(|slot| slot.place);
        for &value in owned {
            let (row, column) = local(value);
            if row < column {
                let place = front.lower_place(column, row) as u32;
                if symmetric[starts[0]..below].binary_search_by_key(&place, |slot| slot.place).is_err() {
                    symmetric.push(Slot { value, place });
                }
            }
        }
        front.slots = [0, 1, 2].map(|k: usize| starts[k]..self.maps[k].len());
        for (map, slots) in self.maps.iter_mut().zip(&front.slots) {
            map[slots.clone()].sort_unstable_by_key(|slot| slot.place);
        }
    }

    /// Stored numbers of the factor of a symmetric matrix.
    pub fn fill(&self) -> usize {
        self.fronts.last().map_or(0, |front| front.lower.end)
    }

    /// Rows of the largest front.
    pub fn largest_front(&self) -> usize {
        self.fronts.iter().map(Front::size).max().unwrap_or(0)
    }

    /// About how many multiplications a symmetric factorisation takes.
    pub fn operations(&self) -> f64 {
        self.fronts.iter().map(|front| tree::operations(front.width as f64, front.later() as f64)).sum()
    }
}

/// Where each of `0..size` stands.
fn inverse(order: impl Iterator<Item = usize>, size: usize) -> Vec<u32> {
    let mut place = vec![u32::MAX; size];
    for (k, index) in order.enumerate() {
        assert!(index < size && place[index] == u32::MAX, "{index} is named twice, or there is no such unknown");
        place[index] = k as u32;
    }
    place
}
