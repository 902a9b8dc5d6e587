//! A folder for tables and figures: what [`alembert_sim::folder`] does, with words on standard error and pictures.

use std::path::{Path, PathBuf};

use alembert_picture::chart::Figure;
use alembert_sim::disk::Disk;
use alembert_sim::folder;
use alembert_sim::table::Table;

use crate::failure::Failure;
use crate::signals;
use crate::words::say;

/// Opens a folder for a scope; what must not stay there is taken away if the program is interrupted.
pub fn open(path: &Path, scope: &str) -> Result<folder::Folder, Failure> {
    let folder = folder::Folder::open(path, scope, &Disk::new())?;
    signals::clean_up(folder.cleaner());
    Ok(folder)
}

/// A folder that could be written to when it was opened.
pub struct Folder {
    inner: folder::Folder,
}

impl Folder {
    /// Creates the folder if need be and tries to write to it, so that a long run does not fail at its end.
    pub fn open(path: &Path) -> Result<Folder, Failure> {
        Ok(Folder { inner: open(path, "tables")? })
    }

    /// A table as CSV and its figure as SVG, and on stderr where they are.
    pub fn write_sheet(&self, stem: &str, table: &Table, figure: Option<&Figure>) -> Result<(), Failure> {
        let mut files = vec![(format!("{stem}.csv"), table.csv())];
        if let Some(figure) = figure {
            files.push((format!("{stem}.svg"), figure.svg()));
        }
        match &self.inner.write_all(&files)?[..] {
            [csv, svg] => say!("wrote {} and {}", csv.display(), svg.display()),
            written => written.iter().for_each(|path| say!("wrote {}", path.display())),
        }
        Ok(())
    }

    /// A figure without a table of its own, and on stderr where it is.
    pub fn write_figure(&self, stem: &str, figure: &Figure) -> Result<(), Failure> {
        let svg: PathBuf = self.inner.write(&format!("{stem}.svg"), &figure.svg())?;
        say!("wrote {}", svg.display());
        Ok(())
    }
}
