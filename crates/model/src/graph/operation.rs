//! What a node can do with its operands, and the values of that.

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
    Floor,
    Ceil,
    /// To the nearest whole number; halves away from zero.
    Round,
    /// The nearest number in [0, 1]: what smooth steps are polynomials of.
    Saturate,
    /// 1 in [0, 1], else 0: the derivative of that.
    Within,
    /// Of a condition: 1 for 0, else 0.
    Not,
}

impl Function {
    /// Whether it takes much longer than a product.
    pub fn is_transcendental(self) -> bool {
        use Function::{Abs, Ceil, Floor, Not, Round, Saturate, Sign, Sqrt, Step, Within};
        !matches!(self, Abs | Ceil | Floor | Not | Round | Saturate | Sign | Sqrt | Step | Within)
    }

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
            Function::Floor => x.floor(),
            Function::Ceil => x.ceil(),
            Function::Round => x.round(),
            Function::Saturate => x.clamp(0.0, 1.0),
            Function::Step | Function::Within | Function::Not if x.is_nan() => x,
            Function::Step => truth(x >= 0.0),
            Function::Within => truth((0.0..=1.0).contains(&x)),
            Function::Not => truth(x == 0.0),
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
    /// The second where the first is not zero, else zero, even if the second is infinite there: derivatives at kinks.
    Gate,
    /// What is left of the first, with the sign of the second.
    Mod,
    Hypot,
    /// Conditions are 1 or 0, or not a number where an operand is not.
    Less,
    LessEqual,
    Equal,
    /// Of conditions, by Kleene: 0 if one of them is, whatever the other.
    And,
    /// The same: 1 if one of them is not 0.
    Or,
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
            Binary::Gate if a == 0.0 => 0.0,
            Binary::Gate if a.is_nan() => a,
            Binary::Gate => b,
            Binary::Mod => {
                let rest = a % b;
                if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
            }
            Binary::And if a == 0.0 || b == 0.0 => 0.0,
            Binary::Or if is_true(a) || is_true(b) => 1.0,
            // The others, hypot(inf, NaN) among them.
            _ if a.is_nan() => a,
            _ if b.is_nan() => b,
            Binary::Hypot => a.hypot(b),
            Binary::Less => truth(a < b),
            Binary::LessEqual => truth(a <= b),
            Binary::Equal => truth(a == b),
            Binary::And => 1.0,
            Binary::Or => 0.0,
        }
    }

    /// Whether it makes a condition.
    pub fn is_condition(self) -> bool {
        matches!(self, Binary::Less | Binary::LessEqual | Binary::Equal | Binary::And | Binary::Or)
    }
}

/// `then` where a condition holds, `other` where it does not, and no number where nobody knows.
pub(crate) fn select(condition: f64, then: f64, other: f64) -> f64 {
    if condition.is_nan() { condition } else { chosen(condition, then, other) }
}

/// The same for a condition that has a value.
pub(super) fn chosen<T>(condition: f64, then: T, other: T) -> T {
    if condition == 0.0 { other } else { then }
}

fn truth(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// Whether a condition is known to hold.
fn is_true(condition: f64) -> bool {
    condition != 0.0 && !condition.is_nan()
}
