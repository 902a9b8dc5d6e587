//! The `[[forces]]` sections: springs and bushings with numbers go to the builder, laws wait for the names of the file.

use std::rc::Rc;
use std::sync::Arc;

use alembert_mechanism::law::Linear;
use alembert_mechanism::{Axes, Bushing, CoordinateId};

use super::reader::{Known, Reader, find};
use super::{Acts, DrawnLaw, Sight, Span, Vector};
use crate::document::Entry;
use crate::format::{AXES, FORCES};
use crate::formula::{Expr, Kind};
use crate::scope::Instance;

/// Components of a force or torque.
enum Components {
    Constant(Vector),
    Formulas(Vec<Instance>),
}

/// Coordinates on which forces act, as laws call them.
const COORDINATES: [&str; 4] = ["angle", "displacement", "length", "parameter"];

impl<'d> Reader<'_, 'd, '_> {
    pub fn forces(&mut self) {
        self.each("forces", |reader, keys| {
            let Some((name, span)) = reader.name(keys, "force") else { return };
            if reader.declare(&name, span, Known::Force) {
                reader.force(keys, &name, span);
            }
        });
    }

    fn force(&mut self, keys: &[Entry<'d>], name: &str, span: Span) -> Option<()> {
        let hint = format!("it may be {}", FORCES.join(", "));
        let entry = self.needed(keys, "type", &format!("the force `{name}`"), span, &hint)?;
        match self.document.choice(&entry, FORCES, self.scope.mistakes)? {
            "spring" => self.spring(keys, name, span),
            "torsion" => self.torsion(keys, name, span),
            "bushing" => self.bushing(keys, name, span),
            "contact" => self.contact(keys, name, span),
            "drag" => self.drag(keys, name, span),
            "tyre" => self.tyre(keys, name, span),
            word => match self.one_of(keys, &["joint", if word == "force" { "at" } else { "on" }]) {
                Some(entry) if entry.key == "joint" => self.on_joint(keys, word, name, span),
                Some(entry) if entry.key == "at" => self.at_point(keys, &entry, name, span),
                Some(entry) => self.on_body(keys, &entry, name, span),
                None => {
                    let (other, write) = match word {
                        "force" => ("at", "joint = \"…\" and a law, or at = \"body.point\" and force = […]"),
                        _ => ("on", "joint = \"…\" and a law, or on = \"body\" and torque = […]"),
                    };
                    let message = format!("the {word} `{name}` has neither `joint` nor `{other}`");
                    self.wrong(span, message, format!("write {write}"));
                    None
                }
            },
        }
    }

    /// A law, or numbers of a spring with a damper.
    fn linear(
        &mut self,
        keys: &[Entry<'d>],
        what: &str,
        span: Span,
        needs_rest: bool,
    ) -> Option<Result<Linear, Instance>> {
        let numbers = ["stiffness", "damping", "rest"];
        if let Some(law) = find(keys, "law") {
            if let Some(other) = keys.iter().find(|entry| numbers.contains(&entry.key)) {
                let message = format!("both `law` and `{}` are given", other.key);
                self.wrong(other.key_span, message, "keep one of the two");
            }
            return self.instance(&law).map(Err);
        }
        let [stiffness, damping] = ["stiffness", "damping"].map(|key| find(keys, key));
        if stiffness.is_none() && damping.is_none() {
            let message = format!("{what} has neither `stiffness`, `damping` nor `law`");
            self.wrong(span, message, "write stiffness = 1000, or a law");
            return None;
        }
        let rest = match find(keys, "rest") {
            Some(entry) => self.number(&entry),
            None if needs_rest && stiffness.is_some() => {
                self.wrong(span, format!("{what} has no `rest`"), "it is the length without force");
                None
            }
            None => Some(0.0),
        };
        let [stiffness, damping] =
            [stiffness, damping].map(|entry| entry.map_or(Some(0.0), |entry| self.number(&entry)));
        Some(Ok(Linear { stiffness: stiffness?, damping: damping?, rest: rest? }))
    }

    fn spring(&mut self, keys: &[Entry<'d>], name: &str, span: Span) -> Option<()> {
        self.only(keys, &["of", "law", "stiffness", "damping", "rest"], "a spring");
        let what = format!("the spring `{name}`");
        let of = self.needed(keys, "of", &what, span, "write of = [\"body.point\", \"body.point\"]");
        let ends = of.and_then(|of| self.ends(&of));
        let law = self.linear(keys, &what, span, true);
        let ([first, second], law) = (ends?, law?);
        match law {
            Ok(linear) => {
                let damper = linear.stiffness == 0.0;
                self.sight(name, Sight::Between { ends: [first.marker, second.marker], damper });
                self.drawing.builder.spring(name, first.marker, second.marker, linear);
                self.named(name, span);
            }
            Err(instance) => {
                self.sight(name, Sight::Between { ends: [first.marker, second.marker], damper: false });
                let acts = Acts::Between(first.marker, second.marker);
                self.law(name, span, acts, vec![instance], Some("length"));
            }
        }
        Some(())
    }

    /// Remembers what a force looks like.
    pub(super) fn sight(&mut self, name: &str, sight: Sight) {
        self.drawing.sights.push((name.to_owned(), sight));
    }

    /// Remembers where what the builder has stands.
    pub(super) fn named(&mut self, name: &str, span: Span) {
        self.drawing.others.push((name.to_owned(), span));
    }

    fn law(&mut self, name: &str, span: Span, acts: Acts, formulas: Vec<Instance>, local: Option<&'static str>) {
        self.drawing.laws.push(DrawnLaw { name: name.to_owned(), span, acts, formulas, local });
    }

    /// The coordinate that a force acts on, and what formulas may call it.
    fn acted(
        &mut self,
        keys: &[Entry<'d>],
        what: &str,
        span: Span,
        usual: &str,
    ) -> Option<(CoordinateId, &'static str)> {
        let entry = self.needed(keys, "joint", what, span, "")?;
        let (joint, kind) = self.joint(&entry)?;
        let name = self.drawing.joints[joint].name.clone();
        let known = kind.coordinates(self.planar).unwrap_or_default();
        let (written, at) = match find(keys, "coordinate") {
            Some(entry) => (self.words(&entry)?, entry.span),
            // A torque means the angle of a joint with several coordinates.
            None if known.len() == 1 || !known.contains(&usual) => (String::new(), entry.span),
            None => (usual.to_owned(), entry.span),
        };
        let coordinate = self.coordinate(kind, &name, &written, at)?;
        let local = COORDINATES.into_iter().find(|word| coordinate.contains(word))?;
        let turns = usual == "angle";
        if turns != (local == "angle") {
            let word = if turns { "torque" } else { "force" };
            let message = format!("a {word} does not act on the {coordinate} of the joint `{name}`");
            self.wrong(at, message, if turns { "write type = \"force\"" } else { "write type = \"torque\"" });
            return None;
        }
        Some((self.drawing.joints[joint].id.coordinate(coordinate), local))
    }

    fn torsion(&mut self, keys: &[Entry<'d>], name: &str, span: Span) -> Option<()> {
        self.only(keys, &["joint", "coordinate", "law", "stiffness", "damping", "rest"], "a torsion spring");
        let what = format!("the torsion spring `{name}`");
        let acted = self.acted(keys, &what, span, "angle");
        let law = self.linear(keys, &what, span, false);
        let ((of, local), law) = (acted?, law?);
        match law {
            Ok(linear) => {
                self.drawing.builder.load(name, of, Arc::new(linear));
                self.named(name, span);
            }
            Err(instance) => {
                self.law(name, span, Acts::Coordinate { of, restoring: true }, vec![instance], Some(local))
            }
        }
        Some(())
    }

    fn on_joint(&mut self, keys: &[Entry<'d>], word: &str, name: &str, span: Span) -> Option<()> {
        let other = if word == "force" { "at" } else { "on" };
        // Of that and the joint it was said that both are given.
        self.only(keys, &["joint", "coordinate", "law", other], &format!("a {word} on a joint"));
        let what = format!("the {word} `{name}`");
        let acted = self.acted(keys, &what, span, if word == "torque" { "angle" } else { "displacement" });
        let law = self.needed(keys, "law", &what, span, "write law = \"…\", a formula of everything");
        let law = law.and_then(|law| self.instance(&law));
        let ((of, local), law) = (acted?, law?);
        self.law(name, span, Acts::Coordinate { of, restoring: false }, vec![law], Some(local));
        Some(())
    }

    fn at_point(&mut self, keys: &[Entry<'d>], at: &Entry<'d>, name: &str, span: Span) -> Option<()> {
        self.only(keys, &["at", "force", "axes"], "a force at a point");
        let end = self.end(at);
        let force = self.needed(keys, "force", &format!("the force `{name}`"), span, "write its components");
        let force = force.and_then(|entry| {
            let list = self.components(&entry)?;
            self.given(&list, 0)
        });
        let axes = self.given_axes(keys);
        let (end, force, axes) = (end?, force?, axes?);
        if end.body.is_none() {
            self.wrong(at.span, "a force on the ground moves nothing", "name a point of a body");
            return None;
        }
        match force {
            Components::Constant(force) => {
                self.sight(name, Sight::Force { at: end.marker, force, axes });
                self.drawing.builder.force(name, end.marker, force, axes);
                self.named(name, span);
            }
            Components::Formulas(formulas) => self.law(name, span, Acts::Point(end.marker, axes), formulas, None),
        }
        Some(())
    }

    fn on_body(&mut self, keys: &[Entry<'d>], on: &Entry<'d>, name: &str, span: Span) -> Option<()> {
        self.only(keys, &["on", "torque", "axes"], "a torque on a body");
        let end = self.end(on);
        let torque = self.needed(keys, "torque", &format!("the torque `{name}`"), span, "write its components");
        let torque = torque.and_then(|entry| match (self.planar, entry.value.is_array()) {
            // In the plane about z alone.
            (true, false) => self.given(&[entry], 2),
            (true, true) => {
                self.wrong(entry.span, "a torque in the plane is one formula", "write torque = \"…\"");
                None
            }
            (false, _) => {
                let list = self.components(&entry)?;
                self.given(&list, 0)
            }
        });
        let axes = self.given_axes(keys);
        let (end, torque, axes) = (end?, torque?, axes?);
        let Some(body) = end.body else {
            self.wrong(on.span, "a torque on the ground moves nothing", "name a body");
            return None;
        };
        let id = self.drawing.bodies[body].id;
        match torque {
            Components::Constant(torque) => {
                self.drawing.builder.torque(name, id, torque, axes);
                self.named(name, span);
            }
            Components::Formulas(formulas) => self.law(name, span, Acts::Body(id, axes), formulas, None),
        }
        Some(())
    }

    /// Components from the given one on; the others are zero.
    fn given(&mut self, list: &[Entry<'d>], first: usize) -> Option<Components> {
        let formulas: Vec<Option<Instance>> = list.iter().map(|entry| self.instance(entry)).collect();
        let formulas: Vec<Instance> = formulas.into_iter().collect::<Option<_>>()?;
        if formulas.iter().all(|formula| self.is_constant(&formula.body)) {
            let mut constant = [0.0; 3];
            for (x, entry) in constant[first..].iter_mut().zip(list) {
                *x = self.number(entry)?;
            }
            return Some(Components::Constant(constant));
        }
        let span = list.first().map_or(Span { start: 0, end: 0 }, |entry| entry.span);
        let zero = Instance { body: Rc::new(Expr { kind: Kind::Number(0.0), span }), indices: Vec::new() };
        let mut all = vec![zero; 3];
        all.splice(first..first + formulas.len(), formulas);
        Some(Components::Formulas(all))
    }

    fn given_axes(&mut self, keys: &[Entry<'d>]) -> Option<Axes> {
        let Some(entry) = find(keys, "axes") else { return Some(Axes::World) };
        let word = self.document.choice(&entry, AXES, self.scope.mistakes)?;
        Some(if word == "body" { Axes::Body } else { Axes::World })
    }

    fn bushing(&mut self, keys: &[Entry<'d>], name: &str, span: Span) -> Option<()> {
        let allowed = ["of", "stiffness", "damping", "torsion", "torsion_damping"];
        self.only(keys, &allowed, "a bushing");
        let what = format!("the bushing `{name}`");
        let of = self.needed(keys, "of", &what, span, "write of = [\"body.point\", \"body.point\"]");
        let ends = of.and_then(|of| self.ends(&of));
        self.needed(keys, "stiffness", &what, span, "write stiffness = 1e5, or one number for each axis");
        let [stiffness, torsion, damping, torsion_damping] = ["stiffness", "torsion", "damping", "torsion_damping"]
            .map(|key| find(keys, key).map_or(Some([0.0; 3]), |entry| self.one_or_three(&entry)));
        let bushing =
            Bushing { stiffness: stiffness?, torsion: torsion?, damping: damping?, torsion_damping: torsion_damping? };
        let [first, second] = ends?;
        self.drawing.builder.bushing(name, first.marker, second.marker, bushing);
        self.named(name, span);
        Some(())
    }
}
