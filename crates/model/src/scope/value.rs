//! What a formula is: a number, a condition, a triple of numbers or a rotation.
//!
//! The graph has nodes only; kinds are kept apart here, so that a condition is never taken for a number.

use super::Scope;
use crate::graph::{Binary, Node};
use crate::text::Span;

/// A formula as nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Number(Node),
    /// 1 or 0.
    Condition(Node),
    Triple([Node; 3]),
    /// A rotation by its number.
    Rotation(usize),
    /// A part of a mechanism by its number.
    Part(usize),
    /// The force or torque of a joint: a triple, or its length where a number is expected.
    Reaction([Node; 3]),
}

impl Value {
    /// What it is, in words.
    pub fn kind(self) -> &'static str {
        match self {
            Value::Number(_) => "a number",
            Value::Condition(_) => "a condition",
            Value::Triple(_) => "a triple",
            Value::Rotation(_) => "a rotation",
            Value::Part(_) => "a part of the mechanism",
            Value::Reaction(_) => "a reaction",
        }
    }
}

impl Scope<'_> {
    fn wrong_kind(&mut self, value: Value, expected: &str, hint: &str, span: Span) {
        let message = format!("{} stands where {expected} is expected", value.kind());
        self.mistakes.add(span, message, Some(hint.to_owned()));
    }

    pub fn number(&mut self, value: Value, span: Span) -> Option<Node> {
        let hint = match value {
            Value::Number(node) => return Some(node),
            Value::Reaction(nodes) => return Some(self.length_of(nodes)),
            Value::Part(_) => "say what of it is meant, as crank.x, hinge.angle or hinge.force",
            Value::Condition(_) => "write if(condition, 1, 0)",
            Value::Triple(_) => {
                "take a component, as r.x, or the length norm(r); lists have one formula for each component"
            }
            Value::Rotation(_) => {
                "a rotation turns triples: R*[a, b, c]; its angular velocity is R.omega, its quaternion R.e0, R.e1, R.e2, R.e3"
            }
        };
        self.wrong_kind(value, "a number", hint, span);
        None
    }

    pub fn condition(&mut self, value: Value, span: Span) -> Option<Node> {
        if let Value::Condition(node) = value {
            return Some(node);
        }
        self.wrong_kind(value, "a condition", "compare something, as x > 0", span);
        None
    }

    pub fn triple(&mut self, value: Value, span: Span) -> Option<[Node; 3]> {
        if let Value::Triple(nodes) | Value::Reaction(nodes) = value {
            return Some(nodes);
        }
        let hint = match value {
            Value::Part(_) => "say what of it is meant, as crank.position or hinge.force",
            Value::Rotation(_) => "a rotation turns triples: R*[a, b, c]; its angular velocity is the triple R.omega",
            _ => "write [a, b, c]",
        };
        self.wrong_kind(value, "a triple", hint, span);
        None
    }

    /// A sum, difference, product or quotient.
    pub fn combined(&mut self, binary: Binary, a: Value, b: Value, span: Span) -> Option<Value> {
        use Binary::{Add, Div, Mul, Sub};
        use Value::{Condition, Number, Triple};
        if let (Value::Part(_) | Value::Reaction(_), _) | (_, Value::Part(_) | Value::Reaction(_)) = (a, b) {
            let of = |scope: &mut Self, value: Value| match value {
                Value::Part(_) | Value::Reaction(_) => scope.number(value, span).map(Number),
                other => Some(other),
            };
            let (a, b) = (of(self, a), of(self, b));
            return self.combined(binary, a?, b?, span);
        }
        let (message, hint) = match (binary, a, b) {
            (_, Number(a), Number(b)) => return Some(Number(self.graph.pair(binary, a, b))),
            (Add | Sub, Triple(a), Triple(b)) => return Some(Triple(self.by_component(binary, a, b))),
            (Mul, Number(a), Triple(b)) => return Some(Triple(b.map(|b| self.graph.mul(a, b)))),
            (Mul | Div, Triple(a), Number(b)) => return Some(Triple(a.map(|a| self.graph.pair(binary, a, b)))),
            (_, condition @ Condition(_), _) | (_, _, condition @ Condition(_)) => {
                self.number(condition, span)?;
                return None;
            }
            (_, Value::Rotation(_), _) | (_, _, Value::Rotation(_)) => {
                return self.combined_rotation(binary, a, b, span);
            }
            (Mul, Triple(_), Triple(_)) => {
                ("triples have two products", "write dot(a, b) for a number or cross(a, b) for a triple")
            }
            (Div, _, Triple(_)) => {
                ("nothing can be divided by a triple", "divide by its length norm(r), or by a component")
            }
            _ => {
                ("a number and a triple cannot be added", "write [a, b, c] for the number, or take a component, as r.x")
            }
        };
        self.mistakes.add(span, message.to_owned(), Some(hint.to_owned()));
        None
    }

    pub fn by_component(&mut self, binary: Binary, a: [Node; 3], b: [Node; 3]) -> [Node; 3] {
        [0, 1, 2].map(|i| self.graph.pair(binary, a[i], b[i]))
    }

    pub fn scaled(&mut self, factor: Node, a: [Node; 3]) -> [Node; 3] {
        a.map(|a| self.graph.mul(factor, a))
    }

    pub fn dot(&mut self, a: [Node; 3], b: [Node; 3]) -> Node {
        let [x, y, z] = [0, 1, 2].map(|i| self.graph.mul(a[i], b[i]));
        let sum = self.graph.add(x, y);
        self.graph.add(sum, z)
    }

    pub fn cross(&mut self, a: [Node; 3], b: [Node; 3]) -> [Node; 3] {
        [(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
            let (plus, minus) = (self.graph.mul(a[i], b[j]), self.graph.mul(a[j], b[i]));
            self.graph.sub(plus, minus)
        })
    }
}
