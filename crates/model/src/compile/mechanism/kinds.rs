//! The types of joints: a line each, with what a file says about them.

use std::sync::Arc;

use alembert_mechanism::joint::*;
use alembert_mechanism::law::{Curve, TimeLaw};
use alembert_mechanism::{Builder, JointId, Marker};

use super::Vector;

/// What axes a joint has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::compile) enum Axial {
    /// None: only frames have axes.
    None,
    /// The same of both bodies, if they are not told apart.
    Common,
    /// One on each body, which differ.
    Two,
    /// Only the first matters.
    First,
}

/// Numbers and curves of a joint.
#[derive(Debug, Default)]
pub(in crate::compile) struct Parameters {
    pub length: f64,
    pub radius: f64,
    pub curve: Option<Arc<LateCurve>>,
    /// The parameter of the curve at the start, if it is given.
    pub parameter: Option<f64>,
}

/// A curve whose components get their formulas later.
#[derive(Debug)]
pub(in crate::compile) struct LateCurve(pub [Arc<dyn TimeLaw>; 3]);

/// What stays zero: the third component in the plane.
#[derive(Debug)]
pub(in crate::compile) struct Zero;

impl TimeLaw for Zero {
    fn at(&self, _: f64) -> [f64; 3] {
        [0.0; 3]
    }
}

impl Default for LateCurve {
    fn default() -> Self {
        LateCurve([0, 1, 2].map(|_| Arc::new(Zero) as Arc<dyn TimeLaw>))
    }
}

impl Curve for LateCurve {
    fn at(&self, x: f64) -> [Vector; 3] {
        let [a, b, c] = [0, 1, 2].map(|i| self.0[i].at(x));
        [0, 1, 2].map(|order| [a[order], b[order], c[order]])
    }
}

type Make = fn(&mut Builder, String, Parameters, Marker, Marker) -> JointId;

/// A type of joint.
pub(in crate::compile) struct Kind {
    /// As written in a file.
    pub name: &'static str,
    pub axial: Axial,
    /// Keys that it needs besides `of`.
    pub needs: &'static [&'static str],
    /// Names of its coordinates in space, the one that is meant first.
    coordinates: &'static [&'static str],
    /// The same in the plane; none where it makes no sense there.
    in_plane: Option<&'static [&'static str]>,
    /// Whether its first end must be on the ground.
    pub on_ground: bool,
    pub make: Make,
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Kind {
    /// Names of its coordinates; none where it makes no sense in the plane.
    pub fn coordinates(&self, planar: bool) -> Option<&'static [&'static str]> {
        if planar { self.in_plane } else { Some(self.coordinates) }
    }
}

const ANGLE: &[&str] = &["angle"];
const DISPLACEMENT: &[&str] = &["displacement"];
const LENGTH: &[&str] = &["length"];
const PARAMETER: &[&str] = &["parameter"];
const PLANE: &[&str] = &["displacement x", "displacement y"];
const NONE: &[&str] = &[];

const fn kind(name: &'static str, axial: Axial, coordinates: &'static [&'static str], make: Make) -> Kind {
    Kind { name, axial, needs: &[], coordinates, in_plane: None, on_ground: false, make }
}

const fn flat(kind: Kind, coordinates: &'static [&'static str]) -> Kind {
    Kind { in_plane: Some(coordinates), ..kind }
}

const fn with(kind: Kind, needs: &'static [&'static str]) -> Kind {
    Kind { needs, ..kind }
}

const fn rolling(kind: Kind) -> Kind {
    Kind { on_ground: true, ..with(kind, &["radius"]) }
}

/// All types.
#[rustfmt::skip]
pub(in crate::compile) const KINDS: &[Kind] = &[
    flat(kind("revolute", Axial::Common, ANGLE, |b, name, _, i, j| b.joint(name, Revolute, i, j)), ANGLE),
    flat(kind("spherical", Axial::None, NONE, |b, name, _, i, j| b.joint(name, Spherical, i, j)), ANGLE),
    flat(kind("prismatic", Axial::Common, DISPLACEMENT, |b, name, _, i, j| b.joint(name, Prismatic, i, j)), DISPLACEMENT),
    kind("cylindrical", Axial::Common, &["angle", "displacement"], |b, name, _, i, j| b.joint(name, Cylindrical, i, j)),
    kind("universal", Axial::Two, &["first angle", "second angle"], |b, name, _, i, j| b.joint(name, Universal, i, j)),
    kind("planar", Axial::Common, &["displacement x", "displacement y", "angle"], |b, name, _, i, j| b.joint(name, Planar, i, j)),
    flat(kind("fixed", Axial::None, NONE, |b, name, _, i, j| b.joint(name, Fixed, i, j)), NONE),
    kind("constant velocity", Axial::Common, NONE, |b, name, _, i, j| b.joint(name, ConstantVelocity, i, j)),
    flat(kind("point on line", Axial::First, DISPLACEMENT, |b, name, _, i, j| b.joint(name, PointOnLine, i, j)), DISPLACEMENT),
    kind("point on plane", Axial::First, PLANE, |b, name, _, i, j| b.joint(name, PointOnPlane, i, j)),
    flat(with(kind("point on curve", Axial::None, PARAMETER, |b, name, p, i, j| {
        let curve: Arc<dyn Curve> = p.curve.unwrap_or_default();
        b.joint(name, PointOnCurve { curve, start: p.parameter }, i, j)
    }), &["curve"]), PARAMETER),
    flat(with(kind("distance", Axial::None, LENGTH, |b, name, p, i, j| b.joint(name, Distance { length: p.length }, i, j)), &["length"]), LENGTH),
    with(kind("revolute-spherical", Axial::First, LENGTH, |b, name, p, i, j| b.joint(name, Rod { length: p.length }, i, j)), &["length"]),
    kind("parallel", Axial::Common, ANGLE, |b, name, _, i, j| b.joint(name, Parallel, i, j)),
    kind("perpendicular", Axial::Two, NONE, |b, name, _, i, j| b.joint(name, Perpendicular, i, j)),
    flat(kind("orientation", Axial::None, NONE, |b, name, _, i, j| b.joint(name, Orientation, i, j)), NONE),
    rolling(kind("rolling disk", Axial::Two, NONE, |b, name, p, i, j| b.joint(name, RollingDisk { radius: p.radius }, i, j))),
    rolling(kind("rolling sphere", Axial::First, NONE, |b, name, p, i, j| b.joint(name, RollingSphere { radius: p.radius }, i, j))),
    flat(kind("knife edge", Axial::Common, NONE, |b, name, _, i, j| b.joint(name, KnifeEdge, i, j)), NONE),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{COORDINATES, JOINTS};
    use alembert_mechanism::{Body, GROUND, Mechanism};

    /// What the table says of coordinates is what joints report, and every type can be built.
    #[test]
    fn coordinates_are_those_of_the_joints() {
        for kind in KINDS {
            for planar in [false, true] {
                let Some(expected) = kind.coordinates(planar) else { continue };
                let mut builder = Mechanism::builder();
                if planar {
                    builder.planar();
                }
                let body = builder.body("b", Body::new(1.0, [1.0; 3]).at([0.0, 0.0, 1.0]));
                let along = if planar && kind.name != "revolute" { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
                let second = if kind.axial == Axial::Two { [1.0, 0.0, 0.0] } else { along };
                let parameters = Parameters { length: 1.0, radius: 1.0, ..Parameters::default() };
                let (i, j) = (GROUND.origin().axis(along), body.origin().axis(second));
                let id = (kind.make)(&mut builder, "j".to_owned(), parameters, i, j);
                let mechanism = builder.build().unwrap_or_else(|error| panic!("{}: {error}", kind.name));
                let guess = mechanism.guess().clone();
                for name in COORDINATES {
                    let found = mechanism.coordinate(id.coordinate(name), 0.0, &guess.q, &guess.v).is_some();
                    assert_eq!(found, expected.contains(name), "{} {name} planar {planar}", kind.name);
                }
            }
        }
    }

    /// A type that makes no sense in the plane is refused there by the builder as well.
    #[test]
    fn the_plane_is_that_of_the_joints() {
        for kind in KINDS.iter().filter(|kind| kind.in_plane.is_none()) {
            let mut builder = Mechanism::builder();
            builder.planar();
            let body = builder.body("b", Body::planar(1.0, 1.0));
            let parameters = Parameters { length: 1.0, radius: 1.0, ..Parameters::default() };
            (kind.make)(&mut builder, "j".to_owned(), parameters, GROUND.origin(), body.origin());
            assert!(builder.build().is_err(), "{}", kind.name);
        }
    }

    #[test]
    fn the_format_knows_every_type() {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        let mut known: Vec<&str> = JOINTS.to_vec();
        known.retain(|name| !super::super::couplings::TYPES.contains(name));
        let (mut names, mut known) = (names, known);
        names.sort_unstable();
        known.sort_unstable();
        assert_eq!(names, known);
    }
}
