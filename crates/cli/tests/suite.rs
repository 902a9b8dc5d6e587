//! All tests of this crate in one program: linking each file on its own takes longer than running it.
//! `cargo xtask tidy` sees to it that no file is forgotten.

// Files of tests name what they need themselves, so that each can be read alone.
#![allow(clippy::duplicate_mod)]

#[path = "chosen.rs"]
mod chosen;
#[path = "compare.rs"]
mod compare;
#[path = "gallery.rs"]
mod gallery;
#[path = "large.rs"]
mod large;
#[path = "models.rs"]
mod models;
#[path = "pages.rs"]
mod pages;
#[path = "paper4.rs"]
mod paper4;
#[path = "paper5.rs"]
mod paper5;
#[path = "reports.rs"]
mod reports;
#[path = "reproduce.rs"]
mod reproduce;
#[path = "rotations.rs"]
mod rotations;
#[path = "starts.rs"]
mod starts;
#[path = "survive.rs"]
mod survive;
#[path = "tables.rs"]
mod tables;
#[path = "through.rs"]
mod through;
#[path = "trust.rs"]
mod trust;
#[path = "verdict.rs"]
mod verdict;
#[path = "verify.rs"]
mod verify;
#[path = "words.rs"]
mod words;
#[path = "worked.rs"]
mod worked;
