//! The motion of a run between its rows.

use std::sync::Arc;

use alembert::State;
use alembert_sim::Failure;
use alembert_sim::dense::Dense;
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::arrays::{Table, matrix};
use crate::errors::failed;
use crate::work::{Raised, work};

/// A motion that knows its state at any time.
#[pyclass(frozen, module = "alembert._alembert")]
pub(crate) struct Motion {
    model: Arc<alembert_model::Model>,
    dense: Arc<Dense>,
    raised: Option<Arc<Raised>>,
}

impl Motion {
    /// Of a run.
    pub fn new(model: Arc<alembert_model::Model>, dense: Dense, raised: Option<Arc<Raised>>) -> Motion {
        Motion { model, dense: Arc::new(dense), raised }
    }
}

#[pymethods]
impl Motion {
    /// All columns at some times, one row for each.
    fn at<'py>(
        &self,
        py: Python<'py>,
        times: PyReadonlyArray1<'_, f64>,
        before: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let times = times.as_array().to_vec();
        let dense = Arc::clone(&self.dense);
        let found = work(py, self.raised.as_ref(), None, move |_| {
            times.iter().map(|t| dense.at(*t, before)).collect::<Result<Vec<State>, Failure>>()
        })?;
        let states = found.map_err(|failure| failed(py, &failure))?;
        let mut table = Table::new(&self.model);
        let numbers = table.columns(&states);
        matrix(py, numbers, table.width())
    }

    /// The first and the last time that are known.
    fn range(&self) -> (f64, f64) {
        self.dense.range()
    }
}
