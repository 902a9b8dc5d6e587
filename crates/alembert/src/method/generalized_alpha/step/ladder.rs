//! Three ways to solve both halves of a step where D Y is not formed (large systems), each dearer than the one before:
//!
//! | rung | matrices | what lags behind by an iteration |
//! |---|---|---|
//! | One | that of the position half, two columns | gamma h D w, beta h^2 S w, E x |
//! | Two | both, in turn | beta h^2 D N Gamma x |
//! | Doubled | one of twice the size | nothing |
//!
//! One is for weak damping only: with gamma h D beyond a fifth of c_m M its contraction looks good while slow directions
//! stay behind. Dense systems are always on rung Two, where D Y makes up for what lags.

use super::Coupling;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};

/// gamma h D / (c_m M) up to which one matrix may serve both halves.
pub(super) const WEAK: f64 = 0.2;
/// Iterations beyond which a solution was not easy.
const EASY: usize = 4;
/// Iterations from which on the next solution is made a rung higher.
const HARD: usize = 8;
/// Easy solutions in a row after which a cheaper way is tried.
const CALM: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rung {
    One,
    Two,
    Doubled,
}

pub(super) struct Ladder {
    /// The only rung: where the user wants it, or where all blocks are dense.
    only: Option<Rung>,
    rung: usize,
    /// The lowest rung that the damping allows.
    lowest: usize,
    calm: usize,
}

impl Keep for Ladder {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.rung, self.lowest, self.calm)
    }
}

impl Ladder {
    pub fn new(coupling: Coupling, dense: bool) -> Self {
        let only = match coupling {
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
