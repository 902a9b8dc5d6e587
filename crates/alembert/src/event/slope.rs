//! How an event's function begins: its slope, and what rounding and tolerance make of it.
//!
//! ```text
//! slope      phi' along (1, q', a), by fourth-order differences on straight lines
//! bend       phi(t+s, q + s q' + s^2/2 a, v + s a) - phi  for a short time s: where it goes without a slope
//! size       sum |phi_q| |q'| + |phi_v| |a|               what the slope would be without cancellation
//! rounding   1e-12 sum |phi_q| (1+|q|) + |phi_v| (1+|v|)  what a value of zero may amount to
//! band       sum |phi_q| w_q + |phi_v| w_v                w the tolerances: what errors of q and v may amount to
//! ```

use super::watch::{Lost, Watch};
use crate::integrator::mode::Mode;
use crate::method::StepFailure;
use crate::state::State;
use crate::tolerance::{Tolerance, largest};

/// Displacement of the differences, relative to the sizes of q and v.
const DISPLACEMENT: f64 = 1e-3;
/// What counts as rounding, relative to the terms of a value.
const ROUNDING: f64 = 1e-12;

/// The beginning of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slope {
    pub slope: f64,
    pub bend: f64,
    pub size: f64,
    pub rounding: f64,
    pub band: f64,
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
        let mut rate = Vec::new();
        let measured = mode.rate(state, &mut rate);
        measured.map_err(|failure: StepFailure| Lost { event, t: state.t, failure: Some(failure) })?;
        let (length, speed) = (1.0 + largest(&state.q), 1.0 + largest(&state.v));
        let mut line = Line { watch: self, event, mode, state, moved: state.clone() };
        let unit = DISPLACEMENT * (length / largest(&rate)).min(speed / largest(&state.a)).min(10.0 * h);
        let slope = line.derivative([1.0, 1.0, 1.0], &rate, &state.a, unit);
        let bend = line.bend(&rate, (DISPLACEMENT * length / largest(&state.a)).sqrt().min(h));
        let Tolerance { rtol, atol_q, atol_v } = *tolerance;
        let (mut size, mut rounding, mut band) = (0.0, 0.0, 0.0);
        for (x, x_rate, scale, atol, of_q) in
            [(&state.q, &rate, length, atol_q, 1.0), (&state.v, &state.a, speed, atol_v, 0.0)]
        {
            let mut unit = vec![0.0; x_rate.len()];
            for i in 0..x_rate.len() {
                unit[i] = 1.0;
                let partial = line.derivative([0.0, of_q, 1.0 - of_q], &unit, &unit, DISPLACEMENT * scale).abs();
                unit[i] = 0.0;
                // On groups q and its increments differ in length; an angle or a length of one is as good.
                let value = if x.len() == x_rate.len() { x[i].abs() } else { 1.0 };
                size += partial * x_rate[i].abs();
                rounding += ROUNDING * partial * (1.0 + value);
                band += partial * (atol + rtol * value);
            }
        }
        Ok(Slope { slope, bend, size, rounding, band })
    }
}

/// Straight lines through a state, on which an event's function is evaluated.
struct Line<'a, 'e, 's> {
    watch: &'a mut Watch<'e>,
    event: usize,
    mode: &'a Mode<'s>,
    state: &'a State,
    moved: State,
}

/// Zero for what is not known: a function need not be defined where the motion does not go.
fn known(x: f64) -> f64 {
    if x.is_finite() { x } else { 0.0 }
}

impl Line<'_, '_, '_> {
    /// The function at the state, or where it was moved to.
    fn value(&mut self, here: bool) -> f64 {
        (self.watch.events[self.event].value)(if here { self.state } else { &self.moved })
    }

    /// The change along a parabola.
    fn bend(&mut self, rate: &[f64], s: f64) -> f64 {
        let (state, general) = (self.state, self.mode.equations.has_general_rate());
        let bow = |i: usize| if general { 0.0 } else { 0.5 * s * s * state.a[i] };
        let dx: Vec<f64> = rate.iter().enumerate().map(|(i, rate)| s * rate + bow(i)).collect();
        self.mode.equations.advance(&state.q, &dx, &mut self.moved.q);
        self.moved.t = state.t + s;
        for (moved, (v, a)) in self.moved.v.iter_mut().zip(state.v.iter().zip(&state.a)) {
            *moved = v + s * a;
        }
        known(self.value(false) - self.value(true))
    }

    /// The derivative along (t, q, v) = shares of (1, dq, dv).
    fn derivative(&mut self, shares: [f64; 3], dq: &[f64], dv: &[f64], unit: f64) -> f64 {
        let mut at = |shift: f64| {
            let [dt, of_q, of_v] = shares.map(|share| share * shift);
            self.moved.t = self.state.t + dt;
            if of_q == 0.0 {
                self.moved.q.copy_from_slice(&self.state.q);
            } else {
                let dx: Vec<f64> = dq.iter().map(|dq| of_q * dq).collect();
                self.mode.equations.advance(&self.state.q, &dx, &mut self.moved.q);
            }
            for (i, moved) in self.moved.v.iter_mut().enumerate() {
                *moved = self.state.v[i] + if of_v == 0.0 { 0.0 } else { of_v * dv[i] };
            }
            self.value(false)
        };
        let (inner, outer) = (at(unit) - at(-unit), at(2.0 * unit) - at(-2.0 * unit));
        known((8.0 * inner - outer) / (12.0 * unit))
    }
}
