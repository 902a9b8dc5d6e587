//! The arguments of tables that end: which one is at its end where a motion cannot go on.

use std::sync::Arc;

use crate::graph::{Graph, Marks, Node};
use crate::table::Table;
use crate::tape::{Arguments, Layout, Tape};

/// More tables than this are not looked at.
const MOST: usize = 1000;
/// Where a run fails for want of a value its last step is this close to the end of the table, beside its width.
const NEAR: f64 = 1e-3;

/// Tables without a value beyond their ends, with their arguments.
#[derive(Clone, Debug)]
pub(crate) struct Ranges {
    tables: Vec<Arc<Table>>,
    /// Two arguments for each of them.
    arguments: Tape,
}

impl Ranges {
    /// Those of all formulas.
    pub fn new(graph: &Graph, layout: Layout, marks: &mut Marks) -> Ranges {
        let mut found: Vec<(u32, Node, Node)> =
            graph.lookups().filter(|(table, ..)| graph.tables[*table as usize].ends()).collect();
        found.sort_unstable();
        found.dedup();
        found.truncate(MOST);
        let nodes: Vec<(usize, Node)> = found.iter().flat_map(|(_, a, b)| [*a, *b]).enumerate().collect();
        let tables = found.iter().map(|(table, ..)| graph.tables[*table as usize].clone()).collect();
        Ranges { tables, arguments: Tape::new(graph, layout, &nodes, marks) }
    }

    /// The table that is beyond its end or closest to it, in words; none if all are far from theirs.
    pub fn left(&self, at: Arguments) -> Option<String> {
        let mut values = vec![0.0; 2 * self.tables.len()];
        self.arguments.run_once(at, &mut values);
        let rooms = self.tables.iter().zip(values.chunks_exact(2)).map(|(table, x)| (table.room(x[0], x[1]), table, x));
        let least = rooms.min_by(|x, y| x.0.total_cmp(&y.0)).filter(|(room, ..)| *room < NEAR)?;
        Some(least.1.words(least.2[0], least.2[1]))
    }
}
