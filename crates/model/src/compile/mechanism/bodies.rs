//! The `[[bodies]]` sections.

use std::collections::{BTreeMap, HashMap};

use alembert_mechanism::{BodyId, Marker};
use toml::de::DeValue;

use super::reader::{Known, Reader, find};
use super::solids::Weight;
use super::{DrawnBody, Vector};
use crate::document::{Entry, entries, kind};
use crate::format::FRAME;

/// What formulas ask of a body, so that no point can be called so.
const TAKEN: [&str; 5] = ["x", "y", "z", "omega", "angle"];

impl<'d> Reader<'_, 'd, '_> {
    pub fn bodies(&mut self) {
        self.each("bodies", |reader, keys| reader.body(keys));
    }

    fn body(&mut self, keys: &[Entry<'d>]) {
        let Some((name, span)) = self.name(keys, "body") else {
            if let Some(stem) = find(keys, "name").and_then(|name| self.stem(&name)) {
                self.lost.insert(stem);
            }
            return;
        };
        if !self.declare(&name, span, Known::Body(self.drawing.bodies.len())) {
            return;
        }
        let weight = self.weight(keys, &name, span).unwrap_or(Weight::ANY);
        let body = self.posed(weight.body(), keys).unwrap_or_else(|| weight.body());
        let id = self.drawing.builder.body(name.clone(), body);
        let mut points = BTreeMap::new();
        if let Some(entry) = find(keys, "points") {
            self.points(&entry, &mut points);
        }
        let mut frames = HashMap::new();
        if let Some(entry) = find(keys, "frames") {
            self.frames_of(&entry, id, &mut points, &mut frames);
        }
        let (centre, shapes) = (weight.centre, std::mem::take(&mut self.shapes));
        self.drawing.bodies.push(DrawnBody { name, span, id, points, centre, shapes });
        self.frames.push(frames);
    }

    /// The entries of a table by names of points.
    fn by_name(&mut self, entry: &Entry<'d>, write: &str) -> Vec<Entry<'d>> {
        let DeValue::Table(table) = entry.value else {
            let message = format!("`{}` must be a table, found {}", entry.key, kind(entry.value));
            self.wrong(entry.span, message, format!("write {} = {{ {write} }}", entry.key));
            return Vec::new();
        };
        let mut found = entries(table);
        found.retain(|point| {
            if TAKEN.contains(&point.key) {
                let message = format!("a point cannot be called `{}`", point.key);
                self.wrong(point.key_span, message, "formulas use it for the body itself; choose another name");
                return false;
            }
            let good = !point.key.trim().is_empty()
                && !point.key.contains(|c: char| ".,()[]`'\"".contains(c) || c.is_control());
            if !good {
                let hint = "use letters, digits, `_` and blanks";
                self.wrong(point.key_span, format!("`{}` cannot be used as a name", point.key), hint);
            }
            good
        });
        found
    }

    fn points(&mut self, entry: &Entry<'d>, points: &mut BTreeMap<String, Vector>) {
        let write = if self.planar { "A = [0.1, 0]" } else { "A = [0.1, 0, 0]" };
        for point in self.by_name(entry, write) {
            // One that is a mistake is there nevertheless: nobody misses it.
            let at = self.vector(&point).unwrap_or_default();
            points.insert(point.key.to_owned(), at);
        }
    }

    fn frames_of(
        &mut self,
        entry: &Entry<'d>,
        id: BodyId,
        points: &mut BTreeMap<String, Vector>,
        frames: &mut HashMap<String, (Marker, Vector)>,
    ) {
        for frame in self.by_name(entry, "A = { at = [0.1, 0, 0], z = \"x\" }") {
            let marker = self.frame(&frame, id);
            let (at, marker, z) = marker.unwrap_or(([0.0; 3], id.origin(), [0.0, 0.0, 1.0]));
            if points.insert(frame.key.to_owned(), at).is_some() {
                let message = format!("there are a point and a frame of the name `{}`", frame.key);
                self.wrong(frame.key_span, message, "keep the frame: it is a point as well");
            }
            frames.insert(frame.key.to_owned(), (marker, z));
        }
    }

    fn frame(&mut self, entry: &Entry<'d>, id: BodyId) -> Option<(Vector, Marker, Vector)> {
        let keys = self.table(entry, FRAME)?;
        let at = find(&keys, "at").map_or(Some([0.0; 3]), |entry| self.vector(&entry));
        let z = find(&keys, "z").map_or(Some([0.0, 0.0, 1.0]), |entry| self.axis(&entry));
        let x = find(&keys, "x").map(|entry| (self.axis(&entry), entry));
        let (at, z) = (at?, z?);
        let marker = id.at(at);
        let Some((x, x_entry)) = x else { return Some((at, marker.axis(z), z)) };
        let x = x?;
        let across = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]];
        let size = |u: &Vector| u.iter().map(|x| x * x).sum::<f64>().sqrt();
        if size(&across) <= 1e-9 * size(&z) * size(&x) {
            self.wrong(x_entry.span, "`x` and `z` are parallel", "give directions of two axes");
            return None;
        }
        Some((at, marker.axes(z, x), z))
    }
}
