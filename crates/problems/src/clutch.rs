//! Two flywheels and a dry clutch between them: slipping, or held together by a nonholonomic constraint.
//!
//! ```text
//! slipping   J1 w1' = tau(t) - c,   J2 w2' = c                        w1 > w2, c the torque the clutch can carry
//! locked     J1 w1' = tau(t) - psi, J2 w2' = psi,    0 = w1 - w2      |psi| < c
//! ```
//!
//! With the engine torque tau(t) = tau0 + tau1 t and w1(0) = w0, w2(0) = 0 the relative speed while slipping is
//! w0 + (tau0 - c) t/J1 + tau1 t^2/(2 J1) - c t/J2, and locked psi = J2 tau/(J1 + J2): the clutch slips again when
//! tau = c (J1 + J2)/J2.

use alembert::{Dims, Energy, Formulas, Scalar};

/// The clutch.
#[derive(Clone, Copy, Debug)]
pub struct Clutch {
    /// Moments of inertia.
    pub inertia: [f64; 2],
    /// What it can carry.
    pub capacity: f64,
    /// Engine torque at t = 0, and its rate.
    pub engine: [f64; 2],
    /// Speed of the engine at t = 0.
    pub speed: f64,
    /// Whether it holds.
    pub locked: bool,
}

impl Default for Clutch {
    fn default() -> Self {
        Clutch { inertia: [1.0, 2.0], capacity: 3.0, engine: [0.5, 0.8], speed: 4.0, locked: false }
    }
}

impl Formulas for Clutch {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: usize::from(self.locked) }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(self.inertia[0]), S::from(self.inertia[1]));
    }
    fn force<S: Scalar>(&self, t: S, _: &[S], _: &[S], force: &mut [S]) {
        let carried = if self.locked { 0.0 } else { self.capacity };
        force[0] = t * self.engine[1] + self.engine[0] - carried;
        force[1] = S::from(carried);
    }
    fn nonholonomic<S: Scalar>(&self, _: S, _: &[S], v: &[S], k: &mut [S]) {
        if let Some(k) = k.first_mut() {
            *k = v[0] - v[1];
        }
    }
    fn energy(&self, t: f64, _: &[f64], v: &[f64]) -> Option<Energy> {
        let kinetic = 0.5 * (self.inertia[0] * v[0] * v[0] + self.inertia[1] * v[1] * v[1]);
        let dissipation = if self.locked { 0.0 } else { self.capacity * (v[0] - v[1]) };
        let input = (self.engine[0] + self.engine[1] * t) * v[0];
        Some(Energy { kinetic, dissipation, input, ..Energy::default() })
    }
    fn nonholonomic_name(&self, _: usize) -> String {
        "clutch".into()
    }
}

impl Clutch {
    /// When both wheels run at the same speed first.
    pub fn lock_time(&self) -> f64 {
        let [j1, j2] = self.inertia;
        let [tau0, tau1] = self.engine;
        let slope = (tau0 - self.capacity) / j1 - self.capacity / j2;
        let bend = 0.5 * tau1 / j1;
        // The smaller root, without cancellation.
        -2.0 * self.speed / (slope - (slope * slope - 4.0 * bend * self.speed).sqrt())
    }

    /// When the locked clutch slips.
    pub fn slip_time(&self) -> f64 {
        let [j1, j2] = self.inertia;
        (self.capacity * (j1 + j2) / j2 - self.engine[0]) / self.engine[1]
    }
}
