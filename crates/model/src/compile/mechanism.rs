//! Mechanisms in files: `[[bodies]]`, `[[joints]]`, `[[forces]]`, `[[drivers]]` to a builder of mechanisms, and what formulas say of it.
//!
//! Two things come of these sections. What is given by constants is drawn into a [`Builder`] at once: bodies, markers, joints, forces with
//! parameters. What is given by formulas of everything (laws of forces) or of time (drivers) waits in the [`Drawing`], as instances of
//! formulas with their places, until the names of the file are known.

mod bodies;
pub(crate) mod built;
pub(crate) mod columns;
mod contacts;
mod couplings;
mod drivers;
mod forces;
mod joints;
mod kinds;
pub(crate) mod late;
pub(crate) mod laws;
mod markers;
mod names;
mod poses;
mod reader;
mod repetition;
pub(crate) mod results;
mod solids;
#[cfg(test)]
mod tests;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use alembert::Redundancy;
use alembert_mechanism::{Axes, BodyId, Builder, CoordinateId, JointId, Marker, Mechanism};

use crate::document::Document;
use crate::format::{EXTRA, dimension, is_top};
use crate::scope::{Instance, Scope};
use crate::text::Span;
use late::LateLaw;
use reader::Reader;

/// A vector.
pub(crate) type Vector = [f64; 3];

/// What a file draws.
pub(crate) struct Drawing {
    pub builder: Builder,
    /// `dimension = 2`.
    pub planar: bool,
    /// Whether it passes configurations in which its freedoms branch.
    pub through: bool,
    /// In the order of the builder.
    pub bodies: Vec<DrawnBody>,
    pub joints: Vec<DrawnJoint>,
    /// Couplings and forces that the builder has: where they stand, for messages.
    pub others: Vec<(String, Span)>,
    pub drivers: Vec<DrawnDriver>,
    pub laws: Vec<DrawnLaw>,
    /// Functions of time or of a parameter that the builder holds already, and that get their formulas later.
    pub late: Vec<LateFormula>,
    /// What bodies look like.
    pub view: Vec<Look>,
}

/// A body; names have their indices: `link[3]`.
pub(crate) struct DrawnBody {
    pub name: String,
    pub span: Span,
    pub id: BodyId,
    /// Named points, from the drawing origin in body axes; those of frames too.
    pub points: BTreeMap<String, Vector>,
}

/// A joint.
pub(crate) struct DrawnJoint {
    pub name: String,
    pub span: Span,
    pub id: JointId,
}

/// What a body looks like.
#[expect(dead_code, reason = "it is read and checked; pictures of mechanisms come later")]
pub(crate) struct Look {
    /// Its place among the bodies; none for the ground.
    pub body: Option<usize>,
    pub shape: Option<Shown>,
    /// The centre of the shape in the drawing of the body.
    pub at: Vector,
    pub color: Option<String>,
    /// Points in the drawing of the body that leave a trace.
    pub traces: Vec<Vector>,
}

/// A shape that is shown.
#[expect(dead_code, reason = "as above")]
pub(crate) enum Shown {
    Cuboid(Vector),
    Sphere(f64),
    /// With half balls at its ends if it is rounded; a line if its radius is zero.
    Along {
        radius: f64,
        length: f64,
        axis: Vector,
        rounded: bool,
    },
    Between {
        radius: f64,
        ends: Box<[Marker; 2]>,
        rounded: bool,
    },
}

/// A driver; its place among the drivers of the builder is that in the list.
pub(crate) struct DrawnDriver {
    pub name: String,
    pub span: Span,
    /// What it drives, and whether by its speed; none for a path.
    pub of: Option<(CoordinateId, bool)>,
}

/// A formula that a late law is waiting for.
pub(crate) struct LateFormula {
    pub law: Arc<LateLaw>,
    pub instance: Instance,
    pub span: Span,
    /// What messages call it: "the angle of driver `motor`".
    pub what: String,
    /// The name of its argument where that is not t: `s` of a curve.
    pub argument: Option<&'static str>,
}

/// A force by a formula of everything.
pub(crate) struct DrawnLaw {
    pub name: String,
    pub span: Span,
    pub acts: Acts,
    /// One formula, or three for components.
    pub formulas: Vec<Instance>,
    /// Local names that the formula may use for the coordinate it acts on.
    pub local: Option<&'static str>,
}

/// What a law acts on.
pub(crate) enum Acts {
    /// On a joint coordinate. `restoring`: a positive value makes it smaller, as of a spring; else it makes it grow, as of a motor.
    Coordinate { of: CoordinateId, restoring: bool },
    /// Along the line of two points: a positive value pulls them together.
    Between(Marker, Marker),
    /// On a point, by components along three axes.
    Point(Marker, Axes),
    /// On a body, a torque by components.
    Body(BodyId, Axes),
}

/// What the sections of a mechanism draw; none in a file without bodies.
///
/// Where there are mistakes, what comes back is there to find more of them: names are known, numbers need not be right, and nothing may
/// be built of it.
pub(crate) fn read(document: &Document, scope: &mut Scope) -> Option<Drawing> {
    if document.repeated("bodies").next().is_none() {
        without_bodies(document, scope);
        return None;
    }
    let planar = document.find("", "dimension").and_then(|entry| {
        let found = entry.value.as_integer().and_then(|number| dimension(number.as_str()));
        if found.is_none() {
            scope.mistakes.add(entry.span, "`dimension` must be 2 or 3".to_owned(), None);
        }
        found
    });
    let mut builder = Mechanism::builder();
    let planar = planar.unwrap_or(false);
    if planar {
        builder.planar();
    }
    let redundant = document.find("", "redundant");
    if redundant.and_then(|entry| document.choice(&entry, EXTRA, scope.mistakes)) == Some("refused") {
        builder.redundancy(Redundancy::Refused);
    }
    let through = document.find("", "through").and_then(|entry| document.flag(&entry, scope.mistakes));
    if let Some(merging) = document.find("", "merge").and_then(|entry| document.flag(&entry, scope.mistakes)) {
        builder.merge_welds(merging);
    }
    let drawing = Drawing {
        builder,
        planar,
        through: through.unwrap_or(false),
        bodies: Vec::new(),
        joints: Vec::new(),
        others: Vec::new(),
        drivers: Vec::new(),
        laws: Vec::new(),
        late: Vec::new(),
        view: Vec::new(),
    };
    let mut reader = Reader::new(document, scope, drawing);
    if let Some(entry) = document.find("", "gravity")
        && let Some(gravity) = reader.vector(&entry)
    {
        reader.drawing.builder.gravity(gravity);
    }
    reader.bodies();
    reader.joints();
    reader.drivers();
    reader.forces();
    reader.view();
    Some(reader.drawing)
}

/// Says what means nothing in a file without bodies.
fn without_bodies(document: &Document, scope: &mut Scope) {
    let hint = || Some("write [[bodies]]".to_owned());
    for section in ["joints", "drivers", "forces"] {
        if let Some(keys) = document.repeated(section).next() {
            let span = keys.first().map(|entry| entry.key_span);
            scope.mistakes.add(span, format!("the file has {section}, but no bodies"), hint());
        }
    }
    for entry in document.section("").iter().filter(|entry| is_top(entry.key)) {
        let message = format!("`{}` has a meaning in files with bodies only", entry.key);
        scope.mistakes.add(entry.key_span, message, hint());
    }
    if let Some(entry) = document.section("view").first() {
        scope.mistakes.add(entry.key_span, "the file has a view, but no bodies".to_owned(), hint());
    }
}
