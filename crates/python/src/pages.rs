//! Reports, pictures and folders of runs.

use std::path::PathBuf;

use alembert_picture::{Arrangement, Film, Look, animate_svg, contact_sheet, raster, svg};
use alembert_sim::disk::Disk;
use alembert_sim::folder::Folder;
use alembert_sim::report::{self as reports, Page, Recorded, Still};
use alembert_sim::{Failure, save as saving};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value;

use crate::arrays::{sheet, transposed};
use crate::errors::failed;
use crate::model::Model;

/// A table from Python: names of columns, and a row of numbers for each.
type Table<'py> = (Vec<String>, PyReadonlyArray2<'py, f64>);

fn summary_of(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::usage(format!("the summary cannot be read: {error}")))
}

/// The bytes of a page.
pub fn bytes(page: &Page) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    page.write(&mut bytes).map_err(|error| Failure::work(error.to_string()))?;
    Ok(bytes)
}

fn handed<'py>(py: Python<'py>, made: Result<Vec<u8>, Failure>) -> PyResult<Bound<'py, PyBytes>> {
    made.map(|bytes| PyBytes::new(py, &bytes)).map_err(|failure| failed(py, &failure))
}

/// The page of a run, from its summary and tables; it moves where there is a model.
#[pyfunction]
pub fn report<'py>(
    py: Python<'py>,
    model: Option<PyRef<'_, Model>>,
    summary: &str,
    rows: Table<'_>,
    steps: Table<'_>,
) -> PyResult<Bound<'py, PyBytes>> {
    let model = model.map(|model| model.inner.clone());
    let (rows, steps) = (sheet(rows.0, &rows.1), sheet(steps.0, &steps.1));
    let made = py.detach(|| {
        let run = Recorded::of("run", summary_of(summary)?, rows, steps);
        let still = || Still("the model is not there any more".to_owned());
        bytes(&reports::report(&run, model.as_deref().ok_or_else(still)))
    });
    handed(py, made)
}

/// The page of a certificate, from its JSON.
#[pyfunction]
pub fn report_certificate<'py>(py: Python<'py>, found: &str) -> PyResult<Bound<'py, PyBytes>> {
    handed(py, summary_of(found).and_then(|found| bytes(&reports::report_certificate(&found))))
}

/// A picture of a motion: one that moves, or several instants beside or over each other; SVG or PNG.
#[pyfunction]
#[pyo3(signature = (model, rows, *, moves, png, count = 6, overlay = false, width = 640, arrows = true))]
pub fn picture<'py>(
    py: Python<'py>,
    model: PyRef<'_, Model>,
    rows: Table<'_>,
    moves: bool,
    png: bool,
    count: usize,
    overlay: bool,
    width: u32,
    arrows: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let (model, rows) = (model.inner.clone(), sheet(rows.0, &rows.1));
    let made = py.detach(|| {
        let still = |Still(why)| Failure::usage(format!("there is no picture of this motion: {why}"));
        let (scene, motion) = reports::motion(&model, &rows).map_err(still)?;
        let look = Look { width: f64::from(width), title: model.name.clone(), arrows, ..Look::default() };
        if moves {
            let film = Film::default();
            return Ok(match png {
                true => raster::apng(&scene, &motion, &look, &film, 1.0),
                false => animate_svg(&scene, &motion, &look, &film).into_bytes(),
            });
        }
        let arrangement = if overlay { Arrangement::Over } else { Arrangement::Beside };
        let sketch = contact_sheet(&scene, &motion, &look, count, arrangement);
        Ok(if png { raster::png(&sketch, 2.0) } else { svg::write(&sketch).into_bytes() })
    });
    handed(py, made)
}

/// Writes a run to a folder, as the program does.
#[pyfunction]
pub fn save(
    py: Python<'_>,
    folder: PathBuf,
    summary: &str,
    rows: Table<'_>,
    steps: Table<'_>,
    force: bool,
) -> PyResult<()> {
    let (rows, steps) = (sheet(rows.0, &rows.1), sheet(steps.0, &steps.1));
    let done = py.detach(|| {
        let folder = Folder::open(&folder, "run", &Disk::new())?;
        saving::save(&rows, &steps, &summary_of(summary)?, &folder, force)
    });
    done.map_err(|failure| failed(py, &failure))
}

/// A table of numbers with a row for each of its columns.
type Numbers<'py> = (Vec<String>, Bound<'py, PyArray2<f64>>);

/// Reads a folder of a run: its summary, rows and steps.
#[pyfunction]
pub fn read<'py>(py: Python<'py>, folder: PathBuf) -> PyResult<(String, Numbers<'py>, Numbers<'py>)> {
    let found = py.detach(|| Recorded::read_whole(&folder));
    let run = found.map_err(|failure| failed(py, &failure))?;
    let (rows, steps) = (run.rows(), run.steps());
    let rows = (rows.columns.clone(), transposed(py, rows)?);
    let steps = (steps.columns.clone(), transposed(py, steps)?);
    Ok((run.summary.to_string(), rows, steps))
}

/// How to cite a run.
#[pyfunction]
pub fn citation(method: &str, steps: &str) -> String {
    reports::citation(method, steps)
}
