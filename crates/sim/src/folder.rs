//! A folder for results, in which nothing is touched that is not one's own.
//!
//! ```text
//! .alembert-SCOPE.lock     held while someone writes: two runs cannot mix; gone when nobody does
//! .alembert-SCOPE.json     the manifest: what was written, with sizes and checksums; only that is ever removed or replaced
//! .alembert-TOKEN-*.tmp    files on their way; TOKEN is drawn anew each time, the next run removes what a killed one left
//! ```
//!
//! Files appear whole or not at all, written under another name, made to last, recorded and renamed; streams grow under a name
//! that says `partial`. Whoever writes something else into the folder has a scope of his own.

mod lock;
mod manifest;

use std::cell::RefCell;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::disk::{Channel, Disk, Stream};
use crate::failure::Failure;
use lock::Lock;
use manifest::{Entry, Manifest};

/// A folder that is locked for a scope.
pub struct Folder {
    path: PathBuf,
    disk: Disk,
    scope: String,
    token: String,
    manifest: RefCell<Manifest>,
    lock: Lock,
}

/// Takes away what must not stay when the program is ended in the middle.
pub struct Cleaner {
    path: PathBuf,
    lock: PathBuf,
    token: String,
    disk: Disk,
}

impl Cleaner {
    /// Removes temporary files and the lock; from then on no file appears in the folder, and the program must end.
    pub fn clean(&self) {
        std::mem::forget(self.disk.stop());
        remove_temporaries(&self.path, &self.token);
        let _ = fs::remove_file(&self.lock);
    }
}

/// Whether a name names something in the folder itself.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0'])
}

fn remove_temporaries(path: &Path, token: &str) {
    let (Ok(entries), prefix) = (fs::read_dir(path), format!(".alembert-{token}-")) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(&prefix) && name.ends_with(".tmp")) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn work(error: io::Error) -> Failure {
    Failure::work(error.to_string())
}

impl Folder {
    /// Creates the folder if need be, locks it, tries it, and removes temporary files of who was killed.
    ///
    /// # Errors
    /// If it cannot be written to, or someone else writes to it.
    pub fn open(path: &Path, scope: &str, disk: &Disk) -> Result<Folder, Failure> {
        let refused = |error: io::Error| {
            Failure::usage(format!("cannot write to folder {}: {error}", path.display()))
                .with_hint("name a folder that exists or can be created, and that you may write to")
        };
        fs::create_dir_all(path).map_err(refused)?;
        // Two hashers with random keys.
        let random = || RandomState::new().build_hasher().finish();
        let token = format!("{:016x}{:016x}", random(), random());
        let lock = path.join(format!(".alembert-{scope}.lock"));
        let clean = |earlier: &str| remove_temporaries(path, earlier);
        let lock = Lock::take(&lock, &token, disk, clean).map_err(|held| match held {
            lock::Held::By(whom) => {
                Failure::usage(format!("another run is writing to folder {}{whom}", path.display()))
                    .with_hint("wait until it has ended, or name another folder")
            }
            lock::Held::Error(error) => refused(error),
        })?;
        let manifest = Manifest::read(&path.join(manifest_name(scope)));
        let (path, disk, scope) = (path.to_owned(), disk.clone(), scope.to_owned());
        Ok(Folder { path, disk, scope, token, manifest: RefCell::new(manifest), lock })
    }

    /// Who takes away what must not stay.
    pub fn cleaner(&self) -> Cleaner {
        let (path, token, disk) = (self.path.clone(), self.token.clone(), self.disk.clone());
        Cleaner { path, lock: self.lock.path().to_owned(), token, disk }
    }

    /// Where the folder is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a file of it is.
    pub fn place(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether there is something of this name, be it a link to nothing.
    pub fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.place(name)).is_ok()
    }

    /// Whether there is something of this name that was not written here, or was changed since.
    pub fn is_foreign(&self, name: &str) -> bool {
        self.has(name) && !self.manifest.borrow().owns(&self.path, name)
    }

    /// The names in the folder.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn names(&self) -> Result<Vec<String>, Failure> {
        let unread = |error| Failure::work(format!("cannot read folder {}: {error}", self.path.display()));
        let entries = fs::read_dir(&self.path).map_err(unread)?;
        Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
    }

    /// Refuses to write over a file that is not one's own.
    ///
    /// # Errors
    /// If there is one among these names.
    pub fn require_free<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<(), Failure> {
        match names.into_iter().find(|name| self.is_foreign(name)) {
            None => Ok(()),
            Some(name) => Err(self.refusal(name)),
        }
    }

    fn refusal(&self, name: &str) -> Failure {
        Failure::usage(format!("{} was not written by alembert, or was changed since", self.place(name).display()))
            .with_hint("move it away or name another folder; --force replaces it where the command has it")
            .with_parameter(name)
    }

    /// Removes what an earlier run wrote, all but what shall stay; and what is named besides, whosever it is.
    ///
    /// # Errors
    /// If something cannot be removed.
    pub fn clear(&self, stays: impl Fn(&str) -> bool, besides: &[String]) -> Result<(), Failure> {
        let names = self.manifest.borrow().names();
        for name in names.iter().filter(|name| !stays(name)) {
            if self.has(name) && !self.is_foreign(name) {
                self.disk.remove(&self.place(name)).map_err(work)?;
            }
            self.manifest.borrow_mut().forget(name);
        }
        for name in besides.iter().filter(|name| is_plain(name) && self.has(name)) {
            self.disk.remove(&self.place(name)).map_err(work)?;
        }
        self.write_manifest()
    }

    /// What was written and is there, but for what only a continuation needs.
    pub fn written(&self) -> Vec<String> {
        let names = self.manifest.borrow().names();
        names
            .into_iter()
            .filter(|name| self.has(name) && !name.ends_with(".spool") && !name.ends_with(".checkpoint"))
            .collect()
    }

    /// Announces files that will grow; they are this run's own from now on.
    ///
    /// # Errors
    /// If one is there and not one's own, or the manifest cannot be written.
    pub fn announce(&self, names: &[String]) -> Result<(), Failure> {
        self.require_free(names.iter().map(String::as_str))?;
        names.iter().for_each(|name| self.manifest.borrow_mut().note(Entry::growing(name)));
        self.write_manifest()
    }

    /// A new file that was announced.
    ///
    /// # Errors
    /// If it is there already, or cannot be made.
    pub fn stream(&self, name: &str) -> io::Result<Stream> {
        self.disk.create(&self.place(name))
    }

    /// An announced file as it was when it had so many bytes.
    ///
    /// # Errors
    /// If it is shorter, or cannot be opened.
    pub fn reopen(&self, name: &str, bytes: u64) -> io::Result<Stream> {
        self.disk.reopen(&self.place(name), bytes)
    }

    /// Writes one whole file and says where it is.
    ///
    /// # Errors
    /// If it cannot be written, or there is one that is not one's own.
    pub fn write(&self, name: &str, contents: &str) -> Result<PathBuf, Failure> {
        self.write_with(name, |out| out.write_all(contents.as_bytes()))
    }

    /// The same for a file that is written bit by bit.
    ///
    /// # Errors
    /// If it cannot be written, or there is one that is not one's own.
    pub fn write_with(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<PathBuf, Failure> {
        self.require_free([name])?;
        let temporary = self.temporary(name);
        let written = self.fill(&temporary, write).map_err(|error| self.blame(name, &temporary, &error));
        let moved = written.and_then(|()| self.settle(&[(temporary.clone(), name.to_owned())]));
        if moved.is_err() {
            // Best effort: the write's own error is the one to tell.
            let _ = fs::remove_file(&temporary);
        }
        moved.map(|()| self.place(name))
    }

    /// Writes several whole files; they appear together, when all of them are written.
    ///
    /// # Errors
    /// If one cannot be written, or is not one's own.
    pub fn write_all(&self, files: &[(String, String)]) -> Result<Vec<PathBuf>, Failure> {
        self.require_free(files.iter().map(|(name, _)| name.as_str()))?;
        let moves: Vec<(PathBuf, String)> =
            files.iter().map(|(name, _)| (self.temporary(name), name.clone())).collect();
        let filled = moves.iter().zip(files).try_for_each(|((temporary, name), (_, text))| {
            self.fill(temporary, |out| out.write_all(text.as_bytes()))
                .map_err(|error| self.blame(name, temporary, &error))
        });
        let moved = filled.and_then(|()| self.settle(&moves));
        if let Err(failure) = moved {
            moves.iter().for_each(|(temporary, _)| drop(fs::remove_file(temporary)));
            return Err(failure);
        }
        Ok(files.iter().map(|(name, _)| self.place(name)).collect())
    }

    /// Replaces an announced file as a whole; it may be replaced often.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn replace(&self, name: &str, contents: &[u8]) -> Result<(), Failure> {
        let temporary = self.temporary(name);
        let written = self
            .fill(&temporary, |out| out.write_all(contents))
            .and_then(|()| self.disk.rename(&temporary, &self.place(name)))
            .and_then(|()| self.disk.sync_folder(&self.path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.map_err(|error| self.blame(name, &temporary, &error))
    }

    /// Gives files their last names, when it is recorded what they are; both names belong to this run.
    ///
    /// # Errors
    /// If one cannot be renamed.
    pub fn settle(&self, moves: &[(PathBuf, String)]) -> Result<(), Failure> {
        for (from, name) in moves {
            let entry = Entry::of(from, name).map_err(|error| self.blame(name, from, &error))?;
            self.manifest.borrow_mut().note(entry);
        }
        self.write_manifest()?;
        for (from, name) in moves {
            self.disk.rename(from, &self.place(name)).map_err(work)?;
        }
        self.disk.sync_folder(&self.path).map_err(work)
    }

    /// Removes a file of one's own.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(&self, name: &str) -> Result<(), Failure> {
        if self.is_foreign(name) {
            return Ok(());
        }
        self.disk.remove(&self.place(name)).map_err(work)
    }

    /// Forgets files that are gone, and makes names last.
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub fn close(&self) -> Result<(), Failure> {
        let names = self.manifest.borrow().names();
        names.iter().filter(|name| !self.has(name)).for_each(|name| self.manifest.borrow_mut().forget(name));
        self.write_manifest()
    }

    fn write_manifest(&self) -> Result<(), Failure> {
        let name = manifest_name(&self.scope);
        let text = self.manifest.borrow().text();
        self.replace(&name, text.as_bytes())
    }

    fn fill(&self, path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut file = self.disk.create(path)?;
        write(&mut file)?;
        file.sync()
    }

    /// Errors name the file that was wanted, not that on its way.
    fn blame(&self, name: &str, temporary: &Path, error: &io::Error) -> Failure {
        let text = error.to_string().replace(&temporary.display().to_string(), &self.place(name).display().to_string());
        Failure::work(if text.starts_with("cannot ") {
            text
        } else {
            format!("cannot write {}: {text}", self.place(name).display())
        })
    }

    fn temporary(&self, name: &str) -> PathBuf {
        self.path.join(format!(".alembert-{}-{name}.tmp", self.token))
    }
}

fn manifest_name(scope: &str) -> String {
    format!(".alembert-{scope}.json")
}
