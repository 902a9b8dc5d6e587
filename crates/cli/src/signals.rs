//! Ctrl-C, the SIGTERM of batch systems, and the SIGHUP of a terminal that is gone.
//!
//! ```text
//! nothing to keep yet (reading, start, analysis)     the program ends at once, with code 130 and no litter
//! something to keep                                  the work is asked to stop at its next step; a second signal ends the program
//! ```
//!
//! A thread waits for the signals, which all others block: no handler runs in the middle of something. Signals that were ignored
//! when the program was started, as those of `nohup` and of jobs in the background are, stay ignored.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use alembert_sim::folder::Cleaner;

use crate::words;

static ASKED: AtomicBool = AtomicBool::new(false);
static KEEPS: AtomicBool = AtomicBool::new(false);
static CLEANERS: Mutex<Vec<Cleaner>> = Mutex::new(Vec::new());

/// Whether someone wants the work to stop.
pub fn asked_to_stop() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// From now on there is something to keep.
pub fn keep() {
    KEEPS.store(true, Ordering::Relaxed);
}

/// Takes this away where the program is ended in the middle.
pub fn clean_up(cleaner: Cleaner) {
    if let Ok(mut cleaners) = CLEANERS.lock() {
        cleaners.push(cleaner);
    }
}

/// A signal came.
fn asked() {
    if KEEPS.load(Ordering::Relaxed) && !ASKED.swap(true, Ordering::Relaxed) {
        return;
    }
    if let Ok(cleaners) = CLEANERS.lock() {
        cleaners.iter().for_each(Cleaner::clean);
    }
    words::insist(format_args!("error: interrupted\n"));
    std::process::exit(130);
}

/// Listens from now on; called once, before there are other threads.
#[cfg(unix)]
pub fn listen() {
    use nix::sys::signal::{SigSet, Signal};
    let heard =
        [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().filter(|signal| !is_left_alone(*signal as i32));
    let signals: SigSet = heard.collect();
    if signals.thread_block().is_err() {
        return;
    }
    let thread = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        while signals.wait().is_ok() {
            asked();
        }
    });
    if thread.is_err() {
        let _ = signals.thread_unblock();
    }
}

/// Whether a signal was ignored when the program was started. Where the system does not say so, a hangup does what it would do.
#[cfg(unix)]
fn is_left_alone(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").ok();
    let line = status.as_deref().and_then(|status| status.lines().find_map(|line| line.strip_prefix("SigIgn:")));
    match line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()) {
        Some(mask) => mask >> (signal - 1) & 1 == 1,
        None => signal == nix::sys::signal::Signal::SIGHUP as i32,
    }
}

/// Listens from now on.
#[cfg(not(unix))]
pub fn listen() {
    // Fails only if it was called before.
    let _ = ctrlc::set_handler(asked);
}
