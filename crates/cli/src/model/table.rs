//! The table of a sweep on disk. It is its own checkpoint: a line for each run that is over, in the order of the points.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use alembert_sim::disk::{Channel, Stream};
use alembert_sim::folder::Folder;
use alembert_sim::sweep::{Grid, beginning};
use serde_json::{Value, json};

use super::job::Job;
use crate::failure::Failure;

/// How often lines are made to last.
const PAUSE: Duration = Duration::from_secs(60);

/// A table that grows.
pub struct Table<'f> {
    folder: &'f Folder,
    name: String,
    out: Stream,
    last: Instant,
    /// Runs that were in it when it was opened again, how many of them failed and how many had warnings.
    pub rows: usize,
    pub failed: usize,
    pub warned: usize,
}

fn file(name: &str) -> String {
    format!("{name}.csv")
}

fn partial(name: &str) -> String {
    format!("{name}.partial.csv")
}

fn checkpoint(name: &str) -> String {
    format!("{name}.checkpoint")
}

fn work(error: io::Error) -> Failure {
    Failure::work(error.to_string())
}

/// What has to be the same for a sweep to be continued.
fn identity(job: &Job) -> Value {
    json!({ "version of alembert": env!("CARGO_PKG_VERSION"), "job": job.json() })
}

impl<'f> Table<'f> {
    /// Refuses to write over files that are not one's own.
    pub fn require_free(folder: &Folder, name: &str, force: bool) -> Result<(), Failure> {
        let names = [file(name), partial(name), checkpoint(name)];
        if force { Ok(()) } else { Ok(folder.require_free(names.iter().map(String::as_str))?) }
    }

    /// A new one, in place of an earlier one.
    pub fn create(folder: &'f Folder, name: &str, job: &Job, head: &str, force: bool) -> Result<Table<'f>, Failure> {
        let names = [file(name), partial(name), checkpoint(name)];
        Table::require_free(folder, name, force)?;
        folder.clear(|_| false, if force { &names } else { &[] })?;
        folder.announce(&names[1..])?;
        let mut out = folder.stream(&partial(name)).map_err(work)?;
        out.write_all(head.as_bytes()).and_then(|()| out.sync()).map_err(work)?;
        folder.replace(&checkpoint(name), format!("{:#}\n", identity(job)).as_bytes())?;
        Ok(Table { folder, name: name.to_owned(), out, last: Instant::now(), rows: 0, failed: 0, warned: 0 })
    }

    /// What the sweep in a folder was asked for; nothing if it is whole.
    pub fn saved(folder: &Folder, name: &str) -> Result<Option<Job>, Failure> {
        if !folder.has(&checkpoint(name)) && folder.has(&file(name)) && !folder.is_foreign(&file(name)) {
            return Ok(None);
        }
        read(folder, name).and_then(|saved| Job::read(&saved["job"])).map(Some)
    }

    /// The one that is there, cut to its last whole line.
    pub fn reopen(folder: &'f Folder, name: &str, job: &Job, head: &str, grid: &Grid) -> Result<Table<'f>, Failure> {
        refuse_others(&read(folder, name)?, &identity(job))?;
        // Who was killed at the very end has given it its last name already.
        if !folder.has(&partial(name)) && folder.has(&file(name)) && !folder.is_foreign(&file(name)) {
            folder.settle(&[(folder.place(&file(name)), partial(name))])?;
        }
        folder.announce(&[partial(name), checkpoint(name)])?;
        let path = folder.place(&partial(name));
        let unread = |error: io::Error| Failure::work(format!("cannot read {}: {error}", path.display()));
        let mut lines = BufReader::new(File::open(&path).map_err(unread)?);
        let (mut line, mut bytes) = (Vec::new(), head.len() as u64);
        let (mut rows, mut failed, mut warned) = (0, 0, 0);
        lines.read_until(b'\n', &mut line).map_err(unread)?;
        let is_head = line == head.as_bytes();
        while is_head && rows < grid.len() {
            line.clear();
            lines.read_until(b'\n', &mut line).map_err(unread)?;
            let text = std::str::from_utf8(&line).unwrap_or_default();
            // A line that was cut off, or is not that of its point, is not there.
            let Some(rest) = text.strip_suffix('\n').and_then(|text| text.strip_prefix(&beginning(&grid.point(rows))))
            else {
                break;
            };
            failed += usize::from(!rest.starts_with("reached,"));
            warned += usize::from(!rest.ends_with(",0"));
            rows += 1;
            bytes += line.len() as u64;
        }
        let mut out = folder.reopen(&partial(name), if is_head { bytes } else { 0 }).map_err(work)?;
        if !is_head {
            out.write_all(head.as_bytes()).map_err(work)?;
        }
        Ok(Table { folder, name: name.to_owned(), out, last: Instant::now(), rows, failed, warned })
    }

    /// One more line.
    pub fn add(&mut self, line: &str) -> Result<(), Failure> {
        let mut written = self.out.write_all(line.as_bytes()).and_then(|()| self.out.flush());
        if written.is_ok() && self.last.elapsed() > PAUSE {
            self.last = Instant::now();
            written = self.out.sync();
        }
        written.map_err(|error| {
            let path = self.folder.path().display();
            let hint = format!("what there is is kept: `alembert sweep --resume {path}` goes on from there");
            work(error).with_hint(hint)
        })
    }

    /// The last line was written; where the table is.
    pub fn end(mut self, is_partial: bool) -> Result<PathBuf, Failure> {
        self.out.sync().map_err(work)?;
        if is_partial {
            return Ok(self.folder.place(&partial(&self.name)));
        }
        self.folder.settle(&[(self.folder.place(&partial(&self.name)), file(&self.name))])?;
        self.folder.remove(&checkpoint(&self.name))?;
        self.folder.close()?;
        Ok(self.folder.place(&file(&self.name)))
    }
}

fn read(folder: &Folder, name: &str) -> Result<Value, Failure> {
    let path = folder.place(&checkpoint(name));
    let nothing = |why: String| {
        Failure::usage(format!("nothing to resume in {}: {why}", folder.path().display()))
            .with_hint("name a folder in which a sweep was interrupted or killed, with the --shard it had".to_owned())
    };
    let text = fs::read_to_string(&path).map_err(|error| nothing(format!("{}: {error}", checkpoint(name))))?;
    serde_json::from_str(&text).map_err(|_| nothing(format!("{} is damaged", checkpoint(name))))
}

/// Says what differs.
fn refuse_others(there: &Value, here: &Value) -> Result<(), Failure> {
    let version = "version of alembert";
    let mut pairs = vec![(version.to_owned(), &there[version], &here[version])];
    if let Some(keys) = here["job"].as_object() {
        // A file that was moved is the same.
        let told = |key: &String| if key == "text" { "model text".to_owned() } else { key.replace('_', " ") };
        let keys = keys.keys().filter(|key| *key != "model");
        pairs.extend(keys.map(|key| (told(key), &there["job"][key], &here["job"][key])));
    }
    match pairs.into_iter().find(|(_, there, here)| there != here) {
        None => Ok(()),
        Some((what, there, here)) => {
            let values = if what == "model text" { String::new() } else { format!(": there {there}, here {here}") };
            Err(Failure::usage(format!("the sweep in the folder has another {what}{values}")).with_hint(
                "resume with what the sweep was begun with; without MODEL and options that is what the folder says"
                    .to_owned(),
            ))
        }
    }
}
