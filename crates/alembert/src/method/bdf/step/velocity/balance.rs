//! The velocity half with the force as it is along its slope: v_n and mu_n from w = 0, k = 0 and the balance of forces.
//!
//! The factors of the position half are tried first ([`Policy::BDF_VELOCITY`](crate::newton::Policy::BDF_VELOCITY)). Older ones are renewed,
//! which the next steps are glad of too; then it makes its own.

use super::VelocityHalf;
use crate::equations::Equations;
use crate::method::StepFailure;
use crate::method::bdf::step::BdfCorrector;
use crate::newton::{End, Factors, Levels, NonlinearProblem};
use crate::system::{Dims, Point};
use crate::tolerance::largest;

/// Change of v, relative to its size, that is rounding.
pub(super) const SETTLED: f64 = 8.0 * f64::EPSILON;
/// The same where it shrinks no more.
const NOISE: f64 = 16.0 * SETTLED;
/// The same with its own factors, which solve a linear problem at once: what is left is the rounding of stiff forces.
const OWN_NOISE: f64 = 1e-11;

/// The velocity half bound to its equations.
pub(super) struct Balance<'a, 's> {
    pub half: &'a mut VelocityHalf,
    pub equations: &'a mut Equations<'s>,
    pub step: &'a mut BdfCorrector,
    /// Whether the factors are its own.
    pub own: bool,
}

impl NonlinearProblem for Balance<'_, '_> {
    type Failure = StepFailure;

    fn rewind(&mut self) -> Result<(), StepFailure> {
        self.half.go_back();
        Ok(())
    }

    fn linearize(&mut self) -> Result<(), StepFailure> {
        self.own = true;
        self.half.factor(self.equations, self.step)
    }

    /// The change of v relative to its size.
    fn iterate(&mut self) -> Result<f64, StepFailure> {
        let Balance { half, equations, step, own } = self;
        let Dims { v: n, lambda: nl, .. } = step.dims;
        let alpha = step.formula.alpha;
        let layout = &step.blocks.layout;
        let (w_v, k_v) = step.c_v.split_at(layout.holonomic.len());
        let (w, k) = half.constraint.split_at_mut(nl);
        equations.velocity(step.t, &step.q, &half.v, &step.g_q, w)?;
        equations.nonholonomic(step.t, &step.q, &half.v, k)?;
        let (lambda, psi) = half.mu.split_at(nl);
        let at = Point { t: step.t, q: &step.q, v: &step.v, lambda, psi };
        equations.reaction(at, w_v, k_v, &mut half.reaction)?;
        let (motion, _) = half.rhs.split_at_mut(n);
        for (i, rhs) in motion.iter_mut().enumerate() {
            *rhs = half.reaction[i] - half.load[i];
            half.change[i] = half.v[i] - step.v[i];
        }
        layout.top.multiply_add(-alpha, &step.mass, &half.change, motion);
        if step.damped {
            for (i, change) in half.change.iter_mut().enumerate() {
                *change = half.v[i] - half.base[i];
            }
            layout.top.multiply_add(-1.0, &step.blocks.damping, &half.change, motion);
        }
        for (rhs, c) in half.rhs[n..].iter_mut().zip(&half.constraint) {
            *rhs = -alpha * c;
        }
        let speed = equations.typical().units().1 + largest(equations.bodies(&half.v));
        let kkt = if *own { &mut half.kkt } else { &mut step.mode.kkt };
        kkt.solve(&mut half.rhs);
        for (v, d) in half.v.iter_mut().zip(&half.rhs) {
            *v += d / alpha;
        }
        for (mu, d) in half.mu.iter_mut().zip(&half.rhs[n..]) {
            *mu += d;
        }
        let mut change = largest(&half.rhs[..n]);
        if !equations.has_standard_reaction() {
            // Multipliers that act nonlinearly may still move when v does no more.
            let r_mu = if *own { &half.r_mu } else { &step.blocks.r_mu };
            half.change.fill(0.0);
            layout.rows.multiply_transposed_add(1.0, r_mu, &half.rhs[n..], &mut half.change);
            change = change.max(largest(&half.change) / largest(&step.mass));
        }
        Ok(change / alpha / speed)
    }

    fn levels(&self, _: Factors) -> Levels {
        let linear = self.own && self.equations.has_standard_reaction();
        Levels { rounding: SETTLED, noise: if linear { OWN_NOISE } else { NOISE }, enough: 0.0, tolerable: 0.0 }
    }

    /// Older factors of the position half.
    fn mend(&mut self, end: &End) -> Result<bool, StepFailure> {
        if self.own || end.is_solution() || !self.step.aged {
            return Ok(false);
        }
        self.half.go_back();
        self.step.renew(self.equations)?;
        Ok(true)
    }
}
