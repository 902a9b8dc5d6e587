//! What a mechanism is, beyond its motion: rank of its constraints, freedoms, redundancy.

pub(crate) mod dense;
mod freedoms;
pub(crate) mod graph;
pub(crate) mod mobility;

pub use mobility::{Mobility, RedundantRow};
