//! Linear tables on pieces that are held.
//!
//! ```text
//! T(x)       ->  T(p) + T_x(p) (x - p)                                        p in the piece that is held, by its position h
//! T(x, y)    ->  the sum over i, j in {0, 1} of T_ij(p, r) (x - p)^i (y - r)^j
//! ```
//!
//! A piece goes on beyond its knots as the line (or the bilinear surface) that it is. A table without a value beyond its ends has none there
//! on any piece.

use crate::graph::{Graph, Node};
use crate::table::{Asked, Lookup};

/// Whether a lookup is a value or a slope of a table with kinks.
pub(super) fn is_line(graph: &Graph, lookup: Lookup) -> bool {
    matches!(lookup.asked, Asked::Derivative(_)) && graph.tables[lookup.table as usize].is_kinked()
}

/// By argument: the position among the knots, if there are kinks along it.
pub(super) fn positions(graph: &mut Graph, lookup: Lookup, arguments: [Node; 2]) -> [Option<Node>; 2] {
    let count = graph.tables[lookup.table as usize].arguments();
    [0, 1].map(|axis| {
        let kinked = axis < count && graph.tables[lookup.table as usize].is_kinked_along(axis);
        let asked = Asked::Position(axis as u8);
        kinked.then(|| graph.lookup(Lookup { asked, ..lookup }, arguments[axis], arguments[axis]))
    })
}

/// The lookup on the pieces that are held; what is not held has but one piece.
pub(super) fn branch(graph: &mut Graph, lookup: Lookup, arguments: [Node; 2], held: [Option<Node>; 2]) -> Node {
    let Asked::Derivative(orders) = lookup.asked else { return arguments[0] };
    let count = graph.tables[lookup.table as usize].arguments();
    let middle = graph.constant(0.5);
    let places = [0, 1].map(|axis| {
        let at = held[axis].unwrap_or(middle);
        graph.lookup(Lookup { asked: Asked::Place(axis.min(count - 1) as u8), ..lookup }, at, at)
    });
    let places = if count == 1 { [places[0]; 2] } else { places };
    let away = [0, 1].map(|axis| graph.sub(arguments[axis], places[axis]));
    let mut sum = graph.constant(0.0);
    for i in orders[0]..=1 {
        for j in orders[1]..=u8::from(count == 2) {
            let mut term = graph.lookup(Lookup { asked: Asked::Derivative([i, j]), ..lookup }, places[0], places[1]);
            if i > orders[0] {
                term = graph.mul(term, away[0]);
            }
            if j > orders[1] {
                term = graph.mul(term, away[1]);
            }
            sum = graph.add(sum, term);
        }
    }
    if graph.tables[lookup.table as usize].ends() {
        let room = graph.lookup(Lookup { asked: Asked::Room, ..lookup }, arguments[0], arguments[1]);
        sum = graph.add(sum, room);
    }
    sum
}
