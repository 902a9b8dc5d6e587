//! Places on bodies: `"crank.A"`, `"ground(0.3, 0)"`, and the axes that joints have there.
//!
//! An axis is given in the axes of the body it is on. One axis for both ends therefore means the same body axis on both: the bodies turn
//! about it relative to each other, and the angle is zero where their axes are parallel.

use alembert_mechanism::{GROUND, Marker};
use toml::de::DeValue;

use super::names::{Place, shortened};
use super::reader::{Reader, elements};
use super::{Span, Vector};
use crate::document::{Entry, kind};
use crate::nearest::nearest;

/// A place on a body.
#[derive(Clone, Copy)]
pub(in crate::compile) struct End {
    pub marker: Marker,
    /// The place of the body in the drawing; none for the ground.
    pub body: Option<usize>,
    /// Its z axis where it is a frame, with axes of its own.
    pub z: Option<Vector>,
    pub span: Span,
}

/// Axes by their names.
const AXES: [(&str, Vector); 6] = [
    ("x", [1.0, 0.0, 0.0]),
    ("y", [0.0, 1.0, 0.0]),
    ("z", [0.0, 0.0, 1.0]),
    ("-x", [-1.0, 0.0, 0.0]),
    ("-y", [0.0, -1.0, 0.0]),
    ("-z", [0.0, 0.0, -1.0]),
];

pub(in crate::compile) fn axis_word(value: &DeValue) -> Option<Vector> {
    let DeValue::String(word) = value else { return None };
    AXES.iter().find(|(name, _)| *name == word.trim()).map(|(_, axis)| *axis)
}

impl<'d> Reader<'_, 'd, '_> {
    /// An axis by name or components.
    pub fn axis(&mut self, entry: &Entry<'d>) -> Option<Vector> {
        if let Some(axis) = axis_word(entry.value) {
            return Some(axis);
        }
        if let DeValue::String(word) = entry.value
            && !self.is_parameter(word.trim())
            && word.chars().all(char::is_alphabetic)
        {
            let hint = "it may be x, y, z, -x, -y, -z, or a list of components";
            self.wrong(entry.span, format!("unknown {} \"{word}\"", entry.key), hint);
            return None;
        }
        if !matches!(entry.value, DeValue::String(_) | DeValue::Array(_)) {
            let message = format!("`{}` must be an axis, found {}", entry.key, kind(entry.value));
            self.wrong(entry.span, message, "write \"x\", \"-y\" or a list of components");
            return None;
        }
        self.direction(entry)
    }

    /// One axis for both ends, or two; and whether two were written.
    pub fn axes(&mut self, entry: &Entry<'d>) -> Option<([Vector; 2], bool)> {
        if let Some(list) = elements(entry)
            && let [first, second] = &list[..]
            && list.iter().all(|one| axis_word(one.value).is_some() || one.value.is_array())
        {
            let both = [self.axis(first), self.axis(second)];
            return Some(([both[0]?, both[1]?], true));
        }
        self.axis(entry).map(|axis| ([axis; 2], false))
    }

    /// A place on a body.
    pub fn end(&mut self, entry: &Entry<'d>) -> Option<End> {
        let place = self.place(entry)?;
        let span = entry.span;
        match &*place {
            Place::Ground(None) => Some(End { marker: GROUND.origin(), body: None, z: None, span }),
            Place::Ground(Some(list)) => {
                let n = self.dimension();
                if list.len() != n {
                    let zeros = vec!["0"; n].join(", ");
                    let message = format!("a point of the ground has {n} coordinates, not {}", list.len());
                    self.wrong(span, message, format!("write ground({zeros})"));
                    return None;
                }
                let mut at = [0.0; 3];
                for (at, expr) in at.iter_mut().zip(list) {
                    let node = self.scope.node(expr, &mut self.indices)?;
                    let Some(x) = self.scope.graph.value(node).filter(|x| x.is_finite()) else {
                        let hint = "use numbers, parameters and indices; a point that moves is driven along a `path`";
                        self.wrong(expr.span, "a point of the ground must be a finite constant", hint);
                        return None;
                    };
                    *at = x;
                }
                Some(End { marker: GROUND.at(at), body: None, z: None, span })
            }
            Place::On(template, point) => {
                let body = self.body_of(template, span)?;
                let id = self.drawing.bodies[body].id;
                let Some(point) = point else {
                    return Some(End { marker: id.origin(), body: Some(body), z: None, span });
                };
                if let Some((frame, z)) = self.frames[body].get(point) {
                    return Some(End { marker: *frame, body: Some(body), z: Some(*z), span });
                }
                if let Some(at) = self.drawing.bodies[body].points.get(point) {
                    return Some(End { marker: id.at(*at), body: Some(body), z: None, span });
                }
                self.unknown_point(body, point, span);
                None
            }
        }
    }

    pub fn unknown_point(&mut self, body: usize, point: &str, span: Span) {
        let body = &self.drawing.bodies[body];
        let names: Vec<&str> = body.points.keys().map(String::as_str).collect();
        let hint = match nearest(point, names.iter().copied()) {
            Some(near) => format!("did you mean `{}.{near}`?", body.name),
            None if names.is_empty() => "the body has no points: write points = { … } there".to_owned(),
            None => format!("its points are {}", shortened(&names)),
        };
        let message = format!("the body `{}` has no point `{point}`", body.name);
        self.wrong(span, message, hint);
    }

    /// The two ends that a key holds, on different bodies.
    pub fn ends(&mut self, entry: &Entry<'d>) -> Option<[End; 2]> {
        let list = elements(entry).unwrap_or_default();
        let [first, second] = &list[..] else {
            let message = format!("`{}` must be a list of two places", entry.key);
            self.wrong(entry.span, message, format!("write {} = [\"ground\", \"body.point\"]", entry.key));
            return None;
        };
        let both = [self.end(first), self.end(second)];
        let both = [both[0]?, both[1]?];
        if both[0].body == both[1].body {
            let on =
                both[0].body.map_or("the ground".to_owned(), |body| format!("`{}`", self.drawing.bodies[body].name));
            self.wrong(
                entry.span,
                format!("both ends are on {on}"),
                "a joint or a force is between two bodies, or a body and the ground",
            );
            return None;
        }
        Some(both)
    }
}
