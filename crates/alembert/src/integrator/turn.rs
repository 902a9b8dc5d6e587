//! Where the motion turns: an event or a jump of the input ends one piece of it and begins the next.
//!
//! The state after the turn is made at once, but the method starts from it only with the next step, so that the step just made
//! can still be interpolated.

use super::impact::Contact;
use super::mode::Unsettled;
use super::{EventFailure, IntegrateError, Integrator, finite};
use crate::event::watch::{Crossing, Lost};
use crate::event::{Action, Occurrence};
use crate::schedule::{Kind, Landing};
use crate::state::State;
use crate::tolerance::largest;

/// One piece of the motion ends and the next begins.
pub(super) struct Turn {
    /// The mode after.
    pub mode: usize,
    pub before: State,
    pub after: State,
}

/// How much velocities may change, relative to 1 + |v|, where only forces jump: by more than rounding, and by much less than in an
/// impact.
const KEPT: f64 = 1e-7;
/// Crossings closer than this many roundings happen at once.
const ROUNDINGS: f64 = 16.0;
/// The same of a crossing and a switch: more than the distance from its root within which an event counts as beginning there.
const AT_ONCE: f64 = 64.0;

impl Integrator<'_> {
    /// Begins the next piece, if there is one.
    pub(super) fn make_turn(&mut self) -> Result<(), IntegrateError> {
        let Some(turn) = self.turn.take() else { return Ok(()) };
        if let Ok([new, old]) = self.modes.get_disjoint_mut([turn.mode, self.mode]) {
            new.equations.follow(&old.equations);
        }
        self.mode = turn.mode;
        let mode = &mut self.modes[self.mode];
        let begun = mode.restart(&turn.after).and_then(|()| finite(mode.method.state()));
        let t = turn.after.t;
        if let Err(failure) = begun {
            let blame = self.blame(&failure);
            return Err(IntegrateError::Step { t, h: 0.0, failure, blame });
        }
        self.before = turn.after;
        self.controller.restart();
        self.watch.restart();
        Ok(())
    }

    /// The input has jumped: the same q and v (or those after an event at the same time), with new accelerations and
    /// multipliers.
    pub(super) fn turn_at_jump(&mut self, Landing { t, kind, .. }: Landing) -> Result<(), IntegrateError> {
        let (mode, mut after) = (self.mode(), self.state().clone());
        let before = self.turn.take().map_or_else(|| after.clone(), |turn| turn.before);
        after.t = t;
        let mut impulse = vec![0.0; after.lambda.len() + after.psi.len()];
        let settled = self.modes[mode].settle(&mut after, &mut impulse);
        settled.map_err(|unsettled| IntegrateError::Jump { t, failure: self.failure(mode, unsettled) })?;
        self.choose_branches(mode, &mut after).map_err(|failure| IntegrateError::Jump { t, failure })?;
        self.check_velocities(mode, kind, [&before, &after], &impulse)?;
        self.turn = Some(Turn { mode, before, after });
        Ok(())
    }

    /// Refuses velocities that jump where only forces were to.
    pub(super) fn check_velocities(
        &self,
        mode: usize,
        kind: Kind,
        [before, after]: [&State; 2],
        impulse: &[f64],
    ) -> Result<(), IntegrateError> {
        let bodies = |v| self.modes[mode].equations.bodies(v);
        let moved = bodies(&after.v).iter().zip(&before.v).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
        if kind == Kind::Restart && moved > KEPT * (1.0 + largest(bodies(&before.v))) {
            let strength = |i: &usize| impulse[*i].abs();
            let row = (0..impulse.len()).max_by(|i, j| strength(i).total_cmp(&strength(j))).unwrap_or(0);
            let (system, dims) = (self.modes[mode].equations.system(), self.modes[mode].equations.dims());
            let constraint = match row.checked_sub(dims.lambda) {
                None => system.holonomic_name(row),
                Some(row) => system.nonholonomic_name(row),
            };
            return Err(IntegrateError::Jump { t: after.t, failure: EventFailure::Impact { constraint, moved } });
        }
        Ok(())
    }

    /// Changes the present state from outside: an input takes a new value, a state of first order is reset, a velocity is kicked.
    /// The motion starts afresh there, as at a [jump](Self::jump_at); velocities are made to meet the constraints again.
    ///
    /// # Errors
    /// If the state has numbers that are not finite or positions off the constraints, or if there is no consistent one; the motion
    /// then goes on as if nothing had been changed.
    pub fn change(&mut self, change: impl FnOnce(&mut State)) -> Result<(), IntegrateError> {
        let (mode, mut after) = (self.mode(), self.state().clone());
        let (t, present) = (after.t, after.clone());
        change(&mut after);
        // Time goes on by itself.
        after.t = t;
        let jump = |failure| IntegrateError::Jump { t, failure };
        let same = after.q.len() == present.q.len() && after.v.len() == present.v.len();
        let bad = after.q.iter().chain(&after.v).find(|x| !x.is_finite()).copied();
        if let Some(value) = bad.or((!same).then_some(f64::NAN)) {
            return Err(jump(EventFailure::NotFinite { what: "a coordinate or velocity".to_owned(), value }));
        }
        let mut impulse = vec![0.0; after.lambda.len() + after.psi.len()];
        let settled = self.modes[mode].settle(&mut after, &mut impulse);
        settled.map_err(|unsettled| jump(self.failure(mode, unsettled)))?;
        let equations = &mut self.modes[mode].equations;
        equations.grow(&after);
        self.audit.jump(equations, &present, &after);
        let before = self.turn.take().map_or(present, |turn| turn.before);
        self.turn = Some(Turn { mode, before, after });
        Ok(())
    }

    pub(super) fn failure(&self, mode: usize, unsettled: Unsettled) -> EventFailure {
        match unsettled {
            Unsettled::Failure(failure) => EventFailure::Step(failure),
            Unsettled::Off { row, residual } => {
                let constraint = self.modes[mode].equations.system().holonomic_name(row);
                EventFailure::OffConstraint { constraint, residual }
            }
        }
    }

    pub(super) fn event_error(&self, event: usize, t: f64, failure: EventFailure) -> IntegrateError {
        IntegrateError::Event { t, name: self.watch.events[event].name.clone(), failure }
    }

    /// Keeps no more than this many events, the first ones, beside those of the last step: each has two states, and a long run may
    /// have millions. All of them are shown to [`Observer::on_event`](crate::Observer::on_event), and counted in the summary.
    pub fn keep_events(&mut self, most: usize) {
        self.most_kept = Some(most);
    }

    /// Where the events of the next step begin among the kept ones.
    pub(super) fn first_new_event(&mut self) -> usize {
        if let Some(most) = self.most_kept {
            self.occurrences.truncate(most);
        }
        self.occurrences.len()
    }

    /// The events so far, as many as are [kept](Self::keep_events).
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// The event among the latest occurrences that says stop.
    pub(super) fn stopping_event(&self, known: usize) -> Option<usize> {
        self.occurrences[known..].iter().find(|occurrence| occurrence.action == Action::Stop).map(|found| found.event)
    }

    /// Treats the events of the last step in the order of time, up to the first that changes the motion; true if there is one.
    /// Nothing that would happen after `limit` does, because the motion turns there.
    pub(super) fn look_for_events(&mut self, limit: Option<f64>) -> Result<bool, IntegrateError> {
        let found = self.watch.scan(self.mode, &mut self.modes[self.mode], &self.before, &self.tolerance);
        if let Err(Lost { event, t, failure }) = found {
            return Err(self.event_error(event, t, failure));
        }
        if let Some(limit) = limit {
            // What happens at once must not be lost: the next piece would begin at its root.
            self.watch.crossings.retain(|crossing| crossing.t <= limit + AT_ONCE * f64::EPSILON * limit.abs());
        }
        let mut next = 0;
        while let Some(&Crossing { t, event, .. }) = self.watch.crossings.get(next) {
            let at_once = ROUNDINGS * f64::EPSILON * t.abs();
            let group = self.watch.crossings[next..].iter().take_while(|crossing| crossing.t <= t + at_once).count();
            self.watch.crossings[next..next + group].sort_by_key(|crossing| crossing.event);
            let mut before = self.before.clone();
            let mode = &mut self.modes[self.mode];
            if t > self.before.t
                && let Err(failure) = mode.consistent_at(&self.before, t, &mut before)
            {
                return Err(self.event_error(event, t, EventFailure::Step(failure)));
            }
            match self.act(next..next + group, &before) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => {
                    // The motion ends here, and not at the end of a step that went through the event.
                    let stay = || Turn { mode: self.mode, before: before.clone(), after: before.clone() };
                    self.turn = self.turn.take().or_else(|| Some(stay()));
                    return Err(error);
                }
            }
            next += group;
        }
        Ok(false)
    }

    /// Does what the events of one instant ask for; true if the motion turns.
    fn act(&mut self, group: std::ops::Range<usize>, before: &State) -> Result<bool, IntegrateError> {
        let (t, first) = (before.t, self.watch.crossings[group.start].event);
        let mut after = before.clone();
        let mut mode = self.mode;
        let mut impulse = vec![0.0; before.lambda.len() + before.psi.len()];
        let (mut turns, mut changes) = (false, false);
        let mut happened: Vec<(Crossing, Action)> = Vec::new();
        let mut contacts: Vec<Contact> = Vec::new();
        for index in group {
            let crossing = self.watch.crossings[index];
            let event = crossing.event;
            // Who has happened as often as it may is passed over.
            let times = &mut self.watch.memory[event].times;
            if self.watch.events[event].most.is_some_and(|most| *times >= most) {
                continue;
            }
            *times += 1;
            let mut changed = after.clone();
            let action = (self.watch.events[event].action)(&mut changed);
            match action {
                Action::Continue => {}
                Action::Stop => turns = true,
                Action::Restart => after = self.checked(event, t, changed)?,
                Action::Switch(to) if to < self.modes.len() => (mode, after) = (to, self.checked(event, t, changed)?),
                Action::Switch(to) => return Err(self.event_error(event, t, EventFailure::NoSuchMode(to))),
                Action::Bounce { restitution } => {
                    contacts.push(self.contact(crossing, restitution, &mut after)?);
                    self.strike(&mut contacts, &mut after, &mut impulse)?;
                }
            }
            changes |= !matches!(action, Action::Continue | Action::Stop);
            happened.push((crossing, action));
        }
        if changes {
            // Positions and velocities carry over, multipliers only where there are as many.
            let dims = self.modes[mode].equations.dims();
            if (after.lambda.len(), after.psi.len()) != (dims.lambda, dims.psi) {
                after.fit(dims);
                after.lambda.fill(0.0);
                after.psi.fill(0.0);
                impulse = vec![0.0; dims.constraints()];
            }
            // An action must not change the time.
            after.t = t;
            if contacts.is_empty() || mode != self.mode {
                let settled = self.modes[mode].settle(&mut after, &mut impulse);
                settled.map_err(|unsettled| self.event_error(first, t, self.failure(mode, unsettled)))?;
            } else {
                self.settle_impact(&mut contacts, &mut after, &mut impulse)?;
            }
            self.choose_branches(mode, &mut after).map_err(|failure| self.event_error(first, t, failure))?;
        }
        // Surfaces that were struck although they were not crossed.
        for Contact { crossing, restitution, .. } in &contacts {
            if happened.iter().all(|(known, _)| known.event != crossing.event) {
                happened.push((*crossing, Action::Bounce { restitution: *restitution }));
            }
        }
        for (Crossing { event, rising, .. }, action) in &happened {
            let contact = contacts.iter().find(|contact| contact.crossing.event == *event);
            self.happened += 1;
            self.occurrences.push(Occurrence {
                event: *event,
                name: self.watch.events[*event].name.clone(),
                t,
                rising: *rising,
                action: *action,
                modes: (self.mode, mode),
                before: before.clone(),
                after: after.clone(),
                impulse: impulse.clone(),
                contact: contact.map_or(0.0, |contact| contact.impulse),
            });
        }
        turns |= changes;
        if turns {
            let noted = self.note_firings(&happened, before);
            self.turn = Some(Turn { mode, before: before.clone(), after });
            noted?;
        }
        Ok(turns)
    }

    /// A state as an action has left it, if its numbers are finite.
    fn checked(&self, event: usize, t: f64, state: State) -> Result<State, IntegrateError> {
        let system = self.modes[self.mode].equations.system();
        let bad = |x: &[f64]| x.iter().position(|x| !x.is_finite());
        let (what, value) = if let Some(i) = bad(&state.v) {
            (format!("a velocity (at {})", system.coordinate_name(i)), state.v[i])
        } else if let Some(i) = bad(&state.q) {
            let named = state.q.len() == state.v.len();
            let name = if named { system.coordinate_name(i) } else { format!("q[{i}]") };
            (format!("a coordinate (at {name})"), state.q[i])
        } else {
            return Ok(state);
        };
        Err(self.event_error(event, t, EventFailure::NotFinite { what, value }))
    }

    /// Remembers which events have fired and how fast, so that they do not fire again at the same root.
    fn note_firings(&mut self, happened: &[(Crossing, Action)], before: &State) -> Result<(), IntegrateError> {
        for &(crossing, action) in happened {
            let (mode, h) = (&mut self.modes[self.mode], self.longest);
            let measured = self.watch.slope(crossing.event, mode, before, h, &self.tolerance);
            let slope = measured.map_err(|Lost { event, t, failure }| self.event_error(event, t, failure))?;
            let bounced = matches!(action, Action::Bounce { .. });
            if !self.watch.fire(crossing, bounced, &slope, self.longest) {
                let name = self.watch.events[crossing.event].name.clone();
                return Err(IntegrateError::Chattering { t: crossing.t, name });
            }
        }
        Ok(())
    }
}
