//! What is in the way of a motion: who is to blame for a failure, and what lies behind it.

use super::{IntegrateError, Integrator};
use crate::linear::Singular;
use crate::method::StepFailure;
use crate::sliding::Surface;
use crate::state::Unknown;

/// How far ahead a surface is looked for: up to this power of ten times the last step.
const POWERS: i32 = 8;

impl Integrator<'_> {
    /// Who is involved in a failure, by name.
    pub(super) fn blame(&self, failure: &StepFailure) -> Option<String> {
        let equations = &self.modes[self.mode].equations;
        let (system, dims) = (equations.system(), equations.dims());
        let constraint = |row: usize| match row.checked_sub(dims.lambda) {
            None => system.holonomic_name(row),
            Some(row) => system.nonholonomic_name(row),
        };
        match *failure {
            StepFailure::Crossing { constraint: row } => Some(constraint(row)),
            StepFailure::Contradiction { constraint: row, other, .. } if row == other => Some(constraint(row)),
            StepFailure::Contradiction { constraint: row, other, .. } => {
                Some(format!("{} and {}", constraint(row), constraint(other)))
            }
            StepFailure::Singular(Singular { column }) => match column.checked_sub(dims.v) {
                None => Some(system.coordinate_name(column)),
                Some(row) if row < dims.constraints() => Some(constraint(row)),
                Some(_) => None,
            },
            StepFailure::ConstraintJump { constraint: row, .. } | StepFailure::VelocityJump { constraint: row, .. } => {
                Some(constraint(row))
            }
            StepFailure::Opened { gap, .. } => Some(system.gap_name(gap)),
            StepFailure::Massless { coordinate }
            | StepFailure::MassSign { coordinate }
            | StepFailure::Pole { coordinate }
            | StepFailure::Turn { coordinate, .. }
            | StepFailure::Rounding { coordinate, .. } => Some(system.coordinate_name(coordinate)),
            StepFailure::Overflow { quantity, index } => Some(match quantity {
                Unknown::HolonomicMultiplier => system.holonomic_name(index),
                Unknown::NonholonomicMultiplier => system.nonholonomic_name(index),
                _ => system.coordinate_name(index),
            }),
            _ => None,
        }
    }

    /// The failure to report where rounding alone keeps steps of length `h` from meeting their tolerance.
    pub(super) fn rounding(&mut self, h: f64) -> Option<StepFailure> {
        let tolerance = self.tolerance;
        self.modes[self.mode].rounding(h, &tolerance)
    }

    /// Where Newton's method failed in a system with redundant constraints: the contradiction or the dead point that lies
    /// ahead, if there is one.
    pub(super) fn underlying(&mut self, h: f64, remaining: f64, failure: StepFailure) -> StepFailure {
        let mode = &mut self.modes[self.mode];
        // The last step may have come so close that it is short already.
        let mut ahead = std::iter::successors(Some(h), |h| Some(10.0 * h)).take_while(|h| *h <= remaining).take(20);
        match failure {
            StepFailure::Diverged { .. } | StepFailure::NoMultipliers => {
                ahead.find_map(|h| mode.ahead(h)).unwrap_or(failure)
            }
            _ => failure,
        }
    }

    /// Stops where many steps in a row slide along a surface; steps of prescribed lengths come to an end all the same.
    pub(super) fn look_for_sliding(&mut self) -> Result<(), IntegrateError> {
        let Integrator { modes, mode, before, sliding, controller, tolerance, turn, .. } = self;
        let mode = &mut modes[*mode];
        // On held branches accelerations jump where the motion turns, not within steps.
        let after = turn.as_ref().map_or(mode.method.state(), |turn| &turn.after);
        if !controller.needs_estimate() || !sliding.note(before, after, tolerance, mode.equations.typical()) {
            return Ok(());
        }
        let found = mode.sliding_since(before);
        let enough = sliding.conclude(found.is_some());
        match found.filter(|_| enough) {
            Some(surface) => Err(self.slides(surface)),
            None => Ok(()),
        }
    }

    /// Stops where steps have become too small because the motion slides.
    pub(super) fn stop_if_sliding(&mut self, h: f64) -> Result<(), IntegrateError> {
        let mode = &mut self.modes[self.mode];
        let found = (0..POWERS).find_map(|power| mode.sliding_ahead(h * 10_f64.powi(power)));
        found.map_or(Ok(()), |surface| Err(self.slides(surface)))
    }

    pub(super) fn slides(&self, Surface { coordinate, accelerations }: Surface) -> IntegrateError {
        let name = self.modes[self.mode].equations.system().coordinate_name(coordinate);
        IntegrateError::Sliding { t: self.state().t, name, accelerations, switch: self.slides_along() }
    }
}
