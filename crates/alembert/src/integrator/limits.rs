//! `Limits`: what an integration may cost, looked at before every attempt.

use super::{IntegrateError, Integrator, Limit};

/// What an integration may cost; the default is no limit.
#[derive(Default)]
pub struct Limits<'s> {
    /// Attempted steps, from the start.
    pub attempts: Option<u64>,
    /// Calls of the system's functions, from the start.
    pub evaluations: Option<u64>,
    /// Asked before every attempt: true ends the integration. This library has no clock; its caller may.
    pub interrupt: Option<Box<dyn FnMut() -> bool + Send + 's>>,
}

impl<'s> Integrator<'s> {
    /// Limits what the integration may cost.
    pub fn limit(&mut self, limits: Limits<'s>) {
        self.limits = limits;
    }

    /// Asked before every attempt.
    pub(super) fn check_limits(&mut self, t: f64) -> Result<(), IntegrateError> {
        let reached = |limit| Err(IntegrateError::Limit { t, limit });
        if let Some(most) = self.limits.attempts.filter(|most| self.stats.attempts >= *most) {
            return reached(Limit::Attempts(most));
        }
        if let Some(most) = self.limits.evaluations {
            let calls: u64 = self.modes.iter().map(|mode| mode.equations.evaluations().total()).sum();
            if calls >= most {
                return reached(Limit::Evaluations(most));
            }
        }
        if self.limits.interrupt.as_mut().is_some_and(|interrupt| interrupt()) {
            return reached(Limit::Interrupt);
        }
        Ok(())
    }
}
