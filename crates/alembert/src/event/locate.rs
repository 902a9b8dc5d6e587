//! Where exactly a function crosses zero inside a bracket, and whether it jumps there.

use super::root::{Bracket, root};
use super::slope::Slope;
use super::watch::{Crossing, Lost, Watch};
use crate::integrator::EventFailure;
use crate::integrator::mode::Mode;
use crate::method::StepFailure;
use crate::state::State;
use crate::tolerance::Tolerance;

/// A change of sign is a jump if it is more than `SEEN` of the values at the ends of the first bracket, and more than `JUMP` times
/// what the function changes by on both sides of it, within `AROUND` widths of the last bracket. A change of the size of
/// rounding is not a jump.
const SEEN: f64 = 1e-6;
const JUMP: f64 = 4.0;
const AROUND: [f64; 6] = [16.0, 128.0, 1e3, 8e3, 6.4e4, 5e5];

impl Watch<'_> {
    /// The value at a state, without the root where the motion began.
    pub(super) fn reduced(&mut self, event: usize, state: &State) -> Result<f64, Lost> {
        let value = self.value(event, state)?;
        Ok(self.memory[event].leaving.map_or(value, |leaving| leaving.reduce(state.t, value)))
    }

    /// Adds the crossing within a bracket, if its direction counts. States on the constraints decide where it is. If they show no
    /// change of sign, because it is that close to an end of the bracket, the interpolated states decide.
    pub(super) fn locate(
        &mut self,
        event: usize,
        mode: &mut Mode,
        before: &State,
        state: &mut State,
        bracket: Bracket,
        (tolerance, accuracy): (f64, &Tolerance),
    ) -> Result<(), Lost> {
        let rising = bracket.at_a < 0.0;
        if !self.events[event].direction.counts(rising) {
            return Ok(());
        }
        let mut exact = |watch: &mut Self, t: f64| {
            if t == before.t {
                return Ok(bracket.at_a);
            }
            let lost = |failure: StepFailure| Lost { event, t, failure: EventFailure::Step(failure) };
            mode.consistent_at(before, t, state).map_err(lost)?;
            watch.reduced(event, state)
        };
        let (at_a, at_b) = (exact(self, bracket.a)?, exact(self, bracket.b)?);
        let found = if (at_a < 0.0) == rising && at_a != 0.0 && (at_b > 0.0) == rising {
            let found = root(Bracket { at_a, at_b, ..bracket }, tolerance, |t| exact(self, t))?;
            (found, self.jumps(&bracket, &found, exact)?)
        } else {
            let mut interpolated = |watch: &mut Self, t: f64| {
                mode.interpolate(before, t, state);
                watch.reduced(event, state)
            };
            let found = root(bracket, tolerance, |t| interpolated(self, t))?;
            (found, self.jumps(&bracket, &found, interpolated)?)
        };
        let (Bracket { b: t, at_a, at_b, .. }, mut jump) = found;
        if jump {
            // The slope is taken beside it: next to a pole the derivatives are as large as the jump.
            mode.interpolate(before, bracket.a, state);
            let Slope { rounding, .. } = self.slope(event, mode, state, bracket.b - bracket.a, accuracy)?;
            // A function that is divided by the time since its root has its rounding divided by it too.
            let since = self.memory[event].leaving.map_or(1.0, |leaving| t - leaving.t);
            jump = (at_b - at_a).abs() * since > rounding;
        }
        if !jump || self.events[event].jumps {
            self.crossings.push(Crossing { event, t, rising, jump });
        }
        Ok(())
    }

    /// Whether the change of sign in the final bracket may be a jump: it is large beside the values around it, and the
    /// function hardly changes on either side of it.
    fn jumps(
        &mut self,
        whole: &Bracket,
        found: &Bracket,
        mut value: impl FnMut(&mut Self, f64) -> Result<f64, Lost>,
    ) -> Result<bool, Lost> {
        // At the beginning of the bracket the sign is that of the side, not that of a value.
        let change = (found.at_b - found.at_a).abs();
        if found.a <= whole.a || change <= SEEN * whole.at_a.abs().max(whole.at_b.abs()) {
            return Ok(false);
        }
        let width = found.b - found.a;
        let (mut spread, mut pole) = (0.0, true);
        for (from, at, towards) in [(found.a, found.at_a, -1.0), (found.b, found.at_b, 1.0)] {
            let (mut low, mut high, mut nearer) = (at, at, at);
            for distance in AROUND {
                let t = from + towards * distance * width;
                if t <= whole.a || t >= whole.b {
                    break;
                }
                let at = value(self, t)?;
                // Towards a pole values grow without changing their sign.
                pole &= at * nearer > 0.0 && at.abs() < nearer.abs();
                (low, high, nearer) = (low.min(at), high.max(at), at);
            }
            spread += high - low;
        }
        Ok(pole || change > JUMP * spread || !change.is_finite())
    }
}
