//! When factors are made anew: one policy for every iteration, by the numbers of a [`Refresh`].
//!
//! Old factors are tried first. Where they fail, they are not tried again for one solution, after the next failure for two, then for
//! four, up to a limit ([`Patience`]). Where they serve but cost more iterations than fresh ones did, the excess is added up until it is
//! the price of a linearisation. Fresh factors that contract badly are renewed on the way, or the problem is given up.

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};

/// When factors are renewed, as numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refresh {
    /// Contraction above which fresh factors are renewed on the way; infinite where they belong to a step and not to its iterates.
    pub again: f64,
    /// Solutions that linearise twice from the outset after once was not enough; none where the problem is then given up.
    pub rough: usize,
    /// After old factors have failed, at most so many solutions begin with fresh ones.
    pub longest_patience: usize,
    /// Whether the excess of iterations with old factors is weighed against the price of a linearisation.
    pub weighed: bool,
    /// Contraction up to which the factors of a solution serve the next one.
    pub keep: f64,
}

/// How long factors that failed are left alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patience {
    /// Solutions to come before they are tried again.
    ahead: usize,
    /// Doublings of what follows their next failure.
    doublings: usize,
}

impl Keep for Patience {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.ahead, self.doublings)
    }
}

impl Patience {
    /// Whether to try them now.
    pub fn is_over(&self) -> bool {
        self.ahead == 0
    }

    /// A solution was made without them.
    pub fn pass(&mut self) {
        self.ahead = self.ahead.saturating_sub(1);
    }

    /// They served.
    pub fn succeed(&mut self) {
        self.doublings = 0;
    }

    /// They failed.
    pub fn fail(&mut self, longest: usize) {
        self.ahead = (1 << self.doublings.min(32)).min(longest);
        self.doublings += 1;
    }

    /// They are not to be tried in the next solution.
    pub fn skip_one(&mut self) {
        self.ahead = 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_in_a_row_double_the_wait_up_to_a_limit() {
        let mut patience = Patience::default();
        for expected in [1, 2, 4, 8, 8, 8] {
            patience.fail(8);
            let mut waited = 0;
            while !patience.is_over() {
                patience.pass();
                waited += 1;
            }
            assert_eq!(waited, expected);
        }
        patience.succeed();
        patience.fail(8);
        patience.pass();
        assert!(patience.is_over());
    }
}
