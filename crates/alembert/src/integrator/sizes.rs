//! Where an integration takes its [typical sizes](crate::typical) from: the start, the user, or the time until the end.

use super::mode::Mode;
use super::{Integrator, StartError, finite};
use crate::method::StepFailure;
use crate::state::State;
use crate::summary::NamedSizes;
use crate::tolerance::Tolerance;
use crate::typical::{GivenSizes, TypicalSizes};

impl Integrator<'_> {
    /// Takes typical sizes of some variables from the user and finds those of the others. They matter only where the tolerance is
    /// [relative](Tolerance::relative).
    ///
    /// # Errors
    /// If a size is not positive, or of a variable that is not there.
    pub fn assume_sizes(&mut self, given: GivenSizes) -> Result<(), StartError> {
        let equations = &self.modes[0].equations;
        given.checked(equations.tangent(), equations.dims().v).map_err(StartError::Size)?;
        self.given = given;
        if self.stats.steps > 0 {
            let Integrator { modes, given, .. } = self;
            modes.iter_mut().for_each(|mode| mode.equations.give(given));
            return Ok(());
        }
        let t = self.before.t;
        self.measure_sizes(None).map_err(|failure| StartError::Start { t, failure })
    }

    /// Measures the typical sizes at the start, and begins afresh with them.
    pub(super) fn measure_sizes(&mut self, span: Option<f64>) -> Result<(), StepFailure> {
        let Integrator { modes, tolerance, given, before, .. } = self;
        begin(&mut modes[0], before, tolerance, given, span)?;
        let (first, others) = modes.split_at_mut(1);
        others.iter_mut().for_each(|mode| mode.equations.set_typical(first[0].equations.typical().clone()));
        Ok(())
    }

    /// The typical sizes by name, where they matter.
    pub(super) fn typical(&self) -> NamedSizes {
        let equations = &self.modes[self.mode()].equations;
        let (typical, system) = (equations.typical(), equations.system());
        if !typical.is_relative() {
            return NamedSizes::default();
        }
        // Integrals of states are infinitely large.
        let q = typical.bodies(&typical.q).iter().enumerate().map(|(i, size)| (system.position_name(i), *size));
        // What stands still has no errors.
        let v = typical.v[..typical.v.len() - typical.still]
            .iter()
            .enumerate()
            .map(|(i, size)| (system.coordinate_name(i), *size));
        NamedSizes { q: q.collect(), v: v.collect() }
    }
}

/// Begins with the typical sizes of a start; a `span` tells what the start does not.
pub(super) fn begin(
    mode: &mut Mode,
    start: &State,
    tolerance: &Tolerance,
    given: &GivenSizes,
    span: Option<f64>,
) -> Result<(), StepFailure> {
    let mut start = start.clone();
    mode.begin_on_branches(&mut start)?;
    let (start, Mode { equations, method, .. }) = (&start, mode);
    let typical = TypicalSizes::of_start(equations, start, tolerance, given, span)?;
    equations.set_typical(typical);
    method.restart(equations, start)?;
    finite(method.state())
}
