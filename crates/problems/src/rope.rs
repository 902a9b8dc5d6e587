//! A unit mass on a rope of unit length: a pendulum while the rope is taut, a projectile while it is slack.
//!
//! ```text
//! taut    x'' = -2 x lambda,  y'' = -g - 2 y lambda,   0 = x^2 + y^2 - 1         tension 2 lambda > 0
//! slack   x'' = 0,            y'' = -g                                           x^2 + y^2 < 1
//! ```
//!
//! Pushed at the lowest point with 2 g < u^2 < 5 g, the tension u^2 - 2 g + 3 g cos(theta) vanishes where
//! cos(theta_s) = (2 g - u^2)/(3 g). The parabola osculates the circle there, so that x^2 + y^2 - 1 along it is
//! (g/2)^2 t^4 - g v_y t^3: the rope catches after 4 v_y/g. The radial velocity is then lost.
//!
//! [`swing_time`] is the time a pendulum takes between two angles, by quadrature of its energy integral.

use alembert::{Dims, Energy, Formulas, Scalar};

/// The rope.
#[derive(Clone, Copy, Debug)]
pub struct Rope {
    /// Gravity.
    pub gravity: f64,
    /// Whether it pulls.
    pub taut: bool,
}

impl Formulas for Rope {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: usize::from(self.taut), psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-self.gravity);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        if let Some(g) = g.first_mut() {
            *g = q[0] * q[0] + q[1] * q[1] - 1.0;
        }
    }
    fn energy(&self, _: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        let kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1]);
        Some(Energy { kinetic, potential: self.gravity * q[1], ..Energy::default() })
    }
    fn holonomic_name(&self, _: usize) -> String {
        "rope".into()
    }
}

/// What becomes of a push: exact times and the velocities at the catch.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// When the rope goes slack.
    pub slack: f64,
    /// When it catches.
    pub catch: f64,
    /// Where it catches.
    pub q: [f64; 2],
    /// The velocity before it catches.
    pub v: [f64; 2],
}

/// The motion after a push u at the lowest point, 2 g < u^2 < 5 g.
pub fn push(gravity: f64, u: f64) -> Loop {
    let g = gravity;
    let cos = (2.0 * g - u * u) / (3.0 * g);
    let theta = cos.acos();
    let slack = swing_time(g, u, 0.0, theta);
    let (sin, speed) = (theta.sin(), (-g * cos).sqrt());
    let (x, y, vx, vy) = (sin, -cos, speed * cos, speed * sin);
    let d = 4.0 * vy / g;
    Loop { slack, catch: slack + d, q: [x + vx * d, y + vy * d - 0.5 * g * d * d], v: [vx, vy - g * d] }
}

/// The time in which a unit pendulum that passes its lowest point with speed u swings from one angle to another, both on
/// its way up and below its turning point.
pub fn swing_time(gravity: f64, u: f64, from: f64, to: f64) -> f64 {
    // Simpson's rule; the integrand is smooth away from the turning point.
    const PANELS: usize = 4000;
    let rate = |theta: f64| 1.0 / (u * u - 2.0 * gravity * (1.0 - theta.cos())).sqrt();
    simpson(PANELS, from, to, rate)
}

/// The time a unit pendulum takes from an angle to its turning point at `top`, from rest there: with
/// sin(theta/2) = k sin(phi) the integrand stays smooth.
pub fn turning_time(gravity: f64, top: f64, angle: f64) -> f64 {
    let k = (0.5 * top).sin();
    let phi = ((0.5 * angle).sin() / k).asin();
    let rate = |phi: f64| 1.0 / (gravity * (1.0 - (k * phi.sin()).powi(2))).sqrt();
    simpson(4000, phi, std::f64::consts::FRAC_PI_2, rate)
}

fn simpson(panels: usize, from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let d = (to - from) / panels as f64;
    let sum: f64 = (0..panels)
        .map(|i| {
            let x = from + d * i as f64;
            f(x) + 4.0 * f(x + 0.5 * d) + f(x + d)
        })
        .sum();
    sum * d / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rope_catches_on_the_circle() {
        let motion = push(9.81, 6.0);
        let [x, y] = motion.q;
        assert!((x * x + y * y - 1.0).abs() < 1e-13);
        let [vx, vy] = motion.v;
        assert!(x * vx + y * vy > 0.0, "it is pulled");
    }

    #[test]
    fn quarter_period_is_an_elliptic_integral() {
        // K(k^2 = 1/2).
        assert!((turning_time(1.0, std::f64::consts::FRAC_PI_2, 0.0) - 1.854_074_677_301_371_9).abs() < 1e-13);
    }
}
