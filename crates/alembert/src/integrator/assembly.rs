//! How an integrator is put together: systems, methods and the controller that they must suit.

use super::mode::Mode;
use super::rows::Rows;
use super::{Integrator, Limits, StartError, sizes};
use crate::audit::Audit;
use crate::controller::StepController;
use crate::equations::{Equations, Layout};
use crate::event::watch::Watch;
use crate::method::{Accumulation, BadMethod, Scheme};
use crate::schedule::Schedule;
use crate::sliding::SlidingWatch;
use crate::state::ConsistentState;
use crate::stats::Stats;
use crate::system::SystemRef;
use crate::tolerance::Tolerance;
use crate::typical::GivenSizes;

impl<'s> Integrator<'s> {
    /// Prepares an integration. `tolerance` governs Newton's method, and the step sizes where they are chosen by error.
    ///
    /// # Errors
    /// If the scheme is out of range or does not fit the system, or the start cannot be evaluated.
    pub fn new(
        system: impl Into<SystemRef<'s>>,
        start: &ConsistentState,
        scheme: &dyn Scheme,
        controller: impl StepController + 'static,
        tolerance: Tolerance,
    ) -> Result<Self, StartError> {
        let mut mode = build(system.into(), start.layout(), scheme, &controller, tolerance)?;
        let given = GivenSizes::default();
        sizes::begin(&mut mode, start, &tolerance, &given, None)
            .map_err(|failure| StartError::Start { t: start.t, failure })?;
        let before = mode.method.state().clone();
        let mut audit = Audit::new(mode.equations.dims());
        audit.begin(&mut mode.equations, &before);
        Ok(Integrator {
            modes: vec![mode],
            mode: 0,
            tolerance,
            given,
            controller: Box::new(controller),
            stats: Stats::default(),
            t_start: before.t,
            before,
            audit,
            schedule: Schedule::default(),
            rows: Rows::default(),
            watch: Watch::default(),
            occurrences: Vec::new(),
            happened: 0,
            most_kept: None,
            turn: None,
            limits: Limits::default(),
            longest: 0.0,
            sliding: SlidingWatch::default(),
            ahead: None,
        })
    }

    /// Adds another mode of the system, to which an event may [switch](crate::Action::Switch): the same coordinates under
    /// other constraints or forces. Returns its number; the system itself is mode 0.
    ///
    /// # Errors
    /// If the scheme does not fit the system, or the system has other coordinates than mode 0.
    pub fn add_mode(&mut self, system: impl Into<SystemRef<'s>>, scheme: &dyn Scheme) -> Result<usize, StartError> {
        let mut mode = build(system.into(), None, scheme, &*self.controller, self.tolerance)?;
        let coordinates = |mode: &Mode| (mode.equations.dims().q, mode.equations.dims().v);
        let (expected, actual) = (coordinates(&self.modes[0]), coordinates(&mode));
        if expected != actual {
            return Err(StartError::Coordinates { expected, actual });
        }
        mode.equations.set_typical(self.modes[0].equations.typical().clone());
        self.modes.push(mode);
        Ok(self.modes.len() - 1)
    }

    /// Its modes, and whether steps were chosen by error: what it takes to look into steps afterwards.
    pub(crate) fn into_modes(mut self) -> (Vec<Mode<'s>>, bool) {
        // Steps end where formulas switch, so that inside each of them the values of switches tell its branches.
        self.ignore_switches();
        (self.modes, self.controller.needs_estimate())
    }
}

/// Most velocities of a system with patterns for methods that need dense matrices: a factorisation takes seconds there, and the
/// dozen matrices of HHT-alpha a gigabyte.
const MOST_DENSE: usize = 3000;

/// The method for a system, if the controller can work with it.
fn build<'s>(
    system: SystemRef<'s>,
    layout: Option<&Layout>,
    scheme: &dyn Scheme,
    controller: &dyn StepController,
    tolerance: Tolerance,
) -> Result<Mode<'s>, BadMethod> {
    let (method, size) = (scheme.name(), system.dims().v);
    if scheme.needs_dense() && size > MOST_DENSE && system.description().patterns.is_some() {
        let because = "its matrices have all entries, and this system with patterns has too many velocities for that";
        let hint = "use generalized-alpha, Radau or BDF, whose matrices have the entries of the patterns only";
        return Err(BadMethod::Unsuited { method, because, hint });
    }
    let equations = if scheme.needs_dense() { Equations::dense(system) } else { Equations::with_known(system, layout) };
    let adds_up = controller.needs_estimate() && !controller.is_per_step();
    let accumulation = if adds_up { scheme.accumulation() } else { Accumulation::NONE };
    let mut method = scheme.build(&equations, accumulation.of_steps(tolerance))?;
    if controller.needs_estimate() && !method.estimates_error() {
        return Err(BadMethod::NoEstimate { method: scheme.name() });
    }
    if !controller.retries() {
        method.expect_no_retries();
    }
    let mut mode = Mode::new(scheme, accumulation, equations, method, tolerance);
    if controller.needs_estimate() {
        mode.estimate_derived();
    }
    Ok(mode)
}
