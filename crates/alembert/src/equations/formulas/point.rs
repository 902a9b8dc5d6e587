//! Points of which only a part matters.

use crate::system::Point;

/// A time and a configuration.
pub(super) fn config(t: f64, q: &[f64]) -> Point<'_> {
    Point { t, q, v: &[], lambda: &[], psi: &[] }
}

/// A configuration in motion.
pub(super) fn motion<'a>(t: f64, q: &'a [f64], v: &'a [f64]) -> Point<'a> {
    Point { v, ..config(t, q) }
}
