//! e.(r_j - r_i): the difference of two points along an axis of the world.

use super::Primitive;
use crate::algebra::{IDENTITY, Vector, difference, dot, scaled};
use crate::expansion::{Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

/// Of the points r_i, r_j. It is linear: no couplings, so that chains of ball joints couple no bodies in the leading block.
#[derive(Clone, Debug)]
pub struct CoordinateDifference {
    /// e.
    pub axis: Vector,
}

impl Primitive for CoordinateDifference {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[]
    }

    fn components(&self, _: usize) -> [bool; 3] {
        self.axis.map(|e| e != 0.0)
    }

    fn world_axis(&self) -> Option<usize> {
        IDENTITY.iter().position(|axis| *axis == self.axis)
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        share.value(dot(&self.axis, &difference(vectors.z(1), vectors.z(0))));
        if share.wants_gradient() {
            share.gradient(0, &scaled(-1.0, &self.axis));
            share.gradient(1, &self.axis);
        }
    }

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        let (axis, d) = (formal::constants(f, self.axis), formal::way(f, z[0], z[1]));
        let value = formal::dot(f, axis, d);
        Some(Formal { value: Some(value), gradient: vec![formal::opposite(f, axis), axis] })
    }
}
