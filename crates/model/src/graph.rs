//! Expressions as a graph in which everything stands once.
//!
//! A node is an operation on earlier nodes, so the order of the nodes is an order of evaluation. Equal operations are the
//! same node (common subexpressions), constants are folded, and the simplifications that derivatives need (0 x, 1 x, x + 0,
//! signs) are made when a node is asked for. Integer powers up to [`EXPANDED`] are products.

mod derivative;

use std::cell::Cell;
use std::collections::HashMap;

pub(crate) use derivative::Derivatives;

/// Largest integer exponent that becomes a product.
const EXPANDED: f64 = 64.0;
/// Largest number of nodes: about 200 MB.
const MOST: usize = 2_000_000;
/// The largest number of nodes that are visited to make derivatives and tapes: a few seconds.
const MOST_VISITS: usize = 100_000_000;

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Node(u32);

impl Node {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Functions of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Log,
    Sqrt,
    Abs,
    /// -1, 0 or 1.
    Sign,
    /// 1 from zero on, else 0: the derivative of `max`.
    Step,
}

impl Function {
    pub fn apply(self, x: f64) -> f64 {
        match self {
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Tan => x.tan(),
            Function::Asin => x.asin(),
            Function::Acos => x.acos(),
            Function::Atan => x.atan(),
            Function::Sinh => x.sinh(),
            Function::Cosh => x.cosh(),
            Function::Tanh => x.tanh(),
            Function::Exp => x.exp(),
            Function::Log => x.ln(),
            Function::Sqrt => x.sqrt(),
            Function::Abs => x.abs(),
            Function::Sign if x == 0.0 => 0.0,
            Function::Sign => x.signum(),
            Function::Step if x.is_nan() => x,
            Function::Step => f64::from(u8::from(x >= 0.0)),
        }
    }
}

/// Operations of two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Atan2,
    Min,
    Max,
}

impl Binary {
    /// NaN in either argument gives NaN, in `min` and `max` too.
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            Binary::Pow => a.powf(b),
            Binary::Atan2 => a.atan2(b),
            Binary::Min if a <= b => a,
            Binary::Max if a >= b => a,
            Binary::Min | Binary::Max if a.is_nan() => a,
            Binary::Min | Binary::Max => b,
        }
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
}

/// Operations, each on earlier ones.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    ops: Vec<Op>,
    known: HashMap<Op, Node>,
    overflown: bool,
    visits: Cell<usize>,
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
        self.known.insert(op, node);
        node
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
        if a == b {
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
            (Some(0.0), _) => return a,
            (Some(1.0), _) => return b,
            (Some(-1.0), _) => return self.neg(b),
            (Some(x), None) => {
                // c (d y) = (c d) y
                if let Op::Pair(Binary::Mul, c, y) = self.op(b)
                    && let Some(c) = self.value(c)
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
            (Some(0.0), _) => return a,
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
                y if y.fract() == 0.0 && y.abs() <= EXPANDED => self.constant(x.powi(y as i32)),
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
            Binary::Atan2 | Binary::Min | Binary::Max => match (self.value(a), self.value(b)) {
                (Some(x), Some(y)) => self.constant(binary.apply(x, y)),
                _ => self.push(Op::Pair(binary, a, b)),
            },
        }
    }

    /// The nodes that a node works on.
    pub fn operands(&self, node: Node) -> impl Iterator<Item = Node> + use<> {
        let (first, second) = match self.op(node) {
            Op::Constant(_) | Op::Input(_) => (None, None),
            Op::Neg(a) | Op::Call(_, a) => (Some(a), None),
            Op::Pair(_, a, b) => (Some(a), Some(b)),
        };
        first.into_iter().chain(second)
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

/// Which nodes were seen; forgetting costs nothing.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    seen: Vec<u32>,
    round: u32,
}

impl Marks {
    fn renew(&mut self, len: usize) {
        if self.seen.len() < len {
            self.seen.resize(len, 0);
        }
        self.round += 1;
    }

    /// Marks a node; says whether it was new.
    fn mark(&mut self, node: Node) -> bool {
        std::mem::replace(&mut self.seen[node.index()], self.round) != self.round
    }
}
