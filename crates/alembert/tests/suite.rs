//! All tests of this crate in one program: linking each file on its own takes longer than running it.
//! `cargo xtask tidy` sees to it that no file is forgotten.

// Files of tests name what they need themselves, so that each can be read alone.
#![allow(clippy::duplicate_mod)]

#[path = "advice.rs"]
mod advice;
#[path = "alpha_control.rs"]
mod alpha_control;
#[path = "alpha_estimate.rs"]
mod alpha_estimate;
#[path = "bad_input.rs"]
mod bad_input;
#[path = "bdf.rs"]
mod bdf;
#[path = "bdf_tolerance.rs"]
mod bdf_tolerance;
#[path = "bdf_variable.rs"]
mod bdf_variable;
#[path = "checkpoint.rs"]
mod checkpoint;
#[path = "claims.rs"]
mod claims;
#[path = "conformance.rs"]
mod conformance;
#[path = "contacts.rs"]
mod contacts;
#[path = "coupling.rs"]
mod coupling;
#[path = "dead_point.rs"]
mod dead_point;
#[path = "dense_output.rs"]
mod dense_output;
#[path = "derivatives.rs"]
mod derivatives;
#[path = "derived_errors.rs"]
mod derived_errors;
#[path = "detection.rs"]
mod detection;
#[path = "driven.rs"]
mod driven;
#[path = "equilibrium.rs"]
mod equilibrium;
#[path = "events.rs"]
mod events;
#[path = "fallback.rs"]
mod fallback;
#[path = "impacts.rs"]
mod impacts;
#[path = "initial.rs"]
mod initial;
#[path = "large.rs"]
mod large;
#[path = "letter.rs"]
mod letter;
#[path = "light_hinge.rs"]
mod light_hinge;
#[path = "overflow.rs"]
mod overflow;
#[path = "ownership.rs"]
mod ownership;
#[path = "questions.rs"]
mod questions;
#[path = "random_systems.rs"]
mod random_systems;
#[path = "redundant.rs"]
mod redundant;
#[path = "rotations.rs"]
mod rotations;
#[path = "rtol.rs"]
mod rtol;
#[path = "runge_kutta.rs"]
mod runge_kutta;
#[path = "scale.rs"]
mod scale;
#[path = "size.rs"]
mod size;
#[path = "small_differences.rs"]
mod small_differences;
#[path = "solution.rs"]
mod solution;
#[path = "solver.rs"]
mod solver;
#[path = "sparse_rotations.rs"]
mod sparse_rotations;
#[path = "stepped_over.rs"]
mod stepped_over;
#[path = "summary.rs"]
mod summary;
#[path = "switches.rs"]
mod switches;
#[path = "together.rs"]
mod together;
#[path = "turning.rs"]
mod turning;
#[path = "verdict.rs"]
mod verdict;
