//! A simple tyre: a brush whose bristles slide one after the other.
//!
//! ```text
//! e_x = a * n/s,  e_y = n * e_x,  s = |a * n|      a the axle, n the normal of the road: e_x is ahead where the wheel turns about +a
//! x = rho - h/s                                    deflection: h the height of the centre; the contact is h/s below it in the wheel's plane
//! N = k x max(0, 1 + c x')
//! kappa = (w rho - v_x)/V,  tan alpha = v_y/V      V = sqrt(v_x^2 + v_0^2), v of the centre relative to the road
//! sigma = (C_x kappa, -C_y tan alpha),   tau = |sigma|/(3 mu N)
//! (F_x, F_y) = sigma (1 - tau + tau^2/3) for tau < 1,   mu N sigma/|sigma| beyond
//! ```

use alembert::Scalar;
use alembert::rotation::{cross, dot};

use super::contact::{between, relative};
use super::formula::{Formula, Vectors};

/// The square of a slip that nobody sees, beside the stiffnesses.
const NO_SLIP: f64 = 1e-24;

/// A wheel on a road. The centre is vector 0 on a body with the turn 1; the road goes through vector 2 of a body with the turn 3;
/// vector 4 is the normal of the road, 5 the axle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tyre {
    /// rho, without load.
    pub radius: f64,
    /// k, in N/m.
    pub stiffness: f64,
    /// c, in s/m.
    pub damping: f64,
    /// mu.
    pub friction: f64,
    /// C_x, the slope of the force ahead by slip, in N.
    pub slip_stiffness: f64,
    /// C_y, the slope of the side force by the slip angle, in N/rad.
    pub cornering_stiffness: f64,
    /// v_0: below this speed slips are smoothed.
    pub speed: f64,
}

impl Tyre {
    /// What is wrong with it.
    pub(crate) fn mistake(&self) -> Option<String> {
        let Tyre { radius, stiffness, damping, friction, slip_stiffness, cornering_stiffness, speed } = *self;
        let numbers = [stiffness, damping, friction, slip_stiffness, cornering_stiffness];
        if !numbers.iter().all(|x| x.is_finite() && *x >= 0.0) {
            return Some("a tyre has stiffnesses, a damping and a friction that are not negative".to_owned());
        }
        let positive = [radius, speed].iter().all(|x| x.is_finite() && *x > 0.0);
        (!positive)
            .then(|| "a tyre has a positive radius, and a positive speed below which slips are smoothed".to_owned())
    }

    /// s, and the deflection.
    fn deflection<S: Scalar>(&self, z: &Vectors<S>) -> (S, S) {
        let across = cross(&z[5], &z[4]);
        let s = dot(&across, &across).sqrt();
        let height = dot(&z[4], &[0, 1, 2].map(|i| z[0][i] - z[2][i]));
        (s, -(height / s) + self.radius)
    }

    /// Forces ahead and to the side.
    fn along<S: Scalar>(&self, normal: S, ahead: S, side: S, spin: S) -> [S; 2] {
        let speed = (ahead * ahead + self.speed * self.speed).sqrt();
        let sigma =
            [(spin * self.radius - ahead) / speed * self.slip_stiffness, side / speed * -self.cornering_stiffness];
        let unseen = NO_SLIP * (self.slip_stiffness + self.cornering_stiffness).powi(2);
        let size = (sigma[0] * sigma[0] + sigma[1] * sigma[1] + unseen).sqrt();
        let most = normal * self.friction;
        let share = if most.value() <= 0.0 {
            // Where the branch of contact is continued beyond its end, nothing rubs.
            S::default()
        } else if size.value() < 3.0 * most.value() {
            let tau = size / (most * 3.0);
            tau * tau / 3.0 - tau + 1.0
        } else {
            most / size
        };
        sigma.map(|sigma| sigma * share)
    }
}

impl Formula for Tyre {
    const VECTORS: usize = 6;
    const BY_POSITION: &'static [usize] = &[0, 2, 4, 5];
    const BY_RATE: &'static [usize] = &[0, 1, 2, 3, 4, 5];
    const PULLED: &'static [usize] = &[0, 1, 2, 3];
    const TOUCHES: bool = true;

    fn depth<S: Scalar>(&self, z: &Vectors<S>) -> S {
        self.deflection(z).1
    }

    fn force<S: Scalar>(&self, z: &Vectors<S>, rate: &Vectors<S>, force: &mut Vectors<S>) {
        let (s, x) = self.deflection(z);
        let (n, a) = (z[4], z[5]);
        let apart = [0, 1, 2].map(|i| z[0][i] - z[2][i]);
        let (height, lean) = (dot(&n, &apart), dot(&n, &a));
        // The centre and the point of the road below it.
        let motion = relative(rate, [[S::default(); 3], apart]);
        let turning = dot(&rate[4], &a) + dot(&n, &rate[5]);
        let rise = dot(&rate[4], &apart) + dot(&n, &[0, 1, 2].map(|i| rate[0][i] - rate[2][i]));
        // s' = -(n.a)(n.a)'/s, since both are units.
        let s_rate = -(lean * turning) / s;
        let x_rate = -(rise / s) + height * s_rate / (s * s);
        let damped = x_rate * self.damping + 1.0;
        if damped.value() <= 0.0 {
            return;
        }
        let normal = x * self.stiffness * damped;
        let e_x = cross(&a, &n).map(|x| x / s);
        let e_y = cross(&n, &e_x);
        let spin = dot(&a, &[0, 1, 2].map(|i| rate[1][i] - rate[3][i]));
        let [ahead, side] = self.along(normal, dot(&e_x, &motion), dot(&e_y, &motion), spin);
        let push = [0, 1, 2].map(|i| n[i] * normal + e_x[i] * ahead + e_y[i] * side);
        // Down in the plane of the wheel: -(n - a (n.a))/s, as long as h/s.
        let down = [0, 1, 2].map(|i| -(n[i] - a[i] * lean) * height / (s * s));
        between(push, [down, [0, 1, 2].map(|i| apart[i] + down[i])], force);
    }

    fn potential<S: Scalar>(&self, z: &Vectors<S>) -> S {
        let (_, x) = self.deflection(z);
        if x.value() > 0.0 { x * x * (0.5 * self.stiffness) } else { S::default() }
    }
}
