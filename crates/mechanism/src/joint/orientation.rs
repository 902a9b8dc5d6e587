//! Joints that hold turns only.

use super::Joint;
use crate::kit::Kit;

/// Two rows: the z axes stay parallel.
#[derive(Clone, Copy, Debug)]
pub struct Parallel;

impl Joint for Parallel {
    fn name(&self) -> &'static str {
        "parallel"
    }

    fn build(&self, kit: &mut Kit) {
        kit.parallel();
        kit.report_angle();
    }
}

/// One row: the z axes stay perpendicular.
#[derive(Clone, Copy, Debug)]
pub struct Perpendicular;

impl Joint for Perpendicular {
    fn name(&self) -> &'static str {
        "perpendicular"
    }

    fn build(&self, kit: &mut Kit) {
        kit.perpendicular("turn about the common normal", 2, 2);
    }
}

/// Three rows: all axes stay parallel; in the plane one.
#[derive(Clone, Copy, Debug)]
pub struct Orientation;

impl Joint for Orientation {
    fn name(&self) -> &'static str {
        "orientation"
    }

    fn in_plane(&self) -> bool {
        true
    }

    fn build(&self, kit: &mut Kit) {
        kit.oriented();
    }
}
