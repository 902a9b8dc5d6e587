//! A table: the second body moves in the plane of x and y of the first, and turns about z.

use super::Joint;
use crate::kit::Kit;

/// Three rows: parallel axes, z_i.d = 0.
#[derive(Clone, Copy, Debug)]
pub struct Planar;

impl Joint for Planar {
    fn name(&self) -> &'static str {
        "planar"
    }

    fn build(&self, kit: &mut Kit) {
        kit.parallel();
        kit.guided(2);
        kit.report_displacement("displacement x", 0);
        kit.report_displacement("displacement y", 1);
        kit.report_angle();
    }
}
