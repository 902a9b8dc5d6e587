//! All tests of this crate in one program: linking each file on its own takes longer than running it.
//! `cargo xtask tidy` sees to it that no file is forgotten.

// Files of tests name what they need themselves, so that each can be read alone.
#![allow(clippy::duplicate_mod)]

#[path = "fuzz.rs"]
mod fuzz;
#[path = "mechanisms.rs"]
mod mechanisms;
#[path = "runs.rs"]
mod runs;
#[path = "said.rs"]
mod said;
