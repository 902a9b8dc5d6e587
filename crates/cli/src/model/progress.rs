//! How far a run is, on a terminal; and whether someone pressed Ctrl-C.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Between two lines of progress.
const PAUSE: Duration = Duration::from_millis(150);

/// From now on Ctrl-C asks to stop; a second one ends the program at once.
pub fn listen() {
    // Fails only if it was called before.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether someone pressed Ctrl-C.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// A line on stderr that is written over and over; nothing where stderr is not a terminal.
pub struct Progress {
    shown: bool,
    begun: Instant,
    last: Option<Instant>,
    from: f64,
    to: f64,
}

impl Progress {
    pub fn new(from: f64, to: f64, quiet: bool) -> Progress {
        let shown = !quiet && io::stderr().is_terminal();
        Progress { shown, begun: Instant::now(), last: None, from, to }
    }

    /// Shows where the run is, now and then.
    pub fn show(&mut self, t: f64, h: f64) {
        if !self.shown || self.last.unwrap_or(self.begun).elapsed() < PAUSE {
            return;
        }
        self.last = Some(Instant::now());
        let done = ((t - self.from) / (self.to - self.from)).clamp(1e-9, 1.0);
        let left = self.begun.elapsed().as_secs_f64() * (1.0 - done) / done;
        let line = format!("t = {t:.4} of {} ({:.0} %), h = {h:.2e}, {left:.0} s left", self.to, 100.0 * done);
        eprint!("\r{line:<70}");
        let _ = io::stderr().flush();
    }

    /// Wipes the line.
    pub fn end(&self) {
        if self.last.is_some() {
            eprint!("\r{:<70}\r", "");
        }
    }
}
