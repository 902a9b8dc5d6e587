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
    pub fn length(&self, equations: &Equations, tolerance: &Tolerance, start: &State, longest: f64) -> f64 {
        let by_q = (2.0
            / equations.space().norm(tolerance, &start.a, &start.q, equations.typical()).max(f64::MIN_POSITIVE))
        .sqrt();
        let by_v = 1.0 / tolerance.norm_v(&start.a, &start.v, equations.typical()).max(f64::MIN_POSITIVE);
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

    /// The jerk from a probe of length d.
    pub fn jerk(
        &mut self,
        equations: &mut Equations,
        level: &mut AccelerationLevel,
        start: &State,
        d: f64,
        jerk: &mut [f64],
    ) -> Result<(), AccelerationFailure> {
        self.run(equations, level, start, d)?;
        for (j, (probed, a)) in jerk.iter_mut().zip(self.a.iter().zip(&start.a)) {
            *j = (probed - a) / d;
        }
        Ok(())
    }

    /// The first step of an alpha method: its error in q grows with the jerk, in v with the snap (a second difference),
    /// and is to be a quarter of the tolerance.
    pub fn first_step(
        &mut self,
        equations: &mut Equations,
        level: &mut AccelerationLevel,
        tolerance: &Tolerance,
        start: &State,
        t_end: f64,
        alpha: f64,
    ) -> Result<f64, AccelerationFailure> {
        let longest = 0.1 * (t_end - start.t);
        let d = self.length(equations, tolerance, start, 0.01 * longest);
        self.jerk(equations, level, start, d, &mut vec![0.0; start.a.len()])?;
        let near = self.a.clone();
        self.run(equations, level, start, 2.0 * d)?;
        let (jerk, snap): (Vec<f64>, Vec<f64>) = start
            .a
            .iter()
            .zip(&near)
            .zip(&self.a)
            .map(|((a, near), far)| ((near - a) / d, (far - 2.0 * near + a) / (d * d)))
            .unzip();
        let c_q = (1.0 + 3.0 * alpha * alpha) / 12.0;
        let c_v = 1.0 / 12.0 + 0.5 * alpha * alpha;
        let (mut h, sizes) = (longest, equations.typical());
        // The velocity whose size weighs the error is that after the step: at rest there is none yet.
        for _ in 0..3 {
            for (v, (v0, a)) in self.v.iter_mut().zip(start.v.iter().zip(&start.a)) {
                *v = v0.abs() + h * a.abs();
            }
            let size = c_q * equations.space().norm(tolerance, &jerk, &start.q, sizes)
                + c_v * tolerance.norm_v(&snap, &self.v, sizes);
            h = (0.25 / size.max(f64::MIN_POSITIVE)).cbrt().min(longest);
        }
        Ok(h)
    }
}
