//! What lies ahead of an integration: events to watch, times to land on or to start afresh at, stretches of short steps.

use super::Integrator;
use crate::event::Event;
use crate::schedule::{BadTime, Kind};

impl<'s> Integrator<'s> {
    /// Watches an event; returns its number. See [`crate::event`].
    pub fn add_event(&mut self, event: Event<'s>) -> usize {
        self.watch.add(event)
    }

    /// Ends steps exactly at these times, for output there.
    ///
    /// # Errors
    /// If a time is not a number.
    pub fn land_on(&mut self, times: &[f64]) -> Result<(), BadTime> {
        self.schedule.add(times, Kind::Land)
    }

    /// Starts afresh at these times, where an input jumps. The step before ends one rounding earlier: the system must have
    /// its old value at all times before, the new one from there on.
    ///
    /// # Errors
    /// If a time is not a number.
    pub fn jump_at(&mut self, times: &[f64]) -> Result<(), BadTime> {
        self.schedule.add(times, Kind::Jump)
    }

    /// Starts afresh where forces jump or have a kink in time: between the last time with the old force and the first one with
    /// the new, which differ by a few roundings. Velocities go on: a constraint that makes them jump there ends the
    /// integration, since that is an impact; see [`jump_at`](Self::jump_at).
    ///
    /// # Errors
    /// If a time is not a number.
    pub fn restart_between(&mut self, pairs: &[(f64, f64)]) -> Result<(), BadTime> {
        self.schedule.add_restarts(pairs)
    }

    /// Takes no steps longer than `longest` between two times, where something is known to be sharp.
    ///
    /// # Errors
    /// If a time is not a number, or `longest` is not positive (its place in the list is then 2).
    pub fn limit_steps(&mut self, from: f64, to: f64, longest: f64) -> Result<(), BadTime> {
        if longest.is_nan() || longest <= 0.0 {
            return Err(BadTime { index: 2, t: longest });
        }
        self.schedule.cap(from, to, longest)
    }
}
