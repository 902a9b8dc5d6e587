//! The origin of the second marker stays on the z axis of the first, or in its plane of x and y.

use super::Joint;
use crate::kit::Kit;

/// Two rows: x_i.d = y_i.d = 0; in the plane one.
#[derive(Clone, Copy, Debug)]
pub struct PointOnLine;

impl Joint for PointOnLine {
    fn name(&self) -> &'static str {
        "point on line"
    }

    fn in_plane(&self) -> bool {
        true
    }

    fn build(&self, kit: &mut Kit) {
        kit.guided(0);
        if !kit.is_planar() {
            kit.guided(1);
        }
        kit.report_displacement("displacement", 2);
    }
}

/// One row: z_i.d = 0.
#[derive(Clone, Copy, Debug)]
pub struct PointOnPlane;

impl Joint for PointOnPlane {
    fn name(&self) -> &'static str {
        "point on plane"
    }

    fn build(&self, kit: &mut Kit) {
        kit.guided(2);
        kit.report_displacement("displacement x", 0);
        kit.report_displacement("displacement y", 1);
    }
}
