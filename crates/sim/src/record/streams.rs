//! The files of a run while it goes on.

use std::io::{self, Write};
use std::time::Instant;

use alembert::{Occurrence, State};
use alembert_model::Model;

use super::bytes::{Bytes, Cut, Reader};
use super::order::{Format, Order, Pauses, SPOOL, partial};
use super::saved::{Saved, damaged};
use crate::account::{Happening, LISTED};
use crate::disk::{Channel, Stream};
use crate::drive::Recorder;
use crate::excerpt::Excerpt;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::sheet::{self, field};
use crate::simulate::StepRow;
use crate::sink::{Csv, Head, Kind, Mark, Parquet, Sink, Spool, number};

/// Where all streams are.
#[derive(Default)]
pub struct Marks {
    /// Of results, steps and events, in this order.
    sinks: Vec<Mark>,
    excerpt: Excerpt,
    happenings: Vec<Happening>,
}

impl Marks {
    pub fn save(&self, bytes: &mut Bytes) {
        bytes.word(self.sinks.len() as u64);
        for Mark { rows, bytes: length, tail } in &self.sinks {
            bytes.word(*rows);
            bytes.word(*length);
            bytes.numbers(tail);
        }
        self.excerpt.save(bytes);
        bytes.word(self.happenings.len() as u64);
        self.happenings.iter().for_each(|happening| happening.save(bytes));
    }

    pub fn restore(bytes: &mut Reader) -> Result<Marks, Cut> {
        let mut marks = Marks::default();
        for _ in 0..bytes.word()? {
            marks.sinks.push(Mark { rows: bytes.word()?, bytes: bytes.word()?, tail: bytes.numbers()? });
        }
        marks.excerpt = Excerpt::restore(bytes)?;
        for _ in 0..bytes.word()? {
            marks.happenings.push(Happening::restore(bytes)?);
        }
        Ok(marks)
    }
}

/// All files that grow.
pub struct Streams<'a> {
    model: &'a Model,
    energies: bool,
    results: Vec<Box<dyn Sink>>,
    steps: Option<Box<dyn Sink>>,
    events: Option<Events>,
    /// Steps for figures and for `steps.csv`.
    pub excerpt: Excerpt,
    /// The first events.
    pub happenings: Vec<Happening>,
    row: Vec<f64>,
    outputs: Vec<f64>,
    step_width: usize,
    pauses: Pauses,
    last: (Instant, u64),
}

impl<'a> Streams<'a> {
    /// New files.
    pub fn create(order: &Order<'a>, folder: &Folder) -> io::Result<Streams<'a>> {
        let mut streams = Streams::made(order, |name, _| folder.stream(name))?;
        let (head, steps) = (order.head(), step_head(order));
        streams.results.iter_mut().try_for_each(|sink| sink.begin(&head))?;
        streams.steps.iter_mut().try_for_each(|sink| sink.begin(&steps))?;
        streams.events.iter_mut().try_for_each(Events::begin)?;
        Ok(streams)
    }

    /// The files as they were at a checkpoint.
    pub fn reopen(order: &Order<'a>, folder: &Folder, saved: &Saved) -> Result<Streams<'a>, Failure> {
        let marks = &saved.marks;
        let (head, steps) = (order.head(), step_head(order));
        let kinds = kinds(order);
        let fits = marks.sinks.len() == kinds.len()
            && marks.sinks.iter().zip(&kinds).all(|(mark, (kind, is_result))| {
                let head = if *is_result { &head } else { &steps };
                mark.fits(*kind, head) && (!is_result || mark.rows == marks.sinks[0].rows)
            })
            && marks.excerpt.rows().all(|row| row.len() == steps.columns.len());
        if !fits {
            return Err(damaged(folder));
        }
        let reopened = Streams::made(order, |name, index| folder.reopen(name, marks.sinks[index].bytes));
        let mut streams = reopened.map_err(|error| Failure::work(error.to_string()))?;
        let mut marked = marks.sinks.iter();
        streams.results.iter_mut().zip(&mut marked).for_each(|(sink, mark)| sink.resume(&head, mark));
        streams.steps.iter_mut().zip(&mut marked).for_each(|(sink, mark)| sink.resume(&steps, mark));
        streams.events.iter_mut().zip(&mut marked).for_each(|(events, mark)| events.at = mark.clone());
        (streams.excerpt, streams.happenings) = (marks.excerpt.clone(), marks.happenings.clone());
        Ok(streams)
    }

    fn made(order: &Order<'a>, mut open: impl FnMut(&str, usize) -> io::Result<Stream>) -> io::Result<Streams<'a>> {
        let mut index = 0;
        let mut next = |name: &str| {
            index += 1;
            open(&partial(name), index - 1)
        };
        let mut results: Vec<Box<dyn Sink>> = Vec::new();
        if order.formats.contains(&Format::Csv) {
            results.push(Box::new(Csv::new(next("result.csv")?)));
        }
        if order.formats.contains(&Format::Parquet) {
            results.push(Box::new(Parquet::new(next("result.parquet")?)));
        }
        if order.has_spool() {
            results.push(Box::new(Spool::new(next(SPOOL)?)));
        }
        let mut steps: Option<Box<dyn Sink>> = None;
        if order.every_step {
            steps = Some(Box::new(Csv::new(next("steps.csv")?)));
        }
        let mut events = None;
        if order.has_events() {
            events = Some(Events { out: next("events.csv")?, at: Mark::default() });
        }
        Ok(Streams {
            model: order.model,
            energies: order.energies(),
            results,
            steps,
            events,
            excerpt: Excerpt::default(),
            happenings: Vec::new(),
            row: Vec::new(),
            outputs: Vec::new(),
            step_width: step_head(order).columns.len(),
            pauses: order.pauses,
            last: (Instant::now(), 0),
        })
    }

    /// Makes everything last.
    pub fn mark(&mut self) -> io::Result<Marks> {
        let mut sinks = Vec::new();
        for sink in self.results.iter_mut().chain(&mut self.steps) {
            sinks.push(sink.mark()?);
        }
        if let Some(events) = &mut self.events {
            events.out.sync()?;
            sinks.push(events.at.clone());
        }
        Ok(Marks { sinks, excerpt: self.excerpt.clone(), happenings: self.happenings.clone() })
    }

    /// Everything was saved after so many steps.
    pub fn saved(&mut self, steps: u64) {
        self.last = (Instant::now(), steps);
    }

    /// No more rows: all files are whole and last.
    pub fn end(&mut self) -> io::Result<()> {
        self.results.iter_mut().chain(&mut self.steps).try_for_each(|sink| sink.end())?;
        self.events.iter_mut().try_for_each(|events| events.out.sync())
    }
}

/// What the streams are, in their order, and whether their rows are those of the result.
fn kinds(order: &Order) -> Vec<(Kind, bool)> {
    let mut kinds = Vec::new();
    for (there, kind, is_result) in [
        (order.formats.contains(&Format::Csv), Kind::Text, true),
        (order.formats.contains(&Format::Parquet), Kind::Groups, true),
        (order.has_spool(), Kind::Numbers, true),
        (order.every_step, Kind::Text, false),
        (order.has_events(), Kind::Text, false),
    ] {
        if there {
            kinds.push((kind, is_result));
        }
    }
    kinds
}

fn step_head(order: &Order) -> Head {
    Head { columns: sheet::step_columns(sheet::has_energy(order.model)), ..Head::default() }
}

impl Recorder for Streams<'_> {
    fn row(&mut self, state: &State) -> io::Result<()> {
        sheet::row_into(self.model, state, &mut self.outputs, &mut self.row);
        if self.energies {
            self.row.push(self.model.energy(state).unwrap_or(f64::NAN));
        }
        self.results.iter_mut().try_for_each(|sink| sink.row(&self.row))
    }

    fn step(&mut self, step: &StepRow) -> io::Result<()> {
        let mut row = sheet::step_row(step);
        // An energy that is not known for once leaves its columns.
        row.resize(self.step_width, f64::NAN);
        self.steps.iter_mut().try_for_each(|sink| sink.row(&row))?;
        self.excerpt.push(row);
        Ok(())
    }

    fn event(&mut self, event: &Occurrence) -> io::Result<()> {
        if self.happenings.len() < LISTED {
            self.happenings.push(Happening::of(event));
        }
        self.events.iter_mut().try_for_each(|events| events.add(event))
    }

    fn wants_to_save(&mut self, steps: u64) -> bool {
        match self.pauses {
            Pauses::Seconds(pause) => self.last.0.elapsed().as_secs_f64() >= pause,
            Pauses::Steps(pause) => steps - self.last.1.min(steps) >= pause,
        }
    }
}

/// One line for each event.
struct Events {
    out: Stream,
    at: Mark,
}

impl Events {
    fn put(&mut self, line: &str) -> io::Result<()> {
        self.at.bytes += line.len() as u64;
        self.out.write_all(line.as_bytes())
    }

    fn begin(&mut self) -> io::Result<()> {
        self.put("t,event,rising\n")
    }

    fn add(&mut self, event: &Occurrence) -> io::Result<()> {
        let mut line = String::new();
        number(&mut line, event.t);
        line += &format!(",{},{}\n", field(&event.name), u8::from(event.rising));
        self.at.rows += 1;
        self.put(&line)
    }
}
