//! Where operations have kinks and jumps: one table.
//!
//! ```text
//! operation                 breaks   where               expression e
//! abs u                     kink     e = 0               u
//! sign u, step u            jump     e = 0               u
//! min(a, b), max(a, b)      kink     e = 0               a - b
//! a < b, a <= b, a == b     jump     e = 0               a - b
//! floor u, ceil u           jump     e whole             u
//! round u                   jump     e whole + 1/2       u
//! mod(a, b)                 jump     e whole             a / b
//! saturate u                bend     e = 0, e = 1        u
//! ```
//!
//! A linear table of u has a kink where its position among the knots is whole; which tables do is theirs to say. One whose ends hold is a
//! table of `min` and `max`.
//!
//! `if(c, a, b)`, `and`, `or` and `not` switch where the comparisons in c do, and nowhere else. `clamp` is `min` and `max`; `step`
//! and `smoothstep` are polynomials of saturate u, smooth where it bends. The cut of `atan2` is not here: it is a jump between two
//! names of one angle.

use super::{Binary, Function, Graph, Node, Op};
use crate::table::{Asked, Lookup};

/// What happens to a value where an operation switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Break {
    /// It jumps.
    Jump,
    /// Its slope jumps.
    Kink,
    /// A higher derivative jumps, in all formulas that there can be.
    Bend,
}

/// The values of a switching expression at which an operation switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface {
    Zero,
    Whole,
    /// Whole numbers and a half.
    Half,
    /// 0 and 1.
    Ends,
}

/// How an operation switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Switching {
    pub breaks: Break,
    pub surface: Surface,
    expression: Expression,
}

/// What the switching expression is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expression {
    /// The operand itself.
    Operand(Node),
    /// a - b
    Difference(Node, Node),
    /// a / b
    Quotient(Node, Node),
}

impl Op {
    /// How an operation switches; none if it is smooth where it has a value.
    pub fn switching(self) -> Option<Switching> {
        use Expression::{Difference, Operand, Quotient};
        let (breaks, surface, expression) = match self {
            Op::Call(Function::Abs, u) => (Break::Kink, Surface::Zero, Operand(u)),
            Op::Call(Function::Sign | Function::Step, u) => (Break::Jump, Surface::Zero, Operand(u)),
            Op::Call(Function::Floor | Function::Ceil, u) => (Break::Jump, Surface::Whole, Operand(u)),
            Op::Call(Function::Round, u) => (Break::Jump, Surface::Half, Operand(u)),
            Op::Call(Function::Saturate, u) => (Break::Bend, Surface::Ends, Operand(u)),
            Op::Call(Function::Within, u) => (Break::Jump, Surface::Ends, Operand(u)),
            Op::Pair(Binary::Min | Binary::Max, a, b) => (Break::Kink, Surface::Zero, Difference(a, b)),
            Op::Pair(Binary::Less | Binary::LessEqual | Binary::Equal, a, b) => {
                (Break::Jump, Surface::Zero, Difference(a, b))
            }
            Op::Pair(Binary::Mod, a, b) => (Break::Jump, Surface::Whole, Quotient(a, b)),
            _ => return None,
        };
        Some(Switching { breaks, surface, expression })
    }
}

impl Graph {
    /// The switching expression, as a node: it is continuous where its operands are.
    pub fn switching_expression(&mut self, switching: Switching) -> Node {
        match switching.expression {
            Expression::Operand(u) => u,
            Expression::Difference(a, b) => self.sub(a, b),
            Expression::Quotient(a, b) => self.div(a, b),
        }
    }

    /// A node that changes its sign exactly where a node switches, and is nonzero elsewhere unless it is continuous there. For
    /// whole numbers it is the parity of what is left out, so that it jumps between the same two neighbouring arguments as the
    /// operation itself. None for what does not jump and has no kink.
    pub fn switching_sign(&mut self, node: Node) -> Option<Node> {
        let op = self.op(node);
        if let Op::Lookup(lookup, a, b) = op {
            let kinked = self.tables[lookup.table as usize].is_kinked();
            return kinked.then(|| self.lookup(Lookup { asked: Asked::Parity, ..lookup }, a, b));
        }
        let switching = op.switching().filter(|switching| switching.breaks != Break::Bend)?;
        let expression = self.switching_expression(switching);
        Some(match (switching.surface, op) {
            (Surface::Zero, _) => expression,
            (Surface::Ends, _) => {
                // Negative within.
                let one = self.constant(1.0);
                let less = self.sub(expression, one);
                self.mul(expression, less)
            }
            (Surface::Whole | Surface::Half, Op::Pair(Binary::Mod, a, b)) => {
                let multiple = self.sub(a, node);
                let count = self.div(multiple, b);
                let count = self.call(Function::Round, count);
                self.parity(count)
            }
            (Surface::Whole | Surface::Half, _) => self.parity(node),
        })
    }

    /// -1/2 for even numbers, 1/2 for odd ones.
    fn parity(&mut self, whole: Node) -> Node {
        let (two, half) = (self.constant(2.0), self.constant(0.5));
        let rest = self.pair(Binary::Mod, whole, two);
        self.sub(rest, half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Marks;
    use crate::tape::{Arguments, Layout, Tape};

    /// The value of a node of t.
    fn at(graph: &Graph, node: Node, t: f64) -> f64 {
        let tape = Tape::new(graph, Layout::default(), &[(0, node)], &mut Marks::default());
        let mut out = [0.0];
        tape.run_once(Arguments { t, ..Arguments::default() }, &mut out);
        out[0]
    }

    #[test]
    fn signs_change_between_the_neighbours_where_the_operation_does() {
        let mut graph = Graph::default();
        let (t, period) = (graph.input(0), graph.constant(0.1));
        let (third, three) = (graph.constant(1.0 / 3.0), graph.constant(3.0));
        let scaled = graph.mul(three, t);
        let nodes = [
            graph.call(Function::Floor, scaled),
            graph.call(Function::Ceil, scaled),
            graph.call(Function::Round, scaled),
            graph.call(Function::Sign, t),
            graph.pair(Binary::Mod, t, period),
            graph.pair(Binary::Less, t, third),
            graph.pair(Binary::LessEqual, third, t),
        ];
        for node in nodes {
            let sign = graph.switching_sign(node).expect("it switches");
            let classes = |t: f64| at(&graph, sign, t) > 0.0;
            // Every jump between 0.05 and 0.95, found by bisection on the sign, is a jump of the value.
            let mut jumps = 0;
            for k in 0..90 {
                let (mut low, mut high) = (0.05 + 0.01 * f64::from(k), 0.06 + 0.01 * f64::from(k));
                if classes(low) == classes(high) {
                    assert!((at(&graph, node, high) - at(&graph, node, low)).abs() < 0.05, "{:?}", graph.op(node));
                    continue;
                }
                while low.next_up() < high {
                    let middle = 0.5 * (low + high);
                    if classes(middle) == classes(low) { low = middle } else { high = middle }
                }
                jumps += 1;
                let around = (at(&graph, node, high.next_up()) - at(&graph, node, low.next_down())).abs();
                assert!(around > 0.05, "{:?}: {around} at {low}", graph.op(node));
            }
            assert!(jumps > 0 || matches!(graph.op(node), Op::Call(Function::Sign, _)), "{:?}", graph.op(node));
        }
    }
}
