//! The page of reports: its sources give the file that is checked in, and it works in a real browser, with pages that the program writes.

use std::path::{Path, PathBuf};

use crate::TaskError;
use crate::machine::{answers, call, install};

/// Where a Chromium may be; `CHROMIUM` names another one.
const BROWSERS: [&str; 3] = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/// Models whose reports are opened: in the plane, in space, with events, of equations.
const MODELS: [&str; 4] = ["mechanisms/four_bar", "mechanisms/gyroscope", "bouncing_pendulum", "pendulum"];

/// Installs what is missing, builds the page, and runs its tests.
pub fn run(root: &Path) -> Result<(), TaskError> {
    let viewer = root.join("viewer");
    if !answers("npm", &["--version"]) {
        install(&["nodejs", "npm"], "see nodejs.org")?;
    }
    let known = std::env::var_os("CHROMIUM").map(PathBuf::from).into_iter().chain(BROWSERS.map(PathBuf::from));
    if !known.into_iter().any(|path| path.exists()) {
        install(&["chromium"], "name a Chromium in CHROMIUM")?;
    }
    call(&viewer, "npm", &["ci", "--no-audit", "--no-fund"])?;
    let pages = viewer.join("test/out/pages");
    std::fs::create_dir_all(&pages)?;
    // Building it for itself would choose other features, and build everything again.
    let program = std::env::current_exe()?.with_file_name("alembert");
    let program = program.to_str().ok_or("the path of the program is not text")?;
    for model in MODELS {
        let file = format!("models/{model}.toml");
        let page = pages.join(format!("{}.html", model.rsplit('/').next().unwrap_or(model)));
        let page = page.to_string_lossy();
        call(root, program, &["run", &file, "--quiet", "--report", &page])?;
    }
    call(&viewer, "npm", &["test"])
}
