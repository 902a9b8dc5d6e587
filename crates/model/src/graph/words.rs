//! Nodes as formulas, for messages: parameters are the numbers that they have become, and what is long is left out.

use super::{Binary, Function, Graph, Node, Op};
use crate::table::{Asked, Lookup};

/// How deep a formula is written out.
const DEEPEST: usize = 5;
/// Formulas longer than this many characters are written with dots.
const LONGEST: usize = 60;

/// A node in words, with the names of inputs.
pub(crate) fn words(graph: &Graph, node: Node, name: &dyn Fn(usize) -> String) -> String {
    let depths = (1..=DEEPEST).rev();
    let mut written = depths.map(|depth| text(graph, node, name, depth, 0));
    written.find(|words| words.len() <= LONGEST).unwrap_or_else(|| "...".to_owned())
}

/// Up to a depth; `level` is how tightly what stands around binds: 1 sums, 2 products, 3 signs.
fn text(graph: &Graph, node: Node, name: &dyn Fn(usize) -> String, depth: usize, level: usize) -> String {
    if depth == 0 && graph.operands(node).next().is_some() {
        return "...".to_owned();
    }
    let part = |node: Node, level: usize| text(graph, node, name, depth.saturating_sub(1), level);
    let (own, words) = match graph.op(node) {
        Op::Constant(bits) => match f64::from_bits(bits) {
            x if x < 0.0 => (1, x.to_string()),
            x => (4, x.to_string()),
        },
        Op::Input(index) => (4, name(index as usize)),
        Op::Neg(a) => (1, format!("-{}", part(a, 2))),
        Op::Call(function, a) => (4, format!("{}({})", called(function), part(a, 0))),
        Op::Pair(binary, a, b) => {
            let infix =
                |sign: &str, own: usize, right: usize| (own, format!("{}{sign}{}", part(a, own), part(b, right)));
            match binary {
                Binary::Add => infix(" + ", 1, 1),
                Binary::Sub => infix(" - ", 1, 2),
                Binary::Mul => infix("*", 2, 2),
                Binary::Div => infix("/", 2, 3),
                Binary::Pow => infix("^", 3, 4),
                Binary::Less => infix(" < ", 0, 1),
                Binary::LessEqual => infix(" <= ", 0, 1),
                Binary::Equal => infix(" == ", 0, 1),
                Binary::And => infix(" and ", 0, 0),
                Binary::Or => infix(" or ", 0, 0),
                Binary::Atan2 | Binary::Min | Binary::Max | Binary::Gate | Binary::Mod | Binary::Hypot => {
                    (4, format!("{}({}, {})", format!("{binary:?}").to_lowercase(), part(a, 0), part(b, 0)))
                }
            }
        }
        Op::Lookup(lookup, a, b) => {
            let name = graph.lookup_name(lookup);
            let second = if a == b { String::new() } else { format!(", {}", part(b, 0)) };
            (4, format!("{name}({}{second})", part(a, 0)))
        }
        Op::Select(condition, a, b) => (4, format!("if({}, {}, {})", part(condition, 0), part(a, 0), part(b, 0))),
    };
    if own < level { format!("({words})") } else { words }
}

impl Graph {
    /// What formulas call a look at a table; derivatives by the argument have primes, those of a map the names of axes, as `map_xy`.
    pub fn lookup_name(&self, lookup: Lookup) -> String {
        let table = &self.tables[lookup.table as usize];
        match lookup.asked {
            Asked::Derivative([i, 0]) if table.arguments() == 1 => format!("{}{}", table.name, "'".repeat(i.into())),
            Asked::Derivative([0, 0]) => table.name.clone(),
            Asked::Derivative([i, j]) => format!("{}_{}{}", table.name, "x".repeat(i.into()), "y".repeat(j.into())),
            _ => table.name.clone(),
        }
    }
}

/// The name of a function in files, or what it is where files have none.
fn called(function: Function) -> String {
    format!("{function:?}").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_read_as_they_were_written() {
        let mut graph = Graph::default();
        let name = |input: usize| ["t", "x", "y"][input].to_owned();
        let (x, y, two) = (graph.input(1), graph.input(2), graph.constant(2.0));
        let sum = graph.add(x, two);
        let product = graph.mul(sum, y);
        let difference = graph.sub(two, product);
        let kink = graph.call(Function::Abs, difference);
        assert_eq!(words(&graph, kink, &name), "abs(2 - y*(x + 2))");
        let larger = graph.pair(Binary::Max, kink, x);
        assert_eq!(words(&graph, larger, &name), "max(abs(2 - y*(x + 2)), x)");
        // What does not fit is left out.
        let long = (0..40).fold(x, |sum, _| graph.call(Function::Sin, sum));
        assert_eq!(words(&graph, long, &name), "sin(sin(sin(sin(sin(...)))))");
    }
}
