//! u.(W_j - W_i): the angular velocity of a body relative to another one, about a direction.

use super::Primitive;
use crate::algebra::scaled;
use crate::expansion::{Block, Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

/// Of the direction u and the turns of two bodies. Nonholonomic.
#[derive(Clone, Debug)]
pub struct SpinDifference;

impl Primitive for SpinDifference {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[(1, 0), (2, 0)]
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        if share.wants_gradient() {
            share.gradient(1, &scaled(-1.0, vectors.z(0)));
            share.gradient(2, vectors.z(0));
        }
        if share.wants_couplings() {
            share.couple(1, 0, Block::Scalar(-1.0));
            share.couple(2, 0, Block::Scalar(1.0));
        }
    }

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        let (zero, back) = (formal::constants(f, [0.0; 3]), formal::opposite(f, z[0]));
        Some(Formal { value: None, gradient: vec![zero, back, z[0]] })
    }
}
