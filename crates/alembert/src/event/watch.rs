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
//! which has the other roots only, and shows at t0 which way the function leaves. phi' is taken along (1, q', a) with
//! straight lines, so that it sees a velocity of 1e-10 where the chord over any resolvable time would see gravity.

use super::root::{Bracket, dip, root};
use super::{Direction, Event};
use crate::integrator::mode::Mode;
use crate::method::StepFailure;
use crate::state::State;

/// Distance of the samples that show slopes at the ends, relative to the step.
const NEAR: f64 = 1e-3;
/// Times are located to this many roundings.
const ROUNDINGS: f64 = 4.0;
/// A function is at rest after its action if its slope is below this share of that before.
const REST: f64 = 1e-9;
/// Displacement of the differences that give slopes, relative to the sizes of q and v; they are of fourth order.
const DISPLACEMENT: f64 = 1e-3;
/// Firings of one event in no time that count as chattering.
const CHATTER: usize = 10;
/// What is no time, relative to the longest step so far.
const NO_TIME: f64 = 1e-6;

/// A located crossing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    pub event: usize,
    pub t: f64,
    pub rising: bool,
}

/// Why an event could not be located.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lost {
    pub event: usize,
    pub t: f64,
    /// None if the event's own function is not finite.
    pub failure: Option<StepFailure>,
}

/// What is known of an event's function at the start of the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Memory {
    /// Its value at the end of the last step, unless the motion has begun afresh.
    pub value: Option<f64>,
    /// How it began, while it is close to the root where it began.
    pub leaving: Option<Leaving>,
    /// Its crossing at the start of the motion, if its action made the start.
    pub fired: Option<Fired>,
    /// When its action last restarted the motion, and how often in a row in no time.
    pub last: Option<(f64, usize)>,
}

/// A start at a root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leaving {
    pub t: f64,
    pub value: f64,
    pub slope: f64,
}

/// A crossing that restarted the motion, with the slope before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fired {
    pub rising: bool,
    pub slope: f64,
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
    /// Displaced q.
    displacement: Vec<f64>,
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

    /// Notes that the action of an event has restarted the motion at `t`; false if it chatters.
    pub fn fire(&mut self, crossing: Crossing, slope: f64, longest: f64) -> bool {
        let memory = &mut self.memory[crossing.event];
        memory.fired = Some(Fired { rising: crossing.rising, slope });
        let count = match memory.last {
            Some((t, count)) if crossing.t - t <= NO_TIME * longest => count + 1,
            _ => 1,
        };
        memory.last = Some((crossing.t, count));
        count < CHATTER
    }

    /// The value of an event at a state.
    fn value(&mut self, event: usize, state: &State) -> Result<f64, Lost> {
        let value = (self.events[event].value)(state);
        if value.is_nan() { Err(Lost { event, t: state.t, failure: None }) } else { Ok(value) }
    }

    /// phi' along straight lines from a state; `h` is a time in which nothing much happens.
    pub fn slope(&mut self, event: usize, mode: &mut Mode, state: &State, h: f64) -> Result<f64, Lost> {
        let lost = |failure: StepFailure| Lost { event, t: state.t, failure: Some(failure) };
        let mut rate = std::mem::take(&mut self.displacement);
        mode.rate(state, &mut rate).map_err(lost)?;
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
        let by_q = (1.0 + largest(&state.q)) / largest(&rate);
        let by_v = (1.0 + largest(&state.v)) / largest(&state.a);
        let unit = DISPLACEMENT * by_q.min(by_v).min(10.0 * h);
        let mut moved = state.clone();
        let mut dx = rate.clone();
        let mut at = |shift: f64| {
            moved.t = state.t + shift;
            for (dx, rate) in dx.iter_mut().zip(&rate) {
                *dx = shift * rate;
            }
            mode.equations.advance(&state.q, &dx, &mut moved.q);
            for ((moved, v), a) in moved.v.iter_mut().zip(&state.v).zip(&state.a) {
                *moved = v + shift * a;
            }
            self.value(event, &moved)
        };
        let (inner, outer) = (at(unit)? - at(-unit)?, at(2.0 * unit)? - at(-2.0 * unit)?);
        self.displacement = rate;
        Ok((8.0 * inner - outer) / (12.0 * unit))
    }

    /// Finds the crossings of the step from `before` to the method's state.
    pub fn scan(&mut self, index: usize, mode: &mut Mode, before: &State) -> Result<(), Lost> {
        self.crossings.clear();
        let mut state = match self.state.take() {
            Some(state) if state.lambda.len() == before.lambda.len() && state.psi.len() == before.psi.len() => state,
            _ => before.clone(),
        };
        let found = self.scan_with(index, mode, before, &mut state);
        self.state = Some(state);
        found
    }

    fn scan_with(&mut self, index: usize, mode: &mut Mode, before: &State, state: &mut State) -> Result<(), Lost> {
        let (t0, t1) = (before.t, mode.method.state().t);
        let (h, tolerance) = (t1 - t0, ROUNDINGS * f64::EPSILON * t0.abs().max(t1.abs()));
        self.place_samples(index, t0, h);
        let count = self.times.len();
        for event in 0..self.events.len() {
            if self.events[event].is_watched(index) {
                self.begin(event, mode, before, h, 10.0 * tolerance)?;
            }
        }
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
        let tolerance = tolerance.max(f64::MIN_POSITIVE);
        for event in 0..self.events.len() {
            if self.events[event].is_watched(index) {
                self.cross(event, mode, before, state, tolerance)?;
            } else {
                // What happens unwatched does not count.
                self.memory[event] = Memory { last: self.memory[event].last, ..Memory::default() };
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
    fn begin(
        &mut self,
        event: usize,
        mode: &mut Mode,
        before: &State,
        h: f64,
        tolerance: f64,
    ) -> Result<(), Lost> {
        let first = event * self.times.len();
        if let Some(value) = self.memory[event].value {
            self.values[first] = value;
            return Ok(());
        }
        let value = self.value(event, before)?;
        let slope = self.slope(event, mode, before, h)?;
        let memory = &mut self.memory[event];
        if memory.fired.is_some() || value.abs() <= slope.abs() * tolerance {
            memory.leaving = Some(Leaving { t: before.t, value, slope });
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
        tolerance: f64,
    ) -> Result<(), Lost> {
        let count = self.times.len();
        let first = event * count;
        let Memory { leaving, fired, .. } = self.memory[event];
        let end = self.values[first + count - 1];
        if let Some(leaving) = leaving {
            for k in 0..count {
                self.values[first + k] = leaving.reduce(self.times[k], self.values[first + k]);
            }
            let resting = fired.filter(|fired| leaving.rests(fired));
            if let Some(Fired { rising, .. }) = resting
                && (self.values[first + 1] > 0.0) == rising
            {
                self.crossings.push(Crossing { event, t: leaving.t, rising });
                return Ok(());
            }
            if leaving.slope == 0.0 || resting.is_some() {
                self.values[first] = self.values[first + 1];
            }
        }
        let mut sign = if self.values[first] > 0.0 { 1.0 } else { -1.0 };
        for k in 1..count {
            let x = |k: usize| self.values[first + k];
            let (t, at) = (self.times[k], x(k));
            if at * sign <= 0.0 {
                let bracket = Bracket { a: self.times[k - 1], b: t, at_a: sign * x(k - 1).abs(), at_b: at };
                self.locate(event, mode, before, state, bracket, tolerance)?;
                sign = -sign;
            } else if k + 1 < count && x(k + 1) * sign > 0.0 && at.abs() < x(k - 1).abs() && at.abs() <= x(k + 1).abs() {
                let points = [self.times[k - 1], t, self.times[k + 1]];
                let values = [x(k - 1), at, x(k + 1)];
                let found = dip(points, values, tolerance, |t| {
                    mode.interpolate(before, t, state);
                    self.reduced(event, state)
                })?;
                if let Some((middle, at_middle)) = found {
                    let [a, _, b] = points;
                    let down = Bracket { a, b: middle, at_a: values[0], at_b: at_middle };
                    // A dip that only touches zero has no second crossing of its own sign.
                    let up = Bracket { a: middle, b, at_a: -sign * at_middle.abs().max(f64::MIN_POSITIVE), at_b: values[2] };
                    self.locate(event, mode, before, state, down, tolerance)?;
                    self.locate(event, mode, before, state, up, tolerance)?;
                }
            }
        }
        let memory = &mut self.memory[event];
        memory.value = Some(end);
        memory.fired = None;
        // Once the function is clear of the root where it began, its own sign is enough.
        memory.leaving = leaving.filter(|leaving| end * (end - leaving.value) <= 0.0);
        Ok(())
    }

    /// The value at a state, without the root where the motion began.
    fn reduced(&mut self, event: usize, state: &State) -> Result<f64, Lost> {
        let value = self.value(event, state)?;
        Ok(self.memory[event].leaving.map_or(value, |leaving| leaving.reduce(state.t, value)))
    }

    /// Adds the crossing within a bracket, if its direction counts. States on the constraints decide; where those see no
    /// change of sign (it is that close), the interpolated ones do.
    fn locate(
        &mut self,
        event: usize,
        mode: &mut Mode,
        before: &State,
        state: &mut State,
        bracket: Bracket,
        tolerance: f64,
    ) -> Result<(), Lost> {
        let rising = bracket.at_a < 0.0;
        let direction: Direction = self.events[event].direction;
        if !direction.counts(rising) {
            return Ok(());
        }
        let mut exact = |watch: &mut Self, t: f64| {
            if t == before.t {
                return Ok(bracket.at_a);
            }
            let lost = |failure| Lost { event, t, failure: Some(failure) };
            mode.consistent_at(before, t, state).map_err(lost)?;
            watch.reduced(event, state)
        };
        let (at_a, at_b) = (exact(self, bracket.a)?, exact(self, bracket.b)?);
        let t = if (at_a < 0.0) == rising && at_a != 0.0 && (at_b > 0.0) == rising {
            root(Bracket { at_a, at_b, ..bracket }, tolerance, |t| exact(self, t))?
        } else {
            root(bracket, tolerance, |t| {
                mode.interpolate(before, t, state);
                self.reduced(event, state)
            })?
        };
        self.crossings.push(Crossing { event, t, rising });
        Ok(())
    }
}

impl Leaving {
    /// The function without its root at the start.
    fn reduce(&self, t: f64, value: f64) -> f64 {
        if t > self.t { (value - self.value) / (t - self.t) } else { self.slope }
    }

    /// Whether the action took the speed away with which the function crossed. A function that does not move with q and v
    /// (a multiplier) has no slope to compare.
    fn rests(&self, fired: &Fired) -> bool {
        fired.slope != 0.0 && (fired.slope > 0.0) == fired.rising && self.slope.abs() <= REST * fired.slope.abs()
    }
}
