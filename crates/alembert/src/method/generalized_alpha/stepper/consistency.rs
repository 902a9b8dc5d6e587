//! Consistent accelerations and multipliers, and what is made of them.

use crate::acceleration::AccelerationLevel;
use crate::equations::Equations;
use crate::method::StepFailure;
use crate::method::alpha_error::LocalError;
use crate::method::jerk::Probe;
use crate::method::projection::Projector;
use crate::state::State;
use crate::tolerance::Tolerance;

/// Consistent accelerations and multipliers, and what is made of them.
pub(super) struct Consistency {
    pub level: AccelerationLevel,
    pub projector: Projector,
    /// Made when first needed.
    probe: Option<Probe>,
    /// Where anyone asks for errors.
    pub error: Option<LocalError>,
    /// Empty until it is first asked for.
    pub jerk: Vec<f64>,
}

impl Consistency {
    pub fn new(equations: &Equations, controlled: bool) -> Box<Self> {
        Box::new(Consistency {
            level: AccelerationLevel::new(equations),
            projector: Projector::new(equations),
            probe: None,
            error: controlled.then(|| LocalError::new(equations)),
            jerk: Vec::new(),
        })
    }

    /// The jerk at the start, for a first step of length h.
    pub fn probe_jerk(
        &mut self,
        equations: &mut Equations,
        tolerance: &Tolerance,
        now: &State,
        h: f64,
    ) -> Result<(), StepFailure> {
        let probe = self.probe.get_or_insert_with(|| Probe::new(equations));
        let d = probe.length(equations, tolerance, now, h);
        self.jerk.resize(equations.dims().v, 0.0);
        probe.jerk(equations, &mut self.level, now, d, &mut self.jerk)?;
        Ok(())
    }

    /// The length of a first step.
    pub fn first_step(
        &mut self,
        equations: &mut Equations,
        tolerance: &Tolerance,
        now: &State,
        t_end: f64,
        alpha: f64,
    ) -> Result<f64, StepFailure> {
        let probe = self.probe.get_or_insert_with(|| Probe::new(equations));
        Ok(probe.first_step(equations, &mut self.level, tolerance, now, t_end, alpha)?)
    }
}
