//! The position half's matrix for both halves: the cheapest way, for weak damping. Without a difference half it is all there is.

use super::{Numbers, Way, factor_position};
use crate::checkpoint::{Archive, BadCheckpoint, Keep};
use crate::linear::{Kkt, LinearWork, Singular};
use crate::method::generalized_alpha::step::blocks::Blocks;

pub(super) struct OneMatrix {
    position: Kkt,
}

impl OneMatrix {
    pub fn new(position: Kkt) -> Self {
        OneMatrix { position }
    }
}

impl Keep for OneMatrix {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.position.keep(archive)
    }
}

impl Way for OneMatrix {
    fn needs_gamma(&self) -> bool {
        false
    }

    fn factor(&mut self, step: &Numbers, blocks: &Blocks) -> Result<(), Singular> {
        factor_position(&mut self.position, step, blocks, &[])
    }

    fn correct(&mut self, step: &Numbers, _: &Blocks, tilde: &mut [f64], plain: &mut [f64]) {
        if step.split {
            self.position.solve_two(tilde, plain);
        } else {
            self.position.solve(tilde);
            plain.copy_from_slice(tilde);
        }
    }

    fn position(&mut self) -> &mut Kkt {
        &mut self.position
    }

    fn work(&self) -> LinearWork {
        self.position.work()
    }
}
