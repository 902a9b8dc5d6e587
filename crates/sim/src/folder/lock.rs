//! The lock of a folder: a file that is locked while its owner lives, whatever ends him.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::disk::Disk;

/// Tries of a lock that is removed while it is taken.
const TRIES: usize = 100;

/// A lock that is held.
pub struct Lock {
    file: File,
    path: PathBuf,
}

/// Why there is no lock.
pub enum Held {
    /// Someone else has it: the process, in words.
    By(String),
    /// It cannot be made.
    Error(io::Error),
}

impl Lock {
    /// Takes the lock, cleans up after the token that a killed owner has left there, and then writes another one: who is killed in
    /// between leaves the old one, or none and nothing to clean up.
    pub fn take(path: &Path, token: &str, disk: &Disk, clean: impl Fn(&str)) -> Result<Lock, Held> {
        for _ in 0..TRIES {
            disk.operation().map_err(Held::Error)?;
            let mut file = open(path).map_err(Held::Error)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(Held::By(owner(&mut file))),
                Err(TryLockError::Error(error)) => return Err(Held::Error(error)),
            }
            // Its last owner may have removed it in between: then it is the lock of nobody.
            if !is_at(&file, path) {
                continue;
            }
            let mut text = String::new();
            let _ = file.read_to_string(&mut text);
            if let Some(earlier) = text.split_whitespace().next().filter(|token| is_token(token)) {
                clean(earlier);
            }
            let written = disk.operation().and_then(|()| {
                file.rewind()?;
                file.set_len(0)?;
                writeln!(file, "{token} {}", std::process::id())?;
                file.flush()
            });
            let lock = Lock { file, path: path.to_owned() };
            written.map_err(Held::Error)?;
            return Ok(lock);
        }
        Err(Held::Error(io::Error::other("its lock comes and goes")))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn open(path: &Path) -> io::Result<File> {
    match OpenOptions::new().read(true).write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made,
    }
    match fs::symlink_metadata(path) {
        Ok(known) if !known.is_file() => Err(io::Error::other(format!("{} is not a plain file", path.display()))),
        _ => OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path),
    }
}

/// Who has it, as far as it says so.
fn owner(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.read_to_string(&mut text);
    text.split_whitespace().nth(1).map(|id| format!(" (process {id})")).unwrap_or_default()
}

/// Tokens are what names of temporary files are made of: nothing else may be taken for one.
fn is_token(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether an open file is the one at a path, and no link.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    there.is_file() && (open.dev(), open.ino()) == (there.dev(), there.ino())
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is held: who waits for it finds that it is no longer there.
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}
