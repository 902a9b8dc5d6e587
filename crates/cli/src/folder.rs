//! A folder for results. Files appear in it whole or not at all: written under another name, then renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::plot::Figure;
use crate::words::say;
use alembert_sim::table::Table;

/// A folder that could be written to when it was opened.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Creates the folder if need be and tries to write to it, so that a long run does not fail at its end.
    pub fn open(path: &Path) -> Result<Folder, Failure> {
        let refused = |error: io::Error| {
            Failure::usage(format!("cannot write to folder {}: {error}", path.display()))
                .with_hint("name a folder that exists or can be created, and that you may write to".to_owned())
        };
        fs::create_dir_all(path).map_err(refused)?;
        let folder = Folder { path: path.to_owned() };
        let trial = folder.temporary("trial");
        File::create(&trial).and_then(|_| fs::remove_file(&trial)).map_err(refused)?;
        Ok(folder)
    }

    /// Writes one whole file and says where it is.
    pub fn write(&self, name: &str, contents: &str) -> Result<PathBuf, Failure> {
        self.write_with(name, |out| out.write_all(contents.as_bytes()))
    }

    /// The same for a file that is written piece by piece.
    pub fn write_with(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<PathBuf, Failure> {
        let path = self.path.join(name);
        let temporary = self.temporary(name);
        let written = fill(&temporary, write).and_then(|()| fs::rename(&temporary, &path));
        if let Err(error) = written {
            // Best effort: the write's own error is the one to tell.
            let _ = fs::remove_file(&temporary);
            return Err(Failure::work(format!("cannot write {}: {error}", path.display())));
        }
        Ok(path)
    }

    /// Removes files of an earlier run, so that nothing old looks like a result of this one.
    pub fn clear(&self, is_ours: impl Fn(&str) -> bool) -> Result<(), Failure> {
        let unread = |error| Failure::usage(format!("cannot read folder {}: {error}", self.path.display()));
        for entry in fs::read_dir(&self.path).map_err(unread)? {
            let entry = entry.map_err(unread)?;
            if entry.file_name().to_str().is_some_and(&is_ours) {
                let path = entry.path();
                fs::remove_file(&path)
                    .map_err(|error| Failure::usage(format!("cannot replace {}: {error}", path.display())))?;
            }
        }
        Ok(())
    }

    /// A table as CSV and its figure as SVG, and on stderr where they are.
    pub fn write_sheet(&self, stem: &str, table: &Table, figure: Option<&Figure>) -> Result<(), Failure> {
        // Drawn first: a figure that cannot be drawn leaves no half of a pair behind.
        let svg = figure.map(|figure| svg(stem, figure)).transpose()?;
        let csv = self.write(&format!("{stem}.csv"), &table.csv())?;
        match svg {
            Some(svg) => {
                let svg = self.write(&format!("{stem}.svg"), &svg)?;
                say!("wrote {} and {}", csv.display(), svg.display());
            }
            None => say!("wrote {}", csv.display()),
        }
        Ok(())
    }

    /// A figure without a table of its own, and on stderr where it is.
    pub fn write_figure(&self, stem: &str, figure: &Figure) -> Result<(), Failure> {
        let svg = self.write_svg(stem, figure)?;
        say!("wrote {}", svg.display());
        Ok(())
    }

    /// A figure, silently.
    pub fn write_svg(&self, stem: &str, figure: &Figure) -> Result<PathBuf, Failure> {
        self.write(&format!("{stem}.svg"), &svg(stem, figure)?)
    }

    /// The name is hidden and has the number of the process, so that two runs into one folder do not share it.
    fn temporary(&self, name: &str) -> PathBuf {
        self.path.join(format!(".{name}.{}.tmp", std::process::id()))
    }
}

fn svg(stem: &str, figure: &Figure) -> Result<String, Failure> {
    figure.svg().map_err(|error| Failure::work(format!("cannot draw {stem}: {error}")))
}

fn fill(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    write(&mut file)?;
    file.flush()?;
    file.get_ref().sync_all()
}
