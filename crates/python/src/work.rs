//! Work that takes a while: without the interpreter's lock, with progress, and ended by Ctrl-C.
//!
//! ```text
//! formulas alone           a thread of its own works, this one waits and looks for signals every few milliseconds
//! functions of Python      this thread works; whenever it has the lock, Python raises what signals ask for
//! ```
//!
//! A thread that does not stop in time, in the midst of a long step say, is left behind: it finds that nobody wants its result.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use alembert_sim::Onlooker;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often signals are looked for, and how long a thread may take to stop.
const LOOK: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_millis(50);
/// How long a thread waits before it asks for its turn again.
const WAIT: Duration = Duration::from_millis(1);

/// What a function of Python has raised; the first one counts.
pub(crate) struct Raised {
    is: AtomicBool,
    error: Mutex<Option<PyErr>>,
    /// Whose turn it is: functions of Python are called by one run at a time, so that each finds its own exceptions. They would wait for
    /// the interpreter's lock anyway.
    turn: Mutex<Option<ThreadId>>,
    /// The end of the run, as bits: beyond it an integration only looks around, and a function need not have a value.
    end: AtomicU64,
}

impl Default for Raised {
    fn default() -> Raised {
        Raised {
            is: AtomicBool::new(false),
            error: Mutex::new(None),
            turn: Mutex::new(None),
            end: AtomicU64::new(f64::INFINITY.to_bits()),
        }
    }
}

impl Raised {
    /// Says where the run ends; returns where the one ends that it is part of.
    pub fn ends_at(&self, t: f64) -> f64 {
        f64::from_bits(self.end.swap(t.to_bits(), Ordering::Relaxed))
    }

    /// Keeps what was raised at a time, unless that is beyond the end.
    pub fn keep_at(&self, t: f64, error: PyErr) {
        if t <= f64::from_bits(self.end.load(Ordering::Relaxed)) {
            self.keep(error);
        }
    }

    /// Keeps what was raised.
    pub fn keep(&self, error: PyErr) {
        let mut kept = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(error);
        self.is.store(true, Ordering::Relaxed);
    }

    /// Whether something was.
    pub fn is(&self) -> bool {
        self.is.load(Ordering::Relaxed)
    }

    /// Waits for the turn of this thread; a function that runs its own model again has it already.
    fn wait(self: &Arc<Raised>, py: Python<'_>) -> PyResult<Option<Turn>> {
        let me = std::thread::current().id();
        loop {
            {
                let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
                match *turn {
                    Some(whose) if whose == me => return Ok(None),
                    Some(_) => {}
                    None => {
                        *turn = Some(me);
                        return Ok(Some(Turn(Arc::clone(self))));
                    }
                }
            }
            py.detach(|| std::thread::sleep(WAIT));
            py.check_signals()?;
        }
    }

    /// Takes it out.
    pub fn take(&self) -> Option<PyErr> {
        self.is.store(false, Ordering::Relaxed);
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The turn of a thread, until it is dropped.
struct Turn(Arc<Raised>);

impl Drop for Turn {
    fn drop(&mut self) {
        *self.0.turn.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Looks on for Python.
pub struct Watcher {
    stops: AtomicBool,
    /// The share that is done, as bits.
    done: AtomicU64,
    raised: Option<Arc<Raised>>,
    /// When signals were looked for last, where this thread does the work itself.
    looked: Mutex<Instant>,
    here: bool,
    progress: Option<Py<PyAny>>,
}

impl Watcher {
    fn new(raised: Option<Arc<Raised>>, progress: Option<Py<PyAny>>) -> Watcher {
        let here = raised.is_some();
        let (stops, done) = (AtomicBool::new(false), AtomicU64::new(0));
        Watcher { stops, done, raised, looked: Mutex::new(Instant::now()), here, progress }
    }

    /// Looks for signals and tells how far the work is.
    fn look(&self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        let Some(progress) = &self.progress else { return Ok(()) };
        progress.call1(py, (f64::from_bits(self.done.load(Ordering::Relaxed)),)).map(|_| ())
    }

    /// The same where the work is done here, now and then.
    fn look_here(&self) {
        let Ok(mut looked) = self.looked.try_lock() else { return };
        if looked.elapsed() < LOOK {
            return;
        }
        *looked = Instant::now();
        if let (Err(error), Some(raised)) = (Python::attach(|py| self.look(py)), &self.raised) {
            raised.keep(error);
        }
    }
}

impl Onlooker for Watcher {
    fn wants_to_stop(&self) -> bool {
        if self.here {
            self.look_here();
        }
        self.stops.load(Ordering::Relaxed) || self.raised.as_ref().is_some_and(|raised| raised.is())
    }

    fn advanced(&self, done: f64, _: &dyn Fn() -> String) {
        self.done.store(done.to_bits(), Ordering::Relaxed);
    }
}

/// Does work. `raised` is there where functions of Python take part in it.
pub fn work<T: Send + 'static>(
    py: Python<'_>,
    raised: Option<&Arc<Raised>>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Watcher) -> T + Send + 'static,
) -> PyResult<T> {
    let watcher = Arc::new(Watcher::new(raised.cloned(), progress));
    if let Some(raised) = raised {
        let _turn = raised.wait(py)?;
        // What an earlier run has left behind is none of this one's business.
        raised.take();
        let done = py.detach(|| work(&watcher));
        return match raised.take() {
            Some(error) => Err(error),
            None => Ok(done),
        };
    }
    let (sender, receiver) = channel();
    let inside = Arc::clone(&watcher);
    std::thread::spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&inside)));
        // Nobody listens any more if it was left behind.
        let _ = sender.send(done);
    });
    let receiver = Mutex::new(receiver);
    let wait =
        |long: Duration| py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(long));
    loop {
        match wait(LOOK) {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a defect of alembert: the work ended with a panic"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = watcher.look(py) {
            watcher.stops.store(true, Ordering::Relaxed);
            let _ = wait(PATIENCE);
            return Err(error);
        }
    }
}
