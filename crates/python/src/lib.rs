//! The rim for Python: models, runs and functions of Python, as the compiled module `alembert._alembert`.
//!
//! ```text
//! python/alembert   what users see: typed, documented, pure Python
//!   _alembert       this: calls `sim` and hands over numbers as arrays, everything else as JSON
//! ```
//!
//! There is no logic here. Work is done without the interpreter's lock and ends within a moment of Ctrl-C (`work.rs`); what goes
//! wrong becomes an exception with fields (`errors.rs`); functions of Python become a system (`functions.rs`).

mod analyses;
mod arrays;
mod errors;
mod functions;
mod integrator;
mod model;
mod motion;
mod pages;
mod work;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Does what the command line of `alembert` asks for; the exit code.
#[pyfunction]
fn program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| alembert_cli::run(arguments))
}

/// The text of a model file in order; none if it is not TOML.
#[pyfunction]
fn formatted(text: &str) -> Option<String> {
    alembert_model::formatted(text)
}

/// The methods with their parameters, as JSON.
#[pyfunction]
fn methods() -> String {
    let described = alembert::catalogue::METHODS.iter().map(|entry| {
        let parameters = entry.parameters.iter();
        let parameters: Vec<_> = parameters
            .map(|one| serde_json::json!({ "name": one.name, "says": one.says, "brief": one.brief }))
            .collect();
        serde_json::json!({ "name": entry.name, "says": entry.says, "parameters": parameters })
    });
    serde_json::Value::from(described.collect::<Vec<_>>()).to_string()
}

#[pymodule]
fn _alembert(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<motion::Motion>()?;
    module.add_class::<integrator::Integrator>()?;
    module.add_class::<functions::Functions>()?;
    for function in [
        wrap_pyfunction!(program, module)?,
        wrap_pyfunction!(formatted, module)?,
        wrap_pyfunction!(methods, module)?,
        wrap_pyfunction!(analyses::sweep, module)?,
        wrap_pyfunction!(analyses::compare, module)?,
        wrap_pyfunction!(pages::report, module)?,
        wrap_pyfunction!(pages::report_certificate, module)?,
        wrap_pyfunction!(pages::picture, module)?,
        wrap_pyfunction!(pages::save, module)?,
        wrap_pyfunction!(pages::read, module)?,
        wrap_pyfunction!(pages::citation, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}
