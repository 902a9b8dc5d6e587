//! The start of variable-step BDF: order 2 from the first step, with virtual points before the start.
//!
//! ```text
//! v(-s) = v - s a + s^2/2 j,      q(-s) = q - s v + s^2/2 a - s^3/6 j,   or by Simpson's rule from U under a general rate
//! mu(-s) = mu - s mu'
//! ```
//!
//! a and mu solve the acceleration level; the jerk j and mu' are a forward difference over a time in which the motion
//! stays below the tolerance, so that stiff springs are not mistaken for jerk.

use crate::acceleration::AccelerationLevel;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::method::StepFailure;
use crate::state::State;
use crate::tolerance::{Tolerance, largest};
use crate::typical::TypicalSizes;

/// Least length of the probe in units of the first step it leads to, against rounding; and in units of the longest probe, because
/// prescribed steps may be much longer than the tolerance asks for: at 1e-13 a jerk would be rounding otherwise.
const SHORTEST: f64 = 1e-6;

/// Derivatives at a start.
pub(super) struct Taylor {
    level: AccelerationLevel,
    /// q', q'' at the start.
    rate: Vec<f64>,
    curvature: Vec<f64>,
    pub jerk: Vec<f64>,
    slope_mu: Vec<f64>,
    probe: State,
    /// A good first step, or infinity where nothing accelerates.
    pub h: f64,
}

impl Keep for Taylor {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.level, self.rate, self.curvature, self.jerk, self.slope_mu, self.h)
    }
}

impl Taylor {
    pub fn new(equations: &Equations) -> Self {
        let dims = equations.dims();
        Taylor {
            level: AccelerationLevel::new(equations),
            rate: vec![0.0; dims.q],
            curvature: vec![0.0; dims.q],
            jerk: vec![0.0; dims.v],
            slope_mu: vec![0.0; dims.constraints()],
            probe: State::zero(dims),
            h: f64::INFINITY,
        }
    }

    /// Completes the start, and finds its derivatives and the first step.
    pub fn measure(
        &mut self,
        equations: &mut Equations,
        tolerance: &Tolerance,
        start: &mut State,
    ) -> Result<(), StepFailure> {
        self.level.restart();
        self.level.complete(equations, start)?;
        equations.rate(start.t, &start.q, &start.v, &mut self.rate)?;
        // As long as neither q leaves its tangent nor v its value by more than the tolerance.
        let by_v = 1.0 / tolerance.norm_v(&start.a, &start.v, equations.typical()).max(f64::MIN_POSITIVE);
        let by_q = (2.0 / tolerance.norm_v(&start.a, &start.v, equations.typical()).max(f64::MIN_POSITIVE)).sqrt();
        // Without absolute tolerances neither lengths nor times have a unit.
        let longest = if equations.typical().is_relative() {
            // A start that tells no time at all tells how far it moves.
            let TypicalSizes { q, time, .. } = equations.typical();
            let time = if time.is_finite() {
                *time
            } else {
                largest(equations.bodies(q)) / largest(equations.bodies(&self.rate))
            };
            1e-3 * if time.is_finite() && time > 0.0 { time } else { 1.0 }
        } else {
            let size = |x: &[f64]| largest(equations.bodies(x));
            let drift = 1e-3 * (1.0 + size(&start.q)) / (1e-300 + size(&self.rate).max(size(&start.v)));
            drift.min(1e-3 * (1.0 + start.t.abs()))
        };
        let d = by_v.max(SHORTEST * by_q).max(SHORTEST * longest).min(longest);
        let d = if d.is_finite() { d } else { 1e-3 };
        self.probe.assign(start);
        self.probe.t = start.t + d;
        for (v, a) in self.probe.v.iter_mut().zip(&start.a) {
            *v += d * a;
        }
        if equations.has_general_rate() {
            for (q, rate) in self.probe.q.iter_mut().zip(&self.rate) {
                *q += d * rate;
            }
            equations.rate(self.probe.t, &self.probe.q, &self.probe.v, &mut self.curvature)?;
            for (i, (c, rate)) in self.curvature.iter_mut().zip(&self.rate).enumerate() {
                *c = (*c - rate) / d;
                self.probe.q[i] += 0.5 * d * d * *c;
            }
        } else {
            self.curvature.copy_from_slice(&start.a);
            for (i, q) in self.probe.q.iter_mut().enumerate() {
                *q += d * (start.v[i] + 0.5 * d * start.a[i]);
            }
        }
        if equations.layout().is_softened() {
            // Only for slopes: whether redundant constraints agree is seen in the steps that follow.
            self.level.complete_once(equations, &mut self.probe)?;
        } else {
            self.level.complete(equations, &mut self.probe)?;
        }
        for (i, j) in self.jerk.iter_mut().enumerate() {
            *j = (self.probe.a[i] - start.a[i]) / d;
        }
        let ends = self.probe.lambda.iter().chain(&self.probe.psi).zip(start.lambda.iter().chain(&start.psi));
        for (slope, (end, begin)) in self.slope_mu.iter_mut().zip(ends) {
            *slope = (end - begin) / d;
        }
        let by_q = (2.0 / tolerance.norm_q(&self.curvature, &start.q, equations.typical())).sqrt();
        let by_v = (2.0 / tolerance.norm_v(&self.jerk, &start.v, equations.typical())).sqrt();
        self.h = 0.5 * by_q.min(by_v);
        Ok(())
    }

    /// The motion `s` before the start, into `out`.
    pub fn before(
        &mut self,
        equations: &mut Equations,
        start: &State,
        s: f64,
        out: &mut State,
    ) -> Result<(), StepFailure> {
        out.assign(start);
        out.t = start.t - s;
        if equations.has_general_rate() {
            for (part, weight) in [(0.5, 4.0), (1.0, 1.0)] {
                let s = part * s;
                for (i, v) in out.v.iter_mut().enumerate() {
                    *v = start.v[i] - s * (start.a[i] - 0.5 * s * self.jerk[i]);
                }
                for (i, q) in self.probe.q.iter_mut().enumerate() {
                    *q = start.q[i] - s * (self.rate[i] - 0.5 * s * self.curvature[i]);
                }
                let mut rate = std::mem::take(&mut self.probe.lambda);
                rate.resize(start.q.len(), 0.0);
                let rated = equations.rate(start.t - s, &self.probe.q, &out.v, &mut rate);
                for (q, rate) in out.q.iter_mut().zip(&rate) {
                    *q -= s / part * weight / 6.0 * rate;
                }
                rate.resize(start.lambda.len(), 0.0);
                self.probe.lambda = rate;
                rated?;
            }
            for (q, rate) in out.q.iter_mut().zip(&self.rate) {
                *q -= s / 6.0 * rate;
            }
        } else {
            for i in 0..out.q.len() {
                let (v, a, j) = (start.v[i], start.a[i], self.jerk[i]);
                out.q[i] = start.q[i] - s * (v - 0.5 * s * (a - s / 3.0 * j));
                out.v[i] = v - s * (a - 0.5 * s * j);
            }
        }
        for (mu, slope) in out.lambda.iter_mut().chain(&mut out.psi).zip(&self.slope_mu) {
            *mu -= s * slope;
        }
        Ok(())
    }

    /// Factorisations and solves so far.
    pub fn linear_work(&self) -> LinearWork {
        self.level.kkt.work()
    }
}
