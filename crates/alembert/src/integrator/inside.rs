//! The inside of the step just made: states between its ends, projected onto the constraints if that is asked for.
//!
//! ```text
//! before ---- t ---- end         q, v    from the polynomials of `between`, or of the method where they are as accurate
//!                                then    projected onto the constraints, with the a, lambda, psi that belong to them
//! ```
//!
//! It borrows only those parts of an integrator that this takes, so that an observer can look into a step while it holds a
//! reference to its end.

use super::mode::{Mode, Room, complete, resolves};
use crate::audit::{Audit, EnergyBalance};
use crate::between::Between;
use crate::equations::Equations;
use crate::method::{Method, StepFailure};
use crate::state::State;
use crate::stats::{Residuals, Stats};
use crate::tolerance::Tolerance;

/// What it takes to look into the last step.
pub(crate) struct Inside<'a, 's> {
    mode: usize,
    equations: &'a mut Equations<'s>,
    pub(super) method: &'a dyn Method,
    room: &'a mut Room,
    between: &'a mut Option<Between>,
    tolerance: &'a Tolerance,
    before: &'a State,
    stats: &'a mut Stats,
    audit: &'a mut Audit,
}

impl<'a, 's> Inside<'a, 's> {
    /// The inside of the last step of the mode of this number, which began at `before`.
    pub(super) fn new(
        number: usize,
        mode: &'a mut Mode<'s>,
        before: &'a State,
        stats: &'a mut Stats,
        audit: &'a mut Audit,
    ) -> Self {
        let Mode { equations, method, tools, between, tolerance, .. } = mode;
        Inside { mode: number, equations, method: &**method, room: tools, between, tolerance, before, stats, audit }
    }

    /// The number of the mode.
    pub fn mode(&self) -> usize {
        self.mode
    }

    /// The equations of the mode, for its space.
    pub fn equations(&self) -> &Equations<'s> {
        self.equations
    }

    /// The degree of the polynomials between the ends of the step, where they are the method's own.
    pub fn own_degree(&self) -> Option<usize> {
        (self.method.inner_places() == 0).then(|| self.method.degree())
    }

    /// Where the step began.
    pub fn before(&self) -> &State {
        self.before
    }

    /// Whether states inside can be as accurate as the end of the step.
    pub fn is_resolved(&mut self) -> bool {
        self.before.t < self.method.state().t
            && resolves(
                self.equations,
                self.method,
                self.room,
                self.between,
                self.tolerance,
                [self.before, self.method.state()],
            )
    }

    /// The state at a time by the polynomials that are as accurate as the ends, where there are such; it is not projected.
    pub fn sketch(&mut self, t: f64, out: &mut State) {
        let resolved = self.is_resolved();
        match self.between.as_mut().filter(|_| resolved) {
            Some(between) => {
                out.fit(self.equations.dims());
                between.interpolate(self.equations, t, out);
            }
            None => self.interpolate(t, out),
        }
    }

    /// The state at a time by the method's own polynomials.
    pub fn interpolate(&self, t: f64, out: &mut State) {
        out.fit(self.equations.dims());
        if self.before.t < self.method.state().t {
            self.method.interpolate(self.equations, self.before, t, out);
            self.equations.keep_still(&self.before.v, out);
        } else {
            out.assign(self.method.state());
        }
    }

    /// The state at a time, on the constraints and with the accelerations and multipliers that belong to q and v.
    pub fn consistent_at(&mut self, t: f64, out: &mut State) -> Result<Residuals, StepFailure> {
        self.sketch(t, out);
        let residuals = complete(self.equations, self.room, out)?;
        self.stats.residuals = self.stats.residuals.max(residuals);
        self.audit.look_between(self.mode, self.equations, residuals, out);
        Ok(residuals)
    }

    /// Where the energy went so far.
    pub fn energy(&self) -> Option<EnergyBalance> {
        self.audit.energy()
    }
}
