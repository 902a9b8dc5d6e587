//! The keys of mechanisms: bodies, joints, drivers, forces, and what they look like.

use super::{Holds, Key, Section, key, section};

/// Dimensions of space.
const DIMENSIONS: &[&str] = &["2", "3"];
/// What becomes of joints that follow from others.
pub const EXTRA: &[&str] = &["accepted", "refused"];
/// In which axes a force or torque is given.
pub const AXES: &[&str] = &["world", "body"];

/// Types of joints and of couplings between them.
pub const JOINTS: &[&str] = &[
    "revolute",
    "spherical",
    "prismatic",
    "cylindrical",
    "universal",
    "planar",
    "fixed",
    "constant velocity",
    "point on line",
    "point on plane",
    "point on curve",
    "distance",
    "revolute-spherical",
    "parallel",
    "perpendicular",
    "orientation",
    "rolling disk",
    "rolling sphere",
    "knife edge",
    "gear",
    "belt",
    "rack",
    "screw",
    "differential",
    "coupling",
];

/// Types of forces.
pub const FORCES: &[&str] = &["spring", "torsion", "torque", "force", "bushing", "contact", "drag", "tyre"];

/// Names of all joint coordinates.
pub const COORDINATES: &[&str] = &[
    "angle",
    "displacement",
    "length",
    "first angle",
    "second angle",
    "displacement x",
    "displacement y",
    "parameter",
];

/// Top-level keys of a mechanism.
pub(super) const TOP: &[Key] = &[
    key(
        "dimension",
        Holds::Dimension,
        "of a mechanism: 2 for one in the plane of x and y, 3 for one in space, which is the default",
    ),
    key(
        "gravity",
        Holds::Numbers,
        "of a mechanism: the acceleration of free fall, two or three numbers; none if omitted",
    ),
    key(
        "redundant",
        Holds::Choice(EXTRA),
        "of a mechanism: joints that follow from others are `accepted`, which is the default, or `refused`",
    ),
    key(
        "through",
        Holds::Flag,
        "of a mechanism: whether it passes configurations in which its freedoms branch, as a flat parallelogram; false if omitted",
    ),
    key(
        "merge",
        Holds::Flag,
        "of a mechanism: whether bodies that are welded by fixed joints become one; true if omitted",
    ),
];

/// Where a body is at the start.
pub const POSE: &[Key] = &[
    key("at", Holds::Numbers, "where its drawing origin is; the origin if omitted"),
    key("angle", Holds::Number, "in the plane: how it is turned"),
    key("turn", Holds::Keys(TURN), "in space: how it is turned, by an angle about an axis"),
    key("quaternion", Holds::Numbers, "the same as a quaternion, scalar first"),
    key("x", Holds::Numbers, "the same by two directions of body axes, made perpendicular: the direction of x"),
    key("y", Holds::Numbers, "the direction of y"),
    key("z", Holds::Numbers, "the direction of z"),
];

/// A turn.
pub const TURN: &[Key] = &[
    key("axis", Holds::Axis, "about which"),
    key("angle", Holds::Number, "by how much; `\"30*deg\"` is an angle in degrees"),
];

/// How a body moves at the start.
pub const VELOCITY: &[Key] = &[
    key("at", Holds::Numbers, "the velocity of its drawing origin"),
    key("angular", Holds::NumberOrNumbers, "its angular velocity in body axes; in the plane one number"),
];

/// A cylinder, capsule or bar.
pub const ROUND: &[Key] = &[
    key("radius", Holds::Number, "of the round part"),
    key("length", Holds::Number, "along the axis; of a capsule without its half balls"),
    key("axis", Holds::Axis, "of the body; z if omitted, and x for a bar"),
];

/// A ball.
pub const BALL: &[Key] = &[key("radius", Holds::Number, "of the ball")];

/// A solid of uniform density.
pub const SOLID: &[Key] = &[
    key("box", Holds::Numbers, "edges along the body axes"),
    key("sphere", Holds::NumberOrKeys(BALL), "a ball by its radius"),
    key("cylinder", Holds::Keys(ROUND), "a cylinder"),
    key("capsule", Holds::Keys(ROUND), "a cylinder with half balls at its ends"),
    key("bar", Holds::Keys(ROUND), "a thin bar, with `length` and `axis`"),
    key("density", Holds::Number, "mass for each volume"),
    key("mass", Holds::Number, "instead of a density"),
    key("at", Holds::Numbers, "where its centre is in the drawing of the body; the origin if omitted"),
];

/// A frame on a body.
pub const FRAME: &[Key] = &[
    key("at", Holds::Numbers, "its origin; that of the drawing if omitted"),
    key("z", Holds::Axis, "its z axis, which is the axis of joints; z of the body if omitted"),
    key("x", Holds::Axis, "its x axis, made perpendicular to z; chosen if omitted"),
];

/// The keys of bodies.
pub(super) const BODIES: Section = repeated(
    "bodies",
    "The bodies of a mechanism. A file with bodies needs neither `[variables]` nor `[equations]`, which may add variables to it.",
    &[
        key(
            "for",
            Holds::Words,
            "repeats the entry: \"i in 1..N\" makes one for each i, which formulas and names may use",
        ),
        key("name", Holds::Words, "what formulas and messages call it; in a repetition with its index: \"link[i]\""),
        key("mass", Holds::Number, "its mass; with `solid` the density is scaled to it"),
        key(
            "inertia",
            Holds::NumberOrNumbers,
            "about the centre of mass in body axes: one number for all axes, three, or six (xx, yy, zz, xy, xz, yz, entries of the matrix); in the plane one. 0 makes it a point mass, which does not turn. With `solid` it overrides",
        ),
        key("solid", Holds::KeysOrList(SOLID), "instead of mass and inertia: a solid, or a list of them"),
        key(
            "centre",
            Holds::Numbers,
            "the centre of mass from the drawing origin; the origin, or that of the solids, if omitted",
        ),
        key("pose", Holds::Keys(POSE), "where it is at the start, roughly; joints find a place for a body without one"),
        key("velocity", Holds::Keys(VELOCITY), "how it moves at the start, roughly"),
        key("points", Holds::NumbersByName, "points by name, from the drawing origin in body axes"),
        key("frames", Holds::KeysByName(FRAME), "points with axes, by name"),
    ],
);

/// Friction in a joint.
pub const FRICTION: &[Key] = &[
    key("mu", Holds::Number, "the coefficient"),
    key("radius", Holds::Number, "of the bearing or ball, for joints that turn"),
    key("speed", Holds::Number, "of the slip below which friction fades; 1e-3 if omitted"),
    key(
        "arm",
        Holds::Number,
        "over which moments press: half the length of a bearing or guide; they do not if omitted",
    ),
    key("preload", Holds::Number, "a force that presses always; 0 if omitted"),
];

/// Stops of a joint.
pub const LIMITS: &[Key] = &[
    key("coordinate", Holds::Words, "which coordinate of a joint with several"),
    key("min", Holds::Number, "the lower stop"),
    key("max", Holds::Number, "the upper stop"),
    key("stiffness", Holds::Number, "k in k d^(3/2) max(0, 1 + 3/2 c d') beyond a stop by d"),
    key("damping", Holds::Number, "c; 0 if omitted"),
];

/// The keys of joints.
pub(super) const JOINTS_SECTION: Section = repeated(
    "joints",
    "What holds bodies together, and couplings between joints. The value of a joint coordinate, and its reaction, are those of the second body relative to the first.",
    &[
        key("for", Holds::Words, "repeats the entry, as of bodies"),
        key("name", Holds::Words, "what formulas and messages call it"),
        key("type", Holds::Choice(JOINTS), "what it is; from `gear` on couplings of other joints"),
        key(
            "of",
            Holds::Markers,
            "two ends: \"body\" (its drawing origin), \"body.point\", \"body.frame\", \"ground\", \"ground(x, y, z)\"",
        ),
        key(
            "axis",
            Holds::AxisOrTwo,
            "x, y, z, -x, … or a vector, in the axes of each body; a list of two where they differ. Frames have z for their axis. An angle is zero where the axes of both bodies that follow this one (y follows x) are parallel",
        ),
        key("length", Holds::Number, "distance, revolute-spherical: of the rod"),
        key(
            "radius",
            Holds::Number,
            "rolling disk, rolling sphere: of the wheel; rack: of the pinion, negative for a rack on its other side",
        ),
        key(
            "curve",
            Holds::Formulas,
            "point on curve: components as formulas of the parameter s, in the axes of the first end",
        ),
        key(
            "joints",
            Holds::ListOfWords,
            "couplings: the joints that are coupled; a joint with several coordinates as \"name.displacement\"",
        ),
        key("joint", Holds::Words, "screw: a cylindrical joint"),
        key("radii", Holds::Numbers, "gear, belt: the radii or the numbers of teeth"),
        key(
            "internal",
            Holds::Flag,
            "gear: whether one wheel is inside the other, so that both turn the same way; false if omitted",
        ),
        key("pitch", Holds::Number, "screw: displacement of a turn"),
        key(
            "ratios",
            Holds::Numbers,
            "coupling, differential: the sum of ratios times coordinates stays what it is at the start",
        ),
        key(
            "start",
            Holds::Assignments,
            "values at the start, which the closing of the mechanism holds: { angle = 1, speed = 0 }, { displacement = 0.1 }, { \"angle'\" = 3 }; { parameter = 0.5 } of a curve is a guess",
        ),
        key(
            "friction",
            Holds::Keys(FRICTION),
            "revolute, prismatic, cylindrical, spherical, planar: friction that grows with what the joint carries",
        ),
        key("limits", Holds::Keys(LIMITS), "smooth stops of a coordinate"),
        key(
            "keep",
            Holds::Flag,
            "fixed: whether its bodies stay two, so that results have its reaction; false if omitted, and true where formulas speak of its force or torque",
        ),
    ],
);

/// The keys of drivers.
pub(super) const DRIVERS: Section = repeated(
    "drivers",
    "What moves as functions of time say, with whatever force that takes.",
    &[
        key("for", Holds::Words, "repeats the entry, as of bodies"),
        key("name", Holds::Words, "what formulas and messages call it"),
        key("joint", Holds::Words, "the joint of which a coordinate is driven"),
        key("angle", Holds::Formula, "the angle as a formula of t"),
        key("displacement", Holds::Formula, "the displacement as a formula of t"),
        key("length", Holds::Formula, "the length as a formula of t, in the place of the constant one of a rod"),
        key("first angle", Holds::Formula, "universal: the first angle as a formula of t"),
        key("second angle", Holds::Formula, "universal: the second angle as a formula of t"),
        key("displacement x", Holds::Formula, "planar, point on plane: the displacement along x as a formula of t"),
        key("displacement y", Holds::Formula, "planar, point on plane: the displacement along y as a formula of t"),
        key("parameter", Holds::Formula, "point on curve: the parameter of the curve as a formula of t"),
        key("speed", Holds::Formula, "instead of a coordinate: its rate as a formula of t"),
        key("coordinate", Holds::Words, "of which coordinate `speed` is the rate, for a joint with several"),
        key("of", Holds::Markers, "instead of a joint: two ends, as of joints"),
        key(
            "path",
            Holds::Formulas,
            "with `of`: the way from the first end to the second as formulas of t, in the axes of the world",
        ),
    ],
);

/// The keys of forces.
pub(super) const FORCES_SECTION: Section = repeated(
    "forces",
    "Forces between bodies, on joints and from outside.",
    &[
        key("for", Holds::Words, "repeats the entry, as of bodies"),
        key("name", Holds::Words, "what formulas and messages call it"),
        key("type", Holds::Choice(FORCES), "what it is"),
        key("of", Holds::Markers, "spring, bushing, contact, tyre (wheel and road): two ends, as of joints"),
        key("joint", Holds::Words, "torsion, torque, force: the joint it acts on"),
        key("coordinate", Holds::Words, "which coordinate of a joint with several"),
        key(
            "law",
            Holds::Formula,
            "spring: the pull as a formula of everything and of `length`, `length'`; torsion: the torque against `angle`, `angle'`; torque, force on a joint: what makes its coordinate grow",
        ),
        key(
            "stiffness",
            Holds::NumberOrNumbers,
            "spring, torsion: one number; bushing: along its axes, one for all or three; contact: k in k d^(3/2) max(0, 1 + 3/2 c d') of the depth d; tyre: in N/m",
        ),
        key("damping", Holds::NumberOrNumbers, "of the same kind, for contacts and tyres c in s/m; 0 if omitted"),
        key("rest", Holds::Number, "spring: the length without force; torsion: the angle without torque, 0 if omitted"),
        key("torsion", Holds::NumberOrNumbers, "bushing: stiffness about its axes, one number or three; 0 if omitted"),
        key("torsion_damping", Holds::NumberOrNumbers, "bushing: damping about its axes; 0 if omitted"),
        key("at", Holds::Words, "force, drag: the point that it acts on, as an end of a joint"),
        key("force", Holds::Formulas, "force: its components as formulas of everything"),
        key("on", Holds::Words, "torque: the body that it acts on"),
        key("torque", Holds::FormulaOrList, "torque: its components as formulas of everything; in the plane one"),
        key(
            "axes",
            Holds::Choice(AXES),
            "force at a point, torque on a body: the axes of the components, `world` if omitted",
        ),
        key(
            "radius",
            Holds::Number,
            "contact: of a sphere about the first end, on a plane through the second; tyre: of the wheel without load",
        ),
        key("radii", Holds::Numbers, "contact: of spheres about both ends"),
        key(
            "axis",
            Holds::AxisOrTwo,
            "contact: the normal of the plane in the axes of the second body; z if omitted, and y in the plane. Tyre: the axle in the axes of the wheel, or a list of it and of the normal of the road",
        ),
        key("friction", Holds::Number, "contact, tyre: the coefficient of friction; 0 of a contact if omitted"),
        key(
            "speed",
            Holds::Number,
            "contact: slip below which friction fades, 1e-3 if omitted; tyre: speed below which slips are smoothed, 0.1 if omitted",
        ),
        key("coefficient", Holds::Number, "drag: half the density times the area times the drag coefficient, in kg/m"),
        key("wind", Holds::Numbers, "drag: the velocity of the air; none if omitted"),
        key("slip_stiffness", Holds::Number, "tyre: the slope of the force ahead by slip, in N"),
        key("cornering_stiffness", Holds::Number, "tyre: the slope of the side force by the slip angle, in N/rad"),
    ],
);

const fn repeated(name: &'static str, says: &'static str, keys: &'static [Key]) -> Section {
    Section { repeated: true, ..section(name, says, keys) }
}

/// Whether a top-level key is about mechanisms.
pub(crate) fn is_top(name: &str) -> bool {
    TOP.iter().any(|key| key.name == name)
}

/// Values of `dimension`.
pub(crate) fn dimension(written: &str) -> Option<bool> {
    DIMENSIONS.contains(&written).then_some(written == "2")
}
