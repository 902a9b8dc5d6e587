//! A file that the user names: written whole or not at all, and never over something else.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::words::say;

/// What our own pages and pictures contain near their beginning.
const MARK: &[u8] = b"alembert";
/// How near.
const NEAR: u64 = 4096;

/// Where a page or a picture goes.
#[derive(Clone, Debug)]
pub struct Target(PathBuf);

impl Target {
    /// A path that can be written to, and does not hold a file of others.
    pub fn new(path: &Path, force: bool) -> Result<Target, Failure> {
        let refused = |why: String| Failure::usage(format!("cannot write {}: {why}", path.display()));
        if path.is_dir() {
            return Err(refused("it is a folder".to_owned()).with_hint("name a file in it, as report.html"));
        }
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(refused("its folder does not exist".to_owned()).with_hint("create the folder first"));
        }
        if !force && path.exists() && !is_ours(path).map_err(|error| refused(error.to_string()))? {
            return Err(refused("alembert did not write the file that is there".to_owned())
                .with_hint("choose another name, or replace it with --force"));
        }
        Ok(Target(path.to_owned()))
    }

    /// How its name ends, in small letters.
    pub fn ending(&self) -> String {
        self.0.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
    }

    /// Writes everything, and says where it is.
    pub fn write(&self, contents: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Failure> {
        let name = self.0.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let unfinished = self.0.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let written = File::options().write(true).create_new(true).open(&unfinished).and_then(|file| {
            let mut out = BufWriter::new(file);
            contents(&mut out)?;
            out.flush()?;
            fs::rename(&unfinished, &self.0)
        });
        written.map_err(|error| {
            // What is left of it is of no use; that it cannot be removed either changes nothing.
            let _ = fs::remove_file(&unfinished);
            Failure::work(format!("cannot write {}: {error}", self.0.display()))
        })?;
        say!("wrote {}", self.0.display());
        Ok(())
    }
}

fn is_ours(path: &Path) -> io::Result<bool> {
    let mut beginning = Vec::new();
    File::open(path)?.take(NEAR).read_to_end(&mut beginning)?;
    Ok(beginning.is_empty() || beginning.windows(MARK.len()).any(|part| part == MARK))
}
