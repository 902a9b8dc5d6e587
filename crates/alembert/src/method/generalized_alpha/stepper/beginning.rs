//! The acceleration that a step begins with: by the start formulas in a first step, by (15) after it.

use super::{AlphaStepper, Carry, Consistency};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::method::StepFailure;
use crate::method::generalized_alpha::{RATIO_SLACK, Start};
use crate::tolerance::largest;

impl AlphaStepper {
    /// a_al (and M_al a_al) for a step of length h, into `next_carry`.
    pub(super) fn prepare(&mut self, equations: &mut Equations, h: f64) -> Result<(), StepFailure> {
        let alpha = self.scheme.coefficients.alpha();
        let used = &mut self.next_carry.a_al;
        let mut product_known = false;
        match self.history {
            None => {
                used.copy_from_slice(&self.now.a);
                let (controlled, by_jerk) = (self.controlled, self.scheme.start == Start::Jerk && alpha != 0.0);
                // The error of a first step needs the jerk, too. Later would be too late: the acceleration level then knows the end.
                if controlled || by_jerk {
                    let consistency = self.consistency.get_or_insert_with(|| Consistency::new(equations, controlled));
                    consistency.probe_jerk(equations, &self.tolerance, &self.now, h)?;
                    for (used, j) in used.iter_mut().zip(&consistency.jerk).filter(|_| by_jerk) {
                        *used += alpha * h * j;
                    }
                }
            }
            Some(history) => {
                let ratio = h / history.h;
                let limit = self.scheme.largest_ratio;
                if ratio > limit * (1.0 + RATIO_SLACK) {
                    return Err(StepFailure::Ratio { ratio, limit });
                }
                if self.scheme.step_change && ratio * limit < 1.0 - RATIO_SLACK {
                    for (i, used) in used.iter_mut().enumerate() {
                        let jerk = (self.now.a[i] - self.a_before[i]) / history.h;
                        *used = self.now.a[i] + alpha * h * jerk;
                    }
                } else {
                    // (15), and (16) for the product with the previous-step matrix.
                    let shift = if self.scheme.step_change { alpha * (ratio - 1.0) } else { 0.0 };
                    let Carry { a, a_al, inertia, inertia_al, .. } = &self.carry;
                    for (used, (a, before)) in used.iter_mut().zip(a.iter().zip(a_al)) {
                        *used = a + shift * (a - before);
                    }
                    let products = self.next_carry.inertia_al.iter_mut();
                    for (used, (p, before)) in products.zip(inertia.iter().zip(inertia_al)) {
                        *used = p + shift * (p - before);
                    }
                    product_known = true;
                }
            }
        }
        if product_known { Ok(()) } else { self.multiply_by_mass(equations, h) }
    }

    /// Replaces a_al of a first step by what the end of its last pass makes of it, and says by how much it changed, relative
    /// to 1 + |a_al|:
    ///
    /// ```text
    /// twice     a_al = (1-al) a_0 + al a_1        with the consistent accelerations at both ends
    /// (10)      M_al a_al = (1-al) F_0 + al F_1   with the method's own multipliers in F_1
    /// ```
    pub(super) fn start_from_end(&mut self, equations: &mut Equations, h: f64) -> Result<f64, StepFailure> {
        let alpha = self.scheme.coefficients.alpha();
        // There is no step before, so nobody needs the room of its acceleration.
        let mut wanted = std::mem::take(&mut self.a_before);
        let implicit = self.scheme.start == Start::Implicit;
        let (first, last) =
            if implicit { (&self.carry.force, &self.next_carry.force) } else { (&self.now.a, &self.next.a) };
        for (wanted, (first, last)) in wanted.iter_mut().zip(first.iter().zip(last)) {
            *wanted = first + alpha * (last - first);
        }
        let divided = if implicit {
            self.halves.divide_by_mass(equations, &self.now, alpha * h, &mut wanted)
        } else {
            Ok(LinearWork::default())
        };
        // Without absolute tolerances accelerations have no unit.
        let unit = if equations.typical().is_relative() { largest(&wanted) } else { 1.0 };
        let mut change = 0.0_f64;
        for (used, wanted) in self.next_carry.a_al.iter_mut().zip(&wanted) {
            change = change.max((wanted - *used).abs() / (unit + wanted.abs()));
            *used = *wanted;
        }
        self.a_before = wanted;
        self.past_work = self.past_work + divided?;
        Ok(change)
    }

    /// M_al a_al with the matrix at t0 + alpha h, where it is carried to the next step.
    pub(super) fn multiply_by_mass(&mut self, equations: &mut Equations, h: f64) -> Result<(), StepFailure> {
        let Carry { a_al, inertia_al, .. } = &mut self.next_carry;
        if inertia_al.is_empty() {
            return Ok(());
        }
        let s = self.scheme.coefficients.alpha() * h;
        self.halves.inertia_at(equations, &self.now, s, a_al, inertia_al)
    }
}
