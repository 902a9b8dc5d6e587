//! Freedoms and redundancy: how many ways a mechanism can move, and which constraints follow from others.
//!
//! The configuration must be closed to rounding; the threshold of 1e-7 tells a toggle that is bent by 1e-6 from a straight one. What of it
//! stays along the motion is decided in `nature.rs`, which joint is blamed in `blame.rs`.

use std::fmt;

use alembert::{ConstrainedSystem, Redundancy};

use super::block::{Block, DEPENDENT};
use super::dense::orthonormal;
use super::nature::Nature;
use crate::mechanism::Mechanism;

/// Kept rows below this are nearly dependent.
pub(super) const NEARLY: f64 = 1e-4;

/// A constraint that follows from others.
#[derive(Clone, Debug, PartialEq)]
pub struct RedundantRow {
    /// The joint, driver or coupling.
    pub joint: String,
    /// What it prevents, in words.
    pub direction: &'static str,
    /// The others that prevent it already.
    pub follows_from: Vec<String>,
}

/// How a mechanism can move, at one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Mobility {
    /// Independent motions.
    pub freedoms: usize,
    /// Constraints that follow from others; of each combination the last joint in order.
    pub redundant: Vec<RedundantRow>,
    /// Whether they do so along all motions, not only here.
    pub everywhere: bool,
    /// Joints, drivers and couplings whose reactions are not unique: of all that do the same the smallest are reported.
    pub not_unique: Vec<String>,
    /// The smallest pivot that counts as independent: next to nothing near a singular configuration.
    pub weakest: f64,
}

impl fmt::Display for Mobility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.freedoms == 1 { "" } else { "s" };
        write!(f, "{} degree{plural} of freedom", self.freedoms)?;
        for RedundantRow { joint, direction, follows_from } in &self.redundant {
            let list: Vec<String> = follows_from.iter().map(|name| format!("`{name}`")).collect();
            let nature = if self.everywhere { "redundant" } else { "redundant, perhaps only here" };
            write!(f, "\n{nature}: `{joint}` ({direction}) follows from {}", list.join(", "))?;
        }
        if !self.not_unique.is_empty() {
            let list: Vec<String> = self.not_unique.iter().map(|name| format!("`{name}`")).collect();
            write!(f, "\nreactions that are not unique: {}", list.join(", "))?;
        }
        if self.is_shaky() {
            write!(f, "\nnearly singular: the weakest constraint is independent by {:.1e}", self.weakest)?;
        }
        Ok(())
    }
}

impl Mobility {
    /// Whether the configuration is nearly singular.
    pub fn is_shaky(&self) -> bool {
        self.weakest < NEARLY
    }
}

impl Mechanism {
    /// Freedoms and redundancy at the start, which must be [closed](Self::close).
    pub fn mobility(&self) -> Mobility {
        let weights = self.weights();
        let blocks = self.decide(&self.guess().q, &weights, DEPENDENT);
        let everywhere = blocks.iter().all(|block| self.nature(block, &weights).nature == Nature::Everywhere);
        let redundant = blocks.iter().flat_map(|block| self.redundant_rows(block)).collect();
        let weakest = blocks.iter().map(|block| block.qr.kept).fold(1.0, f64::min);
        let shared = blocks.iter().flat_map(|block| self.sharing(block));
        let not_unique = shared.map(|at| self.named()[at].to_owned()).collect();
        Mobility { freedoms: self.count_freedoms(&blocks), redundant, everywhere, not_unique, weakest }
    }

    /// How many independent motions there are.
    pub(super) fn count_freedoms(&self, blocks: &[Block]) -> usize {
        let dims = self.assembly.dims();
        let dependent: usize = blocks.iter().map(|block| block.null.rows()).sum();
        // Every number that counts turns has a row of its own and cancels out.
        dims.v + dependent - dims.constraints()
    }

    /// Where no constraint follows from others the plain equations serve, which are more accurate than those that let loads be shared.
    pub(crate) fn settle_redundancy(&mut self) {
        if self.accepts_redundancy() {
            let blocks = self.decide(&self.guess().q, &self.weights(), DEPENDENT);
            let shared = blocks.iter().any(|block| block.null.rows() > 0);
            let redundancy = if shared { Redundancy::LeastSquares } else { Redundancy::Refused };
            self.assembly.set_redundancy(redundancy);
        }
    }

    /// The rows of a block that are blamed, one by one.
    fn redundant_rows(&self, block: &Block) -> Vec<RedundantRow> {
        let names = self.named();
        let shares = self.blame(block);
        let gone: Vec<usize> = shares.iter().flat_map(|share| share.rows.iter().copied()).collect();
        let null = orthonormal(&block.null);
        let mut found = Vec::new();
        for &at in &gone {
            // The combination that has this row of all that are blamed, and no other.
            let combination = super::blame::combination(&null, &gone, at);
            let own = block.rows[at].constraint;
            let from = self.followed_from(block, &combination).into_iter().filter(|at| *at != own);
            let follows_from = from.map(|at| names[at].to_owned()).collect();
            let direction = block.rows[at].direction;
            found.push(RedundantRow { joint: names[own].to_owned(), direction, follows_from });
        }
        found
    }
}
