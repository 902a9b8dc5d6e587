//! Joints and drivers in the patterns of the whole: their rows, and where these stand.

use std::sync::Arc;

use alembert::{Dims, Pattern};

use super::Constraint;
use super::plan::{self, Fill, Place, Span};
use crate::names::Names;
use crate::node::{Kind, Node};
use crate::row::{Level, Row};
use crate::support::Support;

/// A row and where it stands.
#[derive(Debug)]
pub(super) struct Placed {
    /// Joints of a kind may share it.
    pub row: Arc<Row>,
    /// Among those of its level.
    pub index: u32,
    /// Where its spans end among those of its joint; they begin where those of the row before end.
    end: u32,
}

impl Placed {
    pub fn index(&self) -> usize {
        self.index as usize
    }
}

/// The block of two slots and where it stands.
#[derive(Debug)]
pub(super) struct Pair {
    pub slots: [usize; 2],
    pub place: Place,
}

/// An element with constraints.
#[derive(Debug)]
pub(super) struct Jointed {
    pub support: Support,
    pub rows: Box<[Placed]>,
    /// Of all its rows.
    pub spans: Box<[Span]>,
    pub pairs: Box<[Pair]>,
}

impl Jointed {
    /// Rows with their spans.
    pub fn placed(&self) -> impl Iterator<Item = (&Placed, &[Span])> {
        let ends = self.rows.iter().map(|placed| placed.end as usize);
        let spans = std::iter::once(0).chain(ends.clone()).zip(ends).map(|(start, end)| &self.spans[start..end]);
        self.rows.iter().zip(spans)
    }
}

/// Where blocks of different nodes stand.
pub(super) fn pairs(support: &Support, fills: &[(usize, usize, Fill)], top: &Pattern, nodes: &[Node]) -> Box<[Pair]> {
    let moves = |slot: usize| nodes[support.nodes[slot]].kind != Kind::Ground;
    let across = fills.iter().filter(|(a, b, _)| a != b && moves(*a) && moves(*b));
    across
        .map(|(a, b, fill)| {
            let place = Place::new(top, (support.nodes[*a], support.nodes[*b]), nodes, *fill);
            Pair { slots: [*a, *b], place }
        })
        .collect()
}

/// The pattern of all rows, and the elements placed in it.
pub(super) fn place_rows<'l, W: Iterator<Item = &'l Support>>(
    dims: Dims,
    nodes: &[Node],
    constraints: Vec<Constraint>,
    wider: impl Fn(usize) -> W,
    pairs: impl Fn(&Support, usize) -> Box<[Pair]>,
) -> (Pattern, Vec<Jointed>, Names) {
    let (mut entries, mut used) = (Vec::new(), [0, 0]);
    let mut joints: Vec<Jointed> = Vec::with_capacity(constraints.len());
    let mut names = Names::default();
    for (at, Constraint { name, support, rows }) in constraints.into_iter().enumerate() {
        let (mut placed, mut spans_of_all) = (Vec::with_capacity(rows.len()), Vec::new());
        for row in rows {
            let level = usize::from(row.level == Level::Velocity);
            let index = used[level];
            used[level] += 1;
            let mut spans = Span::of(&row, &support, nodes);
            if row.level == Level::Position {
                // Friction that this row presses acts on more than the row itself.
                wider(at).for_each(|by| plan::widen(&mut spans, &support, by, nodes));
            }
            let line = index + level * dims.lambda;
            for span in &spans {
                entries.extend(span.columns(&nodes[support.nodes[span.slot()]]).map(|column| (line, column)));
            }
            spans_of_all.extend(spans);
            placed.push(Placed { row, index: index as u32, end: spans_of_all.len() as u32 });
        }
        let pairs = pairs(&support, at);
        names.push(&name);
        joints.push(Jointed { support, rows: placed.into(), spans: spans_of_all.into(), pairs });
    }
    names.shrink();
    let rows = Pattern::from_entries(dims.constraints(), dims.v, entries);
    let base = rows.start(dims.lambda);
    for joint in &mut joints {
        let mut start = 0;
        for placed in &joint.rows {
            let velocity = placed.row.level == Level::Velocity;
            let line = placed.index() + if velocity { dims.lambda } else { 0 };
            for span in &mut joint.spans[start..placed.end as usize] {
                let first = span.columns(&nodes[joint.support.nodes[span.slot()]]).next();
                let start = first.and_then(|column| rows.position(line, column)).unwrap_or(0);
                span.start = (start - if velocity { base } else { 0 }) as u32;
            }
            start = placed.end as usize;
        }
    }
    (rows, joints, names)
}
