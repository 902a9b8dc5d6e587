//! Rotations in formulas: coordinates `R : rotation`, turns about given axes, products and inverses of them.
//!
//! ```text
//! R*[a, b, c]     body components to space components          R^-1*[a, b, c]     and back
//! R*S             S first, then R                              rotation(axis, angle)
//! R.omega         angular velocity in the axes of the body; R*R.omega has it in space
//! omega of R S    S^-1 omega_R + omega_S                       omega of R^-1      -R omega_R
//! omega of a turn by angle about a fixed unit axis k           angle' k
//!         else    2 (p^-1 p')                                  p its quaternion
//! ```
//!
//! Each has a quaternion, which starts and exact solutions are given by, and a matrix, by which it turns triples.

use super::value::Value;
use super::{Items, Scope, Symbol};
use crate::formula::Kind;
use crate::graph::{Binary, Function, Matrix, Node};
use crate::text::Span;

/// Names of the numbers of a quaternion.
pub(crate) const NUMBERS: [&str; 4] = ["e0", "e1", "e2", "e3"];

/// See [`Origin`].
const DEEPEST: usize = 16;

/// A rotation as nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rotation {
    p: [Node; 4],
    matrix: Matrix,
    /// Whether the entries of the matrix are numbers wherever coordinates are, so that zero times one of them is zero.
    bounded: bool,
    /// How many rotations it is made of, one within the other.
    depth: usize,
    origin: Origin,
}

/// What a rotation was made of; others by their numbers.
///
/// [`DEEPEST`] of them are looked into for the angular velocity; beyond, it follows from the quaternion.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// A coordinate, with its angular velocity.
    Coordinate([Node; 3]),
    /// A unit axis, and an angle.
    Turn([Node; 3], Node),
    Product(usize, usize),
    Inverse(usize),
    /// One of two, as a condition says.
    Either(Node, usize, usize),
}

impl Scope<'_> {
    /// Declares rotations among the coordinates, by their numbers in the graph.
    pub fn declare_rotations(&mut self, name: &str, span: Span, turns: Items<usize>) {
        if self.is_free(name, span) {
            self.symbols.insert(name.to_owned(), Symbol::Rotation(turns));
        }
    }

    fn keep(&mut self, rotation: Rotation) -> usize {
        *self.known_rotations.entry(rotation.p).or_insert_with(|| {
            self.rotations.push(rotation);
            self.rotations.len() - 1
        })
    }

    /// A rotation among the coordinates, by its number in the graph.
    pub(super) fn coordinate(&mut self, turn: usize) -> Value {
        let turn = self.graph.turns[turn];
        let p = [0, 1, 2, 3].map(|i| self.graph.input(turn.p + i));
        let w = [0, 1, 2].map(|i| self.graph.input(turn.w + i));
        Value::Rotation(self.keep(Rotation {
            p,
            matrix: turn.matrix,
            bounded: true,
            depth: 1,
            origin: Origin::Coordinate(w),
        }))
    }

    /// The quaternion of a rotation.
    pub fn quaternion(&self, rotation: usize) -> [Node; 4] {
        self.rotations[rotation].p
    }

    /// `rotation(axis, angle)`.
    pub(super) fn turn(&mut self, axis: [Node; 3], angle: Node) -> usize {
        let square = self.dot(axis, axis);
        let length = self.graph.call(Function::Sqrt, square);
        let k = axis.map(|x| self.graph.div(x, length));
        let graph = &mut self.graph;
        let (half, one) = (graph.constant(0.5), graph.constant(1.0));
        let angle_half = graph.mul(half, angle);
        let (sin_half, cos_half) = (graph.call(Function::Sin, angle_half), graph.call(Function::Cos, angle_half));
        let [p1, p2, p3] = k.map(|k| graph.mul(sin_half, k));
        let (sin, cos) = (graph.call(Function::Sin, angle), graph.call(Function::Cos, angle));
        let versine = graph.sub(one, cos);
        // cos + (1 - cos) k k^T + sin k^
        let matrix = [0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| {
                let square = graph.mul(k[i], k[j]);
                let along = graph.mul(versine, square);
                if i == j {
                    return graph.add(cos, along);
                }
                let across = graph.mul(sin, k[3 - i - j]);
                if (i + 1) % 3 == j { graph.sub(along, across) } else { graph.add(along, across) }
            })
        });
        let bounded = matrix.as_flattened().iter().all(|node| graph.value(*node).is_some_and(f64::is_finite));
        let p = [cos_half, p1, p2, p3];
        self.keep(Rotation { p, matrix, bounded, depth: 1, origin: Origin::Turn(k, angle) })
    }

    /// The inverse.
    pub(super) fn inverse(&mut self, rotation: usize) -> usize {
        let Rotation { p, matrix, bounded, depth, origin } = self.rotations[rotation];
        if let Origin::Inverse(whole) = origin {
            return whole;
        }
        let p = [p[0], self.graph.neg(p[1]), self.graph.neg(p[2]), self.graph.neg(p[3])];
        let matrix = [0, 1, 2].map(|i| [0, 1, 2].map(|j| matrix[j][i]));
        self.keep(Rotation { p, matrix, bounded, depth: depth + 1, origin: Origin::Inverse(rotation) })
    }

    /// The second rotation, then the first.
    pub(super) fn composed(&mut self, first: usize, second: usize) -> usize {
        let (a, b) = (self.rotations[first], self.rotations[second]);
        let terms = [
            [(0, 0, true), (1, 1, false), (2, 2, false), (3, 3, false)],
            [(0, 1, true), (1, 0, true), (2, 3, true), (3, 2, false)],
            [(0, 2, true), (1, 3, false), (2, 0, true), (3, 1, true)],
            [(0, 3, true), (1, 2, true), (2, 1, false), (3, 0, true)],
        ];
        let p = terms.map(|terms| {
            let mut sum = self.graph.constant(0.0);
            for (i, j, plus) in terms {
                let part = self.graph.mul(a.p[i], b.p[j]);
                sum = if plus { self.graph.add(sum, part) } else { self.graph.sub(sum, part) };
            }
            sum
        });
        let columns = [0, 1, 2].map(|j| self.applied(&a, [b.matrix[0][j], b.matrix[1][j], b.matrix[2][j]]));
        let matrix = [0, 1, 2].map(|i| [0, 1, 2].map(|j| columns[j][i]));
        let (bounded, depth) = (a.bounded && b.bounded, 1 + a.depth.max(b.depth));
        self.keep(Rotation { p, matrix, bounded, depth, origin: Origin::Product(first, second) })
    }

    /// One of two rotations.
    pub(super) fn either(&mut self, condition: Node, a: usize, b: usize) -> usize {
        let (first, second) = (self.rotations[a], self.rotations[b]);
        let p = [0, 1, 2, 3].map(|i| self.graph.select(condition, first.p[i], second.p[i]));
        let entry = |scope: &mut Self, i: usize, j: usize| {
            scope.graph.select(condition, first.matrix[i][j], second.matrix[i][j])
        };
        let matrix = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(self, i, j)));
        let (bounded, depth) = (first.bounded && second.bounded, 1 + first.depth.max(second.depth));
        self.keep(Rotation { p, matrix, bounded, depth, origin: Origin::Either(condition, a, b) })
    }

    /// A turned triple.
    pub(super) fn turned(&mut self, rotation: usize, a: [Node; 3]) -> [Node; 3] {
        let rotation = self.rotations[rotation];
        self.applied(&rotation, a)
    }

    fn applied(&mut self, rotation: &Rotation, a: [Node; 3]) -> [Node; 3] {
        rotation.matrix.map(|row| {
            let mut sum = self.graph.constant(0.0);
            for (entry, a) in row.into_iter().zip(a) {
                if !(rotation.bounded && self.graph.is_zero(a)) {
                    let part = self.graph.mul(entry, a);
                    sum = self.graph.add(sum, part);
                }
            }
            sum
        })
    }

    /// The angular velocity in the axes of the body.
    pub(super) fn omega(&mut self, rotation: usize, span: Span) -> Option<[Node; 3]> {
        let Rotation { p, origin, depth, .. } = self.rotations[rotation];
        Some(match origin {
            _ if depth > DEEPEST => {
                let [a, b, c, d] = p.map(|p| self.rate_of(p, span));
                relative(&mut self.graph, p, [a?, b?, c?, d?])
            }
            Origin::Coordinate(w) => w,
            Origin::Turn(axis, angle) if axis.iter().all(|k| self.graph.value(*k).is_some()) => {
                let rate = self.rate_of(angle, span)?;
                self.scaled(rate, axis)
            }
            Origin::Turn(..) => {
                let [a, b, c, d] = p.map(|p| self.rate_of(p, span));
                relative(&mut self.graph, p, [a?, b?, c?, d?])
            }
            Origin::Product(a, b) => {
                let (first, second) = (self.omega(a, span)?, self.omega(b, span)?);
                let back = self.inverse(b);
                let first = self.turned(back, first);
                self.by_component(Binary::Add, first, second)
            }
            Origin::Inverse(of) => {
                let omega = self.omega(of, span)?;
                self.turned(of, omega).map(|node| self.graph.neg(node))
            }
            Origin::Either(condition, a, b) => {
                let (a, b) = (self.omega(a, span)?, self.omega(b, span)?);
                [0, 1, 2].map(|i| self.graph.select(condition, a[i], b[i]))
            }
        })
    }

    /// `R.omega`, `R.e0`, and what is not there.
    pub(super) fn field(&mut self, value: Value, field: &str, at: Span, span: Span) -> Option<Value> {
        if let Value::Part(part) = value {
            return self.part_field(part, field, at, span);
        }
        let Value::Rotation(rotation) = value else {
            let hint = match field {
                "omega" => "`.omega` is of rotations, which are declared as \"R : rotation\"",
                _ => "the components of a triple are .x, .y and .z",
            };
            let hint = hint.to_owned();
            self.mistakes.add(at, format!("`.{field}` is not a component"), Some(hint));
            return None;
        };
        if field == "omega" {
            return Some(Value::Triple(self.omega(rotation, span)?));
        }
        if let Some(i) = NUMBERS.iter().position(|name| *name == field) {
            return Some(Value::Number(self.rotations[rotation].p[i]));
        }
        let hint = match field {
            "w" | "W" | "Omega" | "w_body" | "omega_body" | "vel" | "velocity" => {
                "the angular velocity is R.omega, and R.omega.x, .y, .z are its components in the axes of the body"
            }
            "alpha" | "acceleration" => "the angular acceleration is R.omega'",
            "inverse" | "inv" | "T" | "transpose" => "the inverse of a rotation is R^-1",
            "matrix" | "axis" | "angle" | "angles" | "q" | "quaternion" => {
                "R*[1, 0, 0], R*[0, 1, 0] and R*[0, 0, 1] are the axes of the body in space; the quaternion is R.e0, R.e1, R.e2, R.e3"
            }
            _ => "a rotation has R.omega, its angular velocity, and R.e0, R.e1, R.e2, R.e3, its quaternion",
        };
        self.mistakes.add(at, format!("`.{field}` is not part of a rotation"), Some(hint.to_owned()));
        None
    }

    /// `.x`, `.y` or `.z` of something that must be a triple.
    pub(super) fn component(&mut self, value: Value, axis: usize, span: Span) -> Option<Node> {
        if let Value::Part(part) = value {
            return self.part_component(part, axis, span);
        }
        if let Value::Rotation(_) = value {
            let (name, unit) = [("x", "[1, 0, 0]"), ("y", "[0, 1, 0]"), ("z", "[0, 0, 1]")][axis];
            let hint = format!("the {name} axis of the body is R*{unit}, its angular velocity about it R.omega.{name}");
            self.mistakes.add(span, format!("a rotation has no component .{name}"), Some(hint));
            return None;
        }
        Some(self.triple(value, span)?[axis])
    }

    /// A rotation to a power: -1 is its inverse.
    pub(super) fn rotation_power(&mut self, rotation: usize, exponent: Option<Node>, span: Span) -> Option<Value> {
        match self.graph.value(exponent?) {
            Some(-1.0) => Some(Value::Rotation(self.inverse(rotation))),
            _ => {
                let hint = "the inverse of a rotation is R^-1; R*R turns twice".to_owned();
                self.mistakes.add(span, "a rotation has no powers but -1".to_owned(), Some(hint));
                None
            }
        }
    }

    /// Sums and products with a rotation.
    pub(super) fn combined_rotation(&mut self, binary: Binary, a: Value, b: Value, span: Span) -> Option<Value> {
        use Value::{Number, Rotation, Triple};
        let (message, hint) = match (binary, a, b) {
            (Binary::Mul, Rotation(a), Triple(b)) => return Some(Triple(self.turned(a, b))),
            (Binary::Mul, Rotation(a), Rotation(b)) => return Some(Rotation(self.composed(a, b))),
            (Binary::Mul, Triple(_), Rotation(_)) => (
                "a triple stands before a rotation",
                "R*r turns the triple r from body axes to space, R^-1*r from space to body axes",
            ),
            (Binary::Mul, Number(_), _) | (_, _, Number(_)) => (
                "a rotation and a number have no product, sum or quotient",
                "a rotation turns triples: R*[a, b, c]; a turn by an angle is rotation(axis, angle)",
            ),
            (Binary::Div, ..) => ("nothing can be divided by a rotation", "the inverse is R^-1: write R^-1*r"),
            _ => ("rotations cannot be added", "one after the other they are a product: R*S"),
        };
        self.mistakes.add(span, message.to_owned(), Some(hint.to_owned()));
        None
    }
}

/// The last three numbers of 2 p^-1 p'.
pub(crate) fn relative(graph: &mut crate::graph::Graph, p: [Node; 4], rate: [Node; 4]) -> [Node; 3] {
    let two = graph.constant(2.0);
    [0, 1, 2].map(|j| {
        let (a, b) = ((j + 1) % 3, (j + 2) % 3);
        // p0 p'_j - p_j p'_0 - (p * p')_j
        let mut sum = graph.mul(p[0], rate[j + 1]);
        for (x, y, plus) in [(p[j + 1], rate[0], false), (p[a + 1], rate[b + 1], false), (p[b + 1], rate[a + 1], true)]
        {
            let part = graph.mul(x, y);
            sum = if plus { graph.add(sum, part) } else { graph.sub(sum, part) };
        }
        graph.mul(two, sum)
    })
}

/// Whether an expression names a rotation or a part of one, with its name: for the left sides of assignments.
pub(crate) fn root(kind: &Kind) -> Option<&Kind> {
    match kind {
        Kind::Name { .. } => Some(kind),
        Kind::Field { of, .. } | Kind::Component { of, .. } => root(&of.kind),
        _ => None,
    }
}
