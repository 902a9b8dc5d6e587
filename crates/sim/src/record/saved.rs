//! The checkpoint of a run: the order, where the streams are, and the state of the integration.
//!
//! ```text
//! magic   job (JSON)   drive   marks   integration   checksum
//! ```

use std::fs;
use std::io::Read;

use serde_json::Value;

use super::bytes::{Bytes, Cut, Reader, checksum};
use super::order::{Order, SPOOL, partial};
use super::streams::Marks;
use crate::failure::Failure;
use crate::folder::Folder;

/// What it is called.
pub const CHECKPOINT: &str = "run.checkpoint";
/// Changes with the format.
const MAGIC: &[u8; 16] = b"alembert run 001";
/// Larger ones are none that were written here.
const LARGEST: u64 = 1 << 33;

/// Everything that is needed to go on.
pub struct Saved {
    pub job: Value,
    pub drive: Vec<u8>,
    pub marks: Marks,
    pub integration: Vec<u8>,
}

/// Bytes are missing or changed.
pub fn damaged(folder: &Folder) -> Failure {
    Failure::usage(format!("{} is damaged: bytes are missing or changed", folder.place(CHECKPOINT).display()))
        .with_hint("begin again with `alembert run MODEL --out DIR`")
}

impl Saved {
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Bytes(MAGIC.to_vec());
        bytes.block(self.job.to_string().as_bytes());
        bytes.block(&self.drive);
        let mut marks = Bytes::default();
        self.marks.save(&mut marks);
        bytes.block(&marks.0);
        bytes.block(&self.integration);
        let sum = checksum(&bytes.0);
        bytes.word(sum);
        bytes.0
    }

    pub fn parse(bytes: &[u8]) -> Result<Saved, Cut> {
        let (content, sum) = bytes.split_at_checked(bytes.len().saturating_sub(8)).ok_or(Cut)?;
        if checksum(content).to_le_bytes() != sum {
            return Err(Cut);
        }
        let mut reader = Reader(content.strip_prefix(MAGIC).ok_or(Cut)?);
        let job = serde_json::from_slice(reader.block()?).map_err(|_| Cut)?;
        let drive = reader.block()?.to_vec();
        let marks = Marks::restore(&mut Reader(reader.block()?))?;
        Ok(Saved { job, drive, marks, integration: reader.block()?.to_vec() })
    }

    /// The one in a folder.
    pub fn read(folder: &Folder) -> Result<Saved, Failure> {
        let path = folder.place(CHECKPOINT);
        let nothing = |why: String| {
            Failure::usage(format!("nothing to resume in {}: {why}", folder.path().display()))
                .with_hint("name a folder in which a run was interrupted, ended by a limit or killed")
        };
        let mut bytes = Vec::new();
        fs::File::open(&path)
            .and_then(|file| file.take(LARGEST).read_to_end(&mut bytes))
            .map_err(|error| nothing(format!("{CHECKPOINT}: {error}")))?;
        if !bytes.starts_with(&MAGIC[..13]) {
            return Err(nothing(format!("{CHECKPOINT} is not a checkpoint of a run")));
        }
        Saved::parse(&bytes).map_err(|Cut| damaged(folder))
    }

    /// Refuses an order that is not the one of the checkpoint.
    pub fn belongs_to(&self, order: &Order) -> Result<(), Failure> {
        let there = identity(&self.job);
        let here = order.identity();
        let find = |list: &[(String, String)], what: &str| {
            list.iter().find(|(name, _)| name == what).map_or("not there".to_owned(), |(_, value)| value.clone())
        };
        for (what, _) in here.iter().chain(&there) {
            let (found, expected) = (find(&there, what), find(&here, what));
            if found != expected {
                return Err(Failure::usage(format!(
                    "the checkpoint belongs to another run: its {what} is {found}, here it is {expected}"
                ))
                .with_hint(
                    "resume with what the run was begun with; without MODEL and options that is what the folder says",
                )
                .with_parameter(what.strip_prefix("parameter ").unwrap_or(what)));
            }
        }
        Ok(())
    }
}

fn identity(job: &Value) -> Vec<(String, String)> {
    serde_json::from_value(job["identity"].clone()).unwrap_or_default()
}

/// The caller's words in the checkpoint of a folder; nothing if its run is whole.
///
/// # Errors
/// If there is neither a checkpoint nor a whole result, or the checkpoint is damaged.
pub fn job_of(folder: &Folder) -> Result<Option<Value>, Failure> {
    if !folder.has(CHECKPOINT) && folder.has("summary.json") && !folder.is_foreign("summary.json") {
        // Who was killed at the very end may have left it.
        folder.remove(&partial(SPOOL))?;
        return folder.close().map(|()| None);
    }
    Saved::read(folder).map(|saved| Some(saved.job["words"].clone()))
}
