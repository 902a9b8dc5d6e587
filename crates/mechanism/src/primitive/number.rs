//! x: a number of the mechanism.

use super::Primitive;
use crate::expansion::{Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

/// The first component of one vector.
#[derive(Clone, Debug)]
pub struct Number;

impl Primitive for Number {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[]
    }

    fn components(&self, _: usize) -> [bool; 3] {
        [true, false, false]
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        share.value(vectors.z(0)[0]);
        if share.wants_gradient() {
            share.gradient(0, &[1.0, 0.0, 0.0]);
        }
    }

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        Some(Formal { value: Some(z[0][0]), gradient: vec![formal::constants(f, [1.0, 0.0, 0.0])] })
    }
}
