//! Laws of time that are drawn before their formulas can be read: names of the file are known later.

use std::sync::{Mutex, OnceLock};

use alembert_mechanism::law::TimeLaw;

use crate::tape::{Arguments, Registers, Tape};

/// f, f' and f'' of time, or of a parameter that stands in its place.
#[derive(Debug, Default)]
pub(crate) struct LateLaw {
    tape: OnceLock<Tape>,
    /// Room for one run after the other, so that steps allocate nothing; who finds it taken makes room of its own.
    room: Mutex<Registers>,
}

impl LateLaw {
    /// Gives it its formula, as a tape of three numbers.
    pub fn bind(&self, tape: Tape) {
        // Whoever binds twice binds the same.
        let _ = self.tape.set(tape);
    }
}

impl TimeLaw for LateLaw {
    fn at(&self, t: f64) -> [f64; 3] {
        // What is constantly zero is not written.
        let mut out = [0.0; 3];
        let at = Arguments { t, ..Arguments::default() };
        match (self.tape.get(), self.room.try_lock()) {
            (Some(tape), Ok(mut room)) => tape.run(at, &mut room, &mut out),
            (Some(tape), Err(_)) => tape.run_once(at, &mut out),
            (None, _) => out.fill(f64::NAN),
        }
        out
    }
}
