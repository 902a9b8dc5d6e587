//! Nothing but speed depends on the size of a system: what is said of a part is said of it among a thousand others, too.

#[path = "size/copies.rs"]
mod copies;
#[path = "size/forest.rs"]
mod forest;
#[path = "size/problems.rs"]
mod problems;
#[path = "size/refusals.rs"]
mod refusals;
#[path = "size/runs.rs"]
mod runs;
#[path = "size/starts.rs"]
mod starts;
