//! Where a conical wheel touches a circular rail, and with what force; see the parent for the formulas.

use alembert::Scalar;

use super::{RADIUS, SPEED, SPIN};

/// Coefficient of friction.
const FRICTION: f64 = 0.12;
// Contact ellipse and creep coefficients, Poisson's ratio, shear modulus.
const E: f64 = 1.3537956;
const GG: f64 = 0.7115218;
const SIGMA: f64 = 0.28;
const SHEAR: f64 = 7.92e10;
const C11: f64 = 4.72772197;
const C22: f64 = 4.27526987;
const C23: f64 = 1.97203505;
#[allow(clippy::approx_constant)] // part of the problem's definition
const PI: f64 = 3.1415926;
/// Cone angle of the wheels, half distance of the contact points, radius of the rail head.
const CONE: f64 = 0.0262;
const HALF: f64 = 0.1506;
const RAIL: f64 = 0.06;

/// Where one wheel touches its rail.
pub(super) struct Contact<S> {
    /// +1 left, -1 right.
    side: f64,
    pub(super) sin_psi: S,
    pub(super) cos_psi: S,
    pub(super) xi: S,
    /// Radius of the wheel at xi.
    pub(super) radius: S,
    pub(super) slope: S,
    /// Height of the rail.
    pub(super) height: S,
}

/// sin and cos of yaw and roll.
pub(super) struct Attitude<S> {
    pub(super) st: S,
    pub(super) ct: S,
    pub(super) sp: S,
    pub(super) cp: S,
}

impl<S: Scalar> Attitude<S> {
    pub(super) fn new(q: &[S]) -> Self {
        let ((st, ct), (sp, cp)) = (q[3].sin_cos(), q[4].sin_cos());
        Attitude { st, ct, sp, cp }
    }
}

impl<S: Scalar> Contact<S> {
    pub(super) fn new(q: &[S], at: &Attitude<S>, side: f64) -> Self {
        let Attitude { st, ct, sp, cp } = *at;
        let cone = -side * CONE.tan();
        // b sin psi + a cos psi = c with a^2 + b^2 = rho^2: sin(psi + alpha) = c/rho, tan alpha = a/b.
        let (a, b, c) = (st * sp, ct, st * cp * cone);
        let rho = (a * a + b * b).sqrt();
        let sine = c / rho;
        let cosine = (-sine * sine + 1.0).sqrt();
        let sin_psi = (sine * b - cosine * a) / rho;
        let cos_psi = (cosine * b + sine * a) / rho;
        let slope = ((cp * cone - sp * cos_psi) * ct + sin_psi * st) / (-sp * cone - cos_psi * cp);
        // The point of the circle with that slope, measured from the middle of the rail head.
        let steep = (slope * slope + 1.0).sqrt();
        let lateral = -slope * RAIL / steep + side * (HALF + CONE.sin() * RAIL);
        // lateral = x + xi ct cp + R lean with R = RADIUS + tan(CONE) HALF + cone xi.
        let lean = ct * sp * cos_psi - st * sin_psi;
        let base = RADIUS + CONE.tan() * HALF;
        let xi = (lateral - q[0] - lean * base) / (ct * cp + lean * cone);
        let height = steep.recip() * RAIL - (RADIUS + CONE.cos() * RAIL);
        Contact { side, sin_psi, cos_psi, xi, radius: xi * cone + base, slope, height }
    }

    /// A row of G.
    pub(super) fn row(&self, at: &Attitude<S>) -> [S; 5] {
        let Attitude { st, ct, sp, cp } = *at;
        let Contact { sin_psi, cos_psi, xi, radius, slope, .. } = *self;
        [
            slope,
            S::from(-1.0),
            S::default(),
            -slope * (radius * (ct * sin_psi + cos_psi * sp * st) + cp * st * xi),
            slope * ct * (cp * cos_psi * radius - sp * xi) - cos_psi * radius * sp - cp * xi,
        ]
    }

    /// The friction force of the rail on the wheel under the multiplier `lambda`.
    pub(super) fn friction(&self, q: &[S], v: &[S], at: &Attitude<S>, lambda: S) -> [S; 3] {
        let Attitude { sp, cp, .. } = *at;
        let Contact { side, sin_psi, cos_psi, xi, radius, slope, .. } = *self;
        let cos_delta = (slope * slope + 1.0).sqrt().recip();
        let sin_delta = slope * cos_delta * side;
        let normal = -lambda / cos_delta;
        // The test set turns the yaw by 1/cos delta here.
        let (st, ct) = (q[3] / cos_delta).sin_cos();
        let spin = v[5] + SPIN;
        let drop = xi * sp - radius * cp * cos_psi;
        // Velocity of the wheel's point relative to the rail.
        let k1 = v[0]
            - spin * radius * (st * cos_psi + ct * sp * sin_psi)
            - v[3] * (radius * (st * sp * cos_psi + ct * sin_psi) + xi * st * cp)
            - v[4] * ct * drop;
        let k2 = v[1] + spin * radius * cp * sin_psi + v[4] * (xi * cp + radius * sp * cos_psi);
        let k3 = v[2] + SPEED
            - spin * radius * (ct * cos_psi - st * sp * sin_psi)
            - v[3] * (xi * ct * cp + radius * (ct * sp * cos_psi - st * sin_psi))
            + v[4] * st * drop;
        let [r1, r2, r3] = [k1 - v[0] * 2.0, k2 - v[1] * 2.0, k3 - v[2] * 2.0 - 2.0 * SPEED];
        let rolling = (r1 * r1 + r2 * r2 + r3 * r3).sqrt() * 0.5;
        // Creepages: along, across, spin.
        let along = (st * k1 + ct * k3) / rolling;
        let across = (ct * cos_delta * k1 + sin_delta * k2 * side - st * cos_delta * k3) / rolling;
        let twist = (cos_delta * v[3] - sin_delta * spin * side) / rolling;
        // Size of the contact ellipse after Hertz: curvatures 1/(2 R) of the wheel, 1/(2 rs) of the rail.
        let steep = (1.0 + CONE.tan() * CONE.tan()).sqrt();
        let curvature = (radius * steep).recip() * 0.5 + 0.5 / RAIL;
        let cube = normal.abs() * (3.0 * (1.0 - SIGMA) * E / (2.0 * PI * SHEAR * GG.sqrt())) / curvature;
        let size = (cube.ln() / 3.0).exp();
        let limit = normal * FRICTION;
        let square = size * size * SHEAR;
        let mut tx = -limit * (square * along * C11 / limit).tanh();
        let mut ty = -limit * ((square * across * C22 + square * size * twist * C23) / limit).tanh();
        let total = (tx * tx + ty * ty).sqrt();
        if total.value() > limit.value().abs() {
            tx = tx * limit.abs() / total;
            ty = ty * limit.abs() / total;
        }
        [st * tx + ct * cos_delta * ty, sin_delta * ty * side, ct * tx - st * cos_delta * ty]
    }
}
