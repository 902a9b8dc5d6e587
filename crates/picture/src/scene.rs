//! What is drawn, and what of it moves.
//!
//! A point of a scene is `o + R p`: `p` in a frame with origin `o` and turn `R`. Each number is fixed or a channel, whose values are
//! given for every frame of the animation. The first frame of reference is the world: origin zero, not turned.

use serde::Serialize;

/// A number of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Quantity {
    /// The same at all times; in JSON a number.
    Fixed(f64),
    /// One that changes; in JSON `{"c": 3}`.
    Channel {
        /// Its number among the channels of the motion.
        c: usize,
    },
}

impl From<f64> for Quantity {
    fn from(value: f64) -> Self {
        Self::Fixed(value)
    }
}

impl Quantity {
    /// Its value, with the channels at one time.
    pub fn at(self, channels: &[f64]) -> f64 {
        match self {
            Self::Fixed(value) => value,
            Self::Channel { c } => channels[c],
        }
    }
}

/// How a frame is turned against the one it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Turn {
    /// Not at all.
    None,
    /// By an angle about the third axis.
    Angle(Quantity),
    /// By a unit quaternion, the real part first, that takes components in the frame to those in the world.
    Quaternion([Quantity; 4]),
}

/// A frame of reference: a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frame {
    /// What it is called.
    pub name: String,
    /// Where it stands in the world.
    pub origin: [Quantity; 3],
    /// How it is turned.
    pub turn: Turn,
}

/// A point in a frame; frame 0 is the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Place {
    /// The number of the frame.
    pub frame: usize,
    /// Where in it.
    pub at: [Quantity; 3],
}

/// What an arrow means; arrows of one kind have one scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrow {
    /// A force.
    Force,
    /// A torque, drawn with two heads.
    Torque,
    /// A velocity.
    Velocity,
}

/// How a joint is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    /// A pin: a small ring, in space a short cylinder along its axis.
    Pin,
    /// A ball.
    Ball,
    /// A slider: a small box that is long along its axis.
    Slider,
    /// A weld: a small square.
    Weld,
    /// Anything else: a small diamond.
    Other,
}

/// The geometry of an item.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Figure {
    /// A dot of a size that does not depend on the scale.
    Point {
        /// Where.
        at: Place,
    },
    /// A line through points.
    Line {
        /// Its corners.
        points: Vec<Place>,
        /// Whether the last corner is joined with the first.
        closed: bool,
    },
    /// A circle.
    Circle {
        /// Its centre.
        at: Place,
        /// Its radius.
        radius: Quantity,
        /// The normal of its plane, in the frame of its centre.
        axis: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Its centre.
        at: Place,
        /// Its radius.
        radius: Quantity,
    },
    /// A box.
    Box {
        /// Its centre.
        at: Place,
        /// Its edges.
        edges: [Quantity; 3],
        /// How it is turned in the frame of its centre.
        turn: Turn,
    },
    /// A cylinder between two points.
    Cylinder {
        /// One end.
        from: Place,
        /// The other end.
        to: Place,
        /// Its radius.
        radius: Quantity,
        /// Whether it has half balls at its ends.
        rounded: bool,
    },
    /// A coil between two points.
    Spring {
        /// One end.
        from: Place,
        /// The other end.
        to: Place,
        /// How many windings.
        coils: usize,
        /// Half its width; zero for one that fits its length at the start.
        radius: Quantity,
    },
    /// Cylinder and piston between two points.
    Damper {
        /// One end.
        from: Place,
        /// The other end.
        to: Place,
        /// Half its width; zero for one that fits its length at the start.
        radius: Quantity,
    },
    /// The path of a point, up to now strong, the rest of it weak.
    Trace {
        /// The point.
        at: Place,
    },
    /// A vector.
    Arrow {
        /// Where it begins.
        at: Place,
        /// Its components in the world.
        vector: [Quantity; 3],
        /// What it means.
        of: Arrow,
    },
    /// A plane that things touch: in the plane a line with hatches.
    Plane {
        /// A point of it.
        at: Place,
        /// The side on which things are, in the frame of the point.
        normal: [f64; 3],
    },
    /// A joint.
    Joint {
        /// Where.
        at: Place,
        /// Its axis, in the frame of its place.
        axis: [f64; 3],
        /// How it is drawn.
        sign: Sign,
        /// How far its constraints are violated, for the colouring of residuals.
        residual: Option<Quantity>,
    },
    /// A word.
    Label {
        /// Where.
        at: Place,
        /// The word.
        text: String,
    },
}

/// One thing in a scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    /// What it belongs to, as `crank` or `hinge.force`.
    pub name: String,
    /// A colour as CSS has it (a name or `#rrggbb`); a sensible one if there is none.
    pub color: Option<String>,
    /// Its geometry.
    #[serde(flatten)]
    pub figure: Figure,
}

/// Everything that is drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scene {
    /// Whether everything happens in the plane of the first two axes.
    pub planar: bool,
    /// Which way is up in space: against gravity, if there is any. In the plane the second axis is.
    pub up: [f64; 3],
    /// The unit of lengths, as `m`; empty if unknown.
    pub unit: String,
    /// Frames of reference; the first is the world.
    pub frames: Vec<Frame>,
    /// What is drawn.
    pub items: Vec<Item>,
    /// How many channels there are.
    pub channels: usize,
}

/// The channels of a scene at the times of its frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// The times, not decreasing.
    pub t: Vec<f64>,
    /// The channels of the first time, then those of the second.
    pub values: Vec<f64>,
}
