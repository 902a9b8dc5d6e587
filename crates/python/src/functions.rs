//! Functions of a program as the equations of a model.
//!
//! ```text
//! callable    f(t, q, v, a, mu, out)            fills `out`; arrays of NumPy, mu = (lambda, psi)
//! array       what it always is
//! address     void f(double t, const double *q, const double *v, const double *a, const double *mu, double *out)
//! ```
//!
//! Callables take the interpreter's lock for each call. Functions at an address do not: they are compiled, by numba say. What a callable
//! raises is kept, its result becomes NaN, and the work stops.
#![allow(unsafe_code, reason = "calling a function at an address that the caller gives is what this file is for")]

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use alembert::{At, ConstrainedSystem, Dims, Quantities, Quantity, State};
use alembert_model::Program;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::work::Raised;

/// A function at an address.
type Compiled = unsafe extern "C" fn(f64, *const f64, *const f64, *const f64, *const f64, *mut f64);

/// A function of a program.
enum Given {
    Callable(Py<PyAny>),
    Constant(Vec<f64>),
    /// With what keeps it alive.
    Compiled {
        function: Compiled,
        _owner: Py<PyAny>,
    },
}

impl Given {
    /// Writes its values; those that cannot be had are NaN.
    fn write(&self, at: &At, out: &mut [f64], raised: &Raised) {
        match self {
            Given::Callable(_) if raised.is() => out.fill(f64::NAN),
            Given::Callable(function) => {
                if let Err(error) = Python::attach(|py| call(py, function, at, out)) {
                    raised.keep_at(at.t, error);
                    out.fill(f64::NAN);
                }
            }
            Given::Constant(values) => out.copy_from_slice(values),
            Given::Compiled { function, .. } => {
                let mu = multipliers(at);
                // SAFETY: who gave the address promises that it is that of a function with this signature, which reads and writes no
                // more numbers than there are.
                unsafe {
                    function(at.t, at.q.as_ptr(), at.v.as_ptr(), at.a.as_ptr(), mu.as_ptr(), out.as_mut_ptr());
                }
            }
        }
    }
}

/// (lambda, psi) in one piece; most systems have one of them only.
fn multipliers<'a>(at: &At<'a>) -> Cow<'a, [f64]> {
    match (at.lambda, at.psi) {
        (mu, []) | ([], mu) => Cow::Borrowed(mu),
        (lambda, psi) => Cow::Owned([lambda, psi].concat()),
    }
}

fn call(py: Python<'_>, function: &Py<PyAny>, at: &At, out: &mut [f64]) -> PyResult<()> {
    let array = |values: &[f64]| PyArray1::from_slice(py, values);
    let mu = multipliers(at);
    let filled = array(out);
    function.call1(py, (at.t, array(at.q), array(at.v), array(at.a), array(&mu), &filled))?;
    let filled = filled.readonly();
    out.copy_from_slice(filled.as_slice()?);
    Ok(())
}

/// How many numbers a quantity has, matrices with all their entries.
fn room(quantity: Quantity, dims: Dims, along: usize) -> usize {
    use Quantity::*;
    let Dims { q, v, lambda, psi } = dims;
    match quantity {
        Mass | ForceV | ReactionV => v * v,
        ForceQ | MassQ | ReactionQ => v * along,
        Force | Reaction => v,
        Holonomic | HolonomicT | HolonomicBias => lambda,
        Nonholonomic | NonholonomicBias => psi,
        HolonomicQ | HolonomicVelocityQ => lambda * along,
        NonholonomicQ => psi * along,
        ReactionLambda => lambda * v,
        NonholonomicV | ReactionPsi => psi * v,
        Rate => q,
        RateV => q * v,
        RateQ => q * along,
        _ => 0,
    }
}

/// Equations and functions of events of a program.
#[pyclass(frozen, module = "alembert._alembert")]
pub(crate) struct Functions {
    parts: Mutex<Parts>,
    pub raised: Arc<Raised>,
}

#[derive(Default)]
struct Parts {
    /// Equations while they are put together.
    growing: Option<alembert::Functions<'static>>,
    /// The same when a model has them.
    system: Option<Arc<dyn ConstrainedSystem>>,
    quantities: Quantities,
    /// Columns of derivatives along q.
    along: usize,
    events: Vec<(String, Arc<Given>)>,
    has_callables: bool,
}

impl Parts {
    fn whole(&mut self) -> Option<Arc<dyn ConstrainedSystem>> {
        if let Some(system) = self.growing.take() {
            self.system = Some(Arc::new(system));
        }
        self.system.clone()
    }
}

/// A callable, or the address of a compiled function beside what keeps it alive.
fn given(function: &Bound<'_, PyAny>) -> PyResult<Given> {
    let Ok((address, owner)) = function.extract::<(usize, Py<PyAny>)>() else {
        return Ok(Given::Callable(function.clone().unbind()));
    };
    if address == 0 {
        return Err(PyValueError::new_err("the address of a function is zero"));
    }
    // SAFETY: a pointer to a function is a number of this size; that there is one is the caller's promise.
    let function = unsafe { std::mem::transmute::<usize, Compiled>(address) };
    Ok(Given::Compiled { function, _owner: owner })
}

#[pymethods]
impl Functions {
    /// With room for equations of these numbers of coordinates, velocities and constraints.
    #[new]
    fn new() -> Functions {
        Functions { parts: Mutex::default(), raised: Arc::default() }
    }

    /// Says how large the equations are, and how many columns derivatives along q have.
    fn size(&self, q: usize, v: usize, holonomic: usize, nonholonomic: usize, along: usize) {
        let dims = Dims { q, v, lambda: holonomic, psi: nonholonomic };
        let mut parts = self.parts();
        (parts.growing, parts.along) = (Some(alembert::Functions::new(dims)), along);
    }

    /// Adds a quantity: a callable, an array of what it always is, or the address of a compiled function and what keeps it alive.
    fn quantity(&self, name: &str, function: &Bound<'_, PyAny>) -> PyResult<()> {
        let found = Quantity::ALL.into_iter().find(|quantity| quantity.name() == name);
        let quantity = found.ok_or_else(|| PyValueError::new_err(format!("there is no quantity `{name}`")))?;
        let function = match function.cast::<PyArray1<f64>>() {
            Ok(values) => Given::Constant(values.readonly().as_slice()?.to_vec()),
            Err(_) => given(function)?,
        };
        let raised = Arc::clone(&self.raised);
        let mut parts = self.parts();
        parts.has_callables |= matches!(function, Given::Callable(_));
        let system =
            parts.growing.take().ok_or_else(|| PyValueError::new_err("first say how large the equations are"))?;
        let room = room(quantity, system.dims(), parts.along);
        if let Given::Constant(values) = &function
            && values.len() != room
        {
            return Err(PyValueError::new_err(format!("`{name}` has {} numbers instead of {room}", values.len())));
        }
        parts.growing = Some(system.quantity(quantity, move |at, out| {
            // A compiled function writes as many numbers as its quantity has, whatever room there is.
            assert_eq!(out.len(), room, "matrices of programs have all entries");
            function.write(at, out, &raised);
        }));
        parts.quantities = parts.quantities.with(quantity);
        Ok(())
    }

    /// Adds the function of an event.
    fn event(&self, name: String, function: &Bound<'_, PyAny>) -> PyResult<()> {
        let function = given(function)?;
        let mut parts = self.parts();
        parts.has_callables |= matches!(function, Given::Callable(_));
        parts.events.push((name, Arc::new(function)));
        Ok(())
    }

    /// Whether equations are among them.
    fn has_equations(&self) -> bool {
        !self.parts().quantities.is_empty()
    }

    /// The same functions, to which others can be added.
    fn copy(&self) -> Functions {
        let mut parts = self.parts();
        let (system, events, has_callables) = (parts.whole(), parts.events.clone(), parts.has_callables);
        let (quantities, along) = (parts.quantities, parts.along);
        let parts = Parts { growing: None, system, events, has_callables, quantities, along };
        Functions { parts: Mutex::new(parts), raised: Arc::clone(&self.raised) }
    }

    /// The names of what can be given.
    #[staticmethod]
    fn quantities() -> Vec<&'static str> {
        Quantity::ALL.into_iter().map(Quantity::name).collect()
    }
}

impl Functions {
    fn parts(&self) -> std::sync::MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether Python is called.
    pub fn calls_python(&self) -> bool {
        self.parts().has_callables
    }

    /// What a model takes its functions from; from then on its equations stay as they are.
    pub fn program(&self) -> Program {
        let mut parts = self.parts();
        let system = parts.whole();
        let events = parts.events.iter().map(|(name, function)| {
            let (function, raised) = (Arc::clone(function), Arc::clone(&self.raised));
            let value = move |state: &State| {
                let State { t, q, v, a, lambda, psi } = state;
                let at = At { a, lambda, psi, ..At::new(*t, q, v) };
                let mut out = [0.0];
                function.write(&at, &mut out, &raised);
                out[0]
            };
            (name.clone(), alembert_model::Given::new(value))
        });
        Program { events: events.collect(), quantities: parts.quantities, system }
    }
}
