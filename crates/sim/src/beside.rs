//! Files beside a model, for the tables that it names: plain reading, with a limit.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use alembert_model::source::{LARGEST, Source};

/// The folder of a model file.
#[derive(Clone, Debug)]
pub struct Beside {
    folder: PathBuf,
}

impl Beside {
    /// The folder that a model file is in.
    pub fn new(model: &Path) -> Beside {
        Beside { folder: model.parent().map(Path::to_owned).unwrap_or_default() }
    }
}

impl Source for Beside {
    /// Links are followed, as by every program that reads a file; what is no plain file (a pipe would wait for ever) is not opened.
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let path = self.folder.join(name);
        let about = fs::metadata(&path).map_err(|error| error.to_string())?;
        if !about.is_file() {
            return Err("it is not a plain file".to_owned());
        }
        let mut bytes = Vec::new();
        // A file may have grown since, and some have no length that is known before.
        let file = File::open(&path).map_err(|error| error.to_string())?;
        file.take(LARGEST as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.len() > LARGEST {
            return Err(format!("it has more than {LARGEST} bytes"));
        }
        Ok(bytes)
    }
}
