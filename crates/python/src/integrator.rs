//! A run step by step.

use std::sync::{Arc, Mutex, PoisonError};

use alembert::{Action, ConsistentState};
use alembert_model::run::Run;
use alembert_sim::simulate::prepare;
use alembert_sim::{Failure, start};
use numpy::PyArray1;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use crate::arrays::Table;
use crate::errors::{failed, failed_at};
use crate::model::{Model, wishes};
use crate::work::{Raised, work};

/// An integration under way.
#[pyclass(frozen, module = "alembert._alembert")]
pub(crate) struct Integrator {
    model: Arc<alembert_model::Model>,
    raised: Option<Arc<Raised>>,
    run: Run,
    under_way: Arc<Mutex<UnderWay>>,
}

struct UnderWay {
    integrator: alembert::Integrator<'static>,
    /// Whether an event has said stop.
    stopped: bool,
}

/// A step: its length, and the names of its events.
type Step = (f64, Vec<String>);

#[pymethods]
impl Integrator {
    /// Of a model, with options as JSON.
    #[new]
    fn new(py: Python<'_>, model: PyRef<'_, Model>, options: &str) -> PyResult<Integrator> {
        let inner = Arc::clone(&model.inner);
        let run =
            wishes(options).and_then(|wishes| wishes.adjusted(&inner.run)).map_err(|failure| failed(py, &failure))?;
        model.raised.iter().for_each(|raised| _ = raised.ends_at(run.t_end));
        let (made, chosen) = (Arc::clone(&inner), run.clone());
        let begun = work(py, model.raised.as_ref(), None, move |_| {
            let (begin, _): (ConsistentState, _) = start::start(&made)?;
            prepare(&made, &chosen, &begin)
        })?;
        let integrator = begun.map_err(|failure| failed(py, &failure))?;
        let under_way = Arc::new(Mutex::new(UnderWay { integrator, stopped: false }));
        Ok(Integrator { model: inner, raised: model.raised.clone(), run, under_way })
    }

    /// Makes a step towards a time, the end of the run if none is given; nothing if it is there, or an event has said stop.
    #[pyo3(signature = (t_end = None))]
    fn step(&self, py: Python<'_>, t_end: Option<f64>) -> PyResult<Option<Step>> {
        let (under_way, t_end) = (Arc::clone(&self.under_way), t_end.unwrap_or(self.run.t_end));
        let made = work(py, self.raised.as_ref(), None, move |_| {
            let mut under_way = under_way.lock().unwrap_or_else(PoisonError::into_inner);
            let UnderWay { integrator, stopped } = &mut *under_way;
            let t = integrator.state().t;
            if *stopped || t_end - t <= 1e-12 * t_end.abs().max(t.abs()) {
                return Ok(None);
            }
            let step = integrator.step(t_end).map_err(|error| (Failure::of(&error), t))?;
            *stopped = step.events.iter().any(|event| event.action == Action::Stop);
            Ok(Some((step.h, step.events.iter().map(|event| event.name.clone()).collect())))
        })?;
        made.map_err(|(failure, t)| failed_at(py, &failure, t))
    }

    /// The numbers of the present state, in the order of all columns.
    fn numbers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let under_way = Arc::clone(&self.under_way);
        let state = py.detach(|| under_way.lock().unwrap_or_else(PoisonError::into_inner).integrator.state().clone());
        let mut numbers = Vec::new();
        Table::new(&self.model).numbers(&state, |x| numbers.push(x));
        PyArray1::from_vec(py, numbers)
    }

    /// Gives an input a value from here on.
    fn set(&self, py: Python<'_>, name: &str, value: f64) -> PyResult<()> {
        let Some(input) = self.model.inputs.iter().find(|input| input.name == name).cloned() else {
            let names: Vec<&str> = self.model.inputs.iter().map(|input| input.name.as_str()).collect();
            let known = if names.is_empty() {
                "the model has none".to_owned()
            } else {
                format!("they are {}", names.join(", "))
            };
            return Err(PyKeyError::new_err(format!("there is no input `{name}`: {known}")));
        };
        let under_way = Arc::clone(&self.under_way);
        let done = work(py, self.raised.as_ref(), None, move |_| {
            let mut under_way = under_way.lock().unwrap_or_else(PoisonError::into_inner);
            let t = under_way.integrator.state().t;
            input.set(&mut under_way.integrator, value).map_err(|error| (Failure::of(&error), t))
        })?;
        done.map_err(|(failure, t)| failed_at(py, &failure, t))
    }

    /// The end of the run.
    fn t_end(&self) -> f64 {
        self.run.t_end
    }
}
