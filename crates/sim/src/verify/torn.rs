//! Rows at which a force jumps: one run may be on one side and its reference on the other, both right. Accelerations and multipliers then
//! differ by the jump, which no error of q and v explains, and are not compared there.
//!
//! ```text
//! x, y          (q, v) of the two at a row
//! |f(x) - f(y)| falls with |x - y| where f is smooth or steep. Where it jumps between them, the difference stays as it was if their
//!               distance is halved, on the side that has the larger part of the difference
//! ```
//!
//! The same for f(t - d), f(t + d) at one state and along its velocity: a force that is switched at the time of a row, or at the very
//! place where both are then.

use alembert::{At, ConstrainedSystem, Quantity, State};
use alembert_model::Model;

/// Halvings of a distance, to a thousand-millionth of an error; and of times, which have fewer digits to lose.
const HALVINGS: i32 = 30;
const HALVINGS_OF_TIME: i32 = 10;
/// If this share of a difference of forces is left after all halvings, the force jumps.
const LEFT: f64 = 0.5;
/// Differences of forces below this share of the largest do not matter.
const NOTHING: f64 = 1e-7;

/// Whether a force jumps between two states of one time, or at that time; times within `slack` of each other count as one.
pub fn is_torn(model: &Model, x: &State, y: &State, slack: f64) -> bool {
    let force = |t: f64, q: &[f64], v: &[f64]| {
        let mut out = vec![0.0; v.len()];
        let _ = model.system.ask(Quantity::Force, &At::new(t, q, v), &mut out);
        out
    };
    let between =
        |share: f64, x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| x + share * (y - x)).collect() };
    let at = |share: f64| force(x.t, &between(share, &x.q, &y.q), &between(share, &x.v, &y.v));
    let along = |t: f64| -> Vec<f64> { x.q.iter().zip(&x.v).map(|(q, v)| q + (t - x.t) * v).collect() };
    let times = [x.t - slack, x.t + slack];
    jumps(at, [0.0, 1.0], HALVINGS)
        || jumps(|t| force(t, &x.q, &x.v), times, HALVINGS_OF_TIME)
        || (x.q.len() == x.v.len() && jumps(|t| force(t, &along(t), &x.v), times, HALVINGS_OF_TIME))
}

/// Whether a vector jumps between two places.
fn jumps(at: impl Fn(f64) -> Vec<f64>, [mut from, mut to]: [f64; 2], halvings: i32) -> bool {
    let (mut first, mut last) = (at(from), at(to));
    let size = first.iter().chain(&last).fold(0.0_f64, |max, f| max.max(f.abs()));
    let whole = difference(&first, &last);
    // A value that is not a number is no reason to leave a row out.
    if !(whole.is_finite() && whole > NOTHING * size) {
        return false;
    }
    for _ in 0..halvings {
        let middle = 0.5 * (from + to);
        let value = at(middle);
        if difference(&first, &value) > difference(&value, &last) {
            (to, last) = (middle, value);
        } else {
            (from, first) = (middle, value);
        }
        let left = difference(&first, &last);
        if left.is_nan() || left < LEFT * whole {
            return false;
        }
    }
    true
}

fn difference(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |max, (x, y)| f64::max(max, (x - y).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_is_told_from_what_is_steep() {
        let one = |f: fn(f64) -> f64| move |s: f64| vec![3.0, f(s)];
        assert!(jumps(one(|s| if s > 0.37 { 1.0 } else { 0.0 }), [0.0, 1.0], HALVINGS));
        // A jump beside a slope of the same size.
        assert!(jumps(one(|s| s + if s > 0.9 { 1.0 } else { 0.0 }), [0.0, 1.0], HALVINGS));
        assert!(!jumps(one(|s| s), [0.0, 1.0], HALVINGS));
        assert!(!jumps(one(|s| (1e6 * (s - 0.4)).tanh()), [0.0, 1.0], HALVINGS));
        assert!(!jumps(one(|_| 1.0), [0.0, 1.0], HALVINGS));
        assert!(!jumps(one(|s| if s > 0.5 { f64::NAN } else { 0.0 }), [0.0, 1.0], HALVINGS));
    }
}
