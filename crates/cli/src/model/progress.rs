//! How far a run is, on a terminal.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use alembert_sim::Onlooker;

use crate::signals;
use crate::words::{self, say};

/// Between two lines of progress.
const PAUSE: Duration = Duration::from_millis(150);

/// Letters of the line and of the bar in it.
const WIDTH: usize = 78;
const BAR: usize = 20;

/// Whoever sits at the terminal: is told what is going on, and may press Ctrl-C.
#[derive(Default)]
pub struct Terminal {
    line: Mutex<Line>,
}

impl Onlooker for Terminal {
    fn wants_to_stop(&self) -> bool {
        signals::asked_to_stop()
    }

    fn keeps_from_here(&self) {
        signals::keep();
    }

    fn begins(&self, what: &str) {
        say!("{what}");
    }

    fn advanced(&self, done: f64, details: &dyn Fn() -> String) {
        if let Ok(mut line) = self.line.lock() {
            line.show(done, details);
        }
    }

    fn waits(&self, what: &str, work: &mut (dyn FnMut() + Send)) {
        let shown = self.line.lock().is_ok_and(|line| line.shown);
        if !shown {
            return work();
        }
        std::thread::scope(|scope| {
            let (done, over) = mpsc::channel::<()>();
            scope.spawn(move || clock(what, &over));
            work();
            drop(done);
        });
    }

    fn finished(&self) {
        if let Ok(mut line) = self.line.lock() {
            line.end();
        }
    }
}

/// Shows what is done and for how long, from the first second on, until the other end is gone.
fn clock(what: &str, over: &mpsc::Receiver<()>) {
    let mut seconds = 0;
    while over.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
        seconds += 1;
        words::write(format_args!("\r{:<WIDTH$}", format!("{what}: {seconds} s")));
    }
    if seconds > 0 {
        words::write(format_args!("\r{:<WIDTH$}\r", ""));
    }
}

/// A line on stderr that is written over and over; nothing where stderr is not a terminal.
struct Line {
    shown: bool,
    begun: Instant,
    last: Option<Instant>,
}

impl Default for Line {
    fn default() -> Line {
        let shown = !words::quiet() && io::stderr().is_terminal();
        Line { shown, begun: Instant::now(), last: None }
    }
}

impl Line {
    /// Shows now and then which part is done, and what `details` says about it.
    fn show(&mut self, done: f64, details: &dyn Fn() -> String) {
        if !self.shown || self.last.unwrap_or(self.begun).elapsed() < PAUSE {
            return;
        }
        self.last = Some(Instant::now());
        let done = done.clamp(1e-9, 1.0);
        let left = self.begun.elapsed().as_secs_f64() * (1.0 - done) / done;
        words::write(format_args!("\r{:<WIDTH$}", line(done, &details(), left)));
    }

    /// Wipes the line; what comes next begins now.
    fn end(&mut self) {
        if self.last.take().is_some() {
            words::write(format_args!("\r{:<WIDTH$}\r", ""));
        }
        self.begun = Instant::now();
    }
}

/// A bar, what is going on, and the time that is left.
fn line(done: f64, details: &str, left: f64) -> String {
    let full = (done * BAR as f64) as usize;
    let bar = "=".repeat(full) + &" ".repeat(BAR - full);
    let left = left.round() as u64;
    let (hours, minutes, seconds) = (left / 3600, left / 60 % 60, left % 60);
    let left = match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min {seconds:02} s"),
        (..100, _) => format!("{hours} h {minutes:02} min"),
        _ => "days".to_owned(),
    };
    format!("[{bar}] {:3.0} %  {details}  {left} left", 100.0 * done)
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn the_line_tells_what_is_done_and_what_is_left() {
        assert_eq!(
            line(0.25, "t = 2.5 of 10  h = 1.0e-2", 75.0),
            "[=====               ]  25 %  t = 2.5 of 10  h = 1.0e-2  1 min 15 s left"
        );
        assert!(line(1.0, "", 0.2).starts_with("[====================] 100 %"));
        assert!(line(1e-9, "", 3700.0).ends_with("1 h 01 min left"));
        assert!(line(1e-9, "", f64::INFINITY).ends_with("days left"));
    }
}
