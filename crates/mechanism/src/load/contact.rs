//! Smooth contact of a sphere with a plane or with another sphere, after Hunt and Crossley, with friction.
//!
//! ```text
//! x penetration, n the normal towards the first body, u the velocity of the first at the contact relative to the second: x' = -n.u
//! N = k x^(3/2) max(0, 1 + 3/2 c x')                     c is about (1 - e)/v for a restitution e at the speed v
//! F = N n - mu N u_t/sqrt(u_t^2 + v_s^2)                 u_t = u - n (n.u)
//! at p_1 - rho_1 n of the first body;   U = 2/5 k x^(5/2)
//! ```
//!
//! The force and its first derivatives are continuous where bodies touch. Its second ones are not, which costs accuracy: x is a switch, so that
//! steps end there.

use alembert::Scalar;
use alembert::rotation::{cross, dot};

use super::formula::{Formula, Vectors};

/// How bodies touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// k, in N/m^(3/2).
    pub stiffness: f64,
    /// c, in s/m.
    pub damping: f64,
    /// mu.
    pub friction: f64,
    /// The slip v_s below which friction fades.
    pub speed: f64,
}

impl Contact {
    /// Elastic and smooth.
    pub fn new(stiffness: f64) -> Self {
        Contact { stiffness, damping: 0.0, friction: 0.0, speed: 1e-3 }
    }

    /// With damping.
    #[must_use]
    pub fn damping(self, damping: f64) -> Self {
        Contact { damping, ..self }
    }

    /// With friction, which fades below a slip.
    #[must_use]
    pub fn friction(self, mu: f64, speed: f64) -> Self {
        Contact { friction: mu, speed, ..self }
    }

    /// What is wrong with it.
    pub(crate) fn mistake(&self, radii: &[f64]) -> Option<String> {
        let good = |x: f64| x.is_finite() && x >= 0.0;
        let Contact { stiffness, damping, friction, speed } = *self;
        if !(good(stiffness) && good(damping) && good(friction)) {
            return Some("a contact has a stiffness, a damping and a friction that are not negative".to_owned());
        }
        if !(good(speed) && speed > 0.0) {
            return Some("friction fades below a positive speed".to_owned());
        }
        (!radii.iter().all(|r| good(*r) && *r > 0.0)).then(|| "spheres have positive radii".to_owned())
    }

    /// k x^(3/2) max(0, 1 + 3/2 c x'), continued to negative x by the other sign.
    pub(super) fn normal<S: Scalar>(&self, x: S, rate: S) -> S {
        let damped = rate * (1.5 * self.damping) + 1.0;
        // At x = 0 it is zero with its derivative, and the root has none.
        if damped.value() <= 0.0 || x.value() == 0.0 {
            return S::default();
        }
        let root = if x.value() < 0.0 { (-x).sqrt() } else { x.sqrt() };
        x * root * self.stiffness * damped
    }

    fn force<S: Scalar>(&self, x: S, n: [S; 3], u: [S; 3]) -> [S; 3] {
        let along = dot(&n, &u);
        let normal = self.normal(x, -along);
        let slip = [0, 1, 2].map(|i| u[i] - n[i] * along);
        let size = (dot(&slip, &slip) + self.speed * self.speed).sqrt();
        [0, 1, 2].map(|i| (n[i] - slip[i] * self.friction / size) * normal)
    }

    fn stored<S: Scalar>(&self, x: S) -> S {
        if x.value() > 0.0 { x * x * x.sqrt() * (0.4 * self.stiffness) } else { S::default() }
    }
}

fn minus<S: Scalar>(x: [S; 3], y: [S; 3]) -> [S; 3] {
    [0, 1, 2].map(|i| x[i] - y[i])
}

fn plus<S: Scalar>(x: [S; 3], y: [S; 3]) -> [S; 3] {
    [0, 1, 2].map(|i| x[i] + y[i])
}

/// A force at points with these arms from the vectors 0 (turn 1) and 2 (turn 3): it pushes the first, and the second back.
pub(super) fn between<S: Scalar>(force: [S; 3], arms: [[S; 3]; 2], out: &mut Vectors<S>) {
    let back = force.map(|f| -f);
    (out[0], out[1]) = (force, cross(&arms[0], &force));
    (out[2], out[3]) = (back, cross(&arms[1], &back));
}

/// The velocity of the first at these arms relative to the second.
pub(super) fn relative<S: Scalar>(rate: &Vectors<S>, arms: [[S; 3]; 2]) -> [S; 3] {
    let at = |point: usize, arm: [S; 3]| plus(rate[point], cross(&rate[point + 1], &arm));
    minus(at(0, arms[0]), at(2, arms[1]))
}

/// A sphere about vector 0 of a body with the turn 1, on the plane through vector 2 of a body with the turn 3, whose normal is 4.
#[derive(Debug)]
pub(crate) struct OnPlane {
    pub contact: Contact,
    pub radius: f64,
}

impl Formula for OnPlane {
    const VECTORS: usize = 5;
    const BY_POSITION: &'static [usize] = &[0, 2, 4];
    const BY_RATE: &'static [usize] = &[0, 1, 2, 3];
    const PULLED: &'static [usize] = &[0, 1, 2, 3];

    const TOUCHES: bool = true;

    fn depth<S: Scalar>(&self, z: &Vectors<S>) -> S {
        -dot(&z[4], &minus(z[0], z[2])) + self.radius
    }

    fn force<S: Scalar>(&self, z: &Vectors<S>, rate: &Vectors<S>, force: &mut Vectors<S>) {
        let (x, n) = (self.depth(z), z[4]);
        let down = n.map(|n| n * -self.radius);
        let arms = [down, minus(plus(z[0], down), z[2])];
        between(self.contact.force(x, n, relative(rate, arms)), arms, force);
    }

    fn potential<S: Scalar>(&self, z: &Vectors<S>) -> S {
        self.contact.stored(self.depth(z))
    }
}

/// A sphere about vector 0 of a body with the turn 1, and one about vector 2 of a body with the turn 3.
#[derive(Debug)]
pub(crate) struct OnSphere {
    pub contact: Contact,
    pub radii: [f64; 2],
}

impl OnSphere {
    /// The penetration, and the normal towards the first.
    fn meet<S: Scalar>(&self, z: &Vectors<S>) -> (S, [S; 3]) {
        let apart = minus(z[0], z[2]);
        let distance = dot(&apart, &apart).sqrt();
        (-distance + (self.radii[0] + self.radii[1]), apart.map(|x| x / distance))
    }
}

impl Formula for OnSphere {
    const VECTORS: usize = 4;
    const BY_POSITION: &'static [usize] = &[0, 2];
    const BY_RATE: &'static [usize] = &[0, 1, 2, 3];
    const PULLED: &'static [usize] = &[0, 1, 2, 3];

    const TOUCHES: bool = true;

    fn depth<S: Scalar>(&self, z: &Vectors<S>) -> S {
        self.meet(z).0
    }

    fn force<S: Scalar>(&self, z: &Vectors<S>, rate: &Vectors<S>, force: &mut Vectors<S>) {
        let (x, n) = self.meet(z);
        let down = n.map(|n| n * -self.radii[0]);
        let arms = [down, minus(plus(z[0], down), z[2])];
        between(self.contact.force(x, n, relative(rate, arms)), arms, force);
    }

    fn potential<S: Scalar>(&self, z: &Vectors<S>) -> S {
        self.contact.stored(self.meet(z).0)
    }
}
