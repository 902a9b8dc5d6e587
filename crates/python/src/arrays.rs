//! States as rows of numbers, and rows as arrays of NumPy: one row for each quantity, one column for each time.

use alembert::State;
use alembert_model::Model;
use alembert_sim::Sheet;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;

/// Everything that is known of a state: t, coordinates, velocities, states, accelerations, multipliers, outputs.
pub struct Table<'m> {
    model: &'m Model,
    outputs: Vec<f64>,
}

impl<'m> Table<'m> {
    /// Of a model.
    pub fn new(model: &'m Model) -> Self {
        Table { model, outputs: vec![0.0; model.names.outputs.len()] }
    }

    /// How many numbers a state has.
    pub fn width(&self) -> usize {
        1 + self.model.names.columns().len()
    }

    /// The numbers of a state, in the order of all columns.
    pub fn numbers(&mut self, state: &State, mut take: impl FnMut(f64)) {
        let names = &self.model.names;
        self.model.outputs_into(state, &mut self.outputs);
        take(state.t);
        // Integrals and rates of states are nobody's business.
        let (q, a) = (&state.q[..names.q.len()], &state.a[..names.a.len()]);
        [q, &state.v, a, &state.lambda, &state.psi, &self.outputs].into_iter().flatten().for_each(|x| take(*x));
    }

    /// The numbers of some states, one quantity after the other.
    pub fn columns(&mut self, states: &[State]) -> Vec<f64> {
        let mut all = vec![0.0; self.width() * states.len()];
        for (k, state) in states.iter().enumerate() {
            let mut at = k;
            self.numbers(state, |x| {
                all[at] = x;
                at += states.len();
            });
        }
        all
    }
}

/// Numbers as an array of so many rows, without a copy.
pub fn matrix(py: Python<'_>, numbers: Vec<f64>, rows: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let columns = numbers.len().checked_div(rows).unwrap_or(0);
    PyArray1::from_vec(py, numbers).reshape([rows, columns])
}

/// An array with a row for each column of a table.
pub fn sheet(columns: Vec<String>, numbers: &PyReadonlyArray2<'_, f64>) -> Sheet {
    let numbers = numbers.as_array();
    let rows = (0..numbers.ncols()).map(|k| numbers.column(k).to_vec()).collect();
    Sheet { columns, rows }
}

/// The numbers of a sheet as an array with a row for each of its columns.
pub fn transposed<'py>(py: Python<'py>, sheet: &Sheet) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let count = sheet.rows.len();
    let mut all = vec![0.0; count * sheet.columns.len()];
    for (k, row) in sheet.rows.iter().enumerate() {
        row.iter().enumerate().for_each(|(i, x)| all[i * count + k] = *x);
    }
    matrix(py, all, sheet.columns.len())
}
