//! Formulas: text to a tree.
//!
//! ```text
//! formula  = either { "for" name "in" sum ".." sum }
//! either   = both { "or" both }
//! both     = negation { "and" negation }
//! negation = "not" negation | sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//! sum      = term { ("+" | "-") term }
//! term     = unary { ("*" | "/") unary }
//! unary    = ("-" | "+") unary | power
//! power    = part [ "^" unary ]                      so -x^2 = -(x^2) and 2^-1 = 1/2
//! part     = atom { "." ("x" | "y" | "z" | name) { "'" } }         a name is a part of a rotation, as R.omega
//! atom     = number | name [ "[" sum "]" ] { "'" } | name "(" arguments ")" | "(" either ")"
//!          | "[" either "," either "," either "]" | "sum" "(" either "for" name "in" sum ".." sum ")"
//! ```
//!
//! `and`, `or` and `not` are words only where an operator can stand; elsewhere they are names like others. Long chains of operators are one node with many parts, so the depth of a tree is bounded by its brackets.

mod parser;
mod slip;
mod spacing;
mod token;

use std::rc::Rc;

pub(crate) use parser::{Declaration, parse, parse_declaration, parse_signature};
pub(crate) use slip::{superscript, word as slip_of};
pub(crate) use spacing::{same_formula, spaced};

use crate::text::Span;

/// Longest formula, in bytes.
pub(crate) const LONGEST: usize = 100_000;
/// Deepest nesting of brackets, signs and powers.
pub(crate) const DEEPEST: usize = 64;

/// Where the text of a formula is in its file: a base to count from, or only the whole string if it contains escapes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub base: Option<usize>,
    pub whole: Span,
}

impl Place {
    pub fn span(&self, start: usize, end: usize) -> Span {
        match self.base {
            Some(base) => Span { start: base + start, end: base + end },
            None => self.whole,
        }
    }
}

/// A node of the tree, with its place in the file.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub kind: Kind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Number(f64),
    /// `name[index]'`
    Name {
        name: String,
        index: Option<Box<Expr>>,
        primes: usize,
    },
    Negative(Box<Expr>),
    /// Terms, each with whether it is subtracted.
    Sum(Vec<(bool, Expr)>),
    /// Factors, each with whether it divides.
    Product(Vec<(bool, Expr)>),
    Power(Box<Expr>, Box<Expr>),
    Compare(Comparison, Box<[Expr; 2]>),
    /// All of these, joined by `and`.
    All(Vec<Expr>),
    /// One of these at least, joined by `or`.
    Any(Vec<Expr>),
    Not(Box<Expr>),
    Triple(Box<[Expr; 3]>),
    /// `.x`, `.y` or `.z` of a triple, with primes.
    Component {
        of: Box<Expr>,
        axis: usize,
        primes: usize,
    },
    /// A part of a rotation by its name, as `.omega`, with primes.
    Field {
        of: Box<Expr>,
        field: String,
        /// Where its name stands.
        at: Span,
        primes: usize,
    },
    Call {
        name: String,
        arguments: Vec<Expr>,
    },
    Repeated {
        body: Box<Expr>,
        clause: Box<Clause>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
}

impl Comparison {
    pub const ALL: [(&'static str, Comparison); 6] = [
        ("<=", Comparison::LessEqual),
        (">=", Comparison::GreaterEqual),
        ("==", Comparison::Equal),
        ("!=", Comparison::Unequal),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
    ];

    pub fn word(self) -> &'static str {
        Comparison::ALL.iter().find(|(_, known)| *known == self).map_or("", |(word, _)| word)
    }
}

/// Components of a triple.
pub(crate) const AXES: [&str; 3] = ["x", "y", "z"];

/// `for variable in from..to`, both ends included.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub variable: String,
    pub from: Expr,
    pub to: Expr,
    pub span: Span,
}

/// A formula, possibly one for each value of some indices.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub body: Rc<Expr>,
    /// Outermost first.
    pub clauses: Vec<Clause>,
}

/// What is wrong with a formula.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    pub span: Span,
    pub message: String,
    pub hint: Option<String>,
}
