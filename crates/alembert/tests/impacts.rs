//! Impacts against the exact law: random ones, moving surfaces, corners, rotations, and what is refused.

#[path = "events/common.rs"]
mod common;
#[path = "impacts/corners.rs"]
mod corners;
#[path = "impacts/jumps.rs"]
mod jumps;
#[path = "impacts/kinds.rs"]
mod kinds;
#[path = "impacts/moving.rs"]
mod moving;
#[path = "impacts/random.rs"]
mod random;
#[path = "impacts/refusals.rs"]
mod refusals;
#[path = "impacts/rest.rs"]
mod rest;
