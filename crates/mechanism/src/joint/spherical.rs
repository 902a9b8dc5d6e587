//! A ball: both origins coincide.

use super::Joint;
use crate::kit::Kit;

/// Three rows along the axes of the world; in the plane two, a pin.
#[derive(Clone, Copy, Debug)]
pub struct Spherical;

impl Joint for Spherical {
    fn name(&self) -> &'static str {
        "spherical"
    }

    fn in_plane(&self) -> bool {
        true
    }

    fn build(&self, kit: &mut Kit) {
        kit.together();
        if kit.is_planar() {
            kit.report_angle();
        }
    }
}
