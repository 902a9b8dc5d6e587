//! The derivatives of a system: supplied by it, or completed by differences.

use super::{Equations, NotFinite};
use crate::system::{At, Dims, Point, Quantity};

type Outcome = Result<(), NotFinite>;

/// A sum below this share of its terms is their rounding.
const CANCELLED: f64 = 4.0 * f64::EPSILON;

impl Equations<'_> {
    /// G = g_q, lambda by tangent.
    pub fn holonomic_q(&mut self, t: f64, q: &[f64], out: &mut [f64]) -> Outcome {
        self.value(Quantity::HolonomicQ, &At { t, q, ..At::default() }, out)
    }

    /// g_t.
    pub fn holonomic_t(&mut self, t: f64, q: &[f64], out: &mut [f64]) -> Outcome {
        self.value(Quantity::HolonomicT, &At { t, q, ..At::default() }, out)
    }

    /// The velocity constraints g_t + G q', from G.
    pub fn velocity(&mut self, t: f64, q: &[f64], v: &[f64], g_q: &[f64], out: &mut [f64]) -> Outcome {
        self.holonomic_t(t, q, out)?;
        self.add_turning(t, q, v, g_q, out)
    }

    /// Adds G q' to g_t, for those who have asked for g_t together with others.
    pub(crate) fn add_turning(&mut self, t: f64, q: &[f64], v: &[f64], g_q: &[f64], out: &mut [f64]) -> Outcome {
        if out.is_empty() {
            return Ok(());
        }
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
    pub(super) fn velocity_afresh(&mut self, at: &At, out: &mut [f64]) -> Outcome {
        if self.knows_steps_along_motion() {
            return self.along_motion(at, out);
        }
        let At { t, q, v, .. } = *at;
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
        if let Some(chart) = self.chart.as_mut().filter(|_| self.charted) {
            out.copy_from_slice(g_q);
            chart.turn_back(q, &self.layout.holonomic_q, out);
            self.evaluations.add(Quantity::RateV, 1);
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
                // A sum that cancels to rounding is zero: a constraint that the kinematics keep by themselves has no derivative, and the
                // rounding that is left of it has no meaning as a direction.
                *out = if sum.abs() > CANCELLED * terms { sum } else { 0.0 };
            }
        }
        self.give_buffer(u_v);
        outcome
    }

    /// U_v, q by v.
    pub fn rate_v(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        self.value(Quantity::RateV, &At::new(t, q, v), out)
    }

    /// U_q, q by q; only under a general rate.
    pub fn rate_q(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        self.value(Quantity::RateQ, &At::new(t, q, v), out)
    }

    /// Gamma = d/dq (g_t + G q'), lambda by tangent.
    pub fn velocity_q(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        self.value(Quantity::HolonomicVelocityQ, &At::new(t, q, v), out)
    }

    /// K = k_v, psi by v.
    pub fn nonholonomic_v(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        self.value(Quantity::NonholonomicV, &At::new(t, q, v), out)
    }

    /// k_q, psi by tangent.
    pub fn nonholonomic_q(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        self.value(Quantity::NonholonomicQ, &At::new(t, q, v), out)
    }

    /// The time derivative of (g_t + G q' ; k) at v' = 0, so that consistent accelerations satisfy C a = -bias.
    pub fn bias(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        let (holonomic, nonholonomic) = out.split_at_mut(self.dims.lambda);
        self.value(Quantity::HolonomicBias, &At::new(t, q, v), holonomic)?;
        self.value(Quantity::NonholonomicBias, &At::new(t, q, v), nonholonomic)
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
        self.value(Quantity::ReactionLambda, &at.into(), by_lambda)?;
        self.value(Quantity::ReactionPsi, &at.into(), by_psi)
    }

    /// d/dq (M a), v by tangent.
    pub fn mass_q(&mut self, t: f64, q: &[f64], a: &[f64], out: &mut [f64]) -> Outcome {
        if self.has_constant_mass {
            out.fill(0.0);
            return Ok(());
        }
        self.value(Quantity::MassQ, &At { t, q, a, ..At::default() }, out)
    }

    /// f_q, v by tangent.
    pub fn force_q(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        self.value(Quantity::ForceQ, &At::new(t, q, v), out)
    }

    /// f_v, v by v.
    pub fn force_v(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Outcome {
        self.value(Quantity::ForceV, &At::new(t, q, v), out)
    }

    /// r_q, v by tangent.
    pub fn reaction_q(&mut self, at: Point, out: &mut [f64]) -> Outcome {
        if self.dims.constraints() == 0 {
            out.fill(0.0);
            return Ok(());
        }
        self.value(Quantity::ReactionQ, &at.into(), out)
    }

    /// r_v, v by v.
    pub fn reaction_v(&mut self, at: Point, out: &mut [f64]) -> Outcome {
        if !self.reaction_sees_velocities() {
            out.fill(0.0);
            return Ok(());
        }
        self.value(Quantity::ReactionV, &at.into(), out)
    }

    /// Whether reactions may depend on v: the standard one of holonomic constraints does not where q' = v.
    pub fn reaction_sees_velocities(&self) -> bool {
        self.dims.constraints() > 0 && !(self.standard_reaction && self.dims.psi == 0 && !self.general_rate)
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
