//! e.(p' + W * c): the speed along a tangent e of the point of a wheel that touches a plane with normal n.
//!
//! ```text
//! c = -rho m       sphere m = n;   disk m = (n - sigma u)/s,   sigma = n.u,  s = sqrt(1 - sigma^2),  u the axle
//! W.(c * e) = W.(rho e * m)        dm/du = -(u n^T + sigma I)/s + (sigma/s^2) m n^T
//! ```

use super::Primitive;
use crate::algebra::{Vector, add, cross, difference, dot, hat_times, outer, scaled};
use crate::expansion::{Block, Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

/// Of the centre p, the turn of its body, and the axle u. Nonholonomic.
#[derive(Clone, Debug)]
pub struct Rolling {
    /// e, a unit vector in the plane.
    pub tangent: Vector,
    /// n, a unit vector.
    pub normal: Vector,
    /// rho.
    pub radius: f64,
    /// Whether it is a disk; otherwise a sphere.
    pub disk: bool,
}

impl Primitive for Rolling {
    fn couplings(&self) -> &'static [(u8, u8)] {
        if self.disk { &[(1, 2)] } else { &[] }
    }

    fn components(&self, k: usize) -> [bool; 3] {
        if k == 0 { self.tangent.map(|e| e != 0.0) } else { [true; 3] }
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        if !share.wants_gradient() {
            return;
        }
        let Rolling { tangent, normal, radius, disk } = self;
        let u = vectors.z(2);
        let sigma = dot(normal, u);
        let s = (1.0 - sigma * sigma).sqrt();
        let m = if *disk { scaled(1.0 / s, &difference(normal, &scaled(sigma, u))) } else { *normal };
        share.gradient(0, tangent);
        share.gradient(1, &scaled(*radius, &cross(tangent, &m)));
        if *disk && share.wants_couplings() {
            let mut by_u = outer(u, &scaled(-1.0 / s, normal));
            (0..3).for_each(|i| {
                by_u[i][i] -= sigma / s;
                add(&mut by_u[i], sigma / (s * s) * m[i], normal);
            });
            share.couple(1, 2, Block::Full(hat_times(&scaled(*radius, tangent), &by_u)));
        }
    }

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        let (e, n) = (formal::constants(f, self.tangent), formal::constants(f, self.normal));
        let radius = f.constant(self.radius);
        let m = if self.disk {
            let (sigma, one) = (formal::dot(f, n, z[2]), f.constant(1.0));
            let square = f.product(sigma, sigma);
            let rest = f.difference(one, square);
            let (s, along) = (f.root(rest), formal::scaled(f, sigma, z[2]));
            formal::way(f, along, n).map(|m| f.quotient(m, s))
        } else {
            n
        };
        let across = formal::cross(f, e, m);
        let mut gradient = vec![e, formal::scaled(f, radius, across)];
        gradient.extend((z.len() > 2).then(|| formal::constants(f, [0.0; 3])));
        Some(Formal { value: None, gradient })
    }
}
