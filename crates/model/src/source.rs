//! Where the files come from that a model names: from whoever loads it. This crate opens nothing itself.

use std::collections::BTreeMap;

/// Gives the contents of files by the names that a model uses for them.
///
/// A name is relative to the model file, has `/` between its parts, and never leads out of the model's folder: what does is
/// refused before anybody is asked.
pub trait Source {
    /// The contents of a file.
    ///
    /// # Errors
    /// Why it cannot be read, in a few words.
    fn read(&self, name: &str) -> Result<Vec<u8>, String>;
}

/// Largest file that a model may name, in bytes.
pub const LARGEST: usize = 64_000_000;

/// No files at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Source for NoFiles {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Err("files are not read here".to_owned())
    }
}

/// Files in memory, by name.
pub type Files = BTreeMap<String, Vec<u8>>;

impl Source for Files {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        self.get(name).cloned().ok_or_else(|| "there is no such file".to_owned())
    }
}

/// Why a name is not one of a file beside the model or below it; none if it is.
pub(crate) fn why_not(name: &str) -> Option<&'static str> {
    let drive = name.as_bytes().get(1) == Some(&b':');
    match name {
        "" => Some("it is empty"),
        _ if name.chars().any(char::is_control) => Some("it contains a control character"),
        _ if name.contains('\\') => Some("parts of a path are separated by `/`"),
        _ if name.starts_with('/') || drive => Some("a path begins beside the model file"),
        _ if name.split('/').any(|part| part == "..") => Some("a path must not lead out of the folder of the model"),
        _ if name.split('/').any(|part| part.is_empty() || part == ".") => Some("it has an empty part"),
        _ => None,
    }
}
