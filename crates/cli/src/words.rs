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

/// Writes words about what went wrong. Names come from files and command lines: control characters in them, which a terminal
/// would obey, are shown instead.
pub fn insist(words: Arguments) {
    let words = words.to_string();
    let shown = match words.chars().all(is_shown) {
        true => words,
        false => words.chars().map(|letter| if is_shown(letter) { letter } else { '\u{fffd}' }).collect(),
    };
    let _ = io::stderr().write_all(shown.as_bytes());
}

/// Whether a letter may go to a terminal: line feeds, tabs and the return of the progress line are ours.
fn is_shown(letter: char) -> bool {
    is_printable(letter) || ['\n', '\t', '\r'].contains(&letter)
}

/// Whether a letter is only itself: no control character, no mark that turns the direction of others round, no noncharacter.
pub fn is_printable(letter: char) -> bool {
    let turns = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !letter.is_control() && !turns && !matches!(letter, '\u{fffe}' | '\u{ffff}')
}

/// One line of words about the work.
macro_rules! say {
    ($($words:tt)*) => {
        $crate::words::write(format_args!("{}\n", format_args!($($words)*)))
    };
}
pub(crate) use say;
