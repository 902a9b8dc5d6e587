//! Expressions as a graph in which everything stands once.
//!
//! A node is an operation on earlier nodes, so the order of the nodes is an order of evaluation. Equal operations are the
//! same node (common subexpressions), constants are folded, and simplifications (0 x, 1 x, x + 0, signs) are made when a node
//! is asked for. Integer powers up to [`EXPANDED`] are products.
//!
//! A formula of a file has the value that its operations have one by one, in the order in which they are written: nothing is
//! simplified that could change a bit of it, but for the sign of a zero. So 0 x becomes 0 only where x is finite, whatever its
//! arguments are ([`Graph::is_tame`]), and c (d x) stays. Derivatives are ours, and are simplified [loosely](Graph::loosely).

mod derivative;
mod marks;
mod mixer;
mod operation;
mod printer;
mod reach;
mod region;
mod switching;
mod turning;
mod words;

use std::cell::Cell;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

pub(crate) use derivative::Derivatives;
pub(crate) use marks::Marks;
use mixer::Mixer;
pub(crate) use operation::{Binary, Function, select};
pub(crate) use printer::Printer;
use reach::Reach;
pub(crate) use region::{Region, Regions};
pub(crate) use switching::{Break, Surface};
pub(crate) use turning::{Matrix, Place, Turn};
pub(crate) use words::words;

use crate::table::{Asked, Lookup, Table};

/// Largest integer exponent that becomes a product.
const EXPANDED: f64 = 64.0;
/// Largest number of nodes: about 1 GB. A chain of 100 000 links has 9 million.
const MOST: usize = 12_000_000;
/// Most nodes that may be looked at to make derivatives and tapes: some seconds.
const MOST_VISITS: usize = 200_000_000;

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Node(u32);

impl Node {
    /// As what mechanisms hand on.
    pub fn term(self) -> alembert_mechanism::formal::Term {
        alembert_mechanism::formal::Term(self.0)
    }

    /// The node that was handed on.
    pub fn from_term(term: alembert_mechanism::formal::Term) -> Node {
        Node(term.0)
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    /// The bits of a number.
    Constant(u64),
    /// An entry of the arguments; see [`Layout`](crate::tape::Layout).
    Input(u32),
    Neg(Node),
    Call(Function, Node),
    Pair(Binary, Node, Node),
    /// The second where the first, a condition, holds, else the third.
    Select(Node, Node, Node),
    /// A table at two nodes; those of a curve are the same.
    Lookup(Lookup, Node, Node),
}

/// Operations, each on earlier ones.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    ops: Vec<Op>,
    /// By node: how large it can be.
    reach: Vec<Reach>,
    known: HashMap<Op, Node, BuildHasherDefault<Mixer>>,
    /// Whether what is made now may differ from what is written in its last digits, and where something is infinite.
    loose: bool,
    /// By node: whether a gate may have made it zero.
    gated: Vec<bool>,
    /// Whether there is a select.
    branched: bool,
    overflown: bool,
    visits: Cell<usize>,
    /// What lookups are about.
    pub tables: Vec<Arc<Table>>,
    /// Rotations among the inputs, in their order.
    pub turns: Vec<Turn>,
    entries: HashMap<Node, Place>,
}

impl Graph {
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether more nodes or visits were asked for than are allowed. All results are then worthless.
    pub fn is_overflown(&self) -> bool {
        self.overflown || self.visits.get() > MOST_VISITS
    }

    pub fn op(&self, node: Node) -> Op {
        self.ops[node.index()]
    }

    /// The node of an operation that is already there.
    pub fn find(&self, op: Op) -> Option<Node> {
        self.known.get(&op).copied()
    }

    pub fn value(&self, node: Node) -> Option<f64> {
        match self.op(node) {
            Op::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    pub fn is_zero(&self, node: Node) -> bool {
        self.value(node) == Some(0.0)
    }

    /// Whether a node is finite for all finite arguments.
    fn is_tame(&self, node: Node) -> bool {
        self.reach[node.index()].is_finite()
    }

    /// Makes nodes whose values need not be those of every single operation as written.
    fn loosely<T>(&mut self, make: impl FnOnce(&mut Graph) -> T) -> T {
        let before = std::mem::replace(&mut self.loose, true);
        let made = make(self);
        self.loose = before;
        made
    }

    fn push(&mut self, op: Op) -> Node {
        if let Some(&node) = self.known.get(&op) {
            return node;
        }
        if self.ops.len() >= MOST {
            self.overflown = true;
            return Node(0);
        }
        let node = Node(self.ops.len() as u32);
        self.ops.push(op);
        self.reach.push(Reach::of(op, &self.reach));
        self.gated.push(self.may_be_gated(op));
        self.branched |= matches!(op, Op::Select(..));
        self.known.insert(op, node);
        node
    }

    /// Whether a gate, or a select with nothing in one of its branches, is part of an operation.
    fn may_be_gated(&self, op: Op) -> bool {
        let is_gated = |node: Node| self.gated[node.index()];
        match op {
            Op::Constant(_) | Op::Input(_) => false,
            Op::Neg(a) | Op::Call(_, a) => is_gated(a),
            Op::Pair(Binary::Gate, ..) => true,
            Op::Pair(_, a, b) | Op::Lookup(_, a, b) => is_gated(a) || is_gated(b),
            Op::Select(_, a, b) => [a, b].into_iter().any(|node| is_gated(node) || self.is_zero(node)),
        }
    }

    pub fn constant(&mut self, x: f64) -> Node {
        // One zero and one NaN.
        let x = if x == 0.0 { 0.0 } else { x };
        self.push(Op::Constant(if x.is_nan() { f64::NAN } else { x }.to_bits()))
    }

    pub fn input(&mut self, index: usize) -> Node {
        self.push(Op::Input(index as u32))
    }

    pub fn neg(&mut self, a: Node) -> Node {
        match self.op(a) {
            Op::Constant(bits) => self.constant(-f64::from_bits(bits)),
            Op::Neg(inner) => inner,
            Op::Pair(Binary::Sub, x, y) => self.sub(y, x),
            _ => self.push(Op::Neg(a)),
        }
    }

    pub fn add(&mut self, a: Node, b: Node) -> Node {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => return self.constant(x + y),
            (Some(0.0), _) => return b,
            (_, Some(0.0)) => return a,
            _ => {}
        }
        if a == b {
            let two = self.constant(2.0);
            return self.mul(two, a);
        }
        if let Op::Neg(inner) = self.op(b) {
            return self.sub(a, inner);
        }
        if let Op::Neg(inner) = self.op(a) {
            return self.sub(b, inner);
        }
        self.push(Op::Pair(Binary::Add, a.min(b), a.max(b)))
    }

    pub fn sub(&mut self, a: Node, b: Node) -> Node {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => return self.constant(x - y),
            (Some(0.0), _) => return self.neg(b),
            (_, Some(0.0)) => return a,
            _ => {}
        }
        if a == b && (self.loose || self.is_tame(a)) {
            return self.constant(0.0);
        }
        if let Op::Neg(inner) = self.op(b) {
            return self.add(a, inner);
        }
        self.push(Op::Pair(Binary::Sub, a, b))
    }

    pub fn mul(&mut self, a: Node, b: Node) -> Node {
        // A constant comes first.
        let (a, b) = if self.value(b).is_some() || (self.value(a).is_none() && b < a) { (b, a) } else { (a, b) };
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => return self.constant(x * y),
            (Some(0.0), _) if self.loose || self.is_tame(b) => return a,
            (Some(1.0), _) => return b,
            (Some(-1.0), _) => return self.neg(b),
            (Some(x), None) => {
                // c (d y) = (c d) y
                if let Op::Pair(Binary::Mul, c, y) = self.op(b)
                    && let Some(c) = self.value(c)
                    && self.loose
                    && [x, c, x * c].into_iter().all(is_ordinary)
                {
                    let product = self.constant(x * c);
                    return self.mul(product, y);
                }
                if let Op::Neg(inner) = self.op(b) {
                    let minus = self.constant(-x);
                    return self.mul(minus, inner);
                }
            }
            _ => {
                if let Op::Neg(inner) = self.op(a) {
                    let product = self.mul(inner, b);
                    return self.neg(product);
                }
                if let Op::Neg(inner) = self.op(b) {
                    let product = self.mul(a, inner);
                    return self.neg(product);
                }
            }
        }
        self.push(Op::Pair(Binary::Mul, a, b))
    }

    pub fn div(&mut self, a: Node, b: Node) -> Node {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => return self.constant(x / y),
            (Some(0.0), _) if self.loose => return a,
            (_, Some(1.0)) => return a,
            // A power of two divides as well as its reciprocal multiplies, and that is faster.
            (_, Some(y)) if y.is_normal() && y.to_bits() & 0x000f_ffff_ffff_ffff == 0 => {
                let factor = self.constant(1.0 / y);
                return self.mul(factor, a);
            }
            _ => {}
        }
        if let Op::Neg(inner) = self.op(a) {
            let quotient = self.div(inner, b);
            return self.neg(quotient);
        }
        self.push(Op::Pair(Binary::Div, a, b))
    }

    pub fn pow(&mut self, a: Node, b: Node) -> Node {
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            // Products as below, so that constants and variables give the same digits.
            return match y {
                y if y.fract() == 0.0 && y.abs() <= EXPANDED => {
                    let power = power(x, y.abs() as u32);
                    self.constant(if y < 0.0 { 1.0 / power } else { power })
                }
                0.5 => self.constant(x.sqrt()),
                _ => self.constant(x.powf(y)),
            };
        }
        match self.value(b) {
            Some(0.5) => self.call(Function::Sqrt, a),
            Some(n) if n.fract() == 0.0 && n.abs() <= EXPANDED => {
                let power = self.integer_power(a, n.abs() as u32);
                if n < 0.0 {
                    let one = self.constant(1.0);
                    self.div(one, power)
                } else {
                    power
                }
            }
            _ => self.push(Op::Pair(Binary::Pow, a, b)),
        }
    }

    fn integer_power(&mut self, a: Node, n: u32) -> Node {
        match n {
            0 => self.constant(1.0),
            1 => a,
            n if n % 2 == 0 => {
                let half = self.integer_power(a, n / 2);
                self.mul(half, half)
            }
            n => {
                let less = self.integer_power(a, n - 1);
                self.mul(less, a)
            }
        }
    }

    pub fn call(&mut self, function: Function, a: Node) -> Node {
        if let Some(x) = self.value(a) {
            return self.constant(function.apply(x));
        }
        self.push(Op::Call(function, a))
    }

    pub fn pair(&mut self, binary: Binary, a: Node, b: Node) -> Node {
        match binary {
            Binary::Add => self.add(a, b),
            Binary::Sub => self.sub(a, b),
            Binary::Mul => self.mul(a, b),
            Binary::Div => self.div(a, b),
            Binary::Pow => self.pow(a, b),
            Binary::Gate => self.gate(a, b),
            Binary::And | Binary::Or => self.junction(binary, a, b),
            _ => match (self.value(a), self.value(b)) {
                (Some(x), Some(y)) => self.constant(binary.apply(x, y)),
                _ => self.push(Op::Pair(binary, a, b)),
            },
        }
    }

    /// `and` or `or`, of which one side may decide alone.
    fn junction(&mut self, binary: Binary, a: Node, b: Node) -> Node {
        let known = |node: Node| self.value(node).filter(|x| !x.is_nan()).map(|x| (x != 0.0) == (binary == Binary::Or));
        match (known(a), known(b)) {
            (Some(true), _) | (_, Some(true)) => self.constant(if binary == Binary::Or { 1.0 } else { 0.0 }),
            (Some(false), _) => b,
            (_, Some(false)) => a,
            _ => match (self.value(a), self.value(b)) {
                (Some(x), Some(y)) => self.constant(binary.apply(x, y)),
                _ => self.push(Op::Pair(binary, a, b)),
            },
        }
    }

    /// `then` where a condition holds, else `other`.
    pub fn select(&mut self, condition: Node, then: Node, other: Node) -> Node {
        match self.value(condition) {
            Some(x) if x.is_nan() => condition,
            Some(x) => operation::chosen(x, then, other),
            None if then == other && (self.loose || self.is_tame(condition)) => then,
            None => match self.op(condition) {
                Op::Call(Function::Not, inner) => self.push(Op::Select(inner, other, then)),
                _ => self.push(Op::Select(condition, then, other)),
            },
        }
    }

    pub fn not(&mut self, condition: Node) -> Node {
        match self.op(condition) {
            Op::Call(Function::Not, inner) => inner,
            _ => self.call(Function::Not, condition),
        }
    }

    /// Whether a node is a condition.
    pub fn is_condition(&self, node: Node) -> bool {
        matches!(self.op(node), Op::Call(Function::Not, _))
            || matches!(self.op(node), Op::Pair(binary, ..) if binary.is_condition())
    }

    /// Whether something is evaluated only where a condition holds.
    pub fn is_branched(&self) -> bool {
        self.branched
    }

    /// What was asked of a table; see [`Op::Lookup`].
    pub fn lookup(&mut self, lookup: Lookup, a: Node, b: Node) -> Node {
        let table = &self.tables[lookup.table as usize];
        if let Asked::Derivative(orders) = lookup.asked
            && table.vanishes(orders)
        {
            return self.constant(0.0);
        }
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => {
                let value = table.at(lookup.asked, x, y);
                self.constant(value)
            }
            _ => self.push(Op::Lookup(lookup, a, b)),
        }
    }

    /// `x` where `condition` is not zero, else zero.
    fn gate(&mut self, condition: Node, x: Node) -> Node {
        match (self.value(condition), self.value(x)) {
            (Some(0.0), _) | (_, Some(0.0)) => self.constant(0.0),
            (Some(condition), _) if !condition.is_nan() => x,
            _ => self.push(Op::Pair(Binary::Gate, condition, x)),
        }
    }

    /// The tables that are looked up, each with the nodes of its arguments.
    pub fn lookups(&self) -> impl Iterator<Item = (u32, Node, Node)> {
        // A model without tables need not be searched for them.
        let ops = if self.tables.is_empty() { &[] } else { self.ops.as_slice() };
        ops.iter().filter_map(|op| match op {
            Op::Lookup(Lookup { table, asked: Asked::Derivative(_) }, a, b) => Some((*table, *a, *b)),
            _ => None,
        })
    }

    /// The nodes that a node works on.
    pub fn operands(&self, node: Node) -> impl Iterator<Item = Node> + use<> {
        let operands = match self.op(node) {
            Op::Constant(_) | Op::Input(_) => [None, None, None],
            Op::Neg(a) | Op::Call(_, a) => [Some(a), None, None],
            Op::Lookup(_, a, b) if a == b => [Some(a), None, None],
            Op::Pair(_, a, b) | Op::Lookup(_, a, b) => [Some(a), Some(b), None],
            Op::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        operands.into_iter().flatten()
    }

    /// Everything that some nodes need, themselves included, in the order of evaluation; nothing in an overflown graph.
    pub fn needed(&self, roots: impl IntoIterator<Item = Node>, marks: &mut Marks) -> Vec<Node> {
        let mut found = Vec::new();
        if self.is_overflown() {
            return found;
        }
        marks.renew(self.len());
        let mut stack: Vec<Node> = roots.into_iter().collect();
        while let Some(node) = stack.pop() {
            if marks.mark(node) {
                found.push(node);
                stack.extend(self.operands(node));
            }
        }
        found.sort_unstable();
        self.visits.set(self.visits.get() + found.len());
        found
    }

    /// The inputs that a node depends on.
    pub fn inputs(&self, node: Node, marks: &mut Marks) -> Vec<usize> {
        let input = |node: Node| match self.op(node) {
            Op::Input(index) => Some(index as usize),
            _ => None,
        };
        self.needed([node], marks).into_iter().filter_map(input).collect()
    }
}

/// The products of [`Graph::integer_power`], for a number.
fn power(x: f64, n: u32) -> f64 {
    match n {
        0 => 1.0,
        1 => x,
        n if n % 2 == 0 => {
            let half = power(x, n / 2);
            half * half
        }
        n => power(x, n - 1) * x,
    }
}

/// Whether products with a number are far from the ends of the range of numbers.
fn is_ordinary(x: f64) -> bool {
    (1e-100..1e100).contains(&x.abs())
}
