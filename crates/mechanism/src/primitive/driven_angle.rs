//! sin(theta - f): an angle that is prescribed, or followed by a number, without counting turns.
//!
//! ```text
//! u.w,  u = y cos f - x sin f = sin(theta - f) r      u' = -y sin f - x cos f,   u'' = -u
//! ```
//!
//! Where it is zero the angle from x to w is f, or f + pi: closing chooses, with other rows for drivers (`closing/search.rs`). Near zero it is theta - f, and its multiplier a torque.

use std::sync::Arc;

use super::Primitive;
use crate::algebra::{Vector, dot, scaled, sum};
use crate::expansion::{Block, Share, Vectors};
use crate::law::TimeLaw;

/// u and u' at an angle.
fn arms(x: &Vector, y: &Vector, (s, c): (f64, f64)) -> (Vector, Vector) {
    (sum(&scaled(c, y), &scaled(-s, x)), sum(&scaled(-s, y), &scaled(-c, x)))
}

/// Of the directions x, y of one body and w of another one, with f(t).
#[derive(Clone, Debug)]
pub struct DrivenAngle {
    /// f.
    pub law: Arc<dyn TimeLaw>,
}

impl Primitive for DrivenAngle {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[(0, 2), (1, 2)]
    }

    fn expand(&self, t: f64, vectors: &Vectors, share: &mut Share) {
        let (x, y, w) = (vectors.z(0), vectors.z(1), vectors.z(2));
        let [f, f1, f2] = self.law.at(t);
        let (s, c) = f.sin_cos();
        let (u, slope) = arms(x, y, (s, c));
        let (across, along) = (dot(&u, w), dot(&slope, w));
        share.value(across);
        share.time(f1 * along, f2 * along - f1 * f1 * across);
        if share.wants_gradient() {
            share.gradient(0, &scaled(-s, w));
            share.gradient(1, &scaled(c, w));
            share.gradient(2, &u);
            share.gradient_t(0, &scaled(-f1 * c, w));
            share.gradient_t(1, &scaled(-f1 * s, w));
            share.gradient_t(2, &scaled(f1, &slope));
        }
        if share.wants_couplings() {
            share.couple(0, 2, Block::Scalar(-s));
            share.couple(1, 2, Block::Scalar(c));
        }
    }
}

/// The same where f is a number of the mechanism, the fourth vector: that number is then the angle with its turns counted.
#[derive(Clone, Debug)]
pub struct FollowedAngle;

impl Primitive for FollowedAngle {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[(0, 2), (1, 2), (0, 3), (1, 3), (2, 3), (3, 3)]
    }

    fn components(&self, k: usize) -> [bool; 3] {
        [true, k < 3, k < 3]
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        let (x, y, w) = (vectors.z(0), vectors.z(1), vectors.z(2));
        let (s, c) = vectors.z(3)[0].sin_cos();
        let (u, slope) = arms(x, y, (s, c));
        let (across, along) = (dot(&u, w), dot(&slope, w));
        share.value(across);
        if share.wants_gradient() {
            share.gradient(0, &scaled(-s, w));
            share.gradient(1, &scaled(c, w));
            share.gradient(2, &u);
            share.gradient(3, &[along, 0.0, 0.0]);
        }
        if share.wants_couplings() {
            let column = |x: Vector| Block::Full(x.map(|x| [x, 0.0, 0.0]));
            share.couple(0, 2, Block::Scalar(-s));
            share.couple(1, 2, Block::Scalar(c));
            share.couple(0, 3, column(scaled(-c, w)));
            share.couple(1, 3, column(scaled(-s, w)));
            share.couple(2, 3, column(slope));
            share.couple(3, 3, column([-across, 0.0, 0.0]));
        }
    }
}
