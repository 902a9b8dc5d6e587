//! Events against exact times: bounces, a rope, a clutch; order, double crossings, chattering; landing and limits.

#[path = "events/bounces.rs"]
mod bounces;
#[path = "events/common.rs"]
mod common;
#[path = "events/crossings.rs"]
mod crossings;
#[path = "events/faults.rs"]
mod faults;
#[path = "events/landing.rs"]
mod landing;
#[path = "events/modes.rs"]
mod modes;
