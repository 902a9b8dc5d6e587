//! Over a stretch of time in which the motion is known from elsewhere.
//!
//! Where constraints become dependent, no method finds the motion; who knows it by other means (as a continuation of what was before)
//! goes on behind. The motion starts afresh there, as after an event:
//!
//! ```text
//! t, the last step  --- known from elsewhere ---  t1: the state given, projected; accelerations and multipliers of its q and v
//! ```

use super::turn::Turn;
use super::{EventFailure, IntegrateError, Integrator};
use crate::event::Occurrence;
use crate::state::State;

impl Integrator<'_> {
    /// Goes on from a later state, with what has happened until then: it joins the [occurrences](Self::occurrences) and is not shown
    /// to observers. Rows, events, switches and times to land on in between are left out; what the energy has changed by counts as
    /// gained at events.
    ///
    /// # Errors
    /// If the state is not later than the present one, has numbers that are not finite or positions off the constraints, if the input
    /// jumps in between, or if there is no consistent state; the motion then stays where it was.
    pub fn leap(&mut self, to: &State, happened: Vec<Occurrence>) -> Result<(), IntegrateError> {
        let (mode, present, mut after) = (self.mode(), self.state().clone(), to.clone());
        let t = after.t;
        if t.is_nan() || t <= present.t {
            return Err(IntegrateError::Backward { t: present.t, t_end: t });
        }
        let refused = |t: f64, failure: EventFailure| IntegrateError::Jump { t, failure };
        let same = after.q.len() == present.q.len() && after.v.len() == present.v.len();
        let bad = after.q.iter().chain(&after.v).find(|x| !x.is_finite()).copied();
        if let Some(value) = bad.or((!same).then_some(f64::NAN)) {
            return Err(refused(t, EventFailure::NotFinite { what: "a coordinate or velocity".to_owned(), value }));
        }
        if let Some(jump) = self.schedule.jump_between(present.t, t) {
            return Err(refused(jump, EventFailure::LeaptOver));
        }
        after.fit(self.modes[mode].equations.dims());
        for part in [&mut after.a, &mut after.lambda, &mut after.psi] {
            // What is not known is found here.
            part.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = 0.0);
        }
        let mut impulse = vec![0.0; after.lambda.len() + after.psi.len()];
        let settled = self.modes[mode].settle(&mut after, &mut impulse);
        settled.map_err(|unsettled| refused(t, self.failure(mode, unsettled)))?;
        self.choose_branches(mode, &mut after).map_err(|failure| refused(t, failure))?;
        let equations = &mut self.modes[mode].equations;
        equations.grow(&after);
        self.audit.jump(equations, &present, &after);
        self.ahead = None;
        let before = self.turn.take().map_or(present, |turn| turn.before);
        self.turn = Some(Turn { mode, before, after });
        self.happened += happened.len() as u64;
        self.occurrences.extend(happened);
        Ok(())
    }
}
