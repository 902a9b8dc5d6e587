//! Markers: where and how a joint or a force takes hold of a body.
//!
//! A marker has an origin and axes x, y, z, given in the axes of its body and from its drawing origin. The axis of a joint is z.

use crate::algebra::{IDENTITY, Vector, across, cross, difference, dot, scaled, unit};
use crate::node::NodeId;

/// A body of a mechanism that is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyId(pub(crate) NodeId);

/// The world.
pub const GROUND: BodyId = BodyId(0);

/// A place on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// The body that it is drawn on.
    pub(crate) body: BodyId,
    /// What moves it: its body, or, in a mechanism that has been built, that of the bodies welded to it which has their coordinates.
    pub(crate) carrier: BodyId,
    pub(crate) origin: Vector,
    /// x, y, z; NaN where they were given directions that are none.
    pub(crate) axes: [Vector; 3],
    /// In the plane: the angle of x against its body, and that of its body against what moves it.
    pub(crate) phase: f64,
    pub(crate) lead: f64,
}

/// A marker in little room. Most have the axes of their bodies, and those of ten thousand joints are nothing but repetition.
#[derive(Clone, Debug)]
pub(crate) struct Slim {
    body: u32,
    carrier: u32,
    origin: Vector,
    frame: Option<Box<Frame>>,
}

/// Axes and angles of a marker.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    axes: [Vector; 3],
    phase: f64,
    lead: f64,
}

impl Frame {
    const OF_BODY: Frame = Frame { axes: IDENTITY, phase: 0.0, lead: 0.0 };
}

impl From<Marker> for Slim {
    fn from(Marker { body, carrier, origin, axes, phase, lead }: Marker) -> Self {
        let frame = Frame { axes, phase, lead };
        Slim {
            body: body.0 as u32,
            carrier: carrier.0 as u32,
            origin,
            frame: (frame != Frame::OF_BODY).then(|| Box::new(frame)),
        }
    }
}

impl Slim {
    pub fn marker(&self) -> Marker {
        let Frame { axes, phase, lead } = self.frame.as_deref().copied().unwrap_or(Frame::OF_BODY);
        let [body, carrier] = [self.body, self.carrier].map(|node| BodyId(node as NodeId));
        Marker { body, carrier, origin: self.origin, axes, phase, lead }
    }
}

impl BodyId {
    /// A point of the body, with the axes of the body.
    pub fn at(self, origin: Vector) -> Marker {
        Marker { body: self, carrier: self, origin, axes: IDENTITY, phase: 0.0, lead: 0.0 }
    }

    /// The drawing origin of the body.
    pub fn origin(self) -> Marker {
        self.at([0.0; 3])
    }
}

impl Marker {
    /// The same with z along a direction. The other axes are chosen: for z along x, y or z of the body they go on in a circle.
    #[must_use]
    pub fn axis(self, z: Vector) -> Self {
        let z = unit(&z).unwrap_or([f64::NAN; 3]);
        let x = across(&z);
        Marker { axes: [x, cross(&z, &x), z], ..self }
    }

    /// The same with z along a direction, and x as near to another one as can be.
    #[must_use]
    pub fn axes(self, z: Vector, x: Vector) -> Self {
        let z = unit(&z).unwrap_or([f64::NAN; 3]);
        let x = difference(&x, &scaled(dot(&x, &z), &z));
        let x = unit(&x).unwrap_or([f64::NAN; 3]);
        Marker { axes: [x, cross(&z, &x), z], ..self }
    }

    /// Where it is, from the drawing origin of its body.
    pub fn place(&self) -> Vector {
        self.origin
    }

    /// Its z axis in the axes of its body: the axis of joints.
    pub fn z(&self) -> Vector {
        self.axes[2]
    }

    /// Its y axis in the axes of its body.
    pub fn y(&self) -> Vector {
        self.axes[1]
    }

    /// Its body.
    pub fn body(&self) -> BodyId {
        self.body
    }

    /// Whether it can be used.
    pub(crate) fn is_finite(&self) -> bool {
        self.origin.iter().chain(self.axes.iter().flatten()).all(|x| x.is_finite())
    }

    /// The same in a mechanism in the plane: an axis in the plane has the normal in the plane for x and the world's z for y.
    pub(crate) fn flattened(self) -> Self {
        let z = self.axes[2];
        let axes = if z[2].abs() > 0.5 { self.axes } else { [[-z[1], z[0], 0.0], [0.0, 0.0, 1.0], z] };
        Marker { axes, phase: axes[0][1].atan2(axes[0][0]), ..self }
    }
}
