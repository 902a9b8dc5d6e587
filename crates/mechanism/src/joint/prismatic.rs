//! A guide: the second body slides along z and does not turn.

use super::Joint;
use crate::kit::Kit;

/// Five rows: parallel axes, x_i.d = y_i.d = 0, x_i.y_j = 0; in the plane two.
#[derive(Clone, Copy, Debug)]
pub struct Prismatic;

impl Joint for Prismatic {
    fn name(&self) -> &'static str {
        "prismatic"
    }

    fn in_plane(&self) -> bool {
        true
    }

    fn build(&self, kit: &mut Kit) {
        kit.oriented();
        kit.guided(0);
        if !kit.is_planar() {
            kit.guided(1);
        }
        kit.report_displacement("displacement", 2);
    }
}
