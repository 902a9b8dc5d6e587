//! Tests that count allocations, in a program of their own with the allocator that counts them.

// Files of tests name what they need themselves, so that each can be read alone.
#![allow(clippy::duplicate_mod)]

#[path = "allocation.rs"]
mod allocation;
#[path = "bdf_kinematics.rs"]
mod bdf_kinematics;
#[path = "common/counting.rs"]
mod counting;
#[path = "dense_output_rows.rs"]
mod dense_output_rows;
#[path = "event_allocation.rs"]
mod event_allocation;
#[path = "runge_kutta_allocations.rs"]
mod runge_kutta_allocations;
