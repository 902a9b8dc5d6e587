//! The built program, run in the root of the project.

use std::path::Path;
use std::process::{Command, Output};

/// Stdout, stderr and exit code.
pub fn alembert(arguments: &[&str]) -> (String, String, i32) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_alembert"))
        .args(arguments)
        .current_dir(root)
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(stdout), text(stderr), status.code().expect("an exit code"))
}
