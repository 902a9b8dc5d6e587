//! Drag: against the motion of a point through air or water, by the square of its speed.
//!
//! ```text
//! F = -b |u| u,   u = z' - wind,   b = 1/2 density area coefficient       |u| = sqrt(u^2 + 1e-18), smooth at rest
//! ```

use alembert::Scalar;
use alembert::rotation::dot;

use super::formula::{Formula, Vectors};

/// The square of a speed that nobody sees.
const STILL: f64 = 1e-18;

/// Drag of a point, vector 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// b, in kg/m.
    pub coefficient: f64,
    /// How the air moves, in the world.
    pub wind: [f64; 3],
}

impl Drag {
    /// In still air, from b = 1/2 density area coefficient.
    pub fn new(coefficient: f64) -> Self {
        Drag { coefficient, wind: [0.0; 3] }
    }

    /// In moving air.
    #[must_use]
    pub fn wind(self, wind: [f64; 3]) -> Self {
        Drag { wind, ..self }
    }

    /// What is wrong with it.
    pub(crate) fn mistake(&self) -> Option<String> {
        let bad = !(self.coefficient.is_finite() && self.coefficient >= 0.0 && self.wind.iter().all(|x| x.is_finite()));
        bad.then(|| "drag has a coefficient that is not negative, and a wind that is finite".to_owned())
    }
}

impl Formula for Drag {
    const VECTORS: usize = 1;
    const BY_POSITION: &'static [usize] = &[];
    const BY_RATE: &'static [usize] = &[0];
    const PULLED: &'static [usize] = &[0];

    fn force<S: Scalar>(&self, _: &Vectors<S>, rate: &Vectors<S>, force: &mut Vectors<S>) {
        let u = [0, 1, 2].map(|i| rate[0][i] - self.wind[i]);
        let size = (dot(&u, &u) + STILL).sqrt();
        force[0] = u.map(|u| u * size * -self.coefficient);
    }

    /// Wind may push.
    fn is_from_outside(&self) -> bool {
        self.wind != [0.0; 3]
    }
}
