//! How far the steps of a damped Newton iteration go, for starts that may be far from a solution.
//!
//! ```text
//! far away        the first of s = 1, 1/2, 1/4, ... with |F(x + s d)| < (1 - 1e-4 s) |F(x)|           Armijo's rule
//! at the end      s = 1, as long as |F(x + d)| < |F(x)|/2: the rest is rounding, as for every other iteration
//! ```

use super::contraction::STILL;

/// The sufficient decrease of Armijo's rule.
const DECREASE: f64 = 1e-4;

/// One step of a damped iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Descent {
    halvings: i32,
    gain: f64,
}

impl Descent {
    /// From a point that is a solution already or not, with so many halvings at most.
    pub fn new(is_solution: bool, halvings: i32) -> Self {
        if is_solution { Descent { halvings: 0, gain: 1.0 - STILL } } else { Descent { halvings, gain: DECREASE } }
    }

    /// Shares of a step to try, in turn.
    pub fn shares(&self) -> impl Iterator<Item = f64> + use<> {
        (0..=self.halvings).map(|halving| 0.5_f64.powi(halving))
    }

    /// Whether a share of the step that leads from one size of the residual to another is worth it.
    pub fn gains(&self, share: f64, from: f64, to: f64) -> bool {
        to < (1.0 - self.gain * share) * from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_away_any_descent_gains_and_at_the_end_only_a_half() {
        let (far, end) = (Descent::new(false, 3), Descent::new(true, 3));
        assert_eq!(far.shares().collect::<Vec<_>>(), [1.0, 0.5, 0.25, 0.125]);
        assert_eq!(end.shares().collect::<Vec<_>>(), [1.0]);
        assert!(far.gains(1.0, 1.0, 0.99) && !far.gains(1.0, 1.0, 1.0));
        assert!(end.gains(1.0, 1.0, 0.49) && !end.gains(1.0, 1.0, 0.51));
        assert!(!far.gains(0.5, 1.0, f64::NAN) && !end.gains(1.0, 1.0, f64::NAN));
        // A residual of exactly zero cannot be improved on.
        assert!(!end.gains(1.0, 0.0, 0.0));
    }
}
