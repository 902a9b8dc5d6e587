//! A Hooke joint: both origins coincide, and the arms of the cross, z of both markers, are perpendicular.

use super::Joint;
use crate::kit::Kit;

/// Four rows.
#[derive(Clone, Copy, Debug)]
pub struct Universal;

impl Joint for Universal {
    fn name(&self) -> &'static str {
        "universal"
    }

    fn build(&self, kit: &mut Kit) {
        kit.together();
        kit.perpendicular("turn about the normal of the cross", 2, 2);
        kit.report_bearing("first angle", 0);
        kit.report_bearing("second angle", 1);
    }
}
