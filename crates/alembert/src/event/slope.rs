//! How an event's function begins: its slope, and what rounding and tolerance make of it.
//!
//! ```text
//! slope      phi' = phi_t + phi_q q' + phi_v a
//! noise      how much of it may be rounding or an error of differences
//! bend       phi'' along (t+s, q + s q' + s^2/2 q'', v + s a): where the function goes without a slope
//! size       |phi_t| + sum |phi_q| |q'| + |phi_v| |a|     what the slope would be without cancellation
//! rounding   1e-12 sum |phi_q| |q| + |phi_v| |v|          what a value of zero may amount to
//! band       sum |phi_q| w_q + |phi_v| w_v                w the tolerances: what errors of q and v may amount to
//! ```

use super::difference::{Distances, Estimate, derivative, second_derivative};
use super::partials::Partials;
use super::watch::{Lost, Watch};
use crate::integrator::EventFailure;
use crate::integrator::mode::Mode;
use crate::state::State;
use crate::tolerance::{Tolerance, largest};
use crate::typical::TypicalSizes;

/// What counts as rounding, relative to the terms of a value.
const ROUNDING: f64 = 1e-12;
/// What counts as rounding of a slope, relative to its terms.
const NOISE: f64 = 64.0 * f64::EPSILON;
/// The shortest time of differences, relative to the shortest that is known, and to the present time.
const SHORTEST: f64 = 1e-10;
const RESOLVED: f64 = 1e-12;

/// The beginning of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slope {
    pub slope: f64,
    pub noise: f64,
    pub bend: f64,
    pub size: f64,
    pub rounding: f64,
    pub band: f64,
}

/// Zero in place of what is not finite: a function need not be defined where the motion does not go.
fn known(x: f64) -> f64 {
    if x.is_finite() { x } else { 0.0 }
}

impl Watch<'_> {
    /// The beginning of a function at a state; `h` is a time in which nothing much happens.
    pub fn slope(
        &mut self,
        event: usize,
        mode: &mut Mode,
        state: &State,
        h: f64,
        tolerance: &Tolerance,
    ) -> Result<Slope, Lost> {
        let lost = |failure| Lost { event, t: state.t, failure: EventFailure::Step(failure) };
        let mut rate = Vec::new();
        mode.rate(state, &mut rate).map_err(lost)?;
        let partials = self.partials(event, mode, state, &rate, h, true);
        let mut motion = Motion { rate, bow: Vec::new() };
        let Estimate { value, error } = partials.along(&motion.rate, &state.a);
        let size = known(partials.size(&motion.rate, &state.a));
        let times = motion.times(state, h);
        let slope = if value.is_finite() && error.is_finite() {
            Estimate { value, error }
        } else {
            let mut moved = state.clone();
            let value = |s: f64| self.on_the_way(event, mode, state, &motion, s, &mut moved);
            derivative(value, times, f64::EPSILON * state.t.abs())
        };
        let noise = if slope.error.is_finite() { slope.error.max(NOISE * size) } else { f64::INFINITY };
        motion.bow = mode.rate_of_rate(state, h).map_err(lost)?;
        let mut moved = state.clone();
        let bend = second_derivative(|s| self.on_the_way(event, mode, state, &motion, s, &mut moved), times);
        let bend = if bend.error < bend.value.abs() { bend.value } else { 0.0 };
        let (rounding, band) = rounding_and_band(&partials, state, tolerance, mode.equations.typical());
        Ok(Slope { slope: known(slope.value), noise, bend, size, rounding, band })
    }

    /// The derivative of a function along a direction in which time passes at the rate `dt`.
    pub fn difference_along(
        &mut self,
        event: usize,
        mode: &Mode,
        state: &State,
        dt: f64,
        direction: &[f64],
        h: f64,
    ) -> Estimate {
        let motion = Motion { rate: direction.to_vec(), bow: Vec::new() };
        let mut moved = state.clone();
        let value = |s: f64| {
            let dx: Vec<f64> = direction.iter().map(|x| s * x).collect();
            mode.equations.advance(&state.q, &dx, &mut moved.q);
            moved.t = state.t + s * dt;
            (self.events[event].value)(&moved)
        };
        derivative(value, motion.times(state, h), f64::EPSILON * dt * state.t.abs())
    }

    /// The function along the motion.
    fn on_the_way(
        &mut self,
        event: usize,
        mode: &Mode,
        state: &State,
        motion: &Motion,
        s: f64,
        moved: &mut State,
    ) -> f64 {
        let bow = |i: usize| motion.bow.get(i).map_or(0.0, |bow| 0.5 * s * s * bow);
        let dx: Vec<f64> = motion.rate.iter().enumerate().map(|(i, rate)| s * rate + bow(i)).collect();
        mode.equations.advance(&state.q, &dx, &mut moved.q);
        moved.t = state.t + s;
        for (moved, (v, a)) in moved.v.iter_mut().zip(state.v.iter().zip(&state.a)) {
            *moved = v + s * a;
        }
        (self.events[event].value)(moved)
    }
}

/// The motion near a state.
struct Motion {
    /// q'.
    rate: Vec<f64>,
    /// q'', or nothing for a straight line.
    bow: Vec<f64>,
}

impl Motion {
    /// Times of differences.
    fn times(&self, state: &State, h: f64) -> Distances {
        let (size, speed) = (largest(&state.q), largest(&self.rate));
        let crossing = if speed > 0.0 && size > 0.0 { size / speed } else { h };
        let longest = h.max(crossing);
        let shortest = (SHORTEST * h.min(crossing)).max(RESOLVED * state.t.abs()).max(1e-16 * longest);
        Distances { shortest, longest }
    }
}

fn rounding_and_band(partials: &Partials, state: &State, tolerance: &Tolerance, sizes: &TypicalSizes) -> (f64, f64) {
    let Tolerance { rtol, atol_q, atol_v } = *tolerance;
    let mut rounding = ROUNDING * known(partials.t.value).abs() * state.t.abs();
    let mut band = 0.0;
    for (partials, x, atol, typical) in
        [(&partials.q, &state.q, atol_q, &sizes.q), (&partials.v, &state.v, atol_v, &sizes.v)]
    {
        let size = largest(sizes.bodies(x));
        for (i, partial) in partials.iter().enumerate() {
            let partial = known(partial.value).abs();
            // The integral of a state is infinitely large, and matters to nobody.
            if partial == 0.0 {
                continue;
            }
            // On groups q and its increments differ in length; an angle or a length of one is as good.
            let value = if x.len() == partials.len() { x[i].abs() } else { 1.0 };
            rounding += ROUNDING * partial * size.max(value);
            band += partial * (atol + rtol * (typical[i] + value));
        }
    }
    (rounding, band)
}
