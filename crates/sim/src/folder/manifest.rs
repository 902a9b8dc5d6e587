//! What alembert wrote into a folder: names, sizes and checksums. Only that is its own.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use serde_json::{Value, json};

use super::is_plain;
use crate::record::bytes::checksum;

/// Of larger files the checksum is that of so many bytes at both ends.
const ENDS: u64 = 1 << 19;

/// A file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    name: String,
    /// Bytes and their checksum; nothing of a file that grows.
    known: Option<(u64, u64)>,
}

impl Entry {
    /// A file that grows.
    pub fn growing(name: &str) -> Entry {
        Entry { name: name.to_owned(), known: None }
    }

    /// A file as it is, which will have another name.
    pub fn of(path: &Path, name: &str) -> io::Result<Entry> {
        Ok(Entry { name: name.to_owned(), known: Some(look(path)?) })
    }
}

/// Bytes and checksum of a file.
fn look(path: &Path) -> io::Result<(u64, u64)> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    if size <= 2 * ENDS {
        file.read_to_end(&mut bytes)?;
    } else {
        Read::by_ref(&mut file).take(ENDS).read_to_end(&mut bytes)?;
        file.seek(SeekFrom::Start(size - ENDS))?;
        file.take(ENDS).read_to_end(&mut bytes)?;
    }
    Ok((size, checksum(&bytes)))
}

/// All files. A name may have two entries while one file takes the place of another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    entries: Vec<Entry>,
}

impl Manifest {
    /// The one in a folder; an empty one if there is none, or none that can be read.
    pub fn read(path: &Path) -> Manifest {
        let plain = fs::symlink_metadata(path).is_ok_and(|known| known.is_file());
        let text = fs::read_to_string(path).ok().filter(|_| plain);
        let told: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
        let files = told.as_ref().and_then(|told| told["files"].as_array()).cloned().unwrap_or_default();
        let entries = files.iter().filter_map(|file| {
            let name = file["name"].as_str().filter(|name| is_plain(name))?.to_owned();
            let sum = file["sum"].as_str().and_then(|sum| u64::from_str_radix(sum, 16).ok());
            Some(Entry { name, known: file["bytes"].as_u64().zip(sum) })
        });
        Manifest { entries: entries.collect() }
    }

    /// As it is in the folder.
    pub fn text(&self) -> String {
        let files: Vec<Value> = self
            .entries
            .iter()
            .map(|Entry { name, known }| match known {
                Some((bytes, sum)) => json!({ "name": name, "bytes": bytes, "sum": format!("{sum:016x}") }),
                None => json!({ "name": name, "growing": true }),
            })
            .collect();
        let program = concat!("alembert ", env!("CARGO_PKG_VERSION"));
        format!("{:#}\n", json!({ "program": program, "files": files }))
    }

    /// Adds a file; one of the same name may still be there.
    pub fn note(&mut self, entry: Entry) {
        let known: Vec<usize> = (0..self.entries.len()).filter(|i| self.entries[*i].name == entry.name).collect();
        if let [first, .., _] = known[..] {
            self.entries.remove(first);
        }
        self.entries.retain(|other| *other != entry);
        self.entries.push(entry);
    }

    /// Forgets a name.
    pub fn forget(&mut self, name: &str) {
        self.entries.retain(|entry| entry.name != name);
    }

    /// All names, once.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.entries.iter().map(|entry| entry.name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether the file of this name is the one that was written here.
    pub fn owns(&self, folder: &Path, name: &str) -> bool {
        let path = folder.join(name);
        if !fs::symlink_metadata(&path).is_ok_and(|known| known.is_file()) {
            return false;
        }
        let mut found = None;
        self.entries.iter().filter(|entry| entry.name == name).any(|entry| match entry.known {
            None => true,
            known => known == *found.get_or_insert_with(|| look(&path).ok()),
        })
    }
}
