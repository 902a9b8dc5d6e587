//! Columns that every mechanism has: joint coordinates that count their turns, reactions, and what drivers do.

use super::built::Built;
use crate::compile::Checked;
use crate::formula::AXES;
use crate::graph::Node;
use crate::model::Said;
use crate::scope::{NUMBERS, Placed, Scope, written};
use crate::text::Span;

/// With more joints than that, results have only what the file asks for.
const MOST: usize = 60;

/// A column of its own accord.
pub(crate) struct Column {
    pub name: String,
    pub node: Node,
    pub unit: Option<&'static str>,
    pub span: Span,
}

impl Column {
    pub fn said(&self) -> Said {
        Said { column: self.name.clone(), unit: self.unit.map(str::to_owned), label: None }
    }

    pub fn checked(&self) -> Checked {
        Checked { what: format!("`{}`", self.name), span: self.span, node: self.node }
    }
}

/// The columns of a mechanism; none of what is always zero, and none that is a coordinate anyway.
pub(crate) fn columns(built: &Built, known: &[String], scope: &mut Scope) -> Vec<Column> {
    let mut found = Vec::new();
    let Some(mechanism) = scope.mechanism() else { return found };
    if built.joints().count() > MOST {
        return found;
    }
    for (name, joint, span) in built.joints() {
        for coordinate in mechanism.coordinates(joint).collect::<Vec<_>>() {
            let column = format!("{name}.{}", written(coordinate));
            // Angles that do not count their turns would jump.
            if known.contains(&column) || mechanism.wraps(joint.coordinate(coordinate)) {
                continue;
            }
            if let Some(term) = mechanism.formal_coordinate(joint.coordinate(coordinate), scope) {
                let unit = match coordinate {
                    // Nobody knows in what a curve is measured.
                    "parameter" => None,
                    angle if angle.contains("angle") => Some("rad"),
                    _ => Some("m"),
                };
                found.push(Column { name: column, node: Node::from_term(term), unit, span });
            }
        }
        let Some([force, torque]) = mechanism.formal_reaction(joint, false, scope) else { continue };
        for (what, unit, triple) in [("force", "N", force), ("torque", "N m", torque)] {
            let unit = Some(unit);
            for (axis, term) in AXES.iter().zip(triple) {
                let node = Node::from_term(term);
                if !scope.graph.is_zero(node) {
                    found.push(Column { name: format!("{name}.{what}.{axis}"), node, unit, span });
                }
            }
        }
    }
    for (at, (name, of, span)) in built.drivers().enumerate() {
        let Some(((coordinate, _), term)) = of.zip(mechanism.formal_drive(at, scope)) else { continue };
        let (what, unit) = match coordinate.name() {
            "parameter" => ("force", None),
            angle if angle.contains("angle") => ("torque", Some("N m")),
            _ => ("force", Some("N")),
        };
        found.push(Column { name: format!("{name}.{what}"), node: Node::from_term(term), unit, span });
    }
    found.extend(welded(built, scope));
    found
}

/// What bodies that are welded to others would have for coordinates, velocities and accelerations; those that are the same as of what moves
/// them are there already.
fn welded(built: &Built, scope: &mut Scope) -> Vec<Column> {
    let mut found = Vec::new();
    let Some(mechanism) = scope.mechanism() else { return found };
    for (name, body, span) in built.bodies() {
        if mechanism.seat(body).is_own() {
            continue;
        }
        let Some(Placed { place, turns, spins }) = scope.body_columns(&mechanism, body, span) else { continue };
        let (own, planar) = (mechanism.carrier(body) == body, turns.len() == 1);
        let of = if mechanism.is_centred(body) { name.to_owned() } else { format!("{name}.centre") };
        let mut put = |name: String, node: Node, levels: &[(&str, Option<&'static str>)]| {
            let mut node = Some(node);
            for (at, (primes, unit)) in levels.iter().enumerate() {
                if at > 0 {
                    node = node.and_then(|node| scope.rate_of(node, span));
                }
                let Some(node) = node else { return };
                found.push(Column { name: format!("{name}{primes}"), node, unit: *unit, span });
            }
        };
        for (axis, node) in AXES.iter().zip(place) {
            put(format!("{of}.{axis}"), node, &[("", Some("m")), ("'", Some("m/s")), ("''", Some("m/s^2"))]);
        }
        if own {
            continue;
        }
        if planar {
            let levels = [("", Some("rad")), ("'", Some("rad/s")), ("''", Some("rad/s^2"))];
            put(format!("{name}.angle"), turns[0], &levels);
            continue;
        }
        for (number, node) in NUMBERS.iter().zip(turns) {
            put(format!("{name}.{number}"), node, &[("", None)]);
        }
        for (axis, node) in AXES.iter().zip(spins) {
            put(format!("{name}.omega.{axis}"), node, &[("", Some("rad/s")), ("'", Some("rad/s^2"))]);
        }
    }
    found
}
