//! Constraints that give way: how far they are open, by the rows that they were drawn with.
//!
//! ```text
//! gap = |g|       over all rows of the constraint, those that are left included, which are zero
//! ```

use std::sync::Arc;

use alembert::{At, Quantity};

use super::{Assembly, Scratch};
use crate::expansion::Order;
use crate::row::Row;
use crate::support::Support;

/// A constraint that gives way.
#[derive(Clone, Debug)]
pub(crate) struct Loose {
    pub constraint: usize,
    pub support: Support,
    /// Its rows before it did.
    pub rows: Vec<Arc<Row>>,
    /// How far it may open.
    pub most: f64,
}

impl Assembly {
    /// Lets runs look at how far constraints open.
    pub(crate) fn look_after(&mut self, loose: impl IntoIterator<Item = Loose>) {
        self.loose.extend(loose);
        self.description.gaps = self.loose.iter().map(|loose| loose.most).collect();
        if !self.loose.is_empty() {
            self.description.supplied = self.description.supplied.with(Quantity::Gaps);
        }
    }

    /// How far constraints that give way are open.
    pub(super) fn gaps(&self, at: &At, room: &mut Scratch, out: &mut [f64]) {
        let Scratch { poses, z, row: sum, .. } = room;
        for (loose, out) in self.loose.iter().zip(out) {
            loose.support.locate(poses, z);
            let mut square = 0.0;
            for row in &loose.rows {
                row.expand(at.t, z, Order::Value, sum);
                square += sum.value * sum.value;
            }
            *out = square.sqrt();
        }
    }
}
