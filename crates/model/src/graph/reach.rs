//! How large a node can be: whether it is finite for all arguments that are.

use super::{Binary, Function, Op};

/// The power of two that numbers are below.
const LARGEST: i32 = 1024;

/// |node| < 2^bits for all finite arguments; none if it may be infinite, or not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach(Option<i32>);

impl Reach {
    pub fn is_finite(self) -> bool {
        self.0.is_some()
    }

    /// The reach of an operation on nodes whose reaches are known.
    pub fn of(op: Op, known: &[Reach]) -> Reach {
        let at = |node: super::Node| known[node.index()].0;
        let both = |a, b, join: fn(i32, i32) -> i32| Some(join(at(a)?, at(b)?));
        let bits = match op {
            Op::Constant(bits) => match f64::from_bits(bits) {
                x if x.is_finite() => Some(x.abs().log2().ceil().max(0.0) as i32),
                _ => None,
            },
            Op::Input(_) => Some(LARGEST),
            Op::Neg(a) => at(a),
            Op::Call(Function::Abs | Function::Floor | Function::Ceil | Function::Round, a) => at(a),
            Op::Call(function, a) if is_at_most_one(function) => at(a).map(|_| 0),
            Op::Call(Function::Atan, a) => at(a).map(|_| 1),
            Op::Pair(Binary::Add | Binary::Sub, a, b) => both(a, b, |a, b| a.max(b) + 1),
            Op::Pair(Binary::Mul, a, b) => both(a, b, |a, b| a + b),
            Op::Pair(Binary::Min | Binary::Max, a, b) => both(a, b, i32::max),
            Op::Pair(Binary::Gate, a, b) => both(a, b, |_, b| b),
            Op::Pair(Binary::Atan2, a, b) => both(a, b, |_, _| 2),
            Op::Pair(Binary::Hypot, a, b) => both(a, b, |a, b| a.max(b) + 1),
            Op::Pair(condition, a, b) if condition.is_condition() => both(a, b, |_, _| 0),
            Op::Select(condition, a, b) => at(condition).and_then(|_| both(a, b, i32::max)),
            Op::Call(..) | Op::Pair(..) | Op::Lookup(..) => None,
        };
        Reach(bits.filter(|bits| *bits <= LARGEST))
    }
}

/// Whether values lie in [-1, 1].
fn is_at_most_one(function: Function) -> bool {
    use Function::{Cos, Not, Saturate, Sign, Sin, Step, Tanh, Within};
    matches!(function, Sin | Cos | Tanh | Sign | Step | Saturate | Within | Not)
}

#[cfg(test)]
mod tests {
    use super::super::Graph;
    use super::*;

    #[test]
    fn what_may_be_infinite_is_not_tame() {
        let mut graph = Graph::default();
        let (x, y) = (graph.input(1), graph.input(2));
        let [sine, cosine] = [Function::Sin, Function::Cos].map(|function| graph.call(function, x));
        let product = graph.mul(sine, cosine);
        let sum = graph.add(product, sine);
        let larger = graph.pair(Binary::Max, sum, y);
        assert!([x, sine, product, sum, larger].into_iter().all(|node| graph.is_tame(node)));
        let quotient = graph.div(x, y);
        let root = graph.call(Function::Sqrt, x);
        let sine_of_quotient = graph.call(Function::Sin, quotient);
        // Sums and products of large numbers overflow.
        let [sum, product] = [Binary::Add, Binary::Mul].map(|pair| graph.pair(pair, x, y));
        assert!(![quotient, root, sine_of_quotient, sum, product].into_iter().any(|node| graph.is_tame(node)));
    }
}
