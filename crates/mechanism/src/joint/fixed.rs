//! A weld: nothing moves.

use super::Joint;
use crate::kit::Kit;

/// Six rows, in the plane three.
#[derive(Clone, Copy, Debug)]
pub struct Fixed;

impl Joint for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn in_plane(&self) -> bool {
        true
    }

    fn welds(&self) -> bool {
        true
    }

    fn build(&self, kit: &mut Kit) {
        kit.together();
        kit.oriented();
    }
}
