//! A compiled model file.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alembert::{Dynamics, State};
use alembert_model::source::{Files, NoFiles, Source};
use alembert_model::{Mistakes, Names, Program};
use alembert_sim::find::solved;
use alembert_sim::simulate::{simulate, simulate_densely};
use alembert_sim::{Beside, Failure, Wishes, check, sheet, start, summary, verify};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Map, Value, json};

use crate::arrays::{Table, matrix, transposed};
use crate::errors::{failed, mistaken};
use crate::functions::Functions;
use crate::motion::Motion;
use crate::work::{Raised, work};

/// A model.
#[pyclass(frozen, module = "alembert._alembert")]
pub(crate) struct Model {
    pub inner: Arc<alembert_model::Model>,
    /// Where exceptions of its functions are kept, if it calls any of Python.
    pub raised: Option<Arc<Raised>>,
    program: Program,
}

/// Names with values as text.
pub type Settings = Vec<(String, String)>;

/// Why a file was refused, and its mistakes if these were the reason.
pub struct Refusal {
    pub failure: Failure,
    mistakes: Option<Mistakes>,
}

/// Compiles a file; what it names is given, or beside it, or nowhere.
pub fn compiled(
    (name, text): (&str, &str),
    settings: &[(String, String)],
    (folder, files): (Option<&Path>, Option<&Files>),
    program: &Program,
) -> Result<alembert_model::Model, Box<Refusal>> {
    let beside = folder.map(|folder| Beside::new(&folder.join("model.toml")));
    let source: &dyn Source = match (files, &beside) {
        (Some(files), _) => files,
        (None, Some(beside)) => beside,
        (None, None) => &NoFiles,
    };
    let told = RefCell::new(None);
    let model = solved(settings, |settings| {
        alembert_model::Model::parse_given(name, text, settings, source, program).map_err(|mistakes| {
            let failure = Failure::mistakes(mistakes.to_string());
            *told.borrow_mut() = Some(mistakes);
            failure
        })
    });
    model.map_err(|failure| Box::new(Refusal { failure, mistakes: told.into_inner() }))
}

/// Options of a run, which Python gives as JSON.
pub fn wishes(options: &str) -> Result<Wishes, Failure> {
    let object: Map<String, Value> =
        serde_json::from_str(options).map_err(|error| Failure::usage(format!("options cannot be read: {error}")))?;
    Wishes::read(&object)
}

/// A table of numbers with a row for each of its columns, by its names.
type Numbers<'py> = (Vec<String>, Bound<'py, PyArray2<f64>>);

/// What a run gives to Python: rows, steps, summary, words, events (number, time, rising, rows before and after), and the motion in between.
type Ran<'py> = (Bound<'py, PyArray2<f64>>, Numbers<'py>, String, String, Vec<Happened>, Option<Motion>);
type Happened = (usize, f64, bool, String, Vec<f64>, Vec<f64>);

#[pymethods]
impl Model {
    /// Compiles a model file. Settings are parameters with their values as text.
    #[new]
    #[pyo3(signature = (name, text, settings, folder = None, files = None, functions = None))]
    fn new(
        py: Python<'_>,
        name: &str,
        text: &str,
        settings: Settings,
        folder: Option<PathBuf>,
        files: Option<Files>,
        functions: Option<PyRef<'_, Functions>>,
    ) -> PyResult<Model> {
        let program = functions.as_ref().map(|functions| functions.program()).unwrap_or_default();
        let raised =
            functions.filter(|functions| functions.calls_python()).map(|functions| Arc::clone(&functions.raised));
        let found = py.detach(|| compiled((name, text), &settings, (folder.as_deref(), files.as_ref()), &program));
        if let Some(error) = raised.as_ref().and_then(|raised| raised.take()) {
            return Err(error);
        }
        match found {
            Ok(model) => Ok(Model { inner: Arc::new(model), raised, program }),
            Err(refusal) => Err(match &refusal.mistakes {
                Some(mistakes) => mistaken(py, mistakes),
                None => failed(py, &refusal.failure),
            }),
        }
    }

    /// What the model is, as JSON: names, parameters, events, inputs, and how it is run.
    fn facts(&self) -> String {
        let model = &*self.inner;
        let Names { q, v, states, a, lambda, psi, outputs, holonomic, nonholonomic, said } = &model.names;
        let said = said.iter().map(|said| json!({ "column": said.column, "unit": said.unit, "label": said.label }));
        json!({
            "name": model.name,
            "description": model.description,
            "parameters": model.parameters.iter().map(|(name, value)| json!([name, value])).collect::<Vec<_>>(),
            "found": model.found.iter().map(|(name, value)| json!([name, value])).collect::<Vec<_>>(),
            "scenario": model.scenario,
            "q": q, "v": v, "states": states, "a": a, "lambda": lambda, "psi": psi, "outputs": outputs,
            "holonomic": holonomic, "nonholonomic": nonholonomic,
            "said": said.collect::<Vec<_>>(),
            "shown": sheet::columns(model),
            "events": model.events.iter().map(|event| &event.name).collect::<Vec<_>>(),
            "inputs": model.inputs.iter().map(|input| &input.name).collect::<Vec<_>>(),
            "results": model.results.iter().map(|result| &result.name).collect::<Vec<_>>(),
            "mechanism": model.system.mechanism().is_some(),
            "moves": model.view.is_some(),
            "t_start": model.run.t_start,
            "t_end": model.run.t_end,
            "method": model.run.method.name(),
            "steps": model.run.steps.to_string(),
            "notes": model.notes.iter().map(|(note, hint)| json!([note, hint])).collect::<Vec<_>>(),
        })
        .to_string()
    }

    /// The files that the model has read.
    fn files<'py>(&self, py: Python<'py>) -> BTreeMap<String, Bound<'py, PyBytes>> {
        self.inner.files.iter().map(|(name, bytes)| (name.clone(), PyBytes::new(py, bytes))).collect()
    }

    /// Whether functions of a program take part.
    fn has_functions(&self) -> bool {
        self.program.system.is_some() || !self.program.events.is_empty()
    }

    /// What can be said without a run: words, and the same as JSON.
    fn check(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let model = Arc::clone(&self.inner);
        work(py, self.raised.as_ref(), None, move |_| {
            let found = check::check(&model);
            (format!("{}{}", check::sizes(&model), found.words), check::json(&model, &found).to_string())
        })
    }

    /// The consistent start: its numbers, and what was done to get there as words and as JSON.
    fn consistent<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyArray1<f64>>, Vec<String>, String)> {
        let model = Arc::clone(&self.inner);
        let found = work(py, self.raised.as_ref(), None, move |_| start::start(&model))?;
        let (state, begun) = found.map_err(|failure| failed(py, &failure))?;
        let mut numbers = Vec::new();
        Table::new(&self.inner).numbers(&state, |x| numbers.push(x));
        Ok((PyArray1::from_vec(py, numbers), begun.lines(), begun.json().to_string()))
    }

    /// Accelerations and multipliers at coordinates and velocities, as numbers of a row.
    fn dynamics<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        q: PyReadonlyArray1<'_, f64>,
        v: PyReadonlyArray1<'_, f64>,
        states: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let model = Arc::clone(&self.inner);
        let guess = &model.guess;
        let (mut q, mut v, states) = (q.as_slice()?.to_vec(), v.as_slice()?.to_vec(), states.as_slice()?);
        let names = &model.names;
        for (what, given, wanted) in
            [("q", q.len(), names.q.len()), ("v", v.len(), names.v.len()), ("states", states.len(), names.states.len())]
        {
            if given != wanted {
                let message = format!("{what}: {wanted} numbers are wanted, and {given} are given");
                return Err(PyValueError::new_err(message));
            }
        }
        v.extend_from_slice(states);
        q.resize(guess.q.len(), 0.0);
        let (a, lambda, psi) = (vec![0.0; v.len()], vec![0.0; guess.lambda.len()], vec![0.0; guess.psi.len()]);
        let mut state = State { t, q, v, a, lambda, psi };
        let system = Arc::clone(&model.system);
        let found = work(py, self.raised.as_ref(), None, move |_| {
            let done = Dynamics::new(system).complete(&mut state);
            done.map(|()| state).map_err(|error| Failure::of(&error))
        })?;
        let state = found.map_err(|failure| failed(py, &failure))?;
        let mut numbers = Vec::new();
        Table::new(&self.inner).numbers(&state, |x| numbers.push(x));
        Ok(PyArray1::from_vec(py, numbers))
    }

    /// Runs it. Options are those of `[run]`, as JSON; `dense` keeps the motion between rows.
    #[pyo3(signature = (options, dense, progress = None))]
    fn run<'py>(&self, py: Python<'py>, options: &str, dense: bool, progress: Option<Py<PyAny>>) -> PyResult<Ran<'py>> {
        let model = Arc::clone(&self.inner);
        let wishes = wishes(options).map_err(|failure| failed(py, &failure))?;
        let run = wishes.apply(&model.run).map_err(|failure| failed(py, &failure))?;
        let (made, chosen, raised) = (Arc::clone(&model), run.clone(), self.raised.clone());
        let found = work(py, self.raised.as_ref(), progress, move |watcher| {
            let before = raised.as_ref().map(|raised| raised.ends_at(chosen.t_end));
            let found = if dense {
                simulate_densely(&made, &chosen, watcher).map(|(found, dense)| (found, Some(dense)))
            } else {
                simulate(&made, &chosen, watcher).map(|found| (found, None))
            };
            raised.iter().zip(before).for_each(|(raised, before)| _ = raised.ends_at(before));
            found
        })?;
        let (trajectory, dense) = found.map_err(|failure| failed(py, &failure))?;
        let mut table = Table::new(&model);
        let rows = table.columns(&trajectory.states);
        let numbered = |name: &str| model.events.iter().position(|event| event.name == name).unwrap_or(usize::MAX);
        let events = trajectory.events.iter().map(|event| {
            let mut row = |state: &State| {
                let mut numbers = Vec::new();
                table.numbers(state, |x| numbers.push(x));
                numbers
            };
            let (before, after) = (row(&event.before), row(&event.after));
            (numbered(&event.name), event.t, event.rising, event.name.clone(), before, after)
        });
        let events: Vec<Happened> = events.collect();
        let steps = sheet::steps(&trajectory.steps);
        let account = alembert_sim::account::Account::of(&trajectory);
        let told = summary::told(&model, &run, &account, &sheet::columns(&model)).to_string();
        let words = summary::words(&model, &run, &account);
        let rows = matrix(py, rows, table.width())?;
        let steps = (steps.columns.clone(), transposed(py, &steps)?);
        let motion = dense.map(|dense| Motion::new(Arc::clone(&model), dense, self.raised.clone()));
        Ok((rows, steps, told, words, events, motion))
    }

    /// How far a run can be trusted: words, the same as JSON, and whether nothing is in doubt.
    #[pyo3(signature = (options, progress = None))]
    fn verify(&self, py: Python<'_>, options: &str, progress: Option<Py<PyAny>>) -> PyResult<(String, String, bool)> {
        let model = Arc::clone(&self.inner);
        let wishes = wishes(options).map_err(|failure| failed(py, &failure))?;
        let run = wishes.apply(&model.run).map_err(|failure| failed(py, &failure))?;
        let found = work(py, self.raised.as_ref(), progress, move |watcher| {
            let found = verify::certify(&model, &run, watcher)?;
            Ok((found.words(&model, &run), found.json(&model, &run).to_string(), found.is_trusted()))
        })?;
        found.map_err(|failure: Failure| failed(py, &failure))
    }
}
