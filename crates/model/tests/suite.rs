//! All tests of this crate in one program: linking each file on its own takes longer than running it.
//! `cargo xtask tidy` sees to it that no file is forgotten.

// Files of tests name what they need themselves, so that each can be read alone.
#![allow(clippy::duplicate_mod)]

#[path = "evaluator.rs"]
mod evaluator;
#[path = "explain.rs"]
mod explain;
#[path = "functions.rs"]
mod functions;
#[path = "fuzz.rs"]
mod fuzz;
#[path = "impacts.rs"]
mod impacts;
#[path = "language.rs"]
mod language;
#[path = "layout.rs"]
mod layout;
#[path = "literal.rs"]
mod literal;
#[path = "mechanism_entries.rs"]
mod mechanism_entries;
#[path = "mechanisms.rs"]
mod mechanisms;
#[path = "mistakes.rs"]
mod mistakes;
#[path = "models.rs"]
mod models;
#[path = "random.rs"]
mod random;
#[path = "rotations.rs"]
mod rotations;
#[path = "sparse.rs"]
mod sparse;
#[path = "starts.rs"]
mod starts;
#[path = "states.rs"]
mod states;
#[path = "stepped_over.rs"]
mod stepped_over;
#[path = "switches.rs"]
mod switches;
#[path = "table_switches.rs"]
mod table_switches;
#[path = "tables.rs"]
mod tables;
#[path = "together.rs"]
mod together;
#[path = "worked.rs"]
mod worked;
