//! Draws the pictures of the documentation anew: joints, and those that `crates/cli/tests/pages.rs` finds on its pages.

use std::path::Path;
use std::process::Command;

use crate::{TaskError, joints};

/// Draws the joints, runs the models of the pages and writes what they show to docs/images.
pub fn run(root: &Path) -> Result<(), TaskError> {
    joints::run(root)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let pages = ["test", "--quiet", "--package", "alembert-cli", "--test", "suite", "--", "pages::", "gallery::"];
    let status = Command::new(cargo).current_dir(root).args(pages).env("UPDATE_PICTURES", "1").status()?;
    if status.success() { Ok(()) } else { Err("a picture could not be drawn".into()) }
}
