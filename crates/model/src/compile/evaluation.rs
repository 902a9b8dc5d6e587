//! The values of formulas that may use each other's results, each worked out once, in whatever order they come.

use crate::graph::{Graph, Node, Op, select};
use crate::table::Lookup;

/// Why a value is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// It depends on itself.
    Circular,
    /// It depends on an input without a value.
    Missing,
}

#[derive(Clone, Copy, Debug)]
enum Mark {
    New,
    /// It waits for its operands.
    Open,
    Done(Result<f64, Unknown>),
}

/// Evaluates nodes of a graph whose inputs are numbers or other nodes.
pub(crate) struct Evaluation<'g> {
    graph: &'g Graph,
    /// Inputs that are known; the others are not numbers.
    known: Vec<f64>,
    /// Nodes that inputs are given by.
    given: Vec<Option<Node>>,
    marks: Vec<Mark>,
}

impl<'g> Evaluation<'g> {
    pub fn new(graph: &'g Graph, known: Vec<f64>, given: Vec<Option<Node>>) -> Self {
        Evaluation { graph, known, given, marks: vec![Mark::New; graph.len()] }
    }

    /// The value of a node. What it needs is worked out with a stack of its own: a chain of 100 000 links, each from the one
    /// before, is as deep as it is long.
    pub fn value(&mut self, node: Node) -> Result<f64, Unknown> {
        let mut stack = vec![node];
        while let Some(&top) = stack.last() {
            match self.marks[top.index()] {
                Mark::Done(_) => {
                    stack.pop();
                }
                Mark::New => {
                    self.marks[top.index()] = Mark::Open;
                    for needed in self.needs(top).into_iter().flatten() {
                        match self.marks[needed.index()] {
                            Mark::New => stack.push(needed),
                            Mark::Open => self.marks[needed.index()] = Mark::Done(Err(Unknown::Circular)),
                            Mark::Done(_) => {}
                        }
                    }
                }
                Mark::Open => {
                    self.marks[top.index()] = Mark::Done(self.work_out(top));
                    stack.pop();
                }
            }
        }
        self.done(node)
    }

    /// The nodes that a node works on, or is given by.
    fn needs(&self, node: Node) -> [Option<Node>; 3] {
        match self.graph.op(node) {
            Op::Constant(_) => [None; 3],
            Op::Input(input) if !self.known[input as usize].is_nan() => [None; 3],
            Op::Input(input) => [self.given[input as usize], None, None],
            Op::Neg(a) | Op::Call(_, a) => [Some(a), None, None],
            Op::Pair(_, a, b) | Op::Lookup(_, a, b) => [Some(a), Some(b), None],
            Op::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        }
    }

    fn done(&self, node: Node) -> Result<f64, Unknown> {
        match self.marks[node.index()] {
            Mark::Done(value) => value,
            Mark::New | Mark::Open => Err(Unknown::Circular),
        }
    }

    /// The value of a node whose operands are done.
    fn work_out(&self, node: Node) -> Result<f64, Unknown> {
        Ok(match self.graph.op(node) {
            Op::Constant(bits) => f64::from_bits(bits),
            Op::Input(input) => match (self.known[input as usize], self.given[input as usize]) {
                (known, _) if !known.is_nan() => known,
                // One value that is not finite is one mistake, not many.
                (_, Some(node)) => Some(self.done(node)?).filter(|x| x.is_finite()).unwrap_or_default(),
                (_, None) => return Err(Unknown::Missing),
            },
            Op::Neg(a) => -self.done(a)?,
            Op::Call(function, a) => function.apply(self.done(a)?),
            Op::Pair(binary, a, b) => binary.apply(self.done(a)?, self.done(b)?),
            Op::Select(c, a, b) => select(self.done(c)?, self.done(a)?, self.done(b)?),
            Op::Lookup(Lookup { table, asked }, a, b) => {
                self.graph.tables[table as usize].at(asked, self.done(a)?, self.done(b)?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_in_any_order_and_circles_are_found() {
        let mut graph = Graph::default();
        let inputs: Vec<Node> = (0..5).map(|i| graph.input(i)).collect();
        // Input 0 is known, 1 = 2 * input 2, 2 = 1 + input 0, 3 = input 4, 4 = input 3.
        let (one, two) = (graph.constant(1.0), graph.constant(2.0));
        let given = vec![
            None,
            Some(graph.mul(two, inputs[2])),
            Some(graph.add(one, inputs[0])),
            Some(inputs[4]),
            Some(inputs[3]),
        ];
        let mut known = vec![f64::NAN; 5];
        known[0] = 3.0;
        let mut evaluation = Evaluation::new(&graph, known, given);
        assert_eq!(evaluation.value(inputs[1]), Ok(8.0));
        assert_eq!(evaluation.value(inputs[2]), Ok(4.0));
        assert_eq!(evaluation.value(inputs[3]), Err(Unknown::Circular));
        assert_eq!(evaluation.value(inputs[4]), Err(Unknown::Circular));
    }

    #[test]
    fn a_long_chain_is_no_deep_recursion() {
        let (mut graph, links) = (Graph::default(), 200_000);
        let inputs: Vec<Node> = (0..links).map(|i| graph.input(i)).collect();
        let one = graph.constant(1.0);
        let mut given = vec![None];
        given.extend(inputs[..links - 1].iter().map(|before| Some(graph.add(*before, one))));
        let mut known = vec![f64::NAN; links];
        known[0] = 0.0;
        let mut evaluation = Evaluation::new(&graph, known, given);
        assert_eq!(evaluation.value(inputs[links - 1]), Ok((links - 1) as f64));
        assert_eq!(evaluation.value(inputs[links / 2]), Ok((links / 2) as f64));
    }
}
