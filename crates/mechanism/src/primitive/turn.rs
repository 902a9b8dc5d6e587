//! theta_j - theta_i of planar bodies: linear, and turns are counted by the coordinates themselves.

use super::Primitive;
use crate::expansion::{Share, Vectors};

/// Of the turns of two planar bodies.
#[derive(Clone, Debug)]
pub struct TurnDifference;

impl Primitive for TurnDifference {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[]
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        share.value(vectors.z(1)[2] - vectors.z(0)[2]);
        if share.wants_gradient() {
            share.gradient(0, &[0.0, 0.0, -1.0]);
            share.gradient(1, &[0.0, 0.0, 1.0]);
        }
    }
}
