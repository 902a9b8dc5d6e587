//! u.(r_j - r_i): how far a point is from another one along a direction of a body.

use super::Primitive;
use crate::algebra::{difference, dot, scaled};
use crate::expansion::{Block, Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

/// Of the direction u and the points r_i, r_j.
#[derive(Clone, Debug)]
pub struct Projection;

impl Primitive for Projection {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[(0, 1), (0, 2)]
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        let (u, d) = (vectors.z(0), difference(vectors.z(2), vectors.z(1)));
        share.value(dot(u, &d));
        if share.wants_gradient() {
            share.gradient(0, &d);
            share.gradient(1, &scaled(-1.0, u));
            share.gradient(2, u);
        }
        if share.wants_couplings() {
            share.couple(0, 1, Block::Scalar(-1.0));
            share.couple(0, 2, Block::Scalar(1.0));
        }
    }

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        let d = formal::way(f, z[1], z[2]);
        let value = formal::dot(f, z[0], d);
        let back = formal::opposite(f, z[0]);
        Some(Formal { value: Some(value), gradient: vec![d, back, z[0]] })
    }
}
