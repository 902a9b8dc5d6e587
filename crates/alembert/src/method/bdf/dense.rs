//! States between the last two points.
//!
//! ```text
//! P = Q + W (c_0 l_0 + c_1 l_1)      Q through the last points, W = prod (t - t_j),   l_0, l_1 linear on the last step
//! c_k = (slope_k - Q'(t_k))/W'(t_k)
//! ```
//!
//! so that P has given slopes at the ends of the step as well: v for q, a for v. q and v are continuous with their first
//! derivatives from step to step; a is the derivative of v. Under a general rate q has no slopes and is Q. Multipliers
//! are Q.

use super::formula::{MAX_POINTS, lagrange};
use super::history::{Entry, History};
use crate::state::State;

/// Lagrange's polynomials through the last points, with what is needed to give slopes at the ends of the last step.
struct Curve<'a> {
    points: &'a [Entry],
    /// Values and slopes at t, slopes at the two ends, newest first.
    values: [f64; MAX_POINTS],
    slopes: [f64; MAX_POINTS],
    ends: [[f64; MAX_POINTS]; 2],
    /// W l_k/W'(t_k) and its derivative.
    corrections: [f64; 2],
    correction_slopes: [f64; 2],
}

impl<'a> Curve<'a> {
    fn new(points: &'a [Entry], t: f64) -> Self {
        let lagrange_at = |t: f64| {
            let mut back = [0.0; MAX_POINTS];
            for (back, entry) in back.iter_mut().zip(points) {
                *back = t - entry.t;
            }
            lagrange(&back[..points.len()])
        };
        let (values, slopes) = lagrange_at(t);
        let mut curve = Curve {
            points,
            values,
            slopes,
            ends: [[0.0; MAX_POINTS]; 2],
            corrections: [0.0; 2],
            correction_slopes: [0.0; 2],
        };
        let [newest, last, ..] = points else { return curve };
        // W and W' at t.
        let (mut w, mut w_slope) = (1.0, 0.0);
        for entry in points {
            w_slope = w_slope * (t - entry.t) + w;
            w *= t - entry.t;
        }
        for (k, (end, other)) in [(newest, last), (last, newest)].into_iter().enumerate() {
            curve.ends[k] = lagrange_at(end.t).1;
            let at_end: f64 = points.iter().filter(|p| p.t != end.t).map(|p| end.t - p.t).product();
            let width = end.t - other.t;
            let line = (t - other.t) / width;
            curve.corrections[k] = w * line / at_end;
            curve.correction_slopes[k] = (w_slope * line + w / width) / at_end;
        }
        curve
    }

    /// Q.
    fn value(&self, of: impl Fn(&Entry) -> f64) -> f64 {
        self.points.iter().zip(&self.values).map(|(entry, l)| l * of(entry)).sum()
    }

    /// P and P', for slopes at the newest point and at the one before.
    fn with_slopes(&self, of: impl Fn(&Entry) -> f64, wanted: [f64; 2]) -> (f64, f64) {
        let (mut value, mut slope, mut ends) = (0.0, 0.0, [0.0; 2]);
        for (i, entry) in self.points.iter().enumerate() {
            let x = of(entry);
            value += self.values[i] * x;
            slope += self.slopes[i] * x;
            ends[0] += self.ends[0][i] * x;
            ends[1] += self.ends[1][i] * x;
        }
        for k in 0..2 {
            let missing = wanted[k] - ends[k];
            value += self.corrections[k] * missing;
            slope += self.correction_slopes[k] * missing;
        }
        (value, slope)
    }
}

/// Writes the state at `t` between `from` and `to`, the last two points, with at most `count` points; `slopes` says that
/// v is the slope of q.
pub(super) fn interpolate(
    history: &History,
    count: usize,
    slopes: bool,
    [from, to]: [&State; 2],
    t: f64,
    out: &mut State,
) {
    let points = history.points();
    let curve = Curve::new(&points[..count.min(points.len()).min(MAX_POINTS)], t);
    out.t = t;
    for i in 0..out.q.len() {
        let q = |entry: &Entry| entry.q[i];
        out.q[i] = if slopes { curve.with_slopes(q, [to.v[i], from.v[i]]).0 } else { curve.value(q) };
    }
    for i in 0..out.v.len() {
        (out.v[i], out.a[i]) = curve.with_slopes(|entry| entry.v[i], [to.a[i], from.a[i]]);
    }
    for (i, mu) in out.lambda.iter_mut().chain(&mut out.psi).enumerate() {
        *mu = curve.value(|entry| entry.mu[i]);
    }
}
