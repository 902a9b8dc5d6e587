//! Functions whose change of sign tells that a step has passed a pole, or a jump or kink of a constraint.
//!
//! ```text
//! everywhere        a / b: the factors of b;  tan u: cos u
//! in constraints    what switches, as the table of `graph/switching.rs` has it: abs u: u;  min(a, b): a - b
//! ```
//!
//! A function that cannot change its sign (a sum of squares, a length) is left out; in place of a square its factor is taken.

use crate::graph::{Binary, Function, Graph, Marks, Node, Op};
use crate::system::Parts;

/// More than this many are not watched, because looking at them would cost more than the steps.
const MOST: usize = 500;

pub(super) fn landmarks(graph: &mut Graph, parts: &Parts, marks: &mut Marks) -> Vec<Node> {
    let mut found = Vec::new();
    let reaction = parts.reaction.iter().chain(&parts.added).flatten();
    let forces = parts.mass.iter().map(|(_, _, node)| node).chain(&parts.force).chain(reaction).copied();
    let constraints = parts.holonomic.iter().chain(&parts.nonholonomic).chain(parts.rate.iter().flatten()).copied();
    let forces = graph.needed(forces.collect::<Vec<Node>>(), marks);
    let constraints = graph.needed(constraints.collect::<Vec<Node>>(), marks);
    for node in forces.iter().chain(&constraints) {
        match graph.op(*node) {
            Op::Pair(Binary::Div, _, b) => factors(graph, b, &mut found),
            Op::Call(Function::Tan, u) => {
                let cosine = graph.call(Function::Cos, u);
                found.push(cosine);
            }
            _ => {}
        }
    }
    for node in constraints {
        found.extend(graph.switching_sign(node));
    }
    found.retain(|node| graph.value(*node).is_none() && !is_positive(graph, *node));
    found.sort_unstable();
    found.dedup();
    if found.len() > MOST { Vec::new() } else { found }
}

/// What a product, power or root is zero with.
fn factors(graph: &Graph, node: Node, found: &mut Vec<Node>) {
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        match graph.op(node) {
            Op::Pair(Binary::Mul, a, b) => stack.extend(if a == b { vec![a] } else { vec![a, b] }),
            Op::Pair(Binary::Pow | Binary::Div, a, _) | Op::Neg(a) => stack.push(a),
            Op::Call(Function::Sqrt | Function::Abs, a) => stack.push(a),
            Op::Constant(_) => {}
            _ => found.push(node),
        }
        if found.len() > MOST {
            return;
        }
    }
}

/// Whether a node has no negative values, as its form tells.
fn is_positive(graph: &Graph, node: Node) -> bool {
    // A formula deep enough to matter is not worth the time.
    fn positive(graph: &Graph, node: Node, depth: usize) -> bool {
        let both = |a, b| depth > 0 && positive(graph, a, depth - 1) && positive(graph, b, depth - 1);
        match graph.op(node) {
            Op::Constant(bits) => f64::from_bits(bits) >= 0.0,
            Op::Call(Function::Sqrt | Function::Abs | Function::Exp | Function::Cosh, _) => true,
            Op::Pair(Binary::Mul, a, b) => a == b || both(a, b),
            Op::Pair(Binary::Add | Binary::Div, a, b) => both(a, b),
            _ => false,
        }
    }
    positive(graph, node, 12)
}
