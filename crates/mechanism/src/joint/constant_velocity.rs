//! A joint that bends but does not twist: the shafts along z turn equally fast at any bend.
//!
//! ```text
//! x_i.y_j - y_i.x_j = 0     the block of x and y of R_i^T R_j is symmetric
//! ```

use super::Joint;
use crate::kit::Kit;
use crate::primitive::Dot;
use crate::row::Row;

/// Four rows.
#[derive(Clone, Copy, Debug)]
pub struct ConstantVelocity;

impl Joint for ConstantVelocity {
    fn name(&self) -> &'static str {
        "constant velocity"
    }

    fn build(&self, kit: &mut Kit) {
        kit.together();
        let (one, other) = ([kit.axis(0, 0), kit.axis(1, 1)], [kit.axis(0, 1), kit.axis(1, 0)]);
        let length = kit.length();
        kit.row(Row::of("twist", Dot, &one).and(-1.0, Dot, &other).times(length));
    }
}
