//! `alembert run`: the motion, every reaction force, a summary.

use std::io::{self, Write};
use std::path::PathBuf;

use alembert_model::Model;
use alembert_model::run::{Run, Steps};
use alembert_picture::chart::Mark;
use alembert_sim::account::{Account, Happening};
use alembert_sim::disk::{Borrowed, Channel};
use alembert_sim::from::LastRow;
use alembert_sim::limits::Limits;
use alembert_sim::record::{self, Draw, Order, Pauses, Trouble};
use alembert_sim::simulate::End;
use alembert_sim::{sheet, summary};
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::job::Job;
use super::progress::Terminal;
use super::report::{Pictures, Targets};
use super::{Integration, figures};
use crate::failure::{Failure, Status};
use crate::folder;
use crate::words::{self, say};

/// Options of `alembert run`.
#[derive(Args)]
pub struct Arguments {
    /// The model file, as models/pendulum.toml; with --resume the one that the run was begun with
    #[arg(value_name = "MODEL", required_unless_present = "resume")]
    pub model: Option<PathBuf>,
    /// Another value of a parameter, as m=2.5 (may be repeated)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// A scenario of the file
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    #[command(flatten)]
    pub integration: Integration,
    /// Write result and summary to this folder instead of the result to standard output
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Start from the last row of the result in this folder, instead of where the file says
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub from: Option<PathBuf>,
    /// Columns of the result besides t, as x,y (all if omitted)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "resume")]
    pub columns: Vec<String>,
    /// Continue the run in this folder, which was interrupted, ended by a limit or killed
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "format", "plot", "steps", "force"])]
    pub resume: Option<PathBuf>,
    /// Files of the result
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', default_value = "csv", requires = "out")]
    pub format: Vec<Format>,
    /// Draw figures (SVG) into the folder
    #[arg(long, requires = "out")]
    pub plot: bool,
    /// Write a page that moves: the motion, its curves and the verdict in one HTML file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub pictures: Pictures,
    /// Write every step to steps.csv, however many there are
    #[arg(long, requires = "out")]
    pub steps: bool,
    /// Replace files that alembert did not write
    #[arg(long)]
    pub force: bool,
    /// How often everything is saved, to be continued with --resume: as 60s, or 1000steps
    #[arg(long, value_name = "PAUSE", default_value = "60s", value_parser = pauses)]
    pub checkpoint: Pauses,
    /// End after so many steps; 20 million if omitted
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_steps: Option<u64>,
    /// End after so many rows of the result; 20 million if omitted
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_rows: Option<u64>,
    /// End after so many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub max_seconds: Option<f64>,
    /// Print the summary as JSON, and nothing else, to standard output
    #[arg(long)]
    pub json: bool,
    /// Exit with code 1 where there are warnings; results are written all the same
    #[arg(long)]
    pub strict: bool,
}

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Comma-separated text with the fewest digits that lose nothing
    Csv,
    /// NumPy's archive
    Npz,
    /// Apache Parquet, uncompressed
    Parquet,
}

impl From<Format> for record::Format {
    fn from(format: Format) -> record::Format {
        match format {
            Format::Csv => record::Format::Csv,
            Format::Npz => record::Format::Npz,
            Format::Parquet => record::Format::Parquet,
        }
    }
}

/// "60s" or "1000steps".
fn pauses(text: &str) -> Result<Pauses, String> {
    let told = || "write seconds, as 60s, or steps, as 1000steps".to_owned();
    if let Some(count) = text.strip_suffix("steps") {
        return count.trim().parse().ok().filter(|count| *count > 0).map(Pauses::Steps).ok_or_else(told);
    }
    seconds(text.strip_suffix('s').ok_or_else(told)?.trim()).map(Pauses::Seconds).map_err(|_| told())
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && seconds.is_finite());
    number.ok_or_else(|| "write a positive number of seconds".to_owned())
}

impl Arguments {
    /// What the run may come to; what is not said is checked before.
    fn limits(&self, run: &Run) -> Result<Limits, Failure> {
        let usual = Limits::default();
        let said = &run.limits;
        let [max_steps, max_rows] = [self.max_steps.or(said.steps), self.max_rows.or(said.rows)];
        let max_seconds = self.max_seconds.or(said.seconds);
        let unasked = |asked: Option<u64>, usual: u64| if asked.is_some() { u64::MAX } else { usual };
        Limits { steps: unasked(max_steps, usual.steps), rows: unasked(max_rows, usual.rows), seconds: None }
            .check(run)?;
        Ok(Limits {
            steps: max_steps.unwrap_or(usual.steps),
            rows: max_rows.unwrap_or(usual.rows),
            seconds: max_seconds,
        })
    }

    /// What was asked for; a run that is continued was asked for before.
    fn job(&self, saved: Option<&Value>) -> Result<Job, Failure> {
        let saved = saved.map(Job::read).transpose()?;
        match (saved, &self.model) {
            (Some(mut job), None) => {
                if !self.settings().is_empty() {
                    job.settings = self.settings();
                }
                job.integration = self.integration.clone().or(&job.integration);
                Ok(job)
            }
            (saved, Some(model)) => Ok(Job {
                model: model.clone(),
                text: super::read(model)?,
                settings: self.settings(),
                integration: self.integration.clone(),
                formats: saved.as_ref().map_or_else(|| self.formats(), |saved| saved.formats.clone()),
                plot: saved.as_ref().map_or(self.plot, |saved| saved.plot),
                steps: saved.as_ref().map_or(self.steps, |saved| saved.steps),
                from: match &saved {
                    Some(saved) => saved.from.clone(),
                    None => self.from.as_deref().map(LastRow::read).transpose()?,
                },
                columns: saved.as_ref().map_or_else(|| self.columns.clone(), |saved| saved.columns.clone()),
            }),
            (None, None) => Err(Failure::usage("no model is named".to_owned())),
        }
    }

    fn settings(&self) -> Vec<String> {
        super::with_scenario(&self.settings, self.scenario.as_ref())
    }

    fn formats(&self) -> Vec<Format> {
        // Each once, in the order of the table.
        let all = [Format::Csv, Format::Npz, Format::Parquet];
        all.into_iter().filter(|format| self.format.contains(format)).collect()
    }
}

/// Runs what was asked for.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let targets = Targets::new(arguments.report.as_deref(), &arguments.pictures, arguments.force)?;
    // Reports are made of the files of a run; who wants no others gets them in a place that is cleared afterwards.
    let own = arguments.resume.as_deref().or(arguments.out.as_deref());
    let passing = (own.is_none() && !targets.is_empty()).then(Passing::new);
    let place = own.or(passing.as_ref().map(|passing| passing.0.as_path()));
    let folder = place.map(|place| folder::open(place, "run")).transpose()?;
    let saved = match &folder {
        Some(folder) if arguments.resume.is_some() => match record::job_of(folder)? {
            Some(job) => Some(job),
            None => {
                say!("the run in {} is complete, there is nothing to resume", folder.path().display());
                return Ok(Status::Agrees);
            }
        },
        _ => None,
    };
    let job = arguments.job(saved.as_ref())?;
    let model = job.load()?;
    let run = job.integration.adjusted(&model.run)?;
    let formats: Vec<record::Format> = job.formats.iter().map(|format| (*format).into()).collect();
    let order = Order {
        model: &model,
        text: &job.text,
        run: &run,
        formats: &formats,
        every_step: job.steps,
        draws: job.plot,
        limits: arguments.limits(&run)?,
        pauses: arguments.checkpoint,
        words: job.json(),
    };
    for line in model.sharpness(run.t_start, run.t_end).words() {
        let done = match run.steps {
            Steps::ByError { .. } => "steps land there",
            Steps::Fixed { .. } => "prescribed steps do not land there",
        };
        words::write(format_args!("{line}: {done}\n"));
    }
    let terminal = Terminal::default();
    let account = match &folder {
        Some(folder) => {
            let draw = |account: &Account, curves: &_, steps: &_| {
                let errors =
                    account.summary.derived.map_or([None; 2], |errors| [errors.a, errors.multipliers].map(Some));
                let made = format!("{}, {}", run.method.name(), run.steps);
                let mark = |event: &Happening| Mark { x: event.t, label: event.name.clone() };
                let events = account.events.iter().map(mark).collect();
                let title = figures::Title { model: model.name.clone(), run: made, errors, events };
                Ok(figures::draw(&title, &model.shown_names(), curves, steps))
            };
            let draw: Option<Draw> = if job.plot { Some(&draw) } else { None };
            if arguments.resume.is_some() {
                record::resume(&order, folder, &terminal, draw)?
            } else {
                record::record(&order, folder, arguments.force, &terminal, draw)?
            }
        }
        None => {
            let mut stdout = io::stdout().lock();
            let out = (!arguments.json).then(|| Shown(io::BufWriter::new(Borrowed(&mut stdout))));
            record::show(&order, out, &terminal).map_err(|trouble| match trouble {
                Trouble::Failure(failure) => failure.into(),
                Trouble::Write(error) => Failure::from(error),
            })?
        }
    };
    tell(&model, &run, &account, folder.as_ref().filter(|_| passing.is_none()))?;
    if let Some(folder) = &folder {
        targets.write(folder.path())?;
    }
    if arguments.json {
        let told = summary::told(&model, &run, &account, &sheet::columns(&model));
        io::stdout().lock().write_all(format!("{told:#}\n").as_bytes())?;
    }
    Ok(match account.end {
        End::Reached | End::Event(_) if arguments.strict && !account.warnings.is_empty() => Status::Disagrees,
        End::Reached | End::Event(_) => Status::Agrees,
        End::Interrupted => Status::Interrupted,
        End::Limited(_) => Status::Limited,
        End::Failed(_) => Status::Disagrees,
    })
}

/// A folder that goes when nobody looks at it any more.
struct Passing(PathBuf);

impl Passing {
    fn new() -> Passing {
        let since =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        Passing(std::env::temp_dir().join(format!("alembert-{}-{since}", std::process::id())))
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        // What cannot be removed lies among temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Says how it went, and where everything is.
fn tell(
    model: &Model,
    run: &Run,
    account: &Account,
    folder: Option<&alembert_sim::folder::Folder>,
) -> Result<(), Failure> {
    let words = summary::words(model, run, account);
    // Who wants it quiet is told why there is no whole result, and no more.
    let (outcome, details) = words.split_at(words.find("\n  ").map_or(words.len(), |end| end + 1));
    match account.end.is_partial() {
        true => words::insist(format_args!("{outcome}")),
        false => words::write(format_args!("{outcome}")),
    }
    words::write(format_args!("{details}"));
    for warning in &account.warnings {
        words::insist(format_args!("warning: {warning}\n"));
    }
    let Some(folder) = folder else { return Ok(()) };
    let mut names = folder.written();
    // The summary comes last: where it is, everything is.
    names.sort_by_key(|name| name == "summary.json");
    for name in names {
        say!("wrote {}", folder.place(&name).display());
    }
    if matches!(account.end, End::Interrupted | End::Limited(_)) {
        say!("to go on: alembert run --resume {}", folder.path().display());
    }
    Ok(())
}

/// Standard output: nothing there can be made to last.
struct Shown<W>(W);

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> Channel for Shown<W> {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_seconds_or_steps() {
        assert_eq!(pauses("60s"), Ok(Pauses::Seconds(60.0)));
        assert_eq!(pauses("0.5 s"), Ok(Pauses::Seconds(0.5)));
        assert_eq!(pauses("1000steps"), Ok(Pauses::Steps(1000)));
        for bad in ["", "s", "60", "0s", "-1s", "0steps", "1.5steps", "infs", "NaNs", "steps"] {
            assert!(pauses(bad).is_err(), "{bad}");
        }
    }
}
