//! Couplings of joints: gears, belts, racks, screws, differentials. The sum of ratios times coordinates stays what it is at the start.
//!
//! ```text
//! gear   r_1 a_1 + r_2 a_2 (internal: minus)     belt   r_1 a_1 - r_2 a_2
//! rack   x - r a                                 screw  x - pitch/(2 pi) a
//! ```
//!
//! Of a rack and a screw it is plain which joint turns and which one slides, so that they are named in any order. A radius of a rack that is negative
//! puts it on the other side of its pinion.

use std::f64::consts::TAU;

use alembert_mechanism::CoordinateId;

use super::names::Place;
use super::reader::{Known, Reader, elements, find};
use crate::document::Entry;
use crate::text::Span;

/// Their types.
pub(super) const TYPES: [&str; 6] = ["gear", "belt", "rack", "screw", "differential", "coupling"];

impl<'d> Reader<'_, 'd, '_> {
    pub fn coupling(&mut self, keys: &[Entry<'d>]) {
        let Some((name, span)) = self.name(keys, "coupling") else { return };
        if !self.declare(&name, span, Known::Coupling) {
            return;
        }
        let Some(terms) = self.terms(keys, &name, span) else { return };
        self.drawing.builder.couple(name.clone(), &terms);
        self.named(&name, span);
    }

    fn terms(&mut self, keys: &[Entry<'d>], name: &str, at: Span) -> Option<Vec<(f64, CoordinateId)>> {
        let word = find(keys, "type").and_then(|entry| entry.value.as_str())?;
        let what = format!("the {word} `{name}`");
        let allowed: &[&str] = match word {
            "gear" => &["joints", "radii", "internal"],
            "belt" => &["joints", "radii"],
            "rack" => &["joints", "radius"],
            "screw" => &["joint", "joints", "pitch"],
            _ => &["joints", "ratios"],
        };
        self.only(keys, allowed, &format!("a {word}"));
        match word {
            "gear" | "belt" => {
                let of = self.coupled(keys, &what, at, &["angle", "angle"]);
                let radii = self.needed(keys, "radii", &what, at, "write radii = [0.1, 0.3]; numbers of teeth will do");
                let radii = radii.and_then(|entry| self.ratios(&entry, 2));
                let internal =
                    find(keys, "internal").map_or(Some(false), |entry| self.document.flag(&entry, self.scope.mistakes));
                let sign = if word == "belt" || internal? { -1.0 } else { 1.0 };
                let (of, radii) = (of?, radii?);
                Some(vec![(radii[0], of[0]), (sign * radii[1], of[1])])
            }
            "rack" => {
                let of = self.coupled(keys, &what, at, &["angle", "displacement"]);
                let radius = self.needed(keys, "radius", &what, at, "");
                let radius = radius.and_then(|entry| self.nonzero(&entry, "the radius of the pinion"));
                let (of, radius) = (of?, radius?);
                Some(vec![(-radius, of[0]), (1.0, of[1])])
            }
            "screw" => {
                self.one_of(keys, &["joint", "joints"]);
                let of = match find(keys, "joint") {
                    Some(entry) => {
                        let both = [self.term(&entry, "angle"), self.term(&entry, "displacement")];
                        both[0].zip(both[1]).map(|(angle, displacement)| vec![angle, displacement])
                    }
                    None => self.coupled(keys, &what, at, &["angle", "displacement"]),
                };
                let pitch = self.needed(keys, "pitch", &what, at, "it is the displacement of a turn");
                let pitch = pitch.and_then(|entry| self.nonzero(&entry, "the displacement of a turn"));
                let (of, pitch) = (of?, pitch?);
                Some(vec![(-pitch / TAU, of[0]), (1.0, of[1])])
            }
            _ => {
                let of = self.coupled(keys, &what, at, &[]);
                let ratios = self.needed(keys, "ratios", &what, at, "write one for each of the joints");
                let of = of?;
                let ratios = ratios.and_then(|entry| self.ratios(&entry, of.len()))?;
                Some(ratios.into_iter().zip(of).collect())
            }
        }
    }

    fn ratios(&mut self, entry: &Entry<'d>, count: usize) -> Option<Vec<f64>> {
        let list = self.numbers(entry)?;
        if list.len() != count {
            let message = format!("`{}` has {} numbers for {count} joints", entry.key, list.len());
            self.wrong(entry.span, message, "");
            return None;
        }
        if list.contains(&0.0) {
            self.wrong(entry.span, format!("`{}` has a zero", entry.key), "leave out what is not coupled");
            return None;
        }
        Some(list)
    }

    /// The coordinates of the joints that are coupled.
    fn coupled(&mut self, keys: &[Entry<'d>], what: &str, at: Span, wanted: &[&str]) -> Option<Vec<CoordinateId>> {
        let entry = self.needed(keys, "joints", what, at, "write joints = [\"A\", \"B\"]")?;
        let list = elements(&entry).unwrap_or_default();
        let fits = if wanted.is_empty() { list.len() >= 2 } else { list.len() == wanted.len() };
        if !fits {
            let must =
                if wanted.is_empty() { "two joints or more".to_owned() } else { format!("{} joints", wanted.len()) };
            self.wrong(entry.span, format!("`joints` must be a list of {must}"), "write joints = [\"A\", \"B\"]");
            return None;
        }
        let turned = matches!(&list[..], [first, second] if wanted.len() == 2
            && self.has(first, wanted[1]) && !self.has(first, wanted[0]) && self.has(second, wanted[0]));
        let order: Vec<usize> = if turned { vec![1, 0] } else { (0..list.len()).collect() };
        let found: Vec<Option<CoordinateId>> = order
            .into_iter()
            .enumerate()
            .map(|(k, at)| self.term(&list[at], wanted.get(k).copied().unwrap_or_default()))
            .collect();
        let found: Vec<CoordinateId> = found.into_iter().collect::<Option<_>>()?;
        if let Some(k) = (1..found.len()).find(|k| found[..*k].contains(&found[*k])) {
            let message = format!("{what} couples a coordinate with itself");
            self.wrong(list[k].span, message, "name joints that are different ones");
            return None;
        }
        Some(found)
    }

    /// Whether a joint that is named without a coordinate has this one.
    fn has(&self, entry: &Entry<'d>, coordinate: &str) -> bool {
        match entry.value.as_str().and_then(|name| self.known.get(name)) {
            Some(Known::Joint(Some((_, kind)))) => {
                kind.coordinates(self.planar).is_some_and(|known| known.contains(&coordinate))
            }
            _ => false,
        }
    }

    /// A constant that may be of either sign.
    fn nonzero(&mut self, entry: &Entry<'d>, what: &str) -> Option<f64> {
        let x = self.number(entry)?;
        if x == 0.0 {
            self.wrong(entry.span, format!("`{}` must not be zero: it is {what}", entry.key), "");
            return None;
        }
        Some(x)
    }

    /// `"A"` or `"A.displacement"`.
    fn term(&mut self, entry: &Entry<'d>, wanted: &str) -> Option<CoordinateId> {
        let place = self.place(entry)?;
        let Place::On(template, coordinate) = &*place else {
            self.wrong(entry.span, "the ground is not a joint", "");
            return None;
        };
        let (joint, kind) = self.joint_of(template, entry.span)?;
        let name = self.drawing.joints[joint].name.clone();
        let written = coordinate.as_deref().unwrap_or(wanted);
        let coordinate = self.coordinate(kind, &name, written, entry.span)?;
        Some(self.drawing.joints[joint].id.coordinate(coordinate))
    }
}
