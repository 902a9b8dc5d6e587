//! A shaft in a sleeve: slides along z and turns about it.

use super::Joint;
use crate::kit::Kit;

/// Four rows: parallel axes, x_i.d = y_i.d = 0.
#[derive(Clone, Copy, Debug)]
pub struct Cylindrical;

impl Joint for Cylindrical {
    fn name(&self) -> &'static str {
        "cylindrical"
    }

    fn build(&self, kit: &mut Kit) {
        kit.parallel();
        kit.guided(0);
        kit.guided(1);
        kit.report_angle();
        kit.report_displacement("displacement", 2);
    }
}
