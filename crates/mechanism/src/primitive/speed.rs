//! u.(r_j' - r_i'): the speed of a point along a direction of a body, seen from another point.

use super::Primitive;
use crate::algebra::scaled;
use crate::expansion::{Block, Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

/// Of the direction u and the points r_i, r_j; zero for a knife edge across u. Nonholonomic.
#[derive(Clone, Debug)]
pub struct SpeedAlong;

impl Primitive for SpeedAlong {
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
