//! The derivatives of an event's function at a state: exact where the event supplies them, else by differences.
//!
//! Differences are taken in one variable at a time. Their distances lie between a small share of the shortest length that is
//! known (the variable itself, the size of q, the way of a step) and a quarter of the longest; see [`difference`](super::difference).

use super::difference::{Distances, Estimate, derivative};
use super::watch::Watch;
use super::{Gradient, Value};
use crate::integrator::mode::Mode;
use crate::state::State;
use crate::tolerance::largest;

/// The shortest distance of differences, relative to the smallest length that is known.
const SHORTEST: f64 = 1e-10;
/// The shortest distance relative to the variable: below it there is little but rounding.
const RESOLVED: f64 = 1e-12;
/// The longest distance, relative to the largest length that is known.
const LONGEST: f64 = 0.25;
/// Distances span at most this much.
const SPAN: f64 = 1e22;

/// One of the vectors of a state.
type Part = fn(&mut State) -> &mut Vec<f64>;

/// phi_t, phi_q (along velocities on rotations) and phi_v.
#[derive(Clone, Debug)]
pub(crate) struct Partials {
    pub t: Estimate,
    pub q: Vec<Estimate>,
    pub v: Vec<Estimate>,
    /// Whether the event supplied them.
    pub supplied: bool,
}

impl Partials {
    /// phi' when q moves with `rate` and v with `a`.
    pub fn along(&self, rate: &[f64], a: &[f64]) -> Estimate {
        let Estimate { mut value, mut error } = self.t;
        for (partial, rate) in self.q.iter().zip(rate).chain(self.v.iter().zip(a)) {
            if *rate != 0.0 {
                value += partial.value * rate;
                error += partial.error * rate.abs();
            }
        }
        Estimate { value, error }
    }

    /// The size that phi' would have without cancellation.
    pub fn size(&self, rate: &[f64], a: &[f64]) -> f64 {
        let moved = self.q.iter().zip(rate).chain(self.v.iter().zip(a));
        self.t.value.abs() + moved.map(|(partial, rate)| (partial.value * rate).abs()).sum::<f64>()
    }
}

/// Distances for a variable at `here`, among things of sizes `lengths` (those that are zero say nothing).
pub(super) fn distances(here: f64, lengths: &[f64]) -> Distances {
    let known = || lengths.iter().chain([&here]).map(|x| x.abs()).filter(|x| *x > 0.0 && x.is_finite());
    let smallest = known().fold(f64::INFINITY, f64::min).min(1.0);
    let longest = LONGEST * known().fold(1.0, f64::max);
    let shortest = (SHORTEST * smallest).max(RESOLVED * here.abs()).max(longest / SPAN);
    Distances { shortest, longest }
}

impl Watch<'_> {
    /// The derivatives at a state; `h` is a time in which nothing much happens. Without `moving` those by v are left out.
    pub fn partials(
        &mut self,
        event: usize,
        mode: &Mode,
        state: &State,
        rate: &[f64],
        h: f64,
        moving: bool,
    ) -> Partials {
        let equations = &mode.equations;
        let (columns, n) = (equations.tangent(), if moving { state.v.len() } else { 0 });
        let event = &mut self.events[event];
        if let Some(differentiate) = &mut event.gradient {
            let mut gradient = Gradient { t: 0.0, q: vec![0.0; columns], v: vec![0.0; state.v.len()] };
            differentiate(state, equations.space(), &mut gradient);
            gradient.q.resize(columns, 0.0);
            gradient.v.resize(state.v.len(), 0.0);
            let exact =
                |value: &f64| Estimate { value: *value, error: if value.is_finite() { 0.0 } else { f64::INFINITY } };
            let (q, v) = (gradient.q.iter().map(exact).collect(), gradient.v.iter().map(exact).collect());
            return Partials { t: exact(&gradient.t), q, v, supplied: true };
        }
        let mut moved = state.clone();
        let value: &mut Value = &mut event.value;
        let t = derivative(
            |s| {
                moved.t = state.t + s;
                value(&moved)
            },
            distances(state.t, &[h]),
            f64::EPSILON * state.t.abs(),
        );
        moved.t = state.t;
        let (size, flat) = (largest(&state.q), equations.space().is_flat());
        let mut q = Vec::with_capacity(columns);
        for j in 0..columns {
            // On groups an increment has the length of an angle.
            let here = if flat { state.q[j] } else { 1.0 };
            let at = |s: f64| {
                equations.space().advance_one(&state.q, j, s, &mut moved.q);
                value(&moved)
            };
            q.push(derivative(at, distances(here, &[size, h * rate[j]]), f64::EPSILON * here.abs()));
            equations.space().advance_one(&state.q, j, 0.0, &mut moved.q);
        }
        let size = largest(&state.v);
        let mut v = Vec::with_capacity(n);
        for j in 0..n {
            let here = state.v[j];
            let at = |s: f64| {
                moved.v[j] = here + s;
                value(&moved)
            };
            v.push(derivative(at, distances(here, &[size, h * state.a[j]]), f64::EPSILON * here.abs()));
            moved.v[j] = here;
        }
        Partials { t, q, v, supplied: false }
    }

    /// Whether the function depends on more than t and q, and on what.
    pub fn depends_on_motion(&mut self, event: usize, state: &State) -> Option<&'static str> {
        let value = &mut self.events[event].value;
        let here = value(state);
        let parts: [(&'static str, Part); 4] = [
            ("velocities", |state| &mut state.v),
            ("accelerations", |state| &mut state.a),
            ("multipliers", |state| &mut state.lambda),
            ("multipliers", |state| &mut state.psi),
        ];
        parts.into_iter().find_map(|(what, part)| {
            let mut other = state.clone();
            let size = 1.0 + largest(part(&mut other));
            // Each entry changes by another amount, lest changes cancel in a difference of two entries.
            for (i, x) in part(&mut other).iter_mut().enumerate() {
                *x += size * (0.37 + 0.11 * (i as f64 * 1.7).sin());
            }
            (value(&other).to_bits() != here.to_bits()).then_some(what)
        })
    }
}
