//! Forces by formulas: from what a law comes to, to generalised forces.
//!
//! ```text
//! on a coordinate x(q)        F x_q            (a spring's law is restoring: -F x_q)
//! between two points          -F l_q,  l their distance
//! on a point r(q)             F.r_q            F in the world, or R f along body axes
//! a torque on a body          R^T T, or T along body axes; in the plane its z
//! ```
//!
//! Laws that contain reactions, as friction by `hinge.force` does, are part of the reaction; the others are forces.

use alembert_mechanism::formal::{Moving, Setting, way};
use alembert_mechanism::{Axes, BodyId, Marker, Mechanism};

use super::super::Checked;
use super::super::variables::Variables;
use super::{Acts, DrawnLaw};
use crate::graph::{Derivatives, Function, Node};
use crate::scope::{Scope, Value};

const UNITS: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// What laws come to, a number for each velocity.
pub(crate) struct Loads {
    pub forces: Vec<Node>,
    /// Those that depend on multipliers.
    pub reactions: Option<Vec<Node>>,
}

/// A law's share: which velocity it acts on, and with what.
type Shares = Vec<(usize, Node)>;

/// None if a law has a mistake.
pub(crate) fn loads(
    laws: &[DrawnLaw],
    variables: &Variables,
    scope: &mut Scope,
    checked: &mut Vec<Checked>,
) -> Option<Loads> {
    let layout = variables.layout;
    let zero = scope.graph.constant(0.0);
    let mut found = Loads { forces: vec![zero; layout.bodies().len()], reactions: None };
    let Some(mechanism) = scope.mechanism() else { return Some(found) };
    let (mut values, mut good) = (Vec::new(), true);
    for law in laws {
        let shares = Law { law, mechanism: &mechanism, variables }.shares(scope, checked, &mut values);
        let Some(shares) = shares else {
            good = false;
            continue;
        };
        for (column, node) in shares {
            let inputs = scope.graph.inputs(node, &mut scope.marks);
            let reacts = inputs.into_iter().any(|input| input >= layout.lambda().start);
            let list = match reacts {
                true => found.reactions.get_or_insert_with(|| vec![zero; layout.v]),
                false => &mut found.forces,
            };
            list[column] = scope.graph.add(list[column], node);
        }
    }
    scope.set_law_values(&values);
    good.then_some(found)
}

struct Law<'a> {
    law: &'a DrawnLaw,
    mechanism: &'a Mechanism,
    variables: &'a Variables,
}

impl Law<'_> {
    fn shares(&self, scope: &mut Scope, checked: &mut Vec<Checked>, values: &mut Vec<Option<Node>>) -> Option<Shares> {
        let mut derivatives = Derivatives::default();
        let layout = self.variables.layout;
        match &self.law.acts {
            Acts::Coordinate { of, restoring } => {
                let x = self.mechanism.formal_coordinate(*of, scope).map(Node::from_term);
                let x = x.or_else(|| {
                    let message = format!("`{}` acts on a coordinate without a formula", self.law.name);
                    scope.mistakes.add(self.law.span, message, None);
                    None
                })?;
                let force = self.along(x, scope, checked, values)?;
                let columns = derivatives.by_motion(&mut scope.graph, x, layout);
                Some(times(if *restoring { -1.0 } else { 1.0 }, force, columns, scope))
            }
            Acts::Between(i, j) => {
                let [i, j] = [i, j].map(|marker| self.point(marker, scope));
                let d = way(scope, i.map(Node::term), j.map(Node::term)).map(Node::from_term);
                let square = scope.dot(d, d);
                let length = scope.graph.call(Function::Sqrt, square);
                let pull = self.along(length, scope, checked, values)?;
                let columns = derivatives.by_motion(&mut scope.graph, length, layout);
                Some(times(-1.0, pull, columns, scope))
            }
            Acts::Point(marker, axes) => {
                let force = self.components(scope, checked, values)?;
                let force = if *axes == Axes::Body { self.out(marker.body(), force, scope) } else { force };
                let mut shares = Vec::new();
                for (r, force) in self.point(marker, scope).into_iter().zip(force) {
                    let columns = derivatives.by_motion(&mut scope.graph, r, layout);
                    shares.extend(times(1.0, force, columns, scope));
                }
                Some(shares)
            }
            Acts::Body(body, axes) => {
                let at = self.mechanism.standing(*body);
                let torque = self.components(scope, checked, values)?;
                Some(match at.kind {
                    // A point mass is not turned.
                    Moving::Not | Moving::Number | Moving::Particle | Moving::PlanarParticle => Vec::new(),
                    Moving::InPlane => vec![(at.v + 2, torque[2])],
                    Moving::InSpace if *axes == Axes::Body => {
                        let torque = self.seated(*body, torque, scope);
                        torque.into_iter().enumerate().map(|(m, torque)| (at.v + 3 + m, torque)).collect()
                    }
                    Moving::InSpace => {
                        let about = UNITS.map(|axis| scope.direction(at, axis).map(Node::from_term));
                        (0..3).map(|m| (at.v + 3 + m, scope.dot(about[m], torque))).collect()
                    }
                })
            }
        }
    }

    fn point(&self, marker: &Marker, scope: &mut Scope) -> [Node; 3] {
        scope.point(self.mechanism.standing(marker.body()), self.mechanism.arm(marker)).map(Node::from_term)
    }

    /// S f: from the axes of a body to those of what moves it.
    fn seated(&self, body: BodyId, f: [Node; 3], scope: &mut Scope) -> [Node; 3] {
        let seat = self.mechanism.seat(body);
        if seat.is_own() {
            return f;
        }
        let axes = UNITS.map(|axis| seat.direction(&axis).map(|x| scope.graph.constant(x)));
        let mut sum = [scope.graph.constant(0.0); 3];
        for (f, axis) in f.into_iter().zip(axes) {
            let part = scope.scaled(f, axis);
            sum = [0, 1, 2].map(|i| scope.graph.add(sum[i], part[i]));
        }
        sum
    }

    /// R f.
    fn out(&self, body: BodyId, f: [Node; 3], scope: &mut Scope) -> [Node; 3] {
        let (at, f) = (self.mechanism.standing(body), self.seated(body, f, scope));
        let zero = scope.graph.constant(0.0);
        let mut sum = [zero; 3];
        for (f, axis) in f.into_iter().zip(UNITS) {
            let axis = scope.direction(at, axis).map(Node::from_term);
            let part = scope.scaled(f, axis);
            sum = [0, 1, 2].map(|i| scope.graph.add(sum[i], part[i]));
        }
        sum
    }

    /// The law along a coordinate, which it may call by its local name.
    fn along(
        &self,
        x: Node,
        scope: &mut Scope,
        checked: &mut Vec<Checked>,
        values: &mut Vec<Option<Node>>,
    ) -> Option<Node> {
        let instance = self.law.formulas.first()?;
        let local = self.law.local.map(|name| (name.to_owned(), Value::Number(x)));
        let value = scope.with_local(local.into_iter().collect(), |scope| scope.instance(instance));
        values.push(value);
        self.checked(value?, scope, checked).then_some(value?)
    }

    /// Three components; in the plane the third may be missing.
    fn components(
        &self,
        scope: &mut Scope,
        checked: &mut Vec<Checked>,
        values: &mut Vec<Option<Node>>,
    ) -> Option<[Node; 3]> {
        let mut found = [scope.graph.constant(0.0); 3];
        let mut good = true;
        for (found, instance) in found.iter_mut().zip(&self.law.formulas) {
            match scope.instance(instance) {
                Some(node) => {
                    good &= self.checked(node, scope, checked);
                    *found = node;
                }
                None => good = false,
            }
        }
        values.push(good.then(|| {
            let square = scope.dot(found, found);
            scope.graph.call(Function::Sqrt, square)
        }));
        good.then_some(found)
    }

    /// Whether it depends only on what it may.
    fn checked(&self, node: Node, scope: &mut Scope, checked: &mut Vec<Checked>) -> bool {
        let layout = self.variables.layout;
        let what = format!("the law of `{}`", self.law.name);
        let inputs = scope.graph.inputs(node, &mut scope.marks);
        let bad = inputs.into_iter().find(|input| layout.a().contains(input));
        if let Some(bad) = bad {
            let message = format!("{what} must not depend on `{}`", self.variables.name(bad));
            let hint = "it may contain t, coordinates, velocities, states, inputs and reactions".to_owned();
            scope.mistakes.add(self.law.span, message, Some(hint));
        }
        checked.push(Checked { what, span: self.law.span, node });
        bad.is_none()
    }
}

/// factor * force * slope for each column.
fn times(factor: f64, force: Node, columns: Shares, scope: &mut Scope) -> Shares {
    let factor = scope.graph.constant(factor);
    let force = scope.graph.mul(factor, force);
    columns.into_iter().map(|(column, slope)| (column, scope.graph.mul(force, slope))).collect()
}
