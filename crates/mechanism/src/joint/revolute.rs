//! A hinge: both origins coincide, z is common.

use super::Joint;
use crate::kit::Kit;

/// Five rows: x_i.z_j = y_i.z_j = 0 besides those of a ball; in the plane the two of a pin.
#[derive(Clone, Copy, Debug)]
pub struct Revolute;

impl Joint for Revolute {
    fn name(&self) -> &'static str {
        "revolute"
    }

    fn in_plane(&self) -> bool {
        true
    }

    fn build(&self, kit: &mut Kit) {
        kit.together();
        kit.parallel();
        kit.report_angle();
    }
}
