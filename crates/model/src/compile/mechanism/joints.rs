//! The `[[joints]]` sections: joints between bodies; couplings of joints are read beside it.

use std::sync::Arc;

use alembert_mechanism::law::TimeLaw;
use alembert_mechanism::{CoordinateId, Friction, Marker, Stops};
use toml::de::DeValue;

use super::kinds::{Axial, KINDS, Kind, LateCurve, Parameters, Zero};
use super::late::LateLaw;
use super::markers::End;
use super::names::shortened;
use super::reader::{Known, Reader, find};
use super::{DrawnJoint, LateFormula, Span, Vector};
use crate::document::{Entry, entries, kind};
use crate::format::{FRICTION, JOINTS, LIMITS};
use crate::nearest::nearest;

/// Keys that every joint may have.
const COMMON: [&str; 4] = ["of", "start", "friction", "limits"];

/// Joints whose reactions press on what slides.
const RUBBING: [&str; 5] = ["revolute", "prismatic", "cylindrical", "spherical", "planar"];

impl<'d> Reader<'_, 'd, '_> {
    pub fn joints(&mut self) {
        // Couplings name joints that may come later.
        self.each("joints", |reader, keys| {
            if !reader.is_coupling(keys) {
                reader.joint_entry(keys);
            }
        });
        self.each("joints", |reader, keys| {
            if reader.is_coupling(keys) {
                reader.coupling(keys);
            }
        });
    }

    fn is_coupling(&self, keys: &[Entry<'d>]) -> bool {
        let word = find(keys, "type").and_then(|entry| entry.value.as_str());
        word.is_some_and(|word| super::couplings::TYPES.contains(&word))
    }

    fn joint_entry(&mut self, keys: &[Entry<'d>]) {
        let Some((name, span)) = self.name(keys, "joint") else {
            if let Some(stem) = find(keys, "name").and_then(|name| self.stem(&name)) {
                self.lost.insert(stem);
            }
            return;
        };
        if !self.declare(&name, span, Known::Joint(None)) {
            return;
        }
        if let Some((at, kind)) = self.drawn(keys, &name, span) {
            self.known.insert(name, Known::Joint(Some((at, kind))));
        }
    }

    fn drawn(&mut self, keys: &[Entry<'d>], name: &str, span: Span) -> Option<(usize, &'static Kind)> {
        let what = format!("the joint `{name}`");
        let of = self.needed(keys, "of", &what, span, "write of = [\"body.point\", \"body.point\"]");
        let ends = of.and_then(|of| self.ends(&of));
        let hint = format!("it may be {}", JOINTS.join(", "));
        let entry = self.needed(keys, "type", &what, span, &hint)?;
        let word = self.document.choice(&entry, JOINTS, self.scope.mistakes)?;
        let kind = KINDS.iter().find(|kind| kind.name == word)?;
        if kind.coordinates(self.planar).is_none() {
            let message = format!("a {word} joint has no meaning in the plane");
            self.wrong(entry.span, message, "take another type, or dimension = 3");
            return None;
        }
        let mut allowed = COMMON.to_vec();
        allowed.extend(kind.needs);
        allowed.extend((kind.axial != Axial::None).then_some("axis"));
        allowed.extend((word == "fixed").then_some("keep"));
        self.only(keys, &allowed, &format!("a {word} joint"));
        let parameters = self.parameters(keys, kind, name, span);
        let markers = ends.and_then(|ends| self.markers(keys, kind, &ends, name, span));
        let friction = find(keys, "friction").map(|entry| self.friction(&entry, kind));
        let (markers, parameters) = (markers?, parameters?);
        let radius = parameters.radius;
        let id = (kind.make)(&mut self.drawing.builder, name.to_owned(), parameters, markers[0], markers[1]);
        if find(keys, "keep").and_then(|entry| self.document.flag(&entry, self.scope.mistakes)) == Some(true) {
            self.drawing.builder.keep(id);
        }
        let limits = find(keys, "limits").map(|entry| self.limits(&entry, kind, name));
        if let Some(entry) = find(keys, "start") {
            self.start(&entry, kind, name, |name| id.coordinate(name));
        }
        if let Some(friction) = friction.flatten() {
            self.drawing.builder.friction(name, id, friction);
        }
        if let Some((of, stops)) = limits.flatten() {
            self.drawing.builder.stops(name, id.coordinate(of), stops);
        }
        self.drawing.joints.push(DrawnJoint { name: name.to_owned(), span, id, kind: kind.name, markers, radius });
        Some((self.drawing.joints.len() - 1, kind))
    }

    /// Markers with the axes of the joint.
    fn markers(
        &mut self,
        keys: &[Entry<'d>],
        kind: &Kind,
        ends: &[End; 2],
        name: &str,
        at: Span,
    ) -> Option<[Marker; 2]> {
        if kind.on_ground && ends[0].body.is_some() {
            let message = format!("the first end of a {} joint must be on the ground", kind.name);
            self.wrong(ends[0].span, message, "give the ground first, the wheel second");
            return None;
        }
        if kind.axial == Axial::None {
            return Some(ends.map(|end| end.marker));
        }
        // In the plane hinges have their axis, and guides need one that lies in it.
        let hinge = self.planar && kind.name == "revolute";
        let relevant = if kind.axial == Axial::First { &ends[..1] } else { &ends[..] };
        let entry = find(keys, "axis");
        let all_framed = relevant.iter().all(|end| end.z.is_some());
        let given = match entry {
            Some(entry) if all_framed => {
                self.wrong(entry.key_span, "the ends are frames, which have axes of their own", "leave out `axis`");
                return None;
            }
            Some(entry) => Some((self.axes(&entry)?, entry)),
            None if all_framed || hinge => None,
            None => {
                let hint = match kind.axial {
                    Axial::Two => "write axis = [\"x\", \"y\"]: one of each body",
                    _ if self.planar => "write axis = \"x\", in the axes of both bodies",
                    _ => "write axis = \"z\", in the axes of both bodies",
                };
                self.wrong(at, format!("the joint `{name}` has no `axis`"), hint);
                return None;
            }
        };
        if let Some(((_, two), entry)) = given {
            if kind.axial == Axial::Two && !two && relevant.iter().all(|end| end.z.is_none()) {
                let message = format!("a {} joint has two axes", kind.name);
                self.wrong(entry.span, message, "write axis = [\"x\", \"y\"]: one of each body");
                return None;
            }
            if two && relevant.iter().any(|end| end.z.is_some()) {
                self.wrong(
                    entry.span,
                    "an end is a frame, which has an axis of its own",
                    "give the axis of the other end",
                );
                return None;
            }
        }
        let given_axes = given.map(|((axes, _), _)| axes);
        let mut markers = ends.map(|end| end.marker);
        for side in 0..relevant.len() {
            let axis: Option<Vector> = ends[side].z.or(given_axes.map(|axes| axes[side]));
            let Some(z) = axis else { continue };
            let size = z.iter().map(|x| x * x).sum::<f64>().sqrt();
            let upright = z[2].abs() > 0.5 * size;
            if self.planar && upright != hinge {
                let span = given.map_or(ends[side].span, |(_, entry)| entry.span);
                let (message, hint) = match hinge {
                    true => ("a revolute joint in the plane turns about z".to_owned(), "leave out `axis`"),
                    false => (format!("the axis of a {} joint must lie in the plane", kind.name), "write axis = \"x\""),
                };
                self.wrong(span, message, hint);
                return None;
            }
            if ends[side].z.is_none() {
                markers[side] = markers[side].axis(z);
            }
        }
        Some(markers)
    }

    /// Numbers and curves of a joint.
    fn parameters(&mut self, keys: &[Entry<'d>], kind: &Kind, name: &str, at: Span) -> Option<Parameters> {
        let mut parameters = Parameters::default();
        for key in kind.needs {
            let hint = if *key == "length" { "write length = 1; a driver of the length takes its place" } else { "" };
            let entry = self.needed(keys, key, &format!("the joint `{name}`"), at, hint)?;
            match *key {
                "length" => parameters.length = self.positive(&entry)?,
                "radius" => parameters.radius = self.positive(&entry)?,
                _ => parameters.curve = Some(Arc::new(self.curve(&entry, name)?)),
            }
        }
        if let Some(start) = find(keys, "start")
            && let DeValue::Table(table) = start.value
            && let Some(entry) = entries(table).iter().find(|entry| entry.key == "parameter")
        {
            parameters.parameter = Some(self.number(entry)?);
        }
        Some(parameters)
    }

    fn curve(&mut self, entry: &Entry<'d>, name: &str) -> Option<LateCurve> {
        let mut laws = LateCurve::default().0;
        for (law, component) in laws.iter_mut().zip(self.components(entry)?) {
            *law = self.late(&component, format!("the curve of joint `{name}`"), Some("s"))?;
        }
        Some(LateCurve(laws))
    }

    /// A function that gets its formula later.
    pub fn late(
        &mut self,
        entry: &Entry<'d>,
        what: String,
        argument: Option<&'static str>,
    ) -> Option<Arc<dyn TimeLaw>> {
        let instance = self.instance(entry)?;
        let law = Arc::new(LateLaw::default());
        self.drawing.late.push(LateFormula { law: law.clone(), instance, span: entry.span, what, argument });
        Some(law)
    }

    /// The path of formulas of which those left out in the plane are zero.
    pub fn late_components(&mut self, entry: &Entry<'d>, what: &str) -> Option<[Arc<dyn TimeLaw>; 3]> {
        let mut laws = [0, 1, 2].map(|_| Arc::new(Zero) as Arc<dyn TimeLaw>);
        for (law, component) in laws.iter_mut().zip(self.components(entry)?) {
            *law = self.late(&component, what.to_owned(), None)?;
        }
        Some(laws)
    }

    /// Values and rates that the start holds.
    fn start(&mut self, entry: &Entry<'d>, kind: &'static Kind, name: &str, id: impl Fn(&'static str) -> CoordinateId) {
        let DeValue::Table(table) = entry.value else {
            let message = format!("`start` must be a table, found {}", self::kind(entry.value));
            self.wrong(entry.span, message, "write start = { angle = 1, speed = 0 }");
            return;
        };
        for held in entries(table) {
            if held.key == "parameter" && kind.needs.contains(&"curve") {
                continue;
            }
            let (written, rate) = match held.key {
                "speed" => ("", true),
                key => (key.trim_end_matches('\''), key.ends_with('\'')),
            };
            let Some(coordinate) = self.coordinate(kind, name, written, held.key_span) else { continue };
            let Some(value) = self.number(&held) else { continue };
            match rate {
                true => self.drawing.builder.start_speed(id(coordinate), value),
                false => self.drawing.builder.start(id(coordinate), value),
            };
        }
    }

    /// A coordinate of a joint by its name; without one the only one that it has.
    pub fn coordinate(&mut self, kind: &Kind, joint: &str, written: &str, at: Span) -> Option<&'static str> {
        let known = kind.coordinates(self.planar).unwrap_or_default();
        let word = written.replace('_', " ");
        match (word.as_str(), known) {
            (_, []) => {
                let message = format!("the joint `{joint}` has no coordinate: it is a {} joint", kind.name);
                self.wrong(at, message, "");
                None
            }
            ("", [only]) => Some(only),
            ("", _) => {
                let message = format!("the joint `{joint}` has several coordinates");
                let hint = format!("say which: {}, or rates as \"{}'\"", known.join(", "), known[0]);
                self.wrong(at, message, hint);
                None
            }
            (word, _) => {
                let found = known.iter().find(|name| **name == word).copied();
                if found.is_none() {
                    let near = nearest(word, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
                    let hint = near.unwrap_or_else(|| format!("it has {}", shortened(known)));
                    self.wrong(at, format!("the joint `{joint}` has no coordinate `{written}`"), hint);
                }
                found
            }
        }
    }

    fn friction(&mut self, entry: &Entry<'d>, kind: &Kind) -> Option<Friction> {
        let keys = self.table(entry, FRICTION)?;
        if !RUBBING.contains(&kind.name) {
            let message = format!("a {} joint has no friction", kind.name);
            self.wrong(entry.key_span, message, format!("joints with friction are {}", RUBBING.join(", ")));
            return None;
        }
        let hint = "write friction = { mu = 0.1, radius = 0.01 }";
        let mu = self.needed(&keys, "mu", "the friction", entry.span, hint);
        if kind.name != "prismatic" {
            let hint = "a joint that turns has the radius of its bearing";
            self.needed(&keys, "radius", "the friction", entry.span, hint);
        }
        let mut friction = Friction::new(mu.and_then(|entry| self.not_negative(&entry))?);
        for entry in &keys {
            friction = match entry.key {
                "radius" => friction.radius(self.positive(entry)?),
                "speed" => friction.speed(self.positive(entry)?),
                "arm" => friction.arm(self.positive(entry)?),
                "preload" => friction.preload(self.not_negative(entry)?),
                _ => friction,
            };
        }
        Some(friction)
    }

    fn limits(&mut self, entry: &Entry<'d>, kind: &Kind, name: &str) -> Option<(&'static str, Stops)> {
        let keys = self.table(entry, LIMITS)?;
        let written = match find(&keys, "coordinate") {
            Some(entry) => self.words(&entry)?,
            None => String::new(),
        };
        let of = self.coordinate(kind, name, &written, entry.span)?;
        let [min, max] = ["min", "max"].map(|key| find(&keys, key).map(|entry| self.number(&entry)));
        let stiffness = self.needed(
            &keys,
            "stiffness",
            "the limits",
            entry.span,
            "write limits = { min = 0, max = 1, stiffness = 1e5 }",
        );
        let stiffness = stiffness.and_then(|entry| self.positive(&entry));
        let damping = find(&keys, "damping").map_or(Some(0.0), |entry| self.not_negative(&entry));
        let (min, max) = (transposed(min)?, transposed(max)?);
        if min.is_none() && max.is_none() {
            self.wrong(entry.span, "the limits have neither `min` nor `max`", "give one of the two, or both");
            return None;
        }
        if let (Some(low), Some(high)) = (min, max)
            && low >= high
        {
            self.wrong(entry.span, format!("the lower limit {low} is not below the upper one {high}"), "");
            return None;
        }
        let (lower, upper) = (min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY));
        Some((of, Stops { lower, upper, stiffness: stiffness?, damping: damping? }))
    }
}

/// None for a mistake, some none for what is not there.
fn transposed(x: Option<Option<f64>>) -> Option<Option<f64>> {
    x.map_or(Some(None), |x| x.map(Some))
}
