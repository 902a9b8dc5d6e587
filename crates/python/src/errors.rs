//! What went wrong, as exceptions of `alembert._errors`: message, hint and whom to blame are fields.

use alembert_model::Mistakes;
use alembert_sim::Failure;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// The exception that Python makes of a description.
fn raised(py: Python<'_>, described: &Value) -> PyErr {
    let made = py
        .import("alembert._errors")
        .and_then(|module| module.call_method1("exception", (described.to_string(),)))
        .map(PyErr::from_value);
    made.unwrap_or_else(|error| error)
}

/// A failure.
pub fn failed(py: Python<'_>, failure: &Failure) -> PyErr {
    raised(py, &failure.json())
}

/// A failure at a time.
pub fn failed_at(py: Python<'_>, failure: &Failure, t: f64) -> PyErr {
    let mut described = failure.json();
    described["time"] = json!(t);
    raised(py, &described)
}

/// Everything that is wrong with a file.
pub fn mistaken(py: Python<'_>, mistakes: &Mistakes) -> PyErr {
    let list = mistakes.list().iter().map(|mistake| {
        let place = mistake.span.map(|span| mistakes.position(span));
        json!({
            "message": mistake.message,
            "hint": mistake.hint,
            "line": place.map(|(line, _)| line),
            "column": place.map(|(_, column)| column),
        })
    });
    let list: Vec<Value> = list.collect();
    raised(py, &json!({ "kind": "mistakes", "message": mistakes.to_string(), "mistakes": list }))
}
