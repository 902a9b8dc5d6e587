//! The keys of tables of measured values.

use super::{Holds, Key, key};

/// What lies between the knots of a table.
pub const KINDS: &[&str] = &["linear", "pchip", "spline"];
/// What lies beyond its ends.
pub const BEYOND: &[&str] = &["error", "hold", "linear", "periodic"];

/// The keys of a table.
pub const TABLE: &[Key] = &[
    key(
        "x",
        Holds::Points,
        "knots in increasing order: numbers or constant formulas, or with `file` the name of a column",
    ),
    key("y", Holds::Points, "values at the knots; with `z` the knots of the second argument"),
    key(
        "z",
        Holds::Points,
        "values of two arguments: rows, one for each knot of `x`, with a value for each knot of `y`; with `file` a column that has every pair of knots once",
    ),
    key(
        "file",
        Holds::Words,
        "comma-separated text with the names of columns in its first line; beside the model or in a folder below it",
    ),
    key(
        "kind",
        Holds::Choice(KINDS),
        "between knots: `linear`, which is the default (bilinear with `z`), `pchip`: cubic, smooth and as monotone as the points (not with `z`), or `spline`: cubic with two continuous derivatives, not-a-knot at its ends (bicubic with `z`)",
    ),
    key(
        "extrapolation",
        Holds::Choice(BEYOND),
        "beyond the ends: `error`, which is the default and has no value, `hold` the value there, `linear`: go on with the slope there, or `periodic`",
    ),
];
