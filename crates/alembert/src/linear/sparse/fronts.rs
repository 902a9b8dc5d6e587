//! Fronts in little room, of which chains have several for each body: one begins where the one before ends.

use super::symbolic::{Front, Span};

/// Where a front begins, and what else is its own.
#[derive(Clone, Copy, Debug, Default)]
struct Begin {
    first: u32,
    rows: u32,
    panels: u32,
    children: u32,
    update: u32,
    panel: u8,
    even: bool,
}

/// All of them, children before parents.
#[derive(Clone, Debug)]
pub(super) struct Fronts {
    /// The last one is none: it says where the front before it ends.
    begins: Vec<Begin>,
}

impl Fronts {
    /// Room for so many.
    pub fn with_capacity(count: usize) -> Self {
        let mut begins = Vec::with_capacity(count + 1);
        begins.push(Begin::default());
        Fronts { begins }
    }

    /// One more, which begins where the last one ends.
    pub fn push(&mut self, front: &Front) {
        let Front { first, width, rows, panels, children, update, panel, even } = *front;
        let begin =
            Begin { first, rows: rows.start, panels: panels.start, children: children.start, update, panel, even };
        if let Some(last) = self.begins.last_mut() {
            let ends = |begin: &Begin| [begin.first, begin.rows, begin.panels, begin.children];
            debug_assert_eq!(ends(last), ends(&begin), "a front begins elsewhere");
            *last = begin;
        }
        let end = Begin { first: first + width, rows: rows.end, panels: panels.end, children: children.end, ..begin };
        self.begins.push(end);
    }

    /// The front with this index.
    #[inline]
    pub fn get(&self, at: usize) -> Front {
        front(&self.begins[at], &self.begins[at + 1])
    }

    /// All of them.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Front> {
        self.begins.windows(2).map(|two| front(&two[0], &two[1]))
    }
}

#[inline]
fn front(begin: &Begin, end: &Begin) -> Front {
    Front {
        first: begin.first,
        width: end.first - begin.first,
        rows: Span { start: begin.rows, end: end.rows },
        panels: Span { start: begin.panels, end: end.panels },
        children: Span { start: begin.children, end: end.children },
        update: begin.update,
        panel: begin.panel,
        even: begin.even,
    }
}
