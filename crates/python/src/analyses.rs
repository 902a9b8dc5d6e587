//! Many runs: sweeps over parameters, comparisons of methods.

use std::path::PathBuf;

use alembert_model::Program;
use alembert_model::source::Files;
use alembert_sim::compare::{compare as compared, methods, origin, sheet};
use alembert_sim::report::report_comparison;
use alembert_sim::sweep::{self as sweeps, Axis, Grid};
use alembert_sim::{Failure, compare as comparisons};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::matrix;
use crate::errors::failed;
use crate::model::{Model, Settings, compiled, wishes};
use crate::pages::bytes;
use crate::work::work;

/// Names of columns, a row of numbers for each of them, and for each run: outcome, steps, change of energy, warnings.
type Swept<'py> = (Vec<String>, Bound<'py, PyArray2<f64>>, Vec<(String, u64, Option<f64>, Vec<String>)>);

/// Runs a model for every combination of the values of parameters, the last parameter fastest, on so many threads (0: all).
#[pyfunction]
#[pyo3(signature = (name, text, settings, folder, files, axes, options, jobs, progress = None))]
pub fn sweep<'py>(
    py: Python<'py>,
    name: String,
    text: String,
    settings: Settings,
    folder: Option<PathBuf>,
    files: Option<Files>,
    axes: Vec<Axis>,
    options: &str,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Swept<'py>> {
    let wishes = wishes(options).map_err(|failure| failed(py, &failure))?;
    let grid = Grid::new(&axes, 0, 1).map_err(|failure| failed(py, &failure))?;
    let found = work(py, None, progress, move |watcher| {
        let points: Vec<sweeps::Point> = (0..grid.len()).map(|k| grid.point(k)).collect();
        let make = |point: &sweeps::Point| {
            let settings: Settings = settings.iter().chain(point).cloned().collect();
            let model = compiled((&name, &text), &settings, (folder.as_deref(), files.as_ref()), &Program::default());
            let model = model.map_err(|refusal| refusal.failure)?;
            let run = wishes.apply(&model.run)?;
            Ok((model, run))
        };
        sweeps::sweep(&points, jobs, make, watcher)
    })?;
    let rows: Vec<sweeps::Row> = found.into_iter().flatten().collect();
    let columns = rows.iter().find(|row| !row.columns.is_empty()).map(|row| row.columns.clone()).unwrap_or_default();
    let mut numbers = vec![f64::NAN; columns.len() * rows.len()];
    for (k, row) in rows.iter().enumerate().filter(|(_, row)| row.failure.is_none()) {
        row.values.iter().enumerate().for_each(|(i, x)| numbers[i * rows.len() + k] = *x);
    }
    let told = rows.iter().map(|row| {
        let outcome = row.failure.as_ref().map_or_else(|| "reached".to_owned(), ToString::to_string);
        (outcome, row.steps, row.energy_change, row.warnings.iter().map(ToString::to_string).collect())
    });
    let told = told.collect();
    let count = columns.len();
    Ok((columns, matrix(py, numbers, count)?, told))
}

/// Lines of JSON, a table for people, what errors are measured against, and a page.
type Compared<'py> = (String, String, String, Bound<'py, PyBytes>);

/// Compares methods on a model, up to the end that options may name.
#[pyfunction]
#[pyo3(signature = (model, name, chosen, options, repeats, progress = None))]
pub fn compare<'py>(
    py: Python<'py>,
    model: PyRef<'_, Model>,
    name: String,
    chosen: Vec<String>,
    options: &str,
    repeats: u32,
    progress: Option<Py<PyAny>>,
) -> PyResult<Compared<'py>> {
    let mut inner = (*model.inner).clone();
    let wishes = wishes(options).map_err(|failure| failed(py, &failure))?;
    inner.run = wishes.apply(&inner.run).map_err(|failure| failed(py, &failure))?;
    let found = work(py, model.raised.as_ref(), progress, move |watcher| -> Result<_, Failure> {
        let problem = comparisons::problem(inner, &name)?;
        let mut candidates = methods();
        if let Some(stranger) = chosen.iter().find(|name| !candidates.iter().any(|method| method.name == **name)) {
            let known: Vec<&str> = candidates.iter().map(|method| method.name).collect();
            let hint = format!("the methods are {}", known.join(", "));
            return Err(Failure::usage(format!("unknown method `{stranger}`")).with_hint(hint));
        }
        candidates.retain(|method| chosen.is_empty() || chosen.iter().any(|name| name == method.name));
        let runs = compared(&problem, &candidates, repeats, 1.0, watcher)?;
        let lines = sheet::table(&runs).json_lines("problem", problem.name);
        let (brief, origin) = (sheet::brief(&runs).terminal() + &sheet::notes(&runs), origin(&problem).to_string());
        let page = bytes(&report_comparison(&format!("{}: {}", problem.name, problem.title), &runs, &origin))?;
        Ok((lines, brief, origin, page))
    })?;
    let (lines, brief, origin, page) = found.map_err(|failure| failed(py, &failure))?;
    Ok((lines, brief, origin, PyBytes::new(py, &page)))
}
