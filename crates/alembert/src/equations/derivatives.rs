//! The derivatives of a system: supplied by it, or completed by differences.

use std::sync::Arc;

use super::difference::{Accuracy, Argument};
use super::{Equations, Function, NotFinite};
use crate::linear::Pattern;
use crate::system::{Dims, Point, Supplied};

type Outcome = Result<(), NotFinite>;

/// A sum below this share of its terms is their rounding.
const CANCELLED: f64 = 4.0 * f64::EPSILON;

impl Equations<'_> {
    /// G = g_q, lambda by tangent.
    pub fn holonomic_q(&mut self, t: f64, q: &[f64], out: &mut [f64]) -> Outcome {
        if out.is_empty() {
            return Ok(());
        }
        out.fill(0.0);
        if self.active().holonomic_q(t, q, out) == Supplied::No {
            let pattern = self.layout.holonomic_q.clone();
            self.differences(Argument::Configuration, Accuracy::Accurate, q, &pattern, out, |eq, q, g| {
                eq.holonomic(t, q, g)
            })?;
        }
        self.counted(Function::HolonomicQ, t, out)
    }

    /// g_t.
    pub fn holonomic_t(&mut self, t: f64, q: &[f64], out: &mut [f64]) -> Outcome {
        if out.is_empty() {
            return Ok(());
        }
        out.fill(0.0);
        if self.active().holonomic_t(t, q, out) == Supplied::No {
            self.slope(1.0, out, |eq, s, g| eq.holonomic(t + s, q, g))?;
        }
        self.counted(Function::HolonomicT, t, out)
    }

    /// The velocity constraints g_t + G q', from G.
    pub fn velocity(&mut self, t: f64, q: &[f64], v: &[f64], g_q: &[f64], out: &mut [f64]) -> Outcome {
        if out.is_empty() {
            return Ok(());
        }
        self.holonomic_t(t, q, out)?;
        if !self.general_rate {
            self.layout.holonomic_q.multiply_add(1.0, g_q, v, out);
            return Ok(());
        }
        let mut q_dot = self.take_buffer(self.tangent());
        let rated = self.rate(t, q, v, &mut q_dot);
        self.layout.holonomic_q.multiply_add(1.0, g_q, &q_dot, out);
        self.give_buffer(q_dot);
        rated
    }

    /// The velocity constraints without G at hand.
    fn velocity_afresh(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        let mut g_q = self.take_buffer(self.layout.holonomic_q.len());
        let outcome = self.holonomic_q(t, q, &mut g_q).and_then(|()| self.velocity(t, q, v, &g_q, out));
        self.give_buffer(g_q);
        outcome
    }

    /// W = d/dv (g_t + G q'), lambda by v: G itself, or G U_v under a general rate.
    pub fn velocity_v(&mut self, t: f64, q: &[f64], v: &[f64], g_q: &[f64], out: &mut [f64]) -> Outcome {
        if !self.general_rate {
            out.copy_from_slice(g_q);
            return Ok(());
        }
        let Dims { q: nq, v: nv, .. } = self.dims;
        let mut u_v = self.take_buffer(nq * nv);
        let outcome = self.rate_v(t, q, v, &mut u_v);
        for (g_row, out_row) in g_q.chunks_exact(nq).zip(out.chunks_exact_mut(nv)) {
            for (j, out) in out_row.iter_mut().enumerate() {
                let (mut sum, mut terms) = (0.0, 0.0);
                for (g, u_row) in g_row.iter().zip(u_v.chunks_exact(nv)) {
                    let part = g * u_row[j];
                    sum += part;
                    terms += part.abs();
                }
                // What cancels but for rounding is zero: a constraint that the kinematics keep has no derivative, and the
                // direction of its rounding is none.
                *out = if sum.abs() > CANCELLED * terms { sum } else { 0.0 };
            }
        }
        self.give_buffer(u_v);
        outcome
    }

    /// U_v, q by v.
    pub fn rate_v(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        out.fill(0.0);
        if self.active().rate_v(t, q, v, out) == Supplied::No {
            let pattern = Arc::new(Pattern::dense(self.dims.q, self.dims.v));
            self.differences(Argument::Vector, Accuracy::Accurate, v, &pattern, out, |eq, v, u| eq.rate(t, q, v, u))?;
        }
        self.counted(Function::RateV, t, out)
    }

    /// U_q, q by q; only under a general rate.
    pub fn rate_q(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        out.fill(0.0);
        if self.active().rate_q(t, q, v, out) == Supplied::No {
            let pattern = Arc::new(Pattern::dense(self.dims.q, self.dims.q));
            self.differences(Argument::Vector, Accuracy::Cheap, q, &pattern, out, |eq, q, u| eq.rate(t, q, v, u))?;
        }
        self.counted(Function::RateQ, t, out)
    }

    /// Gamma = d/dq (g_t + G q'), lambda by tangent.
    pub fn velocity_q(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        if out.is_empty() {
            return Ok(());
        }
        out.fill(0.0);
        if self.active().holonomic_velocity_q(t, q, v, out) == Supplied::No {
            let pattern = self.layout.holonomic_q.clone();
            self.differences(Argument::Configuration, Accuracy::Accurate, q, &pattern, out, |eq, q, w| {
                eq.velocity_afresh(t, q, v, w)
            })?;
        }
        self.counted(Function::HolonomicVelocityQ, t, out)
    }

    /// K = k_v, psi by v.
    pub fn nonholonomic_v(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        if out.is_empty() {
            return Ok(());
        }
        out.fill(0.0);
        if self.active().nonholonomic_v(t, q, v, out) == Supplied::No {
            let pattern = self.layout.nonholonomic.clone();
            self.differences(Argument::Vector, Accuracy::Accurate, v, &pattern, out, |eq, v, k| {
                eq.nonholonomic(t, q, v, k)
            })?;
        }
        self.counted(Function::NonholonomicV, t, out)
    }

    /// k_q, psi by tangent.
    pub fn nonholonomic_q(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        if out.is_empty() {
            return Ok(());
        }
        out.fill(0.0);
        if self.active().nonholonomic_q(t, q, v, out) == Supplied::No {
            let pattern = self.layout.nonholonomic_q.clone();
            self.differences(Argument::Configuration, Accuracy::Cheap, q, &pattern, out, |eq, q, k| {
                eq.nonholonomic(t, q, v, k)
            })?;
        }
        self.counted(Function::NonholonomicQ, t, out)
    }

    /// The time derivative of (g_t + G q' ; k) at v' = 0, so that consistent accelerations satisfy C a = -bias.
    pub fn bias(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        let (holonomic, nonholonomic) = out.split_at_mut(self.dims.lambda);
        if !holonomic.is_empty() {
            holonomic.fill(0.0);
            if self.active().holonomic_bias(t, q, v, holonomic) == Supplied::No {
                self.along_motion(t, q, v, holonomic, |eq, t, q, w| eq.velocity_afresh(t, q, v, w))?;
            }
            self.counted(Function::HolonomicBias, t, holonomic)?;
        }
        if !nonholonomic.is_empty() {
            nonholonomic.fill(0.0);
            if self.active().nonholonomic_bias(t, q, v, nonholonomic) == Supplied::No {
                self.along_motion(t, q, v, nonholonomic, |eq, t, q, k| eq.nonholonomic(t, q, v, k))?;
            }
            self.counted(Function::NonholonomicBias, t, nonholonomic)?;
        }
        Ok(())
    }

    /// Time derivative of `function(t, q)` along q' at fixed v.
    fn along_motion(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut [f64],
        mut function: impl FnMut(&mut Self, f64, &[f64], &mut [f64]) -> Outcome,
    ) -> Outcome {
        let mut q_dot = self.take_buffer(self.tangent());
        let mut dx = self.take_buffer(self.tangent());
        let mut moved = self.take_buffer(self.dims.q);
        let mut outcome = self.rate(t, q, v, &mut q_dot);
        // A time in which the motion covers a unit length: the scale on which the constraints bend.
        let speed = q_dot.iter().fold(1.0_f64, |max, v| max.max(v.abs()));
        outcome = outcome.and_then(|()| {
            self.slope(1.0 / speed, out, |eq, s, out| {
                for (dx, rate) in dx.iter_mut().zip(&q_dot) {
                    *dx = s * rate;
                }
                eq.advance(q, &dx, &mut moved);
                function(eq, t + s, &moved, out)
            })
        });
        for buffer in [q_dot, dx, moved] {
            self.give_buffer(buffer);
        }
        outcome
    }

    /// The transpose of (r_lambda, r_psi), constraints by v, from W and K where the reaction is the standard one.
    pub fn reaction_mu(&mut self, at: Point, w_v: &[f64], k_v: &[f64], out: &mut [f64]) -> Outcome {
        let (by_lambda, by_psi) = out.split_at_mut(self.layout.holonomic.len());
        if self.standard_reaction {
            for (out, entry) in by_lambda.iter_mut().zip(w_v).chain(by_psi.iter_mut().zip(k_v)) {
                *out = -entry;
            }
            return Ok(());
        }
        if !at.lambda.is_empty() {
            by_lambda.fill(0.0);
            if self.active().reaction_lambda(at, by_lambda) == Supplied::No {
                let pattern = self.layout.holonomic.clone();
                let argument = Argument::Multipliers;
                self.differences(argument, Accuracy::Accurate, at.lambda, &pattern, by_lambda, |eq, lambda, r| {
                    eq.reaction(Point { lambda, ..at }, &[], &[], r)
                })?;
            }
            self.counted(Function::ReactionLambda, at.t, by_lambda)?;
        }
        if !at.psi.is_empty() {
            by_psi.fill(0.0);
            if self.active().reaction_psi(at, by_psi) == Supplied::No {
                let pattern = self.layout.nonholonomic.clone();
                let argument = Argument::Multipliers;
                self.differences(argument, Accuracy::Accurate, at.psi, &pattern, by_psi, |eq, psi, r| {
                    eq.reaction(Point { psi, ..at }, &[], &[], r)
                })?;
            }
            self.counted(Function::ReactionPsi, at.t, by_psi)?;
        }
        Ok(())
    }

    /// d/dq (M a), v by tangent.
    pub fn mass_q(&mut self, t: f64, q: &[f64], a: &[f64], out: &mut [f64]) -> Outcome {
        out.fill(0.0);
        if self.system.mass_is_constant() {
            return Ok(());
        }
        if self.active().mass_q(t, q, a, out) == Supplied::No {
            let pattern = self.layout.top_q.clone();
            let mut mass = self.take_buffer(self.layout.top.len());
            let outcome =
                self.differences(Argument::Configuration, Accuracy::Cheap, q, &pattern, out, |eq, q, product| {
                    eq.mass(t, q, &mut mass)?;
                    eq.layout.top.multiply(&mass, a, product);
                    Ok(())
                });
            self.give_buffer(mass);
            outcome?;
        }
        self.counted(Function::MassQ, t, out)
    }

    /// f_q, v by tangent.
    pub fn force_q(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        out.fill(0.0);
        if self.active().force_q(t, q, v, out) == Supplied::No {
            let pattern = self.layout.top_q.clone();
            let argument = Argument::Configuration;
            self.differences(argument, Accuracy::Cheap, q, &pattern, out, |eq, q, f| eq.force(t, q, v, f))?;
        }
        self.counted(Function::ForceQ, t, out)
    }

    /// f_v, v by v.
    pub fn force_v(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        out.fill(0.0);
        if self.active().force_v(t, q, v, out) == Supplied::No {
            let pattern = self.layout.top.clone();
            self.differences(Argument::Vector, Accuracy::Cheap, v, &pattern, out, |eq, v, f| eq.force(t, q, v, f))?;
        }
        self.counted(Function::ForceV, t, out)
    }

    /// r_q, v by tangent.
    pub fn reaction_q(&mut self, at: Point, out: &mut [f64]) -> Outcome {
        out.fill(0.0);
        if self.dims.constraints() == 0 {
            return Ok(());
        }
        if self.active().reaction_q(at, out) == Supplied::No {
            let pattern = self.layout.top_q.clone();
            self.differences(Argument::Configuration, Accuracy::Accurate, at.q, &pattern, out, |eq, q, r| {
                eq.reaction_afresh(Point { q, ..at }, r)
            })?;
        }
        self.counted(Function::ReactionQ, at.t, out)
    }

    /// r_v, v by v.
    pub fn reaction_v(&mut self, at: Point, out: &mut [f64]) -> Outcome {
        out.fill(0.0);
        // The standard reaction of holonomic constraints does not see v where q' = v.
        if self.dims.constraints() == 0 || (self.standard_reaction && self.dims.psi == 0 && !self.general_rate) {
            return Ok(());
        }
        if self.active().reaction_v(at, out) == Supplied::No {
            let pattern = self.layout.top.clone();
            self.differences(Argument::Vector, Accuracy::Accurate, at.v, &pattern, out, |eq, v, r| {
                eq.reaction_afresh(Point { v, ..at }, r)
            })?;
        }
        self.counted(Function::ReactionV, at.t, out)
    }

    /// The reaction without W and K at hand.
    pub(super) fn reaction_afresh(&mut self, at: Point, out: &mut [f64]) -> Outcome {
        if !self.standard_reaction {
            return self.reaction(at, &[], &[], out);
        }
        let mut g_q = self.take_buffer(self.layout.holonomic_q.len());
        let mut w_v = self.take_buffer(self.layout.holonomic.len());
        let mut k_v = self.take_buffer(self.layout.nonholonomic.len());
        let outcome = self
            .holonomic_q(at.t, at.q, &mut g_q)
            .and_then(|()| self.velocity_v(at.t, at.q, at.v, &g_q, &mut w_v))
            .and_then(|()| self.nonholonomic_v(at.t, at.q, at.v, &mut k_v))
            .and_then(|()| self.reaction(at, &w_v, &k_v, out));
        for buffer in [g_q, w_v, k_v] {
            self.give_buffer(buffer);
        }
        outcome
    }

    /// A zeroed buffer that goes back with [`give_buffer`](Self::give_buffer): allocated at first use only.
    pub(super) fn take_buffer(&mut self, len: usize) -> Vec<f64> {
        let mut buffer = self.buffers.pop().unwrap_or_default();
        buffer.clear();
        buffer.resize(len, 0.0);
        buffer
    }

    pub(super) fn give_buffer(&mut self, buffer: Vec<f64>) {
        self.buffers.push(buffer);
    }
}
