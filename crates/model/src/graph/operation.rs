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
    /// The second where the first is not zero, else zero, even if the second is infinite there: derivatives at kinks.
    Gate,
}

impl Binary {
    /// NaN in either argument gives NaN, in `min` and `max` too. Zero has no sign, for simplifications do not keep it: -0 + 0 is 0.
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / (b + 0.0),
            Binary::Pow => (a + 0.0).powf(b),
            Binary::Atan2 => (a + 0.0).atan2(b + 0.0),
            Binary::Min if a <= b => a,
            Binary::Max if a >= b => a,
            Binary::Min | Binary::Max if a.is_nan() => a,
            Binary::Min | Binary::Max => b,
            Binary::Gate if a == 0.0 => 0.0,
            Binary::Gate if a.is_nan() => a,
            Binary::Gate => b,
        }
    }
}
