//! The disk: every file operation of a result goes through here, so that tests can make any of them fail.
//!
//! ```text
//! create (never over something, never through a link)   write   sync   rename   remove   sync of the folder
//! ```
//!
//! Operations are counted. A [`Disk`] of a test fails at the one of a given number, or when so many bytes were written, as a full
//! disk does; from then on everything fails but what takes away. That of a user does what it is told.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 16;

/// What goes wrong, in a test.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// The number of the operation that fails, from 1 on.
    pub operation: Option<u64>,
    /// Bytes that there is room for.
    pub room: Option<u64>,
}

#[derive(Debug, Default)]
struct Counters {
    faults: Faults,
    /// A disk of a test does not wait until bytes last.
    is_test: bool,
    operations: AtomicU64,
    bytes: AtomicU64,
    /// Held while a file appears or changes its name, and for ever by who ends the program.
    gate: Mutex<()>,
}

/// Where files are made. Clones are the same disk.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    counters: Arc<Counters>,
}

impl Disk {
    /// One that does what it is told.
    pub fn new() -> Disk {
        Disk::default()
    }

    /// One that fails, for tests.
    pub fn failing(faults: Faults) -> Disk {
        Disk { counters: Arc::new(Counters { faults, is_test: true, ..Counters::default() }) }
    }

    /// How many operations there were.
    pub fn operations(&self) -> u64 {
        self.counters.operations.load(Ordering::Relaxed)
    }

    /// How many bytes were written.
    pub fn bytes(&self) -> u64 {
        self.counters.bytes.load(Ordering::Relaxed)
    }

    /// From now on no file appears and none changes its name, until the guard is dropped.
    pub fn stop(&self) -> MutexGuard<'_, ()> {
        self.counters.gate.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Counts an operation; fails if it is the one that shall, or if that one was before.
    pub(crate) fn operation(&self) -> io::Result<()> {
        let number = self.counters.operations.fetch_add(1, Ordering::Relaxed) + 1;
        match self.counters.faults.operation {
            Some(fails) if number >= fails => Err(io::Error::other("a fault that a test asked for")),
            _ => Ok(()),
        }
    }

    /// How many of these bytes there is room for.
    fn room(&self, bytes: usize) -> usize {
        let Some(room) = self.counters.faults.room else { return bytes };
        bytes.min(usize::try_from(room.saturating_sub(self.bytes())).unwrap_or(usize::MAX))
    }

    /// Creates a file that is not there; neither a file nor a link of this name may exist.
    ///
    /// # Errors
    /// If something of this name is there, or cannot be made.
    pub fn create(&self, path: &Path) -> io::Result<Stream> {
        let _gate = self.stop();
        let made = self.operation().and_then(|()| OpenOptions::new().write(true).create_new(true).open(path));
        Ok(Stream::new(self, path, made.map_err(|error| told("create", path, &error))?, 0))
    }

    /// Opens a file of one's own at a length it had before, to write on from there.
    ///
    /// # Errors
    /// If it is not there, shorter than that, no plain file, or cannot be cut.
    pub fn reopen(&self, path: &Path, length: u64) -> io::Result<Stream> {
        let opened = self.operation().and_then(|()| {
            if !fs::symlink_metadata(path)?.is_file() {
                return Err(io::Error::other("it is not a plain file"));
            }
            let mut file = OpenOptions::new().write(true).open(path)?;
            if file.metadata()?.len() < length {
                return Err(io::Error::other("it is shorter than when the checkpoint was written"));
            }
            file.set_len(length)?;
            io::Seek::seek(&mut file, io::SeekFrom::Start(length))?;
            Ok(file)
        });
        Ok(Stream::new(self, path, opened.map_err(|error| told("continue", path, &error))?, length))
    }

    /// Gives a file another name in one go.
    ///
    /// # Errors
    /// If it cannot.
    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let _gate = self.stop();
        self.operation().and_then(|()| fs::rename(from, to)).map_err(|error| told("write", to, &error))
    }

    /// Removes a file; it is no mistake if it is gone.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        let removed = self.operation().and_then(|()| fs::remove_file(path));
        match removed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other.map_err(|error| told("remove", path, &error)),
        }
    }

    /// Makes names in a folder last.
    ///
    /// # Errors
    /// If the disk says no.
    pub fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let waits = cfg!(unix) && !self.counters.is_test;
        let synced = self.operation().and_then(|()| if waits { File::open(path)?.sync_all() } else { Ok(()) });
        synced.map_err(|error| told("write to folder", path, &error))
    }
}

/// The same error, with what could not be done to which file.
fn told(what: &str, path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot {what} {}: {error}", path.display()))
}

/// Something that is written to from its beginning to its end, and can be made to last on the way.
pub trait Channel: Write {
    /// Makes what was written last.
    ///
    /// # Errors
    /// If the disk says no.
    fn sync(&mut self) -> io::Result<()>;
}

impl Channel for Vec<u8> {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer that knows of no disk.
pub struct Borrowed<'w>(pub &'w mut dyn Write);

impl Write for Borrowed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Channel for Borrowed<'_> {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is being written. What is still gathered when it is dropped is lost.
#[derive(Debug)]
pub struct Stream {
    disk: Disk,
    path: PathBuf,
    file: File,
    gathered: Vec<u8>,
    written: u64,
}

impl Stream {
    fn new(disk: &Disk, path: &Path, file: File, written: u64) -> Stream {
        Stream { disk: disk.clone(), path: path.to_owned(), file, gathered: Vec::new(), written }
    }

    /// Writes at another place, and goes back to the end.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn patch(&mut self, place: u64, bytes: &[u8]) -> io::Result<()> {
        self.flush()?;
        io::Seek::seek(&mut self.file, io::SeekFrom::Start(place))
            .map_err(|error| told("write", &self.path, &error))?;
        self.put(bytes)?;
        io::Seek::seek(&mut self.file, io::SeekFrom::Start(self.written))
            .map_err(|error| told("write", &self.path, &error))?;
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = self.disk.room(bytes.len());
        let mut put = self.disk.operation().and_then(|()| self.file.write_all(&bytes[..room]));
        if put.is_ok() {
            self.disk.counters.bytes.fetch_add(room as u64, Ordering::Relaxed);
            if room < bytes.len() {
                put = Err(io::ErrorKind::StorageFull.into());
            }
        }
        put.map_err(|error| told("write", &self.path, &error))
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gathered.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        self.gathered.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.gathered.is_empty() {
            let gathered = std::mem::take(&mut self.gathered);
            let put = self.put(&gathered);
            self.written += gathered.len() as u64;
            self.gathered = gathered;
            self.gathered.clear();
            put?;
        }
        Ok(())
    }
}

impl Channel for Stream {
    fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        let waits = !self.disk.counters.is_test;
        let synced = self.disk.operation().and_then(|()| if waits { self.file.sync_all() } else { Ok(()) });
        synced.map_err(|error| told("write", &self.path, &error))
    }
}
