//! What a tolerance means: the error of a result, not that of a step.
//!
//! If every step is tested against tol, the error after N steps is about 0.4 tol N, and a method whose steps have errors of h^(p+1)
//! takes N ~ tol^(-1/(p+1)) of them. The error of a result then falls only as tol^(p/(p+1)). So steps must meet a finer tolerance than
//! the one that is asked for:
//!
//! ```text
//! tol of a step = max(factor tol^exponent, finest),      exponent (p+1)/p,      atol in proportion to rtol
//! ```
//!
//! | method | p | factor | exponent | finest | least rtol |
//! |---|---|---|---|---|---|
//! | generalized-alpha | 2 | 0.1 | 1.5 | 1e-12 | 1e-8 |
//! | HHT-alpha | 2 | 0.3 | 1.5 | 1e-12 | 5e-9 |
//! | variable BDF | about 5 | 0.1 | 1.2 | 1e-11 | 7e-10 |
//!
//! The factors bring the median of error / tol over smooth problems near 1. Below the finest tolerance the estimated error of a step is
//! rounding, and steps are refused for nothing. Down to a tenth of it a tolerance is accepted; the error is then a few tolerances. Below
//! that, the result says that the tolerance is not met.
//!
//! An error per unit of time (norm times the span over h) would do the same, but the steps would depend on the end of the run, and a
//! run in pieces would not be the whole run.

use crate::tolerance::Tolerance;

/// By which factor the tolerance of a step may exceed what is needed, with room for the rounding of a power.
const MISSING: f64 = 10.0 * (1.0 + 1e-6);

/// How errors of steps add up to the error of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accumulation {
    /// The tolerance of a step is this ..
    pub factor: f64,
    /// .. times this power of the tolerance of the result, ..
    pub exponent: f64,
    /// .. but not less than this, which is near rounding.
    pub finest: f64,
}

impl Accumulation {
    /// The tolerance of a result is handed to the method as it is.
    pub const NONE: Accumulation = Accumulation { factor: 1.0, exponent: 1.0, finest: 0.0 };

    /// What each step must meet for a result within `tolerance`.
    pub fn of_steps(&self, tolerance: Tolerance) -> Tolerance {
        let Tolerance { rtol, atol_q, atol_v } = tolerance;
        let share = self.wanted(rtol).max(self.finest).min(rtol) / rtol;
        Tolerance { rtol: share * rtol, atol_q: share * atol_q, atol_v: share * atol_v }
    }

    /// The least relative tolerance of a result, where that is more than `rtol`; rounded up to one digit.
    pub fn unmet(&self, rtol: f64) -> Option<f64> {
        let least = (self.finest / MISSING / self.factor).powf(1.0 / self.exponent);
        (rtol < least).then(|| {
            let decade = least.log10().floor();
            format!("{:.0}e{decade}", (least / 10f64.powf(decade)).ceil()).parse().unwrap_or(least)
        })
    }

    fn wanted(&self, rtol: f64) -> f64 {
        self.factor * rtol.powf(self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_finer_than_results_but_not_finer_than_rounding() {
        let accumulation = Accumulation { factor: 0.1, exponent: 1.5, finest: 1e-12 };
        for (rtol, of_steps) in
            [(1e-2, 1e-4), (1e-4, 1e-7), (1e-6, 1e-10), (1e-8, 1e-12), (1e-12, 1e-12), (1e-14, 1e-14)]
        {
            let found = accumulation.of_steps(Tolerance { rtol, atol_q: 10.0 * rtol, atol_v: 0.1 * rtol });
            assert!((found.rtol / of_steps - 1.0).abs() < 1e-9, "{rtol:e}: {found:?}");
            assert!((found.atol_q / of_steps - 10.0).abs() < 1e-8, "{rtol:e}: {found:?}");
            assert!((found.atol_v / of_steps - 0.1).abs() < 1e-9, "{rtol:e}: {found:?}");
        }
        assert_eq!((accumulation.unmet(1e-8), accumulation.unmet(1e-3)), (None, None));
        assert_eq!(accumulation.unmet(9e-9), Some(1e-8));
        assert_eq!(Accumulation { factor: 0.3, ..accumulation }.unmet(4.7e-9), Some(5e-9));
        assert_eq!(Accumulation { factor: 0.3, ..accumulation }.unmet(5e-9), None);
        let plain = Tolerance { rtol: 1e-14, atol_q: 1.0, atol_v: 2.0 };
        assert_eq!((Accumulation::NONE.of_steps(plain), Accumulation::NONE.unmet(1e-14)), (plain, None));
    }
}
