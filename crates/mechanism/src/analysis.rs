//! What a mechanism is, beyond its motion: rank of its constraints, freedoms, redundancy.

mod blame;
pub(crate) mod block;
pub(crate) mod dense;
mod diagnosis;
mod freedoms;
pub(crate) mod graph;
mod idle;
mod leverage;
pub(crate) mod mobility;
mod nature;
mod planar;
mod rates;

pub use blame::Blamed;
pub use diagnosis::{Diagnosis, Redundant};
pub(crate) use diagnosis::{directions, quoted};
pub use mobility::{Mobility, RedundantRow};
pub use nature::Nature;
