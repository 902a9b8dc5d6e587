//! The `[[drivers]]` sections: coordinates of joints, or ways between points, as functions of time.

use alembert::scalar::Jet;

use super::DrawnDriver;
use super::reader::{Known, Reader, find};
use crate::document::Entry;
use crate::format::COORDINATES;
use crate::text::Span;

impl<'d> Reader<'_, 'd, '_> {
    pub fn drivers(&mut self) {
        self.each("drivers", |reader, keys| {
            let Some((name, span)) = reader.name(keys, "driver") else { return };
            if reader.declare(&name, span, Known::Driver) {
                reader.driver(keys, name, span);
            }
        });
    }

    fn driver(&mut self, keys: &[Entry<'d>], name: String, span: Span) -> Option<()> {
        let what = format!("the driver `{name}`");
        let hint = "write joint = \"…\" and a coordinate, or of = [\"…\", \"…\"] and a path";
        match self.one_of(keys, &["joint", "of"]) {
            Some(of) if of.key == "of" => {
                self.only(keys, &["of", "path"], "a driver along a path");
                let ends = self.ends(&of);
                let path = self.needed(keys, "path", &what, span, "write path = [\"0.1*cos(t)\", …]");
                let path = path.and_then(|entry| self.late_components(&entry, &format!("the path of driver `{name}`")));
                let ([first, second], path) = (ends?, path?);
                self.drawing.builder.drive_path(name.clone(), first.marker, second.marker, path);
                self.drawing.drivers.push(DrawnDriver { name, span, of: None });
            }
            Some(joint) => self.driven(keys, &joint, name, span)?,
            None => self.wrong(span, format!("{what} has neither `joint` nor `of`"), hint),
        }
        Some(())
    }

    fn driven(&mut self, keys: &[Entry<'d>], joint: &Entry<'d>, name: String, span: Span) -> Option<()> {
        let ways: Vec<&str> = COORDINATES.iter().copied().chain(["speed"]).collect();
        let found = self.joint(joint);
        let mut allowed = ways.clone();
        allowed.extend(["joint", "coordinate"]);
        self.only(keys, &allowed, "a driver of a joint");
        let Some(law_entry) = self.one_of(keys, &ways) else {
            let message = format!("the driver `{name}` does not say what it drives");
            self.wrong(span, message, "write angle, displacement, length or speed as a formula of t");
            return None;
        };
        let (joint, kind) = found?;
        let rate = law_entry.key == "speed";
        let written = match (rate, find(keys, "coordinate")) {
            (true, Some(entry)) => self.words(&entry)?,
            (true, None) => String::new(),
            (false, Some(entry)) => {
                self.wrong(
                    entry.key_span,
                    format!("both `coordinate` and `{}` are given", law_entry.key),
                    "keep one of the two",
                );
                return None;
            }
            (false, None) => law_entry.key.to_owned(),
        };
        let joint_name = self.drawing.joints[joint].name.clone();
        let coordinate = self.coordinate(kind, &joint_name, &written, law_entry.key_span)?;
        let id = self.drawing.joints[joint].id.coordinate(coordinate);
        let law = self.late(&law_entry, format!("the {} of driver `{name}`", law_entry.key), None)?;
        if rate {
            // The builder takes closures of time with its derivatives; this one has its own.
            self.drawing.builder.drive_speed(name.clone(), id, move |t: Jet| {
                let [x, d, dd] = law.at(t.x);
                Jet { x, d, dd }
            });
        } else {
            self.drawing.builder.drive_by(name.clone(), id, law);
        }
        self.drawing.drivers.push(DrawnDriver { name, span, of: Some((id, rate)) });
        Some(())
    }
}
