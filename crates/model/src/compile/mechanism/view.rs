//! The section `[view]`: what bodies look like. It is checked like everything else, and kept for pictures.

use toml::de::DeValue;

use super::reader::{Reader, elements, find};
use super::{Look, Shown, Vector};
use crate::document::Entry;
use crate::format::{BALL, LOOK, SEEN_ROUND};

impl<'d> Reader<'_, 'd, '_> {
    pub fn view(&mut self) {
        let document = self.document;
        for entry in document.section("view") {
            let list = match entry.value {
                DeValue::Array(_) => elements(entry).unwrap_or_default(),
                _ => vec![*entry],
            };
            for one in &list {
                if let Some(keys) = self.table(one, LOOK) {
                    self.repeat(&keys, &mut |reader, keys| {
                        reader.look(entry, keys);
                    });
                }
            }
        }
    }

    fn look(&mut self, entry: &Entry<'d>, keys: &[Entry<'d>]) -> Option<()> {
        let body = self.seen(entry)?;
        let at = find(keys, "at").map_or(Some([0.0; 3]), |entry| self.vector(&entry));
        let shapes = ["box", "sphere", "cylinder", "capsule", "bar"];
        let shape = self.one_of(keys, &shapes).map(|entry| self.shown(&entry));
        let color = find(keys, "color").map(|entry| self.words(&entry));
        let mut traces = Vec::new();
        if let Some(trace) = find(keys, "trace") {
            let Some(list) = elements(&trace) else {
                self.wrong(trace.span, "`trace` must be a list of points", "write trace = [\"A\"]");
                return None;
            };
            for point in &list {
                let name = self.words(point)?;
                let known = body.and_then(|body| self.drawing.bodies[body].points.get(&name).copied());
                match (known, body) {
                    (Some(at), _) => traces.push(at),
                    (None, Some(body)) => self.unknown_point(body, &name, point.span),
                    (None, None) => self.wrong(point.span, "the ground leaves no trace", ""),
                }
            }
        }
        let (at, shape, color) =
            (at?, shape.map_or(Some(None), |x| x.map(Some))?, color.map_or(Some(None), |x| x.map(Some))?);
        self.drawing.view.push(Look { body, shape, at, color, traces });
        Some(())
    }

    fn shown(&mut self, entry: &Entry<'d>) -> Option<Shown> {
        match entry.key {
            "box" => match self.numbers(entry)?[..] {
                [a, b, c] if a > 0.0 && b > 0.0 && c > 0.0 => Some(Shown::Cuboid([a, b, c])),
                _ => {
                    self.wrong(entry.span, "a box has three positive edges", "write box = [a, b, c]");
                    None
                }
            },
            "sphere" => {
                let radius = match entry.value {
                    DeValue::Table(_) => {
                        let keys = self.table(entry, BALL)?;
                        self.needed(&keys, "radius", "the sphere", entry.span, "write sphere = { radius = 0.1 }")?
                    }
                    _ => *entry,
                };
                self.positive(&radius).map(Shown::Sphere)
            }
            word => {
                let keys = self.table(entry, SEEN_ROUND)?;
                let radius = match find(&keys, "radius") {
                    Some(entry) => self.positive(&entry),
                    None if word == "bar" => Some(0.0),
                    None => {
                        self.wrong(entry.span, format!("the {word} has no `radius`"), "");
                        None
                    }
                };
                let (from, to, length) = (find(&keys, "from"), find(&keys, "to"), find(&keys, "length"));
                let rounded = word == "capsule";
                if let Some(entry) = length {
                    self.one_of(&keys, &["length", "from"]);
                    let axis = find(&keys, "axis").map_or(Some([0.0, 0.0, 1.0]), |entry| self.axis(&entry));
                    let (length, axis): (f64, Vector) = (self.positive(&entry)?, axis?);
                    return Some(Shown::Along { radius: radius?, length, axis, rounded });
                }
                let (Some(from), Some(to)) = (from, to) else {
                    let message = format!("the {word} has neither `length` nor `from` and `to`");
                    self.wrong(entry.span, message, "write from = \"body.point\", to = \"body.point\"");
                    return None;
                };
                let both = [self.end(&from), self.end(&to)];
                Some(Shown::Between { radius: radius?, ends: Box::new([both[0]?.marker, both[1]?.marker]), rounded })
            }
        }
    }
}
