//! u.w of two directions.

use super::Primitive;
use crate::algebra::dot;
use crate::expansion::{Block, Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

/// Of the directions u, w: zero where they are perpendicular.
#[derive(Clone, Debug)]
pub struct Dot;

impl Primitive for Dot {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[(0, 1)]
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        let (u, w) = (vectors.z(0), vectors.z(1));
        share.value(dot(u, w));
        if share.wants_gradient() {
            share.gradient(0, w);
            share.gradient(1, u);
        }
        if share.wants_couplings() {
            share.couple(0, 1, Block::Scalar(1.0));
        }
    }

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        let value = formal::dot(f, z[0], z[1]);
        Some(Formal { value: Some(value), gradient: vec![z[1], z[0]] })
    }
}
