//! Newton's impact against moving surfaces, one or several in one instant.
//!
//! ```text
//! u = phi_t + phi_q q'                     approach velocity, q' = v or U(t,q,v);   the surface closes if u has the sign of
//!                                          the crossing: + rising, - falling
//! normal = phi_q, or phi_q U_v
//! (x ; y) = [M -r_mu; C]^-1 (normal ; 0)   what a unit impulse does, and how the constraints answer
//! v+ = v + s x,   J = s y,   s = -(1+e) u/(normal x)
//! ```
//!
//! Nothing happens at a surface that opens. Several surfaces of one instant, and further ones that the body touches at that
//! time, are struck one after the other in the order of the events, again and again until none closes. A surface that still
//! closes in the end, because nothing can give way or because the surfaces go on striking each other, is an error with the
//! name of its event.

use super::mode::{Mode, Response};
use super::{EventFailure, IntegrateError, Integrator};
use crate::event::difference::Estimate;
use crate::event::partials::Partials;
use crate::event::watch::Crossing;
use crate::event::{Action, Direction};
use crate::method::StepFailure;
use crate::state::State;
use crate::tolerance::largest;

/// Rounds over the surfaces of one instant.
const ROUNDS: usize = 1000;
/// Rounds in which velocities are settled on the constraints, which may be nonlinear in them.
const SETTLINGS: usize = 8;
/// A velocity below this share of the largest approach counts as zero.
const NONE: f64 = 1e-12;
/// How well Newton's law of impact must hold in the end, relative to the largest approach.
const MET: f64 = 1e-9;
/// How well derivatives by differences must be known, relative to themselves; and an approach velocity, relative to its terms.
const KNOWN: f64 = 1e-6;
const TERMS: f64 = 1e-9;
/// A normal direction in which constraints leave less than this share of the mobility is blocked.
const BLOCKED: f64 = 1e-14;
/// What counts as rounding of a velocity, relative to its terms.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Surfaces closer than the way travelled in this many roundings of t are touched.
const TOUCHED: f64 = 16.0;
/// The same for rounding of positions, relative to them.
const CLOSE: f64 = 1e-12;

/// A surface in the instant of an impact.
pub(super) struct Contact {
    pub crossing: Crossing,
    pub restitution: f64,
    /// The impulse along phi_q so far.
    pub impulse: f64,
    partials: Partials,
    normal: Vec<f64>,
    response: Response,
    softness: f64,
    /// Its approach velocity when it was first struck.
    arrival: f64,
}

impl Contact {
    /// +1 where phi rises as the surface closes, -1 where it falls.
    fn way(&self) -> f64 {
        if self.crossing.rising { 1.0 } else { -1.0 }
    }

    /// u, and how much of it may be rounding.
    fn approach(&self, mode: &mut Mode, state: &State) -> Result<(f64, f64), StepFailure> {
        let mut rate = Vec::new();
        mode.rate(state, &mut rate)?;
        let Estimate { value, error } = self.partials.along(&rate, &[]);
        Ok((value, error.max(ROUNDING * self.partials.size(&rate, &[]))))
    }

    /// An impulse of size s.
    fn push(&mut self, s: f64, state: &mut State, impulse: &mut [f64]) {
        self.impulse += s;
        state.v.iter_mut().zip(&self.response.x).for_each(|(v, x)| *v += s * x);
        impulse.iter_mut().zip(&self.response.y).for_each(|(p, y)| *p += s * y);
    }
}

/// phi_q in velocities, with its error.
fn normal(mode: &mut Mode, partials: &Partials, state: &State) -> Result<(Vec<f64>, Vec<f64>), StepFailure> {
    let part = |of: fn(&Estimate) -> f64| partials.q.iter().map(of).collect::<Vec<f64>>();
    let (values, errors) = (part(|e| e.value), part(|e| e.error));
    if !mode.equations.has_general_rate() {
        return Ok((values, errors));
    }
    let n = state.v.len();
    let mut u_v = vec![0.0; values.len() * n];
    mode.equations.rate_v(state.t, &state.q, &state.v, &mut u_v)?;
    let (mut normal, mut error) = (vec![0.0; n], vec![0.0; n]);
    for (i, row) in u_v.chunks_exact(n).enumerate() {
        for (j, u) in row.iter().enumerate().filter(|(_, u)| **u != 0.0) {
            normal[j] += values[i] * u;
            error[j] += errors[i] * u.abs();
        }
    }
    Ok((normal, error))
}

impl Integrator<'_> {
    /// The surface of an event at a consistent state.
    pub(super) fn contact(
        &mut self,
        crossing: Crossing,
        restitution: f64,
        state: &mut State,
    ) -> Result<Contact, IntegrateError> {
        let Crossing { event, t, jump, .. } = crossing;
        self.surface(crossing, restitution, jump, state).map_err(|failure| self.event_error(event, t, failure))
    }

    fn surface(
        &mut self,
        crossing: Crossing,
        restitution: f64,
        jump: bool,
        state: &mut State,
    ) -> Result<Contact, EventFailure> {
        let event = crossing.event;
        if !(0.0..=1.0).contains(&restitution) {
            return Err(EventFailure::Restitution(restitution));
        }
        if jump {
            return Err(EventFailure::Jump);
        }
        if let Some(what) = self.watch.depends_on_motion(event, state) {
            return Err(EventFailure::NotASurface(what));
        }
        let (mode, h) = (&mut self.modes[self.mode], self.longest);
        let mut rate = Vec::new();
        mode.rate(state, &mut rate)?;
        let partials = self.watch.partials(event, mode, state, &rate, h, false);
        let (normal, error) = normal(mode, &partials, state)?;
        let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
        if !finite(&normal) || !partials.t.value.is_finite() || normal.iter().all(|x| *x == 0.0) {
            return Err(EventFailure::NoNormal);
        }
        let response = mode.response(&normal, state)?;
        let mobility = |x: &[f64]| {
            let weighted = x.iter().zip(&response.mass).filter(|(_, m)| **m > 0.0).map(|(x, m)| x * (x / m));
            weighted.sum::<f64>()
        };
        let free = mobility(&normal);
        let approach = partials.along(&rate, &[]);
        // An approach velocity need not be known better than its terms, nor than what is nothing beside the tolerance.
        let steep: f64 = normal.iter().map(|x| x.abs()).sum();
        let typical = largest(mode.equations.bodies(&mode.equations.typical().v));
        let enough = (KNOWN * approach.value.abs())
            .max(TERMS * partials.size(&rate, &[]))
            .max(KNOWN * steep * (self.tolerance.atol_v + self.tolerance.rtol * typical));
        let rough = (mobility(&error) / free).sqrt();
        if rough > KNOWN || !finite(&error) {
            return Err(EventFailure::Rough { error: rough });
        }
        if approach.error.is_nan() || approach.error > enough {
            return Err(EventFailure::Rough { error: approach.error / approach.value.abs() });
        }
        let softness: f64 = normal.iter().zip(&response.x).map(|(n, x)| n * x).sum();
        let softness = if softness > BLOCKED * free { softness } else { 0.0 };
        if partials.supplied {
            self.check_gradient(event, state, &partials, &rate)?;
        }
        let arrival = approach.value;
        Ok(Contact { crossing, restitution, impulse: 0.0, partials, normal, response, softness, arrival })
    }

    /// Compares a supplied gradient with differences, along the motion and along the coordinates it names.
    fn check_gradient(
        &mut self,
        event: usize,
        state: &State,
        partials: &Partials,
        rate: &[f64],
    ) -> Result<(), EventFailure> {
        let (mode, h) = (&self.modes[self.mode], self.longest);
        // Scaled like q, the steepest way is one along which units do not matter much.
        let size = Some(largest(mode.equations.bodies(&state.q))).filter(|size| *size > 0.0).unwrap_or(1.0);
        let steep: Vec<f64> = partials.q.iter().map(|partial| partial.value).collect();
        let steepest = largest(&steep);
        let steep: Vec<f64> = steep.iter().map(|x| x / steepest * size).collect();
        for (dt, direction) in [(1.0, rate), (0.0, &steep[..])] {
            let measured = self.watch.difference_along(event, mode, state, dt, direction, h);
            let still = Partials { t: Estimate { value: dt * partials.t.value, error: 0.0 }, ..partials.clone() };
            let (supplied, size) = (still.along(direction, &[]).value, still.size(direction, &[]));
            if (supplied - measured.value).abs() > 100.0 * measured.error + KNOWN * size {
                return Err(EventFailure::WrongGradient { supplied, measured: measured.value });
            }
        }
        Ok(())
    }

    /// Strikes the surfaces of one instant until none closes; those that close only now are added.
    pub(super) fn strike(
        &mut self,
        contacts: &mut Vec<Contact>,
        state: &mut State,
        impulse: &mut [f64],
    ) -> Result<(), IntegrateError> {
        for _ in 0..ROUNDS {
            let mut closing = false;
            for contact in contacts.iter_mut() {
                let scale = contact.arrival.abs();
                let Crossing { event, t, .. } = contact.crossing;
                let (u, noise) = match contact.approach(&mut self.modes[self.mode], state) {
                    Ok(approach) => approach,
                    Err(failure) => return Err(self.event_error(event, t, EventFailure::Step(failure))),
                };
                // In the first round everything that closes is struck, later only what closes by more than rounding.
                let least = if contact.impulse == 0.0 { 0.0 } else { (NONE * scale).max(noise) };
                if u * contact.way() <= least {
                    continue;
                }
                if contact.softness == 0.0 {
                    if u.abs() <= noise {
                        continue;
                    }
                    return Err(self.event_error(event, t, EventFailure::StillClosing { speed: u.abs() }));
                }
                contact.arrival = if contact.impulse == 0.0 { u } else { contact.arrival };
                contact.push(-(1.0 + contact.restitution) * u / contact.softness, state, impulse);
                closing = true;
            }
            if !closing {
                match self.further_contact(contacts, state)? {
                    Some(contact) => contacts.push(contact),
                    None => return Ok(()),
                }
            }
        }
        let mut worst = (0.0, contacts[0].crossing.event);
        for contact in contacts.iter() {
            let event = contact.crossing.event;
            let approach = contact.approach(&mut self.modes[self.mode], state);
            let (u, _) = approach.map_err(|failure| self.event_error(event, state.t, EventFailure::Step(failure)))?;
            if u * contact.way() > worst.0 {
                worst = (u * contact.way(), event);
            }
        }
        Err(self.event_error(worst.1, state.t, EventFailure::StillClosing { speed: worst.0 }))
    }

    /// A surface with one side that is touched at this time and closes, though it is not among those that were crossed.
    fn further_contact(&mut self, known: &[Contact], state: &mut State) -> Result<Option<Contact>, IntegrateError> {
        for event in 0..self.watch.events.len() {
            let rising = match self.watch.events[event].direction {
                Direction::Rising => true,
                Direction::Falling => false,
                Direction::Any => continue,
            };
            let watched = self.watch.events[event].bounces && self.watch.events[event].is_watched(self.mode);
            if !watched || known.iter().any(|contact| contact.crossing.event == event) {
                continue;
            }
            let t = state.t;
            let (mode, h) = (&mut self.modes[self.mode], self.longest);
            let mut rate = Vec::new();
            if let Err(failure) = mode.rate(state, &mut rate) {
                return Err(self.event_error(event, t, EventFailure::Step(failure)));
            }
            let value = (self.watch.events[event].value)(state);
            let partials = self.watch.partials(event, mode, state, &rate, h, false);
            let (size, reach) = (partials.size(&rate, &[]), largest(mode.equations.bodies(&state.q)));
            let positions = partials.q.iter().map(|partial| partial.value.abs()).sum::<f64>();
            let close = TOUCHED * f64::EPSILON * t.abs() * size + CLOSE * positions * reach;
            let u = partials.along(&rate, &[]).value;
            let closes = if rising { u } else { -u };
            if value.abs() <= close && closes > ROUNDING * size {
                let mut unchanged = state.clone();
                if let Action::Bounce { restitution } = (self.watch.events[event].action)(&mut unchanged) {
                    let crossing = Crossing { event, t, rising, jump: false };
                    return self.contact(crossing, restitution, state).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// Settles a state after impacts on the constraints, and sees that the law holds there too.
    pub(super) fn settle_impact(
        &mut self,
        contacts: &mut [Contact],
        state: &mut State,
        impulse: &mut [f64],
    ) -> Result<(), IntegrateError> {
        let mut settlings = 0;
        loop {
            let (t, first) = (state.t, contacts[0].crossing.event);
            let settled = self.modes[self.mode].settle(state, impulse);
            settled.map_err(|unsettled| self.event_error(first, t, self.failure(self.mode, unsettled)))?;
            let fastest = contacts.iter().fold(0.0, |max: f64, contact| max.max(contact.arrival.abs()));
            let mut missed = None;
            for (index, contact) in contacts.iter().enumerate() {
                let event = contact.crossing.event;
                let approach = contact.approach(&mut self.modes[self.mode], state);
                let (u, noise) = approach.map_err(|failure| self.event_error(event, t, EventFailure::Step(failure)))?;
                let enough = (MET * fastest).max(noise);
                let wanted = -contact.restitution * contact.arrival;
                if u * contact.way() > enough {
                    missed = Some((index, u, EventFailure::StillClosing { speed: u.abs() }));
                } else if contacts.len() == 1 && contact.impulse != 0.0 && (u - wanted).abs() > enough {
                    missed = Some((index, u - wanted, EventFailure::LawNotMet { speed: u, wanted }));
                }
            }
            let Some((index, miss, failure)) = missed else { return Ok(()) };
            let contact = &mut contacts[index];
            let event = contact.crossing.event;
            if settlings == SETTLINGS || contact.softness == 0.0 {
                return Err(self.event_error(event, t, failure));
            }
            // Constraints that are nonlinear in the velocities have turned with them, and answer otherwise now.
            let response = self.modes[self.mode].response(&contact.normal, state);
            contact.response = match response {
                Ok(response) => response,
                Err(failure) => return Err(self.event_error(event, t, EventFailure::Step(failure))),
            };
            contact.softness = contact.normal.iter().zip(&contact.response.x).map(|(n, x)| n * x).sum();
            if contact.softness <= 0.0 {
                return Err(self.event_error(event, t, failure));
            }
            contact.push(-miss / contact.softness, state, impulse);
            settlings += 1;
        }
    }
}

impl<E: Into<StepFailure>> From<E> for EventFailure {
    fn from(failure: E) -> Self {
        EventFailure::Step(failure.into())
    }
}
