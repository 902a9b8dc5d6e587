//! The functions of formulas: one table, from which calls are checked and the reference is made.

use crate::graph::{Binary, Function};

/// What a function does with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    One(Function),
    /// Two, or more from the left.
    Pair(Binary),
    If,
    Der,
    Clamp,
    Step,
    Smoothstep,
    Dot,
    Cross,
    Norm,
    Rotate,
    Rotation,
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub name: &'static str,
    /// Names of the arguments.
    pub arguments: &'static str,
    pub says: &'static str,
    pub builtin: Builtin,
    /// Whether files of the first day knew it: its name cannot be given to anything else.
    pub reserved: bool,
}

impl Entry {
    pub fn count(&self) -> usize {
        self.arguments.split(',').count()
    }

    /// Whether there may be more arguments than are named.
    pub fn is_open(&self) -> bool {
        self.arguments.ends_with('…')
    }
}

const fn old(name: &'static str, arguments: &'static str, says: &'static str, builtin: Builtin) -> Entry {
    Entry { name, arguments, says, builtin, reserved: true }
}

const fn new(name: &'static str, arguments: &'static str, says: &'static str, builtin: Builtin) -> Entry {
    Entry { name, arguments, says, builtin, reserved: false }
}

/// Every function but `sum`.
pub(crate) const FUNCTIONS: &[Entry] = &[
    old("sin", "x", "sine", Builtin::One(Function::Sin)),
    old("cos", "x", "cosine", Builtin::One(Function::Cos)),
    old("tan", "x", "tangent", Builtin::One(Function::Tan)),
    old("asin", "x", "angle in [-pi/2, pi/2]", Builtin::One(Function::Asin)),
    old("acos", "x", "angle in [0, pi]", Builtin::One(Function::Acos)),
    old("atan", "x", "angle in [-pi/2, pi/2]", Builtin::One(Function::Atan)),
    old("atan2", "y, x", "angle of the point (x, y), in [-pi, pi]", Builtin::Pair(Binary::Atan2)),
    old("sinh", "x", "hyperbolic sine", Builtin::One(Function::Sinh)),
    old("cosh", "x", "hyperbolic cosine", Builtin::One(Function::Cosh)),
    old("tanh", "x", "hyperbolic tangent", Builtin::One(Function::Tanh)),
    old("exp", "x", "exponential function", Builtin::One(Function::Exp)),
    old("log", "x", "natural logarithm", Builtin::One(Function::Log)),
    old("sqrt", "x", "square root", Builtin::One(Function::Sqrt)),
    new("hypot", "x, y", "sqrt(x^2 + y^2) without overflow", Builtin::Pair(Binary::Hypot)),
    old("abs", "x", "magnitude", Builtin::One(Function::Abs)),
    old("sign", "x", "-1, 0 or 1", Builtin::One(Function::Sign)),
    old("min", "x, y, …", "the smallest", Builtin::Pair(Binary::Min)),
    old("max", "x, y, …", "the largest", Builtin::Pair(Binary::Max)),
    new("clamp", "x, lo, hi", "min(max(x, lo), hi)", Builtin::Clamp),
    new("floor", "x", "the largest whole number that is not above x", Builtin::One(Function::Floor)),
    new("ceil", "x", "the smallest whole number that is not below x", Builtin::One(Function::Ceil)),
    new("round", "x", "the nearest whole number; halves go away from zero", Builtin::One(Function::Round)),
    new("mod", "x, y", "x less a whole multiple of y, between 0 and y: x - y*floor(x/y)", Builtin::Pair(Binary::Mod)),
    new(
        "step",
        "x, width",
        "0 up to x = 0, 1 from x = width on, s^3*(10 - 15*s + 6*s^2) with s = x/width between: two continuous derivatives",
        Builtin::Step,
    ),
    new(
        "smoothstep",
        "x, lo, hi",
        "0 up to lo, 1 from hi on, s^2*(3 - 2*s) with s = (x - lo)/(hi - lo) between: one continuous derivative",
        Builtin::Smoothstep,
    ),
    new("if", "condition, a, b", "a where the condition holds, else b; the other one is not evaluated", Builtin::If),
    new("der", "x", "the rate of x in time, exactly", Builtin::Der),
    new("dot", "a, b", "scalar product of triples", Builtin::Dot),
    new("cross", "a, b", "vector product of triples", Builtin::Cross),
    new("norm", "a", "length of a triple", Builtin::Norm),
    new(
        "rotate",
        "axis, angle, a",
        "the triple a turned about an axis, which need not have length 1 (Rodrigues)",
        Builtin::Rotate,
    ),
    new(
        "rotation",
        "axis, angle",
        "the rotation by an angle about an axis, which need not have length 1: rotation(k, phi)*a is rotate(k, phi, a)",
        Builtin::Rotation,
    ),
];

/// The function of a name.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    FUNCTIONS.iter().find(|entry| entry.name == name)
}

/// Whether a name is that of a function.
pub(crate) fn is_function(name: &str) -> bool {
    name == "sum" || find(name).is_some()
}

/// The names of all functions.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|entry| entry.name).chain(["sum"])
}
