//! theta_j - theta_i of planar bodies: linear, and turns are counted by the coordinates themselves.

use super::Primitive;
use crate::expansion::{Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

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

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        let value = f.difference(z[1][2], z[0][2]);
        let gradient = [-1.0, 1.0].map(|sign| formal::constants(f, [0.0, 0.0, sign]));
        Some(Formal { value: Some(value), gradient: gradient.to_vec() })
    }
}
