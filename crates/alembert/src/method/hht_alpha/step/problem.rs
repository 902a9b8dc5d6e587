//! A step bound to its equations: residuals and blocks at the iterate, for Newton's method.

use super::weights::Weights;
use super::{Form, HhtCorrector};
use crate::equations::{Equations, ask};
use crate::method::matrix::{multiply, subtract};
use crate::method::{StepFailure, linearization_price};
use crate::newton::{Factors, Levels, NonlinearProblem, Policy};
use crate::state::State;
use crate::system::{At, Dims, Point};
use crate::tolerance::Tolerance;

/// A step bound to its equations.
pub(in crate::method) struct HhtProblem<'a, 's> {
    pub(super) step: &'a mut HhtCorrector,
    pub(super) equations: &'a mut Equations<'s>,
    pub(super) now: &'a State,
    pub(super) tolerance: &'a Tolerance,
}

impl HhtProblem<'_, '_> {
    /// Reactions, q1 and v1 of the iterate.
    fn place(&mut self) -> Result<(), StepFailure> {
        if self.step.placed {
            return Ok(());
        }
        let (implicit, moving) = (self.step.implicit_node(), self.step.moving_node());
        let HhtCorrector { weights, form, dims, h, nodes, a0, iterate, at, .. } = &mut *self.step;
        let Weights { beta, gamma, p, s, .. } = *weights;
        let (h, now) = (*h, self.now);
        let [first, second] = nodes;
        if dims.constraints() > 0 {
            if *form == Form::Index2 {
                // The middle velocity follows the iterate.
                for (mid, (v0, v1)) in second.v.iter_mut().zip(now.v.iter().zip(&at.v)) {
                    *mid = 0.5 * (v0 + v1);
                }
                second.constrain(self.equations)?;
            } else {
                first.react(self.equations, &iterate.l[0])?;
            }
            if implicit {
                second.acceleration.copy_from_slice(&iterate.r1);
            } else if !moving {
                second.react(self.equations, &iterate.l[1])?;
            }
        }
        for i in 0..at.dx.len() {
            // The reaction of a moving node, which follows q1, has no weight here.
            let (r0, r1) = (first.acceleration[i], second.acceleration[i]);
            let position = (0.5 - beta) * a0[i] + beta * iterate.a[i] + 0.5 * (p[0] * r0 + p[1] * r1);
            at.dx[i] = h * (now.v[i] + h * position);
        }
        self.equations.advance(&now.q, &at.dx, &mut at.q);
        if moving {
            for (half, dx) in at.half.iter_mut().zip(&at.dx) {
                *half = 0.5 * dx;
            }
            self.equations.advance(&now.q, &at.half, &mut second.q);
            self.equations.mass(second.t, &second.q, &mut at.mass)?;
            second.factor(&at.mass)?;
            second.constrain(self.equations)?;
            second.react(self.equations, &iterate.l[1])?;
        }
        for i in 0..at.dx.len() {
            let (r0, r1) = (first.acceleration[i], second.acceleration[i]);
            let velocity = (1.0 - gamma) * a0[i] + gamma * iterate.a[i] + s[0] * r0 + s[1] * r1;
            at.v[i] = now.v[i] + h * velocity;
        }
        self.step.placed = true;
        Ok(())
    }

    /// Residuals at the iterate.
    fn evaluate(&mut self) -> Result<(), StepFailure> {
        if self.step.evaluated {
            return Ok(());
        }
        self.place()?;
        let implicit = self.step.implicit_node();
        let HhtCorrector { weights, form, dims, h, nodes, applied, iterate, at, x, evaluated, .. } = &mut *self.step;
        *evaluated = true;
        let Weights { alpha, beta, gamma, c_m, .. } = *weights;
        let Dims { v: n, lambda: nl, .. } = *dims;
        let (t, h) = (self.now.t + *h, *h);
        let equations = &mut *self.equations;
        let index2 = *form == Form::Index2;
        let (w_v, k_v) = at.c_v.split_at_mut(nl * n);
        // In the index-2 form constraints are nonholonomic ones.
        let (k, g): (&mut [f64], &mut [f64]) =
            if index2 { (&mut at.position, &mut []) } else { (&mut [], &mut at.position) };
        let (g_q, g_t): (&mut [f64], &mut [f64]) =
            if index2 { Default::default() } else { (&mut *w_v, &mut at.velocity) };
        let mass = equations.unknown_mass(t, &at.q, &mut at.mass)?;
        ask!(
            equations,
            At::new(t, &at.q, &at.v),
            Mass => mass,
            Force => &mut at.force[..],
            Nonholonomic => k,
            HolonomicQ => g_q,
            Holonomic => g,
            HolonomicT => g_t,
        )?;
        for ((a_hat, a), applied) in at.a_hat.iter_mut().zip(&iterate.a).zip(&*applied) {
            *a_hat = c_m * (a + alpha * applied);
        }
        multiply(&at.mass, &at.a_hat, &mut at.residual);
        for (residual, f) in at.residual.iter_mut().zip(&at.force) {
            *residual -= f;
        }
        if index2 {
            at.position.iter_mut().for_each(|c| *c /= h);
            return Ok(());
        }
        at.position.iter_mut().for_each(|c| *c /= beta * h * h);
        equations.add_turning(t, &at.q, &at.v, w_v, &mut at.velocity)?;
        at.velocity.iter_mut().for_each(|c| *c /= gamma * h);
        if implicit {
            let point = Point { t, q: &at.q, v: &at.v, lambda: &iterate.l[1], psi: &[] };
            equations.reaction(point, w_v, k_v, x)?;
            multiply(&at.mass, &nodes[1].acceleration, &mut at.e);
            for (e, r) in at.e.iter_mut().zip(&*x) {
                *e -= r;
            }
        }
        Ok(())
    }

    /// What the last change of the multipliers would do to v in a step. Where constraints hold q and v, a reaction that is
    /// nonlinear in them is seen by nothing else.
    fn unseen(&mut self) -> f64 {
        let implicit = self.step.implicit_node();
        let HhtCorrector { form, dims, h, nodes, at, blocks, dl, dr, x, .. } = &mut *self.step;
        if dims.constraints() == 0 {
            return 0.0;
        }
        let mut size = 0.0_f64;
        let mut see = |change: &[f64]| {
            for (x, change) in x.iter_mut().zip(change) {
                *x = *h * change;
            }
            size = size.max(self.tolerance.norm_v(x, &at.v, self.equations.typical()));
        };
        if *form != Form::Index2 {
            see(&dr[0]);
        }
        if implicit {
            let n = at.v.len();
            multiply(&blocks.r_l, &dl[1], &mut dr[1]);
            for (i, x) in dr[1].iter_mut().enumerate() {
                *x /= blocks.mass[i * n + i].abs().max(f64::MIN_POSITIVE);
            }
        } else {
            multiply(&nodes[1].response, &dl[1], &mut dr[1]);
        }
        see(&dr[1]);
        size
    }

    /// Factors for the present h, with the blocks there are.
    pub(in super::super) fn combine(&mut self) -> Result<(), StepFailure> {
        self.step.factored_h = None;
        match self.step.form {
            Form::Index2 if self.step.dims.psi > 0 => self.combine_index2()?,
            _ => self.combine_halves()?,
        }
        self.step.factored_h = Some(self.step.h);
        Ok(())
    }

    /// M1, D, S at the iterate; the rest depends on the form.
    fn evaluate_blocks(&mut self) -> Result<(), StepFailure> {
        let HhtCorrector { dims, h, at, blocks, nodes, iterate, form, .. } = &mut *self.step;
        let t = self.now.t + *h;
        let equations = &mut *self.equations;
        blocks.mass.copy_from_slice(&at.mass);
        // S = M_q a^ - f_q, D = -f_v.
        equations.mass_q(t, &at.q, &at.a_hat, &mut blocks.stiffness)?;
        equations.force_q(t, &at.q, &at.v, &mut blocks.damping)?;
        subtract(&mut blocks.stiffness, &blocks.damping);
        equations.force_v(t, &at.q, &at.v, &mut blocks.damping)?;
        blocks.damping.iter_mut().for_each(|d| *d = -*d);
        blocks.damped = blocks.damping.iter().any(|d| *d != 0.0);
        equations.space().turn_columns(&at.dx, &mut blocks.stiffness);
        if dims.constraints() == 0 {
            return Ok(());
        }
        if *form == Form::Index2 {
            equations.nonholonomic_v(t, &at.q, &at.v, &mut blocks.c_v)?;
            equations.nonholonomic_q(t, &at.q, &at.v, &mut blocks.rows_q)?;
            equations.space().turn_columns(&at.dx, &mut blocks.rows_q);
            return nodes[1].respond(equations, &iterate.l[1]);
        }
        blocks.c_v.copy_from_slice(&at.c_v);
        equations.velocity_q(t, &at.q, &at.v, &mut blocks.rows_q)?;
        let space = equations.space();
        space.turn_columns(&at.dx, &mut blocks.rows_q);
        if !space.is_flat() {
            // The turn grows with h: per unit of h it serves other steps as well.
            blocks.turn.copy_from_slice(&blocks.c_v);
            space.turn_columns(&at.dx, &mut blocks.turn);
            for (turn, g_q) in blocks.turn.iter_mut().zip(&blocks.c_v) {
                *turn = (*turn - g_q) / *h;
            }
        }
        nodes[0].respond(equations, &iterate.l[0])
    }
}

impl NonlinearProblem for HhtProblem<'_, '_> {
    type Failure = StepFailure;

    fn rewind(&mut self) -> Result<(), StepFailure> {
        let HhtCorrector { iterate, predictor, placed, evaluated, .. } = &mut *self.step;
        iterate.assign(predictor);
        (*placed, *evaluated) = (false, false);
        Ok(())
    }

    fn linearize(&mut self) -> Result<(), StepFailure> {
        self.step.factored_h = None;
        self.evaluate()?;
        self.evaluate_blocks()?;
        if self.step.form != Form::Index2 && self.step.dims.lambda > 0 {
            self.evaluate_reaction_blocks()?;
            self.factor_velocity()?;
        }
        self.combine()
    }

    fn iterate(&mut self) -> Result<f64, StepFailure> {
        self.evaluate()?;
        match self.step.form {
            Form::Index2 if self.step.dims.psi > 0 => self.iterate_index2(),
            _ => self.iterate_halves(),
        }
        let HhtCorrector { at, placed, evaluated, .. } = &mut *self.step;
        (*placed, *evaluated) = (false, false);
        at.dx_before.copy_from_slice(&at.dx);
        at.v_before.copy_from_slice(&at.v);
        self.place()?;
        let at = &mut self.step.at;
        for i in 0..at.dx.len() {
            at.dx_before[i] -= at.dx[i];
            at.v_before[i] -= at.v[i];
        }
        let sizes = self.equations.typical();
        let size = self.equations.space().norm(self.tolerance, &at.dx_before, &at.q, sizes);
        let size = size.max(self.tolerance.norm_v(&at.v_before, &at.v, sizes));
        Ok(if self.equations.has_standard_reaction() { size } else { size.max(self.unseen()) })
    }

    fn levels(&self, factors: Factors) -> Levels {
        let HhtCorrector { h, at, a0, .. } = &*self.step;
        let sizes = self.equations.typical();
        let rounding = self.tolerance.rounding(&at.q, &at.v, a0, *h, sizes);
        if self.equations.has_standard_reaction() {
            return Policy::step_levels(rounding, factors);
        }
        // The two multipliers of a step carry eps/h^2, which `unseen` shows as eps/h in v.
        let largest = at.q.iter().fold(0.0_f64, |max, q| max.max(q.abs()));
        let least = sizes.v.iter().fold(f64::INFINITY, |min, size| min.min(*size));
        let carried = 8.0 * f64::EPSILON * largest / (*h * (self.tolerance.atol_v + self.tolerance.rtol * least));
        Policy::step_levels(rounding.max(carried), factors)
    }

    fn price(&self) -> usize {
        linearization_price(self.step.dims.v)
    }
}
