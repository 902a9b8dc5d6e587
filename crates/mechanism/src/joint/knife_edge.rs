//! A knife edge: the origin of the second marker does not move along the x axis of that marker, seen from the first.

use super::Joint;
use crate::kit::Kit;
use crate::primitive::SlipAlong;
use crate::row::Row;

/// One nonholonomic row: x_j.(d' - W_i * d) = 0. The edge is along z in space; in the plane along y.
#[derive(Clone, Copy, Debug)]
pub struct KnifeEdge;

impl Joint for KnifeEdge {
    fn name(&self) -> &'static str {
        "knife edge"
    }

    fn in_plane(&self) -> bool {
        true
    }

    fn build(&self, kit: &mut Kit) {
        let vectors = [kit.axis(1, 0), kit.point(0), kit.point(1), kit.turn(0)];
        kit.row(Row::of("slip along x", SlipAlong, &vectors).nonholonomic());
    }
}
