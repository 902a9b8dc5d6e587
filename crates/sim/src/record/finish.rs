//! The end of a run: streams get their last names, archives and figures are made, the summary comes last.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use super::order::{Format, Order, SPOOL, partial};
use super::saved::CHECKPOINT;
use super::streams::Streams;
use crate::account::Account;
use crate::curves::Curves;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::sheet::{self, Sheet};
use crate::sink::read_spool;
use crate::summary;

/// Names of files and their contents.
pub type Drawn = Vec<(String, String)>;

/// Draws figures from the curves of the result and from the steps.
pub type Draw<'a> = &'a dyn Fn(&Account, &Curves, &Sheet) -> Result<Drawn, Failure>;

/// Kinds of figures; further ones of a kind have a number behind it, as `coordinates-2`.
const FIGURES: [&str; 10] = [
    "coordinates",
    "velocities",
    "states",
    "accelerations",
    "reactions",
    "outputs",
    "energy",
    "balance",
    "steps",
    "residuals",
];

/// Whether a figure of a run may be called so.
pub fn is_figure(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".svg") else { return false };
    let kind = match stem.rsplit_once('-') {
        Some((kind, number)) if number.parse::<usize>().is_ok() => kind,
        _ => stem,
    };
    FIGURES.contains(&kind)
}

fn work(error: io::Error) -> Failure {
    Failure::work(error.to_string())
}

/// Ends a run.
pub fn finish(
    order: &Order,
    folder: &Folder,
    mut streams: Streams,
    account: &Account,
    draw: Option<Draw>,
) -> Result<(), Failure> {
    streams.end().map_err(work)?;
    let is_partial = account.end.is_partial();
    let called = |name: &str| if is_partial { partial(name) } else { name.to_owned() };
    let width = order.head().columns.len() + order.head().beside.len();
    let spool = folder.place(&partial(SPOOL));
    if order.formats.contains(&Format::Npz) {
        let mut rows = |look: &mut dyn FnMut(&[f64]) -> io::Result<()>| read_spool(File::open(&spool)?, width, look);
        folder.write_with(&called("result.npz"), |out| {
            sheet::npz_of(&order.model.shown_names(), account.rows, order.energies(), &mut rows, out)
        })?;
    }
    let columns = sheet::step_columns(sheet::has_energy(order.model));
    let steps = Sheet { columns, rows: streams.excerpt.rows().map(<[f64]>::to_vec).collect() };
    drop(streams);
    if !order.every_step {
        folder.write_with(&called("steps.csv"), |out| steps.write_csv(out))?;
    }
    if let Some(draw) = draw {
        let mut curves = Curves::new(sheet::columns(order.model));
        let read = if order.formats.contains(&Format::Csv) {
            File::open(folder.place(&partial("result.csv"))).and_then(|file| read_csv(file, &mut curves))
        } else {
            File::open(&spool).and_then(|file| {
                read_spool(file, width, |row| {
                    curves.push(row);
                    Ok(())
                })
            })
        };
        read.map_err(work)?;
        folder.write_all(&draw(account, &curves, &steps)?)?;
    }
    if !is_partial {
        let moves: Vec<(PathBuf, String)> = order.streams().map(|name| (folder.place(&partial(&name)), name)).collect();
        folder.settle(&moves)?;
    }
    let mut told = summary::told(order.model, order.run, account, &sheet::columns(order.model));
    // With the model and all options a report can be made of the folder alone, and the run be made again.
    told["asked"] = order.words.clone();
    // The summary comes last: where it is, everything is.
    folder.write("summary.json", &format!("{told:#}\n"))?;
    if !is_partial {
        // The checkpoint goes first: as long as it is there, everything is that it takes to go on.
        folder.remove(CHECKPOINT)?;
        folder.remove(&partial(SPOOL))?;
    }
    folder.close()
}

/// Shows the rows of a table of numbers to curves; its first line is passed over.
fn read_csv(file: File, curves: &mut Curves) -> io::Result<()> {
    each_row(file, |row| curves.push(row)).map(|_| ())
}

/// Shows the rows of a table of numbers one by one; the names of its columns.
///
/// # Errors
/// If it cannot be read, or is none.
pub fn each_row(file: File, mut look: impl FnMut(&[f64])) -> io::Result<Vec<String>> {
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut lines = BufReader::with_capacity(1 << 18, file).lines();
    let first = lines.next().ok_or_else(|| bad("it is empty"))??;
    let columns = sheet::names(&first);
    let mut row = Vec::with_capacity(columns.len());
    for line in lines {
        row.clear();
        for value in line?.split(',') {
            row.push(value.parse().map_err(|_| bad("it is not a table of numbers"))?);
        }
        if row.len() != columns.len() {
            return Err(bad("it is not a table of numbers"));
        }
        look(&row);
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::is_figure;

    #[test]
    fn figures_are_known_by_their_names() {
        assert!(is_figure("coordinates.svg") && is_figure("reactions-12.svg"));
        for other in ["my-coordinates.svg", "coordinates-old.svg", "mechanism-2.svg", "coordinates.csv", "energy"] {
            assert!(!is_figure(other), "{other}");
        }
    }
}
