//! u.(r_j' - r_i' - W_i * d), d = r_j - r_i: the speed of a point along a direction, seen from a body that moves and turns.

use super::Primitive;
use crate::algebra::{cross, difference, hat, scaled};
use crate::expansion::{Block, Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

/// Of the direction u, the points r_i and r_j, and the turn of the body of r_i; zero for a knife edge across u. Nonholonomic.
///
/// Without the last term the point would be seen from r_i by someone who does not turn, and the reaction on the first body would not act where it
/// touches.
#[derive(Clone, Debug)]
pub struct SlipAlong;

impl Primitive for SlipAlong {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[(1, 0), (2, 0), (3, 0), (3, 1), (3, 2)]
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        let u = vectors.z(0);
        let d = difference(vectors.z(2), vectors.z(1));
        if share.wants_gradient() {
            share.gradient(1, &scaled(-1.0, u));
            share.gradient(2, u);
            share.gradient(3, &cross(u, &d));
        }
        if share.wants_couplings() {
            share.couple(1, 0, Block::Scalar(-1.0));
            share.couple(2, 0, Block::Scalar(1.0));
            share.couple(3, 0, Block::Full(hat(&scaled(-1.0, &d))));
            share.couple(3, 1, Block::Full(hat(&scaled(-1.0, u))));
            share.couple(3, 2, Block::Full(hat(u)));
        }
    }

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        let (zero, back) = (formal::constants(f, [0.0; 3]), formal::opposite(f, z[0]));
        let d = formal::way(f, z[1], z[2]);
        let turn = formal::cross(f, z[0], d);
        Some(Formal { value: None, gradient: vec![zero, back, z[0], turn] })
    }
}
