//! Checkpoints of an integrator.

use super::fingerprint::fingerprint;
use super::turn::Turn;
use super::{Integrator, Mode};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::event::memory::{Fired, Leaving, Memory, Repeated};
use crate::state::State;
use crate::stats::{Failures, Residuals, RowCounts, Stats};

impl Integrator<'_> {
    /// Everything the integration depends on from here: history, factors, what Newton's method and the controller have
    /// learned, pending events. What the caller has set up (system, modes, events, times to land on, limits) and results
    /// (occurrences) are not in it.
    ///
    /// # Errors
    /// If a method or controller that is not of this library does not support it.
    pub fn checkpoint(&mut self) -> Result<Vec<u8>, BadCheckpoint> {
        let mut archive = Archive::writing();
        self.keep(&mut archive)?;
        Ok(archive.finish())
    }

    /// Continues from a checkpoint, bit for bit. The integrator must have been built in the same way as the one that wrote
    /// it: system, modes, scheme, controller, tolerance, events.
    ///
    /// # Errors
    /// If the bytes are no checkpoint, damaged, or of another integration; the integrator is then as it was.
    pub fn restore(&mut self, checkpoint: &[u8]) -> Result<(), BadCheckpoint> {
        let mut archive = Archive::reading(checkpoint)?;
        let before = self.checkpoint()?;
        let read = self
            .keep(&mut archive)
            .and_then(|()| if archive.is_exhausted() { Ok(()) } else { Err(BadCheckpoint::Corrupt) });
        if let Err(bad) = read {
            self.keep(&mut Archive::reading(&before)?)?;
            return Err(bad);
        }
        Ok(())
    }

    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.keep_all(archive)?;
        // Now that the state is known: are the systems those that made the checkpoint?
        for mode in &self.modes {
            let known = mode.equations.description().fingerprint;
            archive.same_system("fingerprint", &[(known >> 32) as f64, (known & 0xffff_ffff) as f64])?;
            for (what, values) in fingerprint(&mode.equations, self.state()) {
                archive.same_system(what, &values)?;
            }
        }
        Ok(())
    }

    fn keep_all(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        archive.same("number of modes", self.modes.len() as f64)?;
        for mode in &self.modes {
            archive.same_name("method", mode.name)?;
            let dims = mode.equations.dims();
            for (what, size) in [("q", dims.q), ("v", dims.v), ("lambda", dims.lambda), ("psi", dims.psi)] {
                archive.same(&format!("dimension of {what}"), size as f64)?;
            }
            archive.same("redundancy", f64::from(mode.equations.redundancy() as u8))?;
            archive.same("linear solver", f64::from(mode.equations.linear_solver() as u8))?;
        }
        archive.same("relative tolerance", self.tolerance.rtol)?;
        archive.same("absolute tolerance of q", self.tolerance.atol_q)?;
        archive.same("absolute tolerance of v", self.tolerance.atol_v)?;
        archive.same("number of events", self.watch.events.len() as f64)?;
        for event in &self.watch.events {
            archive.same_name("event", &event.name)?;
        }
        self.controller.keep(archive)?;
        keep!(archive; self.mode, self.longest, self.sliding, self.stats, self.watch.memory, self.audit)?;
        keep!(archive; self.t_start, self.rows, self.happened)?;
        let rows = |mode: usize| self.modes.get(mode).map(|mode| mode.equations.dims().constraints());
        if archive.is_reading() && !self.audit.is_within(rows) {
            return Err(BadCheckpoint::Corrupt);
        }
        for mode in &mut self.modes {
            mode.keep(archive)?;
        }
        let zero = |modes: &[Mode], mode: usize| {
            modes.get(mode).map(|mode| State::zero(mode.equations.dims())).ok_or(BadCheckpoint::Corrupt)
        };
        if archive.is_reading() {
            self.before = zero(&self.modes, self.mode)?;
        }
        self.before.keep(archive)?;
        let mut turning = self.turn.as_ref().map(|turn| turn.mode);
        turning.keep(archive)?;
        if let (true, Some(mode)) = (archive.is_reading(), turning) {
            let (before, after) = (zero(&self.modes, self.mode)?, zero(&self.modes, mode)?);
            self.turn = Some(Turn { mode, before, after });
        }
        match (&mut self.turn, turning) {
            (Some(turn), Some(_)) => keep!(archive; turn.before, turn.after),
            _ => {
                self.turn = None;
                Ok(())
            }
        }
    }
}

impl Keep for Memory {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.value, self.leaving, self.fired, self.last, self.times)
    }
}

impl Keep for Leaving {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.t, self.value, self.slope, self.noise, self.bend, self.band, self.unseen, self.side)
    }
}

impl Keep for Repeated {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.t, self.since, self.count)
    }
}

impl Keep for Fired {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.rising, self.slope, self.bounced)
    }
}

impl Keep for Stats {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let Residuals { position, velocity, nonholonomic } = &mut self.residuals;
        keep!(archive; *position, *velocity, *nonholonomic)?;
        let Failures { diverged, not_finite, singular, ratio } = &mut self.failures;
        keep!(archive; *diverged, *not_finite, *singular, *ratio)?;
        let RowCounts { between, landed, coarse, retries } = &mut self.rows;
        keep!(archive; *between, *landed, *coarse, *retries, self.switches, self.slides)?;
        keep!(archive; self.steps, self.attempts, self.rejected, self.failed, self.iterations, self.linearizations)
    }
}
