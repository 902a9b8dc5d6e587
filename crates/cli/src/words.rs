//! Words on standard error. Perhaps nobody can read them any more (a full disk, a closed pipe); that must not cost a result.

use std::fmt::Arguments;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on only errors and warnings are told.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether only errors and warnings are told.
pub fn quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes words about the work as they are, unless the program is to be quiet.
pub fn write(words: Arguments) {
    if !quiet() {
        insist(words);
    }
}

/// Writes words about what went wrong.
pub fn insist(words: Arguments) {
    let _ = io::stderr().write_fmt(words);
}

/// One line of words about the work.
macro_rules! say {
    ($($words:tt)*) => {
        $crate::words::write(format_args!("{}\n", format_args!($($words)*)))
    };
}
pub(crate) use say;
