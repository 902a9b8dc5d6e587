//! A bead on a straight inclined wire above a plate: exact times of its bounces.
//!
//! ```text
//! x'' = -lambda sin(theta),   y'' = -g + lambda cos(theta),    0 = x sin(theta) - y cos(theta)
//! ```
//!
//! Along the wire it moves with the constant acceleration -a, a = g sin(theta). Released at the distance s0 from the plate
//! at s = x cos(theta) + y sin(theta) = 0, it bounces with restitution e at
//!
//! ```text
//! t_0 = sqrt(2 s0/a),    t_n = t_{n-1} + 2 e^n v_0/a,   v_0 = a t_0,      t_inf = t_0 (1 + 2 e/(1-e))
//! ```

use alembert::{Dims, Energy, Formulas, Scalar, State};

/// The wire, its plate and the bead, of unit mass.
#[derive(Clone, Copy, Debug)]
pub struct Bead {
    /// Gravity.
    pub gravity: f64,
    /// Inclination of the wire.
    pub angle: f64,
    /// Distance from the plate at the start.
    pub distance: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
}

impl Default for Bead {
    fn default() -> Self {
        Bead { gravity: 9.81, angle: 0.6, distance: 0.8, restitution: 0.8 }
    }
}

impl Formulas for Bead {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-self.gravity);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * self.angle.sin() - q[1] * self.angle.cos();
    }
    fn energy(&self, _: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        let kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1]);
        Some(Energy { kinetic, potential: self.gravity * q[1], ..Energy::default() })
    }
    fn holonomic_name(&self, _: usize) -> String {
        "wire".into()
    }
}

impl Bead {
    /// Distance from the plate.
    pub fn gap(&self, state: &State) -> f64 {
        state.q[0] * self.angle.cos() + state.q[1] * self.angle.sin()
    }

    /// Where it is released.
    pub fn start(&self) -> Vec<f64> {
        vec![self.distance * self.angle.cos(), self.distance * self.angle.sin()]
    }

    /// The time of bounce n = 0, 1, ...
    pub fn bounce_time(&self, n: i32) -> f64 {
        let first = (2.0 * self.distance / self.acceleration()).sqrt();
        first * (1.0 + 2.0 * (1..=n).map(|k| self.restitution.powi(k)).sum::<f64>())
    }

    /// When it comes to rest on the plate, for restitution below 1.
    pub fn rest_time(&self) -> f64 {
        let e = self.restitution;
        (2.0 * self.distance / self.acceleration()).sqrt() * (1.0 + 2.0 * e / (1.0 - e))
    }

    fn acceleration(&self) -> f64 {
        self.gravity * self.angle.sin()
    }
}
