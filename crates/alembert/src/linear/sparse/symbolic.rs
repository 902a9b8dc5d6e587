//! Everything about a factorisation that depends on where the entries are and not on what they are.
//!
//! A front of `w` unknowns coupled with `r` later ones is eliminated in panels of at most [`PANEL`] columns. A panel
//! stores its columns row by row, from its own rows down to the last of the front:
//!
//! ```text
//! panel 0      panel 1          | D |  w by w, becomes the transposed inverse of D
//! | D . |                       | B |  becomes B D^-1
//! | B . |      | D . |
//! | B . |      | B . |          and for unsymmetric matrices the transpose of the rows C right of D,
//! | B . |      | B . |          which becomes the transpose of D^-1 C
//! ```
//!
//! What a front leaves for later unknowns, an `r` by `r` update matrix, lives on one of two stacks, by turns from
//! generation to generation: a front takes its children's updates off one stack while it builds its own on the other.

use std::ops::Range;

use super::fronts::Fronts;
use super::order::Lists;
use super::tree::{self, Tree};

/// Most columns eliminated at once.
pub(super) const PANEL: usize = 16;

/// Marks the place of a value right of the panels.
pub(super) const RIGHT: u32 = 1 << 31;

/// A small dense matrix of the elimination.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Front {
    /// First unknown eliminated here.
    pub first: u32,
    /// Number of unknowns eliminated here.
    pub width: u32,
    /// Which of [`Symbolic::rows`] are the later unknowns.
    pub rows: Span,
    /// Which of [`Symbolic::panels`]; these say where its numbers are stored.
    pub panels: Span,
    /// Which of [`Symbolic::children`].
    pub children: Span,
    /// Where the update starts on its stack.
    pub update: u32,
    /// Columns of each panel but the last, which may have fewer.
    pub panel: u8,
    /// Which of the two stacks the update is on.
    pub even: bool,
}

/// A range in half the room.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Span { start: range.start as u32, end: range.end as u32 }
    }
}

/// Columns of a front that are eliminated at once. Solving reads nothing but these, so they are small.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel {
    /// First unknown eliminated here.
    pub first: u32,
    pub width: u32,
    /// How many unknowns of the same front follow.
    pub inner: u32,
    /// Later unknowns of the front among [`Symbolic::rows`]: the first and how many.
    pub rows: (u32, u32),
    /// Where its numbers start, below and right of the diagonal.
    pub lower: u32,
    pub upper: u32,
}

impl Panel {
    /// Number of unknowns of the front it is coupled with.
    pub fn below(&self) -> usize {
        (self.inner + self.rows.1) as usize
    }

    /// The later unknowns of its front.
    pub fn later<'a>(&self, rows: &'a [u32]) -> &'a [u32] {
        &rows[self.rows.0 as usize..][..self.rows.1 as usize]
    }
}

impl Front {
    /// Number of later unknowns.
    pub fn later(&self) -> usize {
        self.rows.range().len()
    }

    /// Rows of the whole front.
    pub fn size(&self) -> usize {
        self.width as usize + self.later()
    }

    /// Cuts the columns into panels stored from `lower` and `upper` on.
    fn cut(&self, mut lower: usize, mut upper: usize, panels: &mut Vec<Panel>) {
        let (mut start, all) = (0, self.width as usize);
        while start < all {
            let width = (self.panel as usize).min(all - start);
            let below = self.size() - start - width;
            panels.push(Panel {
                first: self.first + start as u32,
                width: width as u32,
                inner: (all - start - width) as u32,
                rows: (self.rows.start, self.later() as u32),
                lower: lower as u32,
                upper: upper as u32,
            });
            lower += width * (width + below);
            upper += width * below;
            start += width;
            assert!(lower < RIGHT as usize, "more factors than can be counted");
        }
    }

    /// Which of the panels a column belongs to.
    pub fn panel_of(&self, column: usize) -> usize {
        // Most fronts have one panel, and divisions are slow.
        self.panels.start as usize + if self.width == u32::from(self.panel) { 0 } else { column / self.panel as usize }
    }
}

/// Elimination tree, fronts and assembly map; shared by all matrices with these entries.
#[derive(Debug)]
pub struct Symbolic {
    pub(super) size: usize,
    /// Unknown eliminated `k`-th.
    pub(super) order: Vec<u32>,
    /// Children before parents.
    pub(super) fronts: Fronts,
    pub(super) panels: Vec<Panel>,
    pub(super) children: Vec<u32>,
    /// Later unknowns of each front, increasing.
    pub(super) rows: Vec<u32>,
    /// The same unknowns, as rows of the parent's front.
    pub(super) relative: Vec<u32>,
    /// Where each value goes: into a panel, or with the mark [`RIGHT`] to the right of one, which is needed for
    /// unsymmetric matrices only.
    pub(super) places: Vec<u32>,
    /// Most numbers on each stack.
    pub(super) stacks: [usize; 2],
    /// Stored numbers of the factor of a symmetric matrix, and further ones of an unsymmetric one.
    stored: [usize; 2],
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
            order,
            fronts: Fronts::with_capacity(tree.widths.len()),
            panels: Vec::with_capacity(tree.widths.len()),
            children: Vec::with_capacity(tree.widths.len()),
            rows: Vec::new(),
            relative: Vec::new(),
            places: vec![0; entries.len()],
            stacks: [0; 2],
            stored: [0; 2],
        };
        symbolic.build_fronts(entries, &tree);
        symbolic.rows.shrink_to_fit();
        symbolic.relative.shrink_to_fit();
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
                first: first as u32,
                width: width as u32,
                panel: width.div_ceil(width.div_ceil(PANEL)) as u8,
                rows: rows.into(),
                even: stacks[f] == 0,
                update: u32::try_from(top[stacks[f]]).expect("more updates than can be counted"),
                ..Front::default()
            };
            let later = front.later();
            let start = self.panels.len();
            front.cut(lower, upper, &mut self.panels);
            front.panels = (start..self.panels.len()).into();
            let sizes = self.panels[start..].iter().map(|panel| (panel.width as usize, panel.below()));
            (lower, upper) = sizes.fold((lower, upper), |(l, u), (w, below)| (l + w * (w + below), u + w * below));

            for k in 0..width {
                local[first + k] = k as u32;
            }
            for (k, &row) in self.rows[front.rows.range()].iter().enumerate() {
                local[row as usize] = (width + k) as u32;
            }
            let start = self.children.len();
            for &child in children.list(f) {
                self.children.push(child);
                for k in self.fronts.get(child as usize).rows.range() {
                    self.relative[k] = local[self.rows[k] as usize];
                }
            }
            front.children = (start..self.children.len()).into();
            self.place_values(&front, owned.list(f), |value| {
                let (i, j) = at(&entries[value as usize]);
                (local[i] as usize, local[j] as usize)
            });

            let own = stacks[f];
            top[own] += later * later;
            for stack in 0..2 {
                self.stacks[stack] = self.stacks[stack].max(top[stack]);
            }
            for &child in children.list(f) {
                top[1 - own] -= self.fronts.get(child as usize).later().pow(2);
            }
            first += width;
            self.fronts.push(&front);
        }
        self.stored = [lower, upper];
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
            for k in self.fronts.get(child as usize).rows.range() {
                let row = self.rows[k];
                put(&mut self.rows, row);
            }
        }
        self.rows[start..].sort_unstable();
        self.relative.resize(self.rows.len(), 0);
        start..self.rows.len()
    }

    fn place_values(&mut self, front: &Front, owned: &[u32], local: impl Fn(u32) -> (usize, usize)) {
        for &value in owned {
            let (row, column) = local(value);
            let width = front.width as usize;
            let in_panel =
                column < width && (row >= column || row < width && front.panel_of(row) == front.panel_of(column));
            let panel = &self.panels[front.panel_of(if in_panel { column } else { row })];
            let start = (panel.first - front.first) as usize;
            let (row, column) = ((row - start) as u32, (column - start) as u32);
            self.places[value as usize] = if in_panel {
                panel.lower + row * panel.width + column
            } else {
                RIGHT | (panel.upper + (column - panel.width) * panel.width + row)
            };
        }
    }

    /// Stored numbers of the factor of a symmetric matrix.
    pub fn fill(&self) -> usize {
        self.stored[0]
    }

    /// Further numbers stored for an unsymmetric one.
    pub(super) fn right(&self) -> usize {
        self.stored[1]
    }

    /// Rows of the largest front.
    pub fn largest_front(&self) -> usize {
        self.fronts.iter().map(|front| front.size()).max().unwrap_or(0)
    }

    /// About how many multiplications a symmetric factorisation takes.
    pub fn operations(&self) -> f64 {
        self.fronts.iter().map(|front| tree::operations(f64::from(front.width), front.later() as f64)).sum()
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
