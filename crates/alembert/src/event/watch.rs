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
//! straight lines, so that it sees a velocity of 1e-10 where the chord over any resolvable time would see gravity. Where
//! phi' is zero to rounding (a rope just gone slack touches its circle to third order), the way is not known until phi
//! has moved by more than the tolerances of q and v can make of it.

use super::Event;
use super::root::{Bracket, dip, root};
use super::slope::Slope;
use crate::integrator::mode::Mode;
use crate::method::StepFailure;
use crate::state::State;
use crate::tolerance::Tolerance;

/// Distance of the samples that show slopes at the ends, relative to the step.
const NEAR: f64 = 1e-3;
/// Times are located to this many roundings.
const ROUNDINGS: f64 = 4.0;
/// A function is at rest after its action if its slope is below this share of that before.
const REST: f64 = 1e-9;
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
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Leaving {
    pub t: f64,
    pub value: f64,
    pub slope: f64,
    /// Where it goes if it has no slope.
    pub bend: f64,
    /// Changes up to this do not show which way the function leaves; zero if the slope does.
    pub band: f64,
}

/// A crossing that restarted the motion, with the slope before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
        // Fired again at once, it is still the speed of the first time that was taken away.
        if memory.fired.is_none_or(|fired| fired.rising != crossing.rising) {
            memory.fired = Some(Fired { rising: crossing.rising, slope });
        }
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
        let found = self.scan_with(index, mode, before, &mut state);
        self.state = Some(state);
        found
    }

    fn scan_with(&mut self, index: usize, mode: &mut Mode, before: &State, state: &mut State) -> Result<(), Lost> {
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
        let tolerance = time_tolerance(before.t, mode.method.state().t);
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
    fn begin(&mut self, event: usize, mode: &mut Mode, before: &State, tolerance: &Tolerance) -> Result<(), Lost> {
        let first = event * self.times.len();
        let Memory { value, leaving, .. } = self.memory[event];
        if let Some(value) = value.or(leaving.map(|leaving| leaving.value)) {
            self.values[first] = value;
            return Ok(());
        }
        let value = self.value(event, before)?;
        let t1 = mode.method.state().t;
        let Slope { slope, bend, size, rounding, band } = self.slope(event, mode, before, t1 - before.t, tolerance)?;
        let close = slope.abs() * 10.0 * time_tolerance(before.t, t1);
        let memory = &mut self.memory[event];
        if memory.fired.is_some() || value.abs() <= close.max(rounding) {
            let shows = slope.abs() > REST * size;
            memory.leaving = Some(Leaving { t: before.t, value, slope, bend, band: if shows { 0.0 } else { band } });
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
        let mut from = 0;
        if let Some(leaving) = leaving {
            if let Some(Fired { rising, .. }) = fired.filter(|fired| leaving.rests(fired)) {
                self.crossings.push(Crossing { event, t: leaving.t, rising });
                return Ok(());
            }
            if leaving.band > 0.0 || leaving.slope == 0.0 {
                // Where the way is not known yet, the first sample that shows it speaks for those before.
                let shows = |k: &usize| (self.values[first + k] - leaving.value).abs() > leaving.band;
                let Some(known) = (1..count).find(shows) else { return Ok(()) };
                from = known;
            }
            for k in 0..count {
                self.values[first + k] = leaving.reduce(self.times[k], self.values[first + k]);
            }
        }
        let mut sign = if self.values[first + from] > 0.0 { 1.0 } else { -1.0 };
        for k in from + 1..count {
            let x = |k: usize| self.values[first + k];
            let (t, at) = (self.times[k], x(k));
            if at * sign <= 0.0 {
                let bracket = Bracket { a: self.times[k - 1], b: t, at_a: sign * x(k - 1).abs(), at_b: at };
                self.locate(event, mode, before, state, bracket, tolerance)?;
                sign = -sign;
            } else if k + 1 < count && x(k + 1) * sign > 0.0 && at.abs() < x(k - 1).abs() && at.abs() <= x(k + 1).abs()
            {
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
                    let up =
                        Bracket { a: middle, b, at_a: -sign * at_middle.abs().max(f64::MIN_POSITIVE), at_b: values[2] };
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
        if !self.events[event].direction.counts(rising) {
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

/// How exactly times are located.
fn time_tolerance(t0: f64, t1: f64) -> f64 {
    (ROUNDINGS * f64::EPSILON * t0.abs().max(t1.abs())).max(f64::MIN_POSITIVE)
}

impl Leaving {
    /// The function without its root at the start.
    fn reduce(&self, t: f64, value: f64) -> f64 {
        if t > self.t { (value - self.value) / (t - self.t) } else { self.slope }
    }

    /// Whether the action took the speed away with which the function crossed, and it moves on in the same direction
    /// nevertheless. A function that does not move with q and v (a multiplier) has no slope to compare.
    fn rests(&self, fired: &Fired) -> bool {
        let direction = if fired.rising { 1.0 } else { -1.0 };
        fired.slope * direction > 0.0 && self.slope.abs() <= REST * fired.slope.abs() && self.bend * direction > 0.0
    }
}
