//! A drawing that became a mechanism: its names in formulas, its late laws, and where it starts.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use alembert::{Advised, Guess};
use alembert_mechanism::formal::Moving;
use alembert_mechanism::{BodyId, BuildError, Closed, CoordinateId, Fault, JointId, Mechanism};

use super::super::Assembled;
use super::{Drawing, DrawnLaw, LateFormula};
use crate::graph::{Derivatives, Node};
use crate::scope::{Part, Scope, Value};
use crate::tape::{Layout, Tape};
use crate::text::Span;

/// What formulas call the reactions of joints.
const REACTIONS: [&str; 4] = ["force", "torque", "world_force", "world_torque"];

/// What is left of a drawing when its mechanism has been built.
pub(crate) struct Built {
    pub bodies: Vec<super::DrawnBody>,
    pub joints: Vec<super::DrawnJoint>,
    drivers: Vec<super::DrawnDriver>,
    pub laws: Vec<DrawnLaw>,
    late: Vec<LateFormula>,
    pub planar: bool,
    pub gravity: super::Vector,
    pub sights: Vec<(String, super::Sight)>,
    /// Where things stand in the file, by their names.
    spans: HashMap<String, Span>,
}

impl Built {
    /// Builds the mechanism, which the scope then has; angles whose values formulas of the file speak of are counted.
    /// One that has been assembled before is taken as it is.
    pub fn new(drawing: Drawing, text: &str, assembled: Option<&Assembled>, scope: &mut Scope) -> Option<Built> {
        let Drawing { mut builder, planar, gravity, sights, bodies, joints, others, drivers, laws, late, .. } = drawing;
        let plain = unescaped(text);
        let spoken = spoken_of(&plain);
        for joint in &joints {
            let stem = joint.name.split('[').next().unwrap_or_default();
            let coordinates = spoken.iter().filter(|(name, _)| *name == stem || *name == joint.name);
            for (_, coordinate) in coordinates {
                if let Some(name) = builder.coordinate_name(joint.id, coordinate) {
                    builder.count(joint.id.coordinate(name));
                }
                // What a weld carries is a formula of its multipliers.
                if REACTIONS.contains(coordinate) {
                    builder.keep(joint.id);
                }
            }
        }
        for law in &laws {
            if let (super::Acts::Coordinate { of, .. }, Some(local)) = (&law.acts, law.local) {
                let formula = law.formulas.first().map(|formula| formula.body.span);
                let used = formula
                    .and_then(|span| text.get(span.start..span.end))
                    .is_some_and(|law| speaks(&unescaped(law), local));
                if used {
                    builder.count(*of);
                }
            }
        }
        let spans: HashMap<String, Span> = joints
            .iter()
            .map(|joint| (&joint.name, joint.span))
            .chain(drivers.iter().map(|driver| (&driver.name, driver.span)))
            .chain(laws.iter().map(|law| (&law.name, law.span)))
            .chain(bodies.iter().map(|body| (&body.name, body.span)))
            .chain(others.iter().map(|(name, span)| (name, *span)))
            .map(|(name, span)| (name.clone(), span))
            .collect();
        if let Some((mechanism, _)) = assembled {
            scope.mechanism = Some(Arc::clone(mechanism));
            return Some(Built { bodies, joints, drivers, laws, late, planar, gravity, sights, spans });
        }
        match builder.build() {
            Ok(mechanism) => {
                for law in &laws {
                    if let super::Acts::Body(on, _) = law.acts
                        && matches!(mechanism.moving(on), Moving::Particle | Moving::PlanarParticle)
                    {
                        let message = format!("the torque `{}` acts on a point mass, which does not turn", law.name);
                        scope.mistakes.add(Some(law.span), message, Some("give the body an inertia".to_owned()));
                    }
                }
                scope.mechanism = Some(Arc::new(mechanism));
            }
            Err(error) => {
                let span = error.blame().and_then(|name| spans.get(&name).copied());
                scope.mistakes.add(span, error.message(), error.hint());
                return None;
            }
        }
        Some(Built { bodies, joints, drivers, laws, late, planar, gravity, sights, spans })
    }

    /// Makes the names of bodies, joints, drivers and forces known to formulas.
    pub fn declare(&self, scope: &mut Scope) {
        let Some(mechanism) = scope.mechanism() else { return };
        for body in &self.bodies {
            let arm = |point: [f64; 3]| mechanism.arm(&body.id.at(point));
            let part = Part::Body {
                name: body.name.clone(),
                at: mechanism.standing(body.id),
                kind: mechanism.moving(body.id),
                seat: mechanism.seat(body.id),
                origin: arm([0.0; 3]),
                points: body.points.iter().map(|(name, point)| (name.clone(), arm(*point))).collect(),
            };
            scope.add_part(part, body.span);
        }
        for joint in &self.joints {
            let coordinates = mechanism.coordinates(joint.id).map(|name| joint.id.coordinate(name)).collect();
            scope.add_part(Part::Joint { name: joint.name.clone(), id: joint.id, coordinates }, joint.span);
        }
        for (at, driver) in self.drivers.iter().enumerate() {
            scope.add_part(Part::Driver { name: driver.name.clone(), at, along: driver.of.is_some() }, driver.span);
        }
        for law in &self.laws {
            scope.add_part(Part::Law { name: law.name.clone(), value: None }, law.span);
        }
    }

    /// Gives late laws their formulas; their nodes with what messages call them.
    pub fn bind(&self, layout: Layout, scope: &mut Scope) -> Vec<(Node, String)> {
        let mut driven = Vec::new();
        for LateFormula { law, instance, span, what, argument } in &self.late {
            // A parameter of a curve stands in the place of time.
            let time = Value::Number(scope.graph.input(Layout::T));
            let local = argument.map(|name| (name.to_owned(), time)).into_iter().collect();
            let Some(node) = scope.with_local(local, |scope| scope.instance(instance)) else { continue };
            let inputs = scope.graph.inputs(node, &mut scope.marks);
            if inputs.into_iter().any(|input| input != Layout::T) {
                let of = argument.unwrap_or("t");
                let hint =
                    format!("it may contain parameters and {of}; what depends on the motion is a law under [[forces]]");
                scope.mistakes.add(*span, format!("{what} is not a formula of {of}"), Some(hint));
                continue;
            }
            let one = scope.graph.constant(1.0);
            let mut derivatives = Derivatives::default();
            let along = |input: usize| (input == Layout::T).then_some(one);
            let first = derivatives.along(&mut scope.graph, &[node], along);
            let second = derivatives.along(&mut scope.graph, &first, along);
            let outputs = [(0, node), (1, first[0]), (2, second[0])];
            law.bind(Tape::new(&scope.graph, layout, &outputs, &mut scope.marks));
            if argument.is_none() {
                driven.push((node, what.clone()));
            }
        }
        driven
    }

    /// Closes the mechanism at a time; joints that stay open are a mistake of the file.
    pub fn close(&self, t: f64, scope: &mut Scope) -> Option<Closed> {
        let mut shared = scope.mechanism.take()?;
        let closed = match Arc::get_mut(&mut shared) {
            Some(mechanism) => {
                mechanism.begin_at(t);
                mechanism.close()
            }
            None => return None,
        };
        scope.mechanism = Some(shared);
        let meets = |mechanism: &Mechanism| {
            // The length of a law is the root of a square, which has no derivative at zero.
            let law = self.laws.iter().find(|law| match &law.acts {
                super::Acts::Between(i, j) => mechanism.place(i) == mechanism.place(j),
                _ => false,
            });
            law.map_or(Ok(()), |law| Err(BuildError { name: law.name.clone(), fault: Fault::NoDirection }))
        };
        let acts = |mechanism: &Arc<Mechanism>| {
            mechanism.check_lines().and_then(|()| meets(mechanism)).and_then(|()| mechanism.check_friction())
        };
        let rubs = scope.mechanism.as_ref().map(acts);
        if let (Ok(_), Some(Err(error))) = (&closed, rubs) {
            let span = error.blame().and_then(|name| self.spans.get(&name).copied());
            scope.mistakes.add(span, error.message(), error.hint());
            return None;
        }
        match closed {
            Ok(closed) => Some(closed),
            Err(error) => {
                let span = error.blame().and_then(|name| self.spans.get(&name).copied());
                scope.mistakes.add(span, error.message(), error.hint());
                None
            }
        }
    }

    /// Where the mechanism starts.
    pub fn guess(&self, scope: &Scope) -> Option<Guess> {
        scope.mechanism.as_ref().map(|mechanism| mechanism.guess().clone())
    }

    /// The bodies.
    pub fn bodies(&self) -> impl Iterator<Item = (&str, BodyId, Span)> {
        self.bodies.iter().map(|body| (body.name.as_str(), body.id, body.span))
    }

    /// The joints with their coordinates.
    pub fn joints(&self) -> impl Iterator<Item = (&str, JointId, Span)> {
        self.joints.iter().map(|joint| (joint.name.as_str(), joint.id, joint.span))
    }

    /// What drivers drive, with their names.
    pub fn drivers(&self) -> impl Iterator<Item = (&str, Option<(CoordinateId, bool)>, Span)> {
        self.drivers.iter().map(|driver| (driver.name.as_str(), driver.of, driver.span))
    }
}

/// A text with the characters that strings of TOML may write by their numbers.
fn unescaped(text: &str) -> Cow<'_, str> {
    let mut parts = text.split('\\');
    let mut plain = Cow::Borrowed(parts.next().unwrap_or_default());
    if plain.len() == text.len() {
        return plain;
    }
    for part in parts {
        let digits = match part.chars().next() {
            Some('u') => part.get(1..5),
            Some('U') => part.get(1..9),
            _ => None,
        };
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
        match (number, digits) {
            (Some(letter), Some(digits)) => {
                plain.to_mut().extend([letter.to_string().as_str(), &part[1 + digits.len()..]])
            }
            _ => plain.to_mut().extend(["\\", part]),
        }
    }
    plain
}

/// Whether a text speaks of a name itself, not only of its rate.
fn speaks(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let in_name = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.');
        !in_name(before) && !in_name(after) && after != Some('\'')
    })
}

/// Pairs of names `J.angle` that a file speaks of: what stands before the last point, without an index, and behind it. Rates do not count.
///
/// This looks at the text and not at formulas: what is found too often (in a comment) costs a coordinate and nothing else.
fn spoken_of(text: &str) -> HashSet<(&str, &str)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = HashSet::new();
    for (point, _) in text.match_indices('.') {
        let rest = &text[point + 1..];
        let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let (field, next) = (&rest[..end], rest[end..].chars().next());
        if field.is_empty() || next == Some('\'') {
            continue;
        }
        let mut before = &text[..point];
        if before.ends_with(']') {
            before = &before[..before.rfind('[').unwrap_or(0)];
        }
        let name = match before.strip_suffix('`') {
            Some(before) => &before[before.rfind('`').map_or(0, |at| at + 1)..],
            None => {
                &before[before
                    .rfind(|c: char| !is_name(c))
                    .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8))..]
            }
        };
        if !name.is_empty() {
            found.insert((name, field));
        }
    }
    found
}
