//! Derivatives of nodes, as nodes: exact, made once when a model is loaded.
//!
//! The gradient of one node with respect to many inputs goes backwards through what it needs, so it costs a small multiple of
//! the node itself, whatever the number of inputs. The derivative of many nodes along one direction goes forwards.
//!
//! What is not taken has no derivative. Within a branch of an `if` adjoints are those of the branch alone; where they leave its
//! [region](Regions), a gate makes them zero elsewhere, so that no value of the other case gets out, infinite ones included. Forwards,
//! the derivative of an `if` is the `if` of the derivatives.

use std::collections::BTreeMap;

use super::turning::Slopes;
use super::{Binary, Function, Graph, Marks, Node, Op, Place, Regions};
use crate::table::{Asked, Lookup};
use crate::tape::Layout;

/// Makes derivatives; keeps its tables.
#[derive(Debug, Default)]
pub(crate) struct Derivatives {
    marks: Marks,
    /// By node: its adjoint (backwards) or its rate (forwards).
    table: Vec<Option<Node>>,
}

/// What a gradient is taken by.
enum By {
    Input(usize),
    /// An entry of the matrix of a rotation.
    Entry(Place),
}

/// What a small change of an operand changes: nothing, or itself times something.
enum Partial {
    One,
    MinusOne,
    Times(Node),
    /// Divided by a node: one rounding less than times its reciprocal.
    Over(Node),
    /// Itself where a node is not zero, else nothing.
    Gated(Node),
    /// Itself where a condition holds, or does not.
    Where(Node, bool),
}

impl Derivatives {
    /// d node / d input for every input in `wanted` that the node depends on, in the order of the inputs.
    pub fn gradient(&mut self, graph: &mut Graph, node: Node, wanted: std::ops::Range<usize>) -> Vec<(usize, Node)> {
        let found = graph.loosely(|graph| self.backwards(graph, node, wanted));
        let mut found: Vec<(usize, Node)> = found
            .into_iter()
            .filter_map(|(by, node)| match by {
                By::Input(input) => Some((input, node)),
                By::Entry(_) => None,
            })
            .collect();
        found.sort_unstable_by_key(|(index, _)| *index);
        found
    }

    /// The derivative by the coordinates along each velocity that changes the node, in the order of the velocities, which are counted
    /// from the first: along `x'` it is that by x, along the angular velocities of a rotation those of turns about its axes.
    pub fn by_motion(&mut self, graph: &mut Graph, node: Node, layout: Layout) -> Vec<(usize, Node)> {
        graph.loosely(|graph| {
            let found = self.backwards(graph, node, layout.q());
            let mut columns = Vec::with_capacity(found.len());
            let mut turned: BTreeMap<usize, Slopes> = BTreeMap::new();
            for (by, node) in found {
                let number = match &by {
                    By::Input(input) => graph.quaternion(*input).map(|(k, _)| k),
                    By::Entry((k, ..)) => Some(*k),
                };
                let Some(k) = number else {
                    if let By::Input(input) = by {
                        columns.push((graph.column(layout, input), node));
                    }
                    continue;
                };
                let slopes = turned.entry(k).or_default();
                match by {
                    By::Entry((_, i, j)) => slopes.by_matrix[i][j] = Some(node),
                    By::Input(input) => slopes.by_p[input - graph.turns[k].p] = Some(node),
                }
            }
            for (k, slopes) in &turned {
                let first = graph.turns[*k].w - layout.v().start;
                let along = graph.along_turns(*k, slopes);
                columns.extend(along.into_iter().enumerate().map(|(j, node)| (first + j, node)));
            }
            columns.retain(|(_, derivative)| !graph.is_zero(*derivative));
            columns.sort_unstable_by_key(|(column, _)| *column);
            columns
        })
    }

    fn backwards(&mut self, graph: &mut Graph, node: Node, wanted: std::ops::Range<usize>) -> Vec<(By, Node)> {
        let order = graph.needed([node], &mut self.marks);
        self.table.resize(graph.len().max(self.table.len()), None);
        // Only nodes that depend on a wanted input carry adjoints.
        let mut depends = vec![false; order.len()];
        let place = |node: Node| order.binary_search(&node);
        for (i, &node) in order.iter().enumerate() {
            depends[i] = match (graph.op(node), graph.turn_entry(node)) {
                (Op::Input(index), _) => wanted.contains(&(index as usize)),
                (_, Some((k, ..))) => wanted.contains(&graph.turns[k].p),
                _ => graph.operands(node).any(|operand| place(operand).is_ok_and(|at| depends[at])),
            };
        }
        let mut regions = Regions::find(graph, &order, [node]);
        let one = graph.constant(1.0);
        self.table[node.index()] = Some(one);
        let mut found = Vec::new();
        for (i, &node) in order.iter().enumerate().rev() {
            let Some(adjoint) = self.table[node.index()].take() else { continue };
            if !depends[i] {
                continue;
            }
            let leaf = match graph.op(node) {
                Op::Input(index) => Some(By::Input(index as usize)),
                _ => graph.turn_entry(node).map(By::Entry),
            };
            if let Some(leaf) = leaf {
                let everywhere = match &regions {
                    Some(regions) => regions.leave(graph, adjoint, regions.at(i), Regions::EVERYWHERE),
                    None => adjoint,
                };
                found.push((leaf, everywhere));
                continue;
            }
            for (operand, partial) in partials(graph, node, |operand| place(operand).is_ok_and(|at| depends[at])) {
                let part = match (&mut regions, place(operand)) {
                    (Some(regions), Ok(at)) => partial.across(graph, adjoint, regions, (i, at)),
                    _ => partial.times(graph, adjoint),
                };
                let sum = match self.table[operand.index()] {
                    Some(before) => graph.add(before, part),
                    None => part,
                };
                self.table[operand.index()] = Some(sum);
            }
        }
        found.retain(|(_, derivative)| !graph.is_zero(*derivative));
        found
    }

    /// The rates of some nodes when the inputs have the rates `rate` (none is zero). A rotation whose quaternion has rates turns with its
    /// angular velocity.
    pub fn along(&mut self, graph: &mut Graph, nodes: &[Node], rate: impl Fn(usize) -> Option<Node>) -> Vec<Node> {
        graph.loosely(|graph| self.forwards(graph, nodes, rate))
    }

    fn forwards(&mut self, graph: &mut Graph, nodes: &[Node], rate: impl Fn(usize) -> Option<Node>) -> Vec<Node> {
        let order = graph.needed(nodes.iter().copied(), &mut self.marks);
        self.table.resize(graph.len().max(self.table.len()), None);
        for &node in &order {
            if let Op::Input(index) = graph.op(node) {
                self.table[node.index()] = rate(index as usize);
                continue;
            }
            if let Some(place) = graph.turn_entry(node) {
                let turns = rate(graph.turns[place.0].p).is_some();
                self.table[node.index()] = turns.then(|| graph.entry_rate(place));
                continue;
            }
            if let Op::Select(condition, then, other) = graph.op(node) {
                self.table[node.index()] = self.selected(graph, condition, [then, other]);
                continue;
            }
            let table = &self.table;
            let mut total = None;
            for (operand, partial) in partials(graph, node, |operand| table[operand.index()].is_some()) {
                let Some(rate) = self.table[operand.index()] else { continue };
                let part = partial.times(graph, rate);
                total = Some(match total {
                    Some(before) => graph.add(before, part),
                    None => part,
                });
            }
            self.table[node.index()] = total.filter(|rate| !graph.is_zero(*rate));
        }
        let zero = graph.constant(0.0);
        let rates = nodes.iter().map(|node| self.table[node.index()].unwrap_or(zero)).collect();
        for node in order {
            self.table[node.index()] = None;
        }
        rates
    }
}

impl Derivatives {
    /// The rate of one of two nodes, as a condition chooses; none if neither has any.
    fn selected(&self, graph: &mut Graph, condition: Node, nodes: [Node; 2]) -> Option<Node> {
        let rates = nodes.map(|node| self.table[node.index()]);
        if rates == [None, None] {
            return None;
        }
        let [then, other] = rates.map(|rate| rate.unwrap_or_else(|| graph.constant(0.0)));
        Some(graph.select(condition, then, other)).filter(|rate| !graph.is_zero(*rate))
    }
}

impl Partial {
    /// What an adjoint of the node at one place of the order adds to that of its operand at another.
    fn across(self, graph: &mut Graph, adjoint: Node, regions: &mut Regions, (node, operand): (usize, usize)) -> Node {
        let (mut from, to) = (regions.at(node), regions.at(operand));
        let part = match self {
            Partial::Where(condition, holds) => {
                from = regions.inside(graph, from, condition, holds);
                adjoint
            }
            other => other.times(graph, adjoint),
        };
        regions.leave(graph, part, from, to)
    }

    fn times(self, graph: &mut Graph, x: Node) -> Node {
        match self {
            Partial::One => x,
            Partial::MinusOne => graph.neg(x),
            Partial::Times(factor) => {
                let product = graph.mul(factor, x);
                if graph.is_tame(factor) { product } else { kept_zero(graph, x, product) }
            }
            Partial::Over(divisor) => {
                let quotient = graph.div(x, divisor);
                kept_zero(graph, x, quotient)
            }
            Partial::Gated(condition) | Partial::Where(condition, true) => graph.gate(condition, x),
            Partial::Where(condition, false) => {
                let condition = graph.not(condition);
                graph.gate(condition, x)
            }
        }
    }
}

/// `product` of `x` with something that may be infinite: zero where x is, if a gate can have made it so. The derivative of
/// sqrt(max(0, -x)) is zero for x > 0, although the root's own is infinite there.
fn kept_zero(graph: &mut Graph, x: Node, product: Node) -> Node {
    if graph.gated[x.index()] && !graph.is_tame(product) { graph.gate(x, product) } else { product }
}

/// The operands that matter, each with the derivative of the node with respect to it.
fn partials(graph: &mut Graph, node: Node, matters: impl Fn(Node) -> bool) -> Vec<(Node, Partial)> {
    let mut found = Vec::with_capacity(2);
    match graph.op(node) {
        Op::Constant(_) | Op::Input(_) => {}
        Op::Neg(a) => {
            if matters(a) {
                found.push((a, Partial::MinusOne));
            }
        }
        Op::Call(function, a) => {
            if matters(a)
                && let Some(partial) = slope(graph, function, a, node)
            {
                found.push((a, partial));
            }
        }
        Op::Pair(binary, a, b) => {
            if binary.is_condition() {
                return found;
            }
            if matters(a) && binary != Binary::Gate {
                found.push((a, first(graph, binary, a, b, node)));
            }
            if matters(b) {
                found.push((b, second(graph, binary, a, b, node)));
            }
        }
        Op::Select(condition, a, b) => {
            let branches = [(a, Partial::Where(condition, true)), (b, Partial::Where(condition, false))];
            found.extend(branches.into_iter().filter(|(branch, _)| matters(*branch)));
        }
        // The derivative of a table is the table of the next order.
        Op::Lookup(lookup, a, b) => {
            let Asked::Derivative([x, y]) = lookup.asked else { return found };
            for (operand, orders) in [(a, [x + 1, y]), (b, [x, y + 1])] {
                if matters(operand) {
                    let slope = graph.lookup(Lookup { asked: Asked::Derivative(orders), ..lookup }, a, b);
                    if !graph.is_zero(slope) {
                        found.push((operand, Partial::Times(slope)));
                    }
                }
            }
        }
    }
    found
}

/// The derivative of a function at `x`, where its value is `y`; none if it is zero.
fn slope(graph: &mut Graph, function: Function, x: Node, y: Node) -> Option<Partial> {
    let one = graph.constant(1.0);
    Some(match function {
        Function::Sin => Partial::Times(graph.call(Function::Cos, x)),
        Function::Cos => {
            let sin = graph.call(Function::Sin, x);
            Partial::Times(graph.neg(sin))
        }
        Function::Tan => {
            let square = graph.mul(y, y);
            Partial::Times(graph.add(one, square))
        }
        Function::Asin | Function::Acos => {
            // (1 - x) (1 + x) keeps its digits near 1, where 1 - x^2 does not.
            let (less, more) = (graph.sub(one, x), graph.add(one, x));
            let rest = graph.mul(less, more);
            let root = graph.call(Function::Sqrt, rest);
            Partial::Over(if function == Function::Acos { graph.neg(root) } else { root })
        }
        Function::Atan => {
            let square = graph.mul(x, x);
            Partial::Over(graph.add(one, square))
        }
        Function::Sinh => Partial::Times(graph.call(Function::Cosh, x)),
        Function::Cosh => Partial::Times(graph.call(Function::Sinh, x)),
        Function::Tanh => {
            // 1 / cosh^2 keeps its digits where 1 - tanh^2 has none left.
            let cosh = graph.call(Function::Cosh, x);
            let square = graph.mul(cosh, cosh);
            Partial::Times(graph.div(one, square))
        }
        Function::Exp => Partial::Times(y),
        Function::Log => Partial::Over(x),
        Function::Sqrt => Partial::Over(graph.add(y, y)),
        Function::Abs => {
            // 1 at zero, as in `Scalar::abs`.
            let step = graph.call(Function::Step, x);
            let twice = graph.add(step, step);
            Partial::Times(graph.sub(twice, one))
        }
        Function::Saturate => Partial::Gated(graph.call(Function::Within, x)),
        Function::Sign
        | Function::Step
        | Function::Floor
        | Function::Ceil
        | Function::Round
        | Function::Within
        | Function::Not => return None,
    })
}

/// The derivative of a node `y` with respect to the first operand.
fn first(graph: &mut Graph, binary: Binary, a: Node, b: Node, y: Node) -> Partial {
    match binary {
        Binary::Add | Binary::Sub | Binary::Mod => Partial::One,
        Binary::Hypot => Partial::Times(graph.div(a, y)),
        Binary::Mul => Partial::Times(b),
        Binary::Div => Partial::Over(b),
        Binary::Pow => {
            let one = graph.constant(1.0);
            let less = graph.sub(b, one);
            let power = graph.pow(a, less);
            Partial::Times(graph.mul(b, power))
        }
        Binary::Atan2 => {
            let square = norm2(graph, a, b);
            Partial::Times(graph.div(b, square))
        }
        Binary::Min => Partial::Where(graph.pair(Binary::LessEqual, a, b), true),
        Binary::Max => Partial::Where(graph.pair(Binary::LessEqual, b, a), true),
        // A condition is constant between its jumps; nobody asks.
        _ => Partial::Gated(graph.constant(0.0)),
    }
}

/// The derivative with respect to the second operand of a node `y`.
fn second(graph: &mut Graph, binary: Binary, a: Node, b: Node, y: Node) -> Partial {
    match binary {
        Binary::Add => Partial::One,
        Binary::Sub => Partial::MinusOne,
        Binary::Mul => Partial::Times(a),
        Binary::Div => {
            let minus = graph.neg(y);
            Partial::Times(graph.div(minus, b))
        }
        Binary::Pow => {
            let log = graph.call(Function::Log, a);
            Partial::Times(graph.mul(y, log))
        }
        Binary::Atan2 => {
            let square = norm2(graph, a, b);
            let minus = graph.neg(a);
            Partial::Times(graph.div(minus, square))
        }
        Binary::Min => Partial::Where(graph.pair(Binary::LessEqual, a, b), false),
        Binary::Max => Partial::Where(graph.pair(Binary::LessEqual, b, a), false),
        Binary::Gate if graph.is_condition(a) => Partial::Where(a, true),
        Binary::Gate => Partial::Gated(a),
        Binary::Hypot => Partial::Times(graph.div(b, y)),
        Binary::Mod => {
            // a - y is a whole multiple of b, but for roundings.
            let multiple = graph.sub(y, a);
            let count = graph.div(multiple, b);
            Partial::Times(graph.call(Function::Round, count))
        }
        _ => Partial::Gated(graph.constant(0.0)),
    }
}

fn norm2(graph: &mut Graph, a: Node, b: Node) -> Node {
    let (x, y) = (graph.mul(a, a), graph.mul(b, b));
    graph.add(x, y)
}
