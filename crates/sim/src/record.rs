//! A run on disk: rows, steps and events go to files as they are made, everything is saved now and then, and a run that was
//! ended by whatever continues bit for bit.
//!
//! ```text
//! start   -> what an earlier run wrote is removed -> result.partial.*, run.checkpoint
//! go on   -> rows ... checkpoint ... rows ... checkpoint ...
//! whole   -> result.partial.* become result.*, then summary.json; the checkpoint goes
//! partial -> result.partial.*, summary.json, run.checkpoint: resume from there
//! ```
//!
//! After a kill the streams are cut to where the last checkpoint has them.

pub mod bytes;
mod finish;
mod order;
mod saved;
mod streams;

use std::io;

use alembert::Integrator;
use alembert_model::Model;

pub use finish::{Draw, Drawn, each_row, is_figure};
pub use order::{Format, Order, Pauses, partial};
pub use saved::{CHECKPOINT, job_of};

use crate::account::{Account, LISTED};
use crate::disk::Channel;
use crate::drive::{Drive, Pause, Recorder};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::limits::Limits;
use crate::onlooker::Onlooker;
use crate::sheet;
use crate::simulate::{Beginning, End, StepRow, prepare, start_before};
use crate::sink::{Csv, Head, Sink};
use saved::Saved;
use streams::Streams;

/// Why a run gave no account.
#[derive(Debug)]
pub enum Trouble {
    /// It could not be done.
    Failure(Failure),
    /// What was to be written to does not take it.
    Write(io::Error),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Trouble {
        Trouble::Failure(failure)
    }
}

/// Runs a model into a folder.
///
/// # Errors
/// If it cannot begin, or a file cannot be written; what is there by then can be continued if there is a checkpoint.
pub fn record(
    order: &Order,
    folder: &Folder,
    force: bool,
    onlooker: &dyn Onlooker,
    draw: Option<Draw>,
) -> Result<Account, Failure> {
    let planned = order.planned(folder)?;
    if !force {
        folder.require_free(planned.iter().map(String::as_str))?;
    }
    let (begin, report) = start_before(onlooker, order.model)?;
    let mut integrator = prepare(order.model, order.run, &begin)?;
    integrator.keep_events(0);
    onlooker.keeps_from_here();
    let foreign: Vec<String> = planned.iter().filter(|name| folder.is_foreign(name)).cloned().collect();
    folder.clear(|_| false, &foreign)?;
    folder.announce(&order.growing())?;
    let mut streams = Streams::create(order, folder).map_err(|error| broken(folder, &error, false))?;
    let mut drive = Drive::new((order.model, order.run), onlooker, order.limits, &begin);
    drive.begin(&mut integrator, &begin, &mut streams).map_err(|failure| hinted(failure, folder, false))?;
    save(order, folder, &mut integrator, &drive, &mut streams)?;
    go_on(order, folder, integrator, drive, streams, report, onlooker, draw)
}

/// Continues a run from the checkpoint in its folder.
///
/// # Errors
/// If there is none, it is of another run, or a file cannot be continued.
pub fn resume(order: &Order, folder: &Folder, onlooker: &dyn Onlooker, draw: Option<Draw>) -> Result<Account, Failure> {
    let saved = Saved::read(folder)?;
    saved.belongs_to(order)?;
    let (begin, report) = start_before(onlooker, order.model)?;
    let mut integrator = prepare(order.model, order.run, &begin)?;
    integrator.keep_events(0);
    let mut drive = Drive::new((order.model, order.run), onlooker, order.limits, &begin);
    drive.want_rows(&mut integrator)?;
    integrator.restore(&saved.integration).map_err(|bad| Failure { kind: crate::Kind::Usage, ..Failure::of(&bad) })?;
    drive.restore(&mut bytes::Reader(&saved.drive)).map_err(|_| saved::damaged(folder))?;
    onlooker.keeps_from_here();
    // What the run wrote at its partial end is made again.
    let growing = order.growing();
    let whole: Vec<(String, String)> = order.streams().map(|name| (order::partial(&name), name)).collect();
    folder.clear(|name| growing.iter().any(|kept| kept == name) || whole.iter().any(|(_, kept)| kept == name), &[])?;
    // Who was killed at the very end has given streams their last names already.
    for (partial, name) in &whole {
        if !folder.has(partial) && folder.has(name) && !folder.is_foreign(name) {
            folder.settle(&[(folder.place(name), partial.clone())])?;
        }
    }
    folder.announce(&growing)?;
    let streams = Streams::reopen(order, folder, &saved)?;
    go_on(order, folder, integrator, drive, streams, report, onlooker, draw)
}

fn go_on(
    order: &Order,
    folder: &Folder,
    mut integrator: Integrator,
    mut drive: Drive,
    mut streams: Streams,
    report: Beginning,
    onlooker: &dyn Onlooker,
    draw: Option<Draw>,
) -> Result<Account, Failure> {
    let end = loop {
        match drive.go(&mut integrator, &mut streams) {
            Pause::End(end) => break end,
            Pause::Save => save(order, folder, &mut integrator, &drive, &mut streams)?,
            Pause::Broken(error) => return Err(broken(folder, &error, true)),
        }
    };
    onlooker.finished();
    // What failed is not continued from where it failed.
    if matches!(end, End::Interrupted | End::Limited(_)) {
        save(order, folder, &mut integrator, &drive, &mut streams)?;
    }
    let events = std::mem::take(&mut streams.happenings);
    let account = account(order.model, &integrator, &drive, report, end, events);
    finish::finish(order, folder, streams, &account, draw).map_err(|failure| hinted(failure, folder, true))?;
    Ok(account)
}

fn account(
    model: &Model,
    integrator: &Integrator,
    drive: &Drive,
    start: Beginning,
    end: End,
    events: Vec<crate::account::Happening>,
) -> Account {
    let summary = integrator.summary();
    let warnings = start.warnings().into_iter().chain(summary.warnings()).collect();
    let tally = drive.tally;
    Account {
        summary,
        events,
        end,
        time: drive.seconds(),
        start,
        warnings,
        results: drive.results.outcomes(model),
        passages: drive.passages(),
        rows: tally.rows,
        reached: Some(drive.reached()),
        lengths: (tally.steps > 0).then_some((tally.shortest, tally.longest)),
    }
}

/// Makes everything so far last, and says in the checkpoint where it is.
fn save(
    order: &Order,
    folder: &Folder,
    integrator: &mut Integrator,
    drive: &Drive,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let marks = streams.mark().map_err(|error| broken(folder, &error, true))?;
    let integration = integrator.checkpoint().map_err(|bad| Failure::of(&bad))?;
    let mut bytes = bytes::Bytes::default();
    drive.save(&mut bytes);
    let saved = Saved { job: order.job(), drive: bytes.0, marks, integration };
    let written = folder.replace(CHECKPOINT, &saved.bytes()).map_err(|failure| hinted(failure, folder, true));
    streams.saved(drive.tally.steps);
    written
}

fn broken(folder: &Folder, error: &io::Error, resumable: bool) -> Failure {
    hinted(Failure::work(error.to_string()), folder, resumable)
}

/// What can be done where a file could not be written.
fn hinted(failure: Failure, folder: &Folder, resumable: bool) -> Failure {
    if failure.hint.is_some() || !resumable || !folder.has(CHECKPOINT) {
        return failure;
    }
    let path = folder.path().display();
    failure.with_hint(format!(
        "what there is until the last checkpoint is kept: `alembert run --resume {path}` goes on from there"
    ))
}

/// Runs a model; rows go to a channel as comma-separated text, or nowhere.
///
/// # Errors
/// If it cannot begin, or the channel does not take the rows.
pub fn show<C: Channel>(order: &Order, out: Option<C>, onlooker: &dyn Onlooker) -> Result<Account, Trouble> {
    let (begin, report) = start_before(onlooker, order.model)?;
    let mut integrator = prepare(order.model, order.run, &begin)?;
    integrator.keep_events(LISTED);
    onlooker.keeps_from_here();
    let mut shown = Shown { order, csv: out.map(Csv::new), row: Vec::new(), outputs: Vec::new() };
    if let Some(csv) = &mut shown.csv {
        let head = Head { columns: sheet::columns(order.model), ..Head::default() };
        csv.begin(&head).map_err(Trouble::Write)?;
    }
    let limits: Limits = order.limits;
    let mut drive = Drive::new((order.model, order.run), onlooker, limits, &begin);
    drive.begin(&mut integrator, &begin, &mut shown)?;
    let end = loop {
        match drive.go(&mut integrator, &mut shown) {
            Pause::End(end) => break end,
            Pause::Save => {}
            Pause::Broken(error) => return Err(Trouble::Write(error)),
        }
    };
    onlooker.finished();
    if let Some(csv) = &mut shown.csv {
        csv.end().map_err(Trouble::Write)?;
    }
    let events = integrator.occurrences().iter().take(LISTED).map(crate::account::Happening::of).collect();
    Ok(account(order.model, &integrator, &drive, report, end, events))
}

/// Writes rows, and nothing else.
struct Shown<'a, C> {
    order: &'a Order<'a>,
    csv: Option<Csv<C>>,
    row: Vec<f64>,
    outputs: Vec<f64>,
}

impl<C: Channel> Recorder for Shown<'_, C> {
    fn row(&mut self, state: &alembert::State) -> io::Result<()> {
        let Some(csv) = &mut self.csv else { return Ok(()) };
        sheet::row_into(self.order.model, state, &mut self.outputs, &mut self.row);
        csv.row(&self.row)
    }

    fn step(&mut self, _: &StepRow) -> io::Result<()> {
        Ok(())
    }
}
