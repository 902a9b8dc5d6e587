//! Massless rods between two origins, of constant length where no driver makes it another one.

use super::Joint;
use crate::kit::Kit;

fn bad_length(length: f64) -> Option<String> {
    let good = length > 0.0 && length.is_finite();
    (!good).then(|| format!("its length is {length}, and must be positive"))
}

/// One row: |d| = L.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// L.
    pub length: f64,
}

impl Joint for Distance {
    fn name(&self) -> &'static str {
        "distance"
    }

    fn in_plane(&self) -> bool {
        true
    }

    fn build(&self, kit: &mut Kit) {
        kit.rod(self.length);
    }

    fn mistake(&self) -> Option<String> {
        bad_length(self.length)
    }
}

/// Two rows: a rod with a hinge about z of the first marker and a ball at the second, |d| = L and z_i.d = 0.
#[derive(Clone, Copy, Debug)]
pub struct Rod {
    /// L.
    pub length: f64,
}

impl Joint for Rod {
    fn name(&self) -> &'static str {
        "revolute-spherical"
    }

    fn build(&self, kit: &mut Kit) {
        kit.rod(self.length);
        kit.guided(2);
    }

    fn mistake(&self) -> Option<String> {
        bad_length(self.length)
    }
}
