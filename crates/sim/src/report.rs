//! A report: what runs came to, as one page that moves.
//!
//! ```text
//! summary.json, result.csv, steps.csv, the model -> document + packed numbers -> page
//! ```
//!
//! Everything comes from the folder of a run, so that a report of an old run is that of a new one.

mod certified;
mod citation;
mod compared;
mod frames;
mod swept;
mod tables;
mod tracks;
mod units;
mod verdict;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use alembert_mechanism::Mechanism;
use alembert_model::Model;
use alembert_picture::page::{
    Blocks, Column, Document, Event, EventKind, Level, MotionBlock, Point, Section, Verdict, write_page,
};
use alembert_picture::{Motion, Scene};
use serde_json::Value;

pub use certified::report_certificate;
pub use citation::citation;
pub use compared::report_comparison;
pub use frames::{Still, frames};
pub use swept::report_sweep;

use crate::failure::Failure;
use crate::sheet::Sheet;
use crate::summary;

/// Who makes reports.
const PROGRAM: &str = concat!("alembert ", env!("CARGO_PKG_VERSION"));

/// A page that is ready to be written.
pub struct Page {
    document: Document,
    blocks: Blocks,
}

impl Page {
    /// Of a document without numbers apart.
    pub fn new(document: Document) -> Self {
        Page { document, blocks: Blocks::new() }
    }

    /// Writes it.
    ///
    /// # Errors
    /// If `out` does not take it.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write_page(&self.document, &self.blocks, out)
    }
}

/// A run in its folder.
pub struct Recorded {
    /// What it is called among others.
    pub name: String,
    /// What it came to.
    pub summary: Value,
    rows: Sheet,
    steps: Sheet,
}

impl Recorded {
    /// Reads it.
    ///
    /// # Errors
    /// If there is no run with a table of rows.
    pub fn read(folder: &Path) -> Result<Recorded, Failure> {
        Recorded::read_with(folder, tracks::read)
    }

    /// The same with every row and step.
    ///
    /// # Errors
    /// If there is no run with a table of rows.
    pub fn read_whole(folder: &Path) -> Result<Recorded, Failure> {
        Recorded::read_with(folder, tracks::read_whole)
    }

    fn read_with(folder: &Path, table: fn(&Path, &str) -> io::Result<Sheet>) -> Result<Recorded, Failure> {
        let refused = |why: String| {
            Failure::usage(format!("no result of a run in {}: {why}", folder.display()))
                .with_hint("name a folder that `alembert run MODEL --out DIR` wrote, with csv among its formats")
        };
        let text = fs::read_to_string(folder.join("summary.json"));
        let text = text.map_err(|error| refused(format!("summary.json: {error}")))?;
        let summary: Value = serde_json::from_str(&text).map_err(|error| refused(format!("summary.json: {error}")))?;
        let table = |stem| table(folder, stem).map_err(|error| refused(format!("{stem}.csv: {error}")));
        let name = folder.file_name().map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned());
        Ok(Recorded { name, rows: table("result")?, steps: table("steps")?, summary })
    }

    /// One that is in memory.
    pub fn of(name: &str, summary: Value, rows: Sheet, steps: Sheet) -> Recorded {
        Recorded { name: name.to_owned(), summary, rows, steps }
    }

    /// The rows of its result, thinned where they are many.
    pub fn rows(&self) -> &Sheet {
        &self.rows
    }

    /// Its steps, thinned likewise.
    pub fn steps(&self) -> &Sheet {
        &self.steps
    }

    fn events(&self) -> Vec<Event> {
        let listed = self.summary["events"].as_array().into_iter().flatten();
        let event = |event: &Value| {
            let name = event["name"].as_str()?.to_owned();
            let kind = if name.contains("singular configuration") { EventKind::Passage } else { EventKind::Event };
            Some(Event { t: event["t"].as_f64()?, name, kind })
        };
        listed.filter_map(event).collect()
    }

    fn said(&self, key: &str) -> &str {
        self.summary[key].as_str().unwrap_or_default()
    }

    fn tracks(&self, run: &str, mechanism: bool, page: &mut Page) {
        let names = summary::names(&self.summary).unwrap_or_default();
        let events: Vec<f64> = self.events().iter().map(|event| event.t).collect();
        let blocks = &mut page.blocks;
        let rows = tracks::rows(run, &self.rows, &names, mechanism, &events, blocks);
        let steps = tracks::steps(run, &self.steps, &self.summary, &events, blocks);
        let shown = rows.signals.len();
        page.document.tracks.extend([rows, steps]);
        let all = self.rows.columns.len().saturating_sub(1);
        if shown < all {
            let text = format!("{shown} of {all} columns are on this page; the others are in result.csv");
            page.document.verdict.points.push(Point { level: Level::Note, text });
        }
    }
}

/// The report of one run. Without its model nothing moves.
pub fn report(run: &Recorded, model: Result<&Model, Still>) -> Page {
    let verdict = verdict::verdict(&run.summary);
    let mut page = Page::new(Document::new(run.said("model"), PROGRAM, verdict));
    let mechanism = model.as_ref().ok().and_then(|model| model.system.mechanism());
    run.tracks("", mechanism.is_some(), &mut page);
    page.document.events = run.events();
    let moves = model.clone().and_then(|model| Ok((model, frames(model, &run.rows)?)));
    match moves {
        Ok((model, motion)) => page.animate(model, &motion),
        Err(Still(why)) => {
            page.document.verdict.points.push(Point { level: Level::Note, text: format!("nothing moves: {why}") })
        }
    }
    let mut sections = tables::tables(&run.summary);
    if let Some(text) = mechanism.map(Mechanism::diagnose).map(|found| found.lines().join("\n")) {
        sections.push(text_section("diagnosis", "The mechanism", &text));
    }
    if let Some(text) = run.summary["asked"]["text"].as_str() {
        sections.push(text_section("model", "The model file", text));
    }
    let cited = citation(run.said("method"), run.said("steps_chosen"));
    sections.push(Section::Text { id: "citation".into(), title: "How to cite".into(), text: cited, mono: false });
    page.document.sections = sections;
    page
}

/// The report of several runs: the same signals of all of them in one plot.
pub fn report_together(runs: &[Recorded]) -> Page {
    let worst = runs.iter().map(|run| (verdict::verdict(&run.summary), &run.name));
    let mut points = Vec::new();
    let mut states = Vec::new();
    for (verdict, name) in worst {
        let level = match verdict.state {
            alembert_picture::page::State::Good => Level::Good,
            alembert_picture::page::State::Doubt => Level::Doubt,
            _ => Level::Bad,
        };
        points.push(Point { level, text: format!("{name}: {}", verdict.headline) });
        states.push(verdict.state);
    }
    let rank = |state: &alembert_picture::page::State| *state as usize;
    let state = states.into_iter().max_by_key(rank).unwrap_or(alembert_picture::page::State::Good);
    let verdict = Verdict { state, headline: format!("{} runs beside each other", runs.len()), points };
    let mut page = Page::new(Document::new("Comparison of runs", PROGRAM, verdict));
    for run in runs {
        let mechanism = run.rows.columns.iter().any(|column| column.contains('.'));
        run.tracks(&run.name, mechanism, &mut page);
    }
    page
}

fn text_section(id: &str, title: &str, text: &str) -> Section {
    Section::Text { id: id.to_owned(), title: title.to_owned(), text: text.to_owned(), mono: true }
}

impl Page {
    fn animate(&mut self, model: &Model, motion: &Motion) {
        let Some(scene) = model.view.as_ref().map(|view| view.scene().clone()) else { return };
        let (n, channels) = (motion.t.len(), scene.channels);
        let columns: Vec<Vec<f64>> =
            (0..channels).map(|c| (0..n).map(|k| motion.values[k * channels + c]).collect()).collect();
        let columns: Vec<Column> = columns.iter().map(|values| Column::new(values)).collect();
        let offsets = columns.iter().map(|column| column.offset).collect();
        let block = self.blocks.push(&motion.t, &columns);
        self.document.motion = Some(MotionBlock { n, channels, block, offsets });
        self.document.scene = Some(scene);
    }
}

/// What a model looks like along a result, for pictures without a page.
///
/// # Errors
/// As for [`frames`].
pub fn motion(model: &Model, rows: &Sheet) -> Result<(Scene, Motion), Still> {
    let motion = frames(model, rows)?;
    let scene = model.view.as_ref().map(|view| view.scene().clone());
    scene.map(|scene| (scene, motion)).ok_or_else(|| Still("there is no view".to_owned()))
}
