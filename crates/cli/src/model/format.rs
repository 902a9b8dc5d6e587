//! `alembert fmt`: model files in the layout of the models of the project.
//!
//! A file is replaced in one go by one that is written beside it, with the same permissions; a link stays a link, and what it leads
//! to is replaced. A file with mistakes stays as it is.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use alembert_model::{Model, formatted};
use alembert_sim::disk::{Channel, Disk};
use alembert_sim::{Beside, Failure as Broken};
use clap::Args;

use crate::failure::{Failure, Status};
use crate::words::say;

/// Options of `alembert fmt`.
#[derive(Args)]
pub struct Arguments {
    /// The model files; `-` reads standard input and writes standard output
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Change nothing; name the files that would change, and end with 1 if there are any
    #[arg(long)]
    pub check: bool,
}

/// Formats files. One that cannot be formatted does not keep others from it.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let mut failed: Option<Failure> = None;
    let mut differ = false;
    for path in &arguments.files {
        match format(path, arguments.check) {
            Ok(changed) => differ |= changed,
            Err(failure) => {
                // The last one is told where the program ends.
                if let Some(earlier) = failed.replace(failure) {
                    earlier.tell();
                }
            }
        }
    }
    match failed {
        Some(failure) => Err(failure),
        None if arguments.check && differ => Ok(Status::Disagrees),
        None => Ok(Status::Agrees),
    }
}

/// Whether a file was, or is to be, changed.
fn format(path: &Path, check: bool) -> Result<bool, Failure> {
    let piped = path == Path::new("-");
    let text = read(path, piped)?;
    let shown = if piped { Path::new("standard input") } else { path };
    Model::parse_with(&shown.display().to_string(), &text, &[], &Beside::new(path))
        .map_err(|mistakes| Broken::mistakes(mistakes.to_string()))?;
    let new = formatted(&text).ok_or_else(|| {
        Failure::work(format!("cannot format {} without changing what it says", shown.display()))
            .with_hint("it stays as it is; please report this file".to_owned())
    })?;
    let changed = new != text;
    match (check, piped) {
        (true, _) if changed => writeln!(io::stdout(), "{}", shown.display())?,
        (true, _) => {}
        (false, true) => io::stdout().lock().write_all(new.as_bytes())?,
        (false, false) if changed => {
            replace(path, &new)?;
            say!("formatted {}", path.display());
        }
        (false, false) => {}
    }
    Ok(changed)
}

fn read(path: &Path, piped: bool) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    if piped {
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| Failure::usage(format!("cannot read standard input: {error}")))?;
    } else {
        bytes = fs::read(path).map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
    }
    // What is not text would be lost.
    String::from_utf8(bytes).map_err(|_| {
        let shown = if piped { "standard input".to_owned() } else { path.display().to_string() };
        Failure::usage(format!("{shown} is not UTF-8")).with_hint("save it as UTF-8".to_owned())
    })
}

/// Puts a text in the place of a file, whole or not at all.
fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let blame = |error: io::Error| Failure::work(format!("cannot write {}: {error}", path.display()));
    let place = fs::canonicalize(path).map_err(blame)?;
    let known = fs::metadata(&place).map_err(blame)?;
    if !known.is_file() {
        return Err(Failure::usage(format!("{} is not a plain file", path.display())));
    }
    if known.permissions().readonly() {
        return Err(Failure::work(format!("cannot write {}: it is read-only", path.display())));
    }
    if has_other_names(&known) {
        let hint = format!("`alembert fmt - < {}` prints it formatted", path.display());
        return Err(Failure::work(format!("{} is one file with several names", path.display())).with_hint(hint));
    }
    let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else {
        return Err(Failure::usage(format!("{} is not a plain file", path.display())));
    };
    let temporary = folder.join(format!(".alembert-{}-{}.tmp", std::process::id(), name.to_string_lossy()));
    let disk = Disk::new();
    let mut file = disk.create(&temporary).map_err(blame)?;
    let written = fs::set_permissions(&temporary, known.permissions())
        .and_then(|()| file.write_all(text.as_bytes()))
        .and_then(|()| file.sync())
        .and_then(|()| disk.rename(&temporary, &place))
        .and_then(|()| disk.sync_folder(folder));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        blame(error)
    })
}

/// Whether a file has several names: replacing it would leave the others with the old text.
#[cfg(unix)]
fn has_other_names(known: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    known.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &fs::Metadata) -> bool {
    false
}
