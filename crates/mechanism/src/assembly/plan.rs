//! Where the numbers of elements stand in the patterns of the whole: found once, when a mechanism is built.
//!
//! The leading block is divided by nodes, and within two nodes into shifts (P) and turns (T). An element fills
//!
//! ```text
//! coupling (k, l)     point: P and T (T not at a centre of mass),  direction, turn: T        rows of k, columns of l
//! torsion of k        T, T of its node
//! ```
//!
//! and nothing else: balls couple no two bodies, axes couple turns only. The masses fill the diagonal of P and all of T, T.

use alembert::Pattern;

use crate::attached::{Attached, What};
use crate::node::{Kind, Node};
use crate::row::Row;
use crate::support::Support;

/// Marks what is not there.
const NONE: u32 = u32::MAX;

/// Which of the columns of a node: shifts, turns.
pub type Parts = [bool; 2];

/// What a vector moves with.
pub fn parts(vector: &Attached) -> Parts {
    let arm = vector.arm.iter().any(|x| *x != 0.0);
    [vector.what == What::Point, vector.what == What::Turn || arm]
}

/// Which parts of the block of two nodes are filled, rows by columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fill(pub [Parts; 2]);

impl Fill {
    /// And what a coupling fills.
    pub fn add(&mut self, rows: Parts, columns: Parts) {
        for i in 0..2 {
            for j in 0..2 {
                self.0[i][j] |= rows[i] && columns[j];
            }
        }
    }
}

/// Which blocks of its nodes an element fills, by slots.
pub fn fills(support: &Support, couplings: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize, Fill)> {
    let slots = support.nodes.len();
    let mut fills = vec![Fill::default(); slots * slots];
    for (k, l) in couplings {
        let (k, l) = (&support.vectors[k], &support.vectors[l]);
        fills[k.slot * slots + l.slot].add(parts(k), parts(l));
    }
    let filled = fills.into_iter().enumerate().filter(|(_, fill)| *fill != Fill::default());
    filled.map(|(at, fill)| (at / slots, at % slots, fill)).collect()
}

/// Columns of the parts of a node.
pub fn columns(node: &Node, part: usize) -> std::ops::Range<usize> {
    let [shifts, turns] = node.kind.columns();
    let first = node.v + if part == 0 { 0 } else { shifts };
    first..first + if part == 0 { shifts } else { turns }
}

/// Entries of a block.
pub fn entries<'n>(a: &'n Node, b: &'n Node, fill: Fill) -> impl Iterator<Item = (usize, usize)> + 'n {
    let filled = (0..4).map(|at| (at / 2, at % 2)).filter(move |(i, j)| fill.0[*i][*j]);
    filled.flat_map(move |(i, j)| columns(a, i).flat_map(move |row| columns(b, j).map(move |column| (row, column))))
}

/// Where the block of two nodes stands: for each row of the first the positions of shifts and of turns of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    a: u32,
    b: u32,
    starts: [[u32; 2]; 6],
}

impl Place {
    /// Of a block with that fill.
    pub fn new(top: &Pattern, (a, b): (usize, usize), nodes: &[Node], fill: Fill) -> Self {
        let mut starts = [[NONE; 2]; 6];
        for i in 0..2 {
            for row in columns(&nodes[a], i) {
                for j in (0..2).filter(|j| fill.0[i][*j]) {
                    let first = columns(&nodes[b], j).next().and_then(|column| top.position(row, column));
                    starts[row - nodes[a].v][j] = first.map_or(NONE, |first| first as u32);
                }
            }
        }
        Place { a: a as u32, b: b as u32, starts }
    }

    /// The same from where the rows of its node begin.
    pub fn relative_to(&self, start: u32) -> Self {
        Place { a: 0, b: 0, starts: self.starts.map(|row| row.map(|at| if at == NONE { at } else { at - start })) }
    }

    /// The block of a node with itself, whose rows begin there.
    #[inline]
    pub fn onto(&self, start: u32) -> Self {
        Place { starts: self.starts.map(|row| row.map(|at| if at == NONE { at } else { at + start })), ..*self }
    }

    /// The nodes.
    pub fn nodes(&self) -> [usize; 2] {
        [self.a as usize, self.b as usize]
    }

    /// The position of a part of a row.
    #[inline]
    pub fn start(&self, row: usize, part: usize) -> Option<usize> {
        let start = self.starts[row][part];
        (start != NONE).then_some(start as usize)
    }
}

/// Lets spans of a row of `support` hold all that vectors of another element move with, on nodes that the row knows.
pub fn widen(spans: &mut Vec<Span>, support: &Support, by: &Support, nodes: &[Node]) {
    for vector in &by.vectors {
        let node = by.nodes[vector.slot];
        let Some(slot) = support.nodes.iter().position(|other| *other == node) else { continue };
        let [count, turned] = nodes[node].kind.columns();
        let [shifts, turns] = parts(vector);
        let (shifts, turns) = ([0, 1, 2].map(|i| shifts && i < count), turns && turned > 0);
        if !turns && !shifts.contains(&true) {
            continue;
        }
        match spans.iter_mut().find(|span| span.slot() == slot) {
            Some(span) => {
                (0..3).for_each(|i| span.shifts[i] |= shifts[i]);
                span.turns |= turns;
            }
            None => spans.push(Span { slot: slot as u8, shifts, turns, start: 0 }),
        }
    }
}

/// Where the entries of a row of constraints stand that belong to one slot.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    slot: u8,
    /// Which shifts are there.
    pub shifts: [bool; 3],
    /// Whether turns are.
    pub turns: bool,
    /// The position of the first entry.
    pub start: u32,
}

impl Span {
    /// The spans of a row, not placed yet.
    pub fn of(row: &Row, support: &Support, nodes: &[Node]) -> Vec<Span> {
        let slots = support.nodes.len();
        let mut spans: Vec<Span> =
            (0..slots).map(|slot| Span { slot: slot as u8, shifts: [false; 3], turns: false, start: 0 }).collect();
        for (z, components) in row.components() {
            let vector = &support.vectors[z];
            let (span, [shifts, turns]) = (&mut spans[vector.slot], parts(vector));
            let [count, turned] = nodes[support.nodes[vector.slot]].kind.columns();
            (0..count).for_each(|i| span.shifts[i] |= shifts && components[i]);
            span.turns |= turns && turned > 0;
        }
        spans.retain(|span| span.turns || span.shifts.contains(&true));
        spans
    }

    /// Which of the nodes of its element.
    pub fn slot(&self) -> usize {
        self.slot as usize
    }

    /// Adds to the entries of a row.
    #[inline]
    pub fn add(&self, kind: Kind, r: &[[f64; 3]; 3], force: &[f64; 3], torque: &[f64; 3], out: &mut [f64]) {
        let mut room = [0.0; 6];
        Span { start: 0, ..*self }.put(kind, r, force, torque, &mut room);
        let turns = if self.turns { kind.columns()[1] } else { 0 };
        let count = self.shifts.iter().filter(|there| **there).count() + turns;
        out[self.start as usize..].iter_mut().zip(&room[..count]).for_each(|(out, x)| *out += x);
    }

    /// Columns.
    pub fn columns<'n>(&self, node: &'n Node) -> impl Iterator<Item = usize> + use<'n> {
        let Span { shifts, turns, .. } = *self;
        let shifted = columns(node, 0).zip(shifts).filter(|(_, there)| *there).map(|(column, _)| column);
        shifted.chain(columns(node, 1).filter(move |_| turns))
    }

    /// Writes the entries of a row whose force and torque are given.
    #[inline]
    pub fn put(&self, kind: Kind, r: &[[f64; 3]; 3], force: &[f64; 3], torque: &[f64; 3], out: &mut [f64]) {
        let mut at = self.start as usize;
        for i in 0..3 {
            if self.shifts[i] {
                out[at] = force[i];
                at += 1;
            }
        }
        if self.turns {
            match kind {
                Kind::Spatial => {
                    out[at..at + 3].copy_from_slice(&crate::algebra::transposed_times(r, torque));
                }
                _ => out[at] = torque[2],
            }
        }
    }
}
