//! A tape run on increments: how much its outputs change between two points, with all digits however close these are.
//!
//! Functions that [`Increment`] does not know come from addition theorems as well:
//!
//! ```text
//! d asin x = asin(d r - x dr),  r = sqrt(1 - x^2)     d atan2(y, x) = atan2(x dy - y dx, x x1 + y y1)
//! d sinh x = 2 cosh(x + d/2) sinh(d/2)                d a^b = a^b (e^(d(b ln a)) - 1)
//! ```

use std::sync::Arc;

use alembert::Scalar;
use alembert::scalar::Increment;

use super::{Arguments, Code, Layout, Operands, Registers, Tape};
use crate::graph::{Binary, Function, select};
use crate::table::{Lookup, Table};

/// Largest argument of an inverse sine that is taken for a small difference of angles.
const SMALL: f64 = 0.5;

impl Tape {
    /// Outputs at (t + dt, q + dq) less those at (t, q); entries that are constantly zero are not touched. For tapes of t and q, with
    /// registers that nothing else uses.
    pub fn change(&self, at: Arguments, (dt, dq): (f64, &[f64]), registers: &mut Registers, out: &mut [f64]) {
        if self.stores.is_empty() {
            return;
        }
        self.prepare_changes(registers);
        let r = registers.increments.as_mut_slice();
        r[Layout::T] = Increment { x: at.t, d: dt };
        let (start, count) = self.loads[0];
        for ((register, &x), &d) in r[start..start + count].iter_mut().zip(at.q).zip(dq) {
            *register = Increment { x, d };
        }
        let mut rest_of = self.operands.as_slice();
        let mut to = self.first;
        for &(code, count) in &self.runs {
            let (run, after) = rest_of.split_at(count as usize);
            rest_of = after;
            for operands in run {
                to = evaluate(code, operands, &self.tables, r, to);
            }
        }
        for &(entry, register) in &self.stores {
            out[entry as usize] = r[register as usize].d;
        }
    }

    /// Fills registers for changes, where they are not.
    pub fn prepare_changes(&self, registers: &mut Registers) {
        let Registers { increments, of, .. } = registers;
        if *of != self.id {
            *of = self.id;
            increments.clear();
            increments.extend(self.image.iter().map(|x| Increment::from(*x)));
            increments.resize(self.count, Increment::default());
        }
    }
}

/// One instruction; returns the next register.
fn evaluate(code: Code, o: &Operands, tables: &[Arc<Table>], r: &mut [Increment], to: usize) -> usize {
    let at = |register: u32| r[register as usize];
    r[to] = match code {
        Code::Mul => at(o.a) * at(o.b),
        Code::MulAdd => at(o.a) * at(o.b) + at(o.c),
        Code::MulSub => at(o.a) * at(o.b) - at(o.c),
        Code::SubMul => at(o.c) - at(o.a) * at(o.b),
        Code::Add => at(o.a) + at(o.b),
        Code::Sub => at(o.a) - at(o.b),
        Code::Div => at(o.a) / at(o.b),
        Code::Neg => -at(o.a),
        Code::SinCos => {
            let (sin, cos) = at(o.a).sin_cos();
            r[to] = sin;
            r[to + 1] = cos;
            return to + 2;
        }
        Code::Call(function) => call(function, at(o.a)),
        Code::Pair(binary) => pair(binary, at(o.a), at(o.b)),
        Code::Select => selected(at(o.a), at(o.b), at(o.c)),
        // Both branches are evaluated: the two ends may lie in different ones.
        Code::Skip(_) => return to,
        Code::Lookup(Lookup { table, asked }) => tables[table as usize].change(asked, at(o.a), at(o.b)),
    };
    to + 1
}

fn call(function: Function, x: Increment) -> Increment {
    let value = function.apply(x.x);
    let with = |d: f64| Increment { x: value, d };
    let half = 0.5 * x.d;
    match function {
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::Tan => x.tan(),
        Function::Atan => x.atan(),
        Function::Tanh => x.tanh(),
        Function::Exp => x.exp(),
        Function::Log => x.ln(),
        Function::Sqrt => x.sqrt(),
        Function::Abs => x.abs(),
        Function::Sinh => with(2.0 * (x.x + half).cosh() * half.sinh()),
        Function::Cosh => with(2.0 * (x.x + half).sinh() * half.sinh()),
        Function::Asin | Function::Acos => {
            let r = ((x * x) * -1.0 + 1.0).sqrt();
            let sine = x.d * r.x - x.x * r.d;
            let sign = if function == Function::Asin { 1.0 } else { -1.0 };
            // Differences near a right angle are ambiguous, and an end outside [-1, 1] has no angle.
            if sine.abs() < SMALL { with(sign * sine.asin()) } else { plain(function, x) }
        }
        // Between its ends as its argument; else the difference of two.
        Function::Saturate if [x.x, x.value()].iter().all(|x| (0.0..=1.0).contains(x)) => with(x.d),
        _ => plain(function, x),
    }
}

/// The difference of two values.
fn plain(function: Function, x: Increment) -> Increment {
    let value = function.apply(x.x);
    Increment { x: value, d: function.apply(x.x + x.d) - value }
}

fn pair(binary: Binary, a: Increment, b: Increment) -> Increment {
    let (x, end) = (binary.apply(a.x, b.x), binary.apply(a.value(), b.value()));
    let d = match binary {
        Binary::Add => return a + b,
        Binary::Sub => return a - b,
        Binary::Mul => return a * b,
        Binary::Div => return a / b,
        Binary::Pow if a.x > 0.0 && a.value() > 0.0 => x * (a.ln() * b).d.exp_m1(),
        Binary::Atan2 => (b.x * a.d - a.x * b.d).atan2(a.x * a.value() + b.x * b.value()),
        // The same one at both ends, or the difference of two.
        Binary::Min | Binary::Max if x == a.x && end == a.value() => a.d,
        Binary::Min | Binary::Max if x == b.x && end == b.value() => b.d,
        Binary::Gate if a.x != 0.0 && a.value() != 0.0 => b.d,
        // sqrt(y) - sqrt(x) = (y - x)/(sqrt(y) + sqrt(x))
        Binary::Hypot if x + end > 0.0 && (x + end).is_finite() => {
            (a.x + a.value()) / (x + end) * a.d + (b.x + b.value()) / (x + end) * b.d
        }
        // The same whole number of periods at both ends.
        Binary::Mod if b.d == 0.0 && ((a.x - x) / b.x).round() == ((a.value() - end) / b.x).round() => a.d,
        _ => end - x,
    };
    Increment { x, d }
}

/// One of two, or the difference of both where the condition changes.
fn selected(condition: Increment, then: Increment, other: Increment) -> Increment {
    let x = select(condition.x, then.x, other.x);
    let d = match (condition.x, condition.value()) {
        (from, to) if from.is_nan() || to.is_nan() => f64::NAN,
        (0.0, 0.0) => other.d,
        (from, to) if from != 0.0 && to != 0.0 => then.d,
        (_, to) => select(to, then.value(), other.value()) - x,
    };
    Increment { x, d }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUNCTIONS: [Function; 21] = [
        Function::Sin,
        Function::Cos,
        Function::Tan,
        Function::Asin,
        Function::Acos,
        Function::Atan,
        Function::Sinh,
        Function::Cosh,
        Function::Tanh,
        Function::Exp,
        Function::Log,
        Function::Sqrt,
        Function::Abs,
        Function::Sign,
        Function::Step,
        Function::Floor,
        Function::Ceil,
        Function::Round,
        Function::Saturate,
        Function::Within,
        Function::Not,
    ];
    const PAIRS: [Binary; 16] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::Div,
        Binary::Pow,
        Binary::Atan2,
        Binary::Min,
        Binary::Max,
        Binary::Gate,
        Binary::Mod,
        Binary::Hypot,
        Binary::Less,
        Binary::LessEqual,
        Binary::Equal,
        Binary::And,
        Binary::Or,
    ];

    #[test]
    fn large_changes_are_those_of_the_values() {
        for (x, d) in [(0.2, 0.3), (-0.5, 0.9), (0.99, -1.9), (0.4, -0.4), (2.0, 1.0)] {
            for function in FUNCTIONS {
                let change = call(function, Increment { x, d }).d;
                let expected = function.apply(x + d) - function.apply(x);
                let same =
                    change == expected || (change - expected).abs() <= 1e-14 || (change.is_nan() && expected.is_nan());
                assert!(same, "{function:?} from {x} by {d}: {change} {expected}");
            }
            for binary in PAIRS {
                let (y, dy) = (0.7, -0.2);
                let change = pair(binary, Increment { x, d }, Increment { x: y, d: dy }).d;
                let expected = binary.apply(x + d, y + dy) - binary.apply(x, y);
                let same =
                    change == expected || (change - expected).abs() <= 1e-14 || (change.is_nan() && expected.is_nan());
                assert!(same, "{binary:?} from {x} by {d}: {change} {expected}");
            }
        }
    }

    #[test]
    fn small_changes_keep_their_digits() {
        // Half the change of the argument gives half the change of the value, up to its own size; a difference of values would be off by
        // eps/d.
        let d = 1e-10;
        for x in [0.3, 0.9] {
            for function in FUNCTIONS {
                let [whole, half] = [d, 0.5 * d].map(|d| call(function, Increment { x, d }).d);
                assert!((whole - 2.0 * half).abs() <= 1e-9 * whole.abs(), "{function:?}: {whole:e} {half:e}");
            }
            for binary in PAIRS {
                let at = |d: f64| pair(binary, Increment { x, d }, Increment { x: 0.8, d: -0.3 * d }).d;
                let (whole, half) = (at(d), at(0.5 * d));
                assert!((whole - 2.0 * half).abs() <= 1e-8 * whole.abs(), "{binary:?}: {whole:e} {half:e}");
            }
        }
    }
}
