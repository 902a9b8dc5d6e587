//! How large a node can be: whether it is finite for all arguments of ordinary size.

use super::{Binary, Function, Op};

/// A power of two that arguments are assumed not to exceed: 1e30.
const ARGUMENT: i32 = 100;
/// The largest power of two that a number can be, with some room for rounding.
const LARGEST: i32 = 1000;

/// |node| <= 2^bits for arguments up to 2^[`ARGUMENT`]; none if it may be infinite, or not a number.
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
            Op::Input(_) => Some(ARGUMENT),
            Op::Neg(a) | Op::Call(Function::Abs, a) => at(a),
            Op::Call(Function::Sin | Function::Cos | Function::Tanh | Function::Sign | Function::Step, a) => {
                at(a).map(|_| 0)
            }
            Op::Call(Function::Atan, a) => at(a).map(|_| 1),
            Op::Pair(Binary::Add | Binary::Sub, a, b) => both(a, b, |a, b| a.max(b) + 1),
            Op::Pair(Binary::Mul, a, b) => both(a, b, |a, b| a + b),
            Op::Pair(Binary::Min | Binary::Max, a, b) => both(a, b, i32::max),
            Op::Pair(Binary::Gate, a, b) => both(a, b, |_, b| b),
            Op::Pair(Binary::Atan2, a, b) => both(a, b, |_, _| 2),
            Op::Call(..) | Op::Pair(Binary::Div | Binary::Pow, ..) | Op::Lookup(..) => None,
        };
        Reach(bits.filter(|bits| *bits <= LARGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Graph;
    use super::*;

    #[test]
    fn polynomials_are_finite_and_quotients_may_not_be() {
        let mut graph = Graph::default();
        let (x, y) = (graph.input(1), graph.input(2));
        let product = graph.mul(x, y);
        let sum = graph.add(product, x);
        let sine = graph.call(Function::Sin, sum);
        assert!(graph.is_tame(sine));
        let quotient = graph.div(x, y);
        let root = graph.call(Function::Sqrt, x);
        let sine_of_quotient = graph.call(Function::Sin, quotient);
        assert!(![quotient, root, sine_of_quotient].into_iter().any(|node| graph.is_tame(node)));
        // Products of many large factors overflow.
        let huge = graph.constant(1e300);
        let large = graph.mul(huge, product);
        assert!(graph.is_tame(product) && !graph.is_tame(large));
    }
}
