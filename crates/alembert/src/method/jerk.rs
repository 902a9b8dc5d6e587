//! The rate of change of the consistent acceleration at a start, by a short forward difference.
//!
//! The probe moves by less than the tolerance: a longer one would swing stiff springs off their balance and read their
//! force as jerk. It goes forward only, so it never crosses an event at the start.

use crate::acceleration::{AccelerationFailure, AccelerationLevel};
use crate::equations::Equations;
use crate::state::State;
use crate::tolerance::Tolerance;

/// Relative floor of the probe, against rounding.
const SHORTEST: f64 = 1e-6;

/// Buffers of the probe.
pub(super) struct Probe {
    q: Vec<f64>,
    v: Vec<f64>,
    dx: Vec<f64>,
    mu: Vec<f64>,
    /// The acceleration at the probe's end.
    pub a: Vec<f64>,
}

impl Probe {
    pub fn new(equations: &Equations) -> Self {
        let dims = equations.dims();
        Probe {
            q: vec![0.0; dims.q],
            v: vec![0.0; dims.v],
            dx: vec![0.0; dims.v],
            mu: vec![0.0; dims.constraints()],
            a: vec![0.0; dims.v],
        }
    }

    /// Length of a probe during which the motion stays below the tolerance, but at most `longest`.
    pub fn length(&self, tolerance: &Tolerance, start: &State, longest: f64) -> f64 {
        let by_q = (2.0 / tolerance.norm_q(&start.a, &start.q).max(f64::MIN_POSITIVE)).sqrt();
        let by_v = 1.0 / tolerance.norm_v(&start.a, &start.v).max(f64::MIN_POSITIVE);
        by_q.min(by_v).clamp(SHORTEST * longest, longest)
    }

    /// State and consistent acceleration at t + d along the parabola through the start.
    pub fn run(
        &mut self,
        equations: &mut Equations,
        level: &mut AccelerationLevel,
        start: &State,
        d: f64,
    ) -> Result<(), AccelerationFailure> {
        for (i, dx) in self.dx.iter_mut().enumerate() {
            *dx = d * (start.v[i] + 0.5 * d * start.a[i]);
            self.v[i] = start.v[i] + d * start.a[i];
        }
        equations.advance(&start.q, &self.dx, &mut self.q);
        self.a.copy_from_slice(&start.a);
        let (lambda, psi) = self.mu.split_at_mut(start.lambda.len());
        lambda.copy_from_slice(&start.lambda);
        psi.copy_from_slice(&start.psi);
        level.solve(equations, start.t + d, &self.q, &self.v, &mut self.a, &mut self.mu)
    }
}
