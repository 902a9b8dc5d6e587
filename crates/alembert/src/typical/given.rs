//! Sizes that users give.

use crate::advice::{Advised, displayed};

/// Sizes that the user knows; the others are found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenSizes {
    /// Coordinates by index in v (in q under a general rate), with their sizes.
    pub q: Vec<(usize, f64)>,
    /// Velocities by index, with their sizes.
    pub v: Vec<(usize, f64)>,
}

/// A size that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadSize {
    /// Of which variable.
    pub index: usize,
    /// The size given.
    pub size: f64,
}

impl Advised for BadSize {
    fn tell(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:e} is no typical size of variable {}", self.size, self.index)
    }

    fn hint(&self) -> Option<String> {
        Some("sizes are positive, of variables that there are".to_owned())
    }
}

displayed!(BadSize);

impl GivenSizes {
    /// The sizes themselves, if they fit a system with these numbers of coordinates and velocities.
    ///
    /// # Errors
    /// If one is not positive, or of a variable that is not there.
    pub(crate) fn checked(&self, q: usize, v: usize) -> Result<(), BadSize> {
        for (given, count) in [(&self.q, q), (&self.v, v)] {
            for &(index, size) in given {
                if index >= count || !(size > 0.0 && size.is_finite()) {
                    return Err(BadSize { index, size });
                }
            }
        }
        Ok(())
    }
}
