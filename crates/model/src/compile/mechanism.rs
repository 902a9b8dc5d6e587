//! Mechanisms in files: `[[bodies]]`, `[[joints]]`, `[[forces]]`, `[[drivers]]` to a builder of mechanisms, and what formulas say of it.
//!
//! Two things come of these sections. What is given by constants is drawn into a [`Builder`] at once: bodies, markers, joints, forces with
//! parameters. What is given by formulas of everything (laws of forces) or of time (drivers) waits in the [`Drawing`], as instances of
//! formulas with their places, until the names of the file are known.

pub(crate) mod built;
pub(crate) mod columns;
pub(crate) mod late;
pub(crate) mod laws;
pub(crate) mod results;

use std::collections::BTreeMap;
use std::sync::Arc;

use alembert_mechanism::{Axes, BodyId, Builder, CoordinateId, JointId, Marker};

use crate::scope::Instance;
use crate::text::Span;
use late::LateLaw;

/// A vector.
pub(crate) type Vector = [f64; 3];

/// What a file draws.
pub(crate) struct Drawing {
    pub builder: Builder,
    /// `dimension = 2`.
    pub planar: bool,
    /// In the order of the builder.
    pub bodies: Vec<DrawnBody>,
    pub joints: Vec<DrawnJoint>,
    pub drivers: Vec<DrawnDriver>,
    pub laws: Vec<DrawnLaw>,
    /// Functions of time or of a parameter that the builder holds already, and that get their formulas later.
    pub late: Vec<LateFormula>,
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

/// The drawing of a file with `[[bodies]]`.
pub(crate) fn read(_document: &crate::document::Document, _scope: &mut crate::scope::Scope) -> Option<Drawing> {
    None
}
