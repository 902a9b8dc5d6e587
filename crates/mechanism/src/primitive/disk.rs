//! n.p - rho s: how high the lowest point of a disk is above a plane through the origin.
//!
//! ```text
//! sigma = n.u,  s = sqrt(1 - sigma^2)      u the axle, s = 0 where the disk lies flat
//! gradient n; u: rho (sigma/s) n           coupling (u, u): (rho/s^3) n n^T
//! ```

use super::Primitive;
use crate::algebra::{Vector, dot, outer, scaled};
use crate::expansion::{Block, Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

/// Of the centre p and the axle u.
#[derive(Clone, Debug)]
pub struct DiskHeight {
    /// n, a unit vector in the world.
    pub normal: Vector,
    /// rho.
    pub radius: f64,
}

impl Primitive for DiskHeight {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[(1, 1)]
    }

    fn components(&self, k: usize) -> [bool; 3] {
        if k == 0 { self.normal.map(|n| n != 0.0) } else { [true; 3] }
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        let DiskHeight { normal, radius } = self;
        let sigma = dot(normal, vectors.z(1));
        let s = (1.0 - sigma * sigma).sqrt();
        share.value(dot(normal, vectors.z(0)) - radius * s);
        if share.wants_gradient() {
            share.gradient(0, normal);
            share.gradient(1, &scaled(radius * sigma / s, normal));
        }
        if share.wants_couplings() {
            let across = outer(normal, &scaled(radius / (s * s * s), normal));
            share.couple(1, 1, Block::Full(across));
        }
    }

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        let n = formal::constants(f, self.normal);
        let (sigma, one) = (formal::dot(f, n, z[1]), f.constant(1.0));
        let square = f.product(sigma, sigma);
        let rest = f.difference(one, square);
        let (s, radius) = (f.root(rest), f.constant(self.radius));
        let (height, drop) = (formal::dot(f, n, z[0]), f.product(radius, s));
        let lean = f.quotient(sigma, s);
        let lean = f.product(radius, lean);
        Some(Formal { value: Some(f.difference(height, drop)), gradient: vec![n, formal::scaled(f, lean, n)] })
    }
}
