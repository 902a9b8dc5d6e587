//! e.z: one component of a vector in the world.

use super::Primitive;
use crate::algebra::{Vector, dot};
use crate::expansion::{Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

/// Of one vector.
#[derive(Clone, Debug)]
pub struct Component {
    /// e.
    pub axis: Vector,
}

impl Primitive for Component {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[]
    }

    fn components(&self, _: usize) -> [bool; 3] {
        self.axis.map(|e| e != 0.0)
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        share.value(dot(&self.axis, vectors.z(0)));
        if share.wants_gradient() {
            share.gradient(0, &self.axis);
        }
    }

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        let axis = formal::constants(f, self.axis);
        let value = formal::dot(f, axis, z[0]);
        Some(Formal { value: Some(value), gradient: vec![axis] })
    }
}
