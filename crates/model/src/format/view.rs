//! The keys of pictures.

use super::{Holds, Key, Section, key, open};

/// A frame of reference.
pub const STAND: &[Key] = &[
    key("at", Holds::Point, "its origin, in the world; that of the world if omitted"),
    key("angle", Holds::Formula, "how it is turned about z"),
    key("turn", Holds::Formula, "how it is turned in space: a rotation, as R or rotation([0, 0, 1], phi)"),
];

/// A circle.
pub const CIRCLE: &[Key] = &[
    key("radius", Holds::Formula, "of the circle"),
    key("at", Holds::Point, "its centre"),
    key("axis", Holds::Axis, "across its plane; z if omitted"),
];

/// A ball.
pub const SEEN_BALL: &[Key] = &[key("radius", Holds::Formula, "of the ball"), key("at", Holds::Point, "its centre")];

/// A box.
pub const CUBOID: &[Key] = &[
    key("size", Holds::Formulas, "its edges, three, or two in the plane"),
    key("at", Holds::Point, "its centre"),
    key("angle", Holds::Formula, "how it is turned about z"),
    key("turn", Holds::Formula, "how it is turned in space: a rotation"),
];

/// A round thing between two points, or along an axis.
pub const SEEN_ROUND: &[Key] = &[
    key("radius", Holds::Formula, "of the round part"),
    key("from", Holds::Point, "where its axis begins"),
    key("to", Holds::Point, "where its axis ends"),
    key("length", Holds::Formula, "instead of `from` and `to`"),
    key("axis", Holds::Axis, "with `length`; z if omitted"),
    key("at", Holds::Point, "with `length`: its centre"),
];

/// A spring.
pub const COIL: &[Key] = &[
    key("from", Holds::Point, "one end"),
    key("to", Holds::Point, "the other end"),
    key("coils", Holds::Number, "how many windings; 8 if omitted"),
    key("radius", Holds::Formula, "half its width; one that fits its length if omitted"),
];

/// A damper.
pub const PISTON: &[Key] = &[
    key("from", Holds::Point, "one end"),
    key("to", Holds::Point, "the other end"),
    key("radius", Holds::Formula, "half its width; one that fits its length if omitted"),
];

/// A plane.
pub const PLANE: &[Key] =
    &[key("normal", Holds::Axis, "to the side on which things are"), key("at", Holds::Point, "a point of it")];

/// An arrow.
pub const ARROW: &[Key] = &[
    key("vector", Holds::Point, "its components, along the axes of the world; of a torque in the plane one number"),
    key("at", Holds::Point, "where it begins"),
];

/// A word.
pub const WORD: &[Key] = &[key("text", Holds::Words, "the word"), key("at", Holds::Point, "where it stands")];

/// What is drawn.
pub const LOOK: &[Key] = &[
    key("for", Holds::Words, "repeats the entry: \"i in 1..N\" draws one for each i, which formulas and names may use"),
    key("point", Holds::PointOrFlag, "a dot"),
    key("line", Holds::PointList, "a line through two or more points"),
    key("closed", Holds::Flag, "whether the line ends where it begins; false if omitted"),
    key("circle", Holds::FormulaOrKeys(CIRCLE), "a circle by its radius"),
    key("box", Holds::FormulasOrKeys(CUBOID), "a box by its edges"),
    key("sphere", Holds::FormulaOrKeys(SEEN_BALL), "a ball by its radius"),
    key("cylinder", Holds::Keys(SEEN_ROUND), "a cylinder"),
    key("capsule", Holds::Keys(SEEN_ROUND), "a cylinder with half balls at its ends"),
    key("bar", Holds::Keys(SEEN_ROUND), "a cylinder, or a line without a radius"),
    key("spring", Holds::Keys(COIL), "a spring between two points"),
    key("damper", Holds::Keys(PISTON), "a damper between two points"),
    key("plane", Holds::AxisOrKeys(PLANE), "a floor or a wall, by its normal"),
    key("trace", Holds::Trace, "points that leave a trace"),
    key("force", Holds::PointOrKeys(ARROW), "an arrow, on the scale of forces"),
    key("torque", Holds::PointOrKeys(ARROW), "an arrow, on the scale of torques"),
    key("velocity", Holds::PointOrKeys(ARROW), "an arrow, on the scale of velocities"),
    key("label", Holds::WordsOrKeys(WORD), "a word"),
    key(
        "at",
        Holds::Point,
        "where figures are that do not say it themselves: the centre of a box, the place of a label",
    ),
    key(
        "frame",
        Holds::WordsOrKeys(STAND),
        "axes in which numbers and formulas of points are meant: a body, a table, or a rotation, whose origin is then `at`. An entry with the name of a body has that body for its frame, all others the world; in a list a frame holds for the entries that follow",
    ),
    key("color", Holds::Words, "a name as in CSS, or \"#rrggbb\""),
    key(
        "show",
        Holds::Flag,
        "false hides what is drawn of its own accord of the body, joint or force of this name, or \"hinge.force\", an arrow; true if omitted",
    ),
];

/// The section of pictures.
pub(super) const VIEW: Section = open(
    "view",
    "What is drawn. An entry may have several figures. What a mechanism does not say here it draws of its own accord: solids, bars between joints, joints, springs, arrows of reactions; points with coordinates x, y (and z) are drawn, too, where a file has no `[view]`.",
    Holds::KeysOrList(LOOK),
);
