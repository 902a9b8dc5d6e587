//! Which nodes a search has seen.

use super::Node;

/// Which nodes were seen; forgetting costs nothing.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    seen: Vec<u32>,
    round: u32,
}

impl Marks {
    pub(super) fn renew(&mut self, len: usize) {
        if self.seen.len() < len {
            self.seen.resize(len, 0);
        }
        self.round += 1;
    }

    /// Marks a node; says whether it was new.
    pub(super) fn mark(&mut self, node: Node) -> bool {
        std::mem::replace(&mut self.seen[node.index()], self.round) != self.round
    }
}
