//! The distance of two points, d = r_j - r_i.
//!
//! ```text
//! |d|                  gradient n = d/|d|, coupling (I - n n^T)/|d|
//! (d.d - L^2)/(2 L)    gradient d/L, coupling I/L: no square root, and the same force in the rod where |d| = L
//! d.d/2                gradient d, coupling I: nothing is special where the points coincide
//! ```

use super::Primitive;
use crate::algebra::{IDENTITY, Vector, add_matrix, difference, dot, length, outer, scaled};
use crate::expansion::{Block, Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

const PAIRS: &[(u8, u8)] = &[(0, 0), (0, 1), (1, 1)];

fn share_all(gradient: &Vector, block: impl FnOnce() -> Block, share: &mut Share) {
    if share.wants_gradient() {
        share.gradient(0, &scaled(-1.0, gradient));
        share.gradient(1, gradient);
    }
    if share.wants_couplings() {
        let block = block();
        share.couple(0, 0, block);
        share.couple(0, 1, block.scaled(-1.0));
        share.couple(1, 1, block);
    }
}

/// |r_j - r_i|. It has no value where the points coincide, since there it has no direction.
#[derive(Clone, Debug)]
pub struct Distance;

impl Primitive for Distance {
    fn couplings(&self) -> &'static [(u8, u8)] {
        PAIRS
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        let d = difference(vectors.z(1), vectors.z(0));
        let l = length(&d);
        let n = scaled(1.0 / l, &d);
        share.value(if l > 0.0 { l } else { f64::NAN });
        let curved = || {
            let mut block = IDENTITY;
            add_matrix(&mut block, -1.0, &outer(&n, &n));
            Block::Full(block).scaled(1.0 / l)
        };
        share_all(&n, curved, share);
    }

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        let d = formal::way(f, z[0], z[1]);
        let square = formal::dot(f, d, d);
        let l = f.root(square);
        let n = d.map(|d| f.quotient(d, l));
        Some(Formal { value: Some(l), gradient: vec![formal::opposite(f, n), n] })
    }
}

/// (r_j - r_i)^2/2.
#[derive(Clone, Debug)]
pub struct HalfSquare;

impl Primitive for HalfSquare {
    fn couplings(&self) -> &'static [(u8, u8)] {
        PAIRS
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        let d = difference(vectors.z(1), vectors.z(0));
        share.value(0.5 * dot(&d, &d));
        share_all(&d, || Block::Scalar(1.0), share);
    }
}

/// ((r_j - r_i)^2 - L^2)/(2 L) for a rod of length L.
#[derive(Clone, Debug)]
pub struct SquaredDistance {
    /// L, not zero.
    pub length: f64,
}

impl Primitive for SquaredDistance {
    fn couplings(&self) -> &'static [(u8, u8)] {
        PAIRS
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        let l = self.length;
        let d = difference(vectors.z(1), vectors.z(0));
        share.value((dot(&d, &d) - l * l) / (2.0 * l));
        share_all(&scaled(1.0 / l, &d), || Block::Scalar(1.0 / l), share);
    }

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        let d = formal::way(f, z[0], z[1]);
        let (square, l) = (formal::dot(f, d, d), f.constant(self.length));
        let (full, double) = (f.constant(self.length * self.length), f.constant(2.0 * self.length));
        let above = f.difference(square, full);
        let n = d.map(|d| f.quotient(d, l));
        Some(Formal { value: Some(f.quotient(above, double)), gradient: vec![formal::opposite(f, n), n] })
    }
}
