//! Which way both halves of a step are solved: the cheapest that converges well.
//!
//! One matrix is for weak damping only: with gamma h D beyond a fifth of c_m M its contraction looks good while slow directions stay
//! behind. Dense systems are always solved in turn, where D Y makes up for what lags.

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::method::generalized_alpha::Coupling;

/// gamma h D / (c_m M) up to which one matrix may serve both halves.
const WEAK: f64 = 0.2;
/// A solution with more iterations than this was not easy.
const EASY: usize = 4;
/// After a solution with this many iterations the next one is made a rung higher.
const HARD: usize = 8;
/// After so many easy solutions in a row a cheaper rung is tried.
const CALM: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rung {
    One,
    Two,
    Doubled,
}

pub(super) struct Ladder {
    /// The only rung: where the user wants it, where all blocks are dense, or where there is one half.
    only: Option<Rung>,
    rung: usize,
    /// The lowest rung that the damping allows.
    lowest: usize,
    calm: usize,
}

impl Rung {
    /// The rung of a number, as in a checkpoint.
    pub fn from_number(number: usize) -> Option<Self> {
        [Rung::One, Rung::Two, Rung::Doubled].get(number).copied()
    }
}

impl Keep for Ladder {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.rung, self.lowest, self.calm)
    }
}

impl Ladder {
    /// For dense blocks or others, with two halves or one.
    pub fn new(coupling: Coupling, dense: bool, split: bool) -> Self {
        let only = match coupling {
            _ if !split => Some(Rung::One),
            Coupling::Automatic => dense.then_some(Rung::Two),
            Coupling::OneMatrix => Some(Rung::One),
            Coupling::TwoMatrices => Some(Rung::Two),
            Coupling::Doubled => Some(Rung::Doubled),
        };
        Ladder { only, rung: 0, lowest: 0, calm: 0 }
    }

    pub fn rung(&self) -> Rung {
        self.only.unwrap_or(match self.rung.max(self.lowest) {
            0 => Rung::One,
            1 => Rung::Two,
            _ => Rung::Doubled,
        })
    }

    /// Learns how strong the dampers are.
    pub fn damped(&mut self, share: f64) {
        self.lowest = usize::from(share > WEAK);
    }

    /// One rung up, if there is one.
    pub fn climb(&mut self) -> bool {
        let rung = self.rung();
        self.calm = 0;
        if self.only.is_some() || rung == Rung::Doubled {
            return false;
        }
        self.rung = rung as usize + 1;
        true
    }

    /// Learns what a solution took; whether the rung changes.
    pub fn learn(&mut self, iterations: usize) -> bool {
        let before = self.rung();
        self.calm = if iterations <= EASY { self.calm + 1 } else { 0 };
        if iterations >= HARD {
            self.climb();
        } else if self.calm >= CALM && self.rung > 0 {
            (self.calm, self.rung) = (0, self.rung - 1);
        }
        self.rung() != before
    }
}
