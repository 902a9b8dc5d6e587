//! Parts of a mechanism in formulas: `crank.x`, `crank.A.y'`, `hinge.angle`, `hinge.force.x`.
//!
//! ```text
//! body     b.x, b.y, b.z      where its drawing origin is          b.A.x      a point of it
//!          b.position, b.centre, b.omega, b.angle (in the plane), b.R (in space)
//!          b.group            the centre of mass of all that is welded to it
//! joint    J.angle, J.displacement, J.length, …                    coordinates, with their rates as J.angle'
//!          J.force.x, J.torque.z     on the second body, along the axes of the first marker; J.force alone is its size
//!          J.world_force, J.world_torque                           the same along the axes of the world
//! driver   D.force, D.torque         what it does along the coordinate that it drives
//! force    F.value                   what its law comes to
//! ```
//!
//! All of them are formulas of the coordinates and multipliers, so that they have rates and derivatives like any other.

use std::collections::BTreeMap;
use std::sync::Arc;

use alembert::rotation::{dot, log};
use alembert_mechanism::formal::{Algebra, Moving, Setting, Standing, Term, Triple};
use alembert_mechanism::{BodyId, CoordinateId, JointId, Mechanism, Seat};

use super::value::Value;
use super::{Items, Scope, Symbol};
use crate::graph::{Function, Node};
use crate::text::Span;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Body {
        name: String,
        /// The numbers that move it, which bodies welded to it have in common.
        at: Standing,
        /// What it is, and how it sits on what those numbers move.
        kind: Moving,
        seat: Seat,
        /// From the centre of mass, in body axes, both of what the numbers move.
        origin: [f64; 3],
        points: BTreeMap<String, [f64; 3]>,
    },
    Joint {
        name: String,
        id: JointId,
        coordinates: Vec<CoordinateId>,
    },
    Driver {
        name: String,
        /// Its place among the drivers.
        at: usize,
        /// Whether it drives a coordinate; a path has no single force.
        along: bool,
    },
    Law {
        name: String,
        value: Option<Node>,
    },
}

/// A body and what moves it.
#[derive(Clone, Copy)]
struct Seated {
    at: Standing,
    kind: Moving,
    seat: Seat,
    origin: [f64; 3],
}

/// A body as nodes.
pub(crate) struct Placed {
    /// Coordinates of its centre of mass.
    pub place: Vec<Node>,
    /// Its angle, or its quaternion.
    pub turns: Vec<Node>,
    /// Its angular velocity in space; in the plane that is the rate of its angle.
    pub spins: Vec<Node>,
}

impl Part {
    fn name(&self) -> &str {
        match self {
            Part::Body { name, .. } | Part::Joint { name, .. } | Part::Driver { name, .. } | Part::Law { name, .. } => {
                name
            }
        }
    }

    /// What it is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Part::Body { .. } => "a body",
            Part::Joint { .. } => "a joint",
            Part::Driver { .. } => "a driver",
            Part::Law { .. } => "a force",
        }
    }

    /// What can stand behind its name.
    fn fields(&self) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        match self {
            Part::Body { kind, seat, points, .. } => {
                let mut all = words(&["x", "y", "z", "position", "centre"]);
                all.extend((!seat.is_own()).then(|| "group".to_owned()));
                all.extend(match kind {
                    Moving::InPlane => words(&["omega", "angle"]),
                    Moving::InSpace => words(&["omega", "R"]),
                    _ => Vec::new(),
                });
                all.extend(points.keys().cloned());
                all
            }
            Part::Joint { coordinates, .. } => {
                let mut all: Vec<String> = coordinates.iter().map(|id| written(id.name())).collect();
                all.extend(words(&["force", "torque", "world_force", "world_torque"]));
                all
            }
            Part::Driver { along: true, .. } => words(&["force", "torque"]),
            Part::Driver { .. } => Vec::new(),
            Part::Law { .. } => words(&["value"]),
        }
    }
}

/// The name of a joint coordinate in formulas and columns: `first angle` is `first_angle`.
pub(crate) fn written(coordinate: &str) -> String {
    coordinate.replace(' ', "_")
}

/// `link[3]` is entry 3 of `link`.
fn entry(name: &str) -> (&str, Option<i64>) {
    let split = name.strip_suffix(']').and_then(|name| name.split_once('['));
    match split.and_then(|(stem, index)| Some((stem, index.trim().parse().ok()?))) {
        Some((stem, index)) => (stem, Some(index)),
        None => (name, None),
    }
}

impl Scope<'_> {
    /// Makes the name of a part known.
    pub fn add_part(&mut self, part: Part, span: Span) {
        let number = self.parts.len();
        let (stem, index) = entry(part.name());
        match (self.symbols.get_mut(stem), index) {
            (Some(Symbol::Part(Items::Many(items))), Some(index)) if !items.contains_key(&index) => {
                items.insert(index, number);
            }
            _ => {
                let stem = stem.to_owned();
                if self.is_free(&stem, span) {
                    let items = match index {
                        Some(index) => Items::Many(BTreeMap::from([(index, number)])),
                        None => Items::One(number),
                    };
                    self.symbols.insert(stem, Symbol::Part(items));
                }
            }
        }
        self.parts.push(part);
    }

    /// Gives the last laws their values, in their order.
    pub fn set_law_values(&mut self, values: &[Option<Node>]) {
        let laws = self.parts.iter_mut().filter_map(|part| match part {
            Part::Law { value, .. } => Some(value),
            _ => None,
        });
        laws.zip(values).for_each(|(value, found)| *value = *found);
    }

    /// The mechanism that parts belong to.
    pub fn mechanism(&self) -> Option<Arc<Mechanism>> {
        self.mechanism.clone()
    }

    /// `.x`, `.y` or `.z` of a body.
    pub(super) fn part_component(&mut self, part: usize, axis: usize, span: Span) -> Option<Node> {
        match self.part_field(part, ["x", "y", "z"][axis], span, span)? {
            Value::Number(node) => Some(node),
            value => self.number(value, span),
        }
    }

    /// Where a body is: its centre of mass in the world, and how it is turned, as an angle or a rotation. Pictures know bodies from here
    /// alone.
    pub fn body_frame(&mut self, body: usize) -> Option<([Node; 3], Option<Value>)> {
        // Bodies are the first parts, in the order of the file. A point may be called `R`, and is not meant.
        let Some(&Part::Body { at, kind, seat, origin, .. }) = self.parts.get(body) else { return None };
        let (body, nowhere) = (Seated { at, kind, seat, origin }, Span { start: 0, end: 0 });
        let Some(Value::Triple(centre)) = self.body_field(&body, None, "centre", nowhere) else { return None };
        let turned = ["angle", "R"].into_iter().find_map(|field| self.body_field(&body, None, field, nowhere));
        Some((centre, turned))
    }

    /// What stands behind the name of a part.
    pub(super) fn part_field(&mut self, part: usize, field: &str, at: Span, span: Span) -> Option<Value> {
        let found = match self.parts[part].clone() {
            Part::Body { at, kind, seat, origin, points, .. } => {
                let body = Seated { at, kind, seat, origin };
                self.body_field(&body, points.get(field).copied(), field, span)
            }
            Part::Joint { id, coordinates, .. } => self.joint_field(id, &coordinates, field),
            Part::Driver { at, .. } => match field {
                "force" | "torque" => {
                    let mechanism = self.mechanism.clone()?;
                    mechanism.formal_drive(at, self).map(|term| Value::Number(Node::from_term(term)))
                }
                _ => None,
            },
            Part::Law { value, .. } => match (field, value) {
                ("value" | "force" | "torque", Some(node)) => Some(Value::Number(node)),
                _ => None,
            },
        };
        if found.is_some() {
            return found;
        }
        let part = &self.parts[part];
        let (name, kind, fields) = (part.name().to_owned(), part.kind(), part.fields());
        let near = crate::nearest::nearest(field, fields.iter().map(String::as_str)).map(|near| near.to_owned());
        let hint = match near {
            Some(near) => format!("did you mean `{name}.{near}`?"),
            None if fields.is_empty() => {
                "a path has no single force; its reaction is that of the ends it moves".to_owned()
            }
            None => format!("{kind} has {}", fields.join(", ")),
        };
        let _ = span;
        self.mistakes.add(at, format!("`{name}` has no `{field}`"), Some(hint));
        None
    }

    fn body_field(&mut self, body: &Seated, point: Option<[f64; 3]>, field: &str, span: Span) -> Option<Value> {
        let Seated { at, kind, seat, origin } = *body;
        let triple = |scope: &mut Self, arm: [f64; 3]| scope.point(at, arm).map(Node::from_term);
        if let Some(axis) = ["x", "y", "z"].iter().position(|name| *name == field) {
            return Some(Value::Number(triple(self, origin)[axis]));
        }
        if let Some(arm) = point {
            return Some(Value::Triple(triple(self, arm)));
        }
        match (field, kind) {
            ("position", _) => Some(Value::Triple(triple(self, origin))),
            ("centre", _) => Some(Value::Triple(triple(self, seat.arm(&[0.0; 3])))),
            ("group", _) if !seat.is_own() => Some(Value::Triple(triple(self, [0.0; 3]))),
            ("angle", Moving::InPlane) => Some(Value::Number(self.angle_of(at, &seat))),
            ("omega", Moving::InPlane) => {
                let zero = self.graph.constant(0.0);
                let first = self.layout().v().start;
                let rate = if at.kind == Moving::Not { zero } else { self.graph.input(first + at.v + 2) };
                Some(Value::Triple([zero, zero, rate]))
            }
            ("omega", Moving::InSpace) if seat.is_own() => {
                let first = self.layout().v().start + at.v + 3;
                Some(Value::Triple([0, 1, 2].map(|i| self.graph.input(first + i))))
            }
            ("omega", Moving::InSpace) => {
                let rotation = self.rotation_of(at, &seat)?;
                self.omega(rotation, span).map(Value::Triple)
            }
            ("R", Moving::InSpace) => self.rotation_of(at, &seat).map(Value::Rotation),
            _ => None,
        }
    }

    /// The angle of a body in the plane.
    fn angle_of(&mut self, at: Standing, seat: &Seat) -> Node {
        let lead = self.graph.constant(seat.angle());
        if at.kind == Moving::Not {
            return lead;
        }
        let angle = Node::from_term(self.coordinate_term(at.q + 2));
        if seat.angle() == 0.0 { angle } else { self.graph.add(angle, lead) }
    }

    /// The rotation of a body in space: that of what moves it, times a constant one.
    fn rotation_of(&mut self, at: Standing, seat: &Seat) -> Option<usize> {
        let input = self.layout().q().start + at.q + 3;
        let moved = match at.kind {
            Moving::Not => None,
            _ => match self.graph.quaternion(input).map(|(turn, _)| self.coordinate(turn)) {
                Some(Value::Rotation(rotation)) => Some(rotation),
                _ => return None,
            },
        };
        let turn = log(&seat.turn());
        let angle = dot(&turn, &turn).sqrt();
        if let (Some(moved), true) = (moved, angle == 0.0) {
            return Some(moved);
        }
        let axis = if angle > 0.0 { turn.map(|x| x / angle) } else { [0.0, 0.0, 1.0] };
        let axis = axis.map(|x| self.graph.constant(x));
        let angle = self.graph.constant(angle);
        let seated = self.turn(axis, angle);
        Some(moved.map_or(seated, |moved| self.composed(moved, seated)))
    }

    /// Where a body is and how it is turned, as columns of results: names behind its own, and what they are.
    pub fn body_columns(&mut self, mechanism: &Mechanism, body: BodyId, span: Span) -> Option<Placed> {
        let (at, kind, seat) = (mechanism.standing(body), mechanism.moving(body), mechanism.seat(body));
        let place = self.point(at, seat.arm(&[0.0; 3])).map(Node::from_term);
        let (turns, spins) = match kind {
            Moving::InPlane => (vec![self.angle_of(at, &seat)], Vec::new()),
            Moving::InSpace => {
                let rotation = self.rotation_of(at, &seat)?;
                (self.quaternion(rotation).to_vec(), self.omega(rotation, span)?.to_vec())
            }
            _ => (Vec::new(), Vec::new()),
        };
        Some(Placed { place: place[..kind.shifts()].to_vec(), turns, spins })
    }

    fn joint_field(&mut self, id: JointId, coordinates: &[CoordinateId], field: &str) -> Option<Value> {
        let mechanism = self.mechanism.clone()?;
        if let Some(coordinate) = coordinates.iter().find(|id| written(id.name()) == field) {
            return mechanism.formal_coordinate(*coordinate, self).map(|term| Value::Number(Node::from_term(term)));
        }
        let (which, in_world) = match field {
            "force" => (0, false),
            "torque" => (1, false),
            "world_force" => (0, true),
            "world_torque" => (1, true),
            _ => return None,
        };
        let wrench = mechanism.formal_reaction(id, in_world, self)?[which].map(Node::from_term);
        Some(if in_world { Value::Triple(wrench) } else { Value::Reaction(wrench) })
    }

    /// The length of a triple.
    pub(super) fn length_of(&mut self, a: [Node; 3]) -> Node {
        let square = self.dot(a, a);
        self.graph.call(Function::Sqrt, square)
    }

    fn coordinate_term(&mut self, index: usize) -> Term {
        let first = self.layout().q().start;
        self.graph.input(first + index).term()
    }

    /// R a of a body.
    fn turned_arm(&mut self, at: Standing, arm: [f64; 3]) -> [Node; 3] {
        let nodes = arm.map(|x| self.graph.constant(x));
        match at.kind {
            Moving::Not | Moving::Number | Moving::Particle | Moving::PlanarParticle => nodes,
            Moving::InSpace => {
                let input = self.layout().q().start + at.q + 3;
                let turn = self.graph.quaternion(input).map(|(turn, _)| self.coordinate(turn));
                match turn {
                    Some(Value::Rotation(rotation)) => self.turned(rotation, nodes),
                    _ => nodes,
                }
            }
            Moving::InPlane => {
                let angle = Node::from_term(self.coordinate_term(at.q + 2));
                let (s, c) = (self.graph.call(Function::Sin, angle), self.graph.call(Function::Cos, angle));
                let [x, y, z] = nodes;
                let graph = &mut self.graph;
                let mut pair = |a: Node, b: Node, plus: bool| {
                    let (a, b) = (graph.mul(a, x), graph.mul(b, y));
                    if plus { graph.add(a, b) } else { graph.sub(a, b) }
                };
                [pair(c, s, false), pair(s, c, true), z]
            }
        }
    }
}

impl Algebra for Scope<'_> {
    fn constant(&mut self, x: f64) -> Term {
        self.graph.constant(x).term()
    }
    fn sum(&mut self, a: Term, b: Term) -> Term {
        self.graph.add(Node::from_term(a), Node::from_term(b)).term()
    }
    fn difference(&mut self, a: Term, b: Term) -> Term {
        self.graph.sub(Node::from_term(a), Node::from_term(b)).term()
    }
    fn product(&mut self, a: Term, b: Term) -> Term {
        let [a, b] = [a, b].map(Node::from_term);
        // Coordinates and multipliers are numbers, so that zero times one of them is zero.
        if self.graph.is_zero(a) || self.graph.is_zero(b) {
            return self.graph.constant(0.0).term();
        }
        self.graph.mul(a, b).term()
    }
    fn quotient(&mut self, a: Term, b: Term) -> Term {
        self.graph.div(Node::from_term(a), Node::from_term(b)).term()
    }
    fn root(&mut self, a: Term) -> Term {
        self.graph.call(Function::Sqrt, Node::from_term(a)).term()
    }
    fn angle(&mut self, y: Term, x: Term) -> Term {
        self.graph.pair(crate::graph::Binary::Atan2, Node::from_term(y), Node::from_term(x)).term()
    }
}

impl Setting for Scope<'_> {
    fn point(&mut self, at: Standing, arm: [f64; 3]) -> Triple {
        let turned = self.turned_arm(at, arm);
        let count = at.kind.shifts();
        [0, 1, 2].map(|i| {
            if i >= count {
                return turned[i].term();
            }
            let p = Node::from_term(self.coordinate_term(at.q + i));
            self.graph.add(p, turned[i]).term()
        })
    }
    fn direction(&mut self, at: Standing, arm: [f64; 3]) -> Triple {
        self.turned_arm(at, arm).map(Node::term)
    }
    fn multiplier(&mut self, nonholonomic: bool, index: usize) -> Term {
        let layout = self.layout();
        let first = if nonholonomic { layout.psi().start } else { layout.lambda().start };
        self.graph.input(first + index).term()
    }
    fn coordinate(&mut self, index: usize) -> Term {
        self.coordinate_term(index)
    }
}
