//! Folders of tests.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder of a test's own, which is not there yet.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}
