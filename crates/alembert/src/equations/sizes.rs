//! The typical sizes that the equations of a motion carry along.

use super::Equations;
use crate::state::State;
use crate::typical::{GivenSizes, TypicalSizes};

impl Equations<'_> {
    /// Typical sizes of the variables; zero under absolute tolerances.
    pub fn typical(&self) -> &TypicalSizes {
        &self.typical
    }

    /// From now on these are the typical sizes.
    pub(crate) fn set_typical(&mut self, typical: TypicalSizes) {
        self.typical = typical;
    }

    /// Some typical sizes are known from now on.
    pub(crate) fn give(&mut self, given: &GivenSizes) {
        self.typical.give(given);
    }

    /// Takes the typical sizes that other equations of the same coordinates have.
    pub(crate) fn follow(&mut self, other: &Equations) {
        self.typical.assign(&other.typical);
    }

    /// The typical sizes grow with a state that was accepted.
    pub(crate) fn grow(&mut self, state: &State) {
        let Equations { typical, space, .. } = self;
        typical.grow(space, &state.q, &state.v);
    }
}
