//! Looks for crossings in a step.
//!
//! ```text
//! t0  +  |     |     |     |     |     |     |  +  t1         samples of phi on the dense output; + at a thousandth
//! ```
//!
//! Between samples of different sign there is a crossing. A sample closer to zero than both neighbours may hide two:
//! golden section looks for them. At the ends of the step the two samples next to each other show the slope.
//!
//! A function that begins at a root (because its action has just put it there) is divided by the time since:
//!
//! ```text
//! (phi(t) - phi(t0)) / (t - t0),      phi'(t0) at t0
//! ```
//!
//! which has the other roots only, and shows at t0 which way the function leaves. phi' is made of derivatives at t0, so
//! that it sees a velocity of 1e-10 where the chord over any time that can be resolved would see gravity. Where phi' is zero to
//! rounding (a rope just gone slack touches its circle to third order), the way is not known until phi
//! has moved by more than the tolerances of q and v can make of it.
//!
//! After an impact there is no choice: the body is on the side it came from, and whatever leads away from there is the next
//! crossing. A body that is at rest on the surface and pressed against it crosses at once.
//!
//! A change of sign that does not become smaller as its bracket shrinks to rounding is a jump. It is no crossing, unless the
//! event says that jumps count.

use super::memory::{Leaving, Memory, REST};
use super::root::{Bracket, dip};
use super::slope::Slope;
use super::{Direction, Event};
use crate::integrator::EventFailure;
use crate::integrator::mode::Mode;
use crate::state::State;
use crate::tolerance::Tolerance;

/// How far the samples that show slopes at the ends of a step are from these ends, relative to the step.
const NEAR: f64 = 1e-3;
/// Times are located to this many roundings.
const ROUNDINGS: f64 = 4.0;

/// A located crossing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    pub event: usize,
    pub t: f64,
    pub rising: bool,
    /// Whether the function jumps there.
    pub jump: bool,
}

/// Why an event could not be located.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lost {
    pub event: usize,
    pub t: f64,
    pub failure: EventFailure,
}

/// Events and what is known of them.
#[derive(Default)]
pub(crate) struct Watch<'s> {
    pub events: Vec<Event<'s>>,
    pub memory: Vec<Memory>,
    /// Crossings of the last step, in order.
    pub crossings: Vec<Crossing>,
    times: Vec<f64>,
    /// Samples, one row an event.
    values: Vec<f64>,
    state: Option<State>,
}

impl<'s> Watch<'s> {
    pub fn add(&mut self, event: Event<'s>) -> usize {
        self.events.push(event);
        self.memory.push(Memory::default());
        self.events.len() - 1
    }

    pub fn is_idle(&self) -> bool {
        self.events.is_empty()
    }

    /// The motion begins afresh: values at the end of the last step say nothing.
    pub fn restart(&mut self) {
        for memory in &mut self.memory {
            memory.value = None;
            memory.leaving = None;
        }
    }

    /// Notes that the action of an event has restarted the motion at `t`, with the slope before; false if it chatters.
    pub fn fire(&mut self, crossing: Crossing, bounced: bool, before: &Slope, longest: f64) -> bool {
        self.memory[crossing.event].fire(crossing, bounced, before, longest)
    }

    /// The value of an event at a state.
    pub(super) fn value(&mut self, event: usize, state: &State) -> Result<f64, Lost> {
        let value = (self.events[event].value)(state);
        if value.is_nan() { Err(Lost { event, t: state.t, failure: EventFailure::NotANumber }) } else { Ok(value) }
    }

    /// Finds the crossings of the step from `before` to the method's state.
    pub fn scan(&mut self, index: usize, mode: &mut Mode, before: &State, tolerance: &Tolerance) -> Result<(), Lost> {
        self.crossings.clear();
        let mut state = self.state.take().unwrap_or_else(|| before.clone());
        state.fit(mode.equations.dims());
        self.place_samples(index, before.t, mode.method.state().t - before.t);
        for event in 0..self.events.len() {
            if self.events[event].is_watched(index) {
                self.begin(event, mode, before, tolerance)?;
            }
        }
        let found = self.scan_with(index, mode, before, &mut state, tolerance);
        self.state = Some(state);
        found
    }

    fn scan_with(
        &mut self,
        index: usize,
        mode: &mut Mode,
        before: &State,
        state: &mut State,
        accuracy: &Tolerance,
    ) -> Result<(), Lost> {
        let count = self.times.len();
        for k in 1..count {
            let t = self.times[k];
            if k + 1 < count {
                mode.interpolate(before, t, state);
            } else {
                state.assign(mode.method.state());
            }
            for event in 0..self.events.len() {
                if self.events[event].is_watched(index) {
                    self.values[event * count + k] = self.value(event, state)?;
                }
            }
        }
        let tolerances = (time_tolerance(before.t, mode.method.state().t), accuracy);
        for event in 0..self.events.len() {
            if self.events[event].is_watched(index) {
                self.cross(event, mode, before, state, tolerances)?;
            } else {
                // What happens while nobody watches does not count.
                let Memory { last, times, .. } = self.memory[event];
                self.memory[event] = Memory { last, times, ..Memory::default() };
            }
        }
        self.crossings.sort_by(|x, y| x.t.total_cmp(&y.t).then(x.event.cmp(&y.event)));
        Ok(())
    }

    fn place_samples(&mut self, index: usize, t0: f64, h: f64) {
        let watched = self.events.iter().filter(|event| event.is_watched(index));
        let intervals = watched.map(|event| event.samples).max().unwrap_or(1);
        self.times.clear();
        self.times.extend([t0, t0 + NEAR * h]);
        self.times.extend((1..intervals).map(|k| t0 + h * k as f64 / intervals as f64));
        self.times.extend([t0 + (1.0 - NEAR) * h, t0 + h]);
        let count = self.times.len();
        self.values.clear();
        self.values.resize(count * self.events.len(), 0.0);
    }

    /// The value at the start of the step, or how the function leaves its root there.
    fn begin(&mut self, event: usize, mode: &mut Mode, before: &State, tolerance: &Tolerance) -> Result<(), Lost> {
        let first = event * self.times.len();
        let Memory { value, leaving, .. } = self.memory[event];
        if let Some(value) = value.or(leaving.map(|leaving| leaving.value)) {
            self.values[first] = value;
            return Ok(());
        }
        let value = self.value(event, before)?;
        let t1 = mode.method.state().t;
        let Slope { slope, noise, bend, size, rounding, band } =
            self.slope(event, mode, before, t1 - before.t, tolerance)?;
        let close = slope.abs() * 10.0 * time_tolerance(before.t, t1);
        let memory = &mut self.memory[event];
        let Event { direction, bounces, .. } = self.events[event];
        if memory.fired.is_some() || value.abs() <= close.max(rounding) {
            let side = match (memory.fired, direction) {
                (Some(fired), _) if fired.bounced => side(fired.rising),
                (None, Direction::Rising) if bounces => -1.0,
                (None, Direction::Falling) if bounces => 1.0,
                (None, Direction::Any) if bounces && slope.abs() <= noise => {
                    return Err(Lost { event, t: before.t, failure: EventFailure::NoSide });
                }
                _ => 0.0,
            };
            // Where the side is known the band is rounding alone: within a band of the tolerance the body would sink into the surface.
            let band = match side == 0.0 {
                true if slope.abs() <= noise.max(REST * size) => band,
                false if slope.abs() <= noise => rounding,
                _ => 0.0,
            };
            // After an impact the side is known, and hops as high as rounding count.
            let unseen = match side == 0.0 && band == 0.0 && slope != 0.0 {
                true => before.t + rounding / slope.abs(),
                false => before.t,
            };
            memory.leaving = Some(Leaving { t: before.t, value, slope, noise, bend, band, unseen, side });
        }
        self.values[first] = value;
        Ok(())
    }

    /// The crossings of one event between its samples.
    fn cross(
        &mut self,
        event: usize,
        mode: &mut Mode,
        before: &State,
        state: &mut State,
        tolerances: (f64, &Tolerance),
    ) -> Result<(), Lost> {
        let count = self.times.len();
        let first = event * count;
        let Memory { leaving, fired, .. } = self.memory[event];
        let end = self.values[first + count - 1];
        // Samples from `next` on are looked at; the one before has the sign.
        let (mut next, mut sign) = (1, 0.0);
        if let Some(leaving) = leaving {
            if let Some(rising) = leaving.crosses_at_once(fired) {
                self.crossings.push(Crossing { event, t: leaving.t, rising, jump: false });
                return Ok(());
            }
            if leaving.band > 0.0 || leaving.slope == 0.0 {
                // Where the way is not known yet, the first sample that shows it speaks for those before it.
                let shows = |k: &usize| (self.values[first + k] - leaving.value).abs() > leaving.band;
                let Some(known) = (1..count).find(shows) else { return Ok(()) };
                next = if leaving.side == 0.0 { known + 1 } else { known };
            }
            for k in 0..count {
                self.values[first + k] = leaving.reduce(self.times[k], self.values[first + k]);
            }
            sign = leaving.side;
        }
        if sign == 0.0 {
            sign = if self.values[first + next - 1] > 0.0 { 1.0 } else { -1.0 };
        }
        for k in next..count {
            let x = |k: usize| self.values[first + k];
            let (t, at) = (self.times[k], x(k));
            // Zero is reached once, however long the function stays there.
            if at * sign < 0.0 || (at == 0.0 && x(k - 1) != 0.0) {
                // After an impact the side is known at the start, whatever the samples since then say within the band.
                let from = if k == next && leaving.is_some_and(|leaving| leaving.side != 0.0) { 0 } else { k - 1 };
                let at_a = sign * x(from).abs().max(f64::MIN_POSITIVE);
                let bracket = Bracket { a: self.times[from], b: t, at_a, at_b: at };
                self.locate(event, mode, before, state, bracket, tolerances)?;
                sign = -sign;
            } else if k + 1 < count && x(k + 1) * sign > 0.0 && at.abs() < x(k - 1).abs() && at.abs() <= x(k + 1).abs()
            {
                let points = [self.times[k - 1], t, self.times[k + 1]];
                let values = [x(k - 1), at, x(k + 1)];
                let found = dip(points, values, tolerances.0, |t| {
                    mode.interpolate(before, t, state);
                    self.reduced(event, state)
                })?;
                if let Some((middle, at_middle)) = found {
                    let [a, _, b] = points;
                    let down = Bracket { a, b: middle, at_a: values[0], at_b: at_middle };
                    // A dip that only touches zero has no sign of its own: it gets that of the other side.
                    let up =
                        Bracket { a: middle, b, at_a: -sign * at_middle.abs().max(f64::MIN_POSITIVE), at_b: values[2] };
                    self.locate(event, mode, before, state, down, tolerances)?;
                    self.locate(event, mode, before, state, up, tolerances)?;
                }
            }
        }
        let memory = &mut self.memory[event];
        memory.value = Some(end);
        memory.fired = None;
        // Once the function is seen to be clear of the root where it began, its own sign is enough.
        let t1 = self.times[count - 1];
        memory.leaving = leaving.filter(|leaving| t1 <= leaving.unseen || end * (end - leaving.value) <= 0.0);
        Ok(())
    }
}

/// The sign of a function before it crosses zero.
fn side(rising: bool) -> f64 {
    if rising { -1.0 } else { 1.0 }
}

/// How exactly times are located.
fn time_tolerance(t0: f64, t1: f64) -> f64 {
    (ROUNDINGS * f64::EPSILON * t0.abs().max(t1.abs())).max(f64::MIN_POSITIVE)
}
